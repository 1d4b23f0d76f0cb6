//! Random records, many of them broken: nothing panics, no column is too wide, every step that is shown is
//! shown once, and what is not shown is counted.

use crate::layout::{Color, Layout, Run, Sources};
use crate::paint::Row;
use crate::source::Library;
use crate::view_model::{Beat, ViewModel};
use crate::{columns, lines, text};
use proptest::prelude::*;
use raddle_core::fact::{Fact, Relation, Waiting};
use raddle_core::record::{ExecutionRecord, Line, Place, TaskInfo};
use raddle_core::ticket::Ticket;
use raddle_core::verdict::{Coverage, Defect, Extent, Failure, FailureKind};

fn task() -> impl Strategy<Value = TaskInfo> {
    let name = prop_oneof![
        4 => "main(\\.[1-9]){0,3}",
        1 => "main(\\.1)?~timer[1-3]",
        1 => "~|a~~b|\\PC{0,30}",
    ];
    (name, proptest::option::weighted(0.3, "[a-z \"\n]{0,40}"))
        .prop_map(|(name, label)| TaskInfo { name, label })
}

fn place() -> impl Strategy<Value = Place> {
    let file = prop_oneof![
        6 => Just("src/text.rs".to_owned()),
        2 => Just("src/lib.rs".to_owned()),
        1 => Just("other/text.rs".to_owned()),
        1 => "[a-z/\\.\n]{0,80}",
    ];
    (file, 0..150u32).prop_map(|(file, line)| Place { file, line, column: 1 })
}

/// Task, operation, object, step or not, place, preempting or not, reads-from.
fn line() -> impl Strategy<Value = Line> {
    let operation = prop_oneof![4 => "(load|store|lock|end|panic)", 1 => "[a-z \t→é]{0,50}"];
    let object = prop_oneof![4 => "Mutex#[1-3]", 1 => "[A-Za-z#\"_ \u{202e}]{0,60}"];
    let object = proptest::option::weighted(0.8, object);
    let step = proptest::bool::weighted(0.8);
    let place = proptest::option::weighted(0.8, place());
    let from = proptest::option::weighted(0.3, 0..400usize);
    (0..9usize, operation, object, step, place, proptest::bool::weighted(0.2), from).prop_map(
        |(task, operation, object, step, place, preempts, reads_from)| Line {
            task,
            step: step.then_some(0),
            operation,
            object,
            place,
            preempts,
            reads_from,
            ..Line::default()
        },
    )
}

/// Some lines, some of them over and over.
fn record() -> impl Strategy<Value = ExecutionRecord> {
    let lines = proptest::collection::vec((proptest::collection::vec(line(), 0..8), 1..30usize), 0..12);
    (proptest::collection::vec(task(), 0..9), lines).prop_map(|(tasks, loops)| {
        let rounds = loops.into_iter().flat_map(|(body, times)| vec![body; times].into_iter().flatten());
        let mut lines: Vec<Line> = rounds.collect();
        let mut next = 0;
        for (i, line) in lines.iter_mut().enumerate() {
            line.result = format!("<{i}>");
            line.step = line.step.map(|_| next);
            next += line.step.is_some() as usize;
        }
        ExecutionRecord { tasks, lines, ..ExecutionRecord::default() }
    })
}

fn fact() -> impl Strategy<Value = Fact> {
    let (text, name) = ("[ a-z,\"\n]{0,30}", "main|main\\.1|~|[ a-z\n]{0,9}");
    let relation = prop_oneof![
        text.prop_map(|operation| Relation::Waits { waiting: Waiting::ToDo, operation, needs: None }),
        proptest::collection::vec(text, 0..3).prop_map(|objects| Relation::Spins { objects }),
        proptest::collection::vec(text, 0..3).prop_map(|mailbox| Relation::WaitsForMessage { mailbox }),
        text.prop_map(|function| Relation::In { function }),
        text.prop_map(|operation| Relation::Next { operation }),
        Just(Relation::Panicked),
        Just(Relation::Writes),
    ];
    let (task, object) = (proptest::option::of(name), proptest::option::of(text));
    (task, object, relation, proptest::option::of(place())).prop_map(|(task, object, relation, place)| Fact {
        task,
        object,
        place,
        ..Fact::new(relation)
    })
}

