//! Waiting on the value of an atomic, as with the system call `futex`. For facades: programs that wait in the
//! kernel on an atomic of an execution wait here instead.
//!
//! The tasks of the atomic's object are the waiters that were neither woken nor timed out, in the order in
//! which the kernel wakes them: first in, first out. A wake-up creates no happens-before: only the atomic
//! does. Spurious wake-ups and waits of no time at all are as those of a condition variable: options of the wait, and for
//! the former a choice again after each timer, where timers fire only when nothing else can happen.

use crate::runtime::context::{self, Current};
use crate::runtime::log::{Effect, Shape, Sync as Synchronises};
use crate::runtime::memory::Model;
use crate::runtime::objects::view::View;
use crate::runtime::operation::{Evaluation, NO_OBJECT, Op, OperationKind};
use raddle_core::clock::Time;
use raddle_core::operation::{Accesses, Mode, ObjectId};
use std::panic::Location;
use std::time::Duration;

/// How a wait ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Waited {
    /// It was woken.
    Woken,
    /// The atomic had another value, so it did not wait.
    Changed,
    /// It timed out.
    TimedOut,
}

/// Arguments: the address, and the expected value. The comparison and the start of the wait are one step.
static WAIT: OperationKind = OperationKind::new("futex_wait", waits).by_value();
/// A wait of no time at all, where timers fire only when nothing else can happen: option 1 is to time out at once,
/// and option 2 is a spurious wake-up.
static WAIT_FOR_NOTHING: OperationKind = OperationKind::new("futex_wait", |view, op| {
    let evaluation = waits(view, op);
    let at_once = view.reads_expected::<u32>() as u32;
    Evaluation { options: evaluation.options + at_once, ..evaluation }
})
.by_value();
static WOKEN: OperationKind =
    OperationKind::new("wake", |view, op| Evaluation::when(view.is_woken(), Accesses::read(op.object)))
        .same_accesses();
/// The same where it may happen for no reason, after a timer: as option 1.
static MAY_WAKE: OperationKind = OperationKind::new("wake", |view, op| {
    let spurious = view.spurious_object();
    match view.spurious_left() {
        _ if !view.is_stirred() => Evaluation::when(view.is_woken(), Accesses::read(op.object)),
        0 => Evaluation::ready(Accesses::read(op.object).and(spurious, Mode::Read)),
        _ if view.is_woken() => Evaluation::ready(Accesses::read(op.object).and(spurious, Mode::Read)),
        _ => Evaluation { accesses: Accesses::write(op.object).and(spurious, Mode::Write), options: 2 },
    }
})
.wakes_spuriously();
static WAKE: OperationKind = OperationKind::new("futex_wake", |view, op| {
    Evaluation::ready(match view.object().tasks {
        0 => Accesses::read(op.object),
        _ => and_clock(view, Accesses::write(op.object)),
    })
});

/// Where spurious wake-ups are possible, option 1 is one before the wait even starts.
fn waits(view: View<'_>, op: &Op) -> Evaluation {
    if !view.reads_expected::<u32>() {
        return Evaluation::ready(Accesses::read(op.object));
    }
    let accesses = and_clock(view, Accesses::write(op.object));
    match (view.spurious_object(), view.spurious_left()) {
        (NO_OBJECT, _) => Evaluation::ready(accesses),
        (spurious, 0) => Evaluation::ready(accesses.and(spurious, Mode::Read)),
        (spurious, _) => Evaluation { accesses: accesses.and(spurious, Mode::Write), options: 2 },
    }
}

/// Where timers may fire at any point, arming or disarming one decides which others may fire.
fn and_clock(view: View<'_>, accesses: Accesses) -> Accesses {
    match view.time() {
        Time::Any => accesses.and(view.clock_object(), Mode::Write),
        Time::Idle => accesses,
    }
}

/// The object of the atomic at this address, if the caller is in an execution that knows it.
fn find(address: usize) -> Option<(Current, ObjectId)> {
    let current = context::current()?;
    current.with(|e| e.memory().atomic_at(address)).map(|object| (current, object))
}

/// Waits while the 32-bit atomic at `address` has the value `expected`. None if it is no atomic of the
/// present execution.
///
/// # Safety
/// There is such an atomic at that address, and it stays there.
#[track_caller]
pub unsafe fn wait(address: usize, expected: u32, limit: Option<Duration>) -> Option<Waited> {
    let (current, object) = find(address)?;
    let place = Location::caller();
    current.with(|e| e.the_clock());
    let (may_wake, idle) = current.with(|e| (e.spurious_object().is_some(), e.settings.time == Time::Idle));
    let is_for_nothing = limit == Some(Duration::ZERO) && current.with(|e| e.may_time_out_at_once());
    let kind = if is_for_nothing { &WAIT_FOR_NOTHING } else { &WAIT };
    let op = Op::new(kind, object, place).args([address as u64, expected as u64]);
    let option = current.perform(op);
    // SAFETY: the caller's.
    if current.with(|e| unsafe { e.memory().model().latest::<u32>(address) }) != op.args[1] {
        current.did(Effect::Word("the value is another one"), Synchronises::None);
        return Some(Waited::Changed);
    }
    if is_for_nothing && option == 1 {
        current.with(|e| e.wait_for_nothing());
        current.did(Effect::Word("timed out"), Synchronises::None);
        return Some(Waited::TimedOut);
    }
    if option > 0 {
        current.with(|e| e.spend_spurious());
        current.did(Effect::Word("woken for no reason"), Synchronises::None);
        return Some(Waited::Woken);
    }
    current.did(Effect::Read(Shape::Unsigned, expected as u64), Synchronises::None);
    current.with(|e| {
        let me = e.me();
        e.take_stirred();
        e.queue_mut(object).push(me);
        if let Some(limit) = limit {
            e.arm_on(object, limit, place);
        }
        e.touch(object);
    });
    let woken = Op::new(if may_wake && idle { &MAY_WAKE } else { &WOKEN }, object, place);
    while current.perform(woken) == 0 && current.with(|e| e.take_stirred() && !e.is_woken()) {
        current.did(Effect::Word("goes on waiting"), Synchronises::None);
    }
    if current.with(|e| e.take_stirred() && !e.is_woken()) {
        current.with(|e| {
            let me = e.me();
            e.spend_spurious();
            e.queue_mut(object).retain(|t| *t != me);
            e.disarm();
            e.touch(object);
        });
        current.did(Effect::Word("woken for no reason"), Synchronises::None);
        return Some(Waited::Woken);
    }
    let woken = current.with(|e| {
        let timed_out = e.disarm();
        e.take_notified().is_some() && !timed_out
    });
    current.did(Effect::Word(if woken { "woken" } else { "timed out" }), Synchronises::None);
    Some(if woken { Waited::Woken } else { Waited::TimedOut })
}

/// Wakes up to `most` waiters at `address`, and returns their number. None if there is no atomic of the
/// present execution.
#[track_caller]
pub fn wake(address: usize, most: usize) -> Option<usize> {
    let (current, object) = find(address)?;
    current.with(|e| e.the_clock());
    current.perform(Op::new(&WAKE, object, Location::caller()));
    let woken = current.with(|e| {
        let all: Vec<_> = e.queue(object).iter().copied().take(most).collect();
        for id in &all {
            e.queue_mut(object).retain(|t| t != id);
            e.disarm_of(*id);
            e.notify(*id, 0);
        }
        if !all.is_empty() {
            e.touch(object);
        }
        all.len()
    });
    // Not `Effect::Read`: that would be the value of the atomic.
    current.did(Effect::Count(woken as u64), Synchronises::None);
    Some(woken)
}
