//! Bounds, iterative bounding, and searches that resume from a checkpoint, in the Rust world.

use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Arc, Mutex};
use raddle::{Checker, Report, thread};
use std::time::Duration;

/// Threads increment a counter under a lock, each `times` times.
fn mutex_counter(threads: usize, times: usize) -> usize {
    let counter = Arc::new(Mutex::new(0));
    let increments =
        |counter: Arc<Mutex<usize>>| move || (0..times).for_each(|_| *counter.lock().unwrap() += 1);
    let tasks: Vec<_> = (0..threads).map(|_| thread::spawn(increments(counter.clone()))).collect();
    tasks.into_iter().for_each(|task| task.join().unwrap());
    *counter.lock().unwrap()
}

/// An update is lost if one of two threads is preempted between its load and its store.
fn racy_counter() -> usize {
    let counter = Arc::new(AtomicUsize::new(0));
    let racy = |counter: Arc<AtomicUsize>| move || counter.store(counter.load(SeqCst) + 1, SeqCst);
    let tasks = [thread::spawn(racy(counter.clone())), thread::spawn(racy(counter.clone()))];
    tasks.into_iter().for_each(|task| task.join().unwrap());
    counter.load(SeqCst)
}

#[test]
fn a_bound_loses_no_outcome_and_makes_no_more_executions() {
    for bound in 0..4 {
        let reduced = Checker::exhaustive().preemptions(bound).run(racy_counter);
        let plain = Checker::dfs().preemptions(bound).run(racy_counter);
        assert!(reduced.outcomes().keys().eq(plain.outcomes().keys()), "{bound}");
        assert!(reduced.executions() <= plain.executions());
        assert_eq!(reduced.outcomes().contains_key(&1), bound > 0);
    }
    let report = Checker::exhaustive().preemptions(0).run(racy_counter);
    let words = "exhaustive within 0 preemptions · plain memory not watched · reference counts not explored · sequentially consistent · timers when idle";
    assert_eq!(raddle_report::coverage(report.coverage()), words);
}

#[test]
fn a_bound_that_refuses_nothing_is_no_bound() {
    let report = Checker::exhaustive().preemptions(1_000).run(racy_counter);
    assert_eq!((report.executions(), report.coverage().is_exhaustive()), (4, true));
}

#[test]
fn bounds_combine_and_are_named() {
    let checker = Checker::exhaustive().preemptions(1).yield_bound(0).step_bound(3);
    let report = checker.run(racy_counter);
    assert_eq!(report.executions(), 0);
    let words = raddle_report::coverage(report.coverage());
    let expected =
        "not exhaustive: no execution comes to an end within 1 preemption and a lead of 0 yields and 3 steps";
    assert!(words.starts_with(expected), "{words}");
}

#[test]
fn executions_that_are_too_long_do_not_fail() {
    let endless = || {
        let flag = Arc::new(AtomicUsize::new(0));
        let other = flag.clone();
        let task = thread::spawn(move || other.store(1, SeqCst));
        let mut rounds = 0;
        // No hint: this is not announced as a spin loop.
        while flag.load(SeqCst) == 0 {
            rounds += 1;
        }
        task.join().unwrap();
        rounds
    };
    let report = Checker::exhaustive().step_bound(12).run(endless);
    assert_eq!(report.failures(), 0);
    assert!(report.outcomes().keys().copied().eq(0..*report.outcomes().keys().last().unwrap() + 1));
    assert!(
        raddle_report::coverage(report.coverage()).starts_with("exhaustive within 12 steps"),
        "{:?}",
        report.coverage()
    );
    // Where all are too long, the report does not say that all is well.
    let report = Checker::exhaustive().step_bound(1).preemptions(0).run(endless);
    assert_eq!((report.executions(), report.never_panics().holds), (0, false));
    let expected = "not exhaustive: no execution comes to an end within 0 preemptions and 1 step";
    assert!(raddle_report::coverage(report.coverage()).starts_with(expected), "{:?}", report.coverage());
}

fn preemptions<T>(report: &Report<T>) -> usize {
    report.failure().unwrap().trace().lines.iter().filter(|line| line.preempts).count()
}

#[test]
fn the_first_failure_has_the_fewest_preemptions_and_the_report_says_so() {
    let check = || assert_eq!(racy_counter(), 2);
    for checker in [Checker::iterative(), Checker::dfs().preemptions_up_to(3)] {
        let report = checker.run(check);
        assert_eq!((preemptions(&report), report.finished_bound()), (1, Some(0)));
        let words = "stopped at the first failure, which has 1 preemption; there is none with fewer";
        assert!(report.to_text(200).contains(words), "{}", report.to_text(200));
    }
}

#[test]
fn a_growing_bound_that_refuses_nothing_any_more_is_through() {
    let report = Checker::iterative().run(|| mutex_counter(2, 2));
    assert!(report.coverage().is_exhaustive() && report.outcomes().keys().eq(&[4]));
    let bounded = Checker::exhaustive().preemptions_up_to(1).run(|| mutex_counter(2, 2));
    assert_eq!(bounded.finished_bound(), Some(1));
    assert!(raddle_report::coverage(bounded.coverage()).starts_with("exhaustive within 1 preemption"));
}

