//! The execution that a worker is in: tasks, objects, the log, and what could happen next.
//!
//! Invariant: between steps, `pending` holds the operation of every task evaluated in the present state, and
//! `enabled` lists, in ascending order, the tasks whose operation has options. A step evaluates again only
//! what depends on the objects it changed; debug builds compare that with a full evaluation.

use super::address::Addresses;
use super::left;
use super::log::{Effect, Log, Sync};
use super::object::{Identity, Kind, Known, Object, Objects, Watcher};
use super::operation::{Changes, NO_OBJECT, Op, Sense, Verb};
use super::overlay::Overlays;
use super::panic_count::PanicCount;
use super::race::Races;
use super::ready::Ready;
use super::spin::LOOK_EVERY;
use super::stack::Stacks;
use super::task::{Came, Fiber, Handle, Phase, Role, Task};
use super::watch::Watch;
use crate::settings::Settings;
use corosensei::stack::Stack;
use corosensei::{CoroutineResult, Yielder};
use raddle_core::clock::{Clock, Time};
use raddle_core::operation::{ObjectId, TaskId};
use raddle_core::verdict::{Defect, FailureKind};
use raddle_core::world::{Driver, Manner, Pending, Pick, Point};
use std::panic::Location;
use std::sync::Arc;

/// Whether a task that announced an operation goes on at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Turn {
    Go,
    Wait,
}

/// What a worker does with the tasks at the moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    /// The search decides what happens.
    Exploring,
    /// The task that runs is in the middle of an atomic step: nothing else may happen.
    Alone { step: ObjectId, place: &'static Location<'static> },
    /// The run is over; what is left is unwound. Operations happen at once.
    Teardown,
}

