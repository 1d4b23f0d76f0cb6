//! The present execution as a reduction sees it: each step with what happened before it.
//!
//! Invariant: the clock of a step knows exactly the steps that happened before it in conflict order, program
//! order and births included, and itself. Steps are only added and taken away at the end, and each step keeps
//! what is needed to take it away again, so whatever executions have in common is computed once.

use super::names::Names;
use crate::operation::{Access, Accesses, Mode, ObjectId, TaskId};
use crate::world::{Birth, Pending, Point};

/// How a step came to be taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// It was up to the strategy: something else may be tried in its place.
    Free,
    /// A schedule that reverses a race prescribed it.
    Scheduled,
    /// It happened by itself.
    ByItself,
}

/// A step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub task: TaskId,
    pub option: u32,
    pub accesses: Accesses,
    pub origin: Origin,
    /// It is its task's how-manieth, from 1.
    pub time: u32,
    /// It took a detour: another option than the first, or the place of a step that was free.
    pub odd: bool,
    /// The last chosen step that is not behind it: without that one it would not have happened there.
    pub chosen: u32,
    /// Who of the first 64 tasks could move when it was chosen.
    pub movers: u64,
    /// The step before it of its task, plus 1.
    before: u32,
    /// For each of its accesses, the step before it that touched the same object, plus 1.
    touched: [u32; 3],
    /// For each of its accesses, the last step before it that wrote the same object, plus 1. A loop that reads one
    /// object very often must not be walked back by each of its steps.
    wrote: [u32; 3],
    /// The last step before it that touched everything, plus 1.
    barrier: u32,
}

impl Event {
    /// The number of its access to `object`, which it touches, and how it does that.
    #[inline]
    fn lane(&self, object: ObjectId) -> (usize, Mode) {
        if let Some(only) = self.accesses.only() {
            return (0, only.mode);
        }
        self.accesses.access_to(object).expect("it is in the list of those who touch it")
    }
}

#[derive(Clone, Copy, Debug)]
struct Task {
    /// Its last step, plus 1.
    last: u32,
    /// The step of its parent during which it was born, plus 1.
    born: u32,
    birth: Birth,
}

/// A race that was reversed: a schedule was taken in the place of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Reversal {
    /// The step in whose place it was taken.
    pub deferred: Deferred,
    /// The last step of the schedule: it conflicts with the deferred one.
    pub last: u32,
    /// Where the deferred task goes on.
    pub closed: u32,
}

/// A step in whose place a schedule is taken, and which comes behind it then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Deferred {
    pub task: TaskId,
    /// What it touched.
    pub accesses: Accesses,
    /// Where it was.
    pub at: u32,
}

/// How many steps of four tasks are known.
pub(super) type Clock = [u32; 4];

/// Learns all that `theirs` knows.
#[inline(always)]
pub(super) fn join(mine: &mut [Clock], theirs: &[Clock]) {
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        for (mine, theirs) in mine.iter_mut().zip(theirs) {
            *mine = (*mine).max(*theirs);
        }
    }
}

/// Not yet.
const OPEN: u32 = u32::MAX;

/// A walk back over the steps that conflict with an operation, the latest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Conflicts {
    accesses: Accesses,
    /// For each access, and for steps that touch everything, the next step to look at, plus 1.
    next: [u32; 4],
    /// Everything conflicts.
    everything: bool,
    /// Steps that led to others which happened by themselves.
    more: Vec<u32>,
}

/// The present execution.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    pub events: Vec<Event>,
    pub names: Names,
    tasks: Vec<Task>,
    /// The clocks of the steps, one behind the other, `width` parts each.
    clocks: Vec<Clock>,
    width: usize,
    /// The last step that touched an object, plus 1.
    last_touch: Vec<u32>,
    last_barrier: u32,
    /// The races that were reversed, in their order.
    pub reversals: Vec<Reversal>,
    /// How many of them are open.
    open: usize,
    /// Steps that took a detour, but for the last ones of reversals.
    pub odd: Vec<u32>,
    /// Phantoms that have not been taken away before they moved, as far as is known.
    phantoms: Vec<TaskId>,
    /// Phantoms that were, and before which step.
    pub gone: Vec<(TaskId, u32)>,
}

