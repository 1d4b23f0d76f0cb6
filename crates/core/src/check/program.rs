//! The contract between a program under test and the pipeline: which worlds it provides.
//!
//! A program has an ordinary world. Worlds made for a partial-order reduction and assumptions that executions may refute
//! are separate traits: [`Reducible`], [`Refinable`], and so is a memory model that depends on the program: [`Orderings`].

use crate::fact::Obstacle;
use crate::memory::{Model, StrongerOrdering};
use crate::search::LazyMap;
use crate::verdict::FailureKind;
use crate::world::{Pick, World};

/// A program under test, with all settings that shape its executions.
pub trait Program: Sync {
    /// Its executions.
    type World: World;

    /// The ordinary world: for replays, samplers and searches without a reduction.
    fn world(&self) -> Self::World;
    /// A world that finds more facts about a failure of this kind than the ordinary one, and is slower; none if there are no more.
    fn noting_world(&self, _: FailureKind) -> Option<Self::World> {
        None
    }
    /// Its worlds for a partial-order reduction, if they are not the ordinary one.
    fn reducible(&self) -> Option<&dyn Reducible<Self::World>> {
        None
    }
    /// What its worlds assume until an execution refutes it, if they assume anything.
    fn refinable(&self) -> Option<&dyn Refinable> {
        None
    }
    /// The orderings of its accesses to memory, if its memory model depends on them.
    fn orderings(&self) -> Option<&dyn Orderings> {
        None
    }
    /// Variants of it, for comparison, if there are any.
    fn variants(&self) -> Option<&dyn Variants> {
        None
    }
    /// The parts of the program, each with a checksum of its code, for tickets and for searches that are resumed later: the
    /// same program has the same parts. Not empty for a program whose code is known.
    fn parts(&self) -> LazyMap {
        LazyMap::default()
    }
    /// The settings that shape executions, for tickets.
    fn settings(&self) -> LazyMap;
}

/// A program with worlds for a partial-order reduction. They may leave open what no task observes.
pub trait Reducible<W> {
    /// The world for a reduction without bounds.
    fn reduced_world(&self) -> W;
    /// The same for a reduction within bounds, to which two operations are the same in all states that differ in steps
    /// that do not conflict with them: it knows no [`LastOfSeveral`](crate::world::Variation::LastOfSeveral).
    fn bounded_world(&self) -> W {
        self.reduced_world()
    }
    /// Whether the bounded reduction explores all behaviours of that world. Otherwise all executions within the bounds
    /// are explored.
    fn reduces_within_bounds(&self) -> bool {
        true
    }
    /// Whether the schedules of these worlds are schedules of the ordinary one.
    fn is_concrete(&self) -> bool {
        true
    }
    /// Converts a schedule of the reduced world to one of the ordinary world; none if there is none.
    fn concretise(&self, schedule: &[Pick]) -> Option<Vec<Pick>> {
        Some(schedule.to_vec())
    }
}

/// A program whose worlds assume something of it until an execution refutes it.
pub trait Refinable {
    /// Whether an execution refuted an assumption of its world.
    fn is_refuted(&self) -> bool;
    /// An assumption was refuted: weakens it. Returns whether it did; the search restarts then.
    fn refine(&self) -> bool;
    /// What is assumed now, for a search that is stopped and resumed later.
    fn assumed(&self) -> Option<String>;
    /// Restores the assumptions of an earlier stage of the search.
    fn assume(&self, assumed: &str) -> Result<(), String>;
}

/// A program whose memory model depends on the orderings that its executions have: sequential consistency, or RC11.
pub trait Orderings {
    /// The worlds that are made from now on follow this model.
    fn follow(&self, model: Model, weaker: Weaker);
    /// Whether an execution accessed memory that several tasks share with an ordering weaker than `SeqCst`.
    fn are_weaker(&self) -> bool;
    /// Whether one has ended the search: see [`Weaker::EndsSearch`].
    fn ends_search(&self) -> bool;
    /// Whether something may order accesses to memory of which the model does not know: then a load may read an older store
    /// than it can.
    fn may_hide_synchronisation(&self) -> bool;
    /// Whether a failing execution under RC11 has shown that something does.
    fn hides_synchronisation(&self) -> bool;
    /// Whether the number of old stores that an execution reads is bounded: the reduction does not know that bound, and the
    /// search under RC11 goes on without it.
    fn are_stale_reads_bounded(&self) -> bool;
    /// Why the program can be explored under sequential consistency only; by a reduction, or in another way.
    fn obstacle(&self, is_reduced: bool) -> Option<Obstacle>;
}

/// What an ordering weaker than `SeqCst` does to a search under sequential consistency.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Weaker {
    /// It is noted.
    #[default]
    IsNoted,
    /// It ends the search, which begins anew.
    EndsSearch,
}

/// A program that can be explored with other orderings than its own, or under another memory model.
pub trait Variants {
    /// The worlds that are made from now on are those of this variant; or again those of the program.
    fn vary(&self, variant: Option<Variant>);
}

/// A variant of a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Variant {
    /// The memory model; none for that of the check.
    pub model: Option<Model>,
    /// Orderings that operations have where they are stronger than their own.
    pub orderings: Vec<StrongerOrdering>,
}
