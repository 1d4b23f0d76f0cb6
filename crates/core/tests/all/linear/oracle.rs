//! The oracle: all permutations of the operations, and the definitions as they are written. It shares the model with the
//! judge, and nothing else.

use super::model::{History, Objects, Operation, State};
use raddle_core::linear::{Criterion, Outcome};

/// Whether `a` must come before `b`.
fn precedes(history: &History, criterion: Criterion, a: usize, b: usize) -> bool {
    let all = history.operations();
    let Outcome::Responded { at: responded, .. } = all[a].outcome else { return false };
    let ends = |operation: &Operation| match operation.outcome {
        Outcome::Responded { at, .. } => at,
        Outcome::Blocked | Outcome::CutOff => u64::MAX,
    };
    match criterion {
        Criterion::Linearizable => responded < all[b].invoked,
        Criterion::SequentiallyConsistent => all[a].task == all[b].task && all[a].invoked < all[b].invoked,
        Criterion::Serialisable => false,
        Criterion::QuiescentlyConsistent => (responded..all[b].invoked)
            .any(|point| all.iter().all(|other| ends(other) <= point || point < other.invoked)),
    }
}

/// Whether an order respects the criterion.
pub fn respects(history: &History, criterion: Criterion, order: &[usize]) -> bool {
    let is_wrong = |at: usize, later: usize| precedes(history, criterion, order[later], order[at]);
    (0..order.len()).all(|at| (at + 1..order.len()).all(|later| !is_wrong(at, later)))
}

/// How many operations of the order the model explains, and the states that they may lead to.
pub fn explains(history: &History, order: &[usize]) -> (usize, Vec<State>) {
    let mut states = vec![State::new()];
    for (placed, at) in order.iter().enumerate() {
        let operation = &history.operations()[*at];
        let mut next = Vec::new();
        for state in &states {
            for (after, answer) in Objects::outcomes(state, operation.command) {
                match &operation.outcome {
                    Outcome::Responded { response, .. } if *response != answer => {}
                    Outcome::Responded { .. } | Outcome::CutOff => next.push(after),
                    Outcome::Blocked => {}
                }
            }
        }
        if next.is_empty() {
            return (placed, states);
        }
        states = next;
    }
    (order.len(), states)
}

/// Whether a state completes none of the blocked operations among these.
pub fn blocks(history: &History, among: &[usize], state: &State) -> bool {
    let all = among.iter().map(|at| &history.operations()[*at]);
    let mut blocked = all.filter(|operation| operation.outcome == Outcome::Blocked);
    blocked.all(|operation| Objects::outcomes(state, operation.command).is_empty())
}

/// Whether these operations are explained, and the most operations with a response in an explained prefix.
pub fn oracle(history: &History, criterion: Criterion, among: &[usize]) -> (bool, usize) {
    let is = |at: &usize, outcome| history.operations()[*at].outcome == outcome;
    let cut_off: Vec<usize> = among.iter().copied().filter(|at| is(at, Outcome::CutOff)).collect();
    let has_responded = |at: &usize| !is(at, Outcome::CutOff) && !is(at, Outcome::Blocked);
    let (mut is_explained, mut longest) = (false, 0);
    for effective in 0..1usize << cut_off.len() {
        let mut order: Vec<usize> = among.iter().copied().filter(has_responded).collect();
        order.extend((0..cut_off.len()).filter(|bit| effective & (1 << bit) != 0).map(|bit| cut_off[bit]));
        permutations(&mut order, 0, &mut |order| {
            if respects(history, criterion, order) {
                let (len, states) = explains(history, order);
                longest = longest.max(order[..len].iter().filter(|at| has_responded(at)).count());
                is_explained |=
                    len == order.len() && states.iter().any(|state| blocks(history, among, state));
            }
        });
    }
    (is_explained, longest)
}

fn permutations(order: &mut [usize], fixed: usize, look: &mut impl FnMut(&[usize])) {
    if fixed == order.len() {
        return look(order);
    }
    for at in fixed..order.len() {
        order.swap(fixed, at);
        permutations(order, fixed + 1, look);
        order.swap(fixed, at);
    }
}
