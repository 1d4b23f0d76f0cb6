//! The present execution as a reduction sees it: each step with what happened before it.
//!
//! Invariant: the clock of a step knows exactly the steps that happened before it in conflict order, program
//! order and births included, and itself. Steps are only added and taken away at the end, and each step keeps
//! what is needed to take it away again, so whatever executions have in common is computed once.

use super::clock::{self, Clock, LANES};
use super::early::{self, Early, Mark, Notice};
use super::names::Names;
use crate::operation::{Access, Accesses, Mode, ObjectId, TaskId};
use crate::world::{Birth, Pending, Point};

/// How a step came to be taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// It was up to the strategy: something else may be tried in its place.
    Free,
    /// The same, and it is an [early](super::early) one: what else may be tried is found at the end.
    Early,
    /// A schedule that reverses a race prescribed it.
    Scheduled,
    /// It happened by itself.
    ByItself,
}

/// A step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub accesses: Accesses,
    /// Who of the first 64 tasks could move when it was chosen.
    pub movers: u64,
    pub task: TaskId,
    pub option: u32,
    /// It is its task's how-manieth, from 1.
    pub time: u32,
    /// The last chosen step that is not behind it: without that one it would not have happened there.
    pub chosen: u32,
    /// The step before it of its task, plus 1.
    before: u32,
    /// The last step before it that touched everything, plus 1.
    barrier: u32,
    /// What its first access found.
    found: Touched,
    /// Where `Path::found` has what its other accesses found, plus 1.
    more: u32,
    pub origin: Origin,
    /// It took a detour: another option than the first, or the place of a step that was free.
    pub odd: bool,
}

/// Who touched an object last.
#[derive(Clone, Copy, Default, Debug)]
struct Touched {
    /// The last step that touched it, plus 1.
    by: u32,
    /// The last step that wrote it, plus 1. A loop that reads one object very often must not be walked back by each
    /// of its steps.
    wrote: u32,
}

