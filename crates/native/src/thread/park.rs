//! Parking. A task's token is word 0 of its token object: set by `unpark`, waited for and taken by `park`.
//!
//! `park` may also return for no reason while the execution has spurious wake-ups left. That is only a choice
//! of its own while there is no token: to return for no reason and leave the token is the same as to have
//! returned before it was there.

use super::handle::{Inner, Thread, used_outside};
use crate::runtime::context::{self, Current};
use crate::runtime::execution::{Execution, Stage};
use crate::runtime::log::{Effect, Sync as Synchronises};
use crate::runtime::operation::{Op, Sense, Verb};
use raddle_core::operation::{Accesses, ObjectId};
use std::panic::Location;
use std::time::Duration;

static PARK: Verb = Verb::new("park", |e, op| waits_for_token(e, op, e.spurious_left > 0));
/// The argument is 1 if it does not wait at all.
static PARK_TIMEOUT: Verb = Verb::new("park_timeout", |e, op| {
    let over = e.task(op.task).timed_out || op.args[0] == 1 || e.stage == Stage::Teardown;
    waits_for_token(e, op, over || e.spurious_left > 0)
});
static UNPARK: Verb = Verb::write("unpark");

/// Takes the token if it is there, and may go on without it if `otherwise`.
fn waits_for_token(e: &Execution, op: &Op, otherwise: bool) -> Sense {
    if has_token(e, op.object) {
        return Sense::ready(Accesses::write(op.object));
    }
    Sense::when(otherwise, Accesses::read(op.object))
}

fn has_token(e: &Execution, token: ObjectId) -> bool {
    e.objects[token].words[0] != 0
}

/// See [`std::thread::park`].
#[track_caller]
pub fn park() {
    let Some(current) = context::current() else { return std::thread::park() };
    let token = current.with(|e| e.token_of(e.current));
    current.perform(Op::new(&PARK, token, Location::caller()));
    if !take_token(current, token) {
        current.with(|e| e.spend_spurious());
        current.did(Effect::Word("returns for no reason"), Synchronises::None);
    }
}

/// See [`std::thread::park_timeout`].
#[track_caller]
pub fn park_timeout(dur: Duration) {
    let Some(current) = context::current() else { return std::thread::park_timeout(dur) };
    let place = Location::caller();
    let token = current.with(|e| e.token_of(e.current));
    if dur.is_zero() {
        current.perform(Op::new(&PARK_TIMEOUT, token, place).arg(1));
    } else {
        current.with(|e| e.arm(dur, place));
        current.perform(Op::new(&PARK_TIMEOUT, token, place));
    }
    let over = current.with(|e| e.disarm()) || dur.is_zero() || current.with(|e| e.stage == Stage::Teardown);
    if take_token(current, token) {
        return;
    }
    let word = if over {
        "times out"
    } else {
        current.with(|e| e.spend_spurious());
        "returns for no reason"
    };
    current.did(Effect::Word(word), Synchronises::None);
}

/// See [`std::thread::park_timeout_ms`].
#[deprecated(note = "replaced by `raddle::thread::park_timeout`")]
#[track_caller]
pub fn park_timeout_ms(ms: u32) {
    park_timeout(Duration::from_millis(ms as u64));
}

/// Takes the token of the running task, and learns what those who set it knew.
fn take_token(current: Current, token: ObjectId) -> bool {
    let taken = current.with(|e| std::mem::take(&mut e.objects[token].words[0]) != 0);
    if taken {
        current.did(Effect::None, Synchronises::Acquire);
    }
    taken
}

impl Thread {
    /// See [`std::thread::Thread::unpark`].
    #[track_caller]
    pub fn unpark(&self) {
        match &self.0 {
            Inner::Outside(thread) => {
                used_outside("Thread");
                thread.unpark();
            }
            Inner::Explored { id, .. } => {
                let (current, task) = id.here("Thread");
                let token = current.with(|e| e.token_of(task));
                current.perform(Op::new(&UNPARK, token, Location::caller()));
                current.with(|e| {
                    e.objects[token].words[0] = 1;
                    e.touch(token);
                });
                current.did(Effect::None, Synchronises::Release);
            }
        }
    }
}
