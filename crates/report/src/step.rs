//! One step of a failing execution, with what the record says of that moment: what else could run, which locks are held, the
//! values and the mailboxes.
//!
//! Everything is added up from the facts of the lines before it; what the record does not say is said to be unknown.

use crate::layout::Layout;
use crate::paint::{Row, Style};
use crate::place;
use crate::source::Library;
use raddle_core::record::{ExecutionRecord, Hold, Line, Mailbox};
use raddle_core::verdict::Failure;
use std::collections::{BTreeMap, BTreeSet};

/// Of more tasks, values or messages only so many are shown.
const MOST: usize = 40;

/// What is known just before a line.
#[derive(Default)]
struct State<'a> {
    enabled: Option<BTreeSet<usize>>,
    locks: BTreeMap<&'a str, BTreeMap<usize, (Hold, &'a Line)>>,
    values: BTreeMap<&'a str, (&'a str, &'a Line)>,
    mailboxes: BTreeMap<usize, &'a Mailbox>,
}

impl<'a> State<'a> {
    fn before(record: &'a ExecutionRecord, at: usize) -> State<'a> {
        let enabled = record.enabled.as_ref().map(|tasks| tasks.iter().copied().collect());
        let mut state = State { enabled, ..State::default() };
        for line in &record.lines[..at] {
            if let Some(enabled) = &mut state.enabled {
                enabled.extend(&line.enables);
                enabled.retain(|task| !line.disables.contains(task));
            }
            if let Some(used) = &line.lock {
                let holders = state.locks.entry(&used.lock).or_default();
                match used.hold {
                    Hold::Released => drop(holders.remove(&line.task)),
                    hold => drop(holders.insert(line.task, (hold, line))),
                }
            }
            if let (Some(object), Some(value)) = (&line.object, &line.value) {
                let known = state.values.entry(object).or_insert((value, line));
                if known.0 != value {
                    *known = (value, line);
                }
            }
            state.mailboxes.extend(line.mailboxes.iter().map(|mailbox| (mailbox.task, mailbox)));
        }
        state
    }
}

/// The step of this number, from 1. An error says which steps there are.
pub fn step(failure: &Failure, number: usize, layout: &Layout) -> Result<String, String> {
    let record = &failure.record;
    let wanted = |line: &Line| number.checked_sub(1).is_some_and(|step| line.step == Some(step));
    let Some(at) = record.lines.iter().position(wanted) else {
        let last = record.steps().filter_map(|line| line.step).max().map_or(0, |step| step + 1);
        return Err(format!("there is no step {number}: the steps are 1 to {last}"));
    };
    let (line, state) = (&record.lines[at], State::before(record, at));
    let mut rows = vec![heading(&format!("step {number}: {} {}", name(record, line.task), told(line)))];
    rows.extend(source(line, layout));
    rows.extend(order(record, line));
    rows.extend(others(record, at, &state));
    rows.extend(known(record, &state));
    let mut out = String::new();
    rows.iter().for_each(|row| row.render(layout.color, &mut out));
    Ok(out)
}

fn heading(what: &str) -> Row {
    Row::new().with(0, what, Style::Strong)
}

fn entry(what: &str) -> Row {
    Row::new().with(4, what, Style::Plain)
}

fn faint(what: &str) -> Row {
    Row::new().with(4, what, Style::Faint)
}

fn name(record: &ExecutionRecord, task: usize) -> &str {
    record.tasks.get(task).map_or("?", |task| &task.name)
}

fn told(line: &Line) -> String {
    format!("{} {}", line.expected_operation(), line.result.lines().next().unwrap_or_default())
}

/// "step 3 of main.1".
fn mention(record: &ExecutionRecord, line: &Line) -> String {
    match line.step {
        Some(step) => format!("step {} of {}", step + 1, name(record, line.task)),
        None => format!("{} of {}", line.operation, name(record, line.task)),
    }
}

fn source(line: &Line, layout: &Layout) -> Option<Row> {
    let place = line.caller.as_ref().map(|caller| &caller.place).or(line.place.as_ref())?;
    let quote = Library::new(&layout.sources).quote(place).map(|quote| format!("  │ {quote}"));
    Some(Row::new().with(4, &format!("{}{}", place::full(place), quote.unwrap_or_default()), Style::Plain))
}

/// What it reads from, and the conflicting steps that it comes after.
fn order(record: &ExecutionRecord, line: &Line) -> Vec<Row> {
    let of = |at: usize| record.lines.get(at).map(|line| mention(record, line));
    let reads = line.reads_from.and_then(of).map(|from| entry(&format!("reads from {from}")));
    let after = line.after.iter().filter_map(|at| of(*at)).map(|from| entry(&format!("comes after {from}")));
    reads.into_iter().chain(after).collect()
}

/// What else could run here.
fn others(record: &ExecutionRecord, at: usize, state: &State<'_>) -> Vec<Row> {
    let own = record.lines[at].task;
    let mut rows = vec![heading("what else could run here")];
    let Some(enabled) = state.enabled.as_ref().filter(|_| !record.lines[at].by_itself) else {
        let why = match record.lines[at].by_itself {
            true => "there was no choice: this step happened by itself as soon as it could",
            false => "this record does not say which tasks were enabled",
        };
        rows.push(faint(why));
        return rows;
    };
    let next = |task: usize| record.lines[at..].iter().find(|line| line.task == task && line.step.is_some());
    let others: Vec<usize> = enabled.iter().copied().filter(|task| *task != own).collect();
    for task in others.iter().take(MOST) {
        let what = next(*task).map_or_else(
            || "an operation that it did not come to in this execution".to_owned(),
            |line| format!("{} (step {})", line.expected_operation(), line.step.unwrap_or_default() + 1),
        );
        rows.push(entry(&format!("{}: {what}", name(record, *task))));
    }
    match others.len() {
        0 => rows.push(faint("nothing: this task alone was enabled")),
        n if n > MOST => rows.push(faint(&format!("and {} more", n - MOST))),
        _ => {}
    }
    rows
}

/// The locks, values and mailboxes.
fn known(record: &ExecutionRecord, state: &State<'_>) -> Vec<Row> {
    let mut entries: Vec<String> = Vec::new();
    for (lock, holders) in &state.locks {
        entries.extend(holders.values().map(|(hold, since)| {
            let how = if *hold == Hold::Shared { "shared" } else { "held" };
            format!("{lock} {how} since {}", mention(record, since))
        }));
    }
    let values = state.values.iter();
    entries.extend(
        values.map(|(object, (value, since))| format!("{object} = {value} since {}", mention(record, since))),
    );
    for (task, mailbox) in &state.mailboxes {
        let messages = mailbox.messages.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
        let hidden = mailbox.more + mailbox.messages.len().saturating_sub(MOST);
        let more = if hidden > 0 { format!(" and {hidden} more") } else { String::new() };
        if !mailbox.messages.is_empty() {
            entries.push(format!("mailbox of {}: {messages}{more}", name(record, *task)));
        }
    }
    let mut rows = vec![heading("state before it")];
    rows.extend(entries.iter().take(MOST).map(|what| entry(what)));
    match entries.len() {
        0 => rows.push(faint("no lock is held, and no value or message is known from the steps before")),
        n if n > MOST => rows.push(faint(&format!("and {} more", n - MOST))),
        _ => {}
    }
    rows
}
