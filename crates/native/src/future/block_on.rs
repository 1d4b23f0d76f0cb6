//! Runs a future to completion in the calling task.

use super::signal::{Arrived, Signal};
use std::panic::Location;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// Runs a future to completion and returns its result. While the future is pending and was not woken, the
/// calling task is blocked; without a wake-up, that is a deadlock.
///
/// ```
/// # use raddle_native as raddle;
/// assert_eq!(raddle::future::block_on(async { 1 + 1 }), 2);
/// ```
#[track_caller]
pub fn block_on<F: Future>(future: F) -> F::Output {
    let signal = Signal::new(Location::caller());
    run(&signal, future).expect("it has no handle that aborts it")
}

/// Runs a future to completion, or until it is aborted.
pub(super) fn run<F: Future>(signal: &Arc<Signal>, future: F) -> Option<F::Output> {
    signal.adopt();
    let mut future = pin!(future);
    let waker = Signal::waker(signal);
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return Some(output);
        }
        if signal.wait() == Arrived::Aborted {
            return None;
        }
    }
}
