//! Happens-before between threads: spawn, join, scopes and parking order accesses; `is_finished`, a timeout,
//! and the destructors of thread-locals do not.

use raddle::cell::UnsafeCell;
use raddle::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use raddle::thread::{self, Thread};
use raddle::{Checker, FailureKind, Time, thread_local};
use std::cell::OnceCell;
use std::sync::Arc;
use std::time::Duration;

#[derive(Default)]
struct Shared(UnsafeCell<u32>);
// SAFETY: the execution stops before two accesses race.
unsafe impl Sync for Shared {}

impl Shared {
    #[track_caller]
    fn read(&self) -> u32 {
        // SAFETY: see above.
        self.0.with(|p| unsafe { *p })
    }
    #[track_caller]
    fn write(&self, value: u32) {
        // SAFETY: see above.
        self.0.with_mut(|p| unsafe { *p = value });
    }
}

#[track_caller]
fn orders(program: impl Fn() + Send + Sync) {
    let report = Checker::dfs().run(program);
    assert!(report.failure().is_none(), "{:?}", report.failure().map(|f| &f.defect));
}

#[track_caller]
fn races(checker: Checker, program: impl Fn() + Send + Sync) {
    let report = checker.run(program);
    let failure = report.failure().expect("it fails");
    assert_eq!(failure.kind(), FailureKind::DataRace, "{}", failure.message());
}

#[test]
fn a_scope_knows_what_its_threads_did() {
    orders(|| {
        let cells = [Shared::default(), Shared::default()];
        cells[0].write(1);
        thread::scope(|s| {
            let [first, second] = &cells;
            s.spawn(|| first.write(first.read() + 1));
            s.spawn(|| {
                s.spawn(|| second.write(2));
            });
        });
        assert_eq!([cells[0].read(), cells[1].read()], [2, 2]);
        cells[0].write(3);
    });
    races(Checker::dfs(), || {
        let cell = Shared::default();
        thread::scope(|s| {
            s.spawn(|| cell.write(1));
            s.spawn(|| cell.write(2));
        });
    });
    races(Checker::dfs(), || {
        let cell = Shared::default();
        thread::scope(|s| {
            s.spawn(|| cell.write(1));
            cell.read();
        });
    });
}

#[test]
fn a_thread_that_was_joined_inside_of_a_scope_is_known_there() {
    orders(|| {
        let cell = Shared::default();
        thread::scope(|s| {
            s.spawn(|| cell.write(1)).join().unwrap();
            assert_eq!(cell.read(), 1);
        });
    });
}

#[test]
fn looking_whether_a_thread_is_finished_tells_nothing_of_what_it_did() {
    races(Checker::dfs(), || {
        let cell = Shared::default();
        thread::scope(|s| {
            let handle = s.spawn(|| cell.write(1));
            if handle.is_finished() {
                cell.read();
            }
        });
    });
}

#[test]
fn unpark_is_known_after_park() {
    orders(|| {
        let cell = Arc::new(Shared::default());
        let handle = thread::spawn({
            let cell = cell.clone();
            move || {
                thread::park();
                cell.write(cell.read() + 1);
            }
        });
        cell.write(1);
        handle.thread().unpark();
        handle.join().unwrap();
        assert_eq!(cell.read(), 2);
    });
}

/// Two threads write a cell each and unpark main, which reads both after it was parked `parks` times.
fn unparked_by_two(parks: usize) {
    let cells = Arc::new([Shared::default(), Shared::default()]);
    let main: Thread = thread::current();
    let handles = [0, 1].map(|n| {
        let (cells, main) = (cells.clone(), main.clone());
        thread::spawn(move || {
            cells[n].write(1);
            main.unpark();
        })
    });
    for _ in 0..parks {
        thread::park();
    }
    cells.iter().for_each(|cell| {
        cell.read();
    });
    handles.into_iter().for_each(|h| h.join().unwrap());
}

#[test]
fn all_unparks_before_a_park_are_known_and_none_after_it() {
    // Both unparks may come before the one park, but need not.
    races(Checker::dfs(), || unparked_by_two(1));
    // With two parks, both are acquired; but both tokens may be one.
    let report = Checker::dfs().keep_going().run(|| unparked_by_two(2));
    let kind = report.failure().expect("the second park may wait for ever").kind();
    assert_eq!(kind, FailureKind::Deadlock);
    assert!(report.failures() < report.executions());
}

#[test]
fn a_park_that_times_out_learns_nothing() {
    races(Checker::dfs().time(Time::Any), || {
        let cell = Arc::new(Shared::default());
        let handle = thread::spawn({
            let cell = cell.clone();
            move || {
                thread::park_timeout(Duration::from_secs(1));
                cell.read();
            }
        });
        cell.write(1);
        handle.thread().unpark();
        handle.join().unwrap();
    });
}

#[test]
fn sleeping_long_enough_orders_nothing() {
    races(Checker::dfs(), || {
        let cell = Arc::new(Shared::default());
        let handle = thread::spawn({
            let cell = cell.clone();
            move || cell.write(1)
        });
        thread::sleep(Duration::from_secs(1));
        cell.read();
        handle.join().unwrap();
    });
}

/// Writes a cell when it is destroyed, after an operation that lets other tasks read before.
struct Writes(Arc<Shared>, Arc<AtomicUsize>);
impl Drop for Writes {
    fn drop(&mut self) {
        self.0.write(1);
        self.1.store(1, Relaxed);
    }
}
thread_local!(static WRITES: OnceCell<Writes> = const { OnceCell::new() });

#[test]
fn destructors_of_thread_locals_are_known_to_those_who_join_but_not_to_the_scope() {
    let program = |join: bool| {
        move || {
            let (cell, flag) = <(Arc<Shared>, Arc<AtomicUsize>)>::default();
            thread::scope(|s| {
                let handle = s.spawn(|| {
                    WRITES.with(|w| assert!(w.set(Writes(cell.clone(), flag.clone())).is_ok()));
                });
                if join {
                    handle.join().unwrap();
                }
            });
            if flag.load(Relaxed) == 1 {
                cell.read();
            }
        }
    };
    orders(program(true));
    races(Checker::dfs(), program(false));
}
