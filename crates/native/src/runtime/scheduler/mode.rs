//! How the operations of an execution happen: observed, retraced, unobserved, or at once in teardown.
//!
//! Invariant: the mode is asked once where a task announces an operation or takes a step, and what follows is the code of
//! that mode; it changes only between steps.

/// How operations happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// A driver decides, steps are logged, and the history is kept: for reductions.
    Observed,
    /// The steps of a kept prefix are taken again: they are logged, the driver is not asked, and the history is known.
    Retracing,
    /// A driver decides, steps are logged, the history is kept, and memory has a weak model: after each step the options of
    /// all accesses are found anew.
    Weak,
    /// A driver decides and steps are logged. It does not ask about other prefixes: for samplers and replays.
    Logged,
    /// Draws decide and steps are logged. Operations need not be told apart.
    Drawn,
    /// Draws decide, and nothing is logged.
    Unobserved,
    /// The same, and what the last draw was made from has changed only by what tasks announced since: see
    /// [`super::unobserved`].
    FastPath,
    /// The run is over, and what is left is unwound: operations happen at once.
    Teardown,
}

impl Mode {
    /// Whether steps are logged, and so it is known of each pending operation what it touches.
    #[inline(always)]
    pub fn is_logged(self) -> bool {
        matches!(self, Mode::Observed | Mode::Retracing | Mode::Weak | Mode::Logged | Mode::Drawn)
    }
    /// Whether draws decide, which look at no operation.
    #[inline(always)]
    pub fn is_drawn(self) -> bool {
        matches!(self, Mode::Drawn | Mode::Unobserved | Mode::FastPath)
    }
}
