//! Follows prescribed picks once and records the execution. Steps that happen by themselves are not prescribed.

use crate::operation::TaskId;
use crate::strategy::{Decision, Next, NoPreempt, Standing, Strategy};
use crate::trace::Trace;
use crate::verdict::{Extent, Verdict};
use crate::world::{Ending, Pick, Point};
use std::sync::{Arc, Mutex};

/// One execution.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    pub trace: Trace,
    /// By task: the number of steps before it existed. Main and the tasks of the start have 0.
    pub births: Vec<usize>,
    /// Why it has no further step; none if it was abandoned.
    pub ending: Option<Ending>,
}

/// Which picks are prescribed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Of {
    /// Those of all steps of a trace, including steps that happen by themselves.
    AllSteps,
    /// Only those that are choices.
    Choices,
    /// The same, and a pick that is not possible comes later, as soon as it is, or never.
    PossibleChoices,
}

/// Follows picks; after them, continues without preemptions.
pub(crate) struct Follow {
    picks: Vec<Pick>,
    of: Of,
    chosen: usize,
    births: Vec<usize>,
    run: Arc<Mutex<Run>>,
    begun: bool,
}

impl Follow {
    pub fn new(picks: Vec<Pick>, of: Of, run: Arc<Mutex<Run>>) -> Follow {
        Follow { picks, of, chosen: 0, births: Vec::new(), run, begun: false }
    }
}

impl Strategy for Follow {
    fn begin(&mut self, _execution: u64) -> Next {
        if std::mem::replace(&mut self.begun, true) { Next::Exhausted } else { Next::From(0) }
    }

    fn choose(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision {
        self.births.resize(point.all().len().max(self.births.len()), so_far.len());
        let possible = |p: &Pick| point.is_enabled(p.task) && p.option < point.pending(p.task).options;
        let at = match self.of {
            Of::AllSteps => Some(so_far.len()),
            Of::Choices => Some(self.chosen),
            Of::PossibleChoices => self.picks.iter().position(possible),
        };
        self.chosen += 1;
        let prescribed = at.and_then(|at| self.picks.get(at).copied());
        if let (Of::PossibleChoices, Some(at)) = (self.of, at) {
            self.picks.remove(at);
        }
        let pick = prescribed.unwrap_or_else(|| NoPreempt::pick(so_far, point));
        if possible(&pick) { Decision::take(pick) } else { Decision::ABANDON }
    }

    fn over(&mut self, _so_far: &Trace, _point: &Point<'_>, ending: Ending) -> Standing {
        self.run.lock().expect("no panic while it is locked").ending = Some(ending);
        Standing::Counts
    }

    fn finish(&mut self, trace: &Trace, _verdict: Verdict) {
        let mut run = self.run.lock().expect("no panic while it is locked");
        run.trace = trace.clone();
        run.births = std::mem::take(&mut self.births);
    }

    fn extent(&self, _executions: u64) -> Extent {
        Extent::Replayed
    }
}

/// The step that created a task: the last one before it existed.
pub(super) fn birth_step(births: &[usize], task: TaskId) -> Option<usize> {
    births.get(task.index()).and_then(|after| after.checked_sub(1))
}
