//! The end of an execution: what if somebody had moved who never did?

use super::Optimal;
use super::path::{Event, Origin};
use super::races::{Blocking, Finder, Second};
use crate::operation::{Accesses, TaskId};
use crate::world::{Blockers, Ending, Pending, Point, Variation};

impl Optimal {
    /// An execution is over, and what there is to explore beside it is found. `found` items were there before its last steps.
    pub(super) fn find_end(&mut self, found: usize, point: &Point<'_>, ending: Ending) {
        let Some(last) = self.path.events.last().map(|e| e.chosen as usize) else { return };
        let Event { origin, option, accesses, .. } = self.path.events[last];
        if ending == Ending::Cut && origin == Origin::Free && option == 0 && !accesses.is_everything() {
            return self.cut(last, found, point);
        }
        for number in 0..self.path.gone.len() {
            let (task, _) = self.path.gone[number];
            if point.blockers(task) != Blockers::All {
                let accesses = point.accesses_then(task, self.path.len(), &[]);
                self.look_for_races(task, accesses, point);
            }
        }
        for (at, pending) in point.all().iter().enumerate() {
            if *pending == Pending::NOTHING {
                continue;
            }
            let task = TaskId(at as u32);
            let could_move = pending.options > 0;
            if let Some(accesses) = could_move.then(|| self.would_have_touched(task, last, point)).flatten() {
                let second = Second { task, accesses, blocking: Blocking::Never };
                let Optimal { path, work, scratch, .. } = &mut *self;
                Finder { path, work, scratch, point }.find_later_end(&second, last);
            } else if !(ending == Ending::Cut && self.path.is_known_to(task, last)) {
                self.look_for_races(task, pending.accesses, point);
            }
        }
    }

    /// Whoever can move must not: all that is left is explored elsewhere. What could have come earlier may not be.
    #[cold]
    pub(super) fn stuck(&mut self, point: &Point<'_>) {
        for (at, pending) in point.all().iter().enumerate() {
            if *pending != Pending::NOTHING {
                self.look_for_races(TaskId(at as u32), pending.accesses, point);
            }
        }
    }

    /// Step `last` was free and has ended the run for everybody. As long as nothing happens that conflicts with it, it
    /// would do that again: so it was as good as blocked, and others go on. What there was found with it, and by it, is
    /// found there, too. `found` items were there before it was known.
    #[cold]
    pub(super) fn cut(&mut self, last: usize, found: usize, point: &Point<'_>) {
        let Event { task: fatal, accesses, time, .. } = self.path.events[last];
        let known = self.path.tasks_met().min(point.all().len());
        let others = (0..known as u32).map(TaskId).filter(|t| *t != fatal);
        let pending: Vec<(TaskId, Accesses, bool)> = others
            .filter(|t| *point.pending(*t) != Pending::NOTHING && !self.path.is_known_to(*t, last))
            .map(|t| match self.would_have_touched(t, last, point) {
                Some(accesses) => (t, accesses, true),
                None => (t, point.pending(t).accesses, false),
            })
            .collect();
        self.path.truncate(last);
        self.work.truncate(found);
        let Optimal { path, work, scratch, .. } = &mut *self;
        let mut finder = Finder { path, work, scratch, point };
        if pending.iter().any(|(task, accesses, could)| *could && !finder.is_forbidden(*task, *accesses)) {
            self.work.take_back(self.path.names.of(fatal), time);
            self.work.add_others(last, (fatal, accesses, Variation::State));
            return;
        }
        for (task, accesses, _) in pending {
            self.look_for_races(task, accesses, point);
        }
    }

    /// A task that was free to move has ended the run, and others did in its place, one after the other. Here it goes on
    /// with another option, or the first of those others is yet to come.
    #[cold]
    pub(super) fn forget_what_came_later(&mut self) {
        let first = self.schedule.first().and_then(|pick| self.path.names.task(pick.name));
        if let Some(task) = self.fatal.map(|(task, ..)| task).or(first) {
            self.path.forget_from(task);
        }
    }
}
