//! An execution that does not terminate.

use crate::{fails_under, lines, snapshot};
use raddle::sync::Arc;
use raddle::sync::atomic::{AtomicUsize, Ordering::*};
use raddle::{Checker, FailureKind, thread};

/// A progress bar that never gets to 100 percent.
fn endless() {
    let percent = Arc::new(AtomicUsize::new(0));
    let its = percent.clone();
    let bar = thread::spawn(move || while its.load(SeqCst) < 100 {});
    while percent.load(SeqCst) < 100 {
        percent.fetch_add(1, SeqCst);
        percent.fetch_sub(1, SeqCst);
    }
    bar.join().unwrap();
}

#[test]
fn a_loop_without_an_end() {
    let checker = || Checker::dfs().max_steps(500);
    let failure = fails_under(checker(), "step_limit", FailureKind::StepLimit, endless);
    assert!(failure.message().contains("500 steps"), "{}", failure.message());
    assert_eq!(failure.ticket().steps.len(), 500);
    snapshot("step_limit_lines", &lines(&checker().run(endless)));
}

#[test]
fn a_long_execution_is_none_if_it_is_allowed() {
    let long = || {
        let count = AtomicUsize::new(0);
        for _ in 0..300 {
            count.fetch_add(1, SeqCst);
        }
    };
    // The exit of main is a step, too.
    assert!(Checker::random(1).max_steps(301).run(long).failure().is_none());
    assert_eq!(Checker::random(1).max_steps(300).run(long).failure().unwrap().kind(), FailureKind::StepLimit);
}

/// The reduction reverses races between steps that were taken: those that would have come after the limit are none.
#[test]
fn a_search_whose_executions_are_cut_is_not_exhaustive() {
    for checker in
        [Checker::exhaustive(), Checker::dfs(), Checker::exhaustive().preemptions(1), Checker::iterative()]
    {
        let report = checker.max_steps(40).keep_going().max_executions(20_000).run(|| {
            let stop = Arc::new(AtomicUsize::new(0));
            let its = stop.clone();
            let other = thread::spawn(move || its.fetch_or(1, SeqCst));
            while stop.fetch_add(2, SeqCst) & 1 == 0 {}
            other.join().unwrap();
        });
        assert_eq!(report.failure().unwrap().kind(), FailureKind::StepLimit, "{report}");
        assert!(!report.coverage().is_exhaustive(), "{report}");
    }
}
