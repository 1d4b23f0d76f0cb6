//! `raddle::choose`, `any_bool`, `atomic_step` and `label`.

use crate::common::{dfs, fails};
use raddle::sync::atomic::{AtomicUsize, Ordering::*};
use raddle::sync::{Arc, Mutex};
use raddle::{Checker, FailureKind, Report, thread};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::panic::catch_unwind;

#[track_caller]
fn outcomes<T: Ord + Debug + Send + Clone>(report: &Report<T>) -> Vec<T> {
    if let Some(failure) = report.failure() {
        panic!("{}: {}", failure.kind(), failure.message());
    }
    report.outcomes().keys().cloned().collect()
}

fn message_of(f: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let payload = catch_unwind(f).expect_err("it panics");
    match payload.downcast::<String>() {
        Ok(message) => *message,
        Err(payload) => payload.downcast_ref::<&str>().unwrap().to_string(),
    }
}

#[test]
fn every_choice_is_made_exactly_once() {
    let report = dfs(|| (raddle::choose(3), raddle::any_bool(), raddle::choose(1)));
    let all: BTreeMap<_, u64> = (0..3).flat_map(|n| [false, true].map(|b| ((n, b, 0), 1))).collect();
    assert_eq!(report.outcomes(), &all);
    assert_eq!(report.executions(), 6);
    // Each choice is a step, and so is main's exit, though it is automatic.
    assert_eq!(report.steps(), 6 * 4);
}

#[test]
fn a_choice_decides_what_may_be_chosen_next() {
    let report = dfs(|| {
        let n = raddle::choose(3) + 1;
        (n, raddle::choose(n))
    });
    assert_eq!(outcomes(&report), [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]);
    assert_eq!(report.executions(), 6);
}

#[test]
fn choices_of_different_tasks_are_all_combined() {
    let report = dfs(|| {
        let t = thread::spawn(|| raddle::choose(2));
        (raddle::any_bool(), t.join().unwrap())
    });
    assert_eq!(outcomes(&report), [(false, 0), (false, 1), (true, 0), (true, 1)]);
    // Main's choice comes before or after the other's, and each has two values.
    assert_eq!(report.executions(), 2 * 2 * 2);
}

#[test]
fn random_schedules_draw_all_choices() {
    let report = Checker::random(1_000).seed(7).run(|| raddle::choose(5));
    assert_eq!(outcomes(&report), [0, 1, 2, 3, 4]);
    assert!(report.outcomes().values().all(|n| (120..280).contains(n)), "{:?}", report.outcomes());
}

#[test]
fn a_choice_is_told() {
    let failure =
        fails(FailureKind::Panic, || assert_ne!((raddle::choose(3), raddle::any_bool()), (2, true)));
    let steps: Vec<String> =
        failure.trace().steps().map(|l| format!("{} {}", l.expected_operation(), l.result)).collect();
    assert_eq!(steps, ["choose → 2", "any_bool → true"]);
    assert!(failure.trace().steps().all(|l| l.place.as_ref().unwrap().file.ends_with("choice.rs")));
}

#[test]
fn nothing_to_choose_from() {
    let failure = fails(FailureKind::Panic, || raddle::choose(0));
    assert_eq!(failure.message(), "main panicked: raddle: choose(0): there is nothing to choose from");
    assert!(failure.defect.facts[0].place.as_ref().unwrap().file.ends_with("choice.rs"));
    let failure = fails(FailureKind::Panic, || raddle::choose(1 << 33));
    assert!(failure.message().contains("more than 4294967295 options"), "{}", failure.message());
}

#[test]
fn choices_need_an_exploration() {
    let says = |name: &str| {
        format!(
            "raddle: {name} only works inside of an exploration, such as raddle::check or Checker::run: outside of \
             it the other choices are never tried"
        )
    };
    assert_eq!(message_of(|| _ = raddle::choose(2)), says("choose"));
    assert_eq!(message_of(|| _ = raddle::any_bool()), says("any_bool"));
    assert_eq!(message_of(|| _ = raddle::choose(0)), "raddle: choose(0): there is nothing to choose from");
}

