//! Where the reduction cannot decide, depth-first search does, from the start, and the verdict is its own.

use super::{Check, Program, Stage, Undecided, check, one_stage};
use crate::fact::StopReason;
use crate::operation::{Accesses, TaskId};
use crate::record::ExecutionRecord;
use crate::search::{LazyMap, NoListener};
use crate::strategy::{Decision, Next, Strategy};
use crate::trace::Trace;
use crate::verdict::{Defect, Extent};
use crate::world::{Describe, End, Ended, Ending, Explain, Manner, Pending, Pick, Point, World};
use std::sync::Arc;

/// A reduction that cannot decide how to continue.
pub(super) struct NeverDecides {
    pub asked: bool,
}

impl Strategy for NeverDecides {
    fn begin(&mut self, _: u64) -> Next {
        if std::mem::replace(&mut self.asked, true) { Next::Exhausted } else { Next::From(0) }
    }
    fn choose(&mut self, _: &Trace, _: &Point<'_>) -> Decision {
        Decision::UNDECIDED
    }
    fn extent(&self, _: u64) -> Extent {
        Extent::Exhaustive
    }
}

/// One task that chooses one of six values.
struct Die {
    rolled: Option<u32>,
    enabled: [TaskId; 1],
    pending: [Pending; 1],
}

const ROLL: Pending =
    Pending { accesses: Accesses::NONE, options: 6, signature: 1, manner: Manner::Ordinary };

impl Describe for Die {
    fn describe(&self, _: TaskId) -> String {
        "main roll".to_owned()
    }
    fn describe_last_time(&self, _: usize) -> String {
        "main roll".to_owned()
    }
}

impl Explain for Die {
    fn record(&self) -> ExecutionRecord {
        ExecutionRecord::default()
    }
}

impl World for Die {
    type Outcome = u32;
    fn start(&mut self) {
        (self.rolled, self.pending) = (None, [ROLL]);
    }
    fn point(&self) -> Point<'_> {
        let enabled = if self.rolled.is_none() { &self.enabled[..] } else { &[] };
        Point::new(enabled, &self.pending)
    }
    fn step(&mut self, pick: Pick) {
        (self.rolled, self.pending) = (Some(pick.option), [Pending::NOTHING]);
    }
    fn end(&mut self, stopped: Option<Defect>) -> Ended<u32> {
        match stopped {
            Some(why) => Ended::stopped(why),
            None => Ended::new(Ending::Natural, End::Passed(self.rolled.unwrap_or_default())),
        }
    }
}

struct OneDie;

impl Program for OneDie {
    type World = Die;
    fn world(&self) -> Die {
        Die { rolled: None, enabled: [TaskId(0)], pending: [ROLL] }
    }
    fn settings(&self) -> LazyMap {
        LazyMap::default()
    }
}

#[test]
fn what_the_reduction_cannot_decide() {
    let listener = || Arc::new(NoListener);
    let undecided = Check { never_decides: true, ..Check::default() };
    let checked = check(&OneDie, &undecided, listener()).unwrap();
    assert_eq!((checked.outcomes.len(), checked.executions()), (6, 6));
    assert_eq!(checked.coverage.extent, Extent::Exhaustive);
    // A limit is no reason to restart.
    let mut limited = undecided.clone();
    limited.budget.executions = Some(0);
    // A later stage may have none left.
    let checked = one_stage(&OneDie, &limited, Stage::default(), listener()).unwrap();
    assert_eq!((checked.executions(), checked.coverage.is_exhaustive()), (0, false));
    // With `Undecided::Report`, the coverage reports it.
    let reported = Check { undecided: Undecided::Report, ..undecided };
    let checked = check(&OneDie, &reported, listener()).unwrap();
    assert_eq!(checked.coverage.extent, Extent::Partial(StopReason::Undecided { executions: 1 }));
}
