//! The base of everything that is initialised once. Word 0 of its object is its state, word 1 is the number
//! of the initialising task plus 1; its tasks are those that know of its completion. A completed latch stays
//! so and every query has the same answer: only operations before that are steps.

use crate::runtime::context::{self, Current};
use crate::runtime::execution::Execution;
use crate::runtime::log::{Effect, Shape, Sync as Synchronises};
use crate::runtime::objects::ObjectState;
use crate::runtime::objects::view::Blocked;
use crate::runtime::objects::{Identity, Known, ObjectKind};
use crate::runtime::operation::{Evaluation, Op, OperationKind};
use raddle_core::fact::Waiting;
use raddle_core::operation::{Accesses, ObjectId, TaskId};
use std::panic::Location;
use std::sync::atomic::{AtomicBool, Ordering};

/// The state of a latch: word 0.
const NEW: u64 = 0;
const RUNNING: u64 = 1;
const DONE: u64 = 2;
const POISONED: u64 = 3;

/// An operation that initialises, unless it is poisoned.
pub(super) const fn initialising(name: &'static str) -> OperationKind {
    OperationKind::new(name, |view, op| match state(view.object()) {
        NEW => Evaluation::ready(Accesses::write(op.object)),
        state => Evaluation::when(state != RUNNING, Accesses::read(op.object)),
    })
    .held_by(runner)
    .alike()
}

/// An operation that initialises, even if it is poisoned.
pub(super) const fn forcing(name: &'static str) -> OperationKind {
    OperationKind::new(name, |view, op| match state(view.object()) {
        NEW | POISONED => Evaluation::ready(Accesses::write(op.object)),
        state => Evaluation::when(state != RUNNING, Accesses::read(op.object)),
    })
    .held_by(runner)
    .alike()
}

/// An operation that waits until the latch is done or poisoned.
pub(super) const fn waiting(name: &'static str) -> OperationKind {
    OperationKind::new(name, |view, op| {
        Evaluation::when(matches!(state(view.object()), DONE | POISONED), Accesses::read(op.object))
    })
    .same_accesses()
    .held_by(runner)
    .waits(|_| Waiting::For)
    .alike()
}

/// An operation that waits until the latch is done, poisoned in between or not.
pub(super) const fn waiting_on(name: &'static str) -> OperationKind {
    OperationKind::new(name, |view, op| {
        Evaluation::when(state(view.object()) == DONE, Accesses::read(op.object))
    })
    .same_accesses()
    .held_by(runner)
    .waits(|_| Waiting::For)
    .alike()
}

static COMPLETE: OperationKind = OperationKind::write("complete");

fn state(latch: ObjectState) -> u64 {
    latch.words[0]
}

fn runner(blocked: &Blocked<'_>) -> Vec<TaskId> {
    blocked.view().object().words[1].checked_sub(1).map(|n| TaskId(n as u32)).into_iter().collect()
}

/// Whether poisoning matters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Poison {
    Matters,
    Ignored,
}

/// A value that is initialised once.
pub(super) struct Latch {
    identity: Identity,
    /// In place, so that an initialised value may be moved, or used inside after an initialisation outside.
    done: AtomicBool,
    /// Used by threads outside of explorations only.
    outside: std::sync::Once,
}

/// What an initialising task finds.
pub(super) enum Found<'a> {
    Done,
    /// It is poisoned, and that matters.
    Poisoned,
    /// The task may initialise.
    Turn(Turn<'a>),
}

impl Latch {
    pub const fn new() -> Latch {
        let outside = std::sync::Once::new();
        Latch { identity: Identity::new(), done: AtomicBool::new(false), outside }
    }
    /// A latch that needs no initialisation.
    pub const fn done() -> Latch {
        let outside = std::sync::Once::new();
        Latch { identity: Identity::new(), done: AtomicBool::new(true), outside }
    }
    /// Marks it as done by its only owner.
    pub fn set_done(&mut self) {
        *self.done.get_mut() = true;
    }
    /// Resets it by its only owner.
    pub fn reset(&mut self) {
        *self.done.get_mut() = false;
        self.outside = std::sync::Once::new();
        let Some(current) = context::current() else { return };
        current.with(|e| {
            if let Known::Here(object) = e.lookup(&self.identity) {
                *e.words_mut(object) = [NEW, 0];
                e.queue_mut(object).clear();
            }
        });
    }

    #[track_caller]
    pub fn object(&self, current: Current, kind: ObjectKind) -> ObjectId {
        current.object(&self.identity, kind, [NEW, 0])
    }

    /// Whether it is done and the running task knows that: no step is needed any more. The first observation
    /// is a step, since it could have come earlier.
    #[track_caller]
    fn is_settled(&self, current: Current, kind: ObjectKind) -> bool {
        if !self.done.load(Ordering::Acquire) {
            return false;
        }
        match current.with(|e| e.lookup(&self.identity)) {
            Known::Here(latch) => {
                return current.with(|e| e.queue(latch).contains(&e.me()));
            }
            // A misuse.
            Known::Elsewhere => drop(self.object(current, kind)),
            // It was created done, or was done before this execution started.
            Known::New | Known::Outside => {}
        }
        true
    }