#[test]
fn a_loop_over_choices_does_not_wait() {
    // Each of these takes more iterations than a spin loop may while other tasks are enabled.
    let report = Checker::random(4_000).seed(1).run(|| {
        let flag = Arc::new(AtomicUsize::new(0));
        let other = flag.clone();
        let t = thread::spawn(move || {
            let mut rounds = 0;
            while rounds < 12 && raddle::any_bool() {
                rounds += 1;
                thread::yield_now();
            }
            (rounds, other.load(Relaxed))
        });
        for _ in 0..12 {
            flag.fetch_add(1, Relaxed);
        }
        t.join().unwrap()
    });
    // It left the loop late, while main was still running.
    let seen = outcomes(&report);
    assert!(seen.iter().any(|(rounds, flag)| *rounds >= 6 && *flag < 12), "{seen:?}");
}

#[test]
fn an_atomic_step_is_one_step_that_others_of_its_name_conflict_with() {
    let report = dfs(|| {
        let disk = Arc::new(std::sync::Mutex::new(Vec::new()));
        let write = |disk: &std::sync::Mutex<Vec<u32>>, n: u32| {
            raddle::atomic_step("disk", || {
                disk.lock().unwrap().push(n);
                disk.lock().unwrap().push(n);
            });
        };
        let other = disk.clone();
        let t = thread::spawn(move || write(&other, 1));
        write(&disk, 2);
        t.join().unwrap();
        disk.lock().unwrap().clone()
    });
    assert_eq!(outcomes(&report), [vec![1, 1, 2, 2], vec![2, 2, 1, 1]]);
    // Main's step comes before or after the other's.
    assert_eq!(report.executions(), 2);
    // A step and an exit each, and main's join.
    assert_eq!(report.steps(), 2 * 5);
}

#[test]
fn an_atomic_step_returns_and_panics_as_its_closure_does() {
    let report = dfs(|| {
        let caught = catch_unwind(|| raddle::atomic_step("disk", || -> u32 { panic!("disk full") }));
        assert!(caught.is_err());
        // It is over: operations are allowed again.
        Mutex::new(1).lock().map(|g| *g).unwrap() + raddle::atomic_step("disk", || 41)
    });
    assert_eq!(outcomes(&report), [42]);
    let failure = fails(FailureKind::Panic, || raddle::atomic_step("disk", || panic!("disk full")));
    assert_eq!(failure.message(), "main panicked: disk full");
    let told: Vec<String> =
        failure.trace().lines.iter().map(|l| format!("{} {}", l.expected_operation(), l.result)).collect();
    assert_eq!(told, ["atomic_step \"disk\" ", "panic disk full"]);
    assert_eq!(raddle::atomic_step("outside", || 7), 7);
}

#[test]
fn operations_inside_of_an_atomic_step_are_refused() {
    let failure = fails(FailureKind::Misuse, || {
        let lock = Mutex::new(());
        raddle::atomic_step("disk", || drop(lock.lock()));
    });
    assert_eq!(
        failure.message(),
        "main wants to lock Mutex#1 in the middle of atomic_step \"disk\": other tasks could run there, and it \
         would not be atomic; do it before or after"
    );
    let notes: Vec<String> = failure.defect.facts.iter().map(raddle_report::fact).collect();
    assert_eq!(notes, ["atomic_step \"disk\" began here", "main wants to lock Mutex#1 here"]);
    assert!(failure.defect.facts.iter().all(|n| n.place.as_ref().unwrap().file.ends_with("choice.rs")));

    let failure = fails(FailureKind::Misuse, || raddle::atomic_step("a", || raddle::atomic_step("b", || ())));
    assert!(
        failure.message().starts_with("main wants to atomic_step \"b\" in the middle of atomic_step \"a\"")
    );
    let failure = fails(FailureKind::Misuse, || raddle::atomic_step("a", || raddle::choose(2)));
    assert!(failure.message().starts_with("main wants to choose in the middle of atomic_step \"a\""));
    // The drop of a guard inside is an operation, too, also during unwinding.
    fails(FailureKind::Misuse, || {
        let lock = Mutex::new(());
        let guard = lock.lock().unwrap();
        raddle::atomic_step("disk", move || drop(guard));
    });
    fails(FailureKind::Misuse, || {
        let lock = Mutex::new(());
        let guard = lock.lock().unwrap();
        raddle::atomic_step("disk", move || {
            let _guard = guard;
            panic!("disk full");
        });
    });
    // Later executions are not affected.
    let report = Checker::dfs().keep_going().run(|| match raddle::choose(2) {
        0 => raddle::atomic_step("disk", || AtomicUsize::new(1).load(Relaxed)),
        _ => AtomicUsize::new(2).load(Relaxed),
    });
    assert_eq!((report.failures(), report.outcomes().keys().copied().collect::<Vec<_>>()), (1, vec![2]));
}

