//! Several futures in one task, futures that are dropped while they wait, and locks among them.

use super::{Event, Raises, dfs, fails, outcomes};
use raddle::future::{block_on, spawn, yield_now};
use raddle::sync::atomic::Ordering::*;
use raddle::sync::{Arc, Mutex};
use raddle::{Checker, FailureKind, thread};
use std::future::{Future, pending, poll_fn};
use std::pin::pin;
use std::task::Poll;

/// Both results, when both are ready.
async fn join<A: Future, B: Future>(a: A, b: B) -> (A::Output, B::Output) {
    let (mut a, mut b) = (pin!(a), pin!(b));
    let (mut one, mut two) = (None, None);
    poll_fn(move |context| {
        if one.is_none()
            && let Poll::Ready(value) = a.as_mut().poll(context)
        {
            one = Some(value);
        }
        if two.is_none()
            && let Poll::Ready(value) = b.as_mut().poll(context)
        {
            two = Some(value);
        }
        if one.is_some() && two.is_some() {
            return Poll::Ready((one.take().unwrap(), two.take().unwrap()));
        }
        Poll::Pending
    })
    .await
}

/// The first result; the other future is dropped.
async fn select<T>(a: impl Future<Output = T>, b: impl Future<Output = T>) -> T {
    let (mut a, mut b) = (pin!(a), pin!(b));
    poll_fn(move |context| match a.as_mut().poll(context) {
        Poll::Ready(value) => Poll::Ready(value),
        Poll::Pending => b.as_mut().poll(context),
    })
    .await
}

#[test]
fn two_futures_can_be_joined_in_one_task() {
    let report = dfs(|| {
        let events = [Arc::new(Event::default()), Arc::new(Event::default())];
        let other = events.clone();
        drop(spawn(async move {
            other[1].raise();
            other[0].raise();
        }));
        block_on(join(events[0].wait(), events[1].wait()));
    });
    assert_eq!(outcomes(&report), [()]);
}

#[test]
fn of_two_futures_either_may_win_and_the_loser_is_dropped() {
    let report = dfs(|| {
        let events = [Arc::new(Event::default()), Arc::new(Event::default())];
        let other = events.clone();
        let t = thread::spawn(move || {
            other[1].raise();
            other[0].raise();
        });
        let dropped = Arc::new(Event::default());
        let after = |n: usize, event: Arc<Event>| {
            let raises = Raises(dropped.clone());
            async move {
                let _raises = raises;
                event.wait().await;
                n
            }
        };
        let winner = block_on(select(after(0, events[0].clone()), after(1, events[1].clone())));
        assert_eq!(dropped.raised.load(Relaxed), 1);
        t.join().unwrap();
        winner
    });
    assert_eq!(outcomes(&report), [0, 1]);
}

/// Removes a waker when it is dropped.
struct Deregisters<'a>(&'a Event);
impl Drop for Deregisters<'_> {
    fn drop(&mut self) {
        self.0.waker.take();
    }
}

#[test]
fn a_future_may_be_dropped_while_it_waits() {
    let report = dfs(|| {
        let event = Arc::new(Event::default());
        let other = event.clone();
        let t = thread::spawn(move || other.raise());
        let mut wait = Box::pin(async {
            let _deregisters = Deregisters(&event);
            event.wait().await;
        });
        // Polled once, then dropped: a task that raises the event may find a waker without a future.
        let raised = block_on(poll_fn(|context| Poll::Ready(wait.as_mut().poll(context).is_ready())));
        drop(wait);
        t.join().unwrap();
        assert!(event.waker.take().is_none());
        raised
    });
    assert_eq!(outcomes(&report), [false, true]);
    // And at the end of an execution.
    let dropped = Arc::new(std::sync::Mutex::new(0));
    struct Counts(Arc<std::sync::Mutex<u32>>);
    impl Drop for Counts {
        fn drop(&mut self) {
            *self.0.lock().unwrap() += 1;
        }
    }
    let count = dropped.clone();
    fails(FailureKind::Deadlock, move || {
        *count.lock().unwrap() = 0;
        let counts = Counts(count.clone());
        let other = Counts(count.clone());
        let handle = spawn(async move {
            let _other = other;
            pending::<()>().await;
        });
        block_on(async move {
            let _counts = counts;
            handle.await.unwrap();
        });
    });
    assert_eq!(*dropped.lock().unwrap(), 2);
}

#[test]
fn futures_may_block_on_futures() {
    let report = dfs(|| {
        block_on(async {
            let one = spawn(async { 1 });
            let two = block_on(spawn(async { 2 })).unwrap();
            one.await.unwrap() + two
        })
    });
    assert_eq!(outcomes(&report), [3]);
}

#[test]
fn locks_and_futures_mix() {
    // Two preemptions suffice to lose either update.
    let report = Checker::dfs().preemptions(2).run(|| {
        let total = Arc::new(Mutex::new(0));
        let add = |n: u32| {
            let total = total.clone();
            spawn(async move {
                let before = *total.lock().unwrap();
                yield_now().await;
                *total.lock().unwrap() = before + n;
            })
        };
        let (one, two) = (add(1), add(2));
        block_on(async {
            one.await.unwrap();
            two.await.unwrap();
        });
        *total.lock().unwrap()
    });
    assert_eq!(outcomes(&report), [1, 2, 3]);
}
