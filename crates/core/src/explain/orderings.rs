//! Orderings of conflicting steps that all failing executions have and none that passes.

use crate::record::{ExecutionRecord, Line};
use crate::verdict::Precedence;
use std::cmp::Ordering;
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
        let (task, (operation, place)) = (record.tasks[line.task].name.as_str(), described(line));
        let time = times.entry((task, operation, place)).or_insert(0);
        places.insert((task, operation, place, *time), at);
        *time += 1;
    }
    places
}

/// An operation with its place, whatever the task.
pub(super) type What<'a> = (&'a str, Option<(&'a str, u32)>);

pub(super) fn described(line: &Line) -> What<'_> {
    let place = line.place.as_ref().map(|place| (place.file.as_str(), place.line));
    (without_terms(&line.operation), place)
}

/// An operation of Erlang without the terms in it: what is sent or returned may be the consequence of what went wrong.
fn without_terms(operation: &str) -> &str {
    if operation.contains(" ! ") {
        return "!";
    }
    operation.split(['(', '{', '[', '#', '<']).next().unwrap_or_default().trim_end()
}

/// One or two orderings of conflicting steps of `record` that all failing executions have and none that passes, where the
/// steps come in the other order at least once: one, if that is enough, and else a step between two others if there is such a
/// pair. Empty if there are none, or nothing to compare.
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
    // By execution: the order of each pair, where both steps occur.
    let orders = |records: &[&'_ ExecutionRecord]| -> Vec<Vec<Option<Ordering>>> {
        let of = |record: &ExecutionRecord| {
            let places = events(record);
            let at = |line: usize| event_at.get(&line).and_then(|event| places.get(event));
            let order = |edge: &Precedence| Some(at(edge.before)?.cmp(at(edge.after)?));
            edges.iter().map(order).collect()
        };
        records.iter().map(|record| of(record)).collect()
    };
    let (failing, passing) = (orders(failing), orders(passing));
    let has = |orders: &[Option<Ordering>], n: usize| orders[n] == Some(Ordering::Less);
    let always: Vec<usize> =
        (0..edges.len()).filter(|n| failing.iter().all(|orders| has(orders, *n))).collect();
    // A step that does not occur where the program passes is what went wrong, and not why.
    let is_reversed = |n: &usize| passing.iter().any(|orders| orders[*n] == Some(Ordering::Greater));
    let reversed: Vec<usize> = always.into_iter().filter(is_reversed).collect();
    telling(record, &edges, &reversed, &passing, has).unwrap_or_default()
}

/// One or two orderings among these that no execution that passes has.
fn telling(
    record: &ExecutionRecord,
    edges: &[Precedence],
    among: &[usize],
    passing: &[Vec<Option<Ordering>>],
    has: impl Fn(&[Option<Ordering>], usize) -> bool,
) -> Option<Vec<Precedence>> {
    if let Some(one) = among.iter().find(|n| !passing.iter().any(|orders| has(orders, **n))) {
        return Some(vec![edges[*one]]);
    }
    let pairs = || {
        among.iter().enumerate().flat_map(|(n, one)| among[n + 1..].iter().map(move |other| (*one, *other)))
    };
    let tells = |(one, other): &(usize, usize)| {
        !passing.iter().any(|orders| has(orders, *one) && has(orders, *other))
    };
    let is_between = |(one, other): &(usize, usize)| edges[*one].between(edges[*other], record).is_some();
    let found = pairs().find(|pair| tells(pair) && is_between(pair)).or_else(|| pairs().find(tells));
    found.map(|(one, other)| vec![edges[one], edges[other]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_known_without_its_terms() {
        for (operation, known) in [
            ("fetch_add", "fetch_add"),
            ("drop receiver", "drop receiver"),
            ("erlang:send(P.1, {a,1}, [noconnect])", "erlang:send"),
            ("#Ref<P.1> ! {[alias|#Ref<P.1>],10}", "!"),
            ("delivers message {'$gen_call',{P,x},balance}", "delivers message"),
        ] {
            assert_eq!(without_terms(operation), known);
        }
    }
}
