//! One check of one program, whatever its world: explore, under one memory model or two, fall back where the reduction could not decide, convert
//! failures to schedules of the ordinary world, confirm by replay, simplify.
//!
//! Only this module searches several times and combines the coverage of those searches. A front end is settings, a
//! [`Program`] and a renderer of [`Checked`].

mod checked;
mod confirm;
mod explore;
mod follow;
mod kind;
mod models;
mod orderings;
mod program;
mod resume;
mod settings;
mod staged;
#[cfg(test)]
mod tests;

pub use checked::{Checked, Statistics, Verdict};
pub use kind::SearchKind;
pub use program::{Orderings, Program, Reducible, Refinable, Variant, Variants, Weaker};
pub use settings::{Check, MEMORY, STEPS, Simplify, Undecided, parse_duration};

use crate::search::Listener;
use crate::world::World;
use explore::Exploration;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

/// The outcome of an execution of a program.
pub type OutcomeOf<P> = <<P as Program>::World as World>::Outcome;

/// Checks `program`. The first failure is reported to the listener twice if its schedule could be simplified.
///
/// # Errors
/// If the search to resume is one of another kind, of another test or with other settings, if the ticket to replay is one of
/// another test or nothing of it was replayed, or if a number is out of range.
pub fn check<P: Program>(
    program: &P,
    check: &Check,
    listener: Arc<dyn Listener>,
) -> Result<Checked<OutcomeOf<P>>, String>
where
    OutcomeOf<P>: Ord + Debug + Send,
{
    check.are_numbers_in_range()?;
    check.is_ticket_of_this_test()?;
    match program.orderings().filter(|_| check.replay.is_none()) {
        Some(orderings) => models::check(program, orderings, check, listener),
        None => under_one_model(program, check, listener),
    }
}

/// The same where the memory model is known.
fn under_one_model<P: Program>(
    program: &P,
    check: &Check,
    listener: Arc<dyn Listener>,
) -> Result<Checked<OutcomeOf<P>>, String>
where
    OutcomeOf<P>: Ord + Debug + Send,
{
    if check.kind == SearchKind::Staged && check.replay.is_none() {
        return staged::check(program, check, listener);
    }
    one_stage(program, check, Stage::default(), listener)
}

/// The place of a check among the stages of a search; the default one is a search of one stage.
#[derive(Clone, Copy, Debug, Default)]
struct Stage {
    /// When executions are cut, by the clock of the check; none for a little after its time limit.
    cut: Option<Duration>,
    /// How many schedules earlier stages have drawn.
    drawn: u64,
}

/// The check of one stage.
fn one_stage<P: Program>(
    program: &P,
    check: &Check,
    stage: Stage,
    listener: Arc<dyn Listener>,
) -> Result<Checked<OutcomeOf<P>>, String>
where
    OutcomeOf<P>: Ord + Debug + Send,
{
    let mut exploration = Exploration::new(program, check, stage, listener)?;
    let mut part = exploration.run();
    let left = exploration.save(&mut part);
    let mut checked = exploration.checked(part);
    checked.left = left;
    exploration.is_replayed(&checked)?;
    exploration.confirm(&mut checked);
    checked.statistics.elapsed = exploration.elapsed();
    Ok(checked)
}
