//! A panic in a destructor during unwinding would abort the process. Here it is a failure like any other: the
//! process and the search continue.

use super::failure;
use raddle::sync::atomic::{AtomicUsize, Ordering::*};
use raddle::sync::{Arc, Mutex};
use raddle::{Checker, FailureKind, thread};

struct Panics;
impl Drop for Panics {
    fn drop(&mut self) {
        panic!("in a destructor");
    }
}

#[test]
fn in_main() {
    let failed = failure(|| {
        let _bad = Panics;
        panic!("the first");
    });
    assert_eq!(failed.kind(), FailureKind::Panic);
    assert_eq!(
        failed.message(),
        "main: panic in a destructor during cleanup: in a destructor; the process would abort"
    );
    let lines: Vec<&str> = failed.trace().lines.iter().map(|l| l.result.as_str()).collect();
    assert_eq!(lines, ["the first", "in a destructor"]);
}

#[test]
fn in_a_task_that_would_have_been_joined() {
    let failed = failure(|| {
        let task = thread::spawn(|| {
            let _bad = Panics;
            panic!("the first");
        });
        task.join().is_err()
    });
    let message = "main.1: panic in a destructor during cleanup: in a destructor; the process would abort";
    assert_eq!((failed.kind(), failed.message().as_str()), (FailureKind::Panic, message));
}

#[test]
fn a_function_that_must_not_unwind() {
    extern "C" fn callback() {
        panic!("across the border");
    }
    let failed = failure(|| callback());
    let message = "main: panic in a function that cannot unwind: across the border; the process would abort";
    assert_eq!((failed.kind(), failed.message().as_str()), (FailureKind::Panic, message));
}

/// Destructors perform operations during unwinding, and then panic.
#[test]
fn in_the_middle_of_other_tasks() {
    struct CountsAndPanics(Arc<AtomicUsize>);
    impl Drop for CountsAndPanics {
        fn drop(&mut self) {
            if self.0.fetch_add(1, SeqCst) == 2 {
                panic!("the third");
            }
        }
    }
    let report = Checker::dfs().keep_going().run(|| {
        let count = Arc::new(AtomicUsize::new(0));
        let tasks: Vec<_> = (0..3)
            .map(|n| {
                let counts = CountsAndPanics(count.clone());
                thread::spawn(move || {
                    let _counts = counts;
                    assert_ne!(n, 2, "unwinds");
                })
            })
            .collect();
        tasks.into_iter().map(|task| task.join().is_err() as usize).sum::<usize>()
    });
    // The third to count panics: the two that do not unwind propagate it, the third aborts. In 2 of the 3!
    // orders of their counts that is the one that unwinds.
    assert_eq!((report.executions(), report.failures()), (6, 2));
    assert_eq!(report.outcomes().keys().copied().collect::<Vec<_>>(), [2]);
    let message = "main.3: panic in a destructor during cleanup: the third; the process would abort";
    assert_eq!(report.failure().unwrap().message(), message);
    assert!(report.coverage().is_exhaustive(), "{:?}", report.coverage());
}

#[test]
fn the_search_goes_on() {
    let program = || {
        let lock = Arc::new(Mutex::new(0));
        let its = lock.clone();
        let task = thread::spawn(move || *its.lock().unwrap() += 1);
        let first = *lock.lock().unwrap();
        let _bad = (first == 1).then(|| Panics);
        assert_eq!(first, 0, "the other was first");
        task.join().unwrap();
    };
    // As many as without the destructor.
    let expected = {
        let report = Checker::dfs().keep_going().run(|| {
            let lock = Arc::new(Mutex::new(0));
            let its = lock.clone();
            let task = thread::spawn(move || *its.lock().unwrap() += 1);
            let first = *lock.lock().unwrap();
            assert_eq!(first, 0, "the other was first");
            task.join().unwrap();
        });
        (report.executions(), report.failures())
    };
    for workers in [1, 3] {
        let report = Checker::dfs().keep_going().workers(workers).run(program);
        assert_eq!((report.executions(), report.failures()), expected);
        assert!(report.coverage().is_exhaustive());
    }
    let report = Checker::random(300).seed(5).keep_going().workers(2).run(program);
    assert_eq!(report.executions(), 300);
    assert!(report.failures() > 50, "{}", report.failures());
}

#[test]
fn this_thread_is_none_the_worse() {
    let _ = failure(|| {
        let _bad = Panics;
        panic!("the first");
    });
    assert!(!std::thread::panicking());
    let caught = std::panic::catch_unwind(|| panic!("outside"));
    assert!(caught.is_err());
}
