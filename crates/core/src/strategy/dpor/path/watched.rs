//! Steps whose operation would have other accesses after other steps, and what these are.
//!
//! The reversals of such a step may contain steps that come behind it in the execution and do not conflict with it where it
//! happened. It is looked at again at the end, if there are any that conflict with what is watched here. An entry that is
//! not up to date costs time and nothing else.

use super::Path;
use crate::operation::Accesses;

/// A step whose operation would have other accesses elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::strategy) struct Watched {
    /// The step.
    pub at: u32,
    /// All accesses of its operation in the closed subsets that were looked at.
    pub accesses: Accesses,
    /// How many steps there were then.
    pub seen: u32,
}

impl Path {
    /// The operation of the last step may also have these accesses.
    pub fn watch(&mut self, accesses: Accesses) {
        let at = self.events.len() - 1;
        self.events[at].watched = true;
        self.watched.push(Watched { at: at as u32, accesses, seen: at as u32 + 1 });
    }
    /// Only the first `depth` steps are left.
    #[cold]
    pub(super) fn forget_watched(&mut self, depth: usize) {
        while self.watched.pop_if(|w| w.at as usize >= depth).is_some() {}
        for watched in self.watched.iter_mut().filter(|w| w.seen as usize > depth) {
            // What was seen may have depended on steps that are gone.
            watched.seen = watched.at + 1;
        }
    }
    /// The steps that are watched and have to be looked at again: a later one that does not depend on it conflicts with
    /// what it would have touched.
    pub fn next_to_look_at(&self, from: usize) -> Option<usize> {
        let is_new = |w: &Watched, at: usize| {
            self.events[at].accesses.conflict(w.accesses) && !self.is_after(at, w.at as usize)
        };
        let mut watched = self.watched.iter().enumerate().skip(from);
        watched.find(|(_, w)| (w.seen as usize..self.len()).any(|at| is_new(w, at))).map(|(number, _)| number)
    }
}
