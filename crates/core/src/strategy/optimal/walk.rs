//! The way to where others come before a step that would have been taken early: see [`early`](super::early).
//!
//! What comes first is known, but not what of it is free here, since it was seen where that step had come. So at each
//! point, of those who do not conflict with it, one is asked for as anywhere else. If nothing that comes first has to come
//! before that one, it moves, and was free to; else what has to makes a schedule, and the other one is deferred.

use super::Optimal;
use super::early::{Mark, lane_of};
use super::free::{comes_last, in_order};
use super::names::Name;
use super::path::{Deferred, Origin, Path};
use super::races::Finder;
use super::work::{Leg, LegKind};
use crate::operation::{Accesses, TaskId};
use crate::strategy::Decision;
use crate::trace::Trace;
use crate::world::{Pick, Point};
use std::cmp::Ordering;
use std::collections::VecDeque;

/// An operation that would be taken early, but others come before it.
#[derive(Clone, Copy, Debug)]
struct Asleep {
    name: Name,
    /// It is its task's how-manieth.
    time: u32,
    accesses: Accesses,
    /// Where it would be.
    at: u32,
}

/// What is left of the way.
#[derive(Clone, Debug, Default)]
pub(super) struct Walk {
    /// In an order in which it can happen.
    legs: Vec<Leg>,
    /// All this leads to somebody who conflicts with the first so many of them.
    asleep: Vec<Asleep>,
    finals: usize,
    /// A schedule that is being followed, and what it defers.
    schedule: VecDeque<Leg>,
    deferred: Option<Deferred>,
}

impl Walk {
    pub fn new(legs: &[Leg], name: Name, time: u32, early: Deferred) -> Walk {
        let Deferred { accesses, at, .. } = early;
        let mut asleep = vec![Asleep { name, time, accesses, at }];
        let sleeps =
            |leg: &Leg| Asleep { name: leg.step.name, time: leg.time, accesses: leg.accesses, at: leg.at };
        let of = |kind: LegKind| legs.iter().filter(move |leg| leg.kind == kind);
        asleep.extend(of(LegKind::Asleep).map(sleeps));
        let finals = asleep.len();
        asleep.extend(of(LegKind::Woken).map(sleeps));
        let legs = legs.iter().filter(|leg| !leg.kind.sleeps()).copied().collect();
        Walk { legs, finals, asleep, ..Walk::default() }
    }
    /// The step that others come before, where it was, and its task's how-manieth it is. None once the way was begun.
    pub fn leads_to_before(&self, path: &Path) -> Option<(Deferred, u32)> {
        let Asleep { name, time, accesses, at } = self.asleep[0];
        Some((Deferred { task: path.names.task(name)?, accesses, at }, time))
    }
    /// A step has happened.
    pub fn remove(&mut self, name: Name, time: u32) {
        self.legs.retain(|leg| leg.step.name != name || leg.time != time);
    }
    fn is_over(&self) -> bool {
        self.legs.iter().all(|leg| leg.kind != LegKind::Step)
    }
    /// Whether leg `earlier` has to come before leg `later`, which is behind it, for itself.
    fn leads_to(&self, earlier: usize, later: usize) -> bool {
        let (one, two) = (&self.legs[earlier], &self.legs[later]);
        one.step.name == two.step.name
            || one.accesses.conflict(two.accesses)
            || two.born.is_some_and(|(name, time)| one.step.name == name && one.time <= time)
    }
    /// Those legs that have to come before leg `later`, and that one.
    fn history(&self, later: usize) -> Vec<usize> {
        let mut all = vec![later];
        for earlier in (0..later).rev() {
            if self.legs[earlier].kind != LegKind::Beyond && all.iter().any(|l| self.leads_to(earlier, *l)) {
                all.push(earlier);
            }
        }
        all.reverse();
        all
    }
    /// What is on the way that conflicts with leg `of`, and does not come behind another such: the one of the first
    /// task.
    fn first_conflict(
        &self,
        of: usize,
        accesses: Accesses,
        order: impl Fn(Name, Name) -> Ordering,
    ) -> Option<usize> {
        let name = self.legs[of].step.name;
        let conflicts = |at: &usize| {
            let leg = &self.legs[*at];
            leg.kind != LegKind::Beyond && leg.step.name != name && leg.accesses.conflict(accesses)
        };
        let all: Vec<usize> = (0..self.legs.len()).filter(conflicts).collect();
        let is_first = |at: &&usize| self.history(**at).iter().filter(|h| all.contains(h)).count() == 1;
        all.iter()
            .filter(is_first)
            .copied()
            .min_by(|a, b| order(self.legs[*a].step.name, self.legs[*b].step.name))
    }
}

