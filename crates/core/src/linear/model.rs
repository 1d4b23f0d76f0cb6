//! The sequential specification: what an operation does when it runs alone.
//!
//! Invariant: a model is deterministic once the response is known; equal states accept equal responses. The form is that of
//! `postcondition` and `next_state` in QuickCheck (Claessen et al. 2009, section 3).

use super::Response;
use std::hash::Hash;

/// A sequential specification.
pub trait Model {
    /// The state between two operations.
    type State: Clone + Eq + Hash;
    /// An operation with its arguments.
    type Command;
    /// What it returns.
    type Response;
    /// What an operation would have needed in order to fit: the response that was expected, or a condition on the state.
    type Need;
    /// What a command accesses, if commands on different keys are independent.
    type Key: Ord + Clone;

    /// The state before the first operation.
    fn initial(&self) -> Self::State;

    /// The state after `command`, if it can complete in `state` with this response.
    ///
    /// # Errors
    /// What it would have needed instead.
    fn next(
        &self,
        state: &Self::State,
        command: &Self::Command,
        response: &Response<Self::Response>,
    ) -> Result<Self::State, Self::Need>;

    /// The states that `command` can lead to from `state`, whatever it responds; none if it cannot complete there.
    fn effects(&self, state: &Self::State, command: &Self::Command) -> Vec<Self::State>;

    /// Whether `command` can complete in `state`.
    fn can_complete(&self, state: &Self::State, command: &Self::Command) -> bool {
        !self.effects(state, command).is_empty()
    }

    /// The key that `command` accesses; `None` if it may access several.
    ///
    /// Commands with different keys must be independent: neither changes which responses of the other are accepted, nor
    /// whether the other can complete, and they commute. One command without a key makes the history a whole.
    fn key(&self, command: &Self::Command) -> Option<Self::Key> {
        let _ = command;
        None
    }
}
