//! The races that the present execution reverses.

use super::{OPEN, Path};
use crate::operation::{Accesses, TaskId};

/// A race that was reversed: a wakeup sequence was taken in the place of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::strategy::dpor) struct Reversal {
    /// The step in whose place it was taken.
    pub deferred: Deferred,
    /// The last step of the wakeup sequence: it conflicts with the deferred one.
    pub last: u32,
    /// The step that closes the reversal: it conflicts with the deferred one, and with all that does. Every operation that
    /// conflicts with the deferred one happens after it, so the reversal no longer forbids anything.
    pub closed: u32,
}

/// A step in whose place a wakeup sequence is taken, and which comes after it then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::strategy::dpor) struct Deferred {
    pub task: TaskId,
    /// Its accesses.
    pub accesses: Accesses,
    /// Its index.
    pub at: u32,
}

/// Whether every operation that conflicts with `deferred` conflicts with a step of these accesses, which does so itself.
#[inline]
fn covers_conflicts(accesses: Accesses, deferred: Accesses) -> bool {
    deferred == Accesses::NONE
        || accesses.conflict(deferred) && (accesses == deferred || accesses.cover(deferred))
}

impl Path {
    /// Step `at`, to be deferred.
    pub fn to_defer(&self, at: usize) -> Deferred {
        let event = &self.events[at];
        Deferred { task: event.task, accesses: event.accesses, at: at as u32 }
    }
    /// The same where the last step of the wakeup sequence conflicts with it only afterwards: no operation is forbidden.
    #[cold]
    pub fn to_defer_without_conflict(&self, at: usize) -> Deferred {
        Deferred { accesses: Accesses::NONE, ..self.to_defer(at) }
    }
    /// The last step reverses a race.
    pub fn reverse(&mut self, deferred: Deferred) {
        let last = self.events.len() - 1;
        let is_closed = covers_conflicts(self.events[last].accesses, deferred.accesses);
        let closed = if is_closed { last as u32 } else { OPEN };
        self.reversals.push(Reversal { deferred, last: last as u32, closed });
        self.open += !is_closed as usize;
    }
    /// Whether a reversal is open.
    #[inline]
    pub fn any_open(&self) -> bool {
        self.open > 0
    }
    /// The open reversals, the latest first.
    pub fn open_reversals(&self) -> impl Iterator<Item = &Reversal> {
        self.reversals.iter().rev().filter(|r| r.closed == OPEN)
    }
    #[inline(never)]
    pub(super) fn close(&mut self, accesses: Accesses, at: u32) {
        for reversal in &mut self.reversals {
            if reversal.closed == OPEN && covers_conflicts(accesses, reversal.deferred.accesses) {
                reversal.closed = at;
                self.open -= 1;
            }
        }
    }
}
