//! The execution that a worker is in: its tasks, its objects, its log.
//!
//! Invariant: between steps, `pending` holds the operation of every task evaluated in the present state, and
//! `enabled` lists, in ascending order, the tasks whose operation has options (see [`super::enabled`]). How
//! tasks take turns is in [`super::scheduler`].

use super::address::Addresses;
use super::counterfactual::History;
use super::fiber::{At, Fiber};
use super::hash_keys::HashKeys;
use super::log::{Effect, Log, Sync};
use super::object::{Identity, Known, ObjectKind, Objects};
use super::operation::{NO_OBJECT, OperationKind};
use super::overlay::Overlays;
use super::panic_count::PanicCount;
use super::race::Races;
use super::rereads::Reread;
use super::retrace::Script;
use super::stack::Stacks;
use super::stale_addresses;
use super::task::{Came, Role, Task};
use super::task_set::{Listed, TaskSet};
use super::view::Ambient;
use super::watch::Watch;
use crate::settings::Settings;
use corosensei::stack::Stack;
use raddle_core::clock::{Clock, Time};
use raddle_core::operation::{ObjectId, TaskId};
use raddle_core::verdict::{Defect, FailureKind};
use raddle_core::world::{Decision, Driver, Pending, UniformDraws};
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

/// Who decides.
#[derive(Clone, Copy)]
pub(super) enum By {
    UniformDraws(*mut UniformDraws),
    Driver(*mut dyn Driver),
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
    pub(super) tasks: Vec<Box<Task>>,
    /// How many of `tasks` belong to this execution.
    pub(super) used: usize,
    pub pending: Vec<Pending>,
    /// The tasks whose pending operation has options, as a set and in ascending order.
    pub(super) ready: TaskSet,
    pub enabled: Listed,
    pub objects: Objects,
    pub addresses: Addresses,
    pub overlays: Overlays,
    pub log: Log,
    /// Programs like this one need a log even where nobody reads it.
    pub(super) log_wanted: bool,
    /// The log of the execution before this one, and the objects that it speaks of.
    pub last_log: Log,
    pub last_objects: Objects,
    pub races: Races,
    pub(super) history: History,
    /// Whether anybody asks for it.
    pub(super) keeps_history: bool,
    /// Reads of locks by tasks that read them already.
    pub(super) rereads: Vec<Reread>,
    /// Nobody looks at operations: they need not be told apart.
    pub(super) is_blind: bool,
    /// The objects of the atomic steps, by name.
    pub atomic_steps: Vec<(&'static str, ObjectId)>,
    pub clock: Clock,
    /// What operations may look at and is no object's.
    pub ambient: Ambient,
    pub stacks: Stacks,
    pub(super) changed: Vec<ObjectId>,
    pub(super) auto_run: Vec<TaskId>,
    /// Who decides, while `drive` is under way.
    pub(super) driver: Option<By>,
    /// It has stopped the run.
    pub(super) stopped: bool,
    /// Draws decide, and what the last one was drawn from has changed only by what tasks announced since:
    /// see [`super::fast_path`].
    pub(crate) fast_path: bool,
    /// What it decided and has not happened yet.
    pub(super) decided: Decision,
    /// The steps that this execution begins with: see [`super::retrace`].
    pub(super) retraces: Script,
    pub failure: Option<Defect>,
    /// Main has ended.
    pub over: bool,
    /// It has failed, or main has ended: nothing can happen any more.
    pub(super) halted: bool,
    /// Main has returned and lets the others go first: see [`super::main_exit`].
    pub(super) main_waits: bool,
    /// How long the log was then.
    pub(super) returned_at: usize,
    /// Main did not wait for them to the end.
    pub cut_short: bool,
    /// Timers may fire at any point.
    pub(super) time_may_pass: bool,
    /// Timers that are enabled because nothing else was.
    pub(super) idle_timers: Vec<TaskId>,
    /// Times in a row that only waiting loops were left.
    pub futile: u32,
    /// Some waiting loop was held back.
    pub held_spins: bool,
    /// Some task has made a thread-local.
    pub has_locals: bool,
    /// Some task has a name of its own, which is in the program's memory.
    pub has_labels: bool,
    pub panic_count: PanicCount,
    pub hash_keys: HashKeys,
    /// What went wrong in teardown.
    pub afterwards: Vec<String>,
    /// Messages that the log refers to.
    pub texts: Vec<String>,
    /// The task that ran has come to its end, and will not go on where it was suspended.
    pub(super) is_done: bool,
    /// How many fibers have not returned yet.
    pub fibers: usize,
    /// Where the driver goes on, while a task runs.
    pub(super) driver_at: At,
    pub tracked: Vec<(u64, &'static str, &'static Location<'static>)>,
    pub next_tracked: u64,
    pub watch: Arc<Watch>,
}

static SPAWN: OperationKind = OperationKind::local("spawn");

impl Execution {
    pub fn new(settings: Settings) -> Execution {
        let stacks = Stacks::new(settings.stack_size);
        Execution {
            serial: 0,
            stage: Stage::Exploring,
            current: TaskId::MAIN,
            option: 0,
            tasks: Vec::new(),
            used: 0,
            pending: Vec::new(),
            ready: TaskSet::default(),
            enabled: Listed::default(),
            objects: Objects::default(),
            addresses: Addresses::default(),
            overlays: Overlays::default(),
            log: Log::default(),
            log_wanted: false,
            last_log: Log::default(),
            last_objects: Objects::default(),
            races: Races::default(),
            history: History::default(),
            keeps_history: true,
            rereads: Vec::new(),
            is_blind: false,
            atomic_steps: Vec::new(),
            clock: Clock::default(),
            ambient: Ambient::new(settings.time, 0),
            stacks,
            changed: Vec::new(),
            auto_run: Vec::new(),
            driver: None,
            fast_path: false,
            decided: Decision::STOP,
            retraces: Script::NOTHING,
            stopped: false,
            failure: None,
            over: false,
            halted: false,
            main_waits: false,
            returned_at: 0,
            cut_short: false,
            time_may_pass: settings.time == Time::Any,
            idle_timers: Vec::new(),
            futile: 0,
            held_spins: false,
            has_locals: false,
            has_labels: false,
            panic_count: PanicCount::of_this_thread(),
            hash_keys: HashKeys::of_this_thread(),
            afterwards: Vec::new(),
            texts: Vec::new(),
            is_done: false,
            fibers: 0,
            driver_at: At::NOWHERE,
            tracked: Vec::new(),
            next_tracked: 0,
            watch: Watch::register(),
            settings,
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
        if !self.retraces.is_on {
            self.history.reset();
        }
        self.atomic_steps.clear();
        self.rereads.clear();
        self.clock.reset();
        self.ambient = Ambient::new(self.settings.time, self.settings.spurious);
        self.changed.clear();
        self.auto_run.clear();
        self.stopped = false;
        self.fast_path = false;
        self.failure = None;
        self.over = false;
        self.halted = false;
        self.main_waits = false;
        self.idle_timers.clear();
        self.futile = 0;
        self.afterwards.clear();
        self.texts.clear();
        self.tracked.clear();
        self.next_tracked = 0;
        self.hash_keys.reset();
        let main = self.add_task(Role::Thread, TaskId::MAIN, 0);
        if self.settings.spurious > 0 {
            self.ambient.spurious_object = self.objects.add("spurious", main, 0, [0; 2]);
        }
        // SAFETY: the caller's.
        unsafe { self.equip(main, None, body) };
        self.auto_run.push(main);
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
            self.tasks.push(Box::new(Task::new()));
        }
        self.used += 1;
        self.fast_path = false;
        self.pending.push(Pending::NOTHING);
        self.task_mut(id).renew(role, parent, number);
        self.history.bear(id.index(), role, parent, number);
        if !self.rereads.is_empty() {
            self.bear_after_rereads(parent, id);
        }
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
        // SAFETY: the caller's.
        let fiber = unsafe { Fiber::new(stack, move || super::context::enter(body)) };
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
        self.has_labels |= label.is_some();
        let task = self.task_mut(id);
        task.label = label;
        task.end = end;
        task.op.place = place;
        // SAFETY: the caller's.
        unsafe { self.equip(id, stack_size, body) };
        self.auto_run.push(id);
        let line = self.log.note(parent, &SPAWN, place);
        line.effect = Effect::Task(id);
        line.sync = Sync::Spawn(id);
        id
    }

    /// The object that `identity` belongs to, named now if it is new. An object of another execution or of
    /// the outside world is a misuse.
    #[inline]
    pub fn object(
        &mut self,
        identity: &Identity,
        kind: ObjectKind,
        words: [u64; 2],
    ) -> Result<ObjectId, Defect> {
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
    pub fn demand_new(&self, address: usize, kind: ObjectKind) -> Result<(), Defect> {
        if stale_addresses::contains(address) && self.stage != Stage::Teardown {
            return Err(from_elsewhere(kind, "belongs to another execution"));
        }
        Ok(())
    }

    /// A new object, named by the task that runs.
    #[inline]
    pub fn new_object(&mut self, kind: ObjectKind, words: [u64; 2]) -> ObjectId {
        let creator = self.current;
        if !self.log.is_kept() {
            // Nobody will ask for its name.
            return self.objects.add(kind, creator, 0, words);
        }
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

    /// The present execution has failed: nothing moves any more.
    pub fn fail(&mut self, defect: Defect) {
        if self.failure.is_none() && self.stage != Stage::Teardown {
            // A copy, since the program's memory does not outlive its execution.
            self.failure = Some(defect.clone());
            self.halted = true;
            self.fast_path = false;
        }
    }

    /// Nobody will learn of this task's panic, if it had one.
    pub fn fail_for_panic(&mut self, id: TaskId) {
        if let Some(panic) = &self.task(id).panic
            && !(id != TaskId::MAIN && crate::expected::are_panics_of_threads())
        {
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

    /// Whether it need only be known of operations which of them can happen, and not what they touch.
    #[inline]
    pub fn looks_away(&self) -> bool {
        self.is_blind && self.rereads.is_empty()
    }

    /// How many steps there were, the one that is being taken included.
    pub fn steps(&self) -> u32 {
        self.history.len()
    }

    /// Says what the step that is being taken did.
    #[inline]
    pub fn did(&mut self, effect: Effect, sync: Sync) {
        if self.log.is_kept() & (self.stage == Stage::Exploring) {
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
    pub fn note(&mut self, kind: &'static OperationKind, place: &'static Location<'static>, effect: Effect) {
        if self.stage != Stage::Teardown {
            let line = self.log.note(self.current, kind, place);
            line.effect = effect;
        }
    }

    pub fn add_timer_task(&mut self, of: TaskId) -> TaskId {
        self.retrace_no_further();
        self.task_mut(of).timers += 1;
        let number = self.task(of).timers;
        self.add_task(Role::Timer { of, number }, of, number)
    }
}

#[cold]
fn from_elsewhere(kind: ObjectKind, why: &str) -> Defect {
    let article = if kind.starts_with(['A', 'E', 'I', 'O', 'U']) { "an" } else { "a" };
    Defect::new(
        FailureKind::Misuse,
        format!(
            "{article} {kind} that {why} is used here; each execution must start clean, so create it inside the \
             closure (or make it a static)"
        ),
    )
}
