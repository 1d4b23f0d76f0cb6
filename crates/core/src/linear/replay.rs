//! Whether the model accepts an order when it is asked again, from its first state and with all keys together.
//!
//! Invariant: an order that the judge returns has been replayed. A model that is not deterministic, or whose keys are not
//! independent, may have been accepted by the search and is found here.

use super::{History, Model, Outcome};

/// Replays the order.
///
/// # Errors
/// The first operation that does not fit, or the blocked one that the model completes at the end.
pub(super) fn replay<M: Model>(
    model: &M,
    history: &History<M::Command, M::Response>,
    order: &[usize],
) -> Result<(), usize> {
    let all = history.operations();
    // Several, as soon as an operation without a response may have had several effects.
    let mut states = vec![model.initial()];
    for at in order {
        let command = &all[*at].command;
        let mut next = Vec::new();
        for state in &states {
            let after = match &all[*at].outcome {
                Outcome::Responded { response, .. } => {
                    model.next(state, command, response).into_iter().collect()
                }
                Outcome::CutOff => model.effects(state, command),
                Outcome::Blocked => Vec::new(),
            };
            for state in after {
                if !next.contains(&state) {
                    next.push(state);
                }
            }
        }
        if next.is_empty() {
            return Err(*at);
        }
        states = next;
    }
    let blocked = (0..all.len()).filter(|at| matches!(all[*at].outcome, Outcome::Blocked));
    let mut wrong = None;
    for state in &states {
        wrong = blocked.clone().find(|at| model.can_complete(state, &all[*at].command));
        if wrong.is_none() {
            return Ok(());
        }
    }
    wrong.map_or(Ok(()), Err)
}
