//! Histories of the literature, and which criteria explain them.

use super::model::{Command, Operation, Verb, judged, on};
use raddle_core::linear::Criterion::{
    Linearizable, QuiescentlyConsistent, SequentiallyConsistent, Serialisable,
};
use raddle_core::linear::{Criterion, Need, Remaining, Response, Verdict};

/// A call by a task, from one position to another, on the object under key 0.
fn call(task: &str, verb: Verb, from: u64, to: u64, value: Option<u8>) -> Operation {
    Operation::returned(task, on(verb), from, value, to)
}

/// The criteria that explain these operations.
fn explained_by(operations: &[Operation]) -> Vec<Criterion> {
    let all = Criterion::ALL.into_iter().map(|(criterion, _)| criterion);
    all.filter(|criterion| matches!(judged(operations, *criterion).verdict, Verdict::Explained { .. }))
        .collect()
}

const ALL: [Criterion; 4] = [Linearizable, SequentiallyConsistent, Serialisable, QuiescentlyConsistent];

/// The queues of figure 1 of Herlihy and Wing (1990): two enqueues overlap, and are dequeued in either order.
#[test]
fn overlapping_enqueues_take_effect_in_either_order() {
    let operations = [
        call("a", Verb::Enqueue(1), 0, 3, None),
        call("b", Verb::Enqueue(2), 1, 2, None),
        call("b", Verb::Dequeue, 4, 7, Some(1)),
        call("a", Verb::Dequeue, 5, 6, Some(2)),
        call("a", Verb::Enqueue(3), 8, 9, None),
    ];
    assert_eq!(explained_by(&operations), ALL);
    assert_eq!(
        judged(&operations[..2], Linearizable).verdict,
        Verdict::Explained { order: vec![0, 1] },
        "the first invoked is tried first"
    );
}

/// Enqueued one after the other, dequeued in the other order. Program order does not see it: they are of different tasks.
#[test]
fn a_queue_is_not_linearizable_if_it_dequeues_the_second_first() {
    let operations = [
        call("a", Verb::Enqueue(1), 0, 1, None),
        call("b", Verb::Enqueue(2), 2, 3, None),
        call("b", Verb::Dequeue, 4, 5, Some(2)),
    ];
    assert_eq!(explained_by(&operations), [SequentiallyConsistent, Serialisable]);
    let Verdict::NotExplained { key, prefix, remaining } = judged(&operations, Linearizable).verdict else {
        panic!("it is explained")
    };
    assert_eq!((key, prefix), (Some(0), vec![0, 1]));
    let needs = Need::Model(vec![Response::Returned(Some(1))]);
    assert_eq!(remaining, [Remaining { operation: 2, needs }]);
}

/// A dequeue may overlap with the enqueue of what it returns.
#[test]
fn an_enqueue_takes_effect_before_it_returns() {
    let operations = [call("a", Verb::Enqueue(1), 0, 3, None), call("b", Verb::Dequeue, 1, 2, Some(1))];
    assert_eq!(explained_by(&operations), ALL);
}

/// No criterion explains an element that is dequeued twice.
#[test]
fn an_element_is_dequeued_once() {
    let operations = [
        call("a", Verb::Enqueue(1), 0, 3, None),
        call("b", Verb::Enqueue(2), 1, 2, None),
        call("a", Verb::Dequeue, 4, 7, Some(2)),
        call("b", Verb::Dequeue, 5, 6, Some(2)),
    ];
    assert_eq!(explained_by(&operations), []);
}

/// A write has returned, and another task reads the value before.
#[test]
fn a_stale_read_is_sequentially_consistent_and_not_linearizable() {
    let operations = [call("a", Verb::Write(1), 0, 1, None), call("b", Verb::Read, 2, 3, Some(0))];
    assert_eq!(explained_by(&operations), [SequentiallyConsistent, Serialisable]);
}

