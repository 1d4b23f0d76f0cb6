//! `raddle::future`: futures as tasks, wake-ups as operations.

use raddle::cell::UnsafeCell;
use raddle::future::{AtomicWaker, JoinHandle, block_on, spawn, yield_now};
use raddle::sync::atomic::{AtomicUsize, Ordering::*};
use raddle::sync::{Arc, Mutex};
use raddle::{Checker, Failure, FailureKind, Report, thread};
use std::fmt::Debug;
use std::future::{Future, pending, poll_fn, ready};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Wake, Waker};

fn dfs<T: Ord + Debug + Send>(f: impl Fn() -> T + Send + Sync) -> Report<T> {
    let report = Checker::dfs().run(f);
    assert!(report.coverage().is_exhaustive() || report.failure().is_some());
    report
}

#[track_caller]
fn outcomes<T: Ord + Debug + Send + Clone>(report: &Report<T>) -> Vec<T> {
    if let Some(failure) = report.failure() {
        panic!("{}: {} {:#?}", failure.kind(), failure.message(), failure.trace());
    }
    report.outcomes().keys().cloned().collect()
}

#[track_caller]
fn fails<T: Ord + Debug + Send>(kind: FailureKind, f: impl Fn() -> T + Send + Sync) -> Failure {
    let failure = dfs(f).failure().expect("it fails").clone();
    assert_eq!(failure.kind(), kind, "{}", failure.message());
    // It was replayed once, with the same result.
    assert_eq!(failure.afterwards, [""; 0]);
    failure
}

fn steps(failure: &Failure) -> Vec<String> {
    let name = |at: usize| failure.trace().actors[at].name.clone();
    failure.trace().steps().map(|l| format!("{} {}", name(l.actor), l.operation())).collect()
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
    /// Registers first, and then looks.
    fn wait(&self) -> impl Future<Output = ()> + '_ {
        poll_fn(|context| {
            self.waker.register(context.waker());
            if self.raised.load(Acquire) == 1 { Poll::Ready(()) } else { Poll::Pending }
        })
    }
    /// Looks first, and then registers: a wake-up in between is lost.
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

#[test]
fn a_future_that_is_ready_takes_no_steps() {
    let report = dfs(|| block_on(async { ready(1).await + async { 1 }.await }));
    assert_eq!(outcomes(&report), [2]);
    // Only main's end.
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
    assert_eq!(failure.defect.notes[0].text, "main waits to be woken by Waker#1");
    assert!(failure.defect.notes[0].place.as_ref().unwrap().file.ends_with("futures.rs"));
    let told = steps(&failure);
    let at = |step: &str| told.iter().position(|s| s == step).unwrap_or_else(|| panic!("{told:?}"));
    assert!(at("main.1 wake AtomicWaker#1") < at("main register AtomicWaker#1"), "{told:?}");
    // The same future is found to be wrong by random schedules as well.
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
    let notes: Vec<&str> = failure.defect.notes.iter().map(|n| &*n.text).collect();
    assert_eq!(notes, ["main waits to be woken by Waker#2", "main.1 waits to be woken by Waker#1"]);
}

#[test]
fn a_spawned_future_is_a_task_whose_handle_is_a_future() {
    let report = dfs(|| block_on(spawn(async { 7 })).unwrap());
    assert_eq!(outcomes(&report), [7]);
    // If the task finishes before main looks at the handle, it ends by itself, and main looks and ends: 1. If main
    // looks first, it waits until the task has finished and woken it; the task ends by itself, and main takes its
    // wake-up, looks again and ends: 1.
    assert_eq!(report.executions(), 1 + 1);
    // Finish, end, look, end; and look, finish, wake, end, wait, look, end.
    assert_eq!(report.steps(), 4 + 7);
    // A whole tree of them.
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
    // A silent panic is one, too.
    let silent = fails(FailureKind::Panic, || {
        let handle = spawn(async { std::panic::resume_unwind(Box::new("silent")) });
        while !handle.is_finished() {
            thread::yield_now();
        }
        thread::yield_now();
    });
    assert_eq!(silent.message(), "main.1 panicked: silent");
}

/// Raises an event when it is dropped.
struct Raises(Arc<Event>);
impl Drop for Raises {
    fn drop(&mut self) {
        self.0.raise();
    }
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
    // A task that does not wait any more comes to its end.
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
fn giving_way_lets_others_go_on() {
    // A loop that waits by giving way neither hangs nor explodes.
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
    // Two yields and main's end.
    assert_eq!((report.executions(), report.steps()), (1, 3));
}

#[test]
fn wake_ups_that_come_while_a_task_yields_are_used_up_by_the_yield() {
    // The future wakes itself once, and from then on relies on others. If a wake-up comes before its second poll,
    // that poll must see what it was for: there will be no third.
    let report = Checker::dfs().keep_going(true).run(|| {
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
    // One that forgets what it was woken for deadlocks if both wake-ups come before its second poll.
    let report = Checker::dfs().keep_going(true).run(|| {
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

/// Both results, when both are there.
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

/// The result that is there first; the other future is dropped.
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

/// Takes a waker away when it is dropped.
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
        // Polled once, then dropped: whoever raises the event may find a waker that nobody waits for.
        let raised = block_on(poll_fn(|context| Poll::Ready(wait.as_mut().poll(context).is_ready())));
        drop(wait);
        t.join().unwrap();
        assert!(event.waker.take().is_none());
        raised
    });
    assert_eq!(outcomes(&report), [false, true]);
    // And by the end of an execution.
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
    // The waker is handed over in a way that raddle does not see, so nothing else orders the accesses.
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
    // That it is finished is no reason to believe that its work is visible.
    fails(FailureKind::DataRace, || {
        let cell = Arc::new(Shared::default());
        let other = cell.clone();
        let handle = spawn(async move { other.write() });
        if handle.is_finished() {
            cell.write();
        }
    });
    // Whoever registers after a wake-up knows what came before that.
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
    assert_eq!(failure.trace().steps().next().unwrap().detail, "nobody");
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
    let wakes: Vec<_> = failure.trace().steps().filter(|l| l.verb == "wake").collect();
    let told: Vec<&str> = wakes.iter().map(|l| l.object.as_deref().unwrap()).collect();
    assert_eq!(told, ["AtomicWaker#1", "Waker#1"]);
    assert!(wakes.iter().all(|l| l.place.as_ref().unwrap().line == line));
    assert!(wakes.iter().all(|l| l.place.as_ref().unwrap().file.ends_with("futures.rs")));
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
    // The execution's waker is not left behind.
    assert!(EVENT.waker.take().is_none());
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
    // Also in another execution, where it wakes nobody.
    fails(FailureKind::Deadlock, || {
        use_it();
        block_on(pending::<()>());
    });
    std::thread::spawn(use_it).join().unwrap();
    KEPT.lock().unwrap().clear();
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
fn a_future_may_be_polled_by_hand() {
    struct Nobody;
    impl Wake for Nobody {
        fn wake(self: Arc<Self>) {}
    }
    let report = dfs(|| {
        let mut handle = spawn(async { 1 });
        let waker = Waker::from(Arc::new(Nobody));
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
    // Each round registers the same waker again, which changes nothing.
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
