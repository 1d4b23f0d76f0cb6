//! Which tasks are enabled, which of them runs, and which option it takes.
//!
//! Invariant: between steps, `pending` holds the operation of every task evaluated in the present state, and `enabled`
//! lists, in ascending order, the tasks whose operation has options (see [`enabled`]). A task that may go on at once
//! never leaves its stack; others are suspended until they are picked.

mod enabled;
pub(crate) mod main_exit;
mod mode;
mod progress;
mod retrace;
mod spin;
mod step;
pub(in crate::runtime) mod task_set;
mod timer;
mod turn;
mod unobserved;
mod weak;

use crate::settings::Settings;
use main_exit::MainExit;
pub(crate) use mode::Mode;
pub(crate) use progress::Progress;
use raddle_core::clock::{Clock, Time};
use raddle_core::memory::Model;
use raddle_core::operation::{ObjectId, TaskId};
use raddle_core::world::{Decision, Driver, Pending, UniformDraws};
use retrace::Script;
pub(crate) use spin::Spin;
pub(crate) use spin::{CutLoop, SpinThen, Stage};
use std::panic::Location;
use std::time::Duration;
use task_set::{Listed, TaskSet};
pub(crate) use timer::Timer;

/// Whether a task that announced an operation goes on at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Turn {
    Go,
    Wait,
}

/// What decides.
#[derive(Clone, Copy)]
enum By {
    UniformDraws(*mut UniformDraws),
    Driver(*mut dyn Driver),
}

/// An atomic step, and where it began.
pub(crate) type AtomicStep = (ObjectId, &'static Location<'static>);

pub(crate) struct Scheduler {
    mode: Mode,
    /// The task that runs is in the middle of this atomic step: nothing else may happen.
    atomic_step: Option<AtomicStep>,
    /// The pending operations, by task.
    pending: Vec<Pending>,
    /// The tasks whose pending operation has options, as a set and in ascending order.
    ready: TaskSet,
    enabled: Listed,
    /// Objects that have changed and whose watchers are not evaluated again yet.
    changed: Vec<ObjectId>,
    /// Tasks that run without being picked: new ones, and those whose wait is over and commutes with everything.
    auto_run: Vec<TaskId>,
    /// What decides, while a run is under way.
    driver: Option<By>,
    /// It has stopped the run.
    stopped: bool,
    /// What it decided and has not happened yet.
    decided: Decision,
    /// The option with which the running task was picked.
    option: u32,
    /// The execution has failed, or main has ended: nothing can happen any more.
    halted: bool,
    /// The steps that this execution begins with, while it retraces them.
    script: Script,
    main_exit: MainExit,
    clock: Clock,
    /// Timers may fire at any point.
    time_may_pass: bool,
    /// Steps may change what depends on no object that they touch: time may pass, or memory has a weak model.
    needs_care: bool,
    /// Memory has a weak model.
    is_weak: bool,
    /// The driver is a reduction that follows the graph of a weak model.
    follows_graph: bool,
    /// Nothing else can happen but loops that could read newer stores: other executions are those in which they do.
    is_redundant: bool,
    /// Timers that are enabled because nothing else was.
    idle_timers: Vec<TaskId>,
    /// Loops that may go on because nothing else can happen.
    released: Vec<TaskId>,
    /// How many steps have changed something, as far as loops that wait are concerned.
    changes: u32,
    /// A waiting loop was held back, in this execution or in one before it.
    held_spins: bool,
    /// The clock was read where it may move by itself, in this execution or in one before it.
    clock_read: bool,
}

impl Scheduler {
    pub fn new(settings: &Settings) -> Scheduler {
        let (time_may_pass, is_weak) = of(settings);
        Scheduler {
            mode: if is_weak { Mode::Weak } else { Mode::Observed },
            atomic_step: None,
            pending: Vec::new(),
            ready: TaskSet::default(),
            enabled: Listed::default(),
            changed: Vec::new(),
            auto_run: Vec::new(),
            driver: None,
            stopped: false,
            decided: Decision::STOP,
            option: 0,
            halted: false,
            script: Script::NOTHING,
            main_exit: MainExit::default(),
            clock: Clock::default(),
            time_may_pass,
            needs_care: time_may_pass | is_weak,
            is_weak,
            follows_graph: false,
            is_redundant: false,
            idle_timers: Vec::new(),
            released: Vec::new(),
            changes: 0,
            held_spins: false,
            clock_read: false,
        }
    }

    /// There are no tasks, and nothing has happened.
    pub fn reset(&mut self) {
        if self.mode != Mode::Retracing {
            self.mode = self.first_mode();
        }
        self.atomic_step = None;
        self.option = 0;
        self.pending.clear();
        self.ready.clear();
        self.enabled.clear();
        self.clock.reset();
        self.changed.clear();
        self.auto_run.clear();
        self.stopped = false;
        self.halted = false;
        self.is_redundant = false;
        self.main_exit.reset();
        self.idle_timers.clear();
        self.released.clear();
        self.changes = 0;
    }