    /// Reads whether it is done.
    #[track_caller]
    pub fn look(&self, kind: ObjectKind, operation: &'static OperationKind) -> bool {
        let Some(current) = context::current() else {
            let done = self.done.load(Ordering::Acquire);
            if !done {
                self.identity.used_outside();
            }
            return done;
        };
        if self.is_settled(current, kind) {
            return true;
        }
        let latch = self.object(current, kind);
        current.perform(Op::new(operation, latch, Location::caller()));
        let done = self.done.load(Ordering::Acquire);
        let sync = if done { Synchronises::Acquire } else { Synchronises::None };
        current.did(Effect::Read(Shape::Bool, done as u64), sync);
        if done {
            current.with(|e| learn(e, latch));
        }
        done
    }

    /// Starts to initialise it, inside an exploration.
    #[track_caller]
    pub fn begin(
        &self,
        current: Current,
        kind: ObjectKind,
        operation: &'static OperationKind,
        poison: Poison,
    ) -> Found<'_> {
        if self.is_settled(current, kind) {
            return Found::Done;
        }
        let place = Location::caller();
        let latch = self.object(current, kind);
        current.perform(Op::new(operation, latch, place));
        let before = current.with(|e| state(e.state(latch)));
        if before == DONE {
            current.with(|e| learn(e, latch));
            current.did(Effect::Word("done"), Synchronises::Acquire);
            return Found::Done;
        }
        if before == POISONED && poison == Poison::Matters {
            current.did(Effect::Word("poisoned"), Synchronises::Acquire);
            return Found::Poisoned;
        }
        let progress = current.with(|e| {
            *e.words_mut(latch) = [RUNNING, e.me().0 as u64 + 1];
            e.touch(latch);
            e.progress()
        });
        current.did(Effect::Word("begins"), Synchronises::Acquire);
        let was_poisoned = before == POISONED;
        Found::Turn(Turn { latch: self, current, object: latch, place, progress, was_poisoned })
    }

    /// Initialises it in a thread outside explorations, unless it is done. The argument of `initialise` says
    /// whether it was poisoned.
    #[track_caller]
    pub fn run_outside(&self, poison: Poison, initialise: impl FnOnce(bool)) {
        if self.done.load(Ordering::Acquire) {
            return;
        }
        self.identity.used_outside();
        let run = |poisoned| {
            initialise(poisoned);
            self.done.store(true, Ordering::Release);
        };
        match poison {
            Poison::Matters => self.outside.call_once(|| run(false)),
            Poison::Ignored => self.outside.call_once_force(|state| run(state.is_poisoned())),
        }
    }

    /// Waits until it is done. Returns false if it was poisoned, if that matters.
    #[track_caller]
    pub fn wait(&self, kind: ObjectKind, operation: &'static OperationKind, poison: Poison) -> bool {
        let Some(current) = context::current() else {
            if !self.done.load(Ordering::Acquire) {
                self.identity.used_outside();
                match poison {
                    Poison::Matters => self.outside.wait(),
                    Poison::Ignored => self.outside.wait_force(),
                }
            }
            return true;
        };
        if self.is_settled(current, kind) {
            return true;
        }
        let latch = self.object(current, kind);
        current.perform(Op::new(operation, latch, Location::caller()));
        let done = current.with(|e| state(e.state(latch)) == DONE);
        if done {
            current.with(|e| learn(e, latch));
        }
        current.did(Effect::Word(if done { "done" } else { "poisoned" }), Synchronises::Acquire);
        done
    }
}

/// Records that the running task knows the latch to be done.
fn learn(e: &mut Execution, latch: ObjectId) {
    let me = e.me();
    let knowing = e.queue_mut(latch);
    if !knowing.contains(&me) {
        knowing.push(me);
    }
}

/// An initialisation in progress. Dropping it poisons the latch.
pub(super) struct Turn<'a> {
    latch: &'a Latch,
    current: Current,
    object: ObjectId,
    place: &'static Location<'static>,
    progress: (u32, u32),
    pub was_poisoned: bool,
}

impl Turn<'_> {
    /// The initialisation is complete, and ran no code of the program.
    pub fn done_at_once(self) {
        self.set(DONE);
        self.current.did(Effect::None, Synchronises::AcquireRelease);
        std::mem::forget(self);
    }

    /// The initialisation is complete.
    pub fn done(self) {
        self.end(DONE, "done");
        std::mem::forget(self);
    }

    /// The completion is a step of its own, unless no task can observe anything between start and completion.
    fn end(&self, state: u64, word: &'static str) {
        let current = self.current;
        let (effect, sync) = (Effect::Word(word), Synchronises::Release);
        if current.with(|e| e.progress() == self.progress) {
            self.set(state);
            current.with(|e| e.note_on(self.object, &COMPLETE, self.place, effect, sync));
        } else {
            current.perform(Op::new(&COMPLETE, self.object, self.place));
            self.set(state);
            current.did(effect, sync);
        }
    }

    fn set(&self, state: u64) {
        self.latch.done.store(state == DONE, Ordering::Release);
        self.current.with(|e| {
            *e.words_mut(self.object) = [state, 0];
            e.touch(self.object);
            if state == DONE {
                learn(e, self.object);
            }
        });
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.end(POISONED, "poisoned");
    }
}
