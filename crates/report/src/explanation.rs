//! Why the execution failed, as far as a comparison with others tells: the orderings that only failing executions have, and
//! the last choice that decides, with both continuations side by side.

use crate::paint::{Row, Style};
use crate::place::{self, Places};
use crate::text;
use raddle_core::record::{Caller, ExecutionRecord, Line, Place};
use raddle_core::verdict::{Decisive, Explanation, Failure, Fix, Precedence, Tasks, thousands};
use std::collections::HashMap;

/// Where the text begins.
const START: usize = 11;
/// How many steps of each continuation are shown.
const SHOWN: usize = 6;
/// The widest left side.
const WIDEST: usize = 60;

/// Draws the explanation; empty if there is none.
pub fn rows(failure: &Failure, width: Option<usize>) -> Vec<Row> {
    let Some(explanation) = &failure.explanation else { return Vec::new() };
    let room = width.map_or(usize::MAX, |width| width.saturating_sub(START).max(24));
    let mut rows = Vec::new();
    for (n, part) in text::wrap(&sentence(failure, explanation), room).iter().enumerate() {
        let label = if n == 0 { "why" } else { "" };
        rows.push(Row::new().with(2, label, Style::Strong).with(START, part, Style::Plain));
    }
    if let Some(fix) = &explanation.fix {
        for (n, part) in text::wrap(&to_try(&failure.record, fix), room).iter().enumerate() {
            let label = if n == 0 { "fix" } else { "" };
            rows.push(Row::new().with(2, label, Style::Strong).with(START, part, Style::Plain));
        }
    }
    if let Some(decisive) = &explanation.decisive {
        rows.extend(side_by_side(&failure.record, decisive, width));
    }
    rows
}

/// What all failing executions have in common, and of how many that is known.
pub fn sentence(failure: &Failure, explanation: &Explanation) -> String {
    let Explanation { failed, passed, orderings, .. } = explanation;
    let alike = |n: &u64| match n {
        1 => "the one execution that was seen to fail like this".to_owned(),
        n => format!("all {} executions that were seen to fail like this", thousands(*n)),
    };
    let others = match passed {
        1 => "not in the one that passes".to_owned(),
        n => format!("in none of {} that pass", thousands(*n)),
    };
    let record = &failure.record;
    match orderings.as_slice() {
        _ if *passed == 0 => {
            let made =
                if *failed == 1 { "one fails".to_owned() } else { format!("{} fail", thousands(*failed)) };
            format!("no execution that was made for comparison passes ({made} like this)")
        }
        [] => format!("no one or two orderings of its steps are in {} and {others}", alike(failed)),
        [one] => format!("{}: in {} and {others}", before(record, one), alike(failed)),
        [one, other, ..] => {
            let whose = match explanation.tasks {
                Tasks::These => "",
                Tasks::Any => ", or the same of other tasks",
            };
            format!("{}{whose}: in {} and {others}", both(record, one, other), alike(failed))
        }
    }
}

/// What to make one step, and what that leads to.
pub fn to_try(record: &ExecutionRecord, fix: &Fix) -> String {
    let [from, to] = [fix.from, fix.to].map(|at| &record.lines[at]);
    let place = |line: &Line| line.place.as_ref().map(place::full).unwrap_or_default();
    let steps = match from.place.as_ref().map(|place| place.line) == to.place.as_ref().map(|place| place.line)
    {
        true => format!("{} and {} at {}", from.operation, to.operation, place(from)),
        false => format!("the steps from {} to {}", place(from), place(to)),
    };
    let all = match fix.executions {
        1 => "the only execution".to_owned(),
        2 => "both executions".to_owned(),
        n => format!("all {} executions", thousands(n)),
    };
    format!("if {steps} were one atomic step, {all} would pass")
}

fn before(record: &ExecutionRecord, ordering: &Precedence) -> String {
    format!("{} comes before {}", step(record, ordering.before), step(record, ordering.after))
}

fn both(record: &ExecutionRecord, one: &Precedence, other: &Precedence) -> String {
    let Some((first, second)) = one.between(*other, record) else {
        return format!("{}, and {}", before(record, one), before(record, other));
    };
    let [from, what, to] = [first.before, first.after, second.after].map(|at| step(record, at));
    format!("{what} comes between {from} and {to}")
}

