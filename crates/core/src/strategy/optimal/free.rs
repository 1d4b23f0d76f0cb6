//! Who moves where that is up to the strategy.

use super::Optimal;
use super::path::Path;
use super::races::Finder;
use crate::operation::TaskId;
use crate::trace::Trace;
use crate::world::{Manner, Point};

impl Optimal {
    /// The pick of a free step: tasks that were deferred first, then whoever moved last.
    pub(super) fn free(&mut self, so_far: &Trace, point: &Point<'_>) -> Option<TaskId> {
        let last = so_far.last_task();
        if self.path.any_fatal() {
            return self.free_of_others(last, point);
        }
        if self.path.any_open() {
            let deferred = self.path.only_deferred();
            let deferred = deferred.filter(|task| point.is_enabled(*task) && !comes_last(*task, point));
            return deferred.or_else(|| self.free_of_others(last, point));
        }
        let goes_on = last.filter(|t| point.is_enabled(*t) && point.pending(*t).manner == Manner::Ordinary);
        let task = goes_on.or_else(|| {
            let after = point.enabled().iter().find(|t| Some(**t) > last);
            after.or(point.enabled().first()).copied()
        })?;
        if comes_last(task, point) {
            let other = point.enabled().iter().find(|t| !comes_last(**t, point));
            return Some(other.copied().unwrap_or(task));
        }
        Some(task)
    }

    /// The same while there are operations that others explore.
    #[cold]
    fn free_of_others(&mut self, last: Option<TaskId>, point: &Point<'_>) -> Option<TaskId> {
        let Optimal { path, work, scratch, .. } = self;
        let mut finder = Finder { path, work, scratch, point };
        let mut is_allowed =
            |t: TaskId| point.is_enabled(t) && !finder.is_forbidden(t, point.pending(t).accesses);
        let mut fatal = None;
        let mut allowed = in_order(path, last, point).filter(|t| is_allowed(*t)).filter(|t| {
            let is_fatal = path.is_fatal(*t);
            if is_fatal {
                fatal.get_or_insert(*t);
            }
            !is_fatal
        });
        let task = allowed.next();
        let task = match task {
            Some(task) if comes_last(task, point) => {
                Some(allowed.find(|t| !comes_last(*t, point)).unwrap_or(task))
            }
            task => task,
        };
        drop(allowed);
        task.or(fatal)
    }
}

/// Who is asked first to move: tasks that were deferred, then whoever moved last. Some come more than once.
fn in_order(path: &Path, last: Option<TaskId>, point: &Point<'_>) -> impl Iterator<Item = TaskId> {
    let deferred = path.open_reversals().map(|r| r.deferred.task);
    let goes_on = last.filter(|t| point.pending(*t).manner == Manner::Ordinary);
    let others = point.enabled().iter().copied();
    deferred.chain(goes_on).chain(others.clone().filter(move |t| Some(*t) > last)).chain(others)
}

/// Whether it is better to let others go before `task`: several who commute may block its operation together, and
/// which of them do is known once they have moved. If it went first, all of them would be reversed one by one, and
/// those who cannot go on without each other in vain.
#[inline]
fn comes_last(task: TaskId, point: &Point<'_>) -> bool {
    point.pending(task).accesses.any_write() && point.has_blockers_that_commute(task)
}
