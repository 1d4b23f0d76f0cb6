//! `raddle::future`: futures as tasks, wake-ups as operations.

mod handles;
mod outside;
mod synchronises;
mod together;
mod waking;

use crate::common::{dfs, fails};
use raddle::future::AtomicWaker;
use raddle::sync::Arc;
use raddle::sync::atomic::{AtomicUsize, Ordering::*};
use raddle::{Failure, Report};
use std::fmt::Debug;
use std::future::{Future, poll_fn};
use std::task::Poll;

#[track_caller]
fn outcomes<T: Ord + Debug + Send + Clone>(report: &Report<T>) -> Vec<T> {
    if let Some(failure) = report.failure() {
        panic!("{}: {} {:#?}", failure.kind(), failure.message(), failure.trace());
    }
    report.outcomes().keys().cloned().collect()
}

fn steps(failure: &Failure) -> Vec<String> {
    let name = |at: usize| failure.trace().tasks[at].name.clone();
    failure.trace().steps().map(|l| format!("{} {}", name(l.task), l.expected_operation())).collect()
}

/// A flag that can be awaited.
#[derive(Default)]
struct Event {
    raised: AtomicUsize,
    waker: AtomicWaker,
}

impl Event {
    const fn new() -> Event {
        Event { raised: AtomicUsize::new(0), waker: AtomicWaker::new() }
    }
    #[track_caller]
    fn raise(&self) {
        self.raised.store(1, Release);
        self.waker.wake();
    }
    /// Registers first, and then checks.
    fn wait(&self) -> impl Future<Output = ()> + '_ {
        poll_fn(|context| {
            self.waker.register(context.waker());
            if self.raised.load(Acquire) == 1 { Poll::Ready(()) } else { Poll::Pending }
        })
    }
    /// Checks first, and then registers: a wake-up in between is lost.
    fn wait_wrongly(&self) -> impl Future<Output = ()> + '_ {
        poll_fn(|context| {
            if self.raised.load(Acquire) == 1 {
                return Poll::Ready(());
            }
            self.waker.register(context.waker());
            Poll::Pending
        })
    }
}

/// Raises an event when it is dropped.
struct Raises(Arc<Event>);
impl Drop for Raises {
    fn drop(&mut self) {
        self.0.raise();
    }
}