    /// The mode of executions without a driver.
    fn first_mode(&self) -> Mode {
        if self.is_weak { Mode::Weak } else { Mode::Observed }
    }

    /// Is as good as new, for executions with these settings.
    pub fn renew(&mut self, settings: &Settings) {
        (self.time_may_pass, self.is_weak) = of(settings);
        self.needs_care = self.time_may_pass | self.is_weak;
        self.mode = self.first_mode();
        self.script = Script::NOTHING;
        self.main_exit.renew();
        self.held_spins = false;
        self.clock_read = false;
    }

    /// There is one more task.
    #[inline(always)]
    pub fn add_task(&mut self) {
        self.leave_fast_path();
        self.pending.push(Pending::NOTHING);
    }

    /// A new task runs up to its first operation before anything else happens.
    #[inline(always)]
    pub fn run_without_pick(&mut self, id: TaskId) {
        self.auto_run.push(id);
    }

    #[inline(always)]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// What is left is unwound from now on.
    pub fn begin_teardown(&mut self) {
        self.mode = Mode::Teardown;
        self.atomic_step = None;
    }

    /// What comes next has to be settled anew.
    #[inline(always)]
    fn leave_fast_path(&mut self) {
        if self.mode == Mode::FastPath {
            self.mode = Mode::Unobserved;
        }
    }

    /// Nothing can happen any more.
    pub fn halt(&mut self) {
        self.halted = true;
        self.leave_fast_path();
    }

    /// The driver has stopped the run.
    pub fn stop_driving(&mut self) {
        self.driver = None;
        self.stopped = true;
        self.leave_fast_path();
    }

    #[inline(always)]
    pub fn atomic_step(&self) -> Option<AtomicStep> {
        self.atomic_step
    }

    /// From now on, until [`Scheduler::end_atomic_step`], nothing but the running task may do anything.
    pub fn begin_atomic_step(&mut self, step: AtomicStep) {
        if self.mode != Mode::Teardown {
            self.leave_fast_path();
            self.atomic_step = Some(step);
        }
    }

    pub fn end_atomic_step(&mut self) {
        self.atomic_step = None;
    }

    /// The option with which the running task was picked.
    #[inline(always)]
    pub fn option(&self) -> u32 {
        self.option
    }

    pub fn set_option(&mut self, option: u32) {
        self.option = option;
    }

    #[inline(always)]
    pub fn pending(&self, id: TaskId) -> &Pending {
        debug_assert!(id.index() < self.pending.len());
        // SAFETY: every task has one.
        unsafe { self.pending.get_unchecked(id.index()) }
    }

    #[inline(always)]
    fn pending_mut(&mut self, id: TaskId) -> &mut Pending {
        debug_assert!(id.index() < self.pending.len());
        // SAFETY: every task has one.
        unsafe { self.pending.get_unchecked_mut(id.index()) }
    }

    #[inline(always)]
    fn set_pending(&mut self, id: TaskId, pending: Pending) {
        self.ready.set(id, pending.options > 0);
        *self.pending_mut(id) = pending;
    }

    /// The pending operation of `id` can go in so many ways.
    #[inline(always)]
    fn set_options(&mut self, id: TaskId, options: u32) {
        self.pending_mut(id).options = options;
        self.ready.set(id, options > 0);
    }

    /// The time on the virtual clock.
    pub fn now(&self) -> Duration {
        self.clock.now()
    }

    /// The step that is being taken changes something: loops that wait do not go round in vain.
    #[inline(always)]
    pub fn note_progress(&mut self) {
        self.changes += 1;
    }

    /// The step that is being taken seemed to, and does not.
    pub fn undo_progress(&mut self) {
        self.changes -= 1;
    }

    /// Whether another execution goes on where this one ends.
    pub fn is_redundant(&self) -> bool {
        self.is_redundant
    }

    /// Whether main has returned and lets the others go first.
    pub fn main_waits(&self) -> bool {
        self.main_exit.waits()
    }

    /// Whether a waiting loop was held back since this was renewed.
    pub fn has_held_spins(&self) -> bool {
        self.held_spins
    }

    /// Whether the clock was read where it may move by itself, since this was renewed.
    pub fn has_read_clock(&self) -> bool {
        self.clock_read
    }

    /// Whether main did not wait to the end for tasks that go on after it, since this was renewed.
    pub fn has_cut_short(&self) -> bool {
        self.main_exit.has_cut_short()
    }
}

/// Whether timers may fire at any point, and whether memory has a weak model.
fn of(settings: &Settings) -> (bool, bool) {
    (settings.time == Time::Any, settings.memory != Model::Sc)
}
