//! Operations without a response, panics, limits, and models that contradict themselves.

use super::model::{Judged, Objects, Operation, Verb, judged, on};
use raddle_core::linear::Criterion::Linearizable;
use raddle_core::linear::{Criterion, History, Model, Need, Outcome, Remaining, Response, Verdict, judge};
use std::cell::Cell;

fn call(task: &str, verb: Verb, from: u64, to: u64, value: Option<u8>) -> Operation {
    Operation::returned(task, on(verb), from, value, to)
}

fn is_explained(operations: &[Operation]) -> bool {
    let says = Criterion::ALL.map(|(criterion, _)| judged(operations, criterion).verdict);
    let explained = says.map(|verdict| matches!(verdict, Verdict::Explained { .. }));
    assert!(explained.iter().all(|says| *says == explained[0]), "{explained:?}");
    explained[0]
}

#[test]
fn a_blocked_operation_passes_if_the_model_blocks_too() {
    let waits = Operation::pending("b", on(Verb::Dequeue), 1, Outcome::Blocked);
    let puts = call("a", Verb::Enqueue(1), 0, 2, None);
    let takes = call("c", Verb::Dequeue, 3, 4, Some(1));
    assert!(is_explained(std::slice::from_ref(&waits)));
    assert!(is_explained(&[puts.clone(), takes, waits.clone()]));
    // A lost wake-up.
    let operations = [puts, waits];
    assert!(!is_explained(&operations));
    let Verdict::NotExplained { prefix, remaining, .. } = judged(&operations, Linearizable).verdict else {
        panic!("it is explained")
    };
    assert_eq!(prefix, [0]);
    assert_eq!(remaining, [Remaining { operation: 1, needs: Need::Blocking }]);
}

#[test]
fn an_operation_that_was_cut_off_may_have_taken_effect() {
    let cut_off = Operation::pending("a", on(Verb::Write(1)), 0, Outcome::CutOff);
    let old = call("b", Verb::Read, 1, 2, Some(0));
    let new = |from| call("b", Verb::Read, from, from + 1, Some(1));
    let order = |operations: &[Operation]| match judged(operations, Linearizable).verdict {
        Verdict::Explained { order } => order,
        other => panic!("{other:?}"),
    };
    assert_eq!(order(&[cut_off.clone(), old.clone()]), [1]);
    assert_eq!(order(&[cut_off.clone(), new(1)]), [0, 1]);
    assert_eq!(order(&[cut_off.clone(), old.clone(), new(3)]), [1, 0, 2]);
    // Not before it was invoked, and not twice.
    let early = call("b", Verb::Read, 1, 2, Some(1));
    let late = Operation::pending("a", on(Verb::Write(1)), 3, Outcome::CutOff);
    assert!(matches!(judged(&[early, late], Linearizable).verdict, Verdict::NotExplained { .. }));
    let back = call("b", Verb::Read, 5, 6, Some(0));
    assert!(matches!(judged(&[cut_off, new(3), back], Linearizable).verdict, Verdict::NotExplained { .. }));
}

/// Which element was picked is not known: any may be left.
#[test]
fn an_operation_that_was_cut_off_may_have_several_effects() {
    let bag = |left: [u8; 2]| {
        vec![
            call("a", Verb::Add(1), 0, 1, None),
            call("a", Verb::Add(2), 2, 3, None),
            call("a", Verb::Add(3), 4, 5, None),
            Operation::pending("b", on(Verb::Pick), 6, Outcome::CutOff),
            call("a", Verb::Pick, 7, 8, Some(left[0])),
            call("a", Verb::Pick, 9, 10, Some(left[1])),
            Operation::pending("c", on(Verb::Pick), 11, Outcome::Blocked),
        ]
    };
    for left in [[1, 2], [2, 3], [1, 3]] {
        assert!(is_explained(&bag(left)), "{left:?}");
    }
    assert!(!is_explained(&bag([2, 2])));
}

