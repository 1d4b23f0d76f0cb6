//! What is inside of everything that is initialised once. Word 0 of its object says how far it has come, word
//! 1 is the number of the task that initialises it, plus 1; its tasks are those who know that it is done.
//!
//! Once it is done it stays so, and whoever asks gets the same answer at any time: only what happens before
//! that takes steps.

use crate::runtime::context::{self, Current};
use crate::runtime::execution::{Execution, Stage};
use crate::runtime::log::{Effect, Shape, Sync as Synchronises};
use crate::runtime::object::{Identity, Known, ObjectKind};
use crate::runtime::operation::{Evaluation, Op, OperationKind};
use crate::runtime::view::State;
use raddle_core::operation::{Accesses, ObjectId, TaskId};
use std::panic::Location;
use std::sync::atomic::{AtomicBool, Ordering};

/// How far a latch has come: word 0.
const NEW: u64 = 0;
const RUNNING: u64 = 1;
const DONE: u64 = 2;
const POISONED: u64 = 3;

/// A operation that initialises, unless that went wrong before.
pub(super) const fn initialising(name: &'static str) -> OperationKind {
    OperationKind::new(name, |view, op| match state(view.object()) {
        NEW => Evaluation::ready(Accesses::write(op.object)),
        state => Evaluation::when(state != RUNNING, Accesses::read(op.object)),
    })
    .held_by(runner)
    .alike()
}

/// A operation that initialises, even if that went wrong before.
pub(super) const fn forcing(name: &'static str) -> OperationKind {
    OperationKind::new(name, |view, op| match state(view.object()) {
        NEW | POISONED => Evaluation::ready(Accesses::write(op.object)),
        state => Evaluation::when(state != RUNNING, Accesses::read(op.object)),
    })
    .held_by(runner)
    .alike()
}

/// A operation that waits until it is done, or until that went wrong.
pub(super) const fn waiting(name: &'static str) -> OperationKind {
    OperationKind::new(name, |view, op| {
        Evaluation::when(matches!(state(view.object()), DONE | POISONED), Accesses::read(op.object))
    })
    .same_accesses()
    .held_by(runner)
    .waits(|_, _| Some("waits for"))
    .alike()
}

/// A operation that waits until it is done, whatever goes wrong.
pub(super) const fn waiting_on(name: &'static str) -> OperationKind {
    OperationKind::new(name, |view, op| {
        Evaluation::when(state(view.object()) == DONE, Accesses::read(op.object))
    })
    .same_accesses()
    .held_by(runner)
    .waits(|_, _| Some("waits for"))
    .alike()
}

static COMPLETE: OperationKind = OperationKind::write("complete");

fn state(latch: State) -> u64 {
    latch.words[0]
}

fn runner(e: &Execution, op: &Op) -> Vec<TaskId> {
    e.objects[op.object].words[1].checked_sub(1).map(|n| TaskId(n as u32)).into_iter().collect()
}

/// What to make of an initialisation that went wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Poison {
    Matters,
    Ignored,
}

/// Something that is initialised once.
pub(super) struct Latch {
    identity: Identity,
    /// In place, so that what was initialised may move, or be used inside after it was initialised outside.
    done: AtomicBool,
    /// Used by threads outside of explorations only.
    outside: std::sync::Once,
}

/// What a task finds that wants to initialise.
pub(super) enum Found<'a> {
    Done,
    /// It went wrong before, and that matters.
    Poisoned,
    /// It is this task's turn.
    Turn(Turn<'a>),
}

impl Latch {
    pub const fn new() -> Latch {
        let outside = std::sync::Once::new();
        Latch { identity: Identity::new(), done: AtomicBool::new(false), outside }
    }
    /// One that needs no initialisation.
    pub const fn done() -> Latch {
        let outside = std::sync::Once::new();
        Latch { identity: Identity::new(), done: AtomicBool::new(true), outside }
    }
    /// Its only owner has initialised it.
    pub fn set_done(&mut self) {
        *self.done.get_mut() = true;
    }
    /// Its only owner begins anew.
    pub fn reset(&mut self) {
        *self.done.get_mut() = false;
        self.outside = std::sync::Once::new();
        let Some(current) = context::current() else { return };
        current.with(|e| {
            if let Known::Here(object) = self.identity.lookup(e.serial) {
                e.objects[object].words = [NEW, 0];
                e.objects[object].tasks.clear();
            }
        });
    }

