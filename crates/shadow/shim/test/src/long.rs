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

/// Draws random schedules while there is time. None if not even the beginning of one fits.
pub fn explore(
    order: &Order,
    recorder: &SearchRecorder,
    program: &(dyn Fn() + Sync),
) -> Result<Option<Searches>, String> {
    let whole = Order { max_steps: Some(WHOLE), ..order.clone() };
    // Half of the time is for their beginnings, if none comes to its end.
    let one = search(&whole, sampler(order.seed, 1, recorder.left().map(|left| left / 2)), program)?;
    if one.failed_with(FailureKind::StepLimit) || one.executions() == 0 {
        return beginnings(order, recorder, program);
    }
    if one.failed() {
        return Ok(Some(one));
    }
    let more = search(&whole, sampler(order.seed, order.schedules, recorder.left()), program)?;
    if more.failed_with(FailureKind::StepLimit) {
        // The first was shorter than others.
        return Ok(beginnings(order, recorder, program)?.or(Some(one)));
    }
    Ok(Some(if more.executions() > 0 { more } else { one }))
}

fn sampler(seed: u64, schedules: u64, left: Option<Duration>) -> Checker {
    let sampler = Checker::random(schedules).seed(seed);
    match left {
        Some(left) => sampler.time_limit(left),
        None => sampler,
    }
}

/// Only the first steps of each execution.
fn beginnings(
    order: &Order,
    recorder: &SearchRecorder,
    program: &(dyn Fn() + Sync),
) -> Result<Option<Searches>, String> {
    let (mut schedules, mut steps, mut assumptions) = (0, 0, Vec::new());
    let mut longest = Duration::ZERO;
    // Another one is not begun if it might not fit.
    while schedules < order.schedules && recorder.left().is_none_or(|left| left > longest) {
        let begun = Instant::now();
        let seed = order.seed + schedules;
        let order = Order { max_steps: Some(BEGINNING), seed, ..order.clone() };
        let mut found = search(&order, sampler(seed, 1, recorder.left()), program)?;
        if found.failed() && !found.failed_with(FailureKind::StepLimit) {
            return Ok(Some(found));
        }
        let Some(last) = found.0.pop().filter(|last| last.coverage.executions > 0) else { break };
        steps += last.steps;
        assumptions = last.coverage.assumptions;
        schedules += 1;
        longest = longest.max(begun.elapsed());
    }
    if schedules == 0 {
        return Ok(None);
    }
    assumptions.push(Assumption::FirstSteps(BEGINNING));
    let extent = Extent::Sampled { schedules, seed: order.seed };
    let coverage = Coverage { extent, executions: schedules, assumptions };
    Ok(Some(Searches::one(Search { coverage, steps, failure: None, search_file: None })))
}
