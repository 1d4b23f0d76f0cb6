//! The judge and the oracle agree about random histories.

use super::model::{Answer, Command, History, Judged, Objects, Operation, State, Verb};
use super::oracle::{blocks, explains, oracle, respects};
use raddle_core::linear::{Criterion, Need, Outcome, Response, Verdict, judge};
use raddle_core::random::Rng;

const KINDS: [(&str, &[Verb]); 5] = [
    ("register", &[Verb::Write(1), Verb::Write(2), Verb::Read, Verb::Read, Verb::CompareSwap(1, 2)]),
    ("counter", &[Verb::Increment, Verb::Increment, Verb::Read]),
    ("queue", &[Verb::Enqueue(1), Verb::Enqueue(2), Verb::Dequeue, Verb::Dequeue, Verb::Front]),
    ("map", &[Verb::Put(1), Verb::Put(2), Verb::Get, Verb::Take]),
    ("bag", &[Verb::Add(1), Verb::Add(2), Verb::Pick]),
];

/// Up to `most` operations of up to three tasks on up to two objects. The last one of a task may be pending. Responses are
/// those of an order that real time allows, that program order allows, or of any; a few are changed.
fn history(rng: &mut Rng, verbs: &[Verb], most: u32) -> History {
    let mut below = |n: u32| rng.below(n);
    let (tasks, keys) = (2 + below(2), 1 + below(2));
    let mut left = 2 + below(most - 1);
    let mut operations: Vec<Operation> = Vec::new();
    let mut open: Vec<Option<usize>> = vec![None; tasks as usize];
    let mut free_from = vec![0; tasks as usize];
    let mut position = 0;
    while left > 0 || open.iter().any(Option::is_some) {
        let task = below(tasks) as usize;
        position += below(4).min(1) as u64;
        match open[task].take() {
            Some(at) => {
                operations[at].outcome =
                    Outcome::Responded { response: Response::Returned(None), at: position };
                free_from[task] = position + 1;
            }
            None if left > 0 => {
                left -= 1;
                position = position.max(free_from[task]);
                let verb = verbs[below(verbs.len() as u32) as usize];
                let command = Command { key: below(keys) as u8, verb };
                open[task] = Some(operations.len());
                operations.push(Operation::pending(
                    &format!("main.{task}"),
                    command,
                    position,
                    Outcome::CutOff,
                ));
            }
            None => {}
        }
    }
    for task in 0..tasks {
        let name = format!("main.{task}");
        if below(4) == 0
            && let Some(last) = operations.iter_mut().rfind(|operation| operation.task == name)
        {
            last.outcome = if below(2) == 0 { Outcome::Blocked } else { Outcome::CutOff };
        }
    }
    answer(&mut operations, &mut below);
    History::new(operations).expect("it is well-formed")
}

fn answer(operations: &mut [Operation], below: &mut impl FnMut(u32) -> u32) {
    let mut order: Vec<(u64, usize)> = (0..operations.len())
        .filter(|at| match operations[*at].outcome {
            Outcome::Responded { .. } => true,
            Outcome::CutOff => below(2) == 0,
            Outcome::Blocked => false,
        })
        .map(|at| (0, at))
        .collect();
    let is_real_time = below(2) == 0;
    for (when, at) in &mut order {
        let (from, to) = match is_real_time {
            true => (operations[*at].invoked, operations[*at].responded().unwrap_or(u64::MAX)),
            false => (0, 100),
        };
        *when = from + below((to - from).min(100) as u32 + 1) as u64;
    }
    order.sort_unstable();
    let mut state = State::new();
    for (_, at) in order {
        let mut outcomes = Objects::outcomes(&state, operations[at].command);
        let answer = match outcomes.len() as u32 {
            0 => None,
            several => Some(outcomes.swap_remove(below(several) as usize)),
        };
        let response = match answer {
            Some((after, answer)) if below(8) != 0 => {
                state = after;
                answer
            }
            _ if below(6) == 0 => Response::Panicked("it is empty".to_owned()),
            _ => Response::Returned([None, Some(0), Some(1), Some(2)][below(4) as usize]),
        };
        if let Outcome::Responded { response: answered, .. } = &mut operations[at].outcome {
            *answered = response;
        }
    }
}

