//! Processes a failure: it is converted to a schedule of the ordinary world, replayed once, and simplified.

use super::checked::Checked;
use super::explore::Exploration;
use super::{OutcomeOf, Program, Simplify};
use crate::explain::explain;
use crate::search::{FailureGroup, NoListener, Plan, Searched, replay};
use crate::simplify::{Simplifier, follow};
use crate::verdict::{Failure, Replayed};
use crate::world::Pick;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

/// Where an execution takes longer, many of them would take too long: then its schedule is only reordered.
const SLOW: Duration = Duration::from_millis(200);

impl<P: Program> Exploration<'_, P>
where
    OutcomeOf<P>: Ord + Debug + Send,
{
    /// Converts failures of a reduced world to failures of the ordinary one.
    pub fn concretise(&self, stage: &mut Searched<OutcomeOf<P>>) {
        self.convert(&mut stage.tally.failures);
        if let Some(group) = stage.tally.failures.first() {
            self.listener.failed(&group.first);
        }
    }

    /// The same for these failures.
    pub(super) fn convert(&self, failures: &mut [FailureGroup]) {
        let Some(reducible) = self.program.reducible() else { return };
        for group in failures {
            let schedule: Vec<Pick> = group.first.ticket.picks().collect();
            let concrete = reducible.concretise(&schedule);
            let told =
                concrete.and_then(|picks| follow(&self.one_execution(), picks, || self.program.world()));
            if let Some(told) = told {
                group.first = Failure { execution: group.first.execution, ..told };
            }
        }
    }

    /// Replays the first failure, reports if it does not occur again, and simplifies its schedule.
    pub fn confirm(&self, checked: &mut Checked<OutcomeOf<P>>) {
        let Some(group) = checked.failures.first_mut() else { return };
        let failure = &mut group.first;
        if self.check.replay.is_some() || !failure.kind().can_be_replayed() {
            return;
        }
        let begun = self.check.clock.now();
        failure.replayed = self.replayed(failure);
        if failure.replayed.is_some() {
            return;
        }
        let mut is_slow = self.check.clock.now().saturating_sub(begun) > SLOW;
        if is_slow {
            // Or the machine was busy with something else.
            let begun = self.check.clock.now();
            self.replayed(failure);
            is_slow = self.check.clock.now().saturating_sub(begun) > SLOW;
        }
        let (plan, make) = (self.one_execution(), || self.program.world());
        let is_late = || self.is_late() || self.listener.wants_to_stop();
        if self.check.may_have_a_simpler_schedule() {
            let simplifier = Simplifier::new(&plan, failure, &make, &is_late);
            let simple = simplifier.and_then(|simplifier| match is_slow {
                true => simplifier.reorder(),
                false => simplifier.simplify(),
            });
            if let Some(simple) = simple {
                *failure = simple;
                self.listener.failed(failure);
            }
        }
        if self.check.simplify == Simplify::Yes && !is_slow {
            failure.explanation = explain(&plan, failure, make, is_late);
        }
        if self.check.simplify == Simplify::Yes && !is_late() {
            failure.memory = self.explain_memory(failure);
        }
        self.note_more(failure);
    }

    /// Takes over the facts of a world that notes more.
    fn note_more(&self, failure: &mut Failure) {
        let kind = failure.kind();
        if self.program.noting_world(kind).is_none() {
            return;
        }
        let make = || self.program.noting_world(kind).expect("there is one");
        let found = replay(&self.one_execution(), &failure.ticket, make, Arc::new(NoListener));
        if let Some(same) = found.failure.filter(|found| found.defect.cause == failure.defect.cause) {
            failure.defect.facts = same.defect.facts;
        }
    }

    /// The result of a replay, unless it is the same failure. If it is, its record is taken over: it says which tasks are
    /// enabled at each step.
    fn replayed(&self, failure: &mut Failure) -> Option<Replayed> {
        let make = || self.program.world();
        let found = replay(&self.one_execution(), &failure.ticket, make, Arc::new(NoListener));
        match found.failure.map(|failure| (failure.defect, failure.record)) {
            Some((defect, record)) if defect.kind == failure.kind() => {
                if defect.cause == failure.defect.cause && record.lines.len() == failure.record.lines.len() {
                    failure.record = record;
                }
                None
            }
            Some((defect, _)) => Some(Replayed::Failed { kind: defect.kind, message: defect.message() }),
            None if found.executions == 0 && self.is_late() => Some(Replayed::NotInTime),
            None => Some(Replayed::Passed),
        }
    }

    /// It begins in any case, and is cut as all executions are.
    fn one_execution(&self) -> Plan {
        Plan { notes_points: true, ..self.plan().of_one_execution() }
    }
}
