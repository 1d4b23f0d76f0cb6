//! The end of an execution: what if somebody had moved who never did?

use super::Optimal;
use super::early::{self, TakenBack};
use super::path::{Deferred, Event, Origin};
use super::races::{Blocking, Finder, Second};
use crate::operation::{Accesses, TaskId};
use crate::world::{Ending, Held, Pending, Point};

impl Optimal {
    /// An execution is over, and what there is to explore beside it is found. `found` items were there before its last steps.
    pub(super) fn find_end(&mut self, found: usize, point: &Point<'_>, ending: Ending) {
        let Some(last) = self.path.events.last().map(|e| e.chosen as usize) else { return };
        self.in_doubt |=
            ending == Ending::Cut && (self.is_writer || self.path.events[last].origin == Origin::Early);
        if self.path.events[last].origin == Origin::Early && self.was_the_end(last, ending, point) {
            // Whoever else could move comes before it, whether or not it conflicts with it.
            self.path.take_as_free(last);
        }
        let Event { origin, option, accesses, .. } = self.path.events[last];
        if ending == Ending::Cut && origin == Origin::Free && option == 0 && !accesses.is_everything() {
            return self.cut(last, found, point);
        }
        for number in 0..self.path.gone.len() {
            let (task, _) = self.path.gone[number];
            if point.held(task) != Held::ByAll {
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
        self.find_entries(None, point);
    }

    /// Whoever can move must not: all that is left is explored elsewhere. What could have come earlier may not be.
    #[cold]
    pub(super) fn stuck(&mut self, point: &Point<'_>) {
        for (at, pending) in point.all().iter().enumerate() {
            if *pending != Pending::NOTHING {
                self.look_for_races(TaskId(at as u32), pending.accesses, point);
            }
        }
        self.find_entries(None, point);
    }

    /// What if somebody had come before steps that were taken early?
    #[inline]
    pub(super) fn find_entries(&mut self, last: Option<TakenBack>, point: &Point<'_>) {
        if !self.path.early.is_empty() {
            let Optimal { path, work, scratch, .. } = self;
            Finder { path, work, scratch, point }.find_entries(&last.unwrap_or_default());
        }
    }

    /// Whether somebody could still move if step `last` had not ended the run.
    #[cold]
    pub(super) fn was_the_end(&self, last: usize, ending: Ending, point: &Point<'_>) -> bool {
        let tasks = (0..point.all().len() as u32).map(TaskId);
        let mut others =
            tasks.filter(|t| *point.pending(*t) != Pending::NOTHING && point.pending(*t).options > 0);
        ending == Ending::Cut || others.any(|t| self.would_have_touched(t, last, point).is_some())
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
        let taken_back = TakenBack::new(&self.path, last);
        let waited_for = early::waited_for(&self.path, last, point);
        self.path.truncate(last);
        self.work.truncate(found);
        if let Some((early, others)) = waited_for.split_first() {
            // It was to come before these: only somebody else who does may go on.
            let Optimal { path, work, scratch, .. } = &mut *self;
            let mut finder = Finder { path, work, scratch, point };
            let wakes = |(task, accesses, could): &(TaskId, Accesses, bool)| {
                let (name, time) = (path.names.of(*task), path.steps_of(*task) + 1);
                *could && waited_for.iter().all(|leg| leg.is_woken_by(name, time, *accesses))
            };
            if pending.iter().any(|p| wakes(p) && !finder.is_forbidden(p.0, p.1)) {
                self.work.take_back(self.path.names.of(fatal), time);
                if let Some(task) = self.path.names.task(early.step.name) {
                    let deferred = Deferred { task, accesses: early.accesses, at: early.at };
                    self.work.add_others_who_wake((last, fatal, accesses), deferred, early.time, others);
                }
            }
            return;
        }
        let Optimal { path, work, scratch, .. } = &mut *self;
        let mut finder = Finder { path, work, scratch, point };
        if pending.iter().any(|(task, accesses, could)| *could && !finder.is_forbidden(*task, *accesses)) {
            self.work.take_back(self.path.names.of(fatal), time);
            self.work.add_others(last, fatal, accesses);
            return;
        }
        for (task, accesses, _) in pending {
            self.look_for_races(task, accesses, point);
        }
        self.find_entries(Some(taken_back), point);
    }

    /// A task that was free to move has ended the run, and others did in its place, one after the other. Here it goes on
    /// with another option, or the first of those others is yet to come.
    #[cold]
    pub(super) fn forget_what_came_later(&mut self) {
        let first = self.schedule.first().and_then(|pick| self.path.names.task(pick.name));
        if let Some(task) = self.fatal.map(|(task, _)| task).or(first) {
            self.path.forget_from(task);
        }
    }
}
