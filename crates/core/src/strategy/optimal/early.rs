//! Steps that are taken early: operations that others, who commute, may block together, as readers do a writer, where
//! nobody but such writers can move.
//!
//! Call such a step W, and E what came before it. In a trace in which something that conflicts with W comes first, let u be
//! what does not depend on anything that does. Without W, u goes on until nobody can move but who conflicts with W: then
//! it is *ripe*, and if there is somebody, "E, then u, then one of them" is the beginning of an execution in which nobody is
//! forbidden anything, and W comes last. So nobody waits in it for what is explored elsewhere. Each ripe u is
//! found once: at the end of the execution with W in front of u that deviates from what is free for the sake of u
//! only. That nobody else could move after u without W is asked of each step when it comes to depend on W.
//!
//! There may be early steps among u, and others come before these, too. Then several are waited for at once: where nobody
//! else can move, who conflicts with the latest of them comes next. So if somebody can come before an early step of u
//! without anything that conflicts with W, that belongs to u, and is found where W came first.
//!
//! All that has to be known later is a *mark*: from this step on, what an execution leaves out to find something must
//! not be all that conflicts with W, or else it is found where W comes first.

use super::clock::{self, join};
use super::names::Name;
use super::path::{Deferred, OPEN, Origin, Path};
use super::races::{Finder, Scratch, Second};
use super::work::{Item, Leg, LegKind, Move};
use crate::operation::{Accesses, TaskId};
use crate::world::{Pending, Point};

/// A step that was taken early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Early {
    pub at: u32,
    /// The step that could have come before it and did not, though it does not conflict with it.
    pub unripe: u32,
}

/// A step that could have come before one that was taken early, and conflicts with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Notice {
    pub at: u32,
    /// Where the early one was.
    pub early: u32,
}

/// The first of the steps that came before an operation that would have been taken early and conflict with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Mark {
    pub at: u32,
    /// Which of its accesses does; none if it touches everything.
    pub lane: Option<u8>,
    /// The operation: whose, and its how-manieth.
    pub name: Name,
    pub time: u32,
    /// Where it would have been taken; nowhere if this execution does not lead there.
    pub from: u32,
}

impl Mark {
    /// What conflicts with the operation; everything if only this step is known to.
    pub fn conflicts_there(&self, path: &Path) -> Accesses {
        let accesses = path.events[self.at as usize].accesses;
        let access = self.lane.and_then(|lane| accesses.iter().nth(lane as usize));
        access.map_or(Accesses::EVERYTHING_THERE_IS, |access| Accesses::write(access.object))
    }
    /// What conflicts with the operation, in the execution that `path` is; none if that is not known there.
    fn conflicts(&self, path: &Path, point: &Point<'_>) -> Option<Accesses> {
        let accesses = path.events[self.at as usize].accesses;
        if let Some(access) = self.lane.and_then(|lane| accesses.iter().nth(lane as usize)) {
            return Some(Accesses::write(access.object));
        }
        let task = path.names.task(self.name)?;
        if path.steps_of(task) + 1 == self.time {
            return Some(point.pending(task).accesses);
        }
        let mut steps = path.events.iter().rev().filter(|e| e.task == task);
        steps.find(|e| e.time == self.time).map(|e| e.accesses)
    }
}

/// Somebody's how-manieth operation, and what it touches.
type Who = (Name, u32, Accesses);

/// The last step, if it ended the run and is taken back.
#[derive(Default)]
pub(super) struct TakenBack {
    step: Option<(TaskId, Who)>,
    /// Those early steps that it could have come before, though it does not conflict with them.
    spoils: Vec<u32>,
    /// Those that it could have come before and conflicts with.
    conflicts: Vec<u32>,
}

impl TakenBack {
    /// Step `last` is about to be.
    pub fn new(path: &Path, last: usize) -> TakenBack {
        let event = &path.events[last];
        let who = (path.names.of(event.task), event.time, event.accesses);
        let notices = path.notices.iter().filter(|notice| notice.at as usize == last);
        TakenBack {
            step: Some((event.task, who)),
            spoils: path.early.iter().filter(|e| e.unripe as usize == last).map(|e| e.at).collect(),
            conflicts: notices.map(|notice| notice.early).collect(),
        }
    }
}

