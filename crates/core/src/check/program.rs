//! The contract between a program under test and the pipeline: which worlds it provides.

use crate::search::LazyMap;
use crate::world::{Pick, World};

/// A program under test, with all settings that shape its executions.
pub trait Program: Sync {
    /// Its executions.
    type World: World;

    /// The ordinary world: for replays, samplers and searches without a reduction.
    fn world(&self) -> Self::World;
    /// A world for a partial-order reduction. It may leave open what no task observes, and assume that a task observes
    /// nothing until it does.
    fn reduced_world(&self) -> Self::World {
        self.world()
    }
    /// The same for a reduction within bounds, to which two operations are the same in all states that differ in steps
    /// that do not conflict with them: it knows no [`LastOfSeveral`](crate::world::Variation::LastOfSeveral).
    fn bounded_world(&self) -> Self::World {
        self.reduced_world()
    }
    /// Whether an execution refuted an assumption of its world.
    fn is_refuted(&self) -> bool {
        false
    }
    /// An assumption of the world was refuted: weakens it. Returns whether it did; the search restarts then.
    fn refine(&self) -> bool {
        false
    }
    /// Whether the schedules of the reduced world are schedules of the ordinary one.
    fn is_concrete(&self) -> bool {
        true
    }
    /// Converts a schedule of the reduced world to one of the ordinary world; none if there is none.
    fn concretise(&self, schedule: &[Pick]) -> Option<Vec<Pick>> {
        Some(schedule.to_vec())
    }
    /// Whether the bounded reduction explores all behaviours of this world. Otherwise all executions within the bounds
    /// are explored.
    fn reduces_within_bounds(&self) -> bool {
        true
    }
    /// What the reduced world assumes now, for a search that is stopped and resumed later.
    fn assumed(&self) -> Option<String> {
        None
    }
    /// Restores the assumptions of an earlier stage of the search.
    fn assume(&self, assumed: &str) -> Result<(), String> {
        let _ = assumed;
        Ok(())
    }
    /// The parts of the program, each with a checksum of its code, for tickets and for searches that are resumed later: the
    /// same program has the same parts. Not empty for a program whose code is known.
    fn parts(&self) -> LazyMap {
        LazyMap::default()
    }
    /// The settings that shape executions, for tickets.
    fn settings(&self) -> LazyMap;
}
