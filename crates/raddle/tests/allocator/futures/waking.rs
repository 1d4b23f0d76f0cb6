//! Waiting and waking: which wake-ups arrive, which are lost, and what a poll observes.

use super::{Event, dfs, fails, outcomes, steps};
use raddle::future::{AtomicWaker, JoinHandle, block_on, spawn, yield_now};
use raddle::sync::Arc;
use raddle::sync::atomic::{AtomicUsize, Ordering::*};
use raddle::{Checker, FailureKind, thread};
use std::future::{pending, poll_fn, ready};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Wake, Waker};

#[test]
fn a_future_that_is_ready_takes_no_steps() {
    let report = dfs(|| block_on(async { ready(1).await + async { 1 }.await }));
    assert_eq!(outcomes(&report), [2]);
    // Only main's exit.
    assert_eq!((report.executions(), report.steps()), (1, 1));
}

#[test]
fn a_wake_up_from_another_thread_arrives() {
    let report = dfs(|| {
        let event = Arc::new(Event::default());
        let other = event.clone();
        let t = thread::spawn(move || other.raise());
        block_on(event.wait());
        t.join().unwrap();
    });
    assert_eq!(outcomes(&report), [()]);
}

#[test]
fn a_future_that_looks_before_it_registers_loses_its_wake_up() {
    let failure = fails(FailureKind::Deadlock, || {
        let event = Arc::new(Event::default());
        let other = event.clone();
        let t = thread::spawn(move || other.raise());
        block_on(event.wait_wrongly());
        t.join().unwrap();
    });
    assert_eq!(failure.message(), "nothing can move: main waits for ever");
    assert_eq!(raddle_report::fact(&failure.defect.facts[0]), "main waits to be woken by Waker#1");
    assert!(failure.defect.facts[0].place.as_ref().unwrap().file.ends_with("futures/waking.rs"));
    let told = steps(&failure);
    let at = |step: &str| told.iter().position(|s| s == step).unwrap_or_else(|| panic!("{told:?}"));
    assert!(at("main.1 wake AtomicWaker#1") < at("main register AtomicWaker#1"), "{told:?}");
    // Random schedules find the bug of the same future as well.
    let report = Checker::random(1_000).seed(1).run(|| {
        let event = Arc::new(Event::default());
        let other = event.clone();
        thread::spawn(move || other.raise());
        block_on(event.wait_wrongly());
    });
    assert_eq!(report.failure().unwrap().kind(), FailureKind::Deadlock);
}

#[test]
fn a_future_that_nobody_wakes_is_a_deadlock() {
    let failure = fails(FailureKind::Deadlock, || block_on(pending::<()>()));
    assert_eq!(failure.message(), "nothing can move: main waits for ever");
    let failure = fails(FailureKind::Deadlock, || block_on(spawn(pending::<()>())).unwrap());
    assert_eq!(failure.message(), "nothing can move: main and main.1 wait for ever");
    let notes: Vec<String> = failure.defect.facts.iter().map(raddle_report::fact).collect();
    assert_eq!(notes, ["main waits to be woken by Waker#2", "main.1 waits to be woken by Waker#1"]);
}

#[test]
fn giving_way_lets_others_go_on() {
    // A loop that waits by yielding neither hangs nor explodes.
    let report = dfs(|| {
        let flag = Arc::new(AtomicUsize::new(0));
        let other = flag.clone();
        let task = spawn(async move {
            while other.load(Relaxed) == 0 {
                yield_now().await;
            }
        });
        flag.store(1, Relaxed);
        block_on(task).unwrap();
    });
    assert_eq!(outcomes(&report), [()]);
    let failure = fails(FailureKind::Livelock, || {
        let flag = AtomicUsize::new(0);
        block_on(async {
            while flag.load(Relaxed) == 0 {
                yield_now().await;
            }
        });
    });
    assert!(failure.message().contains("only waiting loops are left"), "{}", failure.message());
}

#[test]
fn a_wake_up_by_the_task_itself_is_no_step() {
    let report = dfs(|| {
        let mut polls = 0;
        block_on(poll_fn(|context| {
            polls += 1;
            context.waker().wake_by_ref();
            let waker = context.waker().clone();
            waker.wake();
            if polls == 3 { Poll::Ready(polls) } else { Poll::Pending }
        }))
    });
    assert_eq!(outcomes(&report), [3]);
    // Two yields and main's exit.
    assert_eq!((report.executions(), report.steps()), (1, 3));
}