fn failure() -> impl Strategy<Value = Failure> {
    let kind = prop_oneof![
        Just(FailureKind::Panic),
        Just(FailureKind::Deadlock),
        Just(FailureKind::DataRace),
        Just(FailureKind::StepLimit)
    ];
    let facts = proptest::collection::vec(fact(), 0..4);
    (record(), kind, "[a-z \n\t\u{1b}]{0,60}", facts).prop_map(|(record, kind, message, facts)| {
        let defect = Defect { facts, ..Defect::new(kind, message) };
        Failure::new(defect, 1, record, Ticket::empty())
    })
}

fn render(rows: &[Row]) -> Vec<String> {
    let line = |row: &Row| {
        let mut out = String::new();
        row.render(Color::Never, &mut out);
        out.trim_end_matches('\n').to_owned()
    };
    rows.iter().map(line).collect()
}

/// The numbers in the margin are those of the steps, each once and in order; each line's text is there once.
fn tells_all(view: &ViewModel<'_>, rows: &[String]) -> Result<(), TestCaseError> {
    let margin = |row: &String| -> String { row.chars().skip(3).take(view.digits()).collect() };
    let numbers: Vec<usize> = rows.iter().filter_map(|row| margin(row).trim().parse().ok()).collect();
    let steps: Vec<usize> = view.events().filter_map(|e| e.number).collect();
    prop_assert_eq!(numbers, steps);
    let all = rows.join("\n");
    for event in view.events() {
        if let Some((_, token)) = event.text.rsplit_once(' ').filter(|(_, t)| t.starts_with('<')) {
            prop_assert_eq!(all.matches(token).count(), 1, "{} in\n{}", token, all);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn columns_keep_to_the_width_and_tell_all(failure in failure(), width in 0..220usize, max in 0..150usize) {
        let view = ViewModel::new(&failure, max);
        let hidden = view.beats.iter().filter(|b| matches!(b, Beat::Gap(_))).count();
        prop_assert_eq!(hidden > 0, view.shown < view.total);
        if let Some(table) = columns::table(&view, &Library::new(&Sources::Show), width) {
            let rows = render(&table.rows);
            for row in &rows {
                prop_assert!(text::width(row) <= width, "{} > {}: {:?}", text::width(row), width, row);
            }
            tells_all(&view, &rows)?;
        }
    }

    #[test]
    fn lines_tell_all(failure in failure(), width in proptest::option::of(0..120usize), max in 0..150usize) {
        let view = ViewModel::new(&failure, max);
        let rows = render(&lines::rows(&view, width));
        for row in &rows {
            let narrow = width.is_some_and(|w| w >= 80 && text::width(row) > w);
            prop_assert!(!narrow || view.tasks.iter().any(|t| text::width(&t.title) > 30), "{:?}", row);
        }
        tells_all(&view, &rows)?;
    }

    #[test]
    fn reports_are_clean(failure in failure(), width in proptest::option::of(0..220usize), max in 0..150usize) {
        let layout = Layout { width, max_lines: max, ..Layout::plain() };
        let coverage = Coverage { extent: Extent::Exhaustive, executions: 1, assumptions: Vec::new() };
        let report = crate::failure(&failure, &coverage, &Run::default(), &layout);
        for line in report.lines() {
            prop_assert_eq!(line, line.trim_end());
            prop_assert!(!line.chars().any(char::is_control), "{:?}", line);
        }
        crate::failure(&failure, &coverage, &Run::default(), &Layout { color: Color::Always, ..layout });
    }
}
