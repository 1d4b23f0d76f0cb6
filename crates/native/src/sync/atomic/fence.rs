//! Fences. They access no object, so they conflict with nothing; they decide which operations synchronise.

use super::ordering::check_fence;
use crate::runtime::context;
use crate::runtime::log::{Effect, Sync as Synchronises};
use crate::runtime::operation::{Op, OperationKind};
use std::panic::Location;
use std::sync::atomic::{self as real, Ordering};

static FENCE: OperationKind = OperationKind::local("fence");

/// See [`std::sync::atomic::fence`].
#[inline]
#[track_caller]
pub fn fence(order: Ordering) {
    check_fence(order);
    match context::current() {
        None => real::fence(order),
        Some(current) => {
            let place = Location::caller();
            let order = current.with(|e| e.fence_order(order, place));
            current.with(|e| e.announce_fence(order));
            current.perform(Op::plain(&FENCE, place));
            current.with(|e| e.end_fence());
            current.did(Effect::None, Synchronises::Fence(order));
        }
    }
}

/// See [`std::sync::atomic::compiler_fence`]. Other tasks cannot observe it, so it is no step.
#[inline]
#[track_caller]
pub fn compiler_fence(order: Ordering) {
    check_fence(order);
    real::compiler_fence(order);
}

/// See [`std::sync::atomic::spin_loop_hint`].
#[inline]
#[track_caller]
#[deprecated(since = "1.51.0", note = "use hint::spin_loop instead")]
pub fn spin_loop_hint() {
    crate::hint::spin_loop();
}
