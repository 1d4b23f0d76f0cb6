//! Spawned futures and their handles: results, panics, aborted tasks.

use super::{Event, Raises, dfs, fails, outcomes};
use raddle::future::{block_on, spawn, yield_now};
use raddle::sync::Arc;
use raddle::sync::atomic::{AtomicUsize, Ordering::*};
use raddle::{FailureKind, thread};
use std::future::pending;

#[test]
fn a_spawned_future_is_a_task_whose_handle_is_a_future() {
    let report = dfs(|| block_on(spawn(async { 7 })).unwrap());
    assert_eq!(outcomes(&report), [7]);
    // If the task finishes before main polls the handle, it exits, and main polls and exits: 1. If main polls
    // first, it waits until the task has finished and woken it; the task exits, and main takes its wake-up,
    // polls again and exits: 1.
    assert_eq!(report.executions(), 1 + 1);
    // Finish, exit, poll, exit; and poll, finish, wake, exit, wait, poll, exit.
    assert_eq!(report.steps(), 4 + 7);
    // A whole tree of tasks.
    let report = dfs(|| {
        block_on(async {
            let one = spawn(async { spawn(async { 1 }).await.unwrap() + 1 });
            one.await.unwrap() + 1
        })
    });
    assert_eq!(outcomes(&report), [3]);
}

#[test]
fn a_task_goes_on_without_its_handle() {
    let report = dfs(|| {
        let done = Arc::new(AtomicUsize::new(0));
        let other = done.clone();
        drop(spawn(async move { other.store(1, Relaxed) }));
        done.load(Relaxed)
    });
    assert_eq!(outcomes(&report), [0, 1]);
}

#[test]
fn is_finished_tells_whether_the_result_is_there() {
    let report = dfs(|| {
        let handle = spawn(async { 7 });
        let finished = handle.is_finished();
        assert_eq!(block_on(handle).unwrap(), 7);
        finished
    });
    assert_eq!(outcomes(&report), [false, true]);
}

#[test]
fn a_panic_goes_to_whoever_awaits_the_handle() {
    let report = dfs(|| {
        let error = block_on(spawn(async { panic!("boom") })).unwrap_err();
        assert!(error.is_panic() && !error.is_cancelled());
        assert_eq!(format!("{error:?}; {error}"), "JoinError::Panic(\"boom\"); task panicked: boom");
        let as_error: &dyn std::error::Error = &error;
        assert!(as_error.source().is_none());
        *error.into_panic().downcast::<&str>().unwrap()
    });
    assert_eq!(outcomes(&report), ["boom"]);
    let report = dfs(|| {
        let silent = spawn(async { std::panic::resume_unwind(Box::new("silent".to_owned())) });
        block_on(silent).unwrap_err().try_into_panic().unwrap().downcast::<String>().unwrap()
    });
    assert_eq!(outcomes(&report), [Box::new("silent".to_owned())]);
}

#[test]
fn a_panic_that_nobody_awaits_fails() {
    let dropped = fails(FailureKind::Panic, || {
        drop(spawn(async { panic!("boom") }));
        thread::yield_now();
        thread::yield_now();
        thread::yield_now();
    });
    assert_eq!(dropped.message(), "main.1 panicked: boom");
    let forgotten = fails(FailureKind::Panic, || {
        let handle = spawn(async { panic!("boom") });
        while !handle.is_finished() {
            thread::yield_now();
        }
        thread::yield_now();
        std::mem::forget(handle);
    });
    assert_eq!(forgotten.message(), "main.1 panicked: boom");
    let unwrapped = fails(FailureKind::Panic, || block_on(spawn(async { panic!("boom") })).unwrap());
    assert_eq!(unwrapped.message(), "main.1 panicked: boom");
    let in_main = fails(FailureKind::Panic, || block_on(async { panic!("boom") }));
    assert_eq!(in_main.message(), "main panicked: boom");
    // A silent panic counts, too.
    let silent = fails(FailureKind::Panic, || {
        let handle = spawn(async { std::panic::resume_unwind(Box::new("silent")) });
        while !handle.is_finished() {
            thread::yield_now();
        }
        thread::yield_now();
    });
    assert_eq!(silent.message(), "main.1 panicked: silent");
}

#[test]
fn an_aborted_task_drops_its_future_where_it_waits() {
    let report = dfs(|| {
        let dropped = Arc::new(Event::default());
        let raises = Raises(dropped.clone());
        let handle = spawn(async move {
            let _raises = raises;
            pending::<()>().await;
        });
        handle.abort();
        let error = block_on(handle).unwrap_err();
        assert!(error.is_cancelled() && !error.is_panic());
        assert_eq!(format!("{error:?}; {error}"), "JoinError::Cancelled; task was cancelled");
        assert!(error.try_into_panic().is_err());
        // Its future was dropped before it finished.
        dropped.raised.load(Relaxed)
    });
    assert_eq!(outcomes(&report), [1]);
    // A task that does not wait any more finishes.
    let report = dfs(|| {
        let handle = spawn(async {
            yield_now().await;
            7
        });
        handle.abort();
        block_on(handle).ok()
    });
    assert_eq!(outcomes(&report), [None, Some(7)]);
    let failure = fails(FailureKind::Panic, || {
        let handle = spawn(pending::<()>());
        handle.abort();
        block_on(handle).unwrap_err().into_panic();
    });
    assert_eq!(failure.message(), "main panicked: `JoinError` reason is not a panic.");
}

#[test]
fn a_handle_has_one_result() {
    let failure = fails(FailureKind::Panic, || {
        let mut handle = spawn(async { 1 });
        block_on(async {
            (&mut handle).await.unwrap();
            (&mut handle).await.unwrap();
        });
    });
    assert_eq!(failure.message(), "main panicked: JoinHandle polled after completion");
}
