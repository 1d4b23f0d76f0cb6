//! Reorders a schedule: swaps independent steps until there are few context switches.
//!
//! Two steps depend on each other if they are of one task, if they conflict, if one created the other's task, or if
//! both create tasks (tasks are numbered in the order of creation, and picks name them by number). A step that happened
//! by itself depends on the last choice before it.

use super::follow::{Run, birth_step};
use crate::operation::TaskId;
use crate::trace::Step;
use crate::world::Pick;

/// The maximal number of rounds of pulling and pushing.
const ROUNDS: usize = 20;

/// A step, by its index in the trace that is simplified.
type At = usize;

struct Order<'a> {
    steps: &'a [Step],
    births: &'a [usize],
    /// By step: whether it creates a task.
    bears: Vec<bool>,
    /// By step: the last choice before it.
    trigger: Vec<Option<At>>,
    now: Vec<At>,
    /// Asked once for each step of a pass: a pass takes the square or the cube of the number of steps.
    is_late: &'a dyn Fn() -> bool,
}

/// The picks that were choices, in a simpler order. `cut` removes steps on which the last one does not depend. None if it
/// became late.
pub(super) fn reorder(run: &Run, cut: bool, is_late: impl Fn() -> bool) -> Option<Vec<Pick>> {
    let mut order = Order::new(run, &is_late);
    if cut {
        order.cut();
    }
    order.sort();
    for _ in 0..ROUNDS {
        if is_late() || !(order.pull() | order.push()) {
            break;
        }
    }
    if is_late() {
        return None;
    }
    let choices = order.now.iter().map(|at| &order.steps[*at]).filter(|s| !s.by_itself);
    Some(choices.map(Step::pick).collect())
}

impl<'a> Order<'a> {
    fn new(run: &'a Run, is_late: &'a dyn Fn() -> bool) -> Order<'a> {
        let steps = run.trace.steps();
        let mut bears = vec![false; steps.len()];
        for task in 0..run.births.len() {
            if let Some(step) = birth_step(&run.births, TaskId(task as u32))
                && let Some(bears) = bears.get_mut(step)
            {
                *bears = true;
            }
        }
        let mut trigger = Vec::with_capacity(steps.len());
        let mut last = None;
        for (at, step) in steps.iter().enumerate() {
            trigger.push(last);
            if !step.by_itself {
                last = Some(at);
            }
        }
        Order { steps, births: &run.births, bears, trigger, now: (0..steps.len()).collect(), is_late }
    }

    fn task(&self, at: At) -> TaskId {
        self.steps[at].task
    }

    /// Whether the two steps depend on each other.
    fn depend(&self, a: At, b: At) -> bool {
        let (first, second) = (a.min(b), a.max(b));
        let (one, other) = (&self.steps[first], &self.steps[second]);
        one.task == other.task
            || one.accesses.conflict(other.accesses)
            || self.bears[first] && self.bears[second]
            || birth_step(self.births, other.task) == Some(first)
            || other.by_itself && self.trigger[second] == Some(first)
    }

    /// Keeps the steps on which the last one depends, and those that create tasks: otherwise tasks would be renumbered.
    fn cut(&mut self) {
        let mut kept: Vec<At> = Vec::new();
        for at in (0..self.steps.len()).rev() {
            if kept.is_empty() || self.bears[at] || kept.iter().any(|later| self.depend(at, *later)) {
                kept.push(at);
            }
        }
        kept.reverse();
        self.now = kept;
    }

    /// Sorts by task, as far as the dependences allow: the lexicographic normal form.
    fn sort(&mut self) {
        let mut swapped = true;
        while swapped && !(self.is_late)() {
            swapped = false;
            for i in 1..self.now.len() {
                let (a, b) = (self.now[i - 1], self.now[i]);
                if self.task(a) > self.task(b) && !self.depend(a, b) {
                    self.now.swap(i - 1, i);
                    swapped = true;
                }
            }
        }
    }

    /// At each context switch, pulls the next step of the task forward if it can. Returns whether the order changed.
    fn pull(&mut self) -> bool {
        let mut moved = false;
        for i in 1..self.now.len() {
            let task = self.task(self.now[i - 1]);
            if self.task(self.now[i]) == task {
                continue;
            }
            if (self.is_late)() {
                break;
            }
            let next = (i..self.now.len()).find(|j| self.task(self.now[*j]) == task);
            if let Some(j) = next
                && self.now[i..j].iter().all(|between| !self.depend(*between, self.now[j]))
            {
                let step = self.now.remove(j);
                self.now.insert(i, step);
                moved = true;
            }
        }
        moved
    }

    /// At each context switch, the steps of the task before it are pushed to its next step if they can be. Returns
    /// whether the order changed.
    fn push(&mut self) -> bool {
        let mut moved = false;
        for i in 1..self.now.len() {
            let task = self.task(self.now[i - 1]);
            if self.task(self.now[i]) == task {
                continue;
            }
            if (self.is_late)() {
                break;
            }
            let begin = (0..i).rev().take_while(|at| self.task(self.now[*at]) == task).last().unwrap_or(i);
            let next = (i..self.now.len()).find(|j| self.task(self.now[*j]) == task);
            let independent = |j: usize| {
                let (turn, between) = (&self.now[begin..i], &self.now[i..j]);
                turn.iter().all(|a| between.iter().all(|b| !self.depend(*a, *b)))
            };
            if let Some(j) = next.filter(|j| independent(*j)) {
                self.now[begin..j].rotate_left(i - begin);
                moved = true;
            }
        }
        moved
    }
}