#[test]
fn a_spawn_inside_of_an_atomic_step_begins_after_it() {
    let report = dfs(|| {
        let order = Arc::new(std::sync::Mutex::new(Vec::new()));
        let other = order.clone();
        let t = raddle::atomic_step("start", || {
            let t = thread::spawn(move || other.lock().unwrap().push("task"));
            order.lock().unwrap().push("step");
            t
        });
        t.join().unwrap();
        order.lock().unwrap().clone()
    });
    assert_eq!(outcomes(&report), [["step", "task"]]);
}

#[test]
fn an_atomic_step_in_a_destructor_happens_while_the_execution_is_put_away() {
    struct Closes(Arc<std::sync::Mutex<u32>>);
    impl Drop for Closes {
        fn drop(&mut self) {
            raddle::atomic_step("disk", || *self.0.lock().unwrap() += 1);
        }
    }
    let closed = Arc::new(std::sync::Mutex::new(0));
    let count = closed.clone();
    let failure = Checker::dfs()
        .run(move || {
            *count.lock().unwrap() = 0;
            let _closes = Closes(count.clone());
            let lock = Mutex::new(());
            let _one = lock.lock();
            let _two = lock.lock();
        })
        .failure()
        .unwrap()
        .clone();
    assert_eq!(failure.kind(), FailureKind::Deadlock);
    assert_eq!(*closed.lock().unwrap(), 1);
}

#[test]
fn labels_name_objects_in_reports() {
    let failure = fails(FailureKind::Deadlock, || {
        let accounts = Arc::new(Mutex::new(0));
        raddle::label(&accounts, "accounts");
        let _one = accounts.lock();
        let _two = accounts.lock();
    });
    assert!(
        raddle_report::fact(&failure.defect.facts[0])
            .starts_with("main waits to lock Mutex#1 \"accounts\", which it holds itself"),
        "{}",
        raddle_report::fact(&failure.defect.facts[0])
    );
    let failure = fails(FailureKind::Panic, || {
        let hits = AtomicUsize::new(0);
        raddle::label(&hits, String::from("hits"));
        raddle::label(&&hits, "visits");
        assert_eq!(hits.fetch_add(1, Relaxed), 1);
    });
    assert_eq!(
        failure.trace().steps().next().unwrap().expected_operation(),
        "fetch_add AtomicUsize#1 \"visits\""
    );
}

#[test]
fn labels_belong_to_their_execution_and_do_nothing_outside() {
    static LOCK: Mutex<()> = Mutex::new(());
    raddle::label(&LOCK, "outside");
    let report = Checker::dfs().keep_going().run(|| {
        if raddle::any_bool() {
            panic!("{}", LOCK.lock().is_ok());
        }
        raddle::label(&LOCK, "inside");
        panic!("{}", LOCK.lock().is_ok());
    });
    assert_eq!(report.failures(), 2);
    let failure = Checker::dfs()
        .run(|| {
            let labelled = !raddle::any_bool();
            if labelled {
                raddle::label(&LOCK, "inside");
            }
            drop(LOCK.lock());
            assert!(labelled);
        })
        .failure()
        .unwrap()
        .clone();
    let steps: Vec<String> = failure.trace().steps().map(|l| l.expected_operation()).collect();
    assert_eq!(steps, ["any_bool", "lock Mutex#1", "unlock Mutex#1"]);
    raddle::label(&AtomicUsize::new(1), "outside");
    raddle::label(&Box::new(raddle::cell::UnsafeCell::new(1)), "outside");
}

#[test]
fn a_label_in_a_static_survives_for_its_whole_execution() {
    static HITS: AtomicUsize = AtomicUsize::new(0);
    let failure = fails(FailureKind::Panic, || {
        raddle::label(&HITS, "hits");
        let t = thread::spawn(|| HITS.fetch_add(1, Relaxed));
        assert_eq!(t.join().unwrap(), 1);
    });
    assert_eq!(
        failure.trace().steps().next().unwrap().expected_operation(),
        "fetch_add AtomicUsize#1 \"hits\""
    );
}