#[test]
fn wake_ups_that_come_while_a_task_yields_are_used_up_by_the_yield() {
    // The future wakes itself once, and from then on relies on others. If a wake-up comes before its second
    // poll, that poll must see its cause: there will be no third.
    let report = Checker::dfs().keep_going().run(|| {
        let shared = Arc::new((AtomicUsize::new(0), std::sync::Mutex::new(None::<Waker>)));
        let other = shared.clone();
        let t = thread::spawn(move || {
            other.0.store(1, Release);
            let waker = other.1.lock().unwrap().take();
            if let Some(waker) = waker {
                waker.wake();
            }
        });
        let mut polls = 0;
        block_on(poll_fn(|context| {
            polls += 1;
            if polls == 1 {
                *shared.1.lock().unwrap() = Some(context.waker().clone());
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            if shared.0.load(Acquire) == 1 { Poll::Ready(()) } else { Poll::Pending }
        }));
        t.join().unwrap();
        polls
    });
    assert_eq!(report.failures(), 0, "{:?}", report.failure());
    assert_eq!(report.outcomes().keys().copied().collect::<Vec<_>>(), [2, 3]);
    // A future that ignores its wake-ups deadlocks if both come before its second poll.
    let report = Checker::dfs().keep_going().run(|| {
        let waker = Arc::new(std::sync::Mutex::new(None::<Waker>));
        let other = waker.clone();
        let _t = thread::spawn(move || {
            thread::yield_now();
            let waker = other.lock().unwrap().take();
            waker.unwrap().wake();
        });
        let mut polls = 0;
        block_on(poll_fn(|context| {
            polls += 1;
            if polls == 1 {
                *waker.lock().unwrap() = Some(context.waker().clone());
                context.waker().wake_by_ref();
            }
            if polls == 3 { Poll::Ready(()) } else { Poll::Pending }
        }));
    });
    assert!(report.failures() > 0 && !report.outcomes().is_empty());
    assert_eq!(report.failure().unwrap().kind(), FailureKind::Deadlock);
}

#[test]
fn an_atomic_waker_keeps_the_last_waker_only() {
    struct Counter(std::sync::atomic::AtomicUsize);
    impl Wake for Counter {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Relaxed);
        }
    }
    let use_it = || {
        let (one, two) = (Arc::new(Counter(0.into())), Arc::new(Counter(0.into())));
        let place = AtomicWaker::default();
        assert_eq!(format!("{place:?}"), "AtomicWaker");
        place.wake();
        assert!(place.take().is_none());
        place.register(&one.clone().into());
        place.register(&two.clone().into());
        place.wake();
        place.wake();
        place.register(&one.clone().into());
        let taken = place.take().unwrap();
        place.wake();
        assert!(taken.will_wake(&taken.clone()));
        let counts = (one.0.load(Relaxed), two.0.load(Relaxed));
        taken.wake();
        (counts, one.0.load(Relaxed))
    };
    assert_eq!(outcomes(&dfs(use_it)), [((0, 1), 1)]);
    assert_eq!(use_it(), ((0, 1), 1));
    fn is_send_and_sync<T: Send + Sync + Unpin>() {}
    is_send_and_sync::<AtomicWaker>();
    is_send_and_sync::<JoinHandle<u32>>();
    is_send_and_sync::<raddle::future::JoinError>();
}

#[test]
fn an_atomic_waker_has_a_label() {
    let failure = fails(FailureKind::Panic, || {
        let event = Event::new();
        raddle::label(&event.waker, "ready");
        event.waker.wake();
        panic!("stop");
    });
    assert_eq!(steps(&failure), ["main wake AtomicWaker#1 \"ready\""]);
    assert_eq!(failure.trace().steps().next().unwrap().result, "no waker");
}

#[test]
fn wake_ups_are_told_with_their_place() {
    let failure = fails(FailureKind::Panic, || {
        let event = Arc::new(Event::default());
        let other = event.clone();
        let t = thread::spawn(move || other.raise());
        let line = line!() - 1;
        block_on(event.wait());
        t.join().unwrap();
        panic!("{line}");
    });
    let line: u32 = failure.message().rsplit(' ').next().unwrap().parse().unwrap();
    // In this first execution main waits before the other raises the event.
    let wakes: Vec<_> = failure.trace().steps().filter(|l| l.operation == "wake").collect();
    let told: Vec<&str> = wakes.iter().map(|l| l.object.as_deref().unwrap()).collect();
    assert_eq!(told, ["AtomicWaker#1", "Waker#1"]);
    assert!(wakes.iter().all(|l| l.place.as_ref().unwrap().line == line));
    assert!(wakes.iter().all(|l| l.place.as_ref().unwrap().file.ends_with("futures/waking.rs")));
}

#[test]
fn a_future_may_be_polled_by_hand() {
    struct WakesNothing;
    impl Wake for WakesNothing {
        fn wake(self: Arc<Self>) {}
    }
    let report = dfs(|| {
        let mut handle = spawn(async { 1 });
        let waker = Waker::from(Arc::new(WakesNothing));
        let mut context = Context::from_waker(&waker);
        let mut polls = 0;
        while Pin::new(&mut handle).poll(&mut context).is_pending() {
            polls += 1;
            thread::yield_now();
        }
        polls > 0
    });
    assert_eq!(outcomes(&report), [false, true]);
}

#[test]
fn a_loop_that_polls_without_waiting_is_a_loop_that_waits() {
    // Each iteration registers the same waker again, which changes nothing.
    let program = |raise: bool| {
        move || {
            let event = Arc::new(Event::default());
            let other = event.clone();
            let t = thread::spawn(move || {
                if raise {
                    other.raise();
                }
            });
            block_on(async {
                let mut wait = pin!(event.wait());
                while poll_fn(|context| Poll::Ready(wait.as_mut().poll(context).is_pending())).await {
                    yield_now().await;
                }
            });
            t.join().unwrap();
        }
    };
    outcomes(&dfs(program(true)));
    fails(FailureKind::Livelock, program(false));
}
