//! What a check found.

use raddle_core::search::Findings;
use raddle_core::verdict::{Coverage, Failure};
use std::collections::BTreeMap;

/// What a check found.
#[derive(Debug)]
pub struct Report<T> {
    findings: Findings<T>,
}

impl<T> Report<T> {
    pub(crate) fn new(findings: Findings<T>) -> Report<T> {
        Report { findings }
    }
    /// How many executions came to an end.
    pub fn executions(&self) -> u64 {
        self.findings.executions
    }
    /// How many steps all executions took together.
    pub fn steps(&self) -> u64 {
        self.findings.steps
    }
    /// What was covered.
    pub fn coverage(&self) -> &Coverage {
        &self.findings.coverage
    }
    /// The results of executions that passed, and how often each came.
    pub fn outcomes(&self) -> &BTreeMap<T, u64> {
        &self.findings.outcomes
    }
    /// The first failure.
    pub fn failure(&self) -> Option<&Failure> {
        self.findings.failure.as_ref()
    }
    /// How many executions failed.
    pub fn failures(&self) -> u64 {
        self.findings.failures
    }
}
