//! The contract of a system whose behaviour is decided one pick at a time.
//!
//! A world never sees a search. It shows what could happen next, lets one of those things happen, and says how the
//! execution ended. Worlds are machines that are used again: [`World::start`] begins a clean execution. What only some
//! worlds can do is a capability of its own: [`Rewind`], [`SelfDriving`], [`Counterfactual`], [`Snapshot`].

mod counterfactual;
mod driver;
mod point;

pub use counterfactual::{Blockers, BlockingEffect, Counterfactual, Variation};
pub use driver::{Decision, Driver, UniformDraws};
pub use point::{Birth, Manner, Pending, Pick, Point};

use crate::fact::Assumption;
use crate::operation::TaskId;
use crate::record::ExecutionRecord;
use crate::trace::Step;
use crate::verdict::Defect;

/// Why nothing more happens in an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// No task is enabled.
    Natural,
    /// The last step ended the execution for all tasks, as a panic does: it conflicts with every other operation.
    Cut,
    /// The search stopped it, at a limit. Tasks may still be enabled.
    Stopped,
}

/// The result of one execution.
#[derive(Debug)]
pub enum End<T> {
    /// The program came to its end with this result.
    Passed(T),
    /// Something went wrong. [`Explain::record`] tells how.
    Failed(Defect),
}

/// How one execution ended.
#[derive(Debug)]
pub struct Ended<T> {
    /// Why nothing more happens.
    pub ending: Ending,
    /// Whether the execution stands for something that can happen. A world that leaves the order of some operations
    /// open may find that no order is consistent with what was observed of them; such an execution is redundant.
    pub is_possible: bool,
    /// Its result.
    pub end: End<T>,
}

impl<T> Ended<T> {
    /// An execution that can happen ended in this way.
    pub fn new(ending: Ending, end: End<T>) -> Ended<T> {
        Ended { ending, is_possible: true, end }
    }
    /// The search stopped an execution for this reason.
    pub fn stopped(why: Defect) -> Ended<T> {
        Ended::new(Ending::Stopped, End::Failed(why))
    }
}

/// What is left to say when an execution was put away.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Finished {
    /// What went wrong on the way. It never replaces the verdict.
    pub errors: Vec<String>,
    /// An assumption about the program has turned out not to hold: the search has to begin anew.
    pub is_refuted: bool,
}

/// Says what tasks do, for messages about picks that do not fit.
pub trait Describe {
    /// What `task` would do next.
    fn describe(&self, task: TaskId) -> String;
    /// What step `index` of the execution before this one was.
    fn describe_last_time(&self, index: usize) -> String;
}

/// Tells people about an execution.
pub trait Explain: Describe {
    /// The execution so far.
    fn record(&self) -> ExecutionRecord;
    /// What the executions so far took for granted.
    fn assumptions(&self) -> Vec<Assumption> {
        Vec::new()
    }
}

/// A system whose behaviour is decided one pick at a time.
pub trait World: Explain {
    /// What an execution that passes results in.
    type Outcome;

    /// Begins a clean execution.
    fn start(&mut self);
    /// What could happen next; nothing enabled means that the execution is over.
    fn point(&self) -> Point<'_>;
    /// Lets `pick` happen.
    fn step(&mut self, pick: Pick);
    /// How the execution ended; asked once, when the point is over or the search has stopped it for the reason that is
    /// given. Tears down nothing that [`World::point`] and [`Explain::record`] need.
    fn end(&mut self, stopped: Option<Defect>) -> Ended<Self::Outcome>;
    /// Puts away whatever is left of the execution.
    fn finish(&mut self) -> Finished {
        Finished::default()
    }
    /// Going back to a state of the execution before, if the world can.
    fn rewind(&mut self) -> Option<&mut dyn Rewind> {
        None
    }
    /// Asking a driver from inside, if the world can.
    fn self_driving(&mut self) -> Option<&mut dyn SelfDriving> {
        None
    }
}

/// A world that keeps copies of its states.
pub trait Rewind {
    /// Begins an execution with these first steps of the one before it, from a copy of the state behind them. Says
    /// whether it did; otherwise nothing has happened.
    fn rewind_to(&mut self, steps: &[Step]) -> bool;
}

/// A world that asks a driver without returning to the search after each step.
pub trait SelfDriving {
    /// Begins a clean execution and lets the driver decide until it is over, or until the driver stops it. Steps that
    /// [`Driver::kept`] names may be taken without asking.
    fn run(&mut self, driver: &mut dyn Driver);
    /// Begins a clean execution and draws what happens until it is over or the draws are used up, without recording it:
    /// the same as [`SelfDriving::run`] with a driver that draws the same, but faster. Worlds that would not be faster, or
    /// that need a record on the way, return `false`: then nothing has happened.
    fn run_unobserved(&mut self, draws: &mut UniformDraws) -> bool {
        let _ = draws;
        false
    }
}

/// Lets the driver decide from the present state on, until the execution is over or the driver stops it.
pub fn drive<W: World>(world: &mut W, driver: &mut dyn Driver) {
    loop {
        let point = world.point();
        if point.is_over() {
            return;
        }
        let Some(pick) = driver.next(&point, world).pick() else { return };
        world.step(pick);
    }
}

/// A world that can be copied and compared: stateful search, no re-execution.
pub trait Snapshot: World + Clone {
    /// Equal for equal states.
    fn fingerprint(&self) -> u128;
}
