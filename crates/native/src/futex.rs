//! Waiting on the value of an atomic, as the system call `futex` offers it. For facades: programs that wait in the
//! kernel on an atomic of ours wait here instead.
//!
//! The tasks of the atomic's object are those who wait and were neither woken nor timed out, the longest waiting first; the kernel wakes
//! them in that order. Waking orders nothing in the program: only the atomic does.

use crate::runtime::context::{self, Current};
use crate::runtime::log::{Effect, Shape, Sync as Synchronises};
use crate::runtime::operation::{Evaluation, Op, OperationKind};
use crate::runtime::view::View;
use raddle_core::clock::Time;
use raddle_core::operation::{Accesses, Mode, ObjectId};
use std::panic::Location;
use std::time::Duration;

/// How a wait came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Waited {
    /// Somebody woke it.
    Woken,
    /// The atomic had another value, so it did not wait.
    Changed,
    /// Its time was up.
    TimedOut,
}

/// Arguments: the address, and the value with which it waits. Whether that is the present one is one step with
/// beginning to wait.
static WAIT: OperationKind = OperationKind::new("futex_wait", |view, op| {
    Evaluation::ready(match view.value(|| value(op)) == op.args[1] {
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

/// Where timers may fire at any point, to set one or to take it away decides which others may fire.
fn and_clock(view: &View<'_>, accesses: Accesses) -> Accesses {
    match view.time() {
        Time::Any => accesses.and(view.clock_object(), Mode::Write),
        Time::Idle => accesses,
    }
}

/// The present value of the atomic.
fn value(op: &Op) -> u64 {
    // SAFETY: the task that is about to wait borrows the atomic at this address.
    unsafe { std::ptr::read_volatile(op.args[0] as *const u32) as u64 }
}

/// The object of the atomic at this address, if the caller is in an execution that knows one there.
fn find(address: usize) -> Option<(Current, ObjectId)> {
    let current = context::current()?;
    current.with(|e| e.addresses.get(address)).map(|object| (current, object))
}

/// Waits while the atomic of 32 bits at `address` has the value `expected`. None if it is no atomic of the present
/// execution.
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
    if value(&op) != op.args[1] {
        current.did(Effect::Word("the value is another one"), Synchronises::None);
        return Some(Waited::Changed);
    }
    current.did(Effect::Read(Shape::Unsigned, expected as u64), Synchronises::None);
    current.with(|e| {
        let me = e.current;
        e.objects[object].tasks.push(me);
        if let Some(limit) = limit {
            e.arm_on(object, limit, place);
        }
        e.touch(object);
    });
    current.perform(Op::new(&WOKEN, object, place));
    let woken = current.with(|e| {
        let me = e.current;
        let timed_out = e.disarm();
        let notified = std::mem::take(&mut e.task_mut(me).notified);
        notified && !timed_out
    });
    current.did(Effect::Word(if woken { "woken" } else { "timed out" }), Synchronises::None);
    Some(if woken { Waited::Woken } else { Waited::TimedOut })
}

/// Wakes up to `most` of those who wait at `address`, and says how many. None if there is no atomic of the present
/// execution.
#[track_caller]
pub fn wake(address: usize, most: usize) -> Option<usize> {
    let (current, object) = find(address)?;
    current.with(|e| e.the_clock());
    current.perform(Op::new(&WAKE, object, Location::caller()));
    let woken = current.with(|e| {
        let all: Vec<_> = e.objects[object].tasks.iter().copied().take(most).collect();
        for id in &all {
            e.objects[object].tasks.retain(|t| t != id);
            e.disarm_of(*id);
            e.task_mut(*id).notified = true;
            e.task_mut(*id).woken = e.steps();
        }
        if !all.is_empty() {
            e.touch(object);
        }
        all.len()
    });
    // Not `Effect::Read`: that is the value of the atomic.
    current.did(Effect::Count(woken as u64), Synchronises::None);
    Some(woken)
}
