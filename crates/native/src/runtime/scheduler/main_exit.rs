//! Main ends last. What it returns is decided when its function returns, and no task can tell how long it takes to end
//! after that: all that detached tasks could do before it ends they can also do if it ends as late as possible. So its
//! end is no choice, and costs no executions.
//!
//! It does not wait for tasks that wait themselves: for a message, for a loop to see a change, or for time to pass,
//! unless timers fire at any point, and so before it ends. Nor for ever: a task that never comes to rest is cut short.

use crate::runtime::execution::Execution;
use raddle_core::clock::Time;
use raddle_core::operation::TaskId;

/// How many lines of the log main waits for the others.
pub(crate) const PATIENCE: usize = 1_000;

/// How main comes to its end.
#[derive(Default)]
pub(super) struct MainExit {
    /// Main has returned and lets the others go first.
    waits: bool,
    /// How long the log was then.
    since: usize,
    /// Main did not wait for them to the end, in this execution or in one before it.
    cut_short: bool,
}

impl MainExit {
    pub fn reset(&mut self) {
        self.waits = false;
    }
    pub fn renew(&mut self) {
        self.cut_short = false;
    }
    #[inline(always)]
    pub fn waits(&self) -> bool {
        self.waits
    }
    pub fn has_cut_short(&self) -> bool {
        self.cut_short
    }
}

impl Execution {
    /// Main has returned, and others are still there.
    pub(super) fn let_main_wait(&mut self) {
        self.has_log();
        let since = self.log.len();
        self.scheduler.main_exit = MainExit { waits: true, since, ..self.scheduler.main_exit };
        self.hold_main(true);
    }

    fn hold_main(&mut self, held: bool) {
        self.tasks[TaskId::MAIN].spin.held = held;
        self.evaluate(TaskId::MAIN);
    }

    /// Main waits: does it end now?
    pub(super) fn main_ends(&mut self) -> bool {
        self.hold_main(true);
        let tired = self.log.len() > self.scheduler.main_exit.since + PATIENCE;
        if !tired && !self.scheduler.ready.is_empty() {
            return false;
        }
        if tired && self.scheduler.follows_graph && !self.scheduler.ready.is_empty() {
            // The order of all steps decides when that is.
            if let Some(weak) = self.state.memory.weak_mut() {
                weak.go_beyond();
            }
            return false;
        }
        if !tired && self.settings.time == Time::Any && !self.scheduler.clock.is_quiet() {
            return false;
        }
        self.scheduler.main_exit.cut_short |= tired;
        self.scheduler.main_exit.waits = false;
        self.hold_main(false);
        let pending = *self.scheduler.pending(TaskId::MAIN);
        self.note_step(TaskId::MAIN, pending);
        // This may be on the stack of a task that has announced what it will never do.
        let running = self.tasks.current();
        self.end(TaskId::MAIN);
        self.tasks.set_current(running);
        true
    }
}
