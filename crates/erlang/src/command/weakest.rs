//! Finds the weakest delivery assumption that still shows a failure. A failure under instant delivery does not depend
//! on delayed signals.

use crate::reduce;
use crate::settings::{Delivery, Settings};
use crate::world::Program;
use raddle_core::search::{NoListener, Plan};
use raddle_core::verdict::{Extent, Failure, thousands};
use std::sync::Arc;

/// The number of interleavings tried under each weaker delivery.
const TRIED: u64 = 10_000;

fn name(delivery: Delivery) -> &'static str {
    match delivery {
        Delivery::Instant => "instant",
        Delivery::Local => "local",
        Delivery::Pairs => "pairs",
    }
}

/// The weakest delivery that shows a failure of this kind, with what was tried under those that do not.
pub fn weakest_delivery(program: &Program, failure: &Failure, max_steps: Option<usize>) -> String {
    let present = program.settings.delivery;
    let mut without: Vec<String> = Vec::new();
    for delivery in [Delivery::Instant, Delivery::Local, Delivery::Pairs] {
        if delivery == present {
            break;
        }
        let settings = Settings { delivery, ..program.settings.clone() };
        let weaker = Program { settings, ..program.clone() };
        let mut plan = Plan::default();
        plan.budget.executions = Some(TRIED);
        plan.budget.steps = max_steps.unwrap_or(plan.budget.steps);
        let findings = reduce::explore(&plan, &weaker, Arc::new(NoListener));
        if findings.failure.is_some_and(|f| f.kind() == failure.kind()) {
            return name(delivery).to_owned() + &without.join("");
        }
        let tried = thousands(findings.executions);
        without.push(match findings.coverage.extent {
            Extent::Exhaustive => format!("; not with {}", name(delivery)),
            _ => format!("; none in {tried} interleavings with {}", name(delivery)),
        });
    }
    name(present).to_owned() + &without.join("")
}
