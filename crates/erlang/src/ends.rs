//! Ends that nobody observes. Where no process ever asks whether another one is alive, is linked to it, watches it or
//! has a name, the end of a process that has nothing to hand back is of no consequence to anybody, and it need not be a
//! step of its own.
//!
//! A reduced search takes that for granted first: such an end belongs to the last step of its process. The first
//! operation that touches what an end touches refutes it, and then the search begins anew with ends as steps. A search
//! in which nothing was refuted has explored everything: up to the first such operation ends commute with all that
//! others do, so one of the executions that it explored would have come to that operation, too.

use crate::settings::Settings;
use raddle_core::clock::Time;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// That nobody observes ends, as far as is known; all clones know the same.
#[derive(Clone, Debug, Default)]
pub struct Unobserved(Arc<AtomicBool>);

impl Unobserved {
    /// Whether it is worth a try: kills are seen by what they do to others, and clocks by everybody.
    pub fn is_worth_a_try(settings: &Settings) -> bool {
        settings.kills == 0 && settings.time == Time::Idle
    }
    /// Somebody does observe ends.
    pub(crate) fn refute(&self) {
        if !self.is_refuted() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    /// Whether somebody does.
    pub fn is_refuted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
