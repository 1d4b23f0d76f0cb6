//! Only loops that wait are left, and no timer: each of them may go on, or it is a livelock.
//!
//! Invariant: as with timers that fire when nothing else can happen, no step is reordered across such a release. A loop
//! that goes on in vain is not released again until something changes; when all of them have, none ever ends.

use super::Stage;
use crate::runtime::execution::Execution;
use crate::runtime::tasks::task::Phase;
use raddle_core::operation::{Accesses, TaskId};
use raddle_core::waiting_loop::{ROUNDS_ALONE, RoundEnd};

/// How many times more rounds loops may take that read nothing: they may be loops of so many rounds.
const WITHOUT_A_READ: u32 = 8;
/// A loop that was blocked for so many steps is given a turn when another task yields.
const PATIENCE: u32 = 1_000;
/// The same for those that never yield.
const WITHOUT_A_YIELD: u32 = 32;

impl Execution {
    /// Lets those loops go on that no change wakes any more, if there was one since they last did so in vain. Says whether
    /// there are any.
    pub(in crate::runtime::scheduler) fn release_exhausted(&mut self) -> bool {
        let mut open: Vec<TaskId> = self.tasks.ids().filter(|id| self.is_open(*id)).collect();
        if open.is_empty() {
            // They have had their turn.
            open.extend(self.tasks.ids().filter(|id| self.tasks[*id].spin.stage == Stage::GivesWay));
        }
        let is_any = !open.is_empty();
        self.release(open);
        is_any
    }

    /// Whether `id` is a loop that no change wakes, and something has changed since it last went on in vain.
    fn is_open(&self, id: TaskId) -> bool {
        let task = &self.tasks[id];
        let spin = &task.spin;
        let can_go_on = spin.stage == Stage::Exhausted && task.options(&self.state) > 0;
        let awaits_only_time = self.reads_clock(id) && spin.reads.len() == 1;
        let is_new = spin.in_vain != self.scheduler.changes + 1;
        can_go_on && !awaits_only_time && task.phase() == Phase::Alive && is_new
    }

    /// The task announces that it yields. If a loop has been blocked for long, in which changes wake it no more, the yield is
    /// blocked until that loop has had a turn: otherwise a task that goes round and changes something in each round would keep
    /// it from ever seeing that. Says whether it is.
    pub(super) fn gives_way(&mut self, id: TaskId) -> bool {
        if !self.scheduler.held_spins || self.tasks[id].spin.is_cut() {
            return false;
        }
        let present = self.log.present();
        let starves = |other: TaskId| {
            present.saturating_sub(self.tasks[other].spin.held_at) >= PATIENCE && self.is_open(other)
        };
        if !self.tasks.ids().any(starves) {
            return false;
        }
        self.tasks[id].spin.circle.clear();
        self.hold(id, Stage::GivesWay);
        true
    }

    /// Lets every loop go on that has not done so in vain. Those that read the clock go on together: time passes, which is
    /// one event, and the first of them stands for it. If there is none, it is a livelock.
    pub(in crate::runtime::scheduler) fn release_spins(&mut self) {
        let waits = |id: &TaskId| self.tasks[*id].spin.held && self.tasks[*id].phase() == Phase::Alive;
        let held: Vec<TaskId> = self.tasks.ids().filter(waits).collect();
        if held.is_empty() {
            return;
        }
        let now = self.scheduler.changes + 1;
        let (timed, others): (Vec<TaskId>, Vec<TaskId>) = held.iter().partition(|id| self.reads_clock(**id));
        let mut open = others;
        open.retain(|id| self.tasks[*id].spin.in_vain != now);
        let tick = timed.first().filter(|_| !self.scheduler.clock.is_at_its_end());
        open.extend(tick);
        if open.is_empty() {
            let tasks = &self.tasks;
            let defect = self.evidence().livelock(&held, |id| &tasks[id].spin.reads);
            self.fail(defect);
            return;
        }
        if let Some(id) = tick {
            self.tasks[*id].spin.passes_time = true;
        }
        self.release(open);
    }

    /// Whether the cut loop of `id` reads the clock.
    fn reads_clock(&self, id: TaskId) -> bool {
        self.state.objects.known_clock().is_some_and(|clock| self.tasks[id].spin.reads.contains(&clock))
    }

    fn release(&mut self, loops: Vec<TaskId>) {
        if !loops.is_empty() {
            self.let_stores_arrive();
        }
        for id in loops {
            let spin = &mut self.tasks[id].spin;
            spin.before_release = spin.stage;
            spin.stage = Stage::Released;
            spin.held = false;
            self.scheduler.released.push(id);
            self.evaluate(id);
        }
    }

    /// Loops that were released and not picked are blocked again.
    pub(in crate::runtime::scheduler) fn hold_released(&mut self) {
        for at in 0..self.scheduler.released.len() {
            let id = self.scheduler.released[at];
            let spin = &mut self.tasks[id].spin;
            if spin.stage == Stage::Released {
                spin.stage = spin.before_release;
                spin.held = true;
                spin.passes_time = false;
                self.evaluate(id);
            }
        }
        self.scheduler.released.clear();
    }

    /// A released loop is picked. If it stands for those that read the clock, time passes, and all of them see it; others
    /// go on alone, to see whether they ever give up.
    pub(super) fn go_on_released(&mut self, id: TaskId) {
        if self.tasks[id].spin.before_release == Stage::GivesWay {
            self.stop_watching_spin(id);
            return;
        }
        let spin = &self.tasks[id].spin;
        let (reads, never_yields) = (&spin.reads, spin.turn.is_some_and(|turn| turn.end == RoundEnd::Return));
        let rounds = match never_yields {
            // It gives up when time passes, if ever.
            _ if self.reads_clock(id) => 1,
            true => ROUNDS_ALONE * WITHOUT_A_YIELD,
            false if reads.is_empty() => ROUNDS_ALONE * WITHOUT_A_READ,
            false => ROUNDS_ALONE,
        };
        self.leave_spinners(id);
        if std::mem::take(&mut self.tasks[id].spin.passes_time) {
            self.stop_watching_spin(id);
            self.scheduler.clock.stroll();
            let clock = self.state.objects.clock();
            self.touch(clock);
            return;
        }
        let spin = &mut self.tasks[id].spin;
        spin.touches = Some(Accesses::EVERYTHING_THERE_IS);
        spin.after_alone = spin.before_release;
        spin.releases += 1;
        // Time has passed in the rounds of a loop that takes time: it is given as many of them.
        if !spin.takes_time || spin.releases > ROUNDS_ALONE {
            spin.in_vain = self.scheduler.changes + 1;
        }
        self.begin_alone(id, rounds);
    }
}