impl Path {
    /// Nothing has happened yet, and there is room for a short execution.
    pub fn new() -> Path {
        let (events, clocks) = (Vec::with_capacity(32), Vec::with_capacity(32));
        Path {
            events,
            clocks,
            tasks: Vec::with_capacity(8),
            last_touch: Vec::with_capacity(16),
            ..Path::default()
        }
    }
    #[inline]
    pub fn len(&self) -> usize {
        self.events.len()
    }
    #[inline]
    pub fn clock(&self, event: usize) -> &[Clock] {
        &self.clocks[event * self.width..][..self.width]
    }
    /// Whether `clock` knows step `event`.
    #[inline]
    pub fn knows(&self, clock: &[Clock], event: usize) -> bool {
        let event = &self.events[event];
        clock[event.task.index() / 4][event.task.index() % 4] >= event.time
    }
    /// Whether step `later` happened after step `earlier`, or is the same.
    #[inline]
    pub fn is_after(&self, later: usize, earlier: usize) -> bool {
        self.knows(self.clock(later), earlier)
    }
    /// Whether step `event` happened before the next operation of `task`, by program order and births.
    pub fn is_known_to(&self, task: TaskId, event: usize) -> bool {
        let Task { last, born, .. } = self.tasks[task.index()];
        let at = (if last > 0 { last } else { born } as usize).checked_sub(1);
        at.is_some_and(|at| self.is_after(at, event))
    }
    /// Whether `task` could have taken the operation that it is about to take in the place of step `at`; none if
    /// it was not about to take it yet.
    #[inline]
    pub fn could_move(&self, task: TaskId, at: usize) -> Option<bool> {
        let Task { last, birth, .. } = &self.tasks[task.index()];
        let was_about_to = *last as usize <= at && birth.after as usize <= at && task.0 < u64::BITS;
        was_about_to.then(|| self.events[at].movers & 1 << task.0 != 0)
    }
    /// How many steps `task` has taken.
    #[inline]
    pub fn steps_of(&self, task: TaskId) -> u32 {
        let last = (self.tasks[task.index()].last as usize).checked_sub(1);
        last.map_or(0, |last| self.events[last].time)
    }
    /// Writes what `task` knew before its next step into `clock`.
    #[inline]
    pub fn knowledge_of(&self, task: TaskId, clock: &mut Vec<Clock>) {
        clock.clear();
        let Task { last, born, .. } = self.tasks[task.index()];
        match (if last > 0 { last } else { born } as usize).checked_sub(1) {
            Some(at) => clock.extend_from_slice(self.clock(at)),
            None => clock.resize(self.width, [0; 4]),
        }
    }
    /// Tasks that were born so far are met.
    #[inline]
    pub fn meet(&mut self, point: &Point<'_>) {
        while self.tasks.len() < point.all().len() {
            let birth = point.birth(TaskId(self.tasks.len() as u32));
            if birth.after as usize > self.len() {
                break;
            }
            self.bear(birth);
        }
    }
    /// How many tasks were met.
    #[inline]
    pub fn tasks_met(&self) -> usize {
        self.tasks.len()
    }
    /// A task is born, as the next one.
    pub fn bear(&mut self, birth: Birth) {
        let task = TaskId(self.tasks.len() as u32);
        self.names.bear(task, birth);
        if birth.number & Birth::PHANTOM != 0 {
            self.phantoms.push(task);
        }
        self.add_task(birth);
    }
    /// A phantom that was taken away and never moved. Each of them is returned once.
    #[inline]
    pub fn next_gone(&mut self, point: &Point<'_>) -> Option<TaskId> {
        if self.phantoms.is_empty() {
            return None;
        }
        let is_gone = |t: &TaskId| *point.pending(*t) == Pending::NOTHING && self.steps_of(*t) == 0;
        let at = self.phantoms.iter().position(is_gone)?;
        let task = self.phantoms.swap_remove(at);
        self.gone.push((task, self.len() as u32));
        Some(task)
    }
    /// The births of the tasks that were born after `depth` steps.
    pub fn born_after(&self, depth: usize) -> impl Iterator<Item = Birth> + '_ {
        self.tasks.iter().map(|t| t.birth).filter(move |b| b.after as usize > depth)
    }
    /// The births of all tasks.
    pub fn births(&self) -> impl Iterator<Item = Birth> + '_ {
        self.tasks.iter().map(|t| t.birth)
    }
    /// These phantoms are known to have been taken away.
    pub fn forget(&mut self, gone: Vec<(TaskId, u32)>) {
        self.phantoms.retain(|phantom| gone.iter().all(|(task, _)| task != phantom));
        self.gone = gone;
    }
    fn add_task(&mut self, birth: Birth) {
        let task = self.tasks.len();
        let mut born = if birth.parent.index() == task { 0 } else { self.tasks[birth.parent.index()].last };
        // Its parent may have gone on before anybody was asked.
        while born > birth.after {
            born = self.events[born as usize - 1].before;
        }
        if born == 0 && birth.parent.index() != task {
            born = self.tasks[birth.parent.index()].born;
        }
        self.tasks.push(Task { last: 0, born, birth });
        if self.tasks.len() > 4 * self.width {
            self.widen();
        }
    }
    #[cold]
    fn widen(&mut self) {
        // With very many tasks there is room for more than the next few: all clocks are moved each time.
        let room = if self.width >= 16 { self.width / 4 } else { 0 };
        let wide = self.tasks.len().div_ceil(4) + room;
        let mut clocks = Vec::with_capacity(self.clocks.capacity().max(64) / self.width.max(1) * wide);
        for at in 0..self.events.len() {
            clocks.extend_from_slice(self.clock(at));
            clocks.resize((at + 1) * wide, [0; 4]);
        }
        self.clocks = clocks;
        self.width = wide;
    }

    /// Adds a step.
    pub fn push(&mut self, task: TaskId, option: u32, accesses: Accesses, origin: Origin, movers: u64) {
        let at = self.events.len();
        let width = self.width;
        let row = at * width;
        let Task { last, born, .. } = self.tasks[task.index()];
        match (if last > 0 { last } else { born } as usize).checked_sub(1) {
            Some(from) if width == 1 => self.clocks.push(self.clocks[from]),
            Some(from) => self.clocks.extend_from_within(from * width..(from + 1) * width),
            None => self.clocks.resize(row + width, [0; 4]),
        }
        let barrier = self.last_barrier;
        let (mut touched, mut wrote) = ([0; 3], [0; 3]);
        if accesses.is_everything() {
            for other in 0..self.tasks.len() {
                if let Some(last) = (self.tasks[other].last as usize).checked_sub(1) {
                    self.join(row, last);
                }
            }
            self.last_barrier = at as u32 + 1;
        } else {
            if let Some(last) = (barrier as usize).checked_sub(1) {
                self.join(row, last);
            }
            if let Some(only) = accesses.only() {
                (touched[0], wrote[0]) = self.touch(row, only);
            } else {
                for (lane, access) in accesses.iter().enumerate() {
                    let (first, mode) = accesses.access_to(access.object).expect("it is one of them");
                    (touched[lane], wrote[lane]) = if first < lane {
                        (touched[first], wrote[first])
                    } else {
                        self.touch(row, Access { mode, ..access })
                    };
                }
            }
        }
        let time = self.steps_of(task) + 1;
        self.clocks[row + task.index() / 4][task.index() % 4] = time;
        self.tasks[task.index()].last = at as u32 + 1;
        let chosen = match origin {
            Origin::ByItself => self.events.last().map_or(0, |e| e.chosen),
            _ => at as u32,
        };
        if self.open > 0 {
            self.close(task, at as u32);
        }
        let odd = origin == Origin::Free && option > 0;
        if odd {
            self.odd.push(at as u32);
        }
        let before = last;
        self.events.push(Event {
            task,
            option,
            accesses,
            origin,
            time,
            odd,
            chosen,
            movers,
            before,
            touched,
            wrote,
            barrier,
        });
    }

    /// The next step, whose clock begins at `row`, touches an object: it learns of those who touched it before.
    /// Returns the last of them, and the last that wrote it, both plus 1.
    #[inline]
    fn touch(&mut self, row: usize, access: Access) -> (u32, u32) {
        let object = access.object.index();
        if object >= self.last_touch.len() {
            self.last_touch.resize(object + 1, 0);
        }
        let last = std::mem::replace(&mut self.last_touch[object], self.events.len() as u32 + 1);
        let wrote = self.last_write(access.object, last);
        if access.mode == Mode::Write {
            // What lies before the last barrier is known already.
            let mut next = last;
            while next > self.last_barrier.max(wrote) {
                let earlier = next as usize - 1;
                self.join(row, earlier);
                let (its, _) = self.events[earlier].lane(access.object);
                next = self.events[earlier].touched[its];
            }
        }
        if wrote > self.last_barrier {
            self.join(row, wrote as usize - 1);
        }
        (last, wrote)
    }
    /// The last step that wrote an object, plus 1, if `last` is the last that touched it, plus 1.
    #[inline]
    fn last_write(&self, object: ObjectId, last: u32) -> u32 {
        let Some(at) = last.checked_sub(1) else { return 0 };
        let event = &self.events[at as usize];
        match event.lane(object) {
            (_, Mode::Write) => last,
            (its, Mode::Read) => event.wrote[its],
        }
    }

    /// Adds steps that were here before, with the tasks that were born and the races that were reversed there.
    pub fn extend(&mut self, events: &[Event], births: &[Birth], reversals: &[Reversal]) {
        let (mut births, mut reversals) = (births.iter().peekable(), reversals.iter().peekable());
        for event in events {
            self.push(event.task, event.option, event.accesses, event.origin, event.movers);
            if event.odd {
                self.mark_odd();
            }
            if let Some(reversal) = reversals.next_if(|r| r.last as usize == self.len() - 1) {
                self.reverse(reversal.deferred);
            }
            while let Some(birth) = births.next_if(|b| b.after as usize <= self.len()) {
                self.bear(*birth);
            }
        }
    }
    /// The last step took a detour in the execution that its schedule is from.
    pub fn mark_odd(&mut self) {
        let at = self.events.len() - 1;
        if !std::mem::replace(&mut self.events[at].odd, true) {
            self.odd.push(at as u32);
        }
    }
    /// Whether step `at` took a detour.
    pub fn is_odd(&self, at: u32) -> bool {
        self.events[at as usize].odd || self.reversals.iter().any(|r| r.last == at)
    }
    /// The last step reverses a race.
    pub fn reverse(&mut self, deferred: Deferred) {
        self.reversals.push(Reversal { deferred, last: self.events.len() as u32 - 1, closed: OPEN });
        self.open += 1;
    }
    /// Whether a task that was deferred has not gone on yet.
    #[inline]
    pub fn any_open(&self) -> bool {
        self.open > 0
    }
    /// The task that was deferred and has not gone on yet, if there is only one.
    #[inline]
    pub fn only_deferred(&self) -> Option<TaskId> {
        let task = self.reversals.last().filter(|r| r.closed == OPEN)?.deferred.task;
        let mut open = self.reversals.iter().rev().filter(|r| r.closed == OPEN);
        (self.open == 1 || open.all(|r| r.deferred.task == task)).then_some(task)
    }
    /// The reversals whose deferred task has not gone on yet, the latest first.
    pub fn open_reversals(&self) -> impl Iterator<Item = &Reversal> {
        self.reversals.iter().rev().filter(|r| r.closed == OPEN)
    }
    fn close(&mut self, task: TaskId, at: u32) {
        for reversal in &mut self.reversals {
            if reversal.closed == OPEN && reversal.deferred.task == task {
                reversal.closed = at;
                self.open -= 1;
            }
        }
    }

    /// The clock that begins at `row` learns what step `from` knew.
    #[inline]
    fn join(&mut self, row: usize, from: usize) {
        if self.width == 1 {
            let theirs = self.clocks[from];
            return join(&mut self.clocks[row..=row], &[theirs]);
        }
        let (earlier, mine) = self.clocks.split_at_mut(row);
        join(mine, &earlier[from * self.width..][..self.width]);
    }

    /// Keeps the first `depth` steps and the tasks that were there then.
    pub fn truncate(&mut self, depth: usize) {
        while self.events.len() > depth {
            let event = self.events.pop().expect("there are more");
            self.tasks[event.task.index()].last = event.before;
            if event.accesses.is_everything() {
                self.last_barrier = event.barrier;
            } else {
                if let Some(only) = event.accesses.only() {
                    self.last_touch[only.object.index()] = event.touched[0];
                    continue;
                }
                for (lane, access) in event.accesses.iter().enumerate() {
                    self.last_touch[access.object.index()] = event.touched[lane];
                }
            }
        }
        while self.tasks.last().is_some_and(|t| t.birth.after as usize > depth) {
            self.tasks.pop();
        }
        while let Some((task, _)) = self.gone.pop_if(|(_, at)| *at as usize > depth) {
            self.phantoms.push(task);
        }
        self.phantoms.retain(|t| t.index() < self.tasks.len());
        while self.reversals.last().is_some_and(|r| r.last as usize >= depth) {
            self.reversals.pop();
        }
        self.open = 0;
        for reversal in &mut self.reversals {
            if reversal.closed as usize >= depth {
                reversal.closed = OPEN;
                self.open += 1;
            }
        }
        while self.odd.last().is_some_and(|at| *at as usize >= depth) {
            self.odd.pop();
        }
        self.names.truncate(self.tasks.len());
        self.clocks.truncate(depth * self.width);
    }

    /// Whether nothing that conflicts with an operation of `task` that comes next could come behind it.
    #[inline]
    pub fn is_without_race(&self, task: TaskId, accesses: Accesses) -> bool {
        let Task { last, born, .. } = self.tasks[task.index()];
        let Some(at) = (if last > 0 { last } else { born } as usize).checked_sub(1) else { return false };
        let known = self.clock(at);
        if accesses.is_everything() {
            return known.iter().flatten().sum::<u32>() == self.events.len() as u32;
        }
        let barrier = self.last_barrier;
        if barrier > 0 && !self.knows(known, barrier as usize - 1) {
            return false;
        }
        match accesses.only() {
            None => accesses == Accesses::NONE,
            Some(only) => {
                let mut next = self.last_touch.get(only.object.index()).copied().unwrap_or(0);
                if only.mode == Mode::Read {
                    next = self.last_write(only.object, next);
                }
                while next > barrier {
                    if !self.knows(known, next as usize - 1) {
                        return false;
                    }
                    let earlier = &self.events[next as usize - 1];
                    let (its, mode) = earlier.lane(only.object);
                    if mode == Mode::Write {
                        break;
                    }
                    next = earlier.touched[its];
                }
                true
            }
        }
    }

    /// The steps that conflict with an operation that comes next.
    pub fn conflicts(&self, accesses: Accesses, walk: &mut Conflicts) {
        let everything = accesses.is_everything();
        let mut next = [0; 4];
        if everything {
            next[3] = self.events.len() as u32;
        } else {
            next[3] = self.last_barrier;
            for (lane, access) in accesses.iter().enumerate() {
                next[lane] = self.last_touch.get(access.object.index()).copied().unwrap_or(0);
                if access.mode == Mode::Read {
                    next[lane] = self.last_write(access.object, next[lane]);
                }
            }
        }
        (walk.accesses, walk.next, walk.everything) = (accesses, next, everything);
        walk.more.clear();
    }
}

