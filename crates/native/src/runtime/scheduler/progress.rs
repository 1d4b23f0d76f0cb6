//! How far a task has come: how many steps it has taken, and whether the next ones need a closer look.
//!
//! Invariant: a task whose steps are not looked at closely is a thread in the middle of its function that neither panics
//! nor goes round in a loop.

#[derive(Default)]
pub(crate) struct Progress {
    /// Its steps need a closer look.
    pub(super) slow_path: bool,
    /// How many steps it has taken.
    pub(super) steps: u32,
    /// How many it had taken when it last took one that surely changed something.
    changed_at: u32,
    /// The last line of the log that is its own, plus 1.
    pub(super) last_line: u32,
}

impl Progress {
    pub fn new(slow_path: bool) -> Progress {
        Progress { slow_path, ..Progress::default() }
    }
    /// How many steps it has taken.
    pub fn steps(&self) -> u32 {
        self.steps
    }
    /// From now on its steps are looked at closely.
    #[inline(always)]
    pub fn look_closely(&mut self) {
        self.slow_path = true;
    }
    /// Takes a step, which surely changes something or may not.
    #[inline(always)]
    pub(super) fn step(&mut self, surely_writes: bool) {
        self.steps += 1;
        self.changed_at = if surely_writes { self.steps } else { self.changed_at };
    }
    /// The step that it has just taken changed something, or may go differently the next time.
    #[inline(always)]
    pub fn has_changed_something(&mut self) {
        self.changed_at = self.steps;
    }
    /// The step that it has just taken changed nothing, and may be one of a loop.
    pub fn has_changed_nothing(&mut self) {
        self.changed_at = 0;
    }
    /// Whether it has changed something in one of its last `steps` steps, as far as that is known without a log.
    pub(super) fn has_changed_something_in(&self, steps: u32) -> bool {
        self.changed_at > 0 && self.steps - self.changed_at < steps
    }
}
