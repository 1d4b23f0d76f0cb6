//! The one scoped thread-local: the execution that this operating-system thread is in.
//!
//! Invariant: nothing is borrowed from an execution while program code runs or a task is suspended: [`Current::with`]
//! hands it out for a moment only. What primitives may do with it then is in [`super::handle`].

use super::teardown;
use crate::runtime::execution::Execution;
use crate::runtime::judge::panics;
use crate::runtime::log::{Effect, Sync};
use crate::runtime::objects::{Identity, Known, ObjectKind};
use crate::runtime::operation::Op;
use crate::runtime::plain::watch;
use crate::runtime::scheduler::{Mode, Turn};
use crate::runtime::tasks::end::END;
use crate::runtime::tasks::fiber::{self, At, Fiber};
use crate::runtime::tasks::task::{Came, Phase, Role};
use raddle_core::fact::{Fact, Relation, TeardownError};
use raddle_core::operation::{ObjectId, TaskId};
use raddle_core::verdict::Defect;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::ptr::NonNull;

thread_local! {
    static CURRENT: Cell<*mut Execution> = const { Cell::new(std::ptr::null_mut()) };
}

/// The execution that this thread is in.
#[derive(Clone, Copy)]
pub(crate) struct Current(NonNull<Execution>);

/// The execution that this thread is in; none outside of explorations, where everything is std's own.
#[cfg_attr(not(feature = "outlined"), inline)]
#[cfg_attr(feature = "outlined", inline(never))]
pub(crate) fn current() -> Option<Current> {
    NonNull::new(CURRENT.get()).map(Current)
}

/// Runs `f`, which lets a task run, inside of `execution`.
#[inline]
pub(in crate::runtime) fn inside<R>(execution: &mut Execution, f: impl FnOnce() -> R) -> R {
    CURRENT.set(execution);
    let result = f();
    if cfg!(feature = "arena") {
        watch::skip_all();
    }
    CURRENT.set(std::ptr::null_mut());
    result
}

/// The whole life of a task, on its own stack.
// Inlined, as is what it calls: each return after a switch of stacks is mispredicted.
#[inline(always)]
pub(in crate::runtime) fn enter(body: impl FnOnce() -> Came) {
    let current = current().expect("a task runs inside of an execution");
    let goes_down = current.with(|e| {
        e.host.reset_hash_keys();
        e.is_teardown() && e.tasks.running().role() != Role::Janitor
    });
    if goes_down {
        // It never ran: all that is left to do is to destroy what it owns.
        let _ = catch_unwind(AssertUnwindSafe(move || drop(body)));
    } else if body() == Came::ToItsEnd && crate::runtime::tasks::locals::destroy(current) == Came::ToItsEnd {
        current.with(|e| e.announce_end(&END, Location::caller()));
    }
    // The stack is not needed any more, and nothing on it is left to be dropped: it is not even returned from.
    let way = current.with(|e| e.tasks.leave_for_good());
    // SAFETY: the way is that of the task that runs.
    unsafe { way.go() };
}

/// From the stack of a task that waits to the stack that goes on meanwhile.
#[derive(Clone, Copy)]
pub(crate) struct Switch {
    pub from: *mut Fiber,
    /// Nowhere: the task does not wait.
    pub to: At,
}

impl Switch {
    pub const STAY: Switch = Switch { from: std::ptr::null_mut(), to: At::NOWHERE };

    /// # Safety
    /// `from` is the fiber of the task that runs, and nothing of the execution is borrowed.
    #[inline(always)]
    pub unsafe fn go(self) {
        // SAFETY: tasks are boxed, and so their fibers stay where they are.
        unsafe { fiber::leave(self.from, self.to) };
    }
}

impl Current {
    /// Hands out the execution for a moment. `f` must not run program code and must not suspend.
    #[inline]
    pub fn with<R>(self, f: impl FnOnce(&mut Execution) -> R) -> R {
        let _own = crate::arena::own();
        // SAFETY: only one task of an execution runs at a time, on the execution's own thread, and no other
        // borrow of it is alive while program code runs.
        f(unsafe { &mut *self.0.as_ptr() })
    }

    /// Whether the execution is put away.
    #[inline]
    pub fn is_in_teardown(self) -> bool {
        self.with(|e| e.is_teardown())
    }

    /// The task that runs.
    #[inline]
    pub fn me(self) -> TaskId {
        self.with(|e| e.tasks.current())
    }

    /// The object that `identity` belongs to.
    #[cfg_attr(not(feature = "outlined"), inline)]
    #[cfg_attr(feature = "outlined", inline(never))]
    #[track_caller]
    pub fn object(self, identity: &Identity, kind: ObjectKind, words: [u64; 2]) -> ObjectId {
        let object = match self.with(|e| identity.lookup(e.serial())) {
            Known::Here(object) => object,
            _ => self.object_touched_first(identity, kind, words),
        };
        self.with(|e| e.note_home(object, &raw const *identity as usize));
        object
    }

    /// The same for an object that was not touched yet in this execution. Not inlined, so that the usual case saves no
    /// registers.
    #[inline(never)]
    #[track_caller]
    fn object_touched_first(self, identity: &Identity, kind: ObjectKind, words: [u64; 2]) -> ObjectId {
        let address = &raw const *identity as usize;
        if let Some(defect) =
            self.with(|e| e.judges_heap().then(|| e.first_use_of_freed(address, kind)).flatten())
        {
            self.fail(defect);
        }
        match self.with(|e| e.object(identity, kind, words)) {
            Ok(object) => object,
            Err(defect) => self.misuse(defect),
        }
    }