/// What becomes of somebody who could move.
enum Verdict {
    /// It does, as this leg.
    Moves(usize),
    Sleeps(usize),
    /// These come first.
    Waits(Vec<usize>),
    /// It cannot be told: it ends the run, or so.
    Unknown,
}

/// Whether `task`, if it is its turn, is taken early.
fn would_be_early(task: TaskId, point: &Point<'_>) -> bool {
    let writes_one = point.pending(task).accesses.only().is_some();
    writes_one && point.enabled().len() > 1 && comes_last(task, point)
}

impl Optimal {
    /// The next step of the way. At its end, somebody who conflicts with the early step.
    #[cold]
    pub(super) fn walk_on(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision {
        let Some(mut walk) = self.walk.take() else { return Decision::UNDECIDED };
        if let Some(leg) = walk.schedule.pop_front() {
            let deferred = if walk.schedule.is_empty() { walk.deferred.take() } else { None };
            let decision = self.take_leg(&mut walk, leg, Origin::Scheduled, point);
            if let Some(deferred) = deferred {
                self.path.reverse(deferred);
            }
            self.walk = Some(walk);
            return decision;
        }
        if walk.is_over() {
            return self.arrive(walk, so_far, point);
        }
        // Each time round somebody falls asleep, or it ends.
        'again: loop {
            for pool in self.pools(&walk, so_far, point) {
                for task in pool {
                    match self.judge(&walk, task, point) {
                        Verdict::Unknown => {}
                        Verdict::Sleeps(leg) => {
                            let Leg { step, time, .. } = walk.legs[leg];
                            let (accesses, at) = (point.pending(task).accesses, self.path.len() as u32);
                            walk.asleep.push(Asleep { name: step.name, time, accesses, at });
                            continue 'again;
                        }
                        Verdict::Moves(leg) => {
                            let is_early = would_be_early(task, point);
                            let origin = if is_early { Origin::Early } else { Origin::Free };
                            let leg = walk.legs[leg];
                            let decision = self.take_leg(&mut walk, leg, origin, point);
                            self.walk = Some(walk);
                            return decision;
                        }
                        Verdict::Waits(legs) => {
                            let accesses = point.pending(task).accesses;
                            let deferred = Deferred { task, accesses, at: self.path.len() as u32 };
                            walk.deferred = Some(deferred);
                            let picks = legs
                                .iter()
                                .map(|leg| walk.legs[*leg])
                                .filter(|leg| leg.kind == LegKind::Step);
                            walk.schedule = picks.collect();
                            self.walk = Some(walk);
                            return self.walk_on(so_far, point);
                        }
                    }
                }
            }
            return Decision::UNDECIDED;
        }
    }

    /// Who could move, those who are asked first in front: who does not conflict with what is asleep, or else who
    /// conflicts with what fell asleep on the way.
    fn pools(&mut self, walk: &Walk, so_far: &Trace, point: &Point<'_>) -> Vec<Vec<TaskId>> {
        let all = self.those_who_may(so_far.last_task(), point);
        let is_asleep = |t: TaskId| {
            let (name, time) = (self.path.names.of(t), self.path.steps_of(t) + 1);
            walk.asleep.iter().any(|a| a.name == name && a.time == time)
        };
        let disturbs =
            |t: TaskId, number: usize| point.pending(t).accesses.conflict(walk.asleep[number].accesses);
        let awake: Vec<TaskId> = all
            .into_iter()
            .filter(|t| !is_asleep(*t) && (0..walk.finals).all(|n| !disturbs(*t, n)))
            .collect();
        let others = walk.finals..walk.asleep.len();
        let only = |number: Option<usize>| -> Vec<TaskId> {
            let is_in = |t: &TaskId| others.clone().all(|n| disturbs(*t, n) == (Some(n) == number));
            awake.iter().copied().filter(is_in).collect()
        };
        let mut pools = vec![only(None)];
        pools.extend(others.clone().rev().map(|number| only(Some(number))));
        pools.push(awake.clone());
        pools
    }

    /// Who can move and may, in the order in which they are asked.
    fn those_who_may(&mut self, last: Option<TaskId>, point: &Point<'_>) -> Vec<TaskId> {
        let Optimal { path, work, scratch, .. } = self;
        let mut finder = Finder { path, work, scratch, point };
        let mut all: Vec<TaskId> = Vec::new();
        for task in in_order(path, last, point) {
            let may = point.is_enabled(task) && !finder.is_forbidden(task, point.pending(task).accesses);
            if may && !all.contains(&task) {
                all.push(task);
            }
        }
        all.sort_by_key(|t| comes_last(*t, point));
        all
    }

