//! Sleeping: a task is blocked until its timer fires. No real time passes.
//!
//! With `Time::Idle` a sleep is never a round of a loop that waits in vain, since time itself holds such a
//! loop back. With `Time::Any` timers fire at any point, so a loop that polls and sleeps would go round for
//! ever while others could run: there a sleep ends a round as `yield_now` does.

use crate::runtime::context;
use crate::runtime::execution::{Execution, Stage};
use crate::runtime::log::{Effect, Shape, Sync as Synchronises};
use crate::runtime::operation::{Op, Sense, Verb};
use raddle_core::clock::Time;
use raddle_core::operation::Accesses;
use std::panic::Location;
use std::time::Duration;

static SLEEP: Verb = Verb::new("sleep", |e, op| Sense::when(is_over(e, op), Accesses::write(op.object)));
static SLEEP_WHILE_OTHERS_RUN: Verb =
    Verb::new("sleep", |e, op| Sense::when(is_over(e, op), Accesses::read(op.object))).yielding();
/// A sleep that takes no time.
static GIVE_WAY: Verb = Verb::local("sleep").yielding();

fn is_over(e: &Execution, op: &Op) -> bool {
    e.task(op.task).timed_out || e.stage == Stage::Teardown
}

/// See [`std::thread::sleep`].
#[track_caller]
pub fn sleep(dur: Duration) {
    let Some(current) = context::current() else { return std::thread::sleep(dur) };
    let place = Location::caller();
    if dur.is_zero() {
        current.perform(Op::plain(&GIVE_WAY, place));
    } else {
        // What a timer writes when it fires is its owner's token.
        let (token, verb) = current.with(|e| {
            e.arm(dur, place);
            let verb = match e.settings.time {
                Time::Idle => &SLEEP,
                Time::Any => &SLEEP_WHILE_OTHERS_RUN,
            };
            (e.token_of(e.current), verb)
        });
        current.perform(Op::new(verb, token, place));
        current.with(|e| e.disarm());
    }
    let nanos = u64::try_from(dur.as_nanos()).unwrap_or(u64::MAX);
    current.did(Effect::Wrote(Shape::Time, nanos), Synchronises::None);
}

/// See [`std::thread::sleep_ms`].
#[deprecated(note = "replaced by `raddle::thread::sleep`")]
#[track_caller]
pub fn sleep_ms(ms: u32) {
    sleep(Duration::from_millis(ms as u64));
}
