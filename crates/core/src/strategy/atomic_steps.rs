//! Depth-first search over the executions in which a stretch of a task's steps is one atomic step: what would be if it were.
//!
//! Guarantee: unless it [has given up](AtomicSteps::has_given_up), every such execution was explored exactly once, and no step
//! of another task came between those of a stretch. It gives up where a task is blocked inside of a stretch, and where there
//! are too many executions.

use super::{Decision, Dfs, Next, Observation, Strategy};
use crate::operation::TaskId;
use crate::trace::Trace;
use crate::verdict::{Extent, Verdict};
use crate::world::Point;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// After so many executions it is estimated how many there are.
const ESTIMATED: u64 = 400;

/// From a step at the first of these sites to the next one of that task at the last, as long as it takes steps at these sites
/// only: see [`Pending::site`](crate::world::Pending::site).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stretch(pub Vec<u16>);

impl Stretch {
    fn begins_with(&self, site: u16) -> bool {
        self.0.first() == Some(&site)
    }
    fn ends_with(&self, site: u16) -> bool {
        self.0.last() == Some(&site)
    }
}

/// Depth-first search with a stretch as one step.
pub struct AtomicSteps {
    search: Dfs,
    stretch: Stretch,
    /// So many steps of the execution are known.
    known: usize,
    /// The task that is inside of the stretch.
    inside: Option<TaskId>,
    only: [TaskId; 1],
    executions: u64,
    /// The share of the tree that they are.
    share: f64,
    /// More executions are too many.
    most: u64,
    has_given_up: Arc<AtomicBool>,
}

impl AtomicSteps {
    /// A search of about `most` executions at most.
    pub fn new(stretch: Stretch, most: u64) -> AtomicSteps {
        AtomicSteps {
            search: Dfs::new(),
            stretch,
            known: 0,
            inside: None,
            only: [TaskId::MAIN],
            executions: 0,
            share: 0.0,
            most,
            has_given_up: Arc::default(),
        }
    }

    /// Whether it has given up.
    pub fn has_given_up(&self) -> Arc<AtomicBool> {
        self.has_given_up.clone()
    }

    fn give_up(&self) {
        self.has_given_up.store(true, Ordering::Relaxed);
    }

    /// Looks at the steps that were taken since.
    fn follow(&mut self, trace: &Trace) {
        for step in &trace.steps()[self.known..] {
            match self.inside {
                // It happened by itself.
                Some(task) if task != step.task => self.give_up(),
                Some(_) if self.stretch.ends_with(step.site()) => self.inside = None,
                None if self.stretch.begins_with(step.site()) => self.inside = Some(step.task),
                _ => {}
            }
        }
        self.known = trace.len();
    }
}

impl Strategy for AtomicSteps {
    fn begin(&mut self, execution: u64) -> Next {
        (self.known, self.inside) = (0, None);
        if self.executions == ESTIMATED && self.share * (self.most as f64) < ESTIMATED as f64 {
            self.give_up();
        }
        match self.has_given_up.load(Ordering::Relaxed) {
            true => Next::Exhausted,
            false => self.search.begin(execution),
        }
    }

    fn choose(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision {
        self.follow(so_far);
        let Some(task) = self.inside else { return self.search.choose(so_far, point) };
        if !self.stretch.0.contains(&point.pending(task).site()) {
            // It has left.
            self.inside = None;
        } else if point.is_enabled(task) {
            self.only = [task];
            return self.search.choose(so_far, &point.restricted(&self.only));
        } else {
            self.give_up();
        }
        self.search.choose(so_far, point)
    }

    fn finish(&mut self, trace: &Trace, verdict: Verdict) {
        self.follow(trace);
        self.executions += 1;
        self.share += self.search.share_of_execution();
        self.search.finish(trace, verdict);
    }

    fn extent(&self, executions: u64) -> Extent {
        self.search.extent(executions)
    }

    fn observes(&self) -> Observation {
        self.search.observes()
    }
}