    /// Announces an operation and waits until it is picked; returns the option. What the operation does is
    /// up to the caller, and happens before the task announces anything else.
    // Inlined into the primitive, and that into the program, for two reasons: the operation is written where
    // it belongs and not copied there, and every return after a switch of stacks would be mispredicted.
    // The facades' programs are compiled without optimisation: there it is a call.
    #[cfg_attr(not(feature = "outlined"), inline(always))]
    #[cfg_attr(feature = "outlined", inline(never))]
    pub fn perform(self, op: Op) -> u32 {
        self.with(|e| {
            let me = e.tasks.current();
            let slot = &mut e.tasks[me].op;
            slot.kind = op.kind;
            slot.object = op.object;
            slot.other = op.other;
            slot.args = op.args;
            slot.place = op.place;
            slot.task = me;
        });
        let way = match self.with(|e| e.scheduler.mode() == Mode::FastPath) {
            true => self.take_turn(),
            false => self.take_turn_carefully(),
        };
        if !way.to.is_nowhere() {
            // SAFETY: the way is that of the task that runs.
            unsafe { way.go() };
            if self.is_in_teardown() {
                return teardown::perform(self);
            }
        }
        if self.with(|e| e.heap.is_judged()) {
            self.demand_living_objects();
        }
        self.with(|e| {
            e.host.reset_hash_keys();
            e.scheduler.option()
        })
    }

    /// What the step that is being taken uses must not have been freed.
    #[inline(never)]
    #[track_caller]
    fn demand_living_objects(self) {
        if let Some(defect) = self.with(|e| e.misuse_of_heap()) {
            self.fail(defect);
        }
    }

    /// Announces the operation that was written into the task, on the fast path. Returns where to go until it is picked,
    /// or nowhere if it happens at once.
    #[inline(never)]
    fn take_turn(self) -> Switch {
        match self.with(|e| e.announce_on_fast_path()) {
            Some(turn) => self.wait_with(turn),
            None => self.take_turn_carefully(),
        }
    }

    /// The same on any other path. Apart, since it needs more registers.
    #[inline(never)]
    fn take_turn_carefully(self) -> Switch {
        if self.with(|e| !e.is_exploring()) {
            self.out_of_turn();
            return Switch::STAY;
        }
        if crate::callers::are_gathered() {
            let (me, place) = self.with(|e| (e.tasks.current(), e.tasks.running().op.place));
            crate::callers::note(me, place);
        }
        let _own = crate::arena::own();
        // SAFETY: as in `with`; nothing in there runs program code or suspends.
        let turn = unsafe { (*self.0.as_ptr()).announce() };
        self.wait_with(turn)
    }

    #[inline(always)]
    fn wait_with(self, turn: Turn) -> Switch {
        match turn {
            Turn::Go => Switch::STAY,
            Turn::Wait => {
                self.prepare_to_wait();
                self.with(|e| e.switch_from_here())
            }
        }
    }

    /// The operation that was written into the task is not for the search to decide.
    #[cold]
    fn out_of_turn(self) {
        if let Some(step) = self.with(|e| e.scheduler.atomic_step()) {
            let defect = self.with(|e| e.evidence().operation_in_atomic_step(step));
            self.fail(defect);
        }
        let option = teardown::perform(self);
        self.with(|e| e.scheduler.set_option(option));
    }

    /// The task is about to be suspended.
    #[inline]
    fn prepare_to_wait(self) {
        // In the middle of unwinding, inside of a destructor.
        if std::thread::panicking() {
            self.with(panics::set_aside);
        }
    }

    /// This task never goes on.
    pub fn suspend_for_ever(self) -> ! {
        let way = self.with(|e| {
            e.tasks.running_mut().set_phase(Phase::Abandoned);
            panics::set_aside(e);
            e.tasks.switch_to_driver()
        });
        // SAFETY: the way is that of the task that runs.
        unsafe { way.go() };
        unreachable!("an abandoned task was resumed");
    }

    /// Says what the operation did.
    #[cfg_attr(not(feature = "outlined"), inline)]
    #[cfg_attr(feature = "outlined", inline(never))]
    pub fn did(self, effect: Effect, sync: Sync) {
        self.with(|e| e.did(effect, sync));
    }

    /// The execution fails and this task does not go on.
    #[cold]
    #[track_caller]
    pub fn fail(self, defect: Defect) -> ! {
        if self.is_in_teardown() {
            self.with(|e| e.judge.note_afterwards(TeardownError::Failed { message: defect.message() }));
            self.suspend_for_ever();
        }
        self.prepare_to_wait();
        let way = self.with(|e| {
            e.fail(defect);
            e.tasks.switch_to_driver()
        });
        // SAFETY: the way is that of the task that runs.
        unsafe { way.go() };
        teardown::resume(self)
    }

    /// The library is used in a way that it does not support.
    #[cold]
    #[track_caller]
    pub fn misuse(self, defect: Defect) -> ! {
        let place = Location::caller();
        self.fail(defect.with(Fact::new(Relation::Used).at(Some(place.into()))))
    }
}
