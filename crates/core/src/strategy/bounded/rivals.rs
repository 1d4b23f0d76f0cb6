//! The executions that are equivalent to the present one and come earlier in the order of trial.
//!
//! A rival is given by a moment and a task that was tried there before the one that was taken. Its *moved* steps are
//! the first ones of that task since then, as long as none of them conflicts with a step of another task in between:
//! the rival is the prefix up to the moment, the moved steps, and then the others in their order. Its preemptions are
//! known exactly where the same steps had happened, and overestimated elsewhere. All of this depends only on the
//! present execution, so it is the same for every worker.

use super::super::Bounds;
use super::goes_on;
use crate::operation::{Accesses, TaskId};
use crate::trace::{Step, Trace};
use crate::world::{Ending, Manner, Pending, Point};

/// The maximal number of rivals: the oldest are dropped, which costs executions but loses none.
const MOST: usize = 64;

/// A point at which a task was picked.
#[derive(Clone, Copy, Debug)]
struct Moment {
    /// How many steps there were.
    at: usize,
    /// The task that was picked, and the task of the step before.
    task: TaskId,
    last: Option<TaskId>,
    preemptions: u32,
    /// Where its pending operations begin, and its rivals.
    pendings: usize,
    rivals: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// The pending operation of its task conflicts with no step that it would overtake.
    Open,
    /// The same as far as is known: its task has taken a step since the last check.
    Unsure,
    /// No further steps can be moved.
    Closed,
    /// Nor will the difference in cost ever change from this number.
    Settled(u32),
}

#[derive(Clone, Copy, Debug)]
struct Rival {
    /// The number of its moment, and how many steps there were.
    moment: usize,
    at: usize,
    task: TaskId,
    /// Steps of its task from here on are not moved; 0 if none is.
    until: usize,
    state: State,
}

impl Rival {
    fn moves(&self, index: usize, step: &Step) -> bool {
        step.task == self.task && index < self.until
    }
    /// Whether a step that is not moved conflicts with these accesses.
    fn is_in_the_way(&self, steps: &[Step], accesses: Accesses) -> bool {
        steps[self.at..].iter().any(|step| step.task != self.task && step.accesses.conflict(accesses))
    }
}

/// The rivals of the present execution.
#[derive(Clone, Debug)]
pub(super) struct Rivals {
    bounds: Bounds,
    moments: Vec<Moment>,
    /// The pending operations of all tasks at each moment.
    pendings: Vec<Pending>,
    /// The rivals at each moment, before the step that was taken there.
    kept: Vec<Rival>,
    present: Vec<Rival>,
    /// How many steps are processed.
    read: usize,
}

impl Rivals {
    pub fn new(bounds: Bounds) -> Rivals {
        let (moments, pendings, kept) = (Vec::new(), Vec::new(), Vec::new());
        Rivals { bounds, moments, pendings, kept, present: Vec::new(), read: 0 }
    }

    fn pending(&self, moment: usize, task: TaskId) -> &Pending {
        &self.pendings[self.moments[moment].pendings + task.index()]
    }

    /// Keeps the first `steps` steps.
    pub fn truncate(&mut self, steps: usize) {
        let moments = self.moments.partition_point(|m| m.at < steps);
        if let Some(first) = self.moments.get(moments).copied() {
            self.pendings.truncate(first.pendings);
            self.kept.truncate(first.rivals);
            self.moments.truncate(moments);
        }
        self.present.clear();
        self.read = 0;
        if let Some(last) = self.moments.last().copied() {
            self.present.extend_from_slice(&self.kept[last.rivals..]);
            self.read = last.at;
            self.note_taken();
        }
    }

