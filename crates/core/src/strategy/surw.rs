//! Selectively uniform random walk (Zhao and others, ASPLOS 2025).
//!
//! Each execution selects some operations and draws uniformly from their orders: the task whose selected operation
//! comes next is drawn with the number of its remaining selected operations as weight, including those of children that
//! are not created yet, and all others stop at theirs. The previous execution gives these numbers. Selected are all
//! operations, or, half of the time, those that access one shared object.
//!
//! Guarantee: if no operation blocks and every execution has the same ones, each order of the selected operations is
//! equally likely, in each execution after the first.

use super::pace::{self, Pace};
use super::{Decision, Sample};
use crate::operation::{Accesses, Mode, TaskId};
use crate::random::Rng;
use crate::trace::Trace;
use crate::world::Point;

/// The objects of an operation as a set of 63, and one bit for operations without a list of objects.
type Objects = u64;
const NO_OBJECT: Objects = 1 << 63;
const EVERYTHING: Objects = u64::MAX;

fn objects(accesses: Accesses) -> Objects {
    let set = accesses.iter().fold(0, |set, access| set | 1 << (access.object.index() % 63));
    if set == 0 { NO_OBJECT } else { set }
}

/// Uniform over the orders of selected operations.
#[derive(Clone, Debug)]
pub struct Surw {
    seed: u64,
    rng: Rng,
    pub(super) pace: Pace,
    selects: bool,
    /// The objects of each step of the last execution.
    last: Vec<(TaskId, Objects)>,
    /// The parent of each task in the last execution; by task.
    parents: Vec<TaskId>,
    /// Objects that at least two tasks accessed, at least one of them with a write.
    shared: Vec<Objects>,
    users: Vec<(Option<TaskId>, bool, bool)>,
    selected: Objects,
    /// How many selected operations a task still has, with those of its future children; by task.
    left: Vec<u32>,
    /// The number of tasks at the last point.
    born: usize,
    intended: Option<TaskId>,
    free: Vec<TaskId>,
}

impl Surw {
    /// Selects one object half of the time.
    pub fn new(seed: u64) -> Surw {
        Surw { selects: true, ..Surw::uniform(seed) }
    }

    /// Always selects everything: a uniform random walk.
    pub fn uniform(seed: u64) -> Surw {
        Surw {
            seed,
            rng: Rng::new(seed, 0),
            pace: Pace::default(),
            selects: false,
            last: Vec::new(),
            parents: Vec::new(),
            shared: Vec::new(),
            users: Vec::new(),
            selected: EVERYTHING,
            left: Vec::new(),
            born: 0,
            intended: None,
            free: Vec::new(),
        }
    }

    /// Counts the operations of the tasks of `trace`.
    pub(super) fn learn(&mut self, trace: &Trace) {
        self.last.clear();
        self.users.clear();
        self.shared.clear();
        for step in trace.steps().iter().filter(|s| !s.by_itself) {
            self.last.push((step.task, objects(step.accesses)));
            for access in step.accesses.iter() {
                let at = access.object.index() % 63;
                if self.users.len() <= at {
                    self.users.resize(at + 1, (None, false, false));
                }
                let (first, several, written) = &mut self.users[at];
                *several |= *first.get_or_insert(step.task) != step.task;
                *written |= access.mode == Mode::Write;
            }
        }
        let shared = self.users.iter().enumerate().filter(|(_, (_, several, written))| *several && *written);
        self.shared.extend(shared.map(|(at, _)| 1 << at));
    }

    fn is_selected(&self, point: &Point<'_>, task: TaskId) -> bool {
        objects(point.pending(task).accesses) & self.selected != 0
    }

    /// The weight of a task: a count of zero for a task that exists was wrong.
    fn weight(&self, task: TaskId) -> u32 {
        self.left[task.index()].max(1)
    }

    fn draw(&mut self, among: &[TaskId]) -> TaskId {
        if let [only] = among {
            return *only;
        }
        let total = among.iter().map(|t| self.weight(*t)).sum();
        let mut at = self.rng.below(total);
        for task in among {
            let weight = self.weight(*task);
            if at < weight {
                return *task;
            }
            at -= weight;
        }
        unreachable!("the weights add up to the total")
    }

    /// Subtracts the operations of new tasks from those of their parents.
    fn welcome(&mut self, so_far: &Trace, point: &Point<'_>) {
        while self.born < point.all().len() {
            let task = TaskId(self.born as u32);
            let parent = so_far.steps().last().map_or(TaskId::MAIN, |s| s.task);
            if self.parents.len() <= self.born {
                self.parents.resize(self.born + 1, parent);
            }
            if self.left.len() <= self.born {
                self.left.resize(self.born + 1, 0);
            }
            let expected_of = std::mem::replace(&mut self.parents[self.born], parent);
            self.born += 1;
            if task == TaskId::MAIN {
                continue;
            }
            let mine = self.left[task.index()];
            if let Some(theirs) = self.left.get_mut(expected_of.index()) {
                *theirs = theirs.saturating_sub(mine);
            }
            // If the parent is intended, the operation of the child may be meant.
            if self.intended == Some(expected_of) && expected_of < task {
                self.intended = Some(self.draw(&[expected_of, task]));
            }
        }
    }
}

impl Sample for Surw {
    fn seed(&self) -> u64 {
        self.seed
    }

    fn begin(&mut self, execution: u64) {
        self.rng = Rng::new(self.seed, execution);
        self.pace.begin();
        self.intended = None;
        self.born = 0;
        self.selected = EVERYTHING;
        if self.selects && !self.shared.is_empty() && self.rng.below(2) == 0 {
            self.selected = self.shared[self.rng.below(self.shared.len() as u32) as usize];
        }
        self.left.clear();
        self.left.resize(self.parents.len(), 0);
        for (task, objects) in &self.last {
            if objects & self.selected != 0 {
                if self.left.len() <= task.index() {
                    self.left.resize(task.index() + 1, 0);
                }
                self.left[task.index()] += 1;
            }
        }
        // Children have higher numbers than their parents, so one pass adds all of them up.
        for child in (1..self.left.len().min(self.parents.len())).rev() {
            let parent = self.parents[child].index();
            if parent < child {
                self.left[parent] += self.left[child];
            }
        }
    }

    fn choose(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision {
        self.welcome(so_far, point);
        if self.pace.must_be_fair() {
            self.intended = None;
            return pace::take_any(&mut self.rng, point);
        }
        if self.intended.is_none_or(|t| !point.is_enabled(t)) {
            self.intended = Some(self.draw(point.enabled()));
        }
        let intended = self.intended.expect("just drawn");
        let mut free = std::mem::take(&mut self.free);
        free.clear();
        if self.selected != EVERYTHING {
            let others = point.enabled().iter().copied();
            free.extend(others.filter(|t| *t == intended || !self.is_selected(point, *t)));
        }
        let task = if free.is_empty() { intended } else { pace::any_of(&mut self.rng, &free) };
        self.free = free;
        if self.is_selected(point, task) {
            let left = &mut self.left[task.index()];
            *left = left.saturating_sub(1);
            self.intended = None;
        }
        pace::take(&mut self.rng, point, task)
    }

    fn finish(&mut self, trace: &Trace) {
        self.pace.finish();
        self.learn(trace);
    }
}