pub(crate) struct Execution {
    pub serial: u64,
    pub settings: Settings,
    pub stage: Stage,
    /// The task that runs, or ran last.
    pub current: TaskId,
    /// The option with which it was picked.
    pub option: u32,
    // Boxed so that a running fiber stays where it is when tasks are added.
    #[allow(clippy::vec_box)]
    tasks: Vec<Box<Task>>,
    /// How many of `tasks` belong to this execution.
    used: usize,
    pub pending: Vec<Pending>,
    /// The tasks whose pending operation has options, as a set and in ascending order.
    ready: Ready,
    pub enabled: Vec<TaskId>,
    pub objects: Objects,
    pub addresses: Addresses,
    pub overlays: Overlays,
    pub log: Log,
    /// The log of the execution before this one, and the objects that it speaks of.
    pub last_log: Log,
    pub last_objects: Objects,
    pub races: Races,
    /// The objects of the atomic steps, by name.
    pub atomic_steps: Vec<(&'static str, ObjectId)>,
    pub clock: Clock,
    /// The object that readings of the clock read.
    pub clock_object: ObjectId,
    pub stacks: Stacks,
    changed: Vec<ObjectId>,
    pub(super) newborn: Vec<TaskId>,
    /// Who decides, while `drive` is under way.
    driver: Option<*mut dyn Driver>,
    /// It has stopped the run.
    stopped: bool,
    /// What it decided and has not happened yet.
    decided: Option<Pick>,
    pub failure: Option<Defect>,
    /// Main has ended.
    pub over: bool,
    /// Timers that are enabled because nothing else was.
    idle_timers: Vec<TaskId>,
    /// Times in a row that only waiting loops were left.
    pub futile: u32,
    /// Some waiting loop was held back.
    pub held_spins: bool,
    /// How many spurious wake-ups and failures are left.
    pub spurious_left: u32,
    /// The object that whatever may happen spuriously writes, if anything may.
    pub spurious_object: ObjectId,
    /// Some task has made a thread-local.
    pub has_locals: bool,
    pub panic_count: PanicCount,
    /// What went wrong in teardown.
    pub afterwards: Vec<String>,
    /// Messages that the log refers to.
    pub texts: Vec<String>,
    /// How many fibers have not returned yet.
    pub fibers: usize,
    pub tracked: Vec<(u64, &'static str, &'static Location<'static>)>,
    pub next_tracked: u64,
    pub watch: Arc<Watch>,
}

static SPAWN: Verb = Verb::local("spawn");

/// The pending operation of tasks that have none.
static NOTHING: Verb = Verb::local("nothing");

fn nothing() -> Op {
    Op::plain(&NOTHING, Location::caller())
}

impl Execution {
    pub fn new(settings: Settings) -> Execution {
        let stacks = Stacks::new(settings.stack_size);
        Execution {
            serial: 0,
            settings,
            stage: Stage::Exploring,
            current: TaskId::MAIN,
            option: 0,
            tasks: Vec::new(),
            used: 0,
            pending: Vec::new(),
            ready: Ready::default(),
            enabled: Vec::new(),
            objects: Objects::default(),
            addresses: Addresses::default(),
            overlays: Overlays::default(),
            log: Log::default(),
            last_log: Log::default(),
            last_objects: Objects::default(),
            races: Races::default(),
            atomic_steps: Vec::new(),
            clock: Clock::default(),
            clock_object: NO_OBJECT,
            stacks,
            changed: Vec::new(),
            newborn: Vec::new(),
            driver: None,
            decided: None,
            stopped: false,
            failure: None,
            over: false,
            idle_timers: Vec::new(),
            futile: 0,
            held_spins: false,
            spurious_left: 0,
            spurious_object: NO_OBJECT,
            has_locals: false,
            panic_count: PanicCount::of_this_thread(),
            afterwards: Vec::new(),
            texts: Vec::new(),
            fibers: 0,
            tracked: Vec::new(),
            next_tracked: 0,
            watch: Watch::register(),
        }
    }

    /// Begins a clean execution; its main task runs `body`.
    ///
    /// # Safety
    /// What `body` borrows outlives the execution.
    pub unsafe fn start(&mut self, body: impl FnOnce() -> Came) {
        self.serial = super::serial::next();
        self.stage = Stage::Exploring;
        self.option = 0;
        self.used = 0;
        self.pending.clear();
        self.ready.clear();
        self.enabled.clear();
        std::mem::swap(&mut self.objects, &mut self.last_objects);
        self.objects.reset();
        self.addresses.reset();
        std::mem::swap(&mut self.log, &mut self.last_log);
        self.log.reset();
        self.races.reset();
        self.atomic_steps.clear();
        self.clock.reset();
        self.clock_object = NO_OBJECT;
        self.changed.clear();
        self.newborn.clear();
        self.stopped = false;
        self.failure = None;
        self.over = false;
        self.idle_timers.clear();
        self.futile = 0;
        self.spurious_left = self.settings.spurious;
        self.spurious_object = NO_OBJECT;
        self.afterwards.clear();
        self.texts.clear();
        self.tracked.clear();
        self.next_tracked = 0;
        let main = self.add_task(Role::Thread, TaskId::MAIN, 0);
        if self.spurious_left > 0 {
            self.spurious_object = self.objects.add("spurious", main, 0, [0; 2]);
        }
        // SAFETY: the caller's.
        unsafe { self.equip(main, None, body) };
        self.newborn.push(main);
    }

    /// Lets the main task run up to its first operation, with nobody who drives.
    pub fn set_out(&mut self) {
        self.settle();
    }

    #[inline]
    pub fn task(&self, id: TaskId) -> &Task {
        debug_assert!(id.index() < self.used);
        // SAFETY: ids are only made by `add_task`, and the list never gets shorter.
        unsafe { self.tasks.get_unchecked(id.index()) }
    }
    #[inline]
    pub fn task_mut(&mut self, id: TaskId) -> &mut Task {
        debug_assert!(id.index() < self.used);
        // SAFETY: as above.
        unsafe { self.tasks.get_unchecked_mut(id.index()) }
    }
    pub fn task_ids(&self) -> impl DoubleEndedIterator<Item = TaskId> + ExactSizeIterator + use<> {
        (0..self.used as u32).map(TaskId)
    }

    pub(super) fn add_task(&mut self, role: Role, parent: TaskId, number: u32) -> TaskId {
        let id = TaskId(self.used as u32);
        if self.used == self.tasks.len() {
            self.tasks.push(Box::new(Task::new(nothing())));
        }
        self.used += 1;
        self.pending.push(Pending::NOTHING);
        self.task_mut(id).renew(role, parent, number, nothing());
        id
    }

    /// Gives a task a stack and something to do.
    ///
    /// # Safety
    /// What `body` borrows outlives the task.
    pub(super) unsafe fn equip(
        &mut self,
        id: TaskId,
        stack_size: Option<usize>,
        body: impl FnOnce() -> Came,
    ) {
        let stack = self.stacks.take(stack_size);
        self.task_mut(id).stack_limit = stack.limit().get();
        let life = move |yielder: &Yielder<(), ()>, ()| super::context::enter(id, yielder, body);
        // SAFETY: the caller's.
        let fiber = unsafe { Fiber::with_stack_unchecked(stack, life) };
        self.task_mut(id).fiber = Some(fiber);
        self.fibers += 1;
    }

    /// A new task of the program, a child of the one that runs. It runs up to its first operation before
    /// anything else happens.
    ///
    /// # Safety
    /// What `body` borrows outlives the task.
    pub unsafe fn spawn(
        &mut self,
        label: Option<Arc<str>>,
        stack_size: Option<usize>,
        place: &'static Location<'static>,
        body: impl FnOnce() -> Came,
    ) -> TaskId {
        let parent = self.current;
        self.task_mut(parent).children += 1;
        let number = self.task(parent).children;
        let id = self.add_task(Role::Thread, parent, number);
        let end = self.objects.add("end", id, 0, [0; 2]);
        let task = self.task_mut(id);
        task.label = label;
        task.end = end;
        task.op.place = place;
        // SAFETY: the caller's.
        unsafe { self.equip(id, stack_size, body) };
        self.newborn.push(id);
        let line = self.log.note(parent, &SPAWN, place);
        line.effect = Effect::Task(id);
        line.sync = Sync::Spawn(id);
        id
    }

    /// The object that `identity` belongs to, named now if it is new. An object of another execution or of
    /// the outside world is a misuse.
    #[inline]
    pub fn object(&mut self, identity: &Identity, kind: Kind, words: [u64; 2]) -> Result<ObjectId, Defect> {
        match identity.lookup(self.serial) {
            Known::Here(id) => Ok(id),
            Known::New => {
                let id = self.new_object(kind, words);
                identity.settle(self.serial, id);
                Ok(id)
            }
            Known::Elsewhere => Err(from_elsewhere(kind, "belongs to another execution")),
            Known::Outside => Err(from_elsewhere(kind, "was used outside of this execution")),
        }
    }

    /// Whether what lives at this address was there before this execution began. That is a misuse.
    #[inline]
    pub fn demand_new(&self, address: usize, kind: Kind) -> Result<(), Defect> {
        if left::contains(address) && self.stage != Stage::Teardown {
            return Err(from_elsewhere(kind, "belongs to another execution"));
        }
        Ok(())
    }

    /// A new object, named by the task that runs.
    pub fn new_object(&mut self, kind: Kind, words: [u64; 2]) -> ObjectId {
        let creator = self.current;
        let touched = &mut self.task_mut(creator).touched;
        let number = match touched.iter_mut().find(|(k, _)| *k == kind) {
            Some((_, number)) => {
                *number += 1;
                *number
            }
            None => {
                touched.push((kind, 1));
                1
            }
        };
        self.objects.add(kind, creator, number, words)
    }

    /// Whatever depends on `object` is evaluated again after this step.
    #[inline]
    pub fn touch(&mut self, object: ObjectId) {
        let Object { watchers, spinners, .. } = &self.objects[object];
        if !watchers.is_empty() || !spinners.is_empty() {
            self.changed.push(object);
        }
    }

    /// Whatever depends on `object` is evaluated again, but it did not change for loops that wait for that.
    pub fn reconsider(&mut self, object: ObjectId) {
        for at in 0..self.objects[object].watchers.len() {
            let id = self.objects[object].watchers[at].task;
            if id != self.current {
                self.evaluate(id);
            }
        }
    }

    /// The running task will go on for no reason, or fails for none. Where that is left open it is an option
    /// of an operation that can happen anyway, never what enables one: nobody may count on it.
    pub fn spend_spurious(&mut self) {
        self.spurious_left -= 1;
        if self.spurious_left == 0 {
            for id in self.task_ids() {
                let task = self.task(id);
                if id != self.current && task.role == Role::Thread && task.phase == Phase::Alive {
                    self.evaluate(id);
                }
            }
        }
    }

    /// The running task announces the operation that was written into it. If the driver decides at once
    /// that it goes on, nobody else is troubled.
    #[inline(always)]
    pub fn announce(&mut self) -> Turn {
        let id = self.current;
        let task = self.task_mut(id);
        let verb = task.op.verb;
        task.phase = Phase::Alive;
        let in_circles = task.spin.circle > 0;
        if verb.manner == Manner::Yielding
            || task.steps % LOOK_EVERY == LOOK_EVERY - 1
            || task.spin.turn.is_some()
        {
            self.consider_spin(id);
        }
        if verb.by_itself {
            return self.happen_by_itself(id);
        }
        if in_circles && self.task(id).spin.circle > 0 && self.goes_round(id) {
            return Turn::Go;
        }
        self.evaluate(id);
        if self.driver.is_some()
            && self.newborn.is_empty()
            && let Some(pick) = self.decide()
        {
            if pick.task == id {
                self.option = pick.option;
                self.log_step(id);
                if self.task(id).returned {
                    self.goes_on_after_return(id);
                }
                return Turn::Go;
            }
            self.decided = Some(pick);
        }
        // Nothing changes before another task moves, so it need not be watched before.
        if verb.changes != Changes::Never {
            self.watch_objects(id);
        }
        Turn::Wait
    }

    /// The running task waits for nothing, or until what it waits for is there; nobody has a choice.
    fn happen_by_itself(&mut self, id: TaskId) -> Turn {
        let pending = self.sense(id);
        self.set_pending(id, Pending { options: 0, ..pending });
        if pending.options == 0 {
            self.watch_objects(id);
            return Turn::Wait;
        }
        self.note_step(id, pending);
        Turn::Go
    }

    /// A step of `id`, which is not ready, happens by itself.
    pub(super) fn note_step(&mut self, id: TaskId, pending: Pending) {
        self.option = 0;
        self.log_step(id);
        // SAFETY: as in `decide`.
        if let Some(driver) = self.driver
            && !unsafe { &mut *driver }.note(id, &pending, self)
        {
            self.driver = None;
            self.stopped = true;
        }
    }

    #[inline]
    fn watch_objects(&mut self, id: TaskId) {
        let Execution { tasks, objects, .. } = self;
        let op = &tasks[id.index()].op;
        for object in op.objects() {
            objects[object].watchers.push(Watcher { task: id, verb: op.verb });
        }
    }

    #[inline]
    fn unwatch_objects(&mut self, id: TaskId) {
        let Execution { tasks, objects, .. } = self;
        let op = &tasks[id.index()].op;
        if op.verb.changes != Changes::Never {
            for object in op.objects() {
                objects.unwatch(object, id);
            }
        }
    }

    /// Asks the driver what happens next. None if the run is over.
    #[inline(always)]
    fn decide(&mut self) -> Option<Pick> {
        self.settle();
        if self.enabled.is_empty() {
            return None;
        }
        let driver = self.driver?;
        // SAFETY: the driver outlives `drive`, which is under way, and nobody else uses it meanwhile.
        let driver = unsafe { &mut *driver };
        let pick = driver.next(&Point::new(&self.enabled, &self.pending), self).pick();
        if pick.is_none() {
            self.driver = None;
            self.stopped = true;
        }
        pick
    }

    /// Lets the driver decide until the run is over, or until it stops the run.
    pub fn drive(&mut self, driver: &mut dyn Driver) {
        // SAFETY: `self.driver` is cleared before this returns.
        self.driver =
            Some(unsafe { std::mem::transmute::<*mut dyn Driver, *mut (dyn Driver + 'static)>(driver) });
        while self.driver.is_some() {
            let pick = match self.decided.take() {
                Some(pick) => pick,
                None => match self.decide() {
                    Some(pick) => pick,
                    None => break,
                },
            };
            self.take(pick);
        }
        self.driver = None;
        self.decided = None;
    }

    #[inline(always)]
    pub(super) fn sense(&self, id: TaskId) -> Pending {
        let task = self.task(id);
        let op = &task.op;
        let sense = op.verb.sense(self, op);
        let options = if task.spin.held { 0 } else { sense.options };
        Pending { accesses: sense.accesses, options, signature: op.signature(), manner: op.verb.manner }
    }

    /// Evaluates the pending operation of a task in the present state.
    #[inline(always)]
    pub fn evaluate(&mut self, id: TaskId) {
        let pending = self.sense(id);
        self.set_pending(id, pending);
    }

    /// Evaluates again what depends on `object`. Operations of which all are alike are evaluated once.
    #[inline]
    fn evaluate_watchers(&mut self, object: ObjectId) {
        let mut alike: Option<(&'static Verb, Sense)> = None;
        for at in 0..self.objects[object].watchers.len() {
            let Watcher { task: id, verb } = self.objects[object].watchers[at];
            if verb.by_itself {
                // An object may have been touched twice, but its wait is over only once.
                if verb.sense(self, &self.task(id).op).options > 0 && !self.newborn.contains(&id) {
                    self.newborn.push(id);
                }
                continue;
            }
            let sense = match alike {
                Some((same, sense)) if std::ptr::eq(same, verb) => sense,
                _ => {
                    let sense = (verb.sense)(self, &self.task(id).op);
                    if verb.changes == Changes::Alike {
                        alike = Some((verb, sense));
                    }
                    sense
                }
            };
            let pending = &mut self.pending[id.index()];
            pending.accesses = sense.accesses;
            let was = std::mem::replace(&mut pending.options, sense.options);
            if (was > 0) != (sense.options > 0) {
                self.ready.set(id, sense.options > 0);
            }
        }
        for at in 0..self.objects[object].spinners.len() {
            let id = self.objects[object].spinners[at];
            self.task_mut(id).spin.held = false;
            self.evaluate(id);
        }
    }

    #[inline(always)]
    pub(super) fn set_pending(&mut self, id: TaskId, pending: Pending) {
        let is = pending.options > 0;
        let slot = &mut self.pending[id.index()];
        let was = slot.options > 0;
        *slot = pending;
        if is != was {
            self.ready.set(id, is);
        }
    }

    /// Lets `pick` happen.
    pub fn step(&mut self, pick: Pick) {
        self.take(pick);
        self.settle();
    }

    /// Lets `pick` happen. What could happen next is not settled then.
    #[inline]
    fn take(&mut self, pick: Pick) {
        let id = pick.task;
        self.option = pick.option;
        self.unwatch_objects(id);
        self.log_step(id);
        if self.task(id).returned {
            self.goes_on_after_return(id);
        }
        match self.task(id).role {
            Role::Thread if self.task(id).fiber.is_none() => self.end(id),
            Role::Thread | Role::Janitor => self.resume(id),
            Role::Timer { of, .. } => self.fire(id, of),
        }
    }

    /// Begins the line of a step; the task no longer waits.
    #[inline(always)]
    fn log_step(&mut self, id: TaskId) {
        if !self.task(id).spin_reads.is_empty() {
            self.stop_watching_spin(id);
        }
        let Execution { tasks, pending, log, watch, .. } = self;
        let task = &mut tasks[id.index()];
        let op = &task.op;
        watch.moved(id, op.place);
        let wrote = pending[id.index()].accesses.any_write();
        log.step(op, wrote, task.last_line);
        task.last_line = log.lines.len() as u32;
        task.steps += 1;
        if wrote {
            self.futile = 0;
        }
    }

    /// Runs a task up to its next operation or its end.
    pub(super) fn resume(&mut self, id: TaskId) {
        self.current = id;
        if self.task(id).panics > 0 {
            let panics = std::mem::take(&mut self.task_mut(id).panics);
            self.panic_count.replace(panics);
        }
        let fiber: *mut Fiber = self.task_mut(id).fiber.as_mut().expect("a task that runs has a fiber");
        let result = super::context::inside(self, || {
            // SAFETY: tasks are boxed and their fiber is only taken when it does not run.
            unsafe { (*fiber).resume(()) }
        });
        match result {
            CoroutineResult::Yield(()) => {}
            CoroutineResult::Return(()) => {
                self.retire(id);
                if self.task(id).phase == Phase::Ending && self.pending[id.index()].options == 0 {
                    self.end(id);
                }
            }
        }
    }

    /// Whether all other tasks of the program have come to their end.
    fn is_main_alone(&self) -> bool {
        self.task_ids()
            .skip(1)
            .all(|t| self.task(t).role != Role::Thread || self.task(t).phase == Phase::Ended)
    }

    /// The running task has nothing left to do but to end.
    pub(super) fn announce_end(&mut self, mut op: Op) {
        if self.stage == Stage::Teardown {
            return;
        }
        let id = self.current;
        op.task = id;
        let task = self.task_mut(id);
        task.op = op;
        task.phase = Phase::Ending;
        let pending = self.sense(id);
        if id == TaskId::MAIN && !self.is_main_alone() {
            self.set_pending(id, pending);
        } else {
            // Whoever waits for the end could not tell if it came later.
            self.set_pending(id, Pending { options: 0, ..pending });
            self.note_step(id, pending);
        }
    }

    /// A task's fiber has returned: its stack can be used again.
    pub(super) fn retire(&mut self, id: TaskId) {
        if let Some(fiber) = self.task_mut(id).fiber.take() {
            let stack = fiber.into_stack();
            self.fibers -= 1;
            let (base, limit) = (stack.base().get(), stack.limit().get());
            self.addresses.forget(limit, base - limit);
            self.races.forget(limit, base - limit);
            left::forget(limit, base - limit);
            self.stacks.give_back(stack);
        }
        if self.task(id).phase != Phase::Ending {
            self.set_pending(id, Pending::NOTHING);
        }
    }

    /// Brings `pending` and `enabled` up to date after something happened.
    #[inline(always)]
    fn settle(&mut self) {
        loop {
            if self.failure.is_none() && !self.over {
                while let Some(object) = self.changed.pop() {
                    self.evaluate_watchers(object);
                }
            }
            if self.newborn.is_empty() {
                break;
            }
            if super::context::current().is_some() {
                // On the stack of a task, where no other task can run: `drive` goes on with this.
                self.enabled.clear();
                return;
            }
            self.run_newborn();
        }
        if self.failure.is_some() || self.over {
            self.enabled.clear();
            return;
        }
        if !self.idle_timers.is_empty() {
            self.disable_idle_timers();
        }
        if self.ready.is_empty() {
            self.when_idle();
        } else if self.settings.time == Time::Any && !self.clock.is_quiet() {
            self.enable_next_timers();
        }
        if self.ready.is_stale() {
            self.ready.list(&mut self.enabled);
        }
        #[cfg(debug_assertions)]
        self.check_against_full_evaluation();
    }

    /// New tasks run up to their first operation, and tasks whose wait is over up to their next one, in the
    /// order in which that came about.
    fn run_newborn(&mut self) {
        let mut next = 0;
        while next < self.newborn.len() {
            let id = self.newborn[next];
            next += 1;
            if self.failure.is_some() || self.over || self.stopped {
                continue;
            }
            if self.task(id).phase == Phase::Alive {
                self.unwatch_objects(id);
                let pending = self.sense(id);
                self.note_step(id, pending);
            } else {
                self.watch.moved(id, self.task(id).op.place);
            }
            self.resume(id);
        }
        self.newborn.clear();
    }

    fn disable_idle_timers(&mut self) {
        for at in 0..self.idle_timers.len() {
            let timer = self.idle_timers[at];
            if self.task(timer).phase == Phase::Alive {
                self.evaluate(timer);
            }
        }
        self.idle_timers.clear();
    }

    /// Nothing can move by itself: time passes, or loops that wait go round again.
    fn when_idle(&mut self) {
        if !self.clock.is_quiet() {
            self.enable_next_timers();
        } else {
            self.release_spins();
        }
    }

    fn enable_next_timers(&mut self) {
        self.idle_timers.extend(self.clock.next());
        for at in 0..self.idle_timers.len() {
            let timer = self.idle_timers[at];
            let mut pending = self.sense(timer);
            pending.options = 1;
            self.set_pending(timer, pending);
        }
    }

    #[cfg(debug_assertions)]
    fn check_against_full_evaluation(&self) {
        for id in self.task_ids() {
            let kept = &self.pending[id.index()];
            let Task { phase, role, .. } = self.task(id);
            if matches!(phase, Phase::Alive | Phase::Ending) && *role == Role::Thread {
                assert_eq!(*kept, self.sense(id), "raddle: task {} was not evaluated again", id.0);
            }
            assert_eq!(self.enabled.binary_search(&id).is_ok(), kept.options > 0);
        }
    }

    /// The present execution has failed: nothing moves any more.
    pub fn fail(&mut self, defect: Defect) {
        if self.failure.is_none() && self.stage != Stage::Teardown {
            self.failure = Some(defect);
        }
    }

    /// A task comes to its end.
    fn end(&mut self, id: TaskId) {
        self.current = id;
        self.set_pending(id, Pending::NOTHING);
        self.task_mut(id).phase = Phase::Ended;
        if id == TaskId::MAIN {
            self.over = true;
        } else {
            self.returned();
            let end = self.task(id).end;
            self.touch(end);
            if self.task(id).handle == Handle::Dropped {
                self.fail_for_panic(id);
            }
        }
    }

    /// Nobody will learn of this task's panic, if it had one.
    pub fn fail_for_panic(&mut self, id: TaskId) {
        if let Some(panic) = &self.task(id).panic {
            let defect = self.panicked(id, panic);
            self.fail(defect);
        }
    }

    /// The object that holds the token of a task's park.
    pub fn token_of(&mut self, id: TaskId) -> ObjectId {
        if self.task(id).token == NO_OBJECT {
            let object = self.objects.add("token", id, 0, [0; 2]);
            self.task_mut(id).token = object;
        }
        self.task(id).token
    }

    /// Says what the step that is being taken did.
    #[inline]
    pub fn did(&mut self, effect: Effect, sync: Sync) {
        if self.stage == Stage::Exploring {
            let present = self.log.present;
            let line = &mut self.log.lines[present];
            line.effect = effect;
            line.sync = sync;
        }
    }

    /// The number of the line of the step that is being taken.
    pub fn present_line(&self) -> u32 {
        self.log.present as u32
    }

    /// Adds a line that is no step for the running task.
    pub fn note(&mut self, verb: &'static Verb, place: &'static Location<'static>, effect: Effect) {
        if self.stage != Stage::Teardown {
            let line = self.log.note(self.current, verb, place);
            line.effect = effect;
        }
    }

    pub fn add_timer_task(&mut self, of: TaskId) -> TaskId {
        self.task_mut(of).timers += 1;
        let number = self.task(of).timers;
        self.add_task(Role::Timer { of, number }, of, number)
    }
}

#[cold]
fn from_elsewhere(kind: Kind, why: &str) -> Defect {
    let article = if kind.starts_with(['A', 'E', 'I', 'O', 'U']) { "an" } else { "a" };
    Defect::new(
        FailureKind::Misuse,
        format!(
            "{article} {kind} that {why} is used here; each execution must start clean, so create it inside the \
             closure (or make it a static)"
        ),
    )
}
