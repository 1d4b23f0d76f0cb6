//! Sleeping: a task is blocked until its timer fires. No real time passes.
//!
//! Where timers fire only when no task is enabled, a sleep is one step; it never counts as an iteration of a
//! spin loop, since time itself bounds such a loop. Where they fire at any point, falling asleep is a step of
//! its own, because the deadline depends on it; and it ends an iteration as `yield_now` does, or a loop that
//! polls and sleeps would run for ever while other tasks are enabled.

use crate::runtime::context::{self, Current};
use crate::runtime::log::{Effect, Shape, Sync as Synchronises};
use crate::runtime::operation::{Evaluation, Op, OperationKind};
use raddle_core::clock::Time;
use raddle_core::operation::Accesses;
use std::panic::Location;
use std::time::Duration;

static SLEEP: OperationKind = OperationKind::new("sleep", |view, op| {
    Evaluation::when(view.is_sleep_over(), Accesses::write(op.object))
});
static FALL_ASLEEP: OperationKind =
    OperationKind::always("sleep", |_, op| Evaluation::ready(Accesses::read(op.other))).yielding();
static WAKE: OperationKind =
    OperationKind::new("wake", |view, op| Evaluation::when(view.is_sleep_over(), Accesses::read(op.object)));
/// A sleep of zero duration.
static GIVE_WAY: OperationKind = OperationKind::local("sleep").yielding();

/// Arms a timer for the next operation of the running task. If that is a step of its own, it is `kind`, whose
/// second object is the clock; returns which of two values to continue with, then.
pub(crate) fn set_timer<T>(
    current: Current,
    after: Duration,
    place: &'static Location<'static>,
    kind: &'static OperationKind,
    [alone, second]: [T; 2],
) -> T {
    if current.with(|e| e.settings.time) == Time::Idle {
        current.with(|e| e.arm(after, place));
        return alone;
    }
    let clock = current.with(|e| e.the_clock());
    current.perform(Op::plain(kind, place).with(clock));
    current.with(|e| e.arm(after, place));
    current.did(took(after), Synchronises::None);
    second
}

/// A duration as an effect.
pub(super) fn took(time: Duration) -> Effect {
    Effect::Wrote(Shape::Time, u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
}

/// See [`std::thread::sleep`].
#[track_caller]
pub fn sleep(dur: Duration) {
    let Some(current) = context::current() else { return std::thread::sleep(dur) };
    let place = Location::caller();
    if dur.is_zero() {
        current.perform(Op::plain(&GIVE_WAY, place));
        current.did(took(dur), Synchronises::None);
        return;
    }
    let kind = set_timer(current, dur, place, &FALL_ASLEEP, [&SLEEP, &WAKE]);
    // A timer that fires writes its owner's token.
    let token = current.with(|e| e.token_of(e.me()));
    current.perform(Op::new(kind, token, place));
    current.with(|e| e.disarm());
    if std::ptr::eq(kind, &SLEEP) {
        current.did(took(dur), Synchronises::None);
    }
}

/// See [`std::thread::sleep_ms`].
#[deprecated(note = "replaced by `raddle::thread::sleep`")]
#[track_caller]
pub fn sleep_ms(ms: u32) {
    sleep(Duration::from_millis(ms as u64));
}
