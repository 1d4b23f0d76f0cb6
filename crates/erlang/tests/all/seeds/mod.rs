//! The programs of the documents that Raddle grew from, each with the verdict and the numbers of the
//! document. Counts are those of plain depth-first search, which are independent of any reduction.

mod behaviours;
mod chapter6;
mod listings;
mod mcerlang;
mod pulse;
mod pulse_time;

use crate::common::*;
use raddle_core::search::{Findings, NoListener, Plan, search};
use raddle_core::strategy::{Random, Strategy};
use raddle_core::verdict::Failure;
use raddle_erlang::settings::{Delivery, Grain, Settings};
use raddle_erlang::world::{ErlangWorld, Program};
use std::sync::Arc;

/// Every visible operation is a step, signals arrive at once.
fn at_once() -> Settings {
    Settings { delivery: Delivery::Instant, ..Settings::default() }
}

/// McErlang's steps.
fn coarse(delivery: Delivery) -> Settings {
    Settings { grain: Grain::Receive, delivery, ..Settings::default() }
}

/// Explores up to the first failure.
fn to_the_first(program: &Program, strategy: Box<dyn Strategy>) -> Findings<String> {
    search(&Plan::default(), strategy, || ErlangWorld::new(program), Arc::new(NoListener))
}

/// Samples interleavings, up to the first failure.
fn sample(program: &Program, executions: u64) -> Findings<String> {
    let mut plan = Plan::default();
    plan.budget.executions = Some(executions);
    search(&plan, Box::new(Random::new(1)), || ErlangWorld::new(program), Arc::new(NoListener))
}

/// The number of interleavings, and of failing ones.
fn counts(findings: &Findings<String>) -> (u64, u64) {
    (findings.executions, findings.failures)
}

/// The values that tests returned.
fn outcomes(findings: &Findings<String>) -> Vec<&str> {
    findings.outcomes.keys().map(String::as_str).collect()
}

/// The message of the first failure.
fn message(findings: &Findings<String>) -> String {
    findings.failure.as_ref().map_or_else(|| "passed".to_owned(), Failure::message)
}
