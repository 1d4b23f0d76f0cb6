//! Only loops that wait are left, and no timer: each of them may go on, or it is a livelock.
//!
//! Invariant: as with timers that fire when nothing else can happen, no step is reordered across such a release. A loop
//! that goes on in vain is not released again until something changes; when all of them have, none ever ends.

use super::Stage;
use crate::runtime::execution::Execution;
use crate::runtime::tasks::task::Phase;
use raddle_core::operation::{Accesses, TaskId};
use raddle_core::waiting_loop::ROUNDS_ALONE;

/// How many times more rounds loops may take that read nothing: they may be loops of so many rounds.
const WITHOUT_A_READ: u32 = 8;
/// The same for those that never yield.
const WITHOUT_A_YIELD: u32 = 32;

impl Execution {
    /// Lets those loops go on that no change wakes any more, if there was one since they last did so in vain. Says whether
    /// there are any.
    pub(in crate::runtime::scheduler) fn release_exhausted(&mut self) -> bool {
        let now = self.scheduler.changes + 1;
        let is_open = |id: &TaskId| {
            let task = &self.tasks[*id];
            let spin = &task.spin;
            let can_go_on = spin.stage == Stage::Exhausted && task.options(&self.state) > 0;
            can_go_on && task.phase() == Phase::Alive && spin.in_vain != now
        };
        let open: Vec<TaskId> = self.tasks.ids().filter(is_open).collect();
        let is_any = !open.is_empty();
        self.release(open);
        is_any
    }

    /// Lets every loop go on that has not done so in vain. If there is none, it is a livelock.
    pub(in crate::runtime::scheduler) fn release_spins(&mut self) {
        let waits = |id: &TaskId| self.tasks[*id].spin.held && self.tasks[*id].phase() == Phase::Alive;
        let held: Vec<TaskId> = self.tasks.ids().filter(waits).collect();
        if held.is_empty() {
            return;
        }
        let now = self.scheduler.changes + 1;
        let clock = self.state.objects.known_clock();
        let reads_clock =
            |id: &TaskId| clock.is_some_and(|clock| self.tasks[*id].spin.reads.contains(&clock));
        let is_open = |id: &TaskId| self.tasks[*id].spin.in_vain != now || reads_clock(id);
        let open: Vec<TaskId> = held.iter().copied().filter(is_open).collect();
        if open.is_empty() || self.scheduler.clock.is_at_its_end() && open.iter().all(reads_clock) {
            let tasks = &self.tasks;
            let defect = self.evidence().livelock(&held, |id| &tasks[id].spin.reads);
            self.fail(defect);
            return;
        }
        self.release(open);
    }

    fn release(&mut self, loops: Vec<TaskId>) {
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
                self.evaluate(id);
            }
        }
        self.scheduler.released.clear();
    }

    /// A released loop is picked. One that reads the clock sees that time has passed; others go on alone, to see whether
    /// they ever give up.
    pub(super) fn go_on_released(&mut self, id: TaskId) {
        let clock = self.state.objects.known_clock();
        let (reads, has_turn) = (&self.tasks[id].spin.reads, self.tasks[id].spin.turn.is_some());
        let patience = match has_turn {
            true => WITHOUT_A_YIELD,
            false if reads.is_empty() => WITHOUT_A_READ,
            false => 1,
        };
        let reads_clock = clock.filter(|clock| reads.contains(clock));
        self.leave_spinners(id);
        let spin = &mut self.tasks[id].spin;
        match reads_clock {
            Some(clock) => {
                self.stop_watching_spin(id);
                self.scheduler.clock.stroll();
                self.touch(clock);
            }
            None => {
                spin.touches = Some(Accesses::EVERYTHING_THERE_IS);
                spin.after_alone = spin.before_release;
                spin.releases += 1;
                // Time has passed in the rounds of a loop that takes time: it is given as many of them.
                if !spin.takes_time || spin.releases > ROUNDS_ALONE {
                    spin.in_vain = self.scheduler.changes + 1;
                }
                self.begin_alone(id, ROUNDS_ALONE * patience);
            }
        }
    }
}
