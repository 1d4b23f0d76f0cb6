//! The weakest delivery under which a failure occurs: a failure with instant delivery does not depend on delayed
//! signals.

use super::silently;
use raddle_core::check::{Check, Simplify, Undecided};
use raddle_core::verdict::{Extent, Failure};
use raddle_erlang::settings::{Delivery, Settings};
use raddle_erlang::world::Program;

/// So many interleavings are tried under each weaker delivery.
const TRIED: u64 = 10_000;

/// The weakest delivery with a failure of this kind, as text, with what was tried under those without one.
pub fn weakest_delivery(program: &Program, failure: &Failure, max_steps: usize) -> String {
    let present = program.settings.delivery;
    let mut without: Vec<String> = Vec::new();
    for (delivery, name) in Delivery::ALL {
        if delivery == present {
            break;
        }
        let settings = Settings { delivery, ..program.settings.clone() };
        let mut check = Check { simplify: Simplify::No, undecided: Undecided::Report, ..Check::default() };
        (check.budget.executions, check.budget.steps) = (Some(TRIED), max_steps);
        let Some(checked) = silently(Program { settings, ..program.clone() }, &check) else { continue };
        if checked.failure().is_some_and(|found| found.kind() == failure.kind()) {
            return name.to_owned() + &without.concat();
        }
        let tried = raddle_report::count(checked.executions(), "interleaving");
        without.push(match checked.coverage.extent {
            Extent::Exhaustive => format!("; not with {name}"),
            _ => format!("; none in {tried} with {name}"),
        });
    }
    present.name().to_owned() + &without.concat()
}