impl Touched {
    /// The last of them that may conflict with an access of this mode.
    #[inline]
    fn before(&self, mode: Mode) -> u32 {
        if mode == Mode::Write { self.by } else { self.wrote }
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

impl Task {
    /// The step behind which its next one comes by program order or birth, plus 1.
    #[inline]
    fn from(&self) -> u32 {
        if self.last > 0 { self.last } else { self.born }
    }
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

/// A step that is known to end the run for everybody, until something happens that conflicts with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Fatal {
    pub task: TaskId,
    /// What it touches.
    pub accesses: Accesses,
    /// After how many steps it is known.
    pub from: u32,
    /// The step that conflicts with it.
    until: u32,
}

/// Not yet.
pub(super) const OPEN: u32 = u32::MAX;

/// The present execution.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    pub events: Vec<Event>,
    pub names: Names,
    tasks: Vec<Task>,
    /// The clocks of the steps, one behind the other, `width` parts each.
    clocks: Vec<Clock>,
    width: usize,
    /// Who touched each object last.
    touched: Vec<Touched>,
    /// What accesses of steps found that are not their first ones, two for each step that has more than one.
    found: Vec<[Touched; 2]>,
    last_barrier: u32,
    /// The races that were reversed, in their order.
    pub reversals: Vec<Reversal>,
    /// How many of them are open.
    open: usize,
    /// Steps that are known to be fatal, and how many of them still are.
    pub fatal: Vec<Fatal>,
    waiting: usize,
    /// Steps that took a detour, but for the last ones of reversals.
    pub odd: Vec<u32>,
    /// Steps that were taken early, and where somebody came before one that would have been.
    pub early: Vec<Early>,
    pub marks: Vec<Mark>,
    pub notices: Vec<Notice>,
    /// Phantoms that have not been taken away before they moved, as far as is known.
    phantoms: Vec<TaskId>,
    /// Phantoms that were, and before which step.
    pub gone: Vec<(TaskId, u32)>,
}

impl Path {
    /// Nothing has happened yet, and there is room for a short execution.
    pub fn with_room() -> Path {
        Path {
            events: Vec::with_capacity(32),
            clocks: Vec::with_capacity(32),
            width: 1,
            tasks: Vec::with_capacity(8),
            touched: Vec::with_capacity(16),
            ..Path::default()
        }
    }
    /// Nothing has happened yet, nor does it know any names.
    pub fn clear(&mut self) {
        self.events.clear();
        self.names.clear();
        self.tasks.clear();
        self.clocks.clear();
        self.width = 1;
        self.touched.clear();
        self.found.clear();
        self.last_barrier = 0;
        self.reversals.clear();
        self.open = 0;
        self.fatal.clear();
        self.waiting = 0;
        self.odd.clear();
        self.early.clear();
        self.marks.clear();
        self.notices.clear();
        self.phantoms.clear();
        self.gone.clear();
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
        clock[event.task.index() / LANES][event.task.index() % LANES] >= event.time as i32
    }
    /// Whether step `later` happened after step `earlier`, or is the same.
    #[inline]
    pub fn is_after(&self, later: usize, earlier: usize) -> bool {
        self.knows(self.clock(later), earlier)
    }
    /// Whether step `event` happened before the next operation of `task`, by program order and births.
    pub fn is_known_to(&self, task: TaskId, event: usize) -> bool {
        let from = self.tasks[task.index()].from() as usize;
        from > 0 && self.is_after(from - 1, event)
    }
    /// Whether the step of which [`Path::learns`] was asked last happens after step `event`.
    pub fn will_know(&self, event: usize) -> bool {
        self.knows(&self.clocks[self.events.len() * self.width..], event)
    }
    /// The step during which `task` was born: whose, and its how-manieth.
    pub fn born_of(&self, task: TaskId) -> Option<(TaskId, u32)> {
        let born = (self.tasks[task.index()].born as usize).checked_sub(1)?;
        Some((self.events[born].task, self.events[born].time))
    }
    /// Whether `task` could have taken the operation that it is about to take in the place of step `at`; none if
    /// it was not about to take it yet.
    #[inline]
    pub fn could_move(&self, task: TaskId, at: usize) -> Option<bool> {
        let Task { last, birth, .. } = &self.tasks[task.index()];
        if *last as usize > at || birth.after as usize > at {
            return None;
        }
        if !self.fatal.is_empty() && self.would_have_been_fatal(task, at) {
            return Some(false);
        }
        (task.0 < u64::BITS).then(|| self.events[at].movers & 1 << task.0 != 0)
    }
    /// How many steps `task` has taken.
    #[inline]
    pub fn steps_of(&self, task: TaskId) -> u32 {
        let last = (self.tasks[task.index()].last as usize).checked_sub(1);
        last.map_or(0, |last| self.events[last].time)
    }
    /// Writes what `task` knew before its next step into `clock`.
    #[inline(always)]
    pub fn knowledge_of(&self, task: TaskId, clock: &mut Vec<Clock>) {
        clock.clear();
        match self.tasks[task.index()].from() as usize {
            0 => clock.resize(self.width, clock::NOTHING),
            from if self.width == 1 => clock.push(self.clocks[from - 1]),
            from => clock.extend_from_slice(self.clock(from - 1)),
        }
    }
    /// Whether step `event` happened before the operation that step `at` was could be taken, by program order and births.
    pub fn was_known_to(&self, at: usize, event: usize) -> bool {
        let Event { before, task, .. } = self.events[at];
        let from = if before > 0 { before } else { self.tasks[task.index()].born } as usize;
        from > 0 && self.is_after(from - 1, event)
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
    /// Whether all tasks were met, and nobody can have been taken away.
    #[inline]
    pub fn knows_all(&self, point: &Point<'_>) -> bool {
        self.tasks.len() == point.all().len() && self.phantoms.is_empty()
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
        if self.tasks.len() > LANES * self.width {
            self.widen();
        }
    }
    #[cold]
    fn widen(&mut self) {
        // With very many tasks there is room for more than the next few: all clocks are moved each time.
        let room = if self.width >= 16 { self.width / 4 } else { 0 };
        let wide = self.tasks.len().div_ceil(LANES) + room;
        // As many as there is room for events: what was there before may have been for wider ones.
        let mut clocks = Vec::with_capacity(self.events.capacity().max(32) * wide);
        for at in 0..self.events.len() {
            clocks.extend_from_slice(self.clock(at));
            clocks.resize((at + 1) * wide, clock::NOTHING);
        }
        self.clocks = clocks;
        self.width = wide;
    }

    /// An operation of `task` may come next. Says whether something that conflicts with it could come behind it: whether
    /// it learns of any step that its task did not know of.
    #[inline(always)]
    pub fn learns(&mut self, task: TaskId, accesses: Accesses) -> bool {
        let from = self.tasks[task.index()].from() as usize;
        if self.width > 1 {
            self.begin_wide_clock(from);
        } else {
            self.clocks.truncate(self.events.len());
            let known = if from > 0 { self.clocks[from - 1] } else { clock::NOTHING };
            self.clocks.push(known);
        }
        match accesses.only() {
            Some(only) if self.last_barrier == 0 => self.learns_of_one(only),
            _ => self.learns_of_several(accesses),
        }
    }
    /// The same for an operation with one access, in the last clock.
    #[inline(always)]
    fn learns_of_one(&mut self, access: Access) -> bool {
        let Some(touched) = self.touched.get(access.object.index()).copied() else { return false };
        let last = touched.before(access.mode);
        let learns = last > 0 && self.learns_of(last as usize - 1);
        if last > touched.wrote { self.learns_of_readers(access, touched) | learns } else { learns }
    }
    /// The same for an operation that comes behind step `at`.
    #[inline(always)]
    fn learns_of(&mut self, at: usize) -> bool {
        if self.width > 1 {
            return self.learns_widely_of(at);
        }
        let Some((clock, clocks)) = self.clocks.split_last_mut() else { return false };
        let event = &self.events[at];
        // Whoever knows a step knows all that it knew.
        let learns = clock[event.task.index() % LANES] < event.time as i32;
        if learns {
            *clock = clock::joined(*clock, &clocks[at]);
        }
        learns
    }
    /// The same for one that writes, behind the reads and the last write before the last one.
    #[inline(never)]
    fn learns_of_readers(&mut self, access: Access, Touched { by, wrote }: Touched) -> bool {
        let (mut next, mut learns) = (by, false);
        // What lies before the last barrier is known already.
        while next > wrote.max(self.last_barrier) {
            next = self.found_by(next as usize - 1, access.object).0.by;
            learns |= next > 0 && self.learns_of(next as usize - 1);
        }
        learns
    }
    /// The same with any accesses.
    #[inline(never)]
    fn learns_of_several(&mut self, accesses: Accesses) -> bool {
        let mut learns = false;
        if accesses.is_everything() {
            for task in 0..self.tasks.len() {
                let last = self.tasks[task].last as usize;
                learns |= last > 0 && self.learns_of(last - 1);
            }
            return learns;
        }
        if self.last_barrier > 0 {
            learns = self.learns_of(self.last_barrier as usize - 1);
        }
        for access in accesses.iter() {
            learns |= self.learns_of_one(access);
        }
        learns
    }
    /// Where there are more than eight tasks: the last clock begins with what step `from`, minus 1, knew.
    #[inline(never)]
    fn begin_wide_clock(&mut self, from: usize) {
        let (width, end) = (self.width, self.events.len() * self.width);
        self.clocks.truncate(end);
        match from {
            0 => self.clocks.resize(end + width, clock::NOTHING),
            from => self.clocks.extend_from_within((from - 1) * width..from * width),
        }
    }
    /// The same for an operation that comes behind step `at`, there.
    #[inline(never)]
    fn learns_widely_of(&mut self, at: usize) -> bool {
        let (clocks, clock) = self.clocks.split_at_mut(self.events.len() * self.width);
        let Event { task, time, .. } = self.events[at];
        let learns = clock[task.index() / LANES][task.index() % LANES] < time as i32;
        if learns {
            clock::join(clock, &clocks[at * self.width..][..self.width]);
        }
        learns
    }

    /// Adds the step of which [`Path::learns`] was asked last.
    #[inline(always)]
    pub fn push(&mut self, task: TaskId, option: u32, accesses: Accesses, origin: Origin, movers: u64) {
        let at = self.events.len() as u32;
        let (part, lane) = (task.index() / LANES, task.index() % LANES);
        let own = &mut self.clocks[at as usize * self.width + part][lane];
        *own += 1;
        let time = *own as u32;
        let before = std::mem::replace(&mut self.tasks[task.index()].last, at + 1);
        let barrier = self.last_barrier;
        let (mut found, mut more) = (Touched::default(), 0);
        if let Some(only) = accesses.only() {
            found = self.touch(at, only);
        } else if accesses.is_everything() {
            self.last_barrier = at + 1;
        } else if accesses != Accesses::NONE {
            (found, more) = self.touch_many(at, accesses);
        }
        let chosen = match origin {
            Origin::ByItself => self.events.last().map_or(0, |e| e.chosen),
            _ => at,
        };
        if self.open > 0 {
            self.close(task, at);
        }
        if self.waiting > 0 {
            self.forget_fatal(task, accesses, at);
        }
        let odd = origin == Origin::Free && option > 0;
        if odd {
            self.odd.push(at);
        }
        self.events.push(Event {
            accesses,
            movers,
            task,
            option,
            time,
            chosen,
            before,
            barrier,
            found,
            more,
            origin,
            odd,
        });
    }

    /// Step `at` touches an object. Returns who did so before.
    #[inline]
    fn touch(&mut self, at: u32, access: Access) -> Touched {
        let object = access.object.index();
        if object >= self.touched.len() {
            self.meet_object(object);
        }
        let touched = &mut self.touched[object];
        let found = *touched;
        touched.by = at + 1;
        if access.mode == Mode::Write {
            touched.wrote = at + 1;
        }
        found
    }
    /// The same for several accesses.
    #[inline(never)]
    fn touch_many(&mut self, at: u32, accesses: Accesses) -> (Touched, u32) {
        let mut found = [Touched::default(); 3];
        for (lane, access) in accesses.iter().enumerate() {
            found[lane] = self.touch(at, access);
            if found[lane].by > at {
                // It has touched the object already, and that found what was there before.
                let (first, mode) = accesses.access_to(access.object).expect("it is one of them");
                found[lane] = found[first];
                if mode == Mode::Write {
                    self.touched[access.object.index()].wrote = at + 1;
                }
            }
        }
        self.found.push([found[1], found[2]]);
        (found[0], self.found.len() as u32)
    }
    /// An object is touched for the first time.
    #[cold]
    fn meet_object(&mut self, object: usize) {
        self.touched.resize(object + 1, Touched::default());
    }
    /// Who had touched `object` before step `at` did, and how that does.
    #[inline]
    fn found_by(&self, at: usize, object: ObjectId) -> (Touched, Mode) {
        let event = &self.events[at];
        if let Some(only) = event.accesses.only() {
            return (event.found, only.mode);
        }
        let (lane, mode) = event.accesses.access_to(object).expect("it is in the list of those who touch it");
        (self.found_in(event, lane), mode)
    }
    #[inline]
    fn found_in(&self, event: &Event, lane: usize) -> Touched {
        if lane == 0 { event.found } else { self.found[event.more as usize - 1][lane - 1] }
    }

    /// Adds steps that were here before, with the tasks that were born, the races that were reversed and what was known
    /// to be fatal there.
    pub fn extend(&mut self, events: &[Event], births: &[Birth], reversals: &[Reversal], fatal: &[Fatal]) {
        let (mut births, mut reversals) = (births.iter().peekable(), reversals.iter().peekable());
        let mut fatal = fatal.iter().peekable();
        for event in events {
            self.learns(event.task, event.accesses);
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
            while let Some(fatal) = fatal.next_if(|f| f.from as usize <= self.len()) {
                self.foresee(fatal.task, fatal.accesses);
            }
        }
    }
    /// The last step was taken early.
    pub fn note_early(&mut self) {
        let at = self.events.len() as u32 - 1;
        self.early.push(Early { at, unripe: OPEN });
    }
    /// Step `at` was not early after all.
    pub fn take_as_free(&mut self, at: usize) {
        self.events[at].origin = Origin::Free;
        self.early.retain(|early| early.at as usize != at);
    }
    /// The last step took a detour in the execution that its schedule is from.
    pub fn mark_odd(&mut self) {
        let at = self.events.len() - 1;
        if !std::mem::replace(&mut self.events[at].odd, true) {
            self.odd.push(at as u32);
        }
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
    /// The next step of `task` is known to end the run for everybody.
    pub fn foresee(&mut self, task: TaskId, accesses: Accesses) {
        self.fatal.push(Fatal { task, accesses, from: self.len() as u32, until: OPEN });
        self.waiting += 1;
    }
    /// Nothing is known of what `task` does next, nor of what became known here later.
    pub fn forget_from(&mut self, task: TaskId) {
        let here = self.len() as u32;
        if let Some(at) = self.fatal.iter().position(|f| f.from == here && f.task == task) {
            self.waiting -= self.fatal.len() - at;
            self.fatal.truncate(at);
        }
    }
    /// Whether a step is known to be fatal.
    #[inline]
    pub fn any_fatal(&self) -> bool {
        self.waiting > 0
    }
    /// Whether the next step of `task` is.
    pub fn is_fatal(&self, task: TaskId) -> bool {
        self.waiting > 0 && self.fatal.iter().any(|f| f.until == OPEN && f.task == task)
    }
    /// Those of the first 64 tasks whose next step is not.
    #[cold]
    pub fn without_fatal(&self, tasks: u64) -> u64 {
        let fatal = self.fatal.iter().filter(|f| f.until == OPEN && f.task.0 < u64::BITS);
        fatal.fold(tasks, |tasks, f| tasks & !(1 << f.task.0))
    }
    /// Whether it would have been in the place of step `at`.
    #[cold]
    fn would_have_been_fatal(&self, task: TaskId, at: usize) -> bool {
        let at = at as u32;
        self.fatal.iter().any(|f| f.task == task && f.from <= at && at <= f.until)
    }
    /// What step `at` conflicts with may do something else now.
    #[cold]
    fn forget_fatal(&mut self, task: TaskId, accesses: Accesses, at: u32) {
        for fatal in &mut self.fatal {
            if fatal.until == OPEN && (fatal.task == task || fatal.accesses.conflict(accesses)) {
                fatal.until = at;
                self.waiting -= 1;
            }
        }
    }
    #[inline(never)]
    fn close(&mut self, task: TaskId, at: u32) {
        for reversal in &mut self.reversals {
            if reversal.closed == OPEN && reversal.deferred.task == task {
                reversal.closed = at;
                self.open -= 1;
            }
        }
    }

    /// Keeps the first `depth` steps and the tasks that were there then.
    pub fn truncate(&mut self, depth: usize) {
        let Path { events, tasks, touched, found, last_barrier, .. } = self;
        for event in events.get(depth..).unwrap_or_default().iter().rev() {
            tasks[event.task.index()].last = event.before;
            if let Some(only) = event.accesses.only() {
                touched[only.object.index()] = event.found;
            } else if event.accesses.is_everything() {
                *last_barrier = event.barrier;
            } else if event.more > 0 {
                let others = found.pop().expect("it has more than one access");
                for (lane, access) in event.accesses.iter().enumerate() {
                    let found = if lane == 0 { event.found } else { others[lane - 1] };
                    touched[access.object.index()] = found;
                }
            }
        }
        self.events.truncate(depth);
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
        if !self.early.is_empty() {
            early::truncate(&mut self.early, depth);
        }
        while self.notices.last().is_some_and(|notice| notice.at as usize >= depth) {
            self.notices.pop();
        }
        while self.marks.last().is_some_and(|mark| mark.at as usize >= depth) {
            self.marks.pop();
        }
        if !self.fatal.is_empty() {
            self.fatal.retain(|f| f.from as usize <= depth);
            let still = |f: &&mut Fatal| f.until as usize >= depth;
            self.fatal.iter_mut().filter(still).for_each(|f| f.until = OPEN);
            self.waiting = self.fatal.iter().filter(|f| f.until == OPEN).count();
        }
        self.names.truncate(self.tasks.len());
        self.clocks.truncate(depth * self.width);
    }

    /// The last step that touched everything, plus 1.
    #[inline]
    pub fn last_barrier(&self) -> u32 {
        self.last_barrier
    }
    /// The last one before step `at`, plus 1.
    #[inline]
    pub fn barrier_before(&self, at: usize) -> u32 {
        self.events[at].barrier
    }
    /// The last step that may conflict with this access, plus 1: a step that only reads does not care about others that
    /// do.
    #[inline]
    pub fn last_conflict(&self, access: Access) -> u32 {
        self.touched.get(access.object.index()).map_or(0, |touched| touched.before(access.mode))
    }
    /// The same for those before step `at`, which touches the object, and how that does.
    #[inline]
    pub fn conflict_before(&self, at: usize, access: Access) -> (u32, Mode) {
        let (found, mode) = self.found_by(at, access.object);
        (found.before(access.mode), mode)
    }
    /// Calls `led` with each of the last steps, plus 1, that come before step `at`, or with 0.
    pub fn each_that_led_to(&self, at: usize, mut led: impl FnMut(u32)) {
        let event = &self.events[at];
        led(if event.before > 0 { event.before } else { self.tasks[event.task.index()].born });
        led(event.barrier);
        for access in event.accesses.iter() {
            let (found, mode) = self.found_by(at, access.object);
            let mut next = found.before(mode);
            while next > event.barrier {
                led(next);
                let (found, mode) = self.found_by(next as usize - 1, access.object);
                if mode == Mode::Write {
                    break;
                }
                next = found.by;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_used_again_does_not_grow() {
        let mut path = Path::with_room();
        let mut room = 0;
        for time in 0..40 {
            for number in 0..100 {
                path.bear(Birth { parent: TaskId(number), number, after: 0 });
            }
            if time == 1 {
                room = path.clocks.capacity();
            }
            path.clear();
        }
        assert_eq!(path.clocks.capacity(), room);
    }
}
