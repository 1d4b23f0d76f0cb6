//! Which instances of operations are visited, and when: each where it is taken, and at the end those that later steps
//! concern, those that sleep, and those that are still pending.

use super::closed_subsets::{Finder, Root};
use super::path::{Event, Origin, Sleeper, SleepingAccess, StateDependent};
use super::work::SleepingStep;
use super::{OptimalDpor, conflicting_accesses};
use crate::operation::{Accesses, TaskId};
use crate::world::{Pending, Point, Variation};

impl OptimalDpor {
    /// An operation is about to be taken, as a root. Returns all its accesses in the closed subsets that were visited.
    pub(super) fn visit_taken(
        &mut self,
        task: TaskId,
        accesses: Accesses,
        variation: Variation,
        is_winner: bool,
        point: &Point<'_>,
    ) -> Accesses {
        let time = self.path.steps_of(task) + 1;
        let root = Root { task, time, accesses, variation, happened: true, step: None, is_winner };
        self.scratch.removed.clear();
        self.path.clock_of(task, &mut self.scratch.own);
        self.scratch.found = self.work.len();
        let OptimalDpor { path, work, scratch, .. } = self;
        Finder { path, work, scratch, point }.visit_all(&root);
        self.scratch.all_accesses
    }

    fn visit(&mut self, root: &Root, point: &Point<'_>) {
        self.scratch.found = self.work.batch();
        let OptimalDpor { path, work, scratch, .. } = self;
        Finder { path, work, scratch, point }.visit_all(root);
    }

    /// The execution is over, or cannot continue: every pending operation is blocked, forbidden or asleep.
    pub(super) fn find_at_end(&mut self, point: &Point<'_>) {
        self.visit_state_dependent(point);
        self.visit_sleepers(point);
        for number in 0..self.path.gone.len() {
            let (task, _) = self.path.gone[number];
            let pending = point.pending_then(task, self.path.len(), &[]);
            self.visit_left_over(task, &pending, point);
        }
        for (task, pending) in point.all().iter().enumerate() {
            if *pending != Pending::NOTHING {
                self.visit_left_over(TaskId(task as u32), pending, point);
            }
        }
    }

    /// The last chosen step ended the execution for all tasks.
    #[cold]
    pub(super) fn find_at_cut(&mut self, point: &Point<'_>) {
        let Some(last) = self.path.events.last().map(|e| e.chosen as usize) else { return };
        let Event { origin, option, accesses, task, .. } = self.path.events[last];
        if origin != Origin::Free {
            self.visit_state_dependent(point);
            return self.visit_sleepers(point);
        }
        if option > 0 {
            return;
        }
        // It would do so again until a step conflicts with it: it sleeps, and other tasks continue.
        self.work.truncate(self.found);
        let noted = self.path.memory_steps.last().filter(|step| step.at as usize == last);
        let memory = noted.map(|step| SleepingAccess { place: step.place, revisited_by: step.revisited_by });
        let step = SleepingStep { task, accesses, variation: self.variation, memory };
        let enabled = self.path.events[last].enabled;
        self.path.truncate(last);
        let known = self.path.tasks_met().min(point.all().len()) as u32;
        let others: Vec<(TaskId, Pending)> = (0..known)
            .map(TaskId)
            .filter(|t| *t != task && *point.pending(*t) != Pending::NOTHING)
            .map(|t| (t, point.pending_then(t, last, &[])))
            .collect();
        let goes_on = others.iter().any(|(t, pending)| {
            let OptimalDpor { path, work, scratch, .. } = &mut *self;
            let is_enabled = if t.0 < u64::BITS { enabled & 1 << t.0 != 0 } else { pending.options > 0 };
            is_enabled
                && !path.is_asleep(*t)
                && !Finder { path, work, scratch, point }
                    .is_forbidden(*t, conflicting_accesses(*t, pending, point))
        });
        if goes_on {
            return self.work.add_others(last, step);
        }
        self.path.put_to_sleep(step);
        self.visit_state_dependent(point);
        self.visit_sleepers(point);
        for (task, pending) in others {
            self.visit_left_over(task, &pending, point);
        }
    }

    /// Visits steps that later steps concern again.
    fn visit_state_dependent(&mut self, point: &Point<'_>) {
        let mut from = 0;
        while let Some(number) = self.path.next_to_revisit(from) {
            let StateDependent { at, accesses: elsewhere, .. } = self.path.state_dependent[number];
            let Event { task, accesses, time, .. } = self.path.events[at as usize];
            let variation = Variation::State;
            let is_winner = self.path.events[at as usize].origin == Origin::Scheduled;
            let step = Some(at as usize);
            let root = Root { task, time, accesses, variation, happened: true, step, is_winner };
            self.scratch.removed.clear();
            self.scratch.removed.push(at);
            self.path.clock_after(task, at as usize, &mut self.scratch.own);
            self.visit(&root, point);
            let accesses = match elsewhere.is_everything() {
                true => self.scratch.all_accesses,
                false => elsewhere.union(self.scratch.all_accesses),
            };
            self.path.state_dependent[number] = StateDependent { at, accesses, seen: self.path.len() as u32 };
            from = number + 1;
        }
    }

    /// Visits members of the sleep set where they would have happened.
    fn visit_sleepers(&mut self, point: &Point<'_>) {
        for number in 0..self.path.sleep_set.len() {
            let Sleeper { task, accesses, variation, from, .. } = self.path.sleep_set[number];
            let from = from as usize;
            let path = &self.path;
            let removed = &mut self.scratch.removed;
            removed.clear();
            for at in from..path.len() {
                let event = &path.events[at];
                let wakes = event.task == task || event.accesses.conflict(accesses);
                if wakes && !removed.iter().any(|r| path.is_after(at, *r as usize)) {
                    removed.push(at as u32);
                }
            }
            path.clock_after(task, from, &mut self.scratch.own);
            let time = path.steps_after(task, from) + 1;
            let is_winner = false;
            let root = Root { task, time, accesses, variation, happened: true, step: None, is_winner };
            self.visit(&root, point);
        }
    }

    /// The operation of `task` was blocked, or forbidden, to the end.
    fn visit_left_over(&mut self, task: TaskId, pending: &Pending, point: &Point<'_>) {
        if pending.options > 0 && self.path.is_asleep(task) {
            return;
        }
        let accesses = conflicting_accesses(task, pending, point);
        if !self.path.append_clock(task, accesses) {
            return;
        }
        let time = self.path.steps_of(task) + 1;
        // An enabled operation may be forbidden only by a branch after the place in question: R3 decides.
        let variation = if pending.options > 0 { Variation::State } else { point.variation(task) };
        let root = Root { task, time, accesses, variation, happened: false, step: None, is_winner: false };
        self.scratch.removed.clear();
        self.path.clock_of(task, &mut self.scratch.own);
        self.visit(&root, point);
    }

    /// The variation of sleeping operations at this node is evaluated where they are pending.
    pub(super) fn note_sleepers(&mut self, point: &Point<'_>) {
        let here = self.path.len() as u32;
        for sleeper in self.path.sleep_set.iter_mut().rev().take_while(|f| f.from == here) {
            sleeper.variation = point.variation(sleeper.task);
        }
    }

    /// A step has joined the sleep set at this node, and others joined after it, one by one. Here it continues with
    /// another option, or the first of those is not taken yet.
    #[cold]
    pub(super) fn wake_later_sleepers(&mut self) {
        let first = self.schedule.first().and_then(|pick| self.path.names.task(pick.name));
        if let Some(task) = self.sleeper.map(|step| step.task).or(first) {
            self.path.remove_sleepers_from(task);
        }
    }
}
