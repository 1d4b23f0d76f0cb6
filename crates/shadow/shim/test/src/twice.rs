//! Whether the same schedule leads to the same steps again. A search compares what it repeats of earlier executions, but
//! what is different only at their ends goes unnoticed. So after a search that saw everything, one schedule is run twice.

use crate::explore::{Ear, search};
use crate::protocol::Order;
use raddle::observer::Seen;
use raddle::{Checker, Defect, Extent, Failure, FailureKind, Sampler, Ticket};

/// Takes the claim of the last search back if it does not hold. What it has found stays as it is.
pub fn confirm(order: &Order, ear: &Ear, program: &(dyn Fn() + Sync)) -> Result<(), String> {
    let mut kept = std::mem::take(&mut *ear.seen.lock().unwrap());
    let claims = |seen: &Seen| {
        seen.failure.is_none() && matches!(seen.coverage.extent, Extent::Exhaustive | Extent::Within(_))
    };
    if let Some(last) = kept.last_mut().filter(|last| claims(last)) {
        let (once, again) = (steps(order, ear, program)?, steps(order, ear, program)?);
        if once != again {
            last.failure = Some(not_the_same(order, once, again));
        }
    }
    *ear.seen.lock().unwrap() = kept;
    Ok(())
}

/// How many steps one schedule takes, always the same one; none if it fails.
fn steps(order: &Order, ear: &Ear, program: &(dyn Fn() + Sync)) -> Result<Option<u64>, String> {
    search(order, Checker::random(1).sampler(Sampler::Uniform), program)?;
    let seen = ear.seen.lock().unwrap().drain(..).next_back();
    Ok(seen.filter(|seen| seen.failure.is_none()).map(|seen| seen.steps))
}

fn not_the_same(order: &Order, once: Option<u64>, again: Option<u64>) -> Failure {
    let words = |steps: Option<u64>| match steps {
        Some(steps) => format!("took {steps} steps"),
        None => "failed".to_owned(),
    };
    let text = format!("one schedule {}, and {} when it was run again", words(once), words(again));
    Failure {
        defect: Defect::new(FailureKind::NotDeterministic, text),
        execution: 2,
        story: Default::default(),
        ticket: Ticket {
            version: raddle::TICKET_VERSION,
            test: Some(order.test.clone()),
            settings: Default::default(),
            steps: Vec::new(),
        },
        afterwards: Vec::new(),
    }
}