/// Whether the judgement is right, and what it says.
fn check(history: &History, criterion: Criterion, by_key: bool) -> bool {
    let Judged { verdict, visited } = judge(&Objects { by_key }, history, criterion, u64::MAX);
    let all: Vec<usize> = (0..history.operations().len()).collect();
    let has_responded = |at: &usize| history.operations()[*at].responded().is_some();
    assert!(visited > 0);
    match verdict {
        Verdict::Explained { order } => {
            assert!(oracle(history, criterion, &all).0, "no permutation explains it");
            assert!(respects(history, criterion, &order), "{order:?}");
            let (len, states) = explains(history, &order);
            assert_eq!(len, order.len(), "{order:?}");
            assert!(states.iter().any(|state| blocks(history, &all, state)), "{order:?}");
            assert!(all.iter().all(|at| order.contains(at) || !has_responded(at)), "{order:?}");
            true
        }
        Verdict::NotExplained { key, prefix, remaining } => {
            let of_key = |at: &usize| key.is_none_or(|key| history.operations()[*at].command.key == key);
            let among: Vec<usize> = all.iter().copied().filter(of_key).collect();
            let (is_explained, longest) = oracle(history, criterion, &among);
            assert!(!is_explained && !oracle(history, criterion, &all).0, "a permutation explains it");
            assert_eq!(prefix.iter().filter(|at| has_responded(at)).count(), longest, "{prefix:?}");
            let (len, states) = explains(history, &prefix);
            assert!(len == prefix.len() && prefix.iter().all(of_key), "{prefix:?}");
            let open: Vec<usize> =
                among.iter().copied().filter(|at| has_responded(at) && !prefix.contains(at)).collect();
            let comes_first =
                |at: usize, others: &[usize]| others.iter().all(|o| respects(history, criterion, &[at, *o]));
            assert!(respects(history, criterion, &prefix), "{prefix:?}");
            assert!(prefix.iter().all(|at| comes_first(*at, &open)), "{prefix:?}");
            if open.is_empty() {
                let completes = |at| states.iter().any(|state| !blocks(history, &[at], state));
                assert!(!remaining.is_empty());
                assert!(remaining.iter().all(|r| r.needs == Need::Blocking && completes(r.operation)));
                return false;
            }
            let mut named: Vec<usize> = remaining.iter().map(|r| r.operation).collect();
            named.sort_unstable();
            assert_eq!(named, open);
            for r in &remaining {
                match &r.needs {
                    Need::Model(answers) => {
                        let operation = &history.operations()[r.operation];
                        let fits = |answer: &Answer| match &operation.outcome {
                            Outcome::Responded { response, .. } => response == answer,
                            Outcome::Blocked | Outcome::CutOff => panic!("{} has no response", r.operation),
                        };
                        assert!(comes_first(r.operation, &open) && !answers.iter().any(fits), "{r:?}");
                        let expected =
                            |state| Objects::outcomes(state, operation.command).into_iter().map(|o| o.1);
                        assert!(
                            states.iter().any(|state| expected(state).eq(answers.iter().cloned())),
                            "{r:?}"
                        );
                    }
                    Need::Predecessors(before) => {
                        assert!(!before.is_empty());
                        let wrong = |at: &usize| !respects(history, criterion, &[r.operation, *at]);
                        assert!(before.iter().all(|at| open.contains(at) && wrong(at)), "{r:?}");
                    }
                    other => panic!("{other:?}"),
                }
            }
            false
        }
        other => panic!("{other:?}"),
    }
}

/// `RADDLE_ORACLE` histories of each kind, of `RADDLE_ORACLE_SIZE` operations, from `RADDLE_ORACLE_SEED`.
#[test]
fn the_judge_and_all_permutations_agree() {
    let asked = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let histories = asked("RADDLE_ORACLE").unwrap_or(200);
    let seed = asked("RADDLE_ORACLE_SEED").unwrap_or(24);
    let most = asked("RADDLE_ORACLE_SIZE").unwrap_or(6) as u32;
    for (stream, (kind, verbs)) in KINDS.into_iter().enumerate() {
        let mut explained = [0; 4];
        for number in 0..histories {
            let mut rng = Rng::new(seed.wrapping_add(stream as u64), number);
            let history = history(&mut rng, verbs, most);
            let says = Criterion::ALL.map(|(criterion, name)| {
                let says = [true, false].map(|by_key| {
                    let checked = std::panic::catch_unwind(|| check(&history, criterion, by_key));
                    checked
                        .unwrap_or_else(|_| panic!("{kind} {number}, {name}, by key {by_key}: {history:#?}"))
                });
                assert_eq!(says[0], says[1], "{kind} {number}, {name}: {history:#?}");
                says[0]
            });
            let [linearizable, sequential, serialisable, quiescent] = says;
            assert!(!linearizable || sequential && quiescent, "{history:#?}");
            assert!(serialisable || !sequential && !quiescent, "{history:#?}");
            explained.iter_mut().zip(says).for_each(|(count, says)| *count += says as u64);
        }
        println!("{kind}: of {histories}, explained {explained:?}");
        let [linearizable, sequential, serialisable, quiescent] = explained;
        assert!(0 < linearizable && serialisable < histories, "{kind}: {explained:?}");
        assert!(linearizable < sequential.min(quiescent), "{kind}: {explained:?}");
        assert!(sequential.max(quiescent) < serialisable, "{kind}: {explained:?}");
    }
}