    /// Processes steps that happened by themselves.
    pub fn catch_up(&mut self, so_far: &Trace, point: &Point<'_>) {
        let steps = so_far.steps();
        for index in self.read..steps.len() {
            let Step { task, accesses, .. } = steps[index];
            for at in (0..self.present.len()).rev() {
                let mut rival = self.present[at];
                if rival.task != task {
                    self.note_other(at, accesses);
                } else if matches!(rival.state, State::Open | State::Unsure) {
                    if rival.is_in_the_way(&steps[..index], accesses) {
                        rival.state = State::Closed;
                    } else {
                        (rival.until, rival.state) = (index + 1, State::Unsure);
                    }
                    self.present[at] = rival;
                }
            }
        }
        self.read = steps.len();
        for rival in &mut self.present {
            if rival.state == State::Unsure {
                let blocked = rival.is_in_the_way(steps, point.pending(rival.task).accesses);
                rival.state = if blocked { State::Closed } else { State::Open };
            }
        }
        self.present.retain(|rival| rival.until > 0 || rival.state == State::Open);
    }

    /// `task` takes the next step, though all of `earlier` were tried before.
    pub fn take(
        &mut self,
        task: TaskId,
        earlier: impl Iterator<Item = TaskId>,
        so_far: &Trace,
        point: &Point<'_>,
    ) {
        let at = so_far.len();
        let moment = self.moments.len();
        let new = earlier.map(|task| Rival { moment, at, task, until: 0, state: State::Open });
        self.present.extend(new);
        let too_many = self.present.len().saturating_sub(MOST);
        self.present.drain(..too_many);
        self.moments.push(Moment {
            at,
            task,
            last: so_far.last_task(),
            preemptions: so_far.preemptions(),
            pendings: self.pendings.len(),
            rivals: self.kept.len(),
        });
        self.pendings.extend_from_slice(point.all());
        self.kept.extend_from_slice(&self.present);
        self.note_taken();
    }

    /// Processes the step that was taken at the last moment.
    fn note_taken(&mut self) {
        let (last, moment) = (self.moments.len() - 1, self.moments[self.moments.len() - 1]);
        let Pending { accesses, manner, .. } = *self.pending(last, moment.task);
        self.read = moment.at + 1;
        if self.bounds.yields.is_some() && manner == Manner::Yielding {
            // Which tasks may yield depends on the steps of the others.
            return self.present.clear();
        }
        for at in (0..self.present.len()).rev() {
            let rival = &mut self.present[at];
            if rival.task != moment.task {
                self.note_other(at, accesses);
            } else if rival.state == State::Open {
                (rival.until, rival.state) = (moment.at + 1, State::Unsure);
            }
        }
    }

    /// Another task than that of rival `at` takes a step.
    fn note_other(&mut self, at: usize, accesses: Accesses) {
        let rival = self.present[at];
        let last = self.moments.len() - 1;
        if rival.state == State::Open && self.pending(last, rival.task).accesses.conflict(accesses) {
            if rival.until == 0 {
                self.present.remove(at);
            } else {
                self.present[at].state = State::Closed;
            }
        }
    }

    /// Whether every continuation is equivalent to an earlier execution within the bounds.
    pub fn is_known(&mut self, so_far: &Trace, point: &Point<'_>) -> bool {
        let Some(last) = so_far.last_task() else { return false };
        let now = so_far.preemptions();
        for at in (0..self.present.len()).rev() {
            let rival = self.present[at];
            if rival.until == 0 || matches!(rival.state, State::Settled(_)) {
                continue;
            }
            let (cost, its_last) = self.weigh(&rival, so_far.steps(), point, None);
            let worst = cost + (its_last != last && goes_on(point.pending(its_last))) as u32;
            if self.bounds.preemptions.is_none() || worst <= now {
                return true;
            }
            if rival.state == State::Closed && its_last == last {
                self.present[at].state = State::Settled(cost - now);
            }
        }
        false
    }

    /// Whether every continuation is redundant if `task` takes the next step.
    pub fn leads_to_what_is_known(&self, task: TaskId, so_far: &Trace, point: &Point<'_>) -> bool {
        let pending = point.pending(task);
        if self.bounds.yields.is_some() && pending.manner == Manner::Yielding {
            return false;
        }
        let now = so_far.preemptions() + point.is_preemption(so_far.last_task(), task) as u32;
        let mut rivals = self.present.iter().rev().filter(|r| r.task == task && r.state == State::Open);
        rivals.any(|rival| {
            let (cost, its_last) = self.weigh(rival, so_far.steps(), point, Some(task));
            let its = point.pending(its_last);
            let worst = cost + (goes_on(its) || may_change(its, pending.accesses)) as u32;
            self.bounds.preemptions.is_none() || worst <= now
        })
    }

