//! The view model of a record: shortened, escaped, with the failing lines marked. Both renderers draw the same view
//! model, so they always show the same.

use crate::calls;
use crate::elide::{self, Piece};
use crate::escape;
use crate::facts;
use crate::paint::{Row, Style};
use crate::place::Places;
use crate::text::count;
use raddle_core::fact::{Fact, Relation};
use raddle_core::record::{Caller, ExecutionRecord, LEFT_OUT, Line, Place};
use raddle_core::verdict::{Blame, Cause, Failure};
use std::collections::BTreeSet;
use std::ops::Range;

/// The operation of a panic's line.
pub const PANIC: &str = "panic";
/// The operation of a task's last line.
const END: &str = "end";

/// An operation of a task, done or pending.
#[derive(Clone, Debug)]
pub struct Event<'a> {
    /// The task: an index into [`ViewModel::tasks`].
    pub task: usize,
    /// The number of the step; none for an event between two steps, and for a pending operation at the end.
    pub number: Option<usize>,
    /// The operation, its object and its result.
    pub text: String,
    /// The step that it reads from: "(from 4)".
    pub saw: Option<String>,
    /// Where.
    pub place: Option<&'a Place>,
    /// The call in the code under test that led there.
    pub caller: Option<&'a Caller>,
    /// It is a preemption.
    pub preempts: bool,
    /// The failure is here.
    pub fails: bool,
    /// It is the last event of the task.
    pub is_last: bool,
}

impl<'a> Event<'a> {
    /// Where in the code under test, if that is known; else where.
    pub fn in_program(&self) -> Option<&'a Place> {
        self.caller.map(|caller| &caller.place).or(self.place)
    }
    /// Writes the marks and the number at the left of a row: three columns, then `digits` more.
    pub fn margin(&self, digits: usize, row: &mut Row) {
        match (self.preempts, self.fails && self.number.is_some()) {
            (true, true) => row.put(0, "◆✗", Style::Wrong),
            (true, false) => row.put(0, "◆", Style::Turn),
            (false, true) => row.put(1, "✗", Style::Wrong),
            (false, false) => {}
        }
        match self.number {
            Some(number) => row.put(3, &format!("{number:>digits$}"), Style::Faint),
            None if self.fails => row.put(2 + digits, "✗", Style::Wrong),
            None => row.put(2 + digits, "·", Style::Faint),
        }
    }
    /// The text and the step that it reads from.
    pub fn whole(&self) -> String {
        match &self.saw {
            Some(saw) => format!("{} {saw}", self.text),
            None => self.text.clone(),
        }
    }
}

/// One row of the view.
#[derive(Clone, Debug)]
pub enum Beat<'a> {
    /// Something happened.
    Event(Event<'a>),
    /// Omitted lines; this describes them.
    Gap(String),
}

/// A task as it is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// `main.1`.
    pub name: String,
    /// `main.1 "alice"`.
    pub title: String,
    /// For a timer, a delivery, a store buffer (`main.1~timer2`): its owner, and what it is called there.
    pub phantom: Option<(usize, String)>,
}

/// The view model of a record.
pub struct ViewModel<'a> {
    /// The shown rows, in order.
    pub beats: Vec<Beat<'a>>,
    /// The tasks, as the record numbers them.
    pub tasks: Vec<Task>,
    /// Short names of the places.
    pub places: Places,
    /// How many lines of the record are shown,
    pub shown: usize,
    /// and how many there are.
    pub total: usize,
}

