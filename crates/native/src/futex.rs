//! Waiting on the value of an atomic, as with the system call `futex`. For facades: programs that wait in the
//! kernel on an atomic of an execution wait here instead.
//!
//! The tasks of the atomic's object are the waiters that were neither woken nor timed out, in the order in
//! which the kernel wakes them: first in, first out. A wake-up creates no happens-before: only the atomic
//! does.

use crate::runtime::context::{self, Current};
use crate::runtime::log::{Effect, Shape, Sync as Synchronises};
use crate::runtime::memory::Model;
use crate::runtime::objects::view::View;
use crate::runtime::operation::{Evaluation, Op, OperationKind};
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
static WAIT: OperationKind = OperationKind::new("futex_wait", |view, op| {
    Evaluation::ready(match view.reads_expected::<u32>() {
        true => and_clock(view, Accesses::write(op.object)),
        false => Accesses::read(op.object),
    })
})
.by_value();
static WOKEN: OperationKind =
    OperationKind::new("wake", |view, op| Evaluation::when(view.is_woken(), Accesses::read(op.object)))
        .same_accesses();
static WAKE: OperationKind = OperationKind::new("futex_wake", |view, op| {
    Evaluation::ready(match view.object().tasks {
        0 => Accesses::read(op.object),
        _ => and_clock(view, Accesses::write(op.object)),
    })
});

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
    current.with(|e| e.memory().object_at(address)).map(|object| (current, object))
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
    let op = Op::new(&WAIT, object, place).args([address as u64, expected as u64]);
    current.perform(op);
    // SAFETY: the caller's.
    if current.with(|e| unsafe { e.memory().model().latest::<u32>(address) }) != op.args[1] {
        current.did(Effect::Word("the value is another one"), Synchronises::None);
        return Some(Waited::Changed);
    }
    current.did(Effect::Read(Shape::Unsigned, expected as u64), Synchronises::None);
    current.with(|e| {
        let me = e.me();
        e.queue_mut(object).push(me);
        if let Some(limit) = limit {
            e.arm_on(object, limit, place);
        }
        e.touch(object);
    });
    current.perform(Op::new(&WOKEN, object, place));
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
