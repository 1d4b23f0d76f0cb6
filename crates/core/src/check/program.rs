//! The contract between a program under test and the pipeline: which worlds it has.

use crate::search::LazySettings;
use crate::world::{Pick, World};

/// A program under test, with all that shapes its executions.
pub trait Program: Sync {
    /// Its executions.
    type World: World;

    /// A world in which executions happen as they are: for replays, samplers and searches without a reduction.
    fn world(&self) -> Self::World;
    /// A world for a partial-order reduction. It may leave open what no task observes, and assume that a task observes
    /// nothing until it does.
    fn reduced_world(&self) -> Self::World {
        self.world()
    }
    /// An assumption of the reduced world was refuted: weakens it. Says whether it did; the search begins anew then.
    fn refine(&self) -> bool {
        false
    }
    /// Whether the schedules of the reduced world are schedules of the ordinary one.
    fn is_concrete(&self) -> bool {
        true
    }
    /// The schedule in the ordinary world of an execution of the reduced one that is not concrete; none if there is none.
    fn concretise(&self, schedule: &[Pick]) -> Option<Vec<Pick>> {
        Some(schedule.to_vec())
    }
    /// Whether the bounded reduction explores all behaviours of this world. Otherwise all executions within the bounds are
    /// explored.
    fn reduces_within_bounds(&self) -> bool {
        true
    }
    /// What the reduced world assumes at present, for a search that is stopped and goes on later.
    fn assumed(&self) -> Option<String> {
        None
    }
    /// The reduced world assumes what that of an earlier part of the search did.
    fn assume(&self, assumed: &str) -> Result<(), String> {
        let _ = assumed;
        Ok(())
    }
    /// The settings that shape executions, for tickets.
    fn settings(&self) -> LazySettings;
}
