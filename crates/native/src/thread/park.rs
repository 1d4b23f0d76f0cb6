//! Parking. A task's token is word 0 of its token object: set by `unpark`, waited for and taken by `park`.
//!
//! `park` may also return for no reason while the execution has spurious wake-ups left. That is only a choice
//! of its own while there is no token: to return for no reason and leave the token is the same as to have
//! returned before it was there.

use super::handle::{Inner, Thread, used_outside};
use super::sleep::{is_over, set_timer};
use crate::runtime::context::{self, Current};
use crate::runtime::execution::{Execution, Stage};
use crate::runtime::log::{Effect, Sync as Synchronises};
use crate::runtime::operation::{Op, Sense, Verb};
use raddle_core::clock::Time;
use raddle_core::operation::{Accesses, Mode, ObjectId};
use std::panic::Location;
use std::time::Duration;

static PARK: Verb = Verb::new("park", |e, op| match (has_token(e, op), for_no_reason(e, op)) {
    (true, _) => Sense::ready(Accesses::write(op.object)),
    (false, true) => Sense::ready(Accesses::read(op.object).and(e.spurious_object, Mode::Write)),
    (false, false) => Sense::when(false, Accesses::read(op.object)),
})
.spurious(for_no_reason);

static PARK_TIMEOUT: Verb = Verb::new("park_timeout", timed_park).spurious(timed_for_no_reason);
/// Where timers fire at any point, to set one is a step of its own; see [`super::sleep`].
static BEGIN: Verb = Verb::always("park_timeout", |_, op| Sense::ready(Accesses::read(op.other))).yielding();
static WAKE: Verb = Verb::new("wake", timed_park).spurious(timed_for_no_reason);
/// Takes the token if it is there, and does not wait.
static POLL: Verb = Verb::new("park_timeout", |e, op| {
    Sense::ready(if has_token(e, op) { Accesses::write(op.object) } else { Accesses::read(op.object) })
});

static UNPARK: Verb = Verb::write("unpark");

fn has_token(e: &Execution, op: &Op) -> bool {
    e.objects[op.object].words[0] != 0
}

fn for_no_reason(e: &Execution, op: &Op) -> bool {
    e.spurious_left > 0 && !has_token(e, op)
}

fn timed_for_no_reason(e: &Execution, op: &Op) -> bool {
    for_no_reason(e, op) && !is_over(e, op)
}

fn timed_park(e: &Execution, op: &Op) -> Sense {
    let accesses = match has_token(e, op) {
        true => Accesses::write(op.object),
        false => Accesses::read(op.object),
    };
    // Its timer is taken away, which may make another one the next to fire.
    let accesses = match e.settings.time {
        Time::Any if !is_over(e, op) => accesses.and(e.clock_object, Mode::Read),
        _ => accesses,
    };
    if timed_for_no_reason(e, op) {
        return Sense::ready(accesses.and(e.spurious_object, Mode::Write));
    }
    Sense::when(has_token(e, op) || is_over(e, op), accesses)
}

/// See [`std::thread::park`].
#[track_caller]
pub fn park() {
    let Some(current) = context::current() else { return std::thread::park() };
    let token = current.with(|e| e.token_of(e.current));
    current.perform(Op::new(&PARK, token, Location::caller()));
    if !take_token(current, token) {
        returns_for_no_reason(current);
    }
}

/// See [`std::thread::park_timeout`].
#[track_caller]
pub fn park_timeout(dur: Duration) {
    let Some(current) = context::current() else { return std::thread::park_timeout(dur) };
    let place = Location::caller();
    let verb = match dur.is_zero() {
        true => &POLL,
        false => set_timer(current, dur, place, &BEGIN, [&PARK_TIMEOUT, &WAKE]),
    };
    let token = current.with(|e| e.token_of(e.current));
    current.perform(Op::new(verb, token, place));
    let fired = current.with(|e| e.disarm());
    if take_token(current, token) {
        return;
    }
    if fired || dur.is_zero() || current.with(|e| e.stage == Stage::Teardown) {
        current.did(Effect::Word("times out"), Synchronises::None);
    } else {
        returns_for_no_reason(current);
    }
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

fn returns_for_no_reason(current: Current) {
    current.with(|e| e.spend_spurious());
    current.did(Effect::Word("returns for no reason"), Synchronises::None);
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
