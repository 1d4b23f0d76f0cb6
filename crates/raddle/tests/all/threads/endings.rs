//! Threads that never come to their end: detached ones, and those that wait for themselves.

use super::*;

#[test]
fn detached_threads_end_with_main_or_must_have_finished() {
    // main.1: a, and its exit automatic; main exits last.
    let program = || {
        let x = Arc::new(AtomicUsize::new(0));
        drop(thread::spawn(move || x.fetch_add(1, SeqCst)));
    };
    let report = Checker::dfs().run(program);
    passes(&report);
    assert_eq!(report.executions(), 1);
    // If other tasks must have finished when it exits, it may exit before or after a.
    let report = Checker::dfs().detached(Detached::MustFinish).keep_going().run(program);
    assert_eq!((report.executions(), report.failures()), (2, 1));
    let failure = report.failure().unwrap();
    assert_eq!(failure.kind(), FailureKind::Deadlock);
    assert_eq!(failure.message(), "main has returned, but main.1 did not come to an end");
    // A task without operations left has finished.
    let report = Checker::dfs().detached(Detached::MustFinish).run(|| drop(thread::spawn(|| {})));
    assert_eq!(outcomes(&report), [((), 1)]);
}

#[test]
fn a_detached_threads_destructors_do_not_run_when_main_is_over() {
    static DROPPED: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    struct Counts;
    impl Drop for Counts {
        fn drop(&mut self) {
            DROPPED.fetch_add(1, SeqCst);
        }
    }
    let report = Checker::dfs().run(|| {
        drop(thread::spawn(|| {
            let _counts = Counts;
            thread::park();
        }));
    });
    passes(&report);
    assert_eq!(DROPPED.load(SeqCst), 0);
}

// Deadlocks.

#[test]
fn a_thread_that_joins_itself_waits_for_ever() {
    let report = Checker::dfs().run(|| {
        let own = Arc::new(std::sync::Mutex::new(None::<JoinHandle<()>>));
        let handle = thread::spawn({
            let own = own.clone();
            move || {
                thread::yield_now();
                own.lock().unwrap().take().unwrap().join().unwrap();
            }
        });
        *own.lock().unwrap() = Some(handle);
        thread::park();
    });
    let failure = report.failure().expect("it fails");
    assert_eq!(failure.kind(), FailureKind::Deadlock);
    assert_eq!(failure.message(), "nothing can move: main and main.1 wait for ever");
    let notes: Vec<_> = failure.defect.facts.iter().map(raddle_report::fact).collect();
    assert_eq!(notes, ["main waits to be unparked", "main.1 waits to join main.1"]);
}
