//! Steps whose operation would have other accesses after other steps, and these accesses.
//!
//! The reversals of such a step may contain later steps that do not conflict with it where it happened. It is visited
//! again at the end, if a later step conflicts with the accesses here. An entry that is out of date only costs time.

use super::Path;
use crate::operation::Accesses;

/// A step whose operation would have other accesses elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::strategy::dpor) struct StateDependent {
    /// The step.
    pub at: u32,
    /// All accesses of its operation in the closed subsets that were visited.
    pub accesses: Accesses,
    /// How many steps there were then.
    pub seen: u32,
}

impl Path {
    /// The operation of the last step may also have these accesses.
    pub fn note_state_dependent(&mut self, accesses: Accesses) {
        let at = self.events.len() - 1;
        self.events[at].state_dependent = true;
        self.state_dependent.push(StateDependent { at: at as u32, accesses, seen: at as u32 + 1 });
    }
    /// Keeps the first `depth` steps.
    #[cold]
    pub(super) fn forget_state_dependent(&mut self, depth: usize) {
        while self.state_dependent.pop_if(|w| w.at as usize >= depth).is_some() {}
        for step in self.state_dependent.iter_mut().filter(|w| w.seen as usize > depth) {
            // The visit may have depended on steps that are removed now.
            step.seen = step.at + 1;
        }
    }
    /// The next state-dependent step to visit again: a later one that does not depend on it conflicts with its accesses
    /// elsewhere.
    pub fn next_to_revisit(&self, from: usize) -> Option<usize> {
        let is_new = |w: &StateDependent, at: usize| {
            self.events[at].accesses.conflict(w.accesses) && !self.is_after(at, w.at as usize)
        };
        let mut steps = self.state_dependent.iter().enumerate().skip(from);
        steps.find(|(_, w)| (w.seen as usize..self.len()).any(|at| is_new(w, at))).map(|(number, _)| number)
    }
}
