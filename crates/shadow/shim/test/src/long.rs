//! Programs whose executions are long. To see everything is out of the question; random schedules still say something,
//! and if executions do not come to their end, the beginning of some of them does.

use crate::explore::{Search, SearchRecorder, Searches, search};
use crate::protocol::Order;
use raddle_core::fact::Assumption;
use raddle::{Checker, Coverage, Extent, FailureKind};
use std::time::{Duration, Instant};

/// How many steps an execution may take that is to come to its end.
const WHOLE: usize = 400_000;
/// How many steps of one are explored that does not.
const BEGINNING: usize = 100_000;
/// What one execution may take; the number of its steps is what really bounds it.
const LONG_ENOUGH: Duration = Duration::from_secs(600);

/// Draws random schedules: one at least, and more while there is time.
pub fn explore(order: &Order, recorder: &SearchRecorder, program: &(dyn Fn() + Sync)) -> Result<Searches, String> {
    let whole = Order { max_steps: Some(WHOLE), ..order.clone() };
    let begun = Instant::now();
    let sample = |schedules| {
        search(&whole, Checker::random(schedules).seed(order.seed).time_limit(LONG_ENOUGH), program).map(Searches::one)
    };
    let mut found = sample(1)?;
    if found.failed_with(FailureKind::StepLimit) {
        return beginnings(order, recorder, program);
    }
    // Those that would be cut short are not begun.
    let more = left(recorder).map_or(u64::MAX, |left| (left.as_secs_f64() / begun.elapsed().as_secs_f64()) as u64);
    if more < 2 || found.failed() {
        return Ok(found);
    }
    found = sample(more)?;
    // The first was shorter than others.
    if found.failed_with(FailureKind::StepLimit) { beginnings(order, recorder, program) } else { Ok(found) }
}

fn left(recorder: &SearchRecorder) -> Option<Duration> {
    recorder.until.map(|until| until.saturating_duration_since(Instant::now()))
}

/// Only the first steps of each execution.
fn beginnings(order: &Order, recorder: &SearchRecorder, program: &(dyn Fn() + Sync)) -> Result<Searches, String> {
    let (mut schedules, mut steps, mut assumptions) = (0, 0, Vec::new());
    while schedules == 0 || left(recorder).is_some_and(|left| !left.is_zero()) {
        let seed = order.seed + schedules;
        let order = Order { max_steps: Some(BEGINNING), seed, ..order.clone() };
        let found = search(&order, Checker::random(1).seed(order.seed).time_limit(LONG_ENOUGH), program)?;
        if found.failure.as_ref().is_some_and(|failure| failure.kind() != FailureKind::StepLimit) {
            return Ok(Searches::one(found));
        }
        steps += found.steps;
        assumptions = found.coverage.assumptions;
        schedules += 1;
    }
    assumptions.push(Assumption::FirstSteps(BEGINNING));
    let extent = Extent::Sampled { schedules, seed: order.seed };
    let coverage = Coverage { extent, executions: schedules, assumptions };
    Ok(Searches::one(Search { coverage, steps, failure: None, search_file: None }))
}
