//! Steps whose operation would have other accesses after other steps, and these accesses.
//!
//! The reversals of such a step may contain later steps that do not conflict with it where it happened. It is visited
//! again at the end, if a later step conflicts with the accesses here. An entry that is out of date only costs time.

use super::Path;
use crate::operation::Accesses;

/// A step whose operation would have other accesses elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::strategy::dpor) struct Watched {
    /// The step.
    pub at: u32,
    /// All accesses of its operation in the closed subsets that were visited.
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
    /// Keeps the first `depth` steps.
    #[cold]
    pub(super) fn forget_watched(&mut self, depth: usize) {
        while self.watched.pop_if(|w| w.at as usize >= depth).is_some() {}
        for watched in self.watched.iter_mut().filter(|w| w.seen as usize > depth) {
            // The visit may have depended on steps that are removed now.
            watched.seen = watched.at + 1;
        }
    }
    /// The next watched step to visit again: a later one that does not depend on it conflicts with its accesses
    /// elsewhere.
    pub fn next_to_look_at(&self, from: usize) -> Option<usize> {
        let is_new = |w: &Watched, at: usize| {
            self.events[at].accesses.conflict(w.accesses) && !self.is_after(at, w.at as usize)
        };
        let mut watched = self.watched.iter().enumerate().skip(from);
        watched.find(|(_, w)| (w.seen as usize..self.len()).any(|at| is_new(w, at))).map(|(number, _)| number)
    }
}
