//! Parking. A task's token is word 0 of its token object: set by `unpark`, awaited and taken by `park`. A
//! spurious return of `park`, while the execution has wake-ups left, is a choice before it parks, so that no
//! parked task depends on it. Where timers fire only when nothing else can happen, it is a choice again after each of
//! them, in which a task may also stay parked.

use super::handle::{Inner, Thread, used_outside};
use super::sleep::set_timer;
use crate::runtime::context::{self, Current};
use crate::runtime::log::{Effect, Sync as Synchronises};
use crate::runtime::objects::view::View;
use crate::runtime::operation::{Evaluation, Op, OperationKind};
use raddle_core::clock::Time;
use raddle_core::fact::Waiting;
use raddle_core::operation::{Accesses, Mode, ObjectId};
use std::panic::Location;
use std::time::Duration;

static PARK: OperationKind = OperationKind::new("park", |view, op| {
    or_return(view, Evaluation::when(has_token(view), Accesses::one(op.object, token_mode(view))))
})
.waits(|_| Waiting::ToBeUnparked)
.wakes_spuriously();
/// Before it parks, where spurious wake-ups are possible: option 1 is to return, while any are left.
static MAY_PARK: OperationKind = OperationKind::new("park", |view, op| match view.spurious_left() {
    0 => Evaluation::ready(Accesses::read(op.object)),
    _ => Evaluation { accesses: Accesses::write(op.object), options: 2 },
});

static PARK_TIMEOUT: OperationKind =
    OperationKind::new("park_timeout", timed_park).waits(|_| Waiting::ToBeUnparked).wakes_spuriously();
/// Where timers fire at any point, arming one is a step of its own; see [`super::sleep`].
static BEGIN: OperationKind =
    OperationKind::always("park_timeout", |_, op| Evaluation::ready(Accesses::read(op.other))).yielding();
static WAKE: OperationKind = OperationKind::new("wake", timed_park).waits(|_| Waiting::ToBeUnparked);
/// Takes the token if it is there, without waiting.
static POLL: OperationKind = OperationKind::new("park_timeout", |view, op| {
    Evaluation::ready(if has_token(view) { Accesses::write(op.object) } else { Accesses::read(op.object) })
});

static UNPARK: OperationKind = OperationKind::write("unpark");

fn has_token(view: View<'_>) -> bool {
    view.object().words[0] != 0
}

fn token_mode(view: View<'_>) -> Mode {
    if has_token(view) { Mode::Write } else { Mode::Read }
}

/// `parks`, unless a timer has fired in the meantime: then the task may stay parked, or return as option 1.
fn or_return(view: View<'_>, parks: Evaluation) -> Evaluation {
    if !view.is_stirred() {
        return parks;
    }
    let returns = parks.options == 0 && view.spurious_left() > 0;
    let mode = if returns { Mode::Write } else { Mode::Read };
    let accesses = parks.accesses.and(view.spurious_object(), mode);
    Evaluation { accesses, options: 1 + returns as u32 }
}

fn timed_park(view: View<'_>, op: &Op) -> Evaluation {
    let accesses = Accesses::one(op.object, token_mode(view));
    // Its timer is disarmed, which may make another one the next to fire.
    let accesses = match view.time() {
        Time::Any if !view.is_sleep_over() => accesses.and(view.clock_object(), Mode::Read),
        _ => accesses,
    };
    or_return(view, Evaluation::when(has_token(view) || view.is_sleep_over(), accesses))
}

/// See [`std::thread::park`].
#[track_caller]
pub fn park() {
    let Some(current) = context::current() else { return std::thread::park() };
    if returns_for_no_reason(current, Location::caller()) {
        return;
    }
    let token = current.with(|e| e.token_of(e.me()));
    if stays_parked(current, Op::new(&PARK, token, Location::caller())) {
        take_token(current, token);
    }
}

/// See [`std::thread::park_timeout`].
#[track_caller]
pub fn park_timeout(dur: Duration) {
    let Some(current) = context::current() else { return std::thread::park_timeout(dur) };
    let place = Location::caller();
    let dur = if dur.is_zero() { current.with(|e| e.wait_for_nothing()) } else { dur };
    if !dur.is_zero() && returns_for_no_reason(current, place) {
        return;
    }
    let kind = match dur.is_zero() {
        true => &POLL,
        false => set_timer(current, dur, place, &BEGIN, [&PARK_TIMEOUT, &WAKE]),
    };
    let token = current.with(|e| e.token_of(e.me()));
    let stays = stays_parked(current, Op::new(kind, token, place));
    current.with(|e| e.disarm());
    if stays && !take_token(current, token) {
        current.did(Effect::Word("times out"), Synchronises::None);
    }
}

/// See [`std::thread::park_timeout_ms`].
#[deprecated(note = "replaced by `raddle::thread::park_timeout`")]
#[track_caller]
pub fn park_timeout_ms(ms: u32) {
    park_timeout(Duration::from_millis(ms as u64));
}

/// Takes the token of the running task, and synchronises with the unparks that set it.
fn take_token(current: Current, token: ObjectId) -> bool {
    let taken = current.with(|e| std::mem::take(&mut e.words_mut(token)[0]) != 0);
    if taken {
        current.did(Effect::None, Synchronises::Acquire);
    }
    taken
}

/// The running task parks, until it finds its token or its time is up; false if it returns for no reason.
fn stays_parked(current: Current, op: Op) -> bool {
    current.with(|e| e.take_stirred());
    loop {
        let returns = current.perform(op) == 1;
        let decides = current.with(|e| e.take_stirred() && e.words(op.object)[0] == 0 && !e.is_timed_out());
        match (decides, returns) {
            (false, _) => return true,
            (true, true) => {
                spend(current);
                return false;
            }
            (true, false) => current.did(Effect::Word("stays parked"), Synchronises::None),
        }
    }
}

/// The running task returns for no reason.
fn spend(current: Current) {
    current.with(|e| e.spend_spurious());
    current.did(Effect::Word("returns for no reason"), Synchronises::None);
}

/// Whether the search chooses a spurious return of the running task.
fn returns_for_no_reason(current: Current, place: &'static Location<'static>) -> bool {
    let Some(spurious) = current.with(|e| e.spurious_object()) else { return false };
    let returns = current.perform(Op::new(&MAY_PARK, spurious, place)) == 1;
    if returns {
        spend(current);
    }
    returns
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
                    e.words_mut(token)[0] = 1;
                    e.touch(token);
                });
                current.did(Effect::None, Synchronises::Release);
            }
        }
    }
}
