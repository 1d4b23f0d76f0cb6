//! The races that the present execution reverses.

use super::{OPEN, Path};
use crate::operation::{Accesses, TaskId};

/// A race that was reversed: a wakeup sequence was taken in the place of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::strategy) struct Reversal {
    /// The step in whose place it was taken.
    pub deferred: Deferred,
    /// The last step of the wakeup sequence: it conflicts with the deferred one.
    pub last: u32,
    /// The step that closes the reversal.
    pub closed: u32,
}

/// A step in whose place a wakeup sequence is taken, and which comes after it then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::strategy) struct Deferred {
    pub task: TaskId,
    /// Its accesses.
    pub accesses: Accesses,
    /// Its index.
    pub at: u32,
    /// The accesses of the last step of the wakeup sequence where the race was found, if it has more accesses where it
    /// comes first, and so has *grown*.
    pub grown_from: Option<Accesses>,
}

/// When a reversal no longer forbids anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in crate::strategy) enum Closing {
    /// At the next step of the deferred task.
    #[default]
    ByTask,
    /// At a step that conflicts with the deferred one, and with all that does: every operation that conflicts with the
    /// deferred one happens after such a step.
    ByConflict,
}

/// Whether every operation that conflicts with `deferred` conflicts with a step of these accesses, which does so itself.
#[inline]
fn covers_conflicts(accesses: Accesses, deferred: Accesses) -> bool {
    accesses.conflict(deferred) && (accesses == deferred || accesses.cover(deferred))
}

impl Path {
    /// Step `at`, to be deferred.
    pub fn to_defer(&self, at: usize) -> Deferred {
        let event = &self.events[at];
        Deferred { task: event.task, accesses: event.accesses, at: at as u32, grown_from: None }
    }
    /// The last step reverses a race.
    pub fn reverse(&mut self, deferred: Deferred) {
        let last = self.events.len() - 1;
        self.events[last].grown = deferred.grown_from.is_some();
        let is_closed = self.closing == Closing::ByConflict
            && covers_conflicts(self.events[last].accesses, deferred.accesses);
        let closed = if is_closed { last as u32 } else { OPEN };
        self.reversals.push(Reversal { deferred, last: last as u32, closed });
        self.open += !is_closed as usize;
    }
    /// Whether a deferred task has not taken its step yet.
    #[inline]
    pub fn any_open(&self) -> bool {
        self.open > 0
    }
    /// The deferred task that has not taken its step yet, if there is only one.
    #[inline]
    pub fn only_deferred(&self) -> Option<TaskId> {
        let task = self.reversals.last().filter(|r| r.closed == OPEN)?.deferred.task;
        let mut open = self.reversals.iter().rev().filter(|r| r.closed == OPEN);
        (self.open == 1 || open.all(|r| r.deferred.task == task)).then_some(task)
    }
    /// The reversals whose deferred task has not taken its step yet, the latest first.
    pub fn open_reversals(&self) -> impl Iterator<Item = &Reversal> {
        self.reversals.iter().rev().filter(|r| r.closed == OPEN)
    }
    #[inline(never)]
    pub(super) fn close(&mut self, task: TaskId, accesses: Accesses, at: u32) {
        let by_task = self.closing == Closing::ByTask;
        let closes = |deferred: &Deferred| match by_task {
            true => deferred.task == task,
            false => covers_conflicts(accesses, deferred.accesses),
        };
        for reversal in &mut self.reversals {
            if reversal.closed == OPEN && closes(&reversal.deferred) {
                reversal.closed = at;
                self.open -= 1;
            }
        }
    }
}
