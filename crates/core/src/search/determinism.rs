//! Whether the same picks lead to the same steps with the same results. The kept prefix of each execution is compared with
//! the previous execution, and the first execution of a search is made twice.
//!
//! Invariant: what differs is a failure of its own kind, since no result of the search could be trusted.

use super::Lookout;
use super::run::{Ran, look};
use crate::difference::{Difference, Ended};
use crate::fact::{Fact, Relation};
use crate::operation::TaskId;
use crate::strategy::{Decision, Next, Observation, Strategy};
use crate::trace::Trace;
use crate::verdict::{Defect, Extent, FailureKind};
use crate::world::{Describe, End, Pick, Point, World};

/// Makes one execution whose steps are recorded, whether or not the strategy observes them. Also returns their number.
#[cold]
pub(super) fn observed<W: World>(
    world: &mut W,
    strategy: &mut dyn Strategy,
    trace: &mut Trace,
    keep: usize,
    max_steps: usize,
    lookout: &mut Lookout,
) -> (Ran<W::Outcome>, usize) {
    let ran = look(world, strategy, trace, keep, &[], max_steps, lookout);
    (ran, trace.len())
}

/// Makes the execution of `trace`, which passed with `outcome`, once more. Returns what is different.
#[cold]
pub(super) fn again<W: World>(
    world: &mut W,
    trace: &mut Trace,
    outcome: &W::Outcome,
    max_steps: usize,
    lookout: &mut Lookout,
) -> Option<Defect>
where
    W::Outcome: Ord,
{
    let steps = trace.len();
    let mut end = AtTheEnd { further: None };
    let difference = match look(world, &mut end, trace, steps, &[], max_steps.max(steps + 1), lookout) {
        Ran::Passed(_) if world.differs_from_last_time(steps).is_some() => {
            world.differs_from_last_time(steps)
        }
        Ran::Passed(other) => (other != *outcome).then_some(Difference::Outcome),
        // Not a failure of the program.
        Ran::Failed(defect) if !defect.kind.can_be_replayed() => return Some(defect),
        Ran::Failed(defect) => {
            let (kind, message) = (defect.kind, defect.message());
            Some(Difference::End { was: Ended::Passed { steps }, now: Ended::Failed { kind, message } })
        }
        Ran::Abandoned => {
            let now = end.further.map_or_else(String::new, |task| world.describe(task));
            Some(Difference::EndsLater { steps, now })
        }
        // Its time was used up.
        Ran::Undecided | Ran::Cut | Ran::Interrupted => None,
    };
    difference.map(Defect::not_deterministic)
}

/// Chooses after the last step, where there should be nothing to choose.
struct AtTheEnd {
    further: Option<TaskId>,
}

impl Strategy for AtTheEnd {
    fn begin(&mut self, _: u64) -> Next {
        Next::Exhausted
    }
    fn choose(&mut self, _: &Trace, point: &Point<'_>) -> Decision {
        self.further = point.enabled().first().copied();
        Decision::ABANDON
    }
    fn extent(&self, _: u64) -> Extent {
        Extent::Replayed
    }
    fn observes(&self) -> Observation {
        Observation::Points
    }
}

/// A step of the prefix is another one now.
#[cold]
pub(super) fn not_deterministic(world: &dyn Describe, index: usize, task: TaskId, exists: bool) -> Defect {
    let was = world.describe_last_time(index);
    let now = if exists { world.describe(task) } else { "a task that does not exist".to_owned() };
    Defect::not_deterministic(Difference::Step { step: index + 1, was, now })
}

/// The strategy knows a pick that is not possible now.
#[cold]
pub(super) fn no_longer_possible(world: &dyn Describe, index: usize, pick: Pick, exists: bool) -> Defect {
    let now = if exists { world.describe(pick.task) } else { "a task that does not exist".to_owned() };
    Defect::not_deterministic(Difference::Option { step: index + 1, now, option: pick.option })
}

/// The execution ended where it continued before.
#[cold]
pub(super) fn over_too_early<T>(steps: usize, end: End<T>) -> Defect {
    let ends_earlier = || Defect::not_deterministic(Difference::EndsEarlier { steps });
    match end {
        End::Passed(_) => ends_earlier(),
        End::Failed(d) if matches!(d.kind, FailureKind::Misuse | FailureKind::Unsupported) => d,
        End::Failed(d) => {
            let ended = Relation::EndedIn { kind: d.kind, message: d.message() };
            ends_earlier().with(Fact::new(ended))
        }
    }
}

/// An execution that was not observed failed, and passed after so many steps when it was observed.
#[cold]
pub(super) fn not_again(defect: &Defect, steps: usize) -> Defect {
    let was = Ended::Failed { kind: defect.kind, message: defect.message() };
    Defect::not_deterministic(Difference::End { was, now: Ended::Passed { steps } })
}
