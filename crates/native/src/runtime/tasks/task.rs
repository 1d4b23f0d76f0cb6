//! One task: a coroutine for a thread of the program, or a phantom for a timer.
//!
//! Invariant: a task that is alive has a pending operation, which is evaluated by [`Task::evaluation`] alone.

use crate::runtime::judge::panics::Fate;
use crate::runtime::objects::ObjectKind;
use crate::runtime::objects::view::View;
use crate::runtime::objects::wake::Wake;
use crate::runtime::operation::{Evaluation, NO_OBJECT, Op};
use crate::runtime::scheduler::{Progress, Spin, Timer};
use crate::runtime::state::State;
use crate::runtime::tasks::fiber::Fiber;
use crate::runtime::teardown::Unwinding;
use raddle_core::operation::{ObjectId, TaskId};
use std::ops::Range;
use std::panic::Location;
use std::sync::Arc;

/// What a task is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// A thread or an async task of the program.
    Thread,
    /// A timer of this task.
    Timer { of: TaskId, number: u32 },
    /// Destroys what is left when all others are gone.
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
    /// By itself, or by a panic that it has kept for the task that joins it.
    ToItsEnd,
    /// It was torn down.
    Down,
}

/// A task. What other parts keep for it has a type of theirs.
pub(crate) struct Task {
    pub(super) role: Role,
    pub(super) phase: Phase,
    pub(super) parent: TaskId,
    /// Its number among its parent's children, from 1.
    pub(super) number: u32,
    pub(super) label: Option<Arc<str>>,
    pub op: Op,
    pub(super) fiber: Option<Fiber>,
    /// The memory of its stack, guard page included, while it has a fiber.
    pub(super) stack: Range<usize>,
    /// From here on up, its frames were there at its last operation, as far as that is watched: other tasks may know of them.
    pub(super) known_stack: usize,
    pub(super) children: u32,
    pub(super) timers: u32,
    /// How many objects of each kind it was the first to touch.
    pub(super) touched: Vec<(ObjectKind, u32)>,
    /// Its end: written when it ends, read by the tasks that join it. Word 0 of that object says how far it has come:
    /// [`RETURNED`], [`SEEN_FINISHED`], [`ENDED`].
    pub(super) end: ObjectId,
    /// The scope that waits for it, if it is a scoped thread.
    pub(super) scope: ObjectId,
    /// Its function is over; only the destructors of thread-locals may be left.
    pub(super) returned: bool,
    /// Its token, which park waits for.
    pub(super) token: ObjectId,
    pub timer: Timer,
    pub fate: Fate,
    pub progress: Progress,
    /// How often it has asked for random bytes.
    pub(super) randoms: u32,
    pub spin: Spin,
    pub(super) locals: Vec<super::locals::Local>,
    pub unwinding: Unwinding,
}