/// What is left of `early` after the first `depth` steps.
pub(super) fn within(early: &[Early], depth: usize) -> impl Iterator<Item = Early> {
    let mut early = early.to_vec();
    truncate(&mut early, depth);
    early.into_iter()
}

/// Which of `accesses` conflicts with an operation that writes one object.
pub(super) fn lane_of(accesses: Accesses, early: Accesses) -> Option<u8> {
    let object = early.only()?.object;
    accesses.iter().position(|access| access.object == object).map(|lane| lane as u8)
}

/// The first `depth` steps are kept.
pub(super) fn truncate(early: &mut Vec<Early>, depth: usize) {
    while early.last().is_some_and(|e| e.at as usize >= depth) {
        early.pop();
    }
    for e in early {
        if e.unripe as usize >= depth {
            e.unripe = OPEN;
        }
    }
}

/// What an operation would be where an early step and all that depends on it had not happened.
enum Would {
    BeBlocked,
    Conflict,
    Move,
}

/// The steps behind step `at` that do not depend on it.
fn independent(path: &Path, at: usize) -> Vec<u32> {
    (at + 1..path.len()).filter(|later| !path.is_after(*later, at)).map(|later| later as u32).collect()
}

/// Whether the operation of `task` is one that somebody has to come before, and nobody did, where step `at` and all that
/// depends on it had not happened.
fn is_asleep(path: &Path, point: &Point<'_>, task: TaskId, at: usize, also: &[u32]) -> bool {
    let (name, time) = (path.names.of(task), path.steps_of(task) + 1);
    path.marks.iter().filter(|m| m.at as usize >= at && m.from as usize <= at).any(|mark| {
        let wakes = |step: &u32| {
            let conflicts = mark.conflicts(path, point);
            let accesses = path.events[*step as usize].accesses;
            *step >= mark.at && conflicts.is_none_or(|conflicts| conflicts.conflict(accesses))
        };
        (mark.name, mark.time) == (name, time) && !also.iter().any(wakes)
    })
}

fn would(path: &Path, point: &Point<'_>, task: TaskId, at: usize, also: &[u32]) -> Would {
    if !path.marks.is_empty() && is_asleep(path, point, task, at, also) {
        return Would::BeBlocked;
    }
    if !point.can_block(task) && path.could_move(task, at) == Some(false) {
        return Would::BeBlocked;
    }
    if !point.could_happen(task, at, also) {
        return Would::BeBlocked;
    }
    match point.accesses_then(task, at, also).conflict(path.events[at].accesses) {
        true => Would::Conflict,
        false => Would::Move,
    }
}

/// An operation of `task`, of which [`Path::learns`] was just asked, comes next: it may be the first of its task that
/// depends on a step that was taken early. If it happens by itself, and has not waited, it could have happened earlier,
/// with these accesses.
#[cold]
pub(super) fn probe(path: &mut Path, task: TaskId, by_itself: Option<Accesses>, point: &Point<'_>) {
    for number in 0..path.early.len() {
        let Early { at: early, unripe } = path.early[number];
        let at = early as usize;
        if unripe != OPEN || path.is_known_to(task, at) || !path.will_know(at) {
            continue;
        }
        let here = path.len() as u32;
        let would = match by_itself {
            Some(accesses) if accesses.conflict(path.events[at].accesses) => Would::Conflict,
            Some(_) => Would::Move,
            None => would(path, point, task, at, &independent(path, at)),
        };
        match would {
            Would::BeBlocked => {}
            Would::Conflict => path.notices.push(Notice { at: here, early }),
            Would::Move => path.early[number].unripe = here,
        }
    }
}

