//! What futures synchronise: wake-ups, spawn, completion, registration.

use super::{dfs, fails, outcomes};
use raddle::cell::UnsafeCell;
use raddle::future::{AtomicWaker, block_on, spawn};
use raddle::sync::Arc;
use raddle::sync::atomic::{AtomicUsize, Ordering::*};
use raddle::{FailureKind, thread};
use std::future::poll_fn;
use std::task::{Poll, Waker};

/// A cell that the test promises to synchronise, or not.
#[derive(Default)]
struct Shared(UnsafeCell<u32>);
// SAFETY: the execution stops before two accesses race.
unsafe impl Sync for Shared {}
impl Shared {
    fn write(&self) {
        // SAFETY: see above.
        self.0.with_mut(|p| unsafe { *p += 1 });
    }
}

#[test]
fn waking_synchronises_with_whoever_is_woken() {
    // The waker is handed over outside of raddle's control, so nothing else orders the accesses.
    let program = |write_after: bool| {
        move || {
            let shared =
                Arc::new((Shared::default(), std::sync::Mutex::new(None::<Waker>), AtomicUsize::new(0)));
            let other = shared.clone();
            let t = thread::spawn(move || {
                while other.2.load(Relaxed) == 0 {
                    thread::yield_now();
                }
                let waker = other.1.lock().unwrap().take().unwrap();
                if !write_after {
                    other.0.write();
                }
                waker.wake();
                if write_after {
                    other.0.write();
                }
            });
            let mut polls = 0;
            block_on(poll_fn(|context| {
                polls += 1;
                if polls == 1 {
                    *shared.1.lock().unwrap() = Some(context.waker().clone());
                    shared.2.store(1, Relaxed);
                    return Poll::Pending;
                }
                shared.0.write();
                Poll::Ready(())
            }));
            t.join().unwrap();
        }
    };
    outcomes(&dfs(program(false)));
    fails(FailureKind::DataRace, program(true));
}

#[test]
fn spawning_finishing_and_registering_synchronise() {
    let report = dfs(|| {
        let cell = Arc::new(Shared::default());
        cell.write();
        let other = cell.clone();
        let handle = spawn(async move { other.write() });
        block_on(handle).unwrap();
        cell.write();
    });
    outcomes(&report);
    // That it is finished does not make its writes visible.
    fails(FailureKind::DataRace, || {
        let cell = Arc::new(Shared::default());
        let other = cell.clone();
        let handle = spawn(async move { other.write() });
        if handle.is_finished() {
            cell.write();
        }
    });
    // A registration after a wake-up acquires what came before the wake-up.
    let report = dfs(|| {
        let shared = Arc::new((Shared::default(), AtomicWaker::new(), AtomicUsize::new(0)));
        let other = shared.clone();
        thread::spawn(move || {
            other.0.write();
            other.2.store(1, Relaxed);
            other.1.wake();
            other.2.store(2, Relaxed);
        });
        block_on(poll_fn(|context| {
            if shared.2.load(Relaxed) == 2 {
                shared.1.register(context.waker());
                shared.0.write();
            }
            Poll::Ready(())
        }));
    });
    outcomes(&report);
}