    /// Whether an execution that ended is equivalent to an earlier one within the bounds.
    pub fn is_known_in_the_end(&self, so_far: &Trace, point: &Point<'_>, ending: Ending) -> bool {
        let steps = so_far.steps();
        let last = self.moments.last().map_or(0, |m| m.at);
        self.present.iter().filter(|rival| rival.until > 0).any(|rival| {
            // A step that ends the execution for all tasks would end it before the steps that it overtakes.
            let is_cut = ending == Ending::Cut && rival.moves(last, &steps[last]);
            let cost = || match rival.state {
                State::Settled(more) => so_far.preemptions() + more,
                _ => self.weigh(rival, steps, point, None).0,
            };
            !is_cut && self.bounds.preemptions.is_none_or(|most| cost() <= most)
        })
    }

    /// An upper bound on the preemptions of the rival so far, and the task of its last step. If `next` is given, the
    /// next step of that task, the rival's own, is moved, too.
    fn weigh(&self, rival: &Rival, steps: &[Step], point: &Point<'_>, next: Option<TaskId>) -> (u32, TaskId) {
        let begin = &self.moments[rival.moment];
        let preempts = |last: TaskId| last != rival.task && goes_on(self.pending(rival.moment, last));
        let phantom = self.pending(rival.moment, rival.task).manner == Manner::Phantom;
        let mut cost = begin.preemptions + (!phantom && begin.last.is_some_and(preempts)) as u32;
        let mut last = rival.task;
        let mut has_left = false;
        for moment in rival.moment..self.moments.len() {
            let Moment { at, task, .. } = self.moments[moment];
            if rival.moves(at, &steps[at]) {
                continue;
            }
            if task != last && self.pending(moment, task).manner != Manner::Phantom {
                cost += match has_left {
                    false => next.is_some() || self.would_go_on(rival, steps, point),
                    true => {
                        let before = self.pending(moment, last);
                        goes_on(before) || self.may_differ(rival, steps, point, at, last, before, next)
                    }
                } as u32;
            }
            (last, has_left) = (task, true);
        }
        (cost, last)
    }

    /// Whether the rival's task could have continued right after its moved steps.
    fn would_go_on(&self, rival: &Rival, steps: &[Step], point: &Point<'_>) -> bool {
        let behind = self.moments.partition_point(|m| m.at < rival.until);
        let (end, pending) = match self.moments.get(behind) {
            Some(moment) => (moment.at, self.pending(behind, rival.task)),
            None => (steps.len(), point.pending(rival.task)),
        };
        // It may have continued by itself here, but not there.
        steps[rival.until..end].iter().any(|step| step.task == rival.task)
            || goes_on(pending)
            || rival.is_in_the_way(&steps[..rival.until], pending.accesses)
    }

    /// Whether `pending` of `task`, as it was before step `at`, might be another operation or another state in the
    /// rival, since later steps are moved before it.
    #[allow(clippy::too_many_arguments, reason = "all of it is about one place in one rival")]
    fn may_differ(
        &self,
        rival: &Rival,
        steps: &[Step],
        point: &Point<'_>,
        at: usize,
        task: TaskId,
        pending: &Pending,
        next: Option<TaskId>,
    ) -> bool {
        let concerns = |step: &Step| step.task == task || step.accesses.conflict(pending.accesses);
        let later = || steps[at..].iter().enumerate().map(|(i, step)| (at + i, step));
        rival.until > at && later().any(|(i, s)| (s.by_itself || rival.moves(i, s)) && concerns(s))
            || next.is_some_and(|next| may_change(pending, point.pending(next).accesses))
    }
}

/// Whether an operation that does not continue may do so after a step with these accesses, and after the steps that
/// follow it by themselves.
fn may_change(pending: &Pending, accesses: Accesses) -> bool {
    accesses.conflict(pending.accesses) || pending.options == 0 && *pending != Pending::NOTHING
}