impl Finder<'_> {
    /// The execution is over: what if somebody had come before a step that was taken early? The last step may have been
    /// taken back, since it has ended the run.
    #[cold]
    pub fn find_entries(&mut self, last: &TakenBack) {
        let mut highest = self.path.len();
        for number in 0..self.path.early.len() {
            let Early { at: early, unripe } = self.path.early[number];
            let at = early as usize;
            if unripe != OPEN || last.spoils.contains(&early) {
                continue;
            }
            let also = independent(self.path, at);
            if let Some(mut noticed) = self.noticed(at, &also, last.step.map(|(task, _)| task)) {
                let conflicts = last.conflicts.contains(&early);
                noticed.extend(last.step.filter(|_| conflicts).map(|(_, who)| who));
                if self.enter(at, also, &noticed) {
                    highest = highest.min(at);
                }
            }
        }
        if highest < self.path.len() {
            self.add_route(highest, last);
        }
    }

    /// Who could move after `also`, without step `at`, and conflicts with that. None if somebody could who does not.
    fn noticed(&self, at: usize, also: &[u32], except: Option<TaskId>) -> Option<Vec<Who>> {
        let Finder { path, point, .. } = self;
        let notices = path.notices.iter().filter(|notice| notice.early as usize == at);
        let events = notices.map(|notice| &path.events[notice.at as usize]);
        let mut noticed: Vec<_> = events.map(|e| (path.names.of(e.task), e.time, e.accesses)).collect();
        let is_gone = |task: TaskId| path.gone.iter().any(|(gone, _)| *gone == task);
        for task in (0..path.tasks_met().min(point.all().len()) as u32).map(TaskId) {
            let pending = point.pending(task);
            if Some(task) == except {
                continue;
            }
            if *pending == Pending::NOTHING && !is_gone(task) || path.is_known_to(task, at) {
                continue;
            }
            match would(path, point, task, at, also) {
                Would::BeBlocked => {}
                Would::Conflict => {
                    noticed.push((path.names.of(task), path.steps_of(task) + 1, pending.accesses));
                }
                // As good as blocked, if that does not depend on the early step.
                Would::Move if path.is_fatal(task) && !self.depends(task, at) => {}
                Would::Move => return None,
            }
        }
        Some(noticed)
    }

    /// Whether the pending operation of `task` depends on step `at`.
    fn depends(&self, task: TaskId, at: usize) -> bool {
        let accesses = self.point.pending(task).accesses;
        (at..self.path.len())
            .any(|later| self.path.is_after(later, at) && self.path.events[later].accesses.conflict(accesses))
    }

    /// What does not depend on step `at` comes first, and then somebody who conflicts with it, if that is for this
    /// execution to find.
    fn enter(&mut self, at: usize, also: Vec<u32>, noticed: &[Who]) -> bool {
        let path = self.path;
        let event = &path.events[at];
        path.knowledge_of(event.task, &mut self.scratch.kept);
        self.scratch.kept.fill(clock::NOTHING);
        for step in &also {
            join(&mut self.scratch.kept, path.clock(*step as usize));
        }
        self.scratch.also = also;
        if !self.takes_no_detour(at) || !self.is_allowed(None, at) {
            return false;
        }
        // Others that somebody has to come before here: whoever comes next must conflict with all of them.
        let open: Vec<&Mark> = path.marks.iter().filter(|mark| !self.keeps(mark, at, None)).collect();
        let asleep: Vec<(&Mark, Accesses)> =
            open.iter().filter_map(|m| Some((*m, m.conflicts(path, self.point)?))).collect();
        let suits = |(name, time, accesses): &Who| {
            let wakes =
                |(m, a): &(&Mark, Accesses)| a.conflict(*accesses) && (m.name, m.time) != (*name, *time);
            asleep.iter().all(wakes)
        };
        if asleep.len() < open.len()
            || open.iter().any(|m| m.from as usize > at)
            || !noticed.iter().any(suits)
        {
            return false;
        }
        let deferred = Deferred { task: event.task, accesses: event.accesses, at: at as u32 };
        let mut item = Item::new(at, Some(deferred), event.time);
        item.enters = true;
        let mut sleepers: Vec<Leg> =
            asleep.iter().map(|(mark, accesses)| sleeper(mark, *accesses, LegKind::Asleep)).collect();
        // Others that somebody comes before on the way. Whoever could come now before that is found where nobody does.
        let woken = path.marks.iter().filter(|m| m.at as usize >= at && m.from as usize <= at);
        for mark in woken.filter(|m| self.keeps(m, at, None)) {
            let accesses = mark.conflicts(path, self.point).unwrap_or(Accesses::EVERYTHING_THERE_IS);
            if noticed.iter().any(|who| self.could_come_first(who, mark, accesses)) {
                return false;
            }
            sleepers.push(sleeper(mark, accesses, LegKind::Woken));
        }
        let Scratch { kept, also, .. } = &*self.scratch;
        self.work.add_entry(item, kept, &sleepers, also.len());
        true
    }

    /// Whether somebody could come before there is anything that conflicts with the operation of `mark`.
    fn could_come_first(&self, (name, time, accesses): &Who, mark: &Mark, conflicts: Accesses) -> bool {
        let path = self.path;
        let Some(task) = path.names.task(*name) else { return false };
        let own =
            (0..path.len()).rev().find(|s| path.events[*s].task == task && path.events[*s].time == *time);
        let knows = |step: usize| match own {
            Some(own) => path.was_known_to(own, step),
            None => path.is_known_to(task, step),
        };
        let wakes = |step: usize| knows(step) && path.events[step].accesses.conflict(conflicts);
        !accesses.conflict(conflicts) && !(mark.at as usize..path.len()).any(wakes)
    }

    /// What happened behind step `above`, and what is about to.
    fn add_route(&mut self, above: usize, last: &TakenBack) {
        let (path, point) = (self.path, self.point);
        let about_to = |task: TaskId| {
            let taken_back = last.step.filter(|(t, _)| *t == task).map(|(_, (_, _, accesses))| accesses);
            let accesses = taken_back.unwrap_or_else(|| point.pending(task).accesses);
            let time = path.steps_of(task) + 1;
            let step = Move { name: path.names.of(task), option: 0, odd: false };
            let born = path.born_of(task).map(|(parent, time)| (path.names.of(parent), time));
            Leg { step, at: OPEN, task, time, accesses, born, kind: LegKind::Beyond }
        };
        let met = (0..path.tasks_met().min(point.all().len()) as u32).map(TaskId);
        let steps = (above..path.len()).map(|at| leg(path, at));
        self.work.add_route(steps.chain(met.map(about_to)));
    }
}

