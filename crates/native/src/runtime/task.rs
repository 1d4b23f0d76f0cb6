//! The tasks of an execution: coroutines for the program's threads, phantoms for timers.

use super::fiber::Fiber;
use super::object::ObjectKind;
use super::operation::{Op, OperationKind};
use raddle_core::operation::{ObjectId, TaskId};
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

/// What a task is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// A thread or an async task of the program.
    Thread,
    /// A timer of this task.
    Timer { of: TaskId, number: u32 },
    /// Destroys what is left when everyone else is gone.
    Janitor,
}

/// How far a task has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// Created, has not run yet.
    New,
    /// Has a pending operation.
    Alive,
    /// Has nothing left to do but to end.
    Ending,
    /// Came to its end.
    Ended,
    /// Will never run again and never ended; its stack is kept until the execution is put away.
    Abandoned,
}

/// A mark of a task's end: its function is over.
pub(crate) const RETURNED: u64 = 1;
/// Another task has seen that it is, or could have.
pub(crate) const SEEN_FINISHED: u64 = 2;
/// It has ended, its thread-locals included.
pub(crate) const ENDED: u64 = 4;

/// How the body of a task, which lets no panic through, came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Came {
    /// By itself, or by a panic that it has kept for whoever joins it.
    ToItsEnd,
    /// It was torn down.
    Down,
}

/// Whether somebody could still learn of a task's panic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Handle {
    /// A handle exists, or the scope waits.
    Held,
    /// The handle was dropped: nobody will join.
    Dropped,
    /// Joined.
    Joined,
}

/// A panic of a task.
#[derive(Clone, Debug)]
pub(crate) struct Panic {
    pub message: String,
    pub place: Option<raddle_core::record::Place>,
}