/// The first failing schedule of the reduction need not be simple; the reported one is.
#[test]
fn the_failure_of_an_exhaustive_check_has_a_simple_schedule() {
    let check = || assert_eq!(racy_counter(), 2);
    let simple = Checker::exhaustive().run(check);
    let raw = Checker::exhaustive().simplify(raddle::Simplify::No).run(check);
    assert!(preemptions(&simple) <= preemptions(&raw));
    assert_eq!(preemptions(&simple), 1);
    assert_eq!(simple.failure().unwrap().message(), raw.failure().unwrap().message());
    let again = Checker::replay(simple.failure().unwrap().ticket().to_string()).run(check);
    assert_eq!(again.failure().unwrap().message(), simple.failure().unwrap().message());
}

/// Tasks send answers, and only the first ones are received.
fn first_answers(tasks: usize, each: usize, received: usize) -> usize {
    let (sender, receiver) = raddle::sync::mpsc::channel();
    for task in 0..tasks {
        let sender = sender.clone();
        raddle::thread::spawn(move || (0..each).for_each(|_| sender.send(task).unwrap()));
    }
    for _ in 0..received {
        receiver.recv().unwrap();
    }
    std::mem::forget(receiver);
    received
}

/// Explores in small parts, each resumed from a file.
fn in_parts(checker: &Checker, f: impl Fn() -> usize + Send + Sync + Copy) -> (Report<usize>, u32) {
    let little = Duration::from_millis(100);
    let mut report = checker.clone().time_limit(little).run(f);
    let mut parts = 1;
    while let Some(file) = report.search_file() {
        let file = file.to_str().unwrap().to_owned();
        let words = report.to_string();
        assert!(
            words.contains("at the time limit") && words.contains(&format!("RADDLE_RESUME={file}")),
            "{words}"
        );
        report = checker.clone().resume(&file).time_limit(little).run(f);
        parts += 1;
    }
    (report, parts)
}

#[test]
fn a_search_goes_on_where_a_time_limit_stopped_it() {
    type Program = fn() -> usize;
    let searches: [(&str, Checker, Program); 5] = [
        ("optimal", Checker::exhaustive(), || mutex_counter(3, 4)),
        ("bounded", Checker::exhaustive().preemptions(2), || mutex_counter(3, 4)),
        ("observers", Checker::exhaustive().observers(), || first_answers(3, 5, 8)),
        ("dfs", Checker::dfs(), || mutex_counter(2, 3)),
        ("iterative", Checker::exhaustive().preemptions_up_to(2), || mutex_counter(3, 4)),
    ];
    for (name, checker, f) in searches {
        let whole = checker.clone().run(f);
        for workers in [1, 2] {
            let checker = checker.clone().workers(workers).name(format!("bounds::{name}::{workers}"));
            let (report, parts) = in_parts(&checker, f);
            assert_eq!(report.executions(), whole.executions(), "{name}, {workers} workers, {parts} parts");
            assert_eq!(report.outcomes(), whole.outcomes(), "{name}");
            assert_eq!(report.coverage(), whole.coverage(), "{name}");
            assert!(name != "optimal" || parts > 1);
        }
    }
}

#[test]
fn results_from_before_count() {
    let program = || raddle::choose(40_000);
    let checker = Checker::dfs().name("bounds::results_from_before");
    let first = checker.clone().time_limit(Duration::from_millis(1)).run(program);
    let file = first.search_file().expect("forty thousand take longer").to_str().unwrap().to_owned();
    let rest = checker.resume(&file).run(program);
    assert_eq!((rest.executions(), rest.coverage().is_exhaustive()), (40_000, true));
    assert_eq!(rest.outcomes().len() + rest.outcomes_before().len(), 40_000);
    assert_eq!(rest.outcomes_before().len() as u64, first.executions());
    assert!(rest.gives_exactly(0..40_000).holds && rest.gives_some_of(0..40_000).holds);
    assert!(first.executions() == 0 || !rest.gives_some_of(first.executions() as usize..40_000).holds);
}

#[test]
fn the_file_of_another_search_is_refused() {
    let program = || raddle::choose(40_000);
    let checker = Checker::dfs().name("bounds::refused");
    let report = checker.clone().time_limit(Duration::from_millis(1)).run(program);
    let file = report.search_file().expect("forty thousand take longer").to_str().unwrap().to_owned();
    let refused = |checker: Checker| {
        let file = file.clone();
        let run = move || checker.resume(file).run(program);
        let payload = std::panic::catch_unwind(run).map(|_| ()).unwrap_err();
        *payload.downcast::<String>().unwrap()
    };
    let kinds = "raddle: the search that was stopped is `dfs`, this one is `dfs, preemptions=2`";
    assert_eq!(refused(checker.clone().preemptions(2)), kinds);
    let tests = "raddle: the search that was stopped is one of bounds::refused, not of another";
    assert_eq!(refused(checker.clone().name("another")), tests);
    assert!(refused(checker.clone().spurious(1)).contains("has other settings"));
    assert!(refused(Checker::random(5)).contains("only searches that enumerate"));
    std::fs::write(&file, "{ \"search\": 1, \"te").unwrap();
    let corrupt = refused(checker);
    assert!(corrupt.contains("this is no search that was stopped") && corrupt.contains(&file), "{corrupt}");
}
