//! The default step of a node. Any enabled operation is correct; this choice keeps redundant executions and context
//! switches few.

use super::closed_subsets::Finder;
use super::{OptimalDpor, conflicting_accesses};
use crate::operation::TaskId;
use crate::trace::Trace;
use crate::world::{Manner, Point, Variation};

impl OptimalDpor {
    /// The default: the task that a reversal has deferred, then the task of the last choice.
    pub(super) fn default_step(&mut self, so_far: &Trace, point: &Point<'_>) -> Option<TaskId> {
        let last = so_far.last_task();
        let deferred = self.deferred_now();
        if self.path.any_sleeper() || self.path.any_open() {
            self.note_sleepers(point);
            return self.default_of_allowed(deferred, last, point);
        }
        if let Some(task) = deferred.filter(|t| point.is_enabled(*t) && !comes_last(*t, point)) {
            return Some(task);
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

    /// The task of the step that the last one replaces.
    #[inline]
    fn deferred_now(&self) -> Option<TaskId> {
        let reversal = self.path.reversals.last()?;
        (reversal.last as usize + 1 == self.path.len()).then_some(reversal.deferred.task)
    }

    /// The same where some tasks are asleep or forbidden.
    #[cold]
    fn default_of_allowed(
        &mut self,
        deferred: Option<TaskId>,
        last: Option<TaskId>,
        point: &Point<'_>,
    ) -> Option<TaskId> {
        let OptimalDpor { path, work, scratch, .. } = self;
        let mut finder = Finder { path, work, scratch, point };
        let deferred = deferred.into_iter().chain(path.open_reversals().map(|r| r.deferred.task));
        let goes_on = last.filter(|t| point.pending(*t).manner == Manner::Ordinary);
        let others = point.enabled().iter().copied();
        let in_order =
            deferred.chain(goes_on).chain(others.clone().filter(move |t| Some(*t) > last)).chain(others);
        let mut is_allowed = |t: &TaskId| {
            point.is_enabled(*t)
                && !path.is_asleep(*t)
                && !finder.is_forbidden(*t, conflicting_accesses(*t, point.pending(*t), point))
        };
        let mut allowed = in_order.filter(|t| is_allowed(t));
        let task = allowed.next()?;
        match comes_last(task, point) {
            true => Some(allowed.find(|t| !comes_last(*t, point)).unwrap_or(task)),
            false => Some(task),
        }
    }
}

/// Whether other tasks should go before `task`: several operations that commute may block its operation together, and
/// which of them do is known once they have happened.
#[inline]
fn comes_last(task: TaskId, point: &Point<'_>) -> bool {
    point.pending(task).accesses.any_write() && point.variation(task) == Variation::JointlyBlocked
}
