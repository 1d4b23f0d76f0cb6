//! The change that a failure's report says would help: it is one, and its number of executions is right.

use raddle::sync::atomic::{AtomicU32, Ordering::SeqCst};
use raddle::sync::{Arc, Mutex};
use raddle::{Checker, Report, thread};

/// The report of a sampled failure.
fn sampled(program: impl Fn() + Send + Sync) -> Report<()> {
    let report = Checker::random(1_000).run(program);
    assert!(report.failure().is_some(), "{report}");
    report
}

/// The operations that must be one step, and how many executions there are then.
fn fix(report: &Report<()>) -> Option<(String, String, u64)> {
    let failure = report.failure()?;
    let fix = failure.explanation.as_ref()?.fix?;
    let operation = |at: usize| failure.record.lines[at].operation.clone();
    Some((operation(fix.from), operation(fix.to), fix.executions))
}

/// As many tasks increment as are wanted, each by this.
fn counted(tasks: u32, increment: fn(&AtomicU32)) {
    let count = Arc::new(AtomicU32::new(0));
    let tasks: Vec<_> = (0..tasks)
        .map(|_| {
            let count = count.clone();
            thread::spawn(move || increment(&count))
        })
        .collect();
    let n = tasks.len() as u32;
    tasks.into_iter().for_each(|task| task.join().unwrap());
    assert_eq!(count.load(SeqCst), n);
}

#[test]
fn a_lost_update_would_not_be_if_the_update_were_one_step() {
    for tasks in 2..=4 {
        let report = sampled(move || {
            counted(tasks, |count| {
                let value = count.load(SeqCst);
                count.store(value + 1, SeqCst);
            })
        });
        // With one operation instead of two, each of its executions is one of those.
        let atomic = Checker::dfs().run(move || {
            counted(tasks, |count| {
                count.fetch_add(1, SeqCst);
            })
        });
        let expected = ("load".to_owned(), "store".to_owned(), atomic.executions());
        assert!(atomic.failure().is_none());
        assert_eq!(fix(&report), Some(expected), "{report}");
        let all = match atomic.executions() {
            2 => "both executions".to_owned(),
            n => format!("all {n} executions"),
        };
        let words = format!("were one atomic step, {all} would pass");
        let one_line = report.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(one_line.contains(&words), "{report}");
    }
}

/// Two updates one after the other: if each is one step, that is enough, and said of the place of the first pair that is named.
#[test]
fn nothing_is_said_where_something_else_is_wrong_too() {
    let report = sampled(|| {
        counted(2, |count| {
            let value = count.load(SeqCst);
            count.store(value + 1, SeqCst);
            if count.load(SeqCst) == 1 {
                let value = count.load(SeqCst);
                count.store(value + 1, SeqCst);
                let value = count.load(SeqCst);
                count.store(value - 1, SeqCst);
            }
        });
    });
    assert_eq!(fix(&report), None, "{report}");
}

/// The other task has the lock that is taken in between: the steps cannot be one.
#[test]
fn steps_between_which_a_task_may_be_blocked_are_no_fix() {
    let report = sampled(|| {
        let count = Arc::new((AtomicU32::new(0), Mutex::new(())));
        let work = |count: &(AtomicU32, Mutex<()>)| {
            let value = count.0.load(SeqCst);
            let guard = count.1.lock().unwrap();
            count.0.store(value + 1, SeqCst);
            count.0.load(SeqCst);
            drop(guard);
        };
        let theirs = count.clone();
        let other = thread::spawn(move || work(&theirs));
        work(&count);
        other.join().unwrap();
        assert_eq!(count.0.load(SeqCst), 2);
    });
    assert_eq!(fix(&report), None, "{report}");
}

/// An order that is wrong is not mended by steps that belong together.
#[test]
fn nothing_is_said_of_a_wrong_order() {
    let report = sampled(|| {
        let flag = Arc::new(AtomicU32::new(0));
        let theirs = flag.clone();
        let other = thread::spawn(move || theirs.store(1, SeqCst));
        assert_eq!(flag.load(SeqCst), 1);
        other.join().unwrap();
    });
    assert_eq!(fix(&report), None, "{report}");
}