#[test]
fn a_panic_is_a_response() {
    let front = |message: &str, from, to| {
        let response = Response::Panicked(message.to_owned());
        let outcome = Outcome::Responded { response, at: to };
        Operation { task: "b".to_owned(), command: on(Verb::Front), invoked: from, outcome }
    };
    let puts = call("a", Verb::Enqueue(1), 1, 2, None);
    assert!(is_explained(&[puts.clone(), front("it is empty", 0, 3)]));
    assert!(!is_explained(&[puts.clone(), front("index out of bounds", 0, 3)]));
    let late = judged(&[puts, front("it is empty", 3, 4)], Linearizable).verdict;
    let Verdict::NotExplained { remaining, .. } = late else { panic!("{late:?}") };
    assert_eq!(remaining[0].needs, Need::Model(vec![Response::Returned(Some(1))]));
}

#[test]
fn a_search_gives_up_at_its_limit() {
    let mut operations: Vec<Operation> =
        (0..8).map(|task| call(&format!("{task}"), Verb::Increment, 0, 9, Some(task))).collect();
    operations[7] = call("7", Verb::Increment, 0, 9, Some(6));
    let history = History::new(operations.clone()).expect("it is well-formed");
    let with = |limit| judge(&Objects { by_key: false }, &history, Linearizable, limit);
    let Judged { verdict, visited } = with(u64::MAX);
    // One way to each number: 0 to 5, and then either of two.
    assert!(matches!(verdict, Verdict::NotExplained { .. }), "{verdict:?}");
    assert_eq!(visited, 9);
    assert_eq!(with(9).verdict, verdict);
    assert_eq!(with(8), Judged { verdict: Verdict::GaveUp { limit: 8 }, visited: 8 });
    assert_eq!(with(0), Judged { verdict: Verdict::GaveUp { limit: 0 }, visited: 0 });
}

#[test]
fn a_history_without_operations_is_explained() {
    for (criterion, name) in Criterion::ALL {
        assert_eq!(judged(&[], criterion).verdict, Verdict::Explained { order: vec![] }, "{name}");
    }
}

/// Accepts each response every second time that it is asked, or has a key for each task although all share a counter.
struct Wrong {
    answers: Option<Cell<u64>>,
}

impl Model for Wrong {
    type State = u64;
    type Command = u8;
    type Response = u64;
    type Need = u64;
    type Key = u8;

    fn initial(&self) -> u64 {
        0
    }
    fn next(&self, state: &u64, _: &u8, response: &Response<u64>) -> Result<u64, u64> {
        if let Some(answers) = &self.answers {
            answers.set(answers.get() + 1);
            return if answers.get() % 2 == 1 { Ok(state + 1) } else { Err(*state) };
        }
        if *response == Response::Returned(*state) { Ok(state + 1) } else { Err(*state) }
    }
    fn effects(&self, state: &u64, _: &u8) -> Vec<u64> {
        vec![state + 1]
    }
    fn key(&self, command: &u8) -> Option<u8> {
        Some(*command)
    }
}

#[test]
fn a_model_that_contradicts_itself_is_told_so() {
    let call = |key: u8, at, value| linear_call(&format!("{key}"), key, at, value);
    let twice = History::new(vec![call(0, 0, 0), call(1, 2, 0)]).expect("it is well-formed");
    let dependent = judge(&Wrong { answers: None }, &twice, Linearizable, 100).verdict;
    assert_eq!(dependent, Verdict::ModelContradictsItself { order: vec![0, 1], operation: 1 });
    let once = History::new(vec![call(0, 0, 0)]).expect("it is well-formed");
    let answers = Some(Cell::new(0));
    let first = judge(&Wrong { answers }, &once, Linearizable, 100).verdict;
    assert_eq!(first, Verdict::ModelContradictsItself { order: vec![0], operation: 0 });
    let answers = Some(Cell::new(1));
    let second = judge(&Wrong { answers }, &once, Linearizable, 100).verdict;
    let Verdict::NotExplained { remaining, .. } = second else { panic!("{second:?}") };
    assert_eq!(remaining, [Remaining { operation: 0, needs: Need::SameAnswer }]);
}

fn linear_call(task: &str, key: u8, at: u64, value: u64) -> raddle_core::linear::Operation<u8, u64> {
    raddle_core::linear::Operation::returned(task, key, at, value, at + 1)
}