impl Task {
    pub fn new() -> Task {
        Task {
            role: Role::Thread,
            phase: Phase::New,
            parent: TaskId::MAIN,
            number: 0,
            label: None,
            op: Op::nothing(),
            fiber: None,
            stack: 0..0,
            known_stack: usize::MAX,
            children: 0,
            timers: 0,
            touched: Vec::new(),
            end: NO_OBJECT,
            scope: NO_OBJECT,
            returned: false,
            token: NO_OBJECT,
            timer: Timer::NONE,
            fate: Fate::default(),
            progress: Progress::default(),
            randoms: 0,
            spin: Spin::default(),
            locals: Vec::new(),
            unwinding: Unwinding::default(),
        }
    }
    /// Becomes a new task; keeps its memory.
    pub fn renew(&mut self, role: Role, parent: TaskId, number: u32) {
        debug_assert!(self.fiber.is_none());
        self.role = role;
        self.phase = Phase::New;
        self.progress = Progress::new(role != Role::Thread);
        self.parent = parent;
        self.number = number;
        self.label = None;
        self.known_stack = usize::MAX;
        self.op.be_nothing();
        self.children = 0;
        self.timers = 0;
        self.touched.clear();
        self.end = NO_OBJECT;
        self.scope = NO_OBJECT;
        self.returned = false;
        self.token = NO_OBJECT;
        self.timer.reset();
        self.op.wake = Wake::default();
        self.fate.reset();
        self.randoms = 0;
        self.spin.reset();
        self.unwinding = Unwinding::default();
    }
    /// It is the first to touch one more object of this kind: its number there, from 1.
    pub fn count_object(&mut self, kind: ObjectKind) -> u32 {
        match self.touched.iter_mut().find(|(k, _)| *k == kind) {
            Some((_, number)) => {
                *number += 1;
                *number
            }
            None => {
                self.touched.push((kind, 1));
                1
            }
        }
    }
    /// `state`, as the evaluation of its pending operation sees it.
    #[inline(always)]
    pub fn view<'a>(&'a self, state: &'a State) -> View<'a> {
        View::new(state, &self.op)
    }
    /// What its pending operation would do.
    #[inline(always)]
    pub fn evaluation(&self, state: &State) -> Evaluation {
        self.op.evaluation(state)
    }
    /// In how many ways its pending operation can go.
    #[inline(always)]
    pub fn options(&self, state: &State) -> u32 {
        self.op.options(state)
    }
    #[inline(always)]
    pub fn role(&self) -> Role {
        self.role
    }
    #[inline(always)]
    pub fn phase(&self) -> Phase {
        self.phase
    }
    #[inline(always)]
    pub fn set_phase(&mut self, phase: Phase) {
        self.phase = phase;
    }
    /// Whether it is a thread of the program that has a pending operation.
    #[inline(always)]
    pub fn is_waiting_thread(&self) -> bool {
        self.role == Role::Thread && self.phase == Phase::Alive
    }
    /// Whether it has a stack to run on.
    #[inline(always)]
    pub fn has_fiber(&self) -> bool {
        self.fiber.is_some()
    }
    /// The lowest address of its stack, guard page included.
    pub fn stack_limit(&self) -> usize {
        self.stack.start
    }
    /// How large its stack is, in bytes.
    pub fn stack_size(&self) -> usize {
        self.stack.len()
    }
    /// The object of its end.
    pub fn end(&self) -> ObjectId {
        self.end
    }
    /// The scope that waits for it.
    pub fn scope(&self) -> ObjectId {
        self.scope
    }
    pub fn set_scope(&mut self, scope: ObjectId) {
        self.scope = scope;
    }
    /// Whether its function is over.
    #[inline(always)]
    pub fn returned(&self) -> bool {
        self.returned
    }
    /// The object of its token, or none yet.
    #[inline(always)]
    pub fn token(&self) -> ObjectId {
        self.token
    }
    pub fn set_token(&mut self, token: ObjectId) {
        self.token = token;
    }
    /// The name that the program gave it.
    pub fn label(&self) -> Option<&Arc<str>> {
        self.label.as_ref()
    }
    /// How many children it has had.
    pub fn children(&self) -> u32 {
        self.children
    }
    /// The number of a new child, from 1.
    pub fn count_child(&mut self) -> u32 {
        self.children += 1;
        self.children
    }
    /// The number of a new timer, from 1.
    pub fn count_timer(&mut self) -> u32 {
        self.timers += 1;
        self.timers
    }
    /// How often it has asked for random bytes, this time included.
    pub fn count_random(&mut self) -> u32 {
        self.randoms += 1;
        self.randoms
    }
    /// It begins at `place`, and its end writes this object.
    pub fn begin(&mut self, end: ObjectId, place: &'static Location<'static>) {
        self.end = end;
        self.op.place = place;
    }
    /// Whether it is anything but a thread in the middle of its function that neither panics nor loops.
    pub fn needs_slow_path(&self) -> bool {
        self.role != Role::Thread
            || self.fiber.is_none()
            || self.returned
            || self.fate.is_panicking()
            || self.spin.goes_round()
    }
}
