//! Orderings of conflicting steps that all failing executions have and none that passes.

use crate::record::{ExecutionRecord, Line};
use crate::verdict::Precedence;
use std::collections::HashMap;

/// More orderings of one execution are not looked at.
const MOST: usize = 60;

/// A step, wherever it comes in an execution: the task, the operation, where, and the number among the same ones.
type Event<'a> = (&'a str, &'a str, Option<(&'a str, u32)>, usize);

/// Where each event of an execution is.
fn events(record: &ExecutionRecord) -> HashMap<Event<'_>, usize> {
    let mut times = HashMap::new();
    let mut places = HashMap::new();
    for (at, line) in record.lines.iter().enumerate().filter(|(_, line)| line.step.is_some()) {
        let (task, operation, place) = described(record, line);
        let time = times.entry((task, operation, place)).or_insert(0);
        places.insert((task, operation, place, *time), at);
        *time += 1;
    }
    places
}

fn described<'a>(record: &'a ExecutionRecord, line: &'a Line) -> (&'a str, &'a str, Option<(&'a str, u32)>) {
    let place = line.place.as_ref().map(|place| (place.file.as_str(), place.line));
    (&record.tasks[line.task].name, &line.operation, place)
}

/// One or two orderings of conflicting steps of `record` that all failing executions have and none that passes: one, if that
/// is enough, and else a step between two others if there is such a pair. Empty if there are none, or nothing to compare.
pub(super) fn orderings(
    record: &ExecutionRecord,
    failing: &[&ExecutionRecord],
    passing: &[&ExecutionRecord],
) -> Vec<Precedence> {
    if passing.is_empty() {
        return Vec::new();
    }
    let event_at: HashMap<usize, Event<'_>> =
        events(record).into_iter().map(|(event, at)| (at, event)).collect();
    let edges =
        record.lines.iter().enumerate().flat_map(|(after, line)| {
            line.after.iter().map(move |before| Precedence { before: *before, after })
        });
    let edges: Vec<Precedence> =
        edges.filter(|e| record.lines[e.before].task != record.lines[e.after].task).take(MOST).collect();
    let places = |records: &[&'_ ExecutionRecord]| -> Vec<Vec<bool>> {
        // By execution: which of the orderings it has.
        let has = |record: &ExecutionRecord| {
            let places = events(record);
            let at = |line: usize| event_at.get(&line).and_then(|event| places.get(event));
            edges
                .iter()
                .map(|edge| matches!((at(edge.before), at(edge.after)), (Some(a), Some(b)) if a < b))
                .collect()
        };
        records.iter().map(|record| has(record)).collect()
    };
    let (failing, passing) = (places(failing), places(passing));
    let always: Vec<usize> = (0..edges.len()).filter(|n| failing.iter().all(|has| has[*n])).collect();
    if let Some(one) = always.iter().find(|n| !passing.iter().any(|has| has[**n])) {
        return vec![edges[*one]];
    }
    let pairs = || {
        always.iter().enumerate().flat_map(|(n, one)| always[n + 1..].iter().map(move |other| (*one, *other)))
    };
    let tells = |(one, other): &(usize, usize)| !passing.iter().any(|has| has[*one] && has[*other]);
    let is_between = |(one, other): &(usize, usize)| is_between(record, edges[*one], edges[*other]);
    let found = pairs().find(|pair| tells(pair) && is_between(pair)).or_else(|| pairs().find(tells));
    found.map(|(one, other)| vec![edges[one], edges[other]]).unwrap_or_default()
}

/// Whether two orderings say that one step comes between two of another task.
fn is_between(record: &ExecutionRecord, one: Precedence, other: Precedence) -> bool {
    let task = |line: usize| record.lines[line].task;
    one.after == other.before && task(one.before) == task(other.after)
        || other.after == one.before && task(other.before) == task(one.after)
}
