//! The steps of one execution, and which of them happen before which.
//!
//! A trace holds the data of the search; readable data are in the [record](crate::record). Happens-before here is
//! *conflict order*: program order, plus conflicting steps in the order they were taken. It is computed on demand.

use crate::operation::{Accesses, TaskId};
use crate::order::VectorClock;
use crate::world::{Pending, Pick, Point};

/// An operation that was taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The task that took the step.
    pub task: TaskId,
    /// Which option was taken.
    pub option: u32,
    /// Its accesses, as evaluated when it was picked.
    pub accesses: Accesses,
    /// Distinguishes operations: equal in equal executions.
    pub signature: u32,
    /// Whether it is a preemption.
    pub preempts: bool,
    /// Whether it happened by itself, without a choice: see [`Driver::note`](crate::world::Driver::note).
    pub by_itself: bool,
    /// Whether it happened by itself as soon as it was enabled, after it was blocked or might have been: it could not
    /// have come before the steps that it conflicts with.
    pub waited: bool,
}

impl Step {
    /// The operation and its place: see [`Pending::site`].
    #[inline]
    pub fn site(&self) -> u16 {
        (self.signature >> 16) as u16
    }
    /// The pick that made this step.
    #[inline]
    pub fn pick(&self) -> Pick {
        Pick { task: self.task, option: self.option }
    }
}

/// Two lists without what they begin and end with alike: where many tasks are enabled, few of them change in a step.
fn apart<'a>(one: &'a [TaskId], other: &'a [TaskId]) -> (&'a [TaskId], &'a [TaskId]) {
    let begin = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let (one, other) = (&one[begin..], &other[begin..]);
    let end = one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count();
    (&one[..one.len() - end], &other[..other.len() - end])
}

/// The tasks that are enabled at one point and were not at the one before, and the other way round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EnabledChange {
    /// How many steps precede the point.
    pub after: usize,
    /// The tasks that have become enabled.
    pub enabled: Vec<TaskId>,
    /// The tasks that are not enabled any more.
    pub disabled: Vec<TaskId>,
}

/// Which tasks are enabled at each point, as changes.
#[derive(Clone, Debug, Default)]
struct EnabledLog {
    now: Vec<TaskId>,
    changes: Vec<EnabledChange>,
}

impl EnabledLog {
    /// Keeps the points before this many steps.
    fn truncate(&mut self, depth: usize) {
        self.changes.retain(|change| change.after < depth);
        self.now.clear();
        for EnabledChange { enabled, disabled, .. } in &self.changes {
            self.now.retain(|task| !disabled.contains(task));
            self.now.extend(enabled);
        }
        self.now.sort_unstable();
    }
}

/// The steps of one execution so far.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    steps: Vec<Step>,
    preemptions: u32,
    /// The task of the last choice.
    last: Option<TaskId>,
    /// Which tasks are enabled, in executions that are made to be shown.
    points: Option<Box<EnabledLog>>,
}