    fn judge(&self, walk: &Walk, task: TaskId, point: &Point<'_>) -> Verdict {
        let (name, time) = (self.path.names.of(task), self.path.steps_of(task) + 1);
        let own = walk.legs.iter().position(|leg| leg.step.name == name && leg.time == time);
        let Some(own) = own else { return Verdict::Unknown };
        let leg = &walk.legs[own];
        if leg.kind == LegKind::Step && walk.history(own).len() == 1 {
            return Verdict::Moves(own);
        }
        let order = |a: Name, b: Name| match (self.path.names.task(a), self.path.names.task(b)) {
            (Some(a), Some(b)) => self.path.names.order(a, b),
            _ => self.path.names.order_of(a, b),
        };
        // What it would touch here, by the numbers that objects had then.
        let now = point.pending(task).accesses;
        let accesses = match now.is_everything() || leg.accesses.is_everything() {
            true => Accesses::EVERYTHING_THERE_IS,
            false => leg
                .accesses
                .iter()
                .zip(now.iter())
                .fold(Accesses::NONE, |all, (then, now)| all.and(then.object, now.mode)),
        };
        match walk.first_conflict(own, accesses, order) {
            None => Verdict::Unknown,
            Some(_) if would_be_early(task, point) => Verdict::Sleeps(own),
            Some(first) => Verdict::Waits(walk.history(first)),
        }
    }

    fn take_leg(&mut self, walk: &mut Walk, leg: Leg, origin: Origin, point: &Point<'_>) -> Decision {
        let Some(task) = self.path.names.task(leg.step.name) else { return Decision::UNDECIDED };
        let (pending, option) = (point.pending(task), leg.step.option);
        if !point.is_enabled(task) || option >= pending.options || self.path.steps_of(task) + 1 != leg.time {
            return Decision::UNDECIDED;
        }
        self.note_movers(task, point);
        self.path.learns(task, pending.accesses);
        self.probe(task, point);
        self.path.push(task, option, pending.accesses, origin, self.movers(point));
        if option > 0 {
            self.path.mark_odd();
        }
        self.wake(walk, leg.step.name, leg.time);
        walk.remove(leg.step.name, leg.time);
        Decision::take(Pick { task, option })
    }

    /// What the last step conflicts with is not asleep any more.
    fn wake(&mut self, walk: &mut Walk, name: Name, time: u32) {
        let at = self.path.len() - 1;
        let accesses = self.path.events[at].accesses;
        let marks = &mut self.path.marks;
        walk.asleep.retain(|a| {
            let wakes = a.accesses.conflict(accesses) && (a.name, a.time) != (name, time);
            if wakes {
                let (at, lane) = (at as u32, lane_of(accesses, a.accesses));
                marks.push(Mark { at, lane, name: a.name, time: a.time, from: a.at });
            }
            !wakes
        });
    }

    /// All that comes first has happened: now somebody who conflicts with the early step.
    fn arrive(&mut self, mut walk: Walk, so_far: &Trace, point: &Point<'_>) -> Decision {
        let all = self.those_who_may(so_far.last_task(), point);
        let wakes = |t: TaskId, early: &Asleep| {
            self.path.names.of(t) != early.name && point.pending(t).accesses.conflict(early.accesses)
        };
        let wakes_all = |t: &TaskId| walk.asleep[..walk.finals].iter().all(|early| wakes(*t, early));
        let is_fatal = |t: &TaskId| self.path.is_fatal(*t);
        let Some(task) = all.into_iter().find(|t| wakes_all(t) && !is_fatal(t)) else {
            return Decision::UNDECIDED;
        };
        let pending = point.pending(task);
        self.note_movers(task, point);
        if self.path.learns(task, pending.accesses) {
            self.find_races(task, pending.accesses, super::Blocking::Possible, point);
        }
        self.probe(task, point);
        self.try_other_options(task, pending.options, None);
        let is_early = would_be_early(task, point);
        let origin = if is_early { Origin::Early } else { Origin::Free };
        self.path.push(task, 0, pending.accesses, origin, self.movers(point));
        let (name, time) = (self.path.names.of(task), self.path.steps_of(task));
        self.wake(&mut walk, name, time);
        Decision::take(Pick { task, option: 0 })
    }
}
