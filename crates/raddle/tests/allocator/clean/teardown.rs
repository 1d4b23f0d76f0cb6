//! The tasks of a failed execution are unwound, and nothing in the program can prevent that: neither catching
//! the unwind, nor panicking, nor waiting.

use super::failure;
use raddle::fact::TeardownError;
use raddle::sync::atomic::{AtomicUsize, Ordering::*};
use raddle::sync::{Arc, Condvar, Mutex, mpsc};
use raddle::{Checker, FailureKind, Simplify, thread};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex as StdMutex;
use std::sync::atomic::AtomicUsize as StdAtomicUsize;

/// Records when it is destroyed.
struct Says<'a>(&'a StdMutex<Vec<&'static str>>, &'static str);
impl Drop for Says<'_> {
    fn drop(&mut self) {
        self.0.lock().unwrap().push(self.1);
    }
}

#[test]
fn catching_everything_does_not_help() {
    static ROUNDS: StdAtomicUsize = StdAtomicUsize::new(0);
    let failed = failure(|| {
        let (_sender, receiver) = mpsc::channel::<()>();
        loop {
            ROUNDS.fetch_add(1, SeqCst);
            let _ = catch_unwind(AssertUnwindSafe(|| receiver.recv()));
        }
    });
    assert_eq!(failed.kind(), FailureKind::Deadlock);
    assert!(failed.afterwards.is_empty());
    // It may be caught for a while, but not for ever.
    assert!(ROUNDS.load(SeqCst) < 1_000);
}

#[test]
fn catching_everything_in_a_task_does_not_help() {
    let failed = failure(|| {
        let lock = Arc::new(Mutex::new(()));
        let its = lock.clone();
        thread::spawn(move || {
            loop {
                let _ = catch_unwind(AssertUnwindSafe(|| {
                    let condvar = Condvar::new();
                    drop(condvar.wait(its.lock().unwrap()));
                }));
            }
        });
        let (_sender, receiver) = mpsc::channel::<()>();
        let _ = receiver.recv();
    });
    assert_eq!(failed.kind(), FailureKind::Deadlock);
    assert!(failed.afterwards.is_empty());
}

/// A pool that takes teardown for panics of its workers, and restarts them.
#[test]
fn a_supervisor_that_starts_anew_does_not_help() {
    fn supervise(work: &dyn Fn(), depth: usize) {
        while catch_unwind(AssertUnwindSafe(work)).is_err() {
            if depth < 3 {
                supervise(work, depth + 1);
            }
        }
    }
    let failed = failure(|| {
        let (_sender, receiver) = mpsc::channel::<()>();
        supervise(&|| receiver.recv().unwrap(), 0);
    });
    assert_eq!(failed.kind(), FailureKind::Deadlock);
}

#[test]
fn a_loop_without_operations_that_catches_comes_to_its_end() {
    // After the unwind was caught there is no further operation at which it could be resumed.
    let ended = StdAtomicUsize::new(0);
    let failed = failure(|| {
        let (_sender, receiver) = mpsc::channel::<()>();
        assert!(catch_unwind(AssertUnwindSafe(|| receiver.recv())).is_err());
        ended.fetch_add(1, SeqCst);
    });
    assert_eq!(failed.kind(), FailureKind::Deadlock);
    // Once in the search, once in the replay that checks the ticket.
    assert_eq!(ended.load(SeqCst), 2);
}

#[test]
fn everything_is_destroyed_children_before_parents() {
    static SAID: StdMutex<Vec<&'static str>> = StdMutex::new(Vec::new());
    let said = &SAID;
    let report = Checker::dfs().simplify(Simplify::No).run(|| {
        let _main = Says(said, "main");
        let lock = Arc::new(Mutex::new(Says(said, "value")));
        let _guard = lock.lock().unwrap();
        let its = lock.clone();
        let _child = thread::spawn(move || {
            let _child = Says(said, "main.1");
            let its_own = its.clone();
            let _grandchild = thread::spawn(move || {
                let _grandchild = Says(said, "main.1.1");
                drop(its_own.lock());
            });
            drop(its.lock());
        });
        drop(lock.lock());
    });
    assert_eq!(report.failure().unwrap().kind(), FailureKind::Deadlock);
    let said = said.lock().unwrap();
    let once = ["main.1.1", "main.1", "value", "main"];
    assert_eq!(*said, [once, once].concat());
}

