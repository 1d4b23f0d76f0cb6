//! The event that a task with a future waits for, and its waker. Word 0 of a signal's object holds what has
//! arrived since the last wait. A wake-up by the task itself is no operation, since no other task can observe
//! it, and the next wait becomes a yield.

use crate::runtime::context::{self, Current};
use crate::runtime::log::{Effect, Sync as Synchronises};
use crate::runtime::objects::ObjectKind;
use crate::runtime::operation::{Evaluation, Op, OperationKind};
use raddle_core::fact::Waiting;
use raddle_core::operation::{Accesses, ObjectId};
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::task::{RawWaker, RawWakerVTable, Waker};

const KIND: ObjectKind = "Waker";
const WOKEN: u64 = 1;
const ABORTED: u64 = 2;

static WAIT: OperationKind = OperationKind::new("wait", |view, op| {
    Evaluation::when(view.object().words[0] != 0, Accesses::write(op.object))
})
.waits(|_| Waiting::ToBeWoken);
static YIELD_NOW: OperationKind = OperationKind::new("yield_now", |view, op| {
    let arrived = view.object().words[0] != 0;
    Evaluation::ready(if arrived { Accesses::write(op.object) } else { Accesses::read(op.object) })
})
.yielding();
static WAKE: OperationKind = OperationKind::write("wake");
static ABORT: OperationKind = OperationKind::write("abort");

/// Why a wait is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Arrived {
    Woken,
    Aborted,
}

fn arrived(bits: u64) -> Arrived {
    if bits & ABORTED != 0 { Arrived::Aborted } else { Arrived::Woken }
}

/// The event that one task waits for.
pub(super) struct Signal {
    /// Where the future was passed to an executor.
    place: &'static Location<'static>,
    side: Side,
}

enum Side {
    /// In an execution.
    Explored {
        serial: u64,
        object: ObjectId,
        /// The number of the waiting task.
        owner: AtomicU32,
        /// The owner has woken itself.
        by_owner: AtomicBool,
    },
    /// Between real threads.
    Outside { bits: Mutex<u64>, changed: Condvar },
}

const NO_OWNER: u32 = u32::MAX;

impl Signal {
    /// A signal of the present execution, or of the outside.
    pub fn new(place: &'static Location<'static>) -> Arc<Signal> {
        let side = match context::current() {
            None => Side::Outside { bits: Mutex::new(0), changed: Condvar::new() },
            Some(current) => current.with(|e| Side::Explored {
                serial: e.serial(),
                object: e.new_object(KIND, [0; 2]),
                owner: AtomicU32::new(NO_OWNER),
                by_owner: AtomicBool::new(false),
            }),
        };
        Arc::new(Signal { place, side })
    }

    /// Makes the running task the owner, which will wait.
    pub fn adopt(&self) {
        if let (Side::Explored { owner, .. }, Some(current)) = (&self.side, context::current()) {
            owner.store(current.me().0, Ordering::Relaxed);
        }
    }

    /// Waits until the signal has arrived, and consumes it.
    pub fn wait(&self) -> Arrived {
        match &self.side {
            Side::Outside { bits, changed } => {
                let mut bits = bits.lock().unwrap_or_else(PoisonError::into_inner);
                while *bits == 0 {
                    bits = changed.wait(bits).unwrap_or_else(PoisonError::into_inner);
                }
                arrived(std::mem::take(&mut *bits))
            }
            Side::Explored { object, by_owner, .. } => {
                let current = context::current().expect("the owner waits inside of its execution");
                let kind = if by_owner.swap(false, Ordering::Relaxed) { &YIELD_NOW } else { &WAIT };
                current.perform(Op::new(kind, *object, self.place));
                let bits = current.with(|e| {
                    let bits = std::mem::take(&mut e.words_mut(*object)[0]);
                    e.touch(*object);
                    bits
                });
                let learns = if bits == 0 { Synchronises::None } else { Synchronises::Acquire };
                current.did(Effect::None, learns);
                arrived(bits)
            }
        }
    }

    pub fn wake(&self, place: &'static Location<'static>) {
        self.send(&WAKE, WOKEN, place);
    }

    pub fn abort(&self, place: &'static Location<'static>) {
        self.send(&ABORT, ABORTED, place);
    }

    fn send(&self, kind: &'static OperationKind, bit: u64, place: &'static Location<'static>) {
        match &self.side {
            Side::Outside { bits, changed } => {
                *bits.lock().unwrap_or_else(PoisonError::into_inner) |= bit;
                changed.notify_one();
            }
            Side::Explored { serial, object, owner, by_owner } => {
                // After its execution there is no waiter.
                let Some(current) = context::current().filter(|c| is_in(*c, *serial)) else { return };
                if bit == WOKEN && owner.load(Ordering::Relaxed) == current.me().0 {
                    by_owner.store(true, Ordering::Relaxed);
                    return;
                }
                current.perform(Op::new(kind, *object, place));
                current.with(|e| {
                    e.words_mut(*object)[0] |= bit;
                    e.touch(*object);
                });
                current.did(Effect::None, Synchronises::Release);
            }
        }
    }

    /// A waker that sends this signal.
    pub fn waker(signal: &Arc<Signal>) -> Waker {
        let data = Arc::into_raw(signal.clone()) as *const ();
        // SAFETY: the functions of the table treat the data as the counted reference that it is, and signals
        // may be sent from any thread.
        unsafe { Waker::from_raw(RawWaker::new(data, &VTABLE)) }
    }
}

fn is_in(current: Current, serial: u64) -> bool {
    current.with(|e| e.serial()) == serial
}

/// Wakes, and records `place` if the waker is one of ours: others do not expose it.
pub(super) fn wake_at(waker: Waker, place: &'static Location<'static>) {
    if std::ptr::eq(waker.vtable(), &VTABLE) {
        // SAFETY: wakers with this table point to a signal, which they keep alive.
        unsafe { &*(waker.data() as *const Signal) }.wake(place);
    } else {
        waker.wake();
    }
}

static VTABLE: RawWakerVTable = RawWakerVTable::new(clone, wake, wake_by_ref, drop_waker);

unsafe fn clone(data: *const ()) -> RawWaker {
    // SAFETY: the data is a counted reference to a signal.
    unsafe { Arc::increment_strong_count(data as *const Signal) };
    RawWaker::new(data, &VTABLE)
}

unsafe fn wake(data: *const ()) {
    // SAFETY: as above, and this takes the reference over.
    let signal = unsafe { Arc::from_raw(data as *const Signal) };
    signal.wake(signal.place);
}

unsafe fn wake_by_ref(data: *const ()) {
    // SAFETY: as above.
    let signal = unsafe { &*(data as *const Signal) };
    signal.wake(signal.place);
}

unsafe fn drop_waker(data: *const ()) {
    // SAFETY: as above, and this takes the reference over.
    drop(unsafe { Arc::from_raw(data as *const Signal) });
}