/// What a task looks like while it goes round in a loop that waits.
#[derive(Default, Clone, Copy)]
pub(crate) struct Spin {
    /// Rounds in a row that were identical to the one before.
    pub rounds: u32,
    /// It waits until something it read changes.
    pub held: bool,
    /// How many operations there are in one of its rounds, while it is in its long one; else 0.
    pub circle: usize,
    /// How many times it has said in a row that it spins.
    pub pauses: u32,
    /// A loop without a hint: the operation at which its rounds begin.
    pub turn: Option<(&'static OperationKind, &'static Location<'static>)>,
}

pub(crate) struct Task {
    pub role: Role,
    pub phase: Phase,
    /// Its steps need a closer look: see [`Task::needs_slow_path`].
    pub slow_path: bool,
    pub parent: TaskId,
    /// Its number among its parent's children, from 1.
    pub number: u32,
    pub label: Option<Arc<str>>,
    pub op: Op,
    pub fiber: Option<Fiber>,
    /// The lowest address of its stack, guard page included.
    pub stack_limit: usize,
    pub children: u32,
    pub timers: u32,
    /// How many objects of each kind it was the first to touch.
    pub touched: Vec<(ObjectKind, u32)>,
    /// Its end: written when it ends, read by those who join it. Word 0 of that object says how far it has come:
    /// [`RETURNED`], [`SEEN_FINISHED`], [`ENDED`].
    pub end: ObjectId,
    /// The scope that waits for it, if it is a scoped thread.
    pub scope: ObjectId,
    /// Its function is over; only the destructors of thread-locals may be left.
    pub returned: bool,
    /// Its token, which park waits for.
    pub token: ObjectId,
    /// The timer that is set for its pending operation.
    pub timer: Option<TaskId>,
    pub timed_out: bool,
    /// Set by whoever wakes it from a condition variable.
    pub notified: bool,
    /// How many steps there were when it was notified or its time was up.
    pub woken: u32,
    /// When a timer fires, and how many steps there were when it was taken away.
    pub deadline: Duration,
    pub disarmed: u32,
    /// How often in a row it has waited for no time at all, and when.
    pub polls: u32,
    pub polled: Duration,
    /// Its panics under way, while it is suspended.
    pub panics: usize,
    pub handle: Handle,
    pub panic: Option<Panic>,
    /// The last line of the log that is its own, plus 1.
    pub last_line: u32,
    pub steps: u32,
    /// How many it had when it last took one that surely changed something.
    pub changed_at: u32,
    /// How often it has asked for random bytes.
    pub randoms: u32,
    pub spin: Spin,
    /// Objects that its loop read, while it is held.
    pub spin_reads: Vec<ObjectId>,
    pub locals: Vec<super::locals::Local>,
    /// Operations done while it was torn down.
    pub operations_in_teardown: u32,
    /// How often it was unwound to be torn down; more than once if it catches that.
    pub unwound: u32,
}

impl Task {
    pub fn new() -> Task {
        Task {
            role: Role::Thread,
            phase: Phase::New,
            slow_path: false,
            parent: TaskId::MAIN,
            number: 0,
            label: None,
            op: Op::nothing(),
            fiber: None,
            stack_limit: 0,
            children: 0,
            timers: 0,
            touched: Vec::new(),
            end: super::operation::NO_OBJECT,
            scope: super::operation::NO_OBJECT,
            returned: false,
            token: super::operation::NO_OBJECT,
            timer: None,
            timed_out: false,
            notified: false,
            woken: 0,
            deadline: Duration::ZERO,
            disarmed: u32::MAX,
            polls: 0,
            polled: Duration::ZERO,
            panics: 0,
            handle: Handle::Held,
            panic: None,
            last_line: 0,
            steps: 0,
            changed_at: 0,
            randoms: 0,
            spin: Spin::default(),
            spin_reads: Vec::new(),
            locals: Vec::new(),
            operations_in_teardown: 0,
            unwound: 0,
        }
    }
    /// Becomes a new task; keeps its memory.
    pub fn renew(&mut self, role: Role, parent: TaskId, number: u32) {
        debug_assert!(self.fiber.is_none());
        self.role = role;
        self.phase = Phase::New;
        self.slow_path = role != Role::Thread;
        self.parent = parent;
        self.number = number;
        self.label = None;
        self.op.be_nothing();
        self.children = 0;
        self.timers = 0;
        self.touched.clear();
        self.end = super::operation::NO_OBJECT;
        self.scope = super::operation::NO_OBJECT;
        self.returned = false;
        self.token = super::operation::NO_OBJECT;
        self.timer = None;
        self.timed_out = false;
        self.notified = false;
        self.woken = 0;
        self.disarmed = u32::MAX;
        self.polls = 0;
        self.panics = 0;
        self.handle = Handle::Held;
        self.panic = None;
        self.last_line = 0;
        self.steps = 0;
        self.changed_at = 0;
        self.randoms = 0;
        self.spin = Spin::default();
        self.spin_reads.clear();
        self.operations_in_teardown = 0;
        self.unwound = 0;
    }
    /// Takes the step that it has announced.
    #[inline(always)]
    pub fn steps_on(&mut self) {
        self.steps += 1;
        self.changed_at = if self.op.kind.surely_writes { self.steps } else { self.changed_at };
    }
    /// The step that it has just taken changed something, or may go differently the next time.
    #[inline(always)]
    pub fn has_changed_something(&mut self) {
        self.changed_at = self.steps;
    }
    /// Whether it has changed something in one of its last `steps` steps, as far as that is known without a log.
    pub fn has_changed_something_in(&self, steps: u32) -> bool {
        self.changed_at > 0 && self.steps - self.changed_at < steps
    }
    /// Whether it is anything but a thread in the middle of its function that goes about its business.
    pub fn needs_slow_path(&self) -> bool {
        let Spin { held, circle, turn, .. } = self.spin;
        let goes_round = held || circle > 0 || turn.is_some() || !self.spin_reads.is_empty();
        self.role != Role::Thread || self.fiber.is_none() || self.returned || self.panics > 0 || goes_round
    }
}
