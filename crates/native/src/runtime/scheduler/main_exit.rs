//! Main ends last. What it returns is decided when its function returns, and nobody can tell how long it takes
//! to end after that: whatever detached tasks could do before it ends they can also do if it ends as late as
//! possible. So its end is no choice, and costs no executions.
//!
//! It does not wait for those that wait themselves: for a message, for a loop to see a change, or for time to
//! pass, unless timers fire at any point, and so before it ends. Nor for ever: a task that never comes to rest
//! is cut short.

use crate::runtime::execution::Execution;
use raddle_core::clock::Time;
use raddle_core::operation::TaskId;

/// How many lines of the log main waits for the others.
pub(crate) const PATIENCE: usize = 1_000;

impl Execution {
    /// Main has returned, and others are still there.
    pub(in crate::runtime) fn let_main_wait(&mut self) {
        self.has_log();
        self.main_waits = true;
        self.returned_at = self.log.lines.len();
        self.hold_main(true);
    }

    fn hold_main(&mut self, held: bool) {
        self.task_mut(TaskId::MAIN).spin.held = held;
        self.evaluate(TaskId::MAIN);
    }

    /// Main waits: does it end now?
    pub(in crate::runtime) fn main_ends(&mut self) -> bool {
        self.hold_main(true);
        let tired = self.log.lines.len() > self.returned_at + PATIENCE;
        if !tired && !self.ready.is_empty() {
            return false;
        }
        if !tired && self.settings.time == Time::Any && !self.clock.is_quiet() {
            return false;
        }
        self.cut_short |= tired;
        self.main_waits = false;
        self.hold_main(false);
        let pending = self.pending[TaskId::MAIN.index()];
        self.note_step(TaskId::MAIN, pending);
        // This may be on the stack of a task that has announced what it will never do.
        let running = self.current;
        self.end(TaskId::MAIN);
        self.current = running;
        true
    }
}
