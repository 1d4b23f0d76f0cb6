//! Waiting on the value of an atomic, as the system call `futex` offers it. For facades: programs that wait in the
//! kernel on an atomic of ours wait here instead.
//!
//! The tasks of the atomic's object are those who wait and were not woken, the longest waiting first; the kernel wakes
//! them in that order. Waking orders nothing in the program: only the atomic does.

use crate::runtime::context::{self, Current};
use crate::runtime::execution::Execution;
use crate::runtime::log::{Effect, Shape, Sync as Synchronises};
use crate::runtime::operation::{Evaluation, Op, OperationKind};
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
static WAIT: OperationKind = OperationKind::new("futex_wait", |e, op| {
    Evaluation::ready(match holds(op) {
        true => and_clock(e, Accesses::write(op.object)),
        false => Accesses::read(op.object),
    })
});
static WOKEN: OperationKind = OperationKind::new("wake", |e, op| {
    let task = e.task(op.task);
    Evaluation::when(task.notified || task.timed_out, Accesses::read(op.object))
});
static WAKE: OperationKind = OperationKind::new("futex_wake", |e, op| {
    Evaluation::ready(match e.objects[op.object].tasks.is_empty() {
        true => Accesses::read(op.object),
        false => and_clock(e, Accesses::write(op.object)),
    })
});

/// Where timers may fire at any point, to set one or to take it away decides which others may fire.
fn and_clock(e: &Execution, accesses: Accesses) -> Accesses {
    match e.settings.time {
        Time::Any => accesses.and(e.clock_object, Mode::Write),
        Time::Idle => accesses,
    }
}

fn holds(op: &Op) -> bool {
    // SAFETY: the task that is about to wait borrows the atomic at this address.
    let value = unsafe { std::ptr::read_volatile(op.args[0] as *const u32) };
    value as u64 == op.args[1]
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
    if !holds(&op) {
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
        e.objects[object].tasks.retain(|t| *t != me);
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
        let all: Vec<_> =
            e.objects[object].tasks.iter().copied().filter(|t| !e.task(*t).timed_out).take(most).collect();
        for id in &all {
            e.objects[object].tasks.retain(|t| t != id);
            e.disarm_of(*id);
            e.task_mut(*id).notified = true;
        }
        if !all.is_empty() {
            e.touch(object);
        }
        all.len()
    });
    current.did(Effect::Read(Shape::Unsigned, woken as u64), Synchronises::None);
    Some(woken)
}
