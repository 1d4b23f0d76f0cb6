//! Exits that no process observes. If no process is linked to, monitors or names another one, or asks whether
//! it is alive, then an exit that sends no signal and releases nothing commutes with all other steps, and it
//! need not be a step of its own.
//!
//! A reduced search assumes this first: such an exit belongs to the last step of its process. The first
//! operation that conflicts with an exit refutes the assumption, and the search restarts with exits as steps.
//! A search without a refutation is exhaustive: up to the first such operation, exits commute with all steps
//! of other processes, so one of its executions would have reached that operation.

use crate::settings::Settings;
use raddle_core::clock::Time;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The assumption that no process observes exits. All clones share it.
#[derive(Clone, Debug, Default)]
pub struct Unobserved(Arc<AtomicBool>);

impl Unobserved {
    /// Whether the assumption is worth testing: kills are observed by their effects, and clocks by every
    /// process.
    pub fn is_worth_a_try(settings: &Settings) -> bool {
        settings.kills == 0 && settings.time == Time::Idle
    }
    /// An operation observes exits.
    pub(crate) fn refute(&self) {
        if !self.is_refuted() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    /// Whether an operation observed exits.
    pub fn is_refuted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