fn leg(path: &Path, at: usize) -> Leg {
    let event = &path.events[at];
    Leg {
        step: Move { name: path.names.of(event.task), option: event.option, odd: false },
        at: at as u32,
        task: event.task,
        time: event.time,
        accesses: event.accesses,
        born: path.born_of(event.task).map(|(parent, time)| (path.names.of(parent), time)),
        kind: if event.origin == Origin::ByItself { LegKind::ByItself } else { LegKind::Step },
    }
}

/// What step `last` is the first to come before.
pub(super) fn waited_for(path: &Path, last: usize, point: &Point<'_>) -> Vec<Leg> {
    let marks = path.marks.iter().filter(|mark| mark.at as usize == last);
    let leg = |mark: &Mark| {
        let accesses = mark.conflicts(path, point).unwrap_or(Accesses::EVERYTHING_THERE_IS);
        sleeper(mark, accesses, LegKind::Asleep)
    };
    marks.map(leg).collect()
}

/// The operation of `mark`, which somebody has to come before.
fn sleeper(mark: &Mark, accesses: Accesses, kind: LegKind) -> Leg {
    let step = Move { name: mark.name, option: 0, odd: false };
    let (time, at, task, born) = (mark.time, mark.from, TaskId(0), None);
    Leg { step, at, task, time, accesses, born, kind }
}

impl Finder<'_> {
    /// Whether something is kept of what conflicts with each operation that would have been taken early, and was not,
    /// from step `first` on.
    #[cold]
    pub fn keeps_marks(&self, first: usize, second: Option<&Second>) -> bool {
        self.path.marks.iter().all(|mark| self.keeps(mark, first, second))
    }

    /// The same for one of them.
    fn keeps(&self, mark: &Mark, first: usize, second: Option<&Second>) -> bool {
        let (path, at) = (self.path, mark.at as usize);
        if at < first {
            return true;
        }
        let Some(conflicts) = mark.conflicts(path, self.point) else {
            return path.knows(&self.scratch.kept, at);
        };
        let is_same =
            |s: &Second| path.names.of(s.task) == mark.name && path.steps_of(s.task) + 1 == mark.time;
        let is_kept =
            |s: usize| path.knows(&self.scratch.kept, s) && path.events[s].accesses.conflict(conflicts);
        second.is_some_and(|s| s.accesses.conflict(conflicts) && !is_same(s)) || (at..path.len()).any(is_kept)
    }
}