impl<'a> ViewModel<'a> {
    /// The record of `failure` in about `max_lines` rows.
    pub fn new(failure: &'a Failure, max_lines: usize) -> ViewModel<'a> {
        let record = &failure.record;
        let guilty = guilty(failure);
        let mut shown = 0;
        let mut beats = Vec::new();
        for piece in pieces(&record.lines, &guilty, max_lines) {
            match piece {
                Piece::Line(i) => {
                    shown += 1;
                    beats.push(Beat::Event(event(record, i, guilty.contains(&i))));
                }
                Piece::Call(range) => {
                    shown += 1;
                    beats.push(Beat::Event(call(record, range)));
                }
                Piece::Gap(range) => {
                    beats.push(Beat::Gap(format!("… {} …", escape::line(&elide::describe(record, &range)))))
                }
            }
        }
        beats.extend(stuck(failure).into_iter().map(Beat::Event));
        let files = beats.iter().filter_map(|beat| match beat {
            Beat::Event(event) => Some([event.place, event.in_program()]),
            Beat::Gap(_) => None,
        });
        let files = files.flatten().flatten().map(|place| place.file.as_str());
        let places = Places::new(files);
        ViewModel { places, beats, tasks: tasks(record), shown, total: record.lines.len() }
    }

    /// The shown events, without the gaps.
    pub fn events(&self) -> impl Iterator<Item = &Event<'a>> {
        self.beats.iter().filter_map(|beat| match beat {
            Beat::Event(event) => Some(event),
            Beat::Gap(_) => None,
        })
    }

    /// How wide the numbers are.
    pub fn digits(&self) -> usize {
        self.events().filter_map(|e| e.number).max().unwrap_or(0).to_string().len().max(2)
    }
}

/// What is shown of the lines: calls into dependencies are folded, then loops and what does not fit.
fn pieces(lines: &[Line], guilty: &BTreeSet<usize>, max: usize) -> Vec<Piece> {
    match calls::fold(lines, guilty) {
        Some(folded) => calls::shorten(folded, lines, guilty, max),
        None => elide::elide(lines, guilty, max),
    }
}

/// The steps of one call into a dependency, as one event.
fn call(record: &ExecutionRecord, steps: Range<usize>) -> Event<'_> {
    let first = event(record, steps.start, false);
    let function = first.caller.map_or("a call", |caller| caller.function.as_str());
    let text = format!("{} ({})", escape::line(function), count(steps.len(), "step"));
    Event { text, saw: None, place: None, ..first }
}

fn tasks(record: &ExecutionRecord) -> Vec<Task> {
    let named = |name: &str| record.tasks.iter().position(|a| a.name == name);
    let mut tasks: Vec<Task> = record
        .tasks
        .iter()
        .map(|task| {
            let name = escape::line(&task.name);
            let title = match &task.label {
                Some(label) if *label != task.name => format!("{name} \"{}\"", escape::line(label)),
                _ => name.clone(),
            };
            // The owner's name is the shorter one, so owners of owners come to an end.
            let phantom =
                task.name.rsplit_once('~').and_then(|(owner, own)| Some((named(owner)?, escape::line(own))));
            Task { name, title, phantom }
        })
        .collect();
    // A record with unknown tasks is drawn all the same.
    if record.lines.iter().any(|l| l.task >= record.tasks.len()) {
        tasks.push(Task { name: "?".to_owned(), title: "?".to_owned(), phantom: None });
    }
    tasks
}

fn event(record: &ExecutionRecord, i: usize, fails: bool) -> Event<'_> {
    let line = &record.lines[i];
    let text = match (line.operation.as_str(), line.result.as_str()) {
        (_, "") => line.expected_operation(),
        // The message of the panic that failed the test stands above the record.
        (PANIC, _) if fails => line.expected_operation(),
        (PANIC, detail) => format!("{}: {}", line.expected_operation(), first_line(detail)),
        (_, detail) => format!("{} {}", line.expected_operation(), first_line(detail)),
    };
    let saw = line.reads_from.and_then(|from| record.lines.get(from)).map(|from| match number(from) {
        Some(number) => format!("(from {number})"),
        None => format!("(from {})", escape::line(name(record, from))),
    });
    Event {
        task: line.task.min(record.tasks.len()),
        number: number(line),
        text: escape::line(&text),
        saw,
        place: line.place.as_ref(),
        caller: line.caller.as_deref(),
        preempts: line.preempts,
        fails,
        is_last: matches!(line.operation.as_str(), END | PANIC),
    }
}

