//! Invalid orderings of an operation panic as in std, before the operation.

use std::sync::atomic::Ordering::{self, *};

#[inline]
#[track_caller]
pub(super) fn check_load(order: Ordering) {
    match order {
        Release => panic!("there is no such thing as a release load"),
        AcqRel => panic!("there is no such thing as an acquire-release load"),
        _ => {}
    }
}

#[inline]
#[track_caller]
pub(super) fn check_store(order: Ordering) {
    match order {
        Acquire => panic!("there is no such thing as an acquire store"),
        AcqRel => panic!("there is no such thing as an acquire-release store"),
        _ => {}
    }
}

#[inline]
#[track_caller]
pub(super) fn check_failure(order: Ordering) {
    match order {
        AcqRel => panic!("there is no such thing as an acquire-release failure ordering"),
        Release => panic!("there is no such thing as a release failure ordering"),
        _ => {}
    }
}

#[inline]
#[track_caller]
pub(super) fn check_fence(order: Ordering) {
    if order == Relaxed {
        panic!("there is no such thing as a relaxed fence");
    }
}

/// The ordering with which a failed compare-and-swap reads.
#[inline]
pub(super) fn strongest_failure(order: Ordering) -> Ordering {
    match order {
        Release => Relaxed,
        AcqRel => Acquire,
        other => other,
    }
}
