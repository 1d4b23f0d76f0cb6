//! Preemption bounding with blocking avoidance and without any reduction, as Concuerror did it first (Gotovos 2011,
//! sections 4.2 to 4.4).
//!
//! Unexplored partial executions are on two stacks: on the *current* one those that have no more preemptions than the
//! present bound, on the *next* one those with one more. When the current stack is empty the bound grows by one and the
//! stacks are swapped. Blocked operations are never tried, since no world offers them.
//!
//! Guarantee: every execution with at most the largest bound's number of preemptions, once; with one worker those
//! with fewer preemptions first. Memory grows with the number of executions that are one preemption away.

use super::bounds::{Bounds, Reached};
use super::dfs::in_order_of_trial;
use super::{Decision, Divisible, Next, Observation, SavedSubtree, Strategy};
use crate::operation::TaskId;
use crate::trace::Trace;
use crate::verdict::Extent;
use crate::world::{Pick, Point};

/// A partial execution.
type State = Vec<Pick>;

/// Preemption bounding as in the thesis.
#[derive(Clone, Debug)]
pub struct PreemptionBounding {
    /// The largest bound; none for no bound.
    most: Option<u32>,
    bound: u32,
    current: Vec<State>,
    next: Vec<State>,
    /// The state that is being explored.
    present: State,
    /// The length of the prefix from the strategy that it was split from.
    inherited: usize,
    begun: bool,
    reached: Reached,
}

impl PreemptionBounding {
    /// At most so many preemptions; none for no bound.
    pub fn new(most: Option<u32>) -> PreemptionBounding {
        PreemptionBounding::below(State::new(), 0, most, Reached::default())
    }

    fn below(state: State, bound: u32, most: Option<u32>, reached: Reached) -> PreemptionBounding {
        let inherited = state.len();
        let (current, next, present) = (vec![state], Vec::new(), State::new());
        PreemptionBounding { most, bound, current, next, present, inherited, begun: false, reached }
    }
}

impl Strategy for PreemptionBounding {
    fn begin(&mut self, _execution: u64) -> Next {
        if self.current.is_empty() && !self.next.is_empty() {
            self.bound += 1;
            std::mem::swap(&mut self.current, &mut self.next);
            // The state that was found first comes first.
            self.current.reverse();
        }
        let Some(state) = self.current.pop() else { return Next::Exhausted };
        self.begun = true;
        let last = std::mem::replace(&mut self.present, state);
        let same = last.iter().zip(&self.present).take_while(|(a, b)| a == b).count();
        Next::From(same.min(self.present.len().saturating_sub(1)))
    }

    fn choose(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision {
        if let Some(pick) = self.present.get(so_far.len()) {
            return Decision::take(*pick);
        }
        // Steps that happened by themselves belong to the state.
        self.present.extend(so_far.steps()[self.present.len()..].iter().map(|step| step.pick()));
        // A saved subtree does not store its bound.
        self.bound = self.bound.max(so_far.preemptions());
        let last = so_far.last_task();
        let cost = |task: TaskId| so_far.preemptions() + point.is_preemption(last, task) as u32;
        let mut chosen = None;
        let mut others = Vec::new();
        for task in in_order_of_trial(last, point) {
            for option in 0..point.pending(task).options {
                let pick = Pick { task, option };
                if chosen.is_none() && cost(task) <= self.bound {
                    chosen = Some(pick);
                } else if self.most.is_some_and(|most| cost(task) > most) {
                    self.reached.set();
                } else {
                    others.push(pick);
                }
            }
        }
        for pick in others.into_iter().rev() {
            let mut state = Vec::with_capacity(self.present.len() + 1);
            state.extend_from_slice(&self.present);
            state.push(pick);
            let stack = if cost(pick.task) <= self.bound { &mut self.current } else { &mut self.next };
            stack.push(state);
        }
        let chosen = chosen.expect("to go on, or to leave a task that cannot, is no preemption");
        self.present.push(chosen);
        Decision::take(chosen)
    }

    fn finish(&mut self, _trace: &Trace, _verdict: crate::verdict::Verdict) {
        self.begun = false;
    }

    fn extent(&self, _executions: u64) -> Extent {
        let bounds = Bounds { preemptions: self.most, ..Bounds::default() };
        bounds.extent(Extent::Exhaustive, &self.reached)
    }

    fn observes(&self) -> Observation {
        Observation::Points
    }

    fn divisible(&mut self) -> Option<&mut dyn Divisible> {
        Some(self)
    }
}

impl Divisible for PreemptionBounding {
    fn split(&mut self) -> Option<Box<dyn Strategy>> {
        // The oldest state has the largest subtree.
        let stack = if self.current.is_empty() { &mut self.next } else { &mut self.current };
        let state = (!stack.is_empty()).then(|| stack.remove(0))?;
        let part = PreemptionBounding::below(state, self.bound, self.most, self.reached.clone());
        Some(Box::new(part))
    }

    fn prefix(&mut self) -> &[Pick] {
        &self.present[..self.inherited.min(self.present.len())]
    }

    fn save(&mut self) -> Option<Vec<SavedSubtree>> {
        let reached = self.reached.is_set();
        let begun = self.begun.then_some(&self.present);
        let states = begun.into_iter().chain(&self.current).chain(&self.next);
        let part = |state: &State| {
            let picks = state.iter().map(|pick| (pick.task.0, pick.option)).collect();
            SavedSubtree::Picks { picks, share: 0.0, reached }
        };
        Some(states.map(part).collect())
    }

    fn resume(&mut self, subtree: &SavedSubtree) -> Result<Box<dyn Strategy>, String> {
        let SavedSubtree::Picks { picks, reached, .. } = subtree else {
            return Err("it was saved by a reduction".to_owned());
        };
        if *reached {
            self.reached.set();
        }
        let state =
            picks.iter().map(|(task, option)| Pick { task: TaskId(*task), option: *option }).collect();
        Ok(Box::new(PreemptionBounding::below(state, 0, self.most, self.reached.clone())))
    }
}