/// The number that people see, as in messages: from 1.
fn number(line: &Line) -> Option<usize> {
    line.step.map(|step| step.saturating_add(1))
}

/// The first line of a text, with "…" if there are more.
fn first_line(text: &str) -> String {
    let mut lines = text.trim_end().lines();
    let first = lines.next().unwrap_or_default().to_owned();
    if lines.next().is_some() { format!("{first} …") } else { first }
}

fn name<'s>(record: &'s ExecutionRecord, line: &Line) -> &'s str {
    record.tasks.get(line.task).map_or("?", |a| &a.name)
}

/// The lines where it went wrong: those that a fact names by task and place; for a panic without facts, the
/// last one; for a process that crashed or exited, its exit; for one that stopped the system, its last event.
pub fn guilty(failure: &Failure) -> BTreeSet<usize> {
    let record = &failure.record;
    let blame = failure.kind().blame();
    if blame == Blame::Waiting {
        return BTreeSet::new();
    }
    let panics = blame == Blame::Panic;
    let named = failure.defect.facts.iter().filter_map(|fact| {
        let (task, place) = (task_of(record, fact)?, fact.place.as_ref()?);
        let there = |l: &Line| l.task == task && l.place.as_ref() == Some(place);
        record.lines.iter().rposition(|l| there(l) && (!panics || l.operation == PANIC))
    });
    let mut named: BTreeSet<usize> = named.collect();
    if panics && named.is_empty() {
        named.extend(match &*failure.defect.cause {
            Cause::Crashed { process, .. } | Cause::Exited { process, .. } => {
                record.lines.iter().rposition(|line| line.exits && name(record, line) == process)
            }
            Cause::Halted { process, .. } => last_event(record, process),
            _ => record.lines.iter().rposition(|line| line.operation == PANIC),
        });
    }
    named
}

/// The last event of the task with this name; none if it may be among those that a long record leaves out.
fn last_event(record: &ExecutionRecord, task: &str) -> Option<usize> {
    let last = record.lines.iter().rposition(|line| name(record, line) == task)?;
    let left_out = record.lines.iter().rposition(|line| line.step.is_none() && line.operation == LEFT_OUT);
    left_out.is_none_or(|gap| gap < last).then_some(last)
}

/// What the tasks wait for when no task is enabled any more, one event for each fact about a task. The fact itself is
/// in full above the record.
fn stuck(failure: &Failure) -> Vec<Event<'_>> {
    if failure.kind().blame() != Blame::Waiting {
        return Vec::new();
    }
    // What a task would do next is not what it waits for, nor is what another one did.
    let is_of_another =
        |fact: &&Fact| matches!(fact.relation, Relation::Next { .. } | Relation::NotifiedTooEarly);
    let waiting = failure.defect.facts.iter().filter(|fact| !is_of_another(fact));
    let events = waiting.filter_map(|fact| {
        let task = task_of(&failure.record, fact)?;
        let text = if fact.is_waiting() { escape::line(&facts::short(fact)) } else { told_of_task(fact) };
        let place = fact.place.as_ref();
        Some(Event {
            task,
            number: None,
            text,
            saw: None,
            place,
            caller: fact.caller.as_deref(),
            preempts: false,
            fails: true,
            is_last: false,
        })
    });
    events.collect()
}

/// What a fact says of its task, without the task.
fn told_of_task(fact: &Fact) -> String {
    let whole = facts::fact(&Fact { task: Some(String::new()), label: None, ..fact.clone() });
    escape::line(whole.trim_start())
}

/// The task that a fact is about, by its number in the record.
fn task_of(record: &ExecutionRecord, fact: &Fact) -> Option<usize> {
    let name = fact.task.as_ref()?;
    record.tasks.iter().position(|task| task.name == *name)
}