/// No walk ends there, but it is a conflict.
const NONE: u8 = 1 << 7;
/// No walk came there: it only led to a conflict.
pub(super) const LED: u8 = 1 << 6;
/// All walks end there.
const ALL: u8 = 0b1111;

impl Conflicts {
    /// The next one back, and the walks that came to it.
    #[inline]
    pub fn next(&mut self, path: &Path) -> Option<(usize, u8)> {
        loop {
            let [a, b, c, d] = self.next;
            let own = a.max(b).max(c.max(d));
            if !self.more.is_empty()
                && let Some(at) = self.take_more(own)
            {
                return Some((at, LED));
            }
            let at = own.checked_sub(1)? as usize;
            let event = &path.events[at];
            if self.everything {
                self.next[3] = at as u32;
                return Some((at, if event.accesses.is_everything() { ALL } else { NONE }));
            }
            if self.next[3] == at as u32 + 1 {
                self.next[3] = event.barrier;
                return Some((at, ALL));
            }
            let mut walks = 0;
            if let Some(only) = self.accesses.only() {
                let (its, mode) = event.lane(only.object);
                // A step that only reads does not care about others that do.
                self.next[0] = if only.mode == Mode::Write { event.touched[its] } else { event.wrote[its] };
                return Some((at, if mode == Mode::Write { 1 } else { NONE }));
            }
            for (lane, access) in self.accesses.iter().enumerate() {
                if self.next[lane] != at as u32 + 1 {
                    continue;
                }
                let (its, mode) = event.lane(access.object);
                self.next[lane] =
                    if access.mode == Mode::Write { event.touched[its] } else { event.wrote[its] };
                if access.mode == Mode::Write || mode == Mode::Write {
                    // Behind a step that only reads there may be others that do not depend on it.
                    walks |= if mode == Mode::Write { 1 << lane } else { NONE };
                }
            }
            if walks != 0 {
                return Some((at, walks));
            }
        }
    }
    /// Step `at` happened by itself: what led to it comes next, too.
    #[cold]
    pub fn lead_to(&mut self, path: &Path, at: usize) {
        let event = &path.events[at];
        let Task { born, .. } = path.tasks[event.task.index()];
        self.more.push(if event.before > 0 { event.before } else { born });
        self.more.push(event.barrier);
        for access in event.accesses.iter() {
            let (lane, mode) = event.lane(access.object);
            let mut next = if mode == Mode::Write { event.touched[lane] } else { event.wrote[lane] };
            while next > event.barrier {
                let (its, theirs) = path.events[next as usize - 1].lane(access.object);
                self.more.push(next);
                if theirs == Mode::Write {
                    break;
                }
                next = path.events[next as usize - 1].touched[its];
            }
        }
    }
    /// The latest of the steps that led to others, if no other conflict lies behind it.
    #[cold]
    fn take_more(&mut self, own: u32) -> Option<usize> {
        let at = self.more.iter().copied().max()?;
        if at == 0 || at < own {
            return None;
        }
        self.more.retain(|other| *other < at);
        (at > own).then_some(at as usize - 1)
    }
    /// All that lies behind on these walks is known to have happened before.
    #[inline]
    pub fn retire(&mut self, walks: u8) {
        for lane in 0..4 {
            if walks & 1 << lane != 0 {
                self.next[lane] = 0;
            }
        }
    }
}