    #[track_caller]
    pub fn object(&self, current: Current, kind: ObjectKind) -> ObjectId {
        current.object(&self.identity, kind, [NEW, 0])
    }

    /// Whether it is done and the running task knows that: nothing can change any more, and no step is needed.
    /// To learn of it is a step, since that could have come earlier.
    #[track_caller]
    fn is_settled(&self, current: Current, kind: ObjectKind) -> bool {
        if !self.done.load(Ordering::Acquire) {
            return false;
        }
        match current.with(|e| self.identity.lookup(e.serial)) {
            Known::Here(latch) => {
                return current.with(|e| e.objects[latch].tasks.contains(&e.current));
            }
            // A misuse.
            Known::Elsewhere => drop(self.object(current, kind)),
            // It came with its value, or was done before this execution began.
            Known::New | Known::Outside => {}
        }
        true
    }

    /// Looks whether it is done.
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

    /// Wants to initialise it, inside of an exploration.
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
        let before = current.with(|e| state(e.state_of(latch)));
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
            e.objects[latch].words = [RUNNING, e.current.0 as u64 + 1];
            e.touch(latch);
            progress(e)
        });
        current.did(Effect::Word("begins"), Synchronises::Acquire);
        let was_poisoned = before == POISONED;
        Found::Turn(Turn { latch: self, current, object: latch, place, progress, was_poisoned })
    }

    /// Initialises it in a thread outside of explorations, unless it is done. `initialise` is told whether
    /// that went wrong before.
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

    /// Waits until it is done. Says whether it is: it may have gone wrong instead, if that matters.
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
        let done = current.with(|e| state(e.state_of(latch)) == DONE);
        if done {
            current.with(|e| learn(e, latch));
        }
        current.did(Effect::Word(if done { "done" } else { "poisoned" }), Synchronises::Acquire);
        done
    }
}

/// The running task learns that the latch is done.
fn learn(e: &mut Execution, latch: ObjectId) {
    let me = e.current;
    let knowing = &mut e.objects[latch].tasks;
    if !knowing.contains(&me) {
        knowing.push(me);
    }
}

/// Adds a line that is no step.
fn note(
    e: &mut Execution,
    operation: &'static OperationKind,
    latch: ObjectId,
    place: &'static Location<'static>,
    effect: Effect,
    sync: Synchronises,
) {
    if e.stage == Stage::Exploring {
        let line = e.log.note(e.current, operation, place);
        line.object = latch;
        line.effect = effect;
        line.sync = sync;
    }
}

/// How many steps the running task has taken and how many children it has: while these stay the same, others
/// see nothing of what it does.
fn progress(e: &Execution) -> (u32, u32) {
    let task = e.task(e.current);
    (task.steps, task.children)
}

/// A task initialises. If it drops this, that went wrong.
pub(super) struct Turn<'a> {
    latch: &'a Latch,
    current: Current,
    object: ObjectId,
    place: &'static Location<'static>,
    progress: (u32, u32),
    pub was_poisoned: bool,
}

impl Turn<'_> {
    /// It is initialised, and no code of the program ran meanwhile.
    pub fn done_at_once(self) {
        self.set(DONE);
        self.current.did(Effect::None, Synchronises::AcquireRelease);
        std::mem::forget(self);
    }

    /// It is initialised.
    pub fn done(self) {
        self.end(DONE, "done");
        std::mem::forget(self);
    }

    /// The end is a step of its own, unless nobody could see anything between the beginning and the end.
    fn end(&self, state: u64, word: &'static str) {
        let current = self.current;
        let (effect, sync) = (Effect::Word(word), Synchronises::Release);
        if current.with(|e| progress(e) == self.progress) {
            self.set(state);
            current.with(|e| note(e, &COMPLETE, self.object, self.place, effect, sync));
        } else {
            current.perform(Op::new(&COMPLETE, self.object, self.place));
            self.set(state);
            current.did(effect, sync);
        }
    }

    fn set(&self, state: u64) {
        self.latch.done.store(state == DONE, Ordering::Release);
        self.current.with(|e| {
            e.objects[self.object].words = [state, 0];
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