/// Threads of a scope borrow from the task that waits for them.
#[test]
fn the_threads_of_a_scope_go_before_what_they_borrow() {
    static SAID: StdMutex<Vec<&'static str>> = StdMutex::new(Vec::new());
    struct Reads<'a>(&'a str);
    impl Drop for Reads<'_> {
        fn drop(&mut self) {
            assert_eq!(self.0, "lent");
            SAID.lock().unwrap().push("reads");
        }
    }
    let failed = failure(|| {
        let _lent = Says(&SAID, "lender");
        let lent = String::from("lent");
        let never = Mutex::new(());
        let _guard = never.lock();
        thread::scope(|scope| {
            scope.spawn(|| {
                let _reads = Reads(&lent);
                drop(never.lock());
            });
        });
    });
    assert_eq!((failed.kind(), failed.afterwards.len()), (FailureKind::Deadlock, 0));
    assert_eq!(*SAID.lock().unwrap(), ["reads", "lender", "reads", "lender"]);
}

#[test]
fn the_ticket_is_written_before_anything_is_destroyed() {
    static WAS_THERE: StdAtomicUsize = StdAtomicUsize::new(0);
    struct Looks;
    impl Drop for Looks {
        fn drop(&mut self) {
            let exe = std::env::current_exe().unwrap();
            let target = exe.ancestors().find(|f| f.join("CACHEDIR.TAG").is_file()).unwrap();
            // The names of the package and of this program stand before it.
            let is_it =
                |path: &std::path::PathBuf| path.to_string_lossy().ends_with(".teardown.written_first.json");
            let files = std::fs::read_dir(target.join("raddle")).into_iter().flatten().flatten();
            for ticket in files.map(|file| file.path()).filter(is_it) {
                WAS_THERE.fetch_add(1, SeqCst);
                let _ = std::fs::remove_file(ticket);
            }
        }
    }
    let report = Checker::dfs().name("teardown::written_first").run(|| {
        let _looks = Looks;
        let lock = Mutex::new(());
        let _guard = lock.lock();
        drop(lock.lock());
    });
    assert_eq!(report.failure().unwrap().kind(), FailureKind::Deadlock);
    assert_eq!(WAS_THERE.load(SeqCst), 1);
}

