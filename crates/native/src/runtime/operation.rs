//! What a primitive tells the runtime about an operation: a kind and what it is applied to.
//!
//! A [`OperationKind`] carries the one function that decides, in the present state, whether the operation is blocked,
//! in how many ways it can go and what it touches; a [`View`] is all that it sees. Primitives define their kinds beside
//! their code, and nothing else in the runtime knows them.

use crate::runtime::objects::view::{Blocked, View};
use crate::runtime::objects::wake::Wake;
use crate::runtime::state::State;
use raddle_core::fact::Waiting;
use raddle_core::operation::{Accesses, Mode, ObjectId, TaskId};
use raddle_core::world::Manner;
use std::panic::Location;

/// What an operation would do in the present state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evaluation {
    pub accesses: Accesses,
    /// In how many ways it can go; 0: it is blocked.
    pub options: u32,
}

impl Evaluation {
    /// Can happen, in one way.
    #[inline]
    pub fn ready(accesses: Accesses) -> Evaluation {
        Evaluation { accesses, options: 1 }
    }
    /// Can happen if `condition` holds.
    #[inline]
    pub fn when(condition: bool, accesses: Accesses) -> Evaluation {
        Evaluation { accesses, options: condition as u32 }
    }
}

/// Whether the evaluation of a kind's operations depends on the state of their objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Changes {
    /// Always ready, always the same accesses.
    Never,
    /// Evaluated again whenever one of its objects changes.
    WithItsObjects,
    /// The same, and at any moment all operations of this kind on one object have the same evaluation.
    Alike,
}

/// What operations touch that are always ready.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fixed {
    /// That depends.
    Not,
    Nothing,
    ReadsItsObject,
    WritesItsObject,
}

/// What an operation does to a lock. A round of a loop that takes a lock and gives it back leaves it as it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ToLock {
    Nothing,
    Takes,
    /// Says itself if nothing was changed under the lock.
    GivesBack,
}

