//! Procrastination (Sen, PLDI 2008; Arts, Hughes, Norell, Svensson, Erlang Workshop 2011): race-directed sampling.
//!
//! Remembers places whose operations conflicted with other tasks'. Each execution chooses the one it has tried least
//! and delays every task that is about to execute it: either until a conflicting operation of another task is pending,
//! when a coin decides the race, or while any other task is enabled. The first time a place is tried, the rest of the
//! schedule is the default one without preemptions, as in delay-bounded scheduling (Emmi, Qadeer, Rakamaric, POPL
//! 2011).
//!
//! Guarantee: a bug that shows when one place is late in the default schedule is found in at most one execution per
//! conflicting place, once that place was seen to conflict.

use super::pace::{self, Pace};
use super::sites::Sites;
use super::{Decision, NoPreempt, Sample};
use crate::operation::{Mode, TaskId};
use crate::random::Rng;
use crate::trace::Trace;
use crate::world::{Manner, Point};

/// How the other tasks are scheduled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Base {
    /// Each task continues while it is enabled, then the next.
    Plain,
    /// Each task continues while it is enabled, then any.
    Sticky,
    /// Any.
    Even,
}

/// How long a task is delayed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Until {
    /// Until a conflicting operation is pending.
    Met,
    /// Until no other task is enabled.
    Last,
}

/// A place that was seen to conflict.
#[derive(Clone, Copy, Debug)]
struct Contested {
    site: usize,
    tries: u32,
}

/// The accesses to an object.
#[derive(Clone, Copy, Debug, Default)]
struct Touched {
    first: Option<TaskId>,
    by_several: bool,
    written: bool,
}

/// Delays conflicting operations.
#[derive(Clone, Debug)]
pub struct Procrastinate {
    seed: u64,
    rng: Rng,
    pub(super) pace: Pace,
    sites: Sites,
    contested: Vec<Contested>,
    /// By site.
    is_contested: Vec<bool>,
    touched: Vec<Touched>,
    /// The site that is delayed in this execution.
    held: Option<usize>,
    base: Base,
    until: Until,
    free: Vec<TaskId>,
}

impl Procrastinate {
    /// Draws with this seed.
    pub fn new(seed: u64) -> Procrastinate {
        Procrastinate {
            seed,
            rng: Rng::new(seed, 0),
            pace: Pace::default(),
            sites: Sites::new(),
            contested: Vec::new(),
            is_contested: Vec::new(),
            touched: Vec::new(),
            held: None,
            base: Base::Plain,
            until: Until::Last,
            free: Vec::new(),
        }
    }

    /// How many places were not delayed yet.
    pub(super) fn untried(&self) -> usize {
        self.contested.iter().filter(|c| c.tries == 0).count()
    }

    /// Remembers which places of `trace` access objects that several tasks access and at least one writes.
    pub(super) fn learn(&mut self, trace: &Trace) {
        self.touched.clear();
        let steps = || trace.steps().iter().filter(|s| !s.by_itself);
        for step in steps() {
            for access in step.accesses.iter() {
                let at = access.object.index();
                if self.touched.len() <= at {
                    self.touched.resize(at + 1, Touched::default());
                }
                let touched = &mut self.touched[at];
                touched.by_several |= *touched.first.get_or_insert(step.task) != step.task;
                touched.written |= access.mode == Mode::Write;
            }
        }
        for step in steps() {
            let shared = |t: &Touched| t.by_several && t.written;
            if step.accesses.iter().any(|a| shared(&self.touched[a.object.index()])) {
                let site = self.sites.number(step.site());
                self.contest(site);
            }
        }
    }

    fn contest(&mut self, site: usize) {
        if self.is_contested.len() <= site {
            self.is_contested.resize(site + 1, false);
        }
        if !std::mem::replace(&mut self.is_contested[site], true) {
            self.contested.push(Contested { site, tries: 0 });
        }
    }

    fn is_held(&mut self, point: &Point<'_>, task: TaskId) -> bool {
        self.held == Some(self.sites.number(point.pending(task).site()))
    }

    /// A pair of a delayed operation and one that conflicts with it.
    fn race(&mut self, point: &Point<'_>) -> Option<(TaskId, TaskId)> {
        for held in point.enabled() {
            if self.is_held(point, *held) {
                let accesses = point.pending(*held).accesses;
                let rival = |t: &&TaskId| *t != held && point.pending(**t).accesses.conflict(accesses);
                if let Some(rival) = point.enabled().iter().find(rival) {
                    return Some((*held, *rival));
                }
            }
        }
        None
    }

    fn next(&mut self, so_far: &Trace, point: &Point<'_>) -> TaskId {
        let last = so_far.last_task();
        let goes_on = |t: &TaskId| point.is_enabled(*t) && point.pending(*t).manner == Manner::Ordinary;
        match self.base {
            Base::Plain => NoPreempt::pick(so_far, point).task,
            Base::Sticky => match last.filter(goes_on) {
                Some(last) => last,
                None => pace::any_of(&mut self.rng, point.enabled()),
            },
            Base::Even => pace::any_of(&mut self.rng, point.enabled()),
        }
    }
}

impl Sample for Procrastinate {
    fn seed(&self) -> u64 {
        self.seed
    }

    fn begin(&mut self, execution: u64) {
        self.rng = Rng::new(self.seed, execution);
        self.pace.begin();
        self.held = None;
        self.base = Base::Plain;
        self.until = Until::Last;
        let Some(least) = self.contested.iter().map(|c| c.tries).min() else { return };
        let equals = self.contested.iter().filter(|c| c.tries == least).count();
        let which = self.rng.below(equals as u32) as usize;
        let chosen = self.contested.iter_mut().filter(|c| c.tries == least).nth(which);
        let chosen = chosen.expect("one of those that were counted");
        chosen.tries += 1;
        self.held = Some(chosen.site);
        if least > 0 {
            self.base = if self.rng.below(2) == 0 { Base::Sticky } else { Base::Even };
            self.until = if self.rng.below(3) == 0 { Until::Met } else { Until::Last };
        }
    }

    fn choose(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision {
        if self.pace.must_be_fair() {
            return pace::take_any(&mut self.rng, point);
        }
        if let [task] = point.enabled() {
            return pace::take(&mut self.rng, point, *task);
        }
        if self.held.is_some()
            && self.until == Until::Met
            && let Some((held, rival)) = self.race(point)
        {
            self.held = None;
            let first = if self.rng.below(2) == 0 { held } else { rival };
            return pace::take(&mut self.rng, point, first);
        }
        let mut free = std::mem::take(&mut self.free);
        free.clear();
        free.extend(point.enabled().iter().copied().filter(|t| !self.is_held(point, *t)));
        let task = match free.len() {
            0 => self.next(so_far, point),
            _ => self.next(so_far, &point.restricted(&free)),
        };
        self.free = free;
        pace::take(&mut self.rng, point, task)
    }

    fn finish(&mut self, trace: &Trace) {
        self.pace.finish();
        self.learn(trace);
    }
}