/// "step 3 of main.1 (store, bank.rs:7)".
fn step(record: &ExecutionRecord, at: usize) -> String {
    let line = &record.lines[at];
    let number = line.step.map(|step| format!("step {} of ", step + 1)).unwrap_or_default();
    let (operation, place) = match &line.caller {
        Some(caller) => (&caller.function, Some(&caller.place)),
        None => (&line.operation, line.place.as_ref()),
    };
    let place = place.map(|place| format!(", {}", place::full(place))).unwrap_or_default();
    format!("{number}{} ({operation}{place})", record.tasks[line.task].name)
}

/// The continuations from the decisive choice on.
fn side_by_side(record: &ExecutionRecord, decisive: &Decisive, width: Option<usize>) -> Vec<Row> {
    let places = [record, &decisive.passing].into_iter().flat_map(|record| &record.lines);
    let place =
        |line: &'_ Line| line.caller.as_ref().map(|caller| caller.place.clone()).or(line.place.clone());
    let files: Vec<String> = places.filter_map(place).map(|place| place.file).collect();
    let places = Places::new(files.iter().map(String::as_str));
    let calls = calls(record);
    let from = |record: &ExecutionRecord, at: usize| -> Vec<String> {
        let lines = record.lines[at..].iter().filter(|line| line.step.is_some());
        let mut told: Vec<String> = Vec::new();
        for text in lines.map(|line| short(record, line, &calls, &places)) {
            // The steps of one call into a dependency are told once.
            if told.last() != Some(&text) {
                told.push(text);
            }
            if told.len() == SHOWN {
                break;
            }
        }
        told
    };
    let sides = [from(record, decisive.at[0]), from(&decisive.passing, decisive.at[1])];
    let number = record.lines[decisive.at[0]].step.map_or(0, |step| step + 1);
    let [left, right] = [format!("from step {number} on, this fails"), "and this passes".to_owned()];
    let half = width.map_or(WIDEST, |width| (width.saturating_sub(7) / 2).clamp(16, WIDEST));
    let wide = sides[0].iter().chain([&left]).map(|text| text::width(text)).max().unwrap_or(0).min(half);
    let row = |left: &str, right: &str, style: Style| {
        let mut row = Row::new().with(4, &text::cut(left, wide), style);
        row.put(4 + wide + 1, "│", Style::Faint);
        row.put(4 + wide + 3, &text::cut(right, width.map_or(usize::MAX, |_| half)), style);
        row
    };
    let mut rows = vec![Row::new(), row(&left, &right, Style::Strong)];
    let nothing = String::new();
    for n in 0..sides[0].len().max(sides[1].len()) {
        let [left, right] = [0, 1].map(|side: usize| sides[side].get(n).unwrap_or(&nothing));
        rows.push(row(left, right, Style::Plain));
    }
    rows
}

/// The calls into dependencies that the failing execution is known to have made: by task, operation and place.
type Calls<'a> = HashMap<(&'a str, &'a str, &'a Place), Vec<&'a Caller>>;

fn calls(record: &ExecutionRecord) -> Calls<'_> {
    let mut calls = Calls::new();
    for line in &record.lines {
        if let (Some(place), Some(caller)) = (&line.place, &line.caller) {
            let task = record.tasks[line.task].name.as_str();
            calls.entry((task, &line.operation, place)).or_default().push(caller);
        }
    }
    calls
}

/// "main.1 store AtomicU64#1 50  bank.rs:7". What a dependency does is told by the call that led there; if several did in the
/// failing execution, without its place.
fn short(record: &ExecutionRecord, line: &Line, calls: &Calls<'_>, places: &Places) -> String {
    let name = record.tasks[line.task].name.as_str();
    let known = line.place.as_ref().and_then(|place| calls.get(&(name, line.operation.as_str(), place)));
    let callers = line.caller.as_deref().map(|caller| vec![caller]).or(known.cloned()).unwrap_or_default();
    if let Some(caller) = callers.first() {
        return match callers.iter().all(|other| other == caller) {
            true => format!("{name} {}  {}", caller.function, places.short(&caller.place)),
            false => format!("{name} {}", caller.function),
        };
    }
    let result = line.result.lines().next().unwrap_or_default();
    let told = format!("{name} {} {result}", line.expected_operation());
    match &line.place {
        Some(place) => format!("{}  {}", told.trim_end(), places.short(place)),
        None => told.trim_end().to_owned(),
    }
}