/// A kind of operation.
pub(crate) struct OperationKind {
    /// The user's word for it.
    pub name: &'static str,
    evaluation: fn(View<'_>, &Op) -> Evaluation,
    /// In how many ways it can go, if that is easier to say than what it touches.
    ways: Option<fn(View<'_>, &Op) -> u32>,
    /// Whether the state of its objects decides that.
    may_wait: bool,
    pub changes: Changes,
    /// What it touches, if that is always the same: spares a call of `evaluation`.
    pub fixed: Fixed,
    pub manner: Manner,
    /// Happens by itself as soon as it can: then it commutes with all other enabled operations.
    pub by_itself: bool,
    /// A compare-exchange: never blocked, and a read or a write by the value in place.
    pub by_value: bool,
    /// May fail for no reason, while that is left open.
    pub may_fail: bool,
    /// The tasks that keep it from happening, for reports of deadlocks.
    pub holders: fn(&Blocked<'_>) -> Vec<TaskId>,
    /// What they hold, for the same reports.
    pub held: fn(&Blocked<'_>) -> ObjectId,
    /// How a task waits for it to happen.
    pub waits: fn(&Blocked<'_>) -> Waiting,
    /// Done by destructors: the end of an execution does not unwind from it.
    pub in_destructors: bool,
    /// May only look at what it touches: says itself when it changes something.
    pub looks: bool,
    /// Its operations always change something; where this is not set, some may nevertheless.
    pub surely_writes: bool,
    /// Acquires what others wait for: an operation that conflicts with it is blocked until a later one releases that.
    pub acquires: bool,
    /// Operations that commute with each other can block it together, as readers do a writer.
    pub blocked_by_several: bool,
    /// What it touches is the same in all states: only whether it is enabled, and in how many ways, depends on them.
    pub same_accesses: bool,
    /// It commutes with others of its kind, but the last of them conflicts with all of them.
    pub last_of_several: bool,
    /// What it does to a lock.
    pub to_lock: ToLock,
    /// For updates of atomics: whether one with this argument, its second, leaves this value as it is.
    pub keeps: Option<fn(u64, u64) -> bool>,
    /// May say that something has not happened yet that has, but not for ever: where its first argument is not 0 it says so
    /// no more.
    pub may_be_late: bool,
    /// Gives way or happens by itself: is announced in a way of its own.
    pub slow_path: bool,
    /// A task that waits for it may wake for no reason.
    pub wakes_spuriously: bool,
    /// An update of an atomic.
    pub is_atomic: bool,
    /// The same under a weak memory model.
    pub weak: Option<&'static OperationKind>,
}

fn its_object(blocked: &Blocked<'_>) -> ObjectId {
    blocked.op().object
}

fn no_holder(_: &Blocked<'_>) -> Vec<TaskId> {
    Vec::new()
}

impl OperationKind {
    /// An operation that may be blocked or whose accesses depend on the state.
    pub const fn new(name: &'static str, evaluation: fn(View<'_>, &Op) -> Evaluation) -> OperationKind {
        OperationKind {
            name,
            evaluation,
            ways: None,
            may_wait: true,
            changes: Changes::WithItsObjects,
            fixed: Fixed::Not,
            manner: Manner::Ordinary,
            by_itself: false,
            by_value: false,
            may_fail: false,
            holders: no_holder,
            held: its_object,
            waits: |_| Waiting::ToDo,
            in_destructors: false,
            looks: false,
            surely_writes: false,
            acquires: false,
            blocked_by_several: false,
            same_accesses: false,
            last_of_several: false,
            to_lock: ToLock::Nothing,
            keeps: None,
            may_be_late: false,
            slow_path: false,
            wakes_spuriously: false,
            is_atomic: false,
            weak: None,
        }
    }
    /// Under a weak memory model it is this one.
    pub const fn or_weakly(mut self, weak: &'static OperationKind) -> OperationKind {
        self.weak = Some(weak);
        self.is_atomic = true;
        self
    }
    /// An operation that is always ready with the same accesses.
    pub const fn always(name: &'static str, evaluation: fn(View<'_>, &Op) -> Evaluation) -> OperationKind {
        let kind = OperationKind::new(name, evaluation);
        OperationKind { changes: Changes::Never, may_wait: false, ..kind }
    }
    /// Says which tasks keep it from happening.
    pub const fn held_by(mut self, holders: fn(&Blocked<'_>) -> Vec<TaskId>) -> OperationKind {
        self.holders = holders;
        self
    }
    /// Says what they hold, if it is not always the operation's object.
    pub const fn holding(mut self, held: fn(&Blocked<'_>) -> ObjectId) -> OperationKind {
        self.held = held;
        self
    }
    /// Says how a task waits for it.
    pub const fn waits(mut self, how: fn(&Blocked<'_>) -> Waiting) -> OperationKind {
        self.waits = how;
        self
    }
    /// Done by destructors. When an execution ends they go on, and its task is unwound at its next operation:
    /// unwinding from a destructor may lose what its caller was about to return.
    pub const fn in_destructors(mut self) -> OperationKind {
        self.in_destructors = true;
        self
    }
    /// Waits for something that stays as it is once it is there, and looks at nothing else: such an operation
    /// commutes with all other enabled operations, so it happens by itself as soon as it can.
    pub const fn by_itself(mut self) -> OperationKind {
        self.by_itself = true;
        self.slow_path = true;
        self
    }
    /// May only look at what it touches, even if its accesses are writes, and says itself when it changes something: see
    /// [`super::execution::Execution::made_progress`].
    pub const fn looks(mut self) -> OperationKind {
        self.looks = true;
        self.surely_writes = false;
        self
    }
    /// Acquires what others wait for, and releases nothing.
    pub const fn acquires(mut self) -> OperationKind {
        self.acquires = true;
        self
    }
    /// Operations that commute with each other can block it together.
    pub const fn blocked_by_several(mut self) -> OperationKind {
        self.blocked_by_several = true;
        self
    }
    /// What it touches is the same in all states.
    pub const fn same_accesses(mut self) -> OperationKind {
        self.same_accesses = true;
        self
    }
    /// It commutes with others of its kind, except the last of them.
    pub const fn last_of_several(mut self) -> OperationKind {
        self.last_of_several = true;
        self
    }
    /// Takes a lock.
    pub const fn takes_lock(mut self) -> OperationKind {
        self.to_lock = ToLock::Takes;
        self
    }
    /// Gives a lock back.
    pub const fn gives_lock_back(mut self) -> OperationKind {
        self.to_lock = ToLock::GivesBack;
        self
    }
    /// It always changes something.
    pub const fn surely_changes(mut self) -> OperationKind {
        self.surely_writes = true;
        self
    }
    /// Says when an update of an atomic leaves its value as it is.
    pub const fn keeps(mut self, keeps: fn(u64, u64) -> bool) -> OperationKind {
        self.keeps = Some(keeps);
        self
    }
    /// May say that something has not happened yet that has.
    pub const fn may_be_late(mut self) -> OperationKind {
        self.may_be_late = true;
        self
    }
    /// A task that waits for it may wake for no reason, and decides that anew after each timer that fires when nothing
    /// else can happen.
    pub const fn wakes_spuriously(mut self) -> OperationKind {
        self.wakes_spuriously = true;
        self
    }
    /// The value in place decides whether it reads or writes.
    pub const fn by_value(mut self) -> OperationKind {
        self.by_value = true;
        self.is_atomic = true;
        self
    }
    /// May fail for no reason.
    pub const fn may_fail(mut self) -> OperationKind {
        self.may_fail = true;
        self
    }
    /// At any moment, all operations of this kind on one object have the same evaluation.
    pub const fn alike(mut self) -> OperationKind {
        self.changes = Changes::Alike;
        self
    }
    /// Says in how many ways it can go, without saying what it touches.
    pub const fn ways(mut self, ways: fn(View<'_>, &Op) -> u32) -> OperationKind {
        self.ways = Some(ways);
        self
    }
    /// It is never blocked and has one option; what it touches may depend on the state.
    pub const fn never_waits(mut self) -> OperationKind {
        self.may_wait = false;
        self.ways(|_, _| 1)
    }
    /// Whether its operations have to be looked at again when their objects change; `closely`, if it matters what they
    /// touch.
    #[inline(always)]
    pub fn is_watched(&self, closely: bool) -> bool {
        if closely { self.changes != Changes::Never } else { self.may_wait }
    }
    /// Switching away from it is not a preemption.
    pub const fn yielding(mut self) -> OperationKind {
        self.manner = Manner::Yielding;
        self.slow_path = true;
        self
    }
    /// Reads its object, always ready.
    pub const fn read(name: &'static str) -> OperationKind {
        let kind = OperationKind::always(name, |_, op| Evaluation::ready(Accesses::read(op.object)));
        OperationKind { fixed: Fixed::ReadsItsObject, ..kind }
    }
    /// Writes its object, always ready.
    pub const fn write(name: &'static str) -> OperationKind {
        let kind = OperationKind::always(name, |_, op| Evaluation::ready(Accesses::write(op.object)));
        OperationKind { fixed: Fixed::WritesItsObject, surely_writes: true, ..kind }
    }
    /// Touches nothing but its own task.
    pub const fn local(name: &'static str) -> OperationKind {
        let kind = OperationKind::always(name, |_, _| Evaluation::ready(Accesses::NONE));
        OperationKind { fixed: Fixed::Nothing, ..kind }
    }
}

/// The place of operations that no task has announced.
pub(crate) const HERE: &str = file!();

/// The pending operation of tasks that have none.
static NOTHING: OperationKind = OperationKind::local("nothing");

/// No object.
pub(crate) const NO_OBJECT: ObjectId = ObjectId(u32::MAX);

/// An operation that a task is about to do.
#[derive(Clone, Copy)]
pub(crate) struct Op {
    pub kind: &'static OperationKind,
    pub object: ObjectId,
    /// A second object, where the kind has one.
    pub other: ObjectId,
    /// What the kind's evaluation needs.
    pub args: [u64; 2],
    pub place: &'static Location<'static>,
    /// The task that does it; set when it is announced.
    pub task: TaskId,
    /// Whether that task was woken from a queue.
    pub wake: Wake,
}

impl Op {
    #[inline]
    pub fn new(kind: &'static OperationKind, object: ObjectId, place: &'static Location<'static>) -> Op {
        Op { kind, object, other: NO_OBJECT, args: [0; 2], place, task: TaskId::MAIN, wake: Wake::default() }
    }
    /// What tasks are about to do that have announced nothing. Its place is [`HERE`].
    pub fn nothing() -> Op {
        Op::plain(&NOTHING, Location::caller())
    }
    // Field by field, here and below: a copy of what has just been written in smaller pieces has to wait for them.
    #[inline(always)]
    pub fn be_nothing(&mut self) {
        self.write(&NOTHING, NO_OBJECT, Location::caller(), TaskId::MAIN);
    }
    /// Becomes an operation without arguments.
    #[inline(always)]
    pub fn write(
        &mut self,
        kind: &'static OperationKind,
        object: ObjectId,
        place: &'static Location<'static>,
        task: TaskId,
    ) {
        self.kind = kind;
        self.object = object;
        self.other = NO_OBJECT;
        self.args = [0; 2];
        self.place = place;
        self.task = task;
    }
    /// Without an object.
    #[inline]
    pub fn plain(kind: &'static OperationKind, place: &'static Location<'static>) -> Op {
        Op::new(kind, NO_OBJECT, place)
    }
    #[inline]
    pub fn arg(mut self, arg: u64) -> Op {
        self.args[0] = arg;
        self
    }
    #[inline]
    pub fn args(mut self, args: [u64; 2]) -> Op {
        self.args = args;
        self
    }
    #[inline]
    pub fn with(mut self, other: ObjectId) -> Op {
        self.other = other;
        self
    }
    /// In how many ways it can go in this state.
    #[inline(always)]
    pub fn options(&self, state: &State) -> u32 {
        match (self.kind.fixed, self.kind.ways) {
            (Fixed::Not, Some(ways)) => ways(View::new(state, self), self),
            (Fixed::Not, None) => (self.kind.evaluation)(View::new(state, self), self).options,
            _ => 1,
        }
    }
    /// What it would do in this state.
    #[inline(always)]
    pub fn evaluation(&self, state: &State) -> Evaluation {
        let fixed = self.kind.fixed;
        if fixed == Fixed::Not {
            return (self.kind.evaluation)(View::new(state, self), self);
        }
        // Without branches: which of these it is differs from step to step.
        let mode = if fixed == Fixed::WritesItsObject { Mode::Write } else { Mode::Read };
        let its_object = Accesses::one(self.object, mode);
        Evaluation::ready(if fixed == Fixed::Nothing { Accesses::NONE } else { its_object })
    }
    #[inline]
    pub fn objects(&self) -> impl Iterator<Item = ObjectId> {
        [self.object, self.other].into_iter().filter(|o| *o != NO_OBJECT)
    }
    /// Equal in equal executions, cheap, and different for different operations as a rule. The upper half
    /// says what is done where, on any object, and is the same in every process: sampling strategies
    /// take it for the [site](raddle_core::world::Pending::site).
    #[inline]
    pub fn signature(&self) -> u32 {
        const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
        let place = (self.place.line() as u64) << 32 | (self.place.column() as u64) << 16;
        let site = (place | self.kind.name.len() as u64).wrapping_mul(MIX) >> 48;
        let kind = self.kind as *const OperationKind as u64;
        let place = self.place as *const Location<'_> as u64;
        let mix = kind.rotate_left(32) ^ place ^ (self.object.0 as u64) << 17;
        (site << 16 | mix.wrapping_mul(MIX) >> 48) as u32
    }
}