/// A task that does not read its own write: only serialisable.
#[test]
fn a_task_reads_its_own_write_under_program_order() {
    let operations = [call("a", Verb::Write(1), 0, 1, None), call("a", Verb::Read, 2, 3, Some(0))];
    assert_eq!(explained_by(&operations), [Serialisable]);
}

/// Each of the two queues is sequentially consistent, and the two together are not (Herlihy and Wing 1990, section 3.3): so
/// the history is not judged key by key, although the model has keys.
#[test]
fn sequential_consistency_is_not_local() {
    let on = |key, verb, task, at, value| Operation::returned(task, Command { key, verb }, at, value, at + 1);
    let operations = [
        on(0, Verb::Enqueue(1), "a", 0, None),
        on(1, Verb::Enqueue(2), "b", 2, None),
        on(1, Verb::Enqueue(1), "a", 4, None),
        on(0, Verb::Enqueue(2), "b", 6, None),
        on(0, Verb::Dequeue, "a", 8, Some(2)),
        on(1, Verb::Dequeue, "b", 10, Some(1)),
    ];
    for key in [0, 1] {
        let of_key: Vec<Operation> = operations.iter().filter(|o| o.command.key == key).cloned().collect();
        assert_eq!(explained_by(&of_key), [SequentiallyConsistent, Serialisable]);
    }
    assert_eq!(explained_by(&operations), [Serialisable]);
    let verdict = judged(&operations, SequentiallyConsistent).verdict;
    assert!(matches!(verdict, Verdict::NotExplained { key: None, .. }), "{verdict:?}");
}

/// The counter of a counting network (Aspnes, Herlihy and Shavit 1994): while a task is on its way, a later call may return
/// less than an earlier one. Between quiescent points all values are returned.
#[test]
fn a_counter_may_be_quiescently_consistent_only() {
    let mut operations = vec![
        call("a", Verb::Increment, 0, 5, Some(2)),
        call("b", Verb::Increment, 1, 2, Some(1)),
        call("b", Verb::Increment, 3, 4, Some(0)),
    ];
    assert_eq!(explained_by(&operations), [Serialisable, QuiescentlyConsistent]);
    // After the quiescent point it goes on from there.
    operations.push(call("a", Verb::Increment, 6, 7, Some(3)));
    assert_eq!(explained_by(&operations), [Serialisable, QuiescentlyConsistent]);
    // And does not go back.
    operations[0] = call("a", Verb::Increment, 0, 5, Some(3));
    operations[3] = call("a", Verb::Increment, 6, 7, Some(2));
    assert_eq!(explained_by(&operations), [Serialisable]);
}

/// A lost update: no order explains two increments that return the same.
#[test]
fn a_lost_update_is_explained_by_no_criterion() {
    let operations = [call("a", Verb::Increment, 0, 2, Some(0)), call("b", Verb::Increment, 1, 3, Some(0))];
    assert_eq!(explained_by(&operations), []);
    let Verdict::NotExplained { prefix, remaining, .. } = judged(&operations, Linearizable).verdict else {
        panic!("it is explained")
    };
    assert_eq!((prefix, remaining.len()), (vec![0], 1));
    assert_eq!(remaining[0].needs, Need::Model(vec![Response::Returned(Some(1))]));
}

/// The second write of 1 changes nothing while the value is 1, and is needed after the swap: it must not be placed at once.
/// (A search that placed such operations without an alternative did not explain this.)
#[test]
fn a_write_of_the_same_value_may_be_needed_later() {
    let operations = [
        call("a", Verb::CompareSwap(1, 2), 0, 3, Some(1)),
        call("a", Verb::Read, 6, 7, Some(1)),
        call("b", Verb::Write(1), 1, 2, None),
        call("b", Verb::Write(1), 4, 5, None),
    ];
    assert_eq!(explained_by(&operations), ALL);
    let early = [call("b", Verb::Write(1), 1, 2, None), call("c", Verb::Write(1), 1, 4, None)];
    let operations = [&operations[..2], &early].concat();
    assert_eq!(explained_by(&operations), ALL);
}
