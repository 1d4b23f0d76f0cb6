//! Who else could have moved in the place of a step.

use super::Optimal;
use crate::operation::{Accesses, TaskId};
use crate::world::Point;

/// A step keeps which of so many tasks could have been taken.
const MOVERS: usize = u64::BITS as usize;

impl Optimal {
    /// Who else could move when `task` is picked. What they would have touched is known later, too, unless there are more
    /// tasks than a step keeps.
    #[inline]
    pub(super) fn note_movers(&mut self, task: TaskId, point: &Point<'_>) {
        if point.all().len() > MOVERS {
            self.movers.clear();
            let others = point.enabled().iter().filter(|t| **t != task && !self.path.is_fatal(**t));
            self.movers.extend(others.map(|t| (*t, point.pending(*t).accesses)));
        }
    }

    /// Who of the first tasks can move, and does not end the run by that as far as is known.
    #[inline]
    pub(super) fn movers(&self, point: &Point<'_>) -> u64 {
        let movers = movers(point);
        if self.path.any_fatal() { self.path.without_fatal(movers) } else { movers }
    }

    /// What `task` would have touched if it had moved in the place of step `last`; none if it could not.
    pub(super) fn would_have_touched(
        &self,
        task: TaskId,
        last: usize,
        point: &Point<'_>,
    ) -> Option<Accesses> {
        if point.all().len() > MOVERS {
            return self.movers.iter().find(|(mover, _)| *mover == task).map(|(_, accesses)| *accesses);
        }
        let could = self.path.could_move(task, last) == Some(true) && task != self.path.events[last].task;
        could.then(|| point.accesses_then(task, last, &[]))
    }
}

/// Who of the first tasks can move.
#[inline]
fn movers(point: &Point<'_>) -> u64 {
    if point.all().len() <= MOVERS {
        return point.enabled().iter().fold(0, |all, task| all | 1 << (task.0 & 63));
    }
    point.enabled().iter().filter(|t| t.index() < MOVERS).fold(0, |all, task| all | 1 << task.0)
}
