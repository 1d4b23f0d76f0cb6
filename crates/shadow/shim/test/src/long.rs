//! Programs whose executions are long. To see everything is out of the question; random schedules still say something,
//! and if executions do not come to their end, the beginning of some of them does.

use crate::explore::{SearchRecorder, search};
use crate::protocol::Order;
use raddle::observer::Seen;
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
pub fn explore(order: &Order, recorder: &SearchRecorder, program: &(dyn Fn() + Sync)) -> Result<(), String> {
    let whole = Order { max_steps: Some(WHOLE), ..order.clone() };
    let begun = Instant::now();
    search(&whole, Checker::random(1).time_limit(LONG_ENOUGH), program)?;
    if recorder.failed_with(FailureKind::StepLimit) {
        return beginnings(order, recorder, program);
    }
    // Those that would be cut short are not begun.
    let more = left(recorder).map_or(u64::MAX, |left| (left.as_secs_f64() / begun.elapsed().as_secs_f64()) as u64);
    if more < 2 || recorder.seen.lock().unwrap().iter().any(|seen| seen.failure.is_some()) {
        return Ok(());
    }
    recorder.seen.lock().unwrap().clear();
    search(&whole, Checker::random(more).time_limit(LONG_ENOUGH), program)?;
    // The first was shorter than others.
    if recorder.failed_with(FailureKind::StepLimit) { beginnings(order, recorder, program) } else { Ok(()) }
}

fn left(recorder: &SearchRecorder) -> Option<Duration> {
    recorder.until.map(|until| until.saturating_duration_since(Instant::now()))
}

/// Only the first steps of each execution.
fn beginnings(order: &Order, recorder: &SearchRecorder, program: &(dyn Fn() + Sync)) -> Result<(), String> {
    let (mut schedules, mut steps, mut assumptions) = (0, 0, Vec::new());
    while schedules == 0 || left(recorder).is_some_and(|left| !left.is_zero()) {
        recorder.seen.lock().unwrap().clear();
        let seed = order.seed + schedules;
        let order = Order { max_steps: Some(BEGINNING), seed, ..order.clone() };
        search(&order, Checker::random(1).time_limit(LONG_ENOUGH), program)?;
        if recorder.seen.lock().unwrap().iter().any(|seen| seen.failure.is_some())
            && !recorder.failed_with(FailureKind::StepLimit)
        {
            return Ok(());
        }
        for seen in recorder.seen.lock().unwrap().iter() {
            steps += seen.steps;
            assumptions.clone_from(&seen.coverage.assumptions);
        }
        schedules += 1;
    }
    assumptions.push(Assumption::FirstSteps(BEGINNING));
    let extent = Extent::Sampled { schedules, seed: order.seed };
    let coverage = Coverage { extent, executions: schedules, assumptions };
    *recorder.seen.lock().unwrap() = vec![Seen { coverage, steps, failure: None }];
    Ok(())
}