struct Panics(&'static str);
impl Drop for Panics {
    fn drop(&mut self) {
        panic!("{}", self.0);
    }
}

#[test]
fn a_destructor_that_panics_is_noted() {
    let program = || {
        let _bad = Panics("cannot close");
        let (_sender, receiver) = mpsc::channel::<()>();
        let _ = receiver.recv();
    };
    let failed = failure(program);
    // The first failure counts.
    assert_eq!(failed.kind(), FailureKind::Deadlock);
    assert_eq!(failed.afterwards.len(), 2, "{:#?}", failed.afterwards);
    let [TeardownError::Panicked { task, message, place: Some(place) }, aborted] = &failed.afterwards[..]
    else {
        panic!("{:#?}", failed.afterwards)
    };
    assert_eq!((task.as_str(), message.as_str()), ("main", "cannot close"));
    assert!(place.file.ends_with("teardown.rs"), "{place}");
    assert_eq!(*aborted, TeardownError::Aborted { task: "main".to_owned() });
    // The search continues.
    let report = Checker::random(20).keep_going().run(program);
    assert_eq!((report.executions(), report.failures()), (20, 20));
}

#[test]
fn a_destructor_that_waits_is_abandoned() {
    static DESTROYED: StdAtomicUsize = StdAtomicUsize::new(0);
    struct Waits(Arc<Mutex<()>>);
    impl Drop for Waits {
        fn drop(&mut self) {
            drop(self.0.lock());
            DESTROYED.fetch_add(1, SeqCst);
        }
    }
    let program = |main_waits: bool| {
        let lock = Arc::new(Mutex::new(()));
        let guard = lock.lock();
        let its = lock.clone();
        let _child = thread::spawn(move || {
            let waits = Waits(its);
            drop(waits.0.lock());
        });
        // Children are unwound first, so main still holds the lock then.
        let _waits = main_waits.then(|| Waits(lock.clone()));
        let (_sender, receiver) = mpsc::channel::<()>();
        let _ = receiver.recv();
        drop(guard);
    };
    for main_waits in [false, true] {
        let failed = failure(|| program(main_waits));
        assert_eq!(failed.kind(), FailureKind::Deadlock);
        assert!(failed.afterwards.is_empty());
        assert_eq!(DESTROYED.load(SeqCst), 0);
        let report = Checker::random(50).keep_going().run(|| program(main_waits));
        assert_eq!(report.failures(), 50);
    }
}

#[test]
fn a_destructor_that_never_stops_is_abandoned() {
    struct Spins(AtomicUsize);
    impl Drop for Spins {
        fn drop(&mut self) {
            while self.0.load(SeqCst) == 0 {}
        }
    }
    let failed = failure(|| {
        let _spins = Spins(AtomicUsize::new(0));
        panic_after_a_step();
    });
    // It never leaves the panic.
    assert_eq!(failed.kind(), FailureKind::Livelock);
    let failed = failure(|| {
        let _spins = Spins(AtomicUsize::new(0));
        let (_sender, receiver) = mpsc::channel::<()>();
        let _ = receiver.recv();
    });
    assert_eq!(failed.kind(), FailureKind::Deadlock);
}

fn panic_after_a_step() {
    thread::yield_now();
    panic!("after a step");
}

#[test]
fn a_destructor_that_spawns_a_thread() {
    static RAN: StdAtomicUsize = StdAtomicUsize::new(0);
    struct Spawns(bool);
    impl Drop for Spawns {
        fn drop(&mut self) {
            let task = thread::spawn(|| {
                thread::yield_now();
                RAN.fetch_add(1, SeqCst);
            });
            if self.0 {
                let _ = task.join();
            }
        }
    }
    for joins in [false, true] {
        let failed = failure(|| {
            let _spawns = Spawns(joins);
            let (_sender, receiver) = mpsc::channel::<()>();
            let _ = receiver.recv();
        });
        assert_eq!(failed.kind(), FailureKind::Deadlock, "joins: {joins}");
        assert!(failed.afterwards.is_empty());
    }
    // During a panic the search continues: it is a task like any other.
    let before = RAN.load(SeqCst);
    let failed = failure(|| {
        let _spawns = Spawns(true);
        panic_after_a_step();
    });
    assert_eq!(failed.message(), "main panicked: after a step");
    assert!(RAN.load(SeqCst) > before);
}

#[test]
fn a_destructor_that_uses_everything() {
    struct Uses(mpsc::Sender<u32>, Arc<(Mutex<u32>, Condvar)>, Arc<AtomicUsize>);
    impl Drop for Uses {
        fn drop(&mut self) {
            let _ = self.0.send(1);
            *self.1.0.lock().unwrap_or_else(|e| e.into_inner()) += 1;
            self.1.1.notify_all();
            self.2.fetch_add(1, SeqCst);
            raddle::hint::spin_loop();
            thread::yield_now();
            assert_eq!(raddle::choose(1), 0);
        }
    }
    let report = Checker::random(100).keep_going().run(|| {
        let (sender, receiver) = mpsc::channel();
        let shared = Arc::new((Mutex::new(0), Condvar::new()));
        let count = Arc::new(AtomicUsize::new(0));
        let tasks: Vec<_> = (0..3)
            .map(|_| {
                let uses = Uses(sender.clone(), shared.clone(), count.clone());
                thread::spawn(move || {
                    let guard = uses.1.0.lock().unwrap();
                    drop(uses.1.1.wait(guard));
                })
            })
            .collect();
        let _uses = Uses(sender, shared, count);
        for task in tasks {
            let _ = task.join();
        }
        drop(receiver);
    });
    assert_eq!(report.failures(), 100);
    let failed = report.failure().unwrap();
    assert_eq!((failed.kind(), failed.afterwards.len()), (FailureKind::Deadlock, 0), "{report}");
}
