//! One check of one program, whatever its world: explore, fall back where the reduction could not decide, convert
//! failures to schedules of the ordinary world, confirm by replay, simplify.
//!
//! Only this module searches several times and combines the coverage of those searches. A front end is settings, a
//! [`Program`] and a renderer of [`Checked`].

mod checked;
mod confirm;
mod explore;
mod kind;
mod program;
mod resume;
mod settings;
#[cfg(test)]
mod tests;

pub use checked::{Checked, Statistics, Verdict};
pub use kind::SearchKind;
pub use program::Program;
pub use settings::{Check, STEPS, Simplify, Undecided, parse_duration};

use crate::search::Listener;
use crate::world::World;
use explore::Exploration;
use std::fmt::Debug;
use std::sync::Arc;

/// The outcome of an execution of a program.
pub type OutcomeOf<P> = <<P as Program>::World as World>::Outcome;

/// Checks `program`. The first failure is reported to the listener twice if its schedule could be simplified.
///
/// # Errors
/// If the search to resume is one of another kind, of another test or with other settings.
pub fn check<P: Program>(
    program: &P,
    check: &Check,
    listener: Arc<dyn Listener>,
) -> Result<Checked<OutcomeOf<P>>, String>
where
    OutcomeOf<P>: Ord + Debug + Send,
{
    let mut exploration = Exploration::new(program, check, listener)?;
    let mut stage = exploration.run();
    let left = exploration.save(&mut stage);
    let mut checked = exploration.checked(stage);
    checked.left = left;
    exploration.confirm(&mut checked);
    checked.statistics.elapsed = exploration.begun.elapsed();
    Ok(checked)
}