impl Trace {
    /// An empty trace.
    pub fn new() -> Trace {
        Trace::default()
    }
    /// The same with room for a short execution.
    pub(crate) fn with_room() -> Trace {
        Trace { steps: Vec::with_capacity(32), ..Trace::default() }
    }
    /// The steps, in the order they were taken.
    #[inline]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }
    /// How many steps were taken.
    #[inline]
    pub fn len(&self) -> usize {
        self.steps.len()
    }
    /// Whether no step was taken.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
    /// The task of the last choice.
    #[inline]
    pub fn last_task(&self) -> Option<TaskId> {
        self.last
    }
    /// How many steps are preemptions.
    #[inline]
    pub fn preemptions(&self) -> u32 {
        self.preemptions
    }
    /// From now on it is recorded which tasks are enabled. The trace has no steps yet.
    pub(crate) fn note_points(&mut self) {
        debug_assert!(self.steps.is_empty());
        self.points = Some(Box::default());
    }
    /// Whether it is recorded which tasks are enabled.
    #[inline]
    pub(crate) fn notes_points(&self) -> bool {
        self.points.is_some()
    }
    /// Records which tasks are enabled at this point, if that is wanted.
    pub(crate) fn note_point(&mut self, point: &Point<'_>) {
        let Some(log) = &mut self.points else { return };
        let (now, before) = apart(point.enabled(), &log.now);
        let only = |some: &[TaskId], others: &[TaskId]| -> Vec<TaskId> {
            some.iter().copied().filter(|task| others.binary_search(task).is_err()).collect()
        };
        let (enabled, disabled) = (only(now, before), only(before, now));
        if !enabled.is_empty() || !disabled.is_empty() {
            log.changes.push(EnabledChange { after: self.steps.len(), enabled, disabled });
            log.now.clear();
            log.now.extend_from_slice(point.enabled());
        }
    }
    /// Which tasks are enabled at each choice, as changes; none if it was not recorded. Steps that happen by themselves
    /// have no point: what they change is told with the last of them.
    pub fn points(&self) -> Option<&[EnabledChange]> {
        self.points.as_ref().map(|log| log.changes.as_slice())
    }
    /// The picks that reproduce this trace.
    pub fn picks(&self) -> Vec<Pick> {
        self.steps.iter().map(Step::pick).collect()
    }
    /// Those of the steps that were choices.
    pub fn choices(&self) -> Vec<Pick> {
        self.steps.iter().filter(|step| !step.by_itself).map(Step::pick).collect()
    }
    /// Records that `pick` is taken at `point`.
    pub fn push(&mut self, pick: Pick, point: &Point<'_>) {
        self.push_pending(pick, point.pending(pick.task), point);
    }
    /// The same, if `pending` is known to be the picked operation.
    #[inline]
    pub(crate) fn push_pending(&mut self, pick: Pick, pending: &Pending, point: &Point<'_>) {
        let preempts = point.is_preemption(self.last, pick.task);
        self.preemptions += preempts as u32;
        self.last = Some(pick.task);
        self.steps.push(Step {
            task: pick.task,
            option: pick.option,
            accesses: pending.accesses,
            signature: pending.signature,
            preempts,
            by_itself: false,
            waited: false,
        });
    }
    /// Records a step of `task` that happens by itself. It is no preemption.
    #[inline]
    pub fn note(&mut self, task: TaskId, pending: &Pending) {
        self.steps.push(Step {
            task,
            option: 0,
            accesses: pending.accesses,
            signature: pending.signature,
            preempts: false,
            by_itself: true,
            waited: pending.options == 0,
        });
    }
    /// Keeps the first `depth` steps.
    pub fn truncate(&mut self, depth: usize) {
        self.steps.truncate(depth);
        if let Some(log) = &mut self.points {
            log.truncate(depth);
        }
        self.preemptions = self.steps.iter().filter(|s| s.preempts).count() as u32;
        self.last = self.steps.iter().rev().find(|s| !s.by_itself).map(|s| s.task);
    }
    /// The vector clock of each step: all steps that happen before it in conflict order, and itself. The time of a
    /// task's k-th step is k, from 1.
    pub fn happens_before(&self) -> Vec<VectorClock> {
        let mut clocks: Vec<VectorClock> = Vec::with_capacity(self.steps.len());
        for (i, step) in self.steps.iter().enumerate() {
            let mut clock = VectorClock::new();
            for (j, earlier) in self.steps[..i].iter().enumerate() {
                if earlier.task == step.task || earlier.accesses.conflict(step.accesses) {
                    clock.join(&clocks[j]);
                }
            }
            clock.tick(step.task);
            clocks.push(clock);
        }
        clocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::ObjectId;
    use crate::world::Manner;

    fn trace(steps: &[(u32, Accesses)]) -> Trace {
        let mut trace = Trace::new();
        for (task, accesses) in steps {
            let mut pending = [Pending::NOTHING; 3];
            pending[*task as usize] =
                Pending { accesses: *accesses, options: 1, signature: 0, manner: Manner::Ordinary };
            let enabled = [TaskId(*task)];
            trace.push(Pick { task: TaskId(*task), option: 0 }, &Point::new(&enabled, &pending));
        }
        trace
    }

    #[test]
    fn conflicting_steps_are_ordered_and_others_are_not() {
        let (x, y) = (ObjectId(0), ObjectId(1));
        let t = trace(&[(0, Accesses::write(x)), (1, Accesses::read(x)), (2, Accesses::write(y))]);
        let clocks = t.happens_before();
        assert!(clocks[1].knows(TaskId(0), 1));
        assert!(!clocks[2].knows(TaskId(0), 1));
        assert!(!clocks[2].knows(TaskId(1), 1));
    }

    #[test]
    fn happens_before_is_transitive_through_program_order() {
        let (x, y) = (ObjectId(0), ObjectId(1));
        let t = trace(&[
            (0, Accesses::write(x)),
            (1, Accesses::read(x)),
            (1, Accesses::write(y)),
            (2, Accesses::read(y)),
        ]);
        assert!(t.happens_before()[3].knows(TaskId(0), 1));
    }
}
