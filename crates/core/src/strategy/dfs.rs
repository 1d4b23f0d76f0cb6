//! Plain depth-first search over all executions: the simple oracle for every reduction.
//!
//! Guarantee: every maximal sequence of picks is explored exactly once. The task of the last step is tried first, so
//! that executions with few preemptions come early, unless it yields: then it is tried last, and executions with long
//! waits come late. Memory is linear in the length of an execution times its alternatives.

use super::{Decision, Divisible, Estimating, Next, Observation, SavedSubtree, Strategy};
use crate::operation::TaskId;
use crate::trace::Trace;
use crate::verdict::{Extent, Verdict};
use crate::world::{Manner, Pick, Point};

/// Depth-first search without any reduction.
#[derive(Clone, Debug)]
pub struct Dfs {
    /// Where the untried picks of each depth begin in `untried`. Depths of an inherited prefix have none.
    begins: Vec<usize>,
    /// The untried picks of all depths; those of one depth in reverse order of trial.
    untried: Vec<Pick>,
    /// The picks that lead to this subtree, if it was split off.
    inherited: Vec<Pick>,
    /// The pick with which the present execution deviates from the last one.
    turn: Option<Pick>,
    /// The picks of the last execution, as far as `begins` goes.
    path: Vec<Pick>,
    /// The fraction of the whole tree below each pick of `path`, if all alternatives are equally large.
    shares: Vec<f64>,
    /// The fraction of the tree of this search, and how much was explored since the last report.
    share: f64,
    explored: f64,
    started: bool,
    /// An execution was begun and is not over.
    begun: bool,
}

impl Default for Dfs {
    fn default() -> Dfs {
        Dfs::new()
    }
}

impl Dfs {
    /// A search of the whole tree.
    pub fn new() -> Dfs {
        Dfs::below(Vec::new(), 1.0)
    }

    /// A search of the subtree of these picks.
    fn below(picks: Vec<Pick>, share: f64) -> Dfs {
        Dfs {
            begins: Vec::new(),
            untried: Vec::new(),
            inherited: picks,
            turn: None,
            path: Vec::new(),
            shares: Vec::new(),
            share,
            explored: 0.0,
            started: false,
            begun: false,
        }
    }

    /// The fraction of the tree below the first `depth` picks of the path.
    fn share_at(&self, depth: usize) -> f64 {
        depth.checked_sub(1).map_or(self.share, |last| self.shares[last])
    }

    /// The fraction of the whole tree that the present execution is.
    pub(super) fn share_of_execution(&self) -> f64 {
        self.share_at(self.path.len())
    }

    /// The unexplored subtrees, and whether a bound was reached.
    pub(super) fn saved(&self, reached: bool) -> Vec<SavedSubtree> {
        let words = |picks: &[Pick]| picks.iter().map(|p| (p.task.0, p.option)).collect::<Vec<_>>();
        let part = |picks: &[Pick], share| SavedSubtree::Picks { picks: words(picks), share, reached };
        let mut parts = Vec::new();
        if !self.started || self.begun {
            let mut picks = [&self.inherited[..], &self.path].concat();
            picks.extend(self.turn);
            let share = match self.turn {
                Some(_) => self.shares[self.path.len()],
                None => self.share,
            };
            parts.push(part(&picks, share));
        }
        // The subtrees that would be split off, the shallowest first.
        for (depth, begin) in self.begins.iter().enumerate() {
            let end = self.begins.get(depth + 1).copied().unwrap_or(self.untried.len());
            for pick in &self.untried[*begin..end] {
                let picks = [&self.inherited[..], &self.path[..depth], &[*pick]].concat();
                parts.push(part(&picks, self.shares[depth]));
            }
        }
        parts
    }

    /// The search of a saved subtree.
    pub(super) fn from_saved(part: &SavedSubtree) -> Result<Dfs, String> {
        let SavedSubtree::Picks { picks, share, .. } = part else {
            return Err("it was saved by another reduction".to_owned());
        };
        let pick = |(task, option): &(u32, u32)| Pick { task: TaskId(*task), option: *option };
        Ok(Dfs::below(picks.iter().map(pick).collect(), *share))
    }

