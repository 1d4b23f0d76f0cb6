//! What a judgement costs, in pairs of operations done and state.

use super::model::{Command, History, Judged, Objects, Operation, Verb};
use raddle_core::linear::{Criterion, Outcome, Response, Verdict, judge};
use raddle_core::random::Rng;

const PROGRAM_ORDER: Criterion = Criterion::SequentiallyConsistent;

/// Three branches of eight commands.
fn branches(mut command: impl FnMut(u64, u64) -> (Command, Option<u8>)) -> Vec<Operation> {
    let mut operations = Vec::new();
    for branch in 0..3 {
        for number in 0..8 {
            let (command, value) = command(branch, number);
            // The operations of a round overlap with each other and with those of the next round.
            let from = 6 * number + branch;
            operations.push(Operation::returned(&format!("main.{branch}"), command, from, value, from + 5));
        }
    }
    operations
}

fn visits(operations: &[Operation], criterion: Criterion, by_key: bool) -> Judged {
    let history = History::new(operations.to_vec()).expect("it is well-formed");
    judge(&Objects { by_key }, &history, criterion, 100_000)
}

/// Writes that return nothing fit in each order of the branches, and a last read fits none: all pairs are visited. Each
/// branch goes through the keys in turn, from the same key or each from one of its own.
#[test]
fn three_branches_of_eight_operations_on_a_map_visit_at_most_100_000_pairs() {
    let mut all = Vec::new();
    for (keys, shift) in [(1, 0), (2, 0), (2, 1), (4, 0), (4, 1), (8, 0), (8, 1), (8, 3)] {
        let mut operations = branches(|branch, number| {
            let key = ((number + shift * branch) % keys) as u8;
            (Command { key, verb: Verb::Write(1 + branch as u8) }, None)
        });
        let last = operations.last_mut().expect("it is there");
        last.command.verb = Verb::Read;
        last.outcome = Outcome::Responded { response: Response::Returned(Some(9)), at: 60 };
        let visited =
            [(Criterion::Linearizable, true), (Criterion::Linearizable, false), (PROGRAM_ORDER, false)];
        let visited = visited.map(|(criterion, by_key)| {
            let Judged { verdict, visited } = visits(&operations, criterion, by_key);
            assert!(
                matches!(verdict, Verdict::NotExplained { .. }),
                "{keys} keys, {criterion:?}: {verdict:?}"
            );
            visited
        });
        all.push((keys, shift, visited));
    }
    // Keys, shift, and pairs: linearizable by key, linearizable as a whole, sequentially consistent.
    let expected = [
        (1, 0, [173, 173, 1_720]),
        (2, 0, [54, 318, 3_579]),
        (2, 1, [45, 244, 3_581]),
        (4, 0, [38, 2_100, 11_874]),
        (4, 1, [19, 596, 11_798]),
        (8, 0, [33, 33_888, 86_376]),
        (8, 1, [9, 3_044, 59_252]),
        (8, 3, [23, 88, 29_177]),
    ];
    assert_eq!(all, expected);
    assert!(all.iter().all(|(.., visited)| visited.iter().all(|visited| *visited <= 100_000)));
}

/// Random commands on a map with the responses of some order of the branches, one of them changed.
#[test]
fn random_branches_on_a_map_visit_at_most_100_000_pairs() {
    let mut most = [0; 2];
    for number in 0..200 {
        let mut rng = Rng::new(24, number);
        let mut operations = branches(|_, _| {
            let verb = [Verb::Put(1), Verb::Put(2), Verb::Put(3), Verb::Get][rng.below(4) as usize];
            (Command { key: rng.below(4) as u8, verb }, None)
        });
        let mut state = super::model::State::new();
        let mut next = [0, 8, 16];
        while let Some(branch) = {
            let open: Vec<usize> = (0..3).filter(|branch| next[*branch] < 8 * (branch + 1)).collect();
            (!open.is_empty()).then(|| open[rng.below(open.len() as u32) as usize])
        } {
            let operation = &mut operations[next[branch]];
            next[branch] += 1;
            let (after, answer) = Objects::outcomes(&state, operation.command).swap_remove(0);
            state = after;
            let at = operation.responded().expect("it has responded");
            operation.outcome = Outcome::Responded { response: answer, at };
        }
        if number % 2 == 0 {
            let changed = &mut operations[rng.below(24) as usize];
            let at = changed.responded().expect("it has responded");
            changed.outcome = Outcome::Responded { response: Response::Returned(Some(7)), at };
        }
        for (criterion, most) in [Criterion::Linearizable, PROGRAM_ORDER].into_iter().zip(&mut most) {
            let Judged { verdict, visited } = visits(&operations, criterion, false);
            assert!(!matches!(verdict, Verdict::GaveUp { .. }), "{number}: {visited}");
            if criterion == PROGRAM_ORDER {
                assert_eq!(matches!(verdict, Verdict::Explained { .. }), number % 2 == 1, "{number}");
            }
            *most = visited.max(*most);
        }
    }
    println!("at most {most:?} pairs, linearizable and sequentially consistent");
}

/// With little overlap the cost is one pair for each operation, four if there is no order; and the sets in the memo stay short. Reads have one
/// state, so that only these sets tell the pairs apart.
#[test]
fn a_long_history_visits_a_pair_for_each_operation() {
    for (verb, value) in [(Verb::Read, Some(0)), (Verb::CompareSwap(0, 0), Some(1)), (Verb::Write(1), None)] {
        let mut operations = Vec::new();
        for round in 0..500 {
            for task in 0..3 {
                let command = Command { key: 0, verb };
                let from = 6 * round + task;
                operations.push(Operation::returned(&format!("main.{task}"), command, from, value, from + 5));
            }
        }
        for criterion in [Criterion::Linearizable, PROGRAM_ORDER] {
            let Judged { verdict, visited } = visits(&operations, criterion, false);
            let Verdict::Explained { order } = verdict else { panic!("{verb:?}: {verdict:?}") };
            assert_eq!((order.len(), visited), (1_500, 1_501), "{verb:?}");
        }
        let last = operations.last_mut().expect("it is there");
        last.outcome = Outcome::Responded { response: Response::Returned(Some(9)), at: last.invoked + 5 };
        let Judged { verdict, visited } = visits(&operations, Criterion::Linearizable, false);
        let Verdict::NotExplained { prefix, remaining, .. } = verdict else {
            panic!("{verb:?}: {verdict:?}")
        };
        assert_eq!((prefix.len(), remaining.len()), (1_499, 1), "{verb:?}");
        assert_eq!(visited, 5_992, "{verb:?}");
    }
}
