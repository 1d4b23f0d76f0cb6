//! Outside of executions: statics, wakers and handles that outlive them, futures without one.

use super::{Event, dfs, fails, outcomes};
use raddle::future::{block_on, spawn, yield_now};
use raddle::sync::Arc;
use raddle::sync::atomic::Ordering::*;
use raddle::{Checker, FailureKind};
use std::future::{pending, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Poll, Waker};

#[test]
fn outside_of_an_exploration_futures_run_for_real() {
    assert_eq!(block_on(async { 1 + 1 }), 2);
    let event = Arc::new(Event::default());
    let other = event.clone();
    let waits = spawn(async move { other.wait().await });
    assert!(!waits.is_finished());
    std::thread::sleep(std::time::Duration::from_millis(5));
    event.raise();
    block_on(waits).unwrap();
    let yields = spawn(async {
        for _ in 0..10 {
            yield_now().await;
        }
        7
    });
    assert_eq!(block_on(yields).unwrap(), 7);
    let aborted = spawn(pending::<()>());
    aborted.abort();
    assert!(block_on(aborted).unwrap_err().is_cancelled());
    let panics = spawn(async { std::panic::resume_unwind(Box::new("boom")) });
    assert_eq!(*block_on(panics).unwrap_err().into_panic().downcast::<&str>().unwrap(), "boom");
    let mut twice = spawn(async { 1 });
    block_on(&mut twice).unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| block_on(&mut twice))).is_err());
    assert_eq!(format!("{twice:?}"), "JoinHandle { .. }");
    assert_eq!(format!("{:?}", yield_now()), "YieldNow { yielded: false }");
    let many: Vec<_> = (0..8).map(|n| spawn(async move { n })).collect();
    let sum = block_on(async {
        let mut sum = 0;
        for handle in many {
            sum += handle.await.unwrap();
        }
        sum
    });
    assert_eq!(sum, 28);
}

#[test]
fn a_waker_may_outlive_its_execution() {
    static KEPT: std::sync::Mutex<Vec<Waker>> = std::sync::Mutex::new(Vec::new());
    let keep = || {
        block_on(poll_fn(|context| {
            KEPT.lock().unwrap().push(context.waker().clone());
            Poll::Ready(())
        }));
    };
    outcomes(&dfs(keep));
    let use_it = || {
        let waker = KEPT.lock().unwrap()[0].clone();
        waker.wake_by_ref();
        waker.wake();
    };
    use_it();
    // Also in another execution, where it wakes no task.
    fails(FailureKind::Deadlock, || {
        use_it();
        block_on(pending::<()>());
    });
    std::thread::spawn(use_it).join().unwrap();
    KEPT.lock().unwrap().clear();
}

#[test]
fn statics_start_clean_in_every_execution() {
    static EVENT: Event = Event::new();
    for workers in [1, 2] {
        let report = Checker::dfs().workers(workers).run(|| {
            assert_eq!(EVENT.raised.load(Relaxed), 0);
            drop(spawn(async { EVENT.raise() }));
            block_on(EVENT.wait());
            EVENT.raised.load(Relaxed)
        });
        assert_eq!(outcomes(&report), [1]);
    }
    // The waker of the execution is gone.
    assert!(EVENT.waker.take().is_none());
}

#[test]
fn a_handle_of_the_world_outside_is_refused() {
    let handle = std::sync::Mutex::new(Some(spawn(async { 1 })));
    // Used outside, so that it belongs there.
    handle.lock().unwrap().as_ref().unwrap().is_finished();
    let failure = Checker::dfs()
        .run(|| {
            let handle = handle.lock().unwrap().take();
            block_on(handle.unwrap()).unwrap()
        })
        .failure()
        .unwrap()
        .clone();
    assert_eq!(failure.kind(), FailureKind::Misuse);
    assert!(failure.message().contains("JoinHandle that was used outside"), "{}", failure.message());
}