    /// Splits off a subtree; none if there is no untried pick.
    pub(super) fn give_away(&mut self) -> Option<Dfs> {
        if self.untried.is_empty() {
            return None;
        }
        // The shallowest untried pick has the largest subtree. It belongs to the deepest depth whose picks begin at 0,
        // since the depths above it have no untried picks.
        let depth = self.begins.partition_point(|begin| *begin == 0) - 1;
        let pick = self.untried.remove(0);
        for later in &mut self.begins[depth + 1..] {
            *later -= 1;
        }
        let mut picks = self.inherited.clone();
        picks.extend_from_slice(&self.path[..depth]);
        picks.push(pick);
        Some(Dfs::below(picks, self.shares[depth]))
    }
}

/// The tasks of a point in the order of trial: the task of the last step first, or last if it yields.
pub(super) fn in_order_of_trial<'p>(
    last: Option<TaskId>,
    point: &Point<'p>,
) -> impl Iterator<Item = TaskId> + use<'p> {
    let last = last.filter(|t| point.is_enabled(*t));
    let gives_way = |t: &TaskId| point.pending(*t).manner == Manner::Yielding;
    let (first, very_last) = if last.as_ref().is_some_and(gives_way) { (None, last) } else { (last, None) };
    let others = point.enabled().iter().copied().filter(move |t| Some(*t) != last);
    first.into_iter().chain(others).chain(very_last)
}

impl Strategy for Dfs {
    fn begin(&mut self, _execution: u64) -> Next {
        if !self.started {
            (self.started, self.begun) = (true, true);
            self.path.clear();
            self.begins.clear();
            self.shares.clear();
            return Next::From(0);
        }
        while let Some(begin) = self.begins.last() {
            if self.untried.len() > *begin {
                self.turn = self.untried.pop();
                let depth = self.begins.len() - 1;
                self.path.truncate(depth);
                self.shares.truncate(depth + 1);
                self.begun = true;
                return Next::From(self.inherited.len() + depth);
            }
            self.begins.pop();
        }
        Next::Exhausted
    }

    fn choose(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision {
        if let Some(inherited) = self.inherited.get(so_far.len()) {
            return Decision::take(*inherited);
        }
        if let Some(turn) = self.turn.take() {
            self.path.push(turn);
            return Decision::take(turn);
        }
        if self.begins.is_empty() && self.inherited.len() < so_far.len() {
            // These picks were prescribed by another strategy; they are kept for ever.
            self.inherited = so_far.picks();
        }
        let begin = self.untried.len();
        // Steps that happened by themselves had no alternatives.
        for step in &so_far.steps()[self.inherited.len() + self.path.len()..] {
            debug_assert!(step.by_itself);
            self.begins.push(begin);
            self.shares.push(self.share_at(self.path.len()));
            self.path.push(step.pick());
        }
        self.begins.push(begin);
        let share = self.share_at(self.path.len());
        if let Some(only) = point.only() {
            self.path.push(only);
            self.shares.push(share);
            return Decision::take(only);
        }
        for task in in_order_of_trial(so_far.last_task(), point) {
            self.untried.extend((0..point.pending(task).options).map(|option| Pick { task, option }));
        }
        self.untried[begin..].reverse();
        self.shares.push(share / (self.untried.len() - begin) as f64);
        let first = self.untried.pop().expect("the point is not over");
        self.path.push(first);
        Decision::take(first)
    }

    fn finish(&mut self, _trace: &Trace, _verdict: Verdict) {
        self.explored += self.share_at(self.path.len());
        self.begun = false;
    }

    fn extent(&self, _executions: u64) -> Extent {
        Extent::Exhaustive
    }

    fn observes(&self) -> Observation {
        Observation::Points
    }

    fn divisible(&mut self) -> Option<&mut dyn Divisible> {
        Some(self)
    }

    fn estimating(&mut self) -> Option<&mut dyn Estimating> {
        Some(self)
    }
}

impl Divisible for Dfs {
    fn split(&mut self) -> Option<Box<dyn Strategy>> {
        self.give_away().map(|part| Box::new(part) as Box<dyn Strategy>)
    }

    fn prefix(&mut self) -> &[Pick] {
        &self.inherited
    }

    fn save(&mut self) -> Option<Vec<SavedSubtree>> {
        Some(self.saved(false))
    }

    fn resume(&mut self, subtree: &SavedSubtree) -> Result<Box<dyn Strategy>, String> {
        Ok(Box::new(Dfs::from_saved(subtree)?))
    }
}

impl Estimating for Dfs {
    fn explored(&mut self) -> f64 {
        std::mem::take(&mut self.explored)
    }
}
