//! The contract of a system whose behaviour is decided one pick at a time.
//!
//! A world is independent of the search. It shows the possible picks, takes one, and reports how the execution ended.
//! Worlds are reused: [`World::start`] begins a clean execution. Optional abilities are separate traits: [`Rewind`],
//! [`SelfDriving`], [`Counterfactual`], [`Snapshot`].

mod counterfactual;
mod driver;
mod point;

pub use counterfactual::{Counterfactual, Variation};
pub use driver::{Decision, Driver, UniformDraws};
pub use point::{Birth, Manner, Pending, Pick, Point};

use crate::difference::Difference;
use crate::fact::{Assumption, TeardownError};
use crate::memory::PlacedGraph;
use crate::operation::TaskId;
use crate::record::ExecutionRecord;
use crate::trace::Step;
use crate::verdict::Defect;

/// Why an execution has no further step.
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
    /// The program ended with this result.
    Passed(T),
    /// The execution failed. [`Explain::record`] shows how.
    Failed(Defect),
}

/// How one execution ended.
#[derive(Debug)]
pub struct Ended<T> {
    /// Why there is no further step.
    pub ending: Ending,
    /// Whether the execution is possible. A world that leaves the order of some operations open may find that no order
    /// is consistent with the observations; such an execution is redundant.
    pub is_possible: bool,
    /// Its result.
    pub end: End<T>,
}

impl<T> Ended<T> {
    /// A possible execution ended in this way.
    pub fn new(ending: Ending, end: End<T>) -> Ended<T> {
        Ended { ending, is_possible: true, end }
    }
    /// The search stopped an execution for this reason.
    pub fn stopped(why: Defect) -> Ended<T> {
        Ended::new(Ending::Stopped, End::Failed(why))
    }
}

/// The result of the teardown of an execution.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Finished {
    /// The errors of the teardown. They never replace the verdict.
    pub errors: Vec<TeardownError>,
    /// An assumption about the program was refuted: the search must restart.
    pub is_refuted: bool,
}

/// Describes operations, for messages about picks that do not fit.
pub trait Describe {
    /// The pending operation of `task`.
    fn describe(&self, task: TaskId) -> String;
    /// Step `index` of the previous execution.
    fn describe_last_time(&self, index: usize) -> String;
    /// The first of the first `steps` steps whose result is not the one that it had in the previous execution. A world
    /// that is deterministic by construction need not compare.
    fn differs_from_last_time(&self, steps: usize) -> Option<Difference> {
        let _ = steps;
        None
    }
}

/// Makes an execution readable.
pub trait Explain: Describe {
    /// The execution so far.
    fn record(&self) -> ExecutionRecord;
    /// The graph of the execution so far, if tasks access memory under a weak model.
    fn memory_graph(&self) -> Option<PlacedGraph> {
        None
    }
    /// What the executions so far assumed.
    fn assumptions(&self) -> Vec<Assumption> {
        Vec::new()
    }
}

/// A system whose behaviour is decided one pick at a time.
pub trait World: Explain {
    /// The result of an execution that passes.
    type Outcome;

    /// Begins a clean execution.
    fn start(&mut self);
    /// The possible picks; if no task is enabled, the execution is over.
    fn point(&self) -> Point<'_>;
    /// Takes `pick`.
    fn step(&mut self, pick: Pick);
    /// How the execution ended; called once, when the point is over or the search has stopped it for the given reason.
    /// Keeps all that [`World::point`] and [`Explain::record`] need.
    fn end(&mut self, stopped: Option<Defect>) -> Ended<Self::Outcome>;
    /// Whether the execution was ended from outside in the middle of a step, so that nothing is known of it.
    fn is_interrupted(&self) -> bool {
        false
    }
    /// Tears the execution down.
    fn finish(&mut self) -> Finished {
        Finished::default()
    }
    /// Returning to a state of the previous execution, if the world can.
    fn rewind(&mut self) -> Option<&mut dyn Rewind> {
        None
    }
    /// Driving itself, if the world can.
    fn self_driving(&mut self) -> Option<&mut dyn SelfDriving> {
        None
    }
}

/// A world that keeps checkpoints of its states.
pub trait Rewind {
    /// Begins an execution with these first steps of the previous one, from a checkpoint after them. Returns whether it
    /// did; otherwise there is no effect.
    fn rewind_to(&mut self, steps: &[Step]) -> bool;
}

/// A world that asks a driver without returning to the search after each step.
pub trait SelfDriving {
    /// Begins a clean execution and asks the driver until it is over, or until the driver stops it. Steps of
    /// [`Driver::kept`] may be taken without asking.
    fn run(&mut self, driver: &mut dyn Driver);
    /// Begins a clean execution and draws its picks until it is over or the draws are used up, without recording it:
    /// the same as [`SelfDriving::run`] with a driver that draws the same, but faster. Worlds that would not be faster,
    /// or that need a record during the execution, return `false`: then there is no effect.
    fn run_unobserved(&mut self, draws: &mut UniformDraws) -> bool {
        let _ = draws;
        false
    }
}

/// Asks the driver from the present state on, until the execution is over or the driver stops it.
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
