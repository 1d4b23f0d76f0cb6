//! A ticket that no longer fits says where it diverges, and an invalid ticket says why.

use crate::{columns, snapshot};
use raddle::sync::atomic::{AtomicUsize, Ordering::*};
use raddle::sync::{Arc, Mutex};
use raddle::{Checker, FailureKind, Ticket, hint, thread};

#[derive(Clone, Copy, PartialEq)]
enum Version {
    /// As it was when the ticket was written.
    Old,
    /// A lock was added around it.
    Locked,
    /// The second task was removed.
    Alone,
    /// The bug was fixed.
    Repaired,
}

fn deposits(version: Version) {
    let (balance, lock) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(())));
    let deposit = move |balance: &AtomicUsize, lock: &Mutex<()>| {
        let _guard = (version == Version::Locked).then(|| lock.lock().unwrap());
        if version == Version::Repaired {
            balance.fetch_add(1, SeqCst);
        } else {
            let seen = balance.load(SeqCst);
            balance.store(seen + 1, SeqCst);
        }
    };
    let (its, its_lock) = (balance.clone(), lock.clone());
    let other = (version != Version::Alone).then(|| thread::spawn(move || deposit(&its, &its_lock)));
    deposit(&balance, &lock);
    let deposits = other.map_or(1, |other| {
        other.join().unwrap();
        2
    });
    assert_eq!(balance.load(SeqCst), deposits);
}

fn ticket() -> Ticket {
    let report = Checker::dfs().run(|| deposits(Version::Old));
    report.failure().unwrap().ticket().clone()
}

/// The report of a replay of the old program's ticket with another version.
#[track_caller]
fn diverges(version: Version, what: &str) {
    let report = Checker::replay(ticket().to_string()).run(|| deposits(version));
    let failure = report.failure().expect("the ticket does not fit");
    assert_eq!(failure.kind(), FailureKind::NotDeterministic);
    let message = format!(
        "the ticket does not fit: it expects {what}; the program or its settings have changed since the ticket \
         was written, or it is not deterministic"
    );
    assert_eq!(failure.message(), message);
}

#[test]
fn the_program_has_changed() {
    let steps: Vec<String> = ticket().steps.iter().map(|s| s.expect.clone()).collect();
    assert_eq!(steps[..2], ["main load AtomicUsize#1", "main.1 load AtomicUsize#1"]);
    diverges(Version::Locked, "step 1 to be `main load AtomicUsize#1`, but it is `main lock Mutex#1`");
    diverges(Version::Alone, "step 2 to be `main.1 load AtomicUsize#1`, but that cannot happen there");
    diverges(
        Version::Repaired,
        "step 1 to be `main load AtomicUsize#1`, but it is `main fetch_add AtomicUsize#1`",
    );
    let report = Checker::replay(ticket().to_string()).run(|| deposits(Version::Alone));
    snapshot("ticket_diverges", &columns(&report));
}

#[test]
fn the_program_ends_before_the_ticket() {
    // One yield right after another is the same as one.
    let pause = |number| if number % 2 == 0 { thread::yield_now() } else { hint::spin_loop() };
    let report = Checker::dfs().run(|| {
        (0..3).for_each(pause);
        panic!("old");
    });
    let ticket = report.failure().unwrap().ticket().to_string();
    let report = Checker::replay(&ticket).run(|| (0..2).for_each(pause));
    let message = report.failure().unwrap().message().to_owned();
    assert!(message.contains("step 3 to be `main yield_now`, but it is `main end`"), "{message}");
    // A longer program is fine: it continues, and no longer fails.
    let report = Checker::replay(&ticket).run(|| (0..5).for_each(pause));
    assert!(report.failure().is_none(), "{report}");
    assert_eq!(
        raddle_report::coverage(report.coverage()),
        "replayed one schedule · plain memory not watched · reference counts not explored · sequentially consistent · timers when idle"
    );
}

#[test]
fn the_settings_go_with_the_ticket() {
    let timeout = || {
        let (lock, never) = (Mutex::new(()), raddle::sync::Condvar::new());
        let other = thread::spawn(|| (0..2).for_each(|_| thread::yield_now()));
        let wait = never.wait_timeout(lock.lock().unwrap(), std::time::Duration::from_secs(5));
        assert!(!wait.unwrap().1.timed_out(), "timed out");
        other.join().unwrap();
    };
    let report = Checker::dfs().time(raddle::Time::Any).spurious(1).run(timeout);
    crate::replays(&report, timeout);
    assert_eq!(report.failure().unwrap().ticket().settings["time"], "any");
}

#[track_caller]
fn refused(ticket: &str, why: &str) {
    let replay = std::panic::catch_unwind(|| Checker::replay(ticket));
    let message = *replay.expect_err("it is no ticket").downcast::<String>().unwrap();
    assert_eq!(message, format!("raddle: {why}"));
}

#[test]
fn what_is_no_ticket_says_why() {
    let text = ticket().to_string();
    let json = ticket().to_json();
    let missing = "not a usable ticket: a part is missing; was it cut off when it was copied?";
    refused(text.rsplit_once(';').unwrap().0, missing);
    let changed =
        "not a usable ticket: its checksum is wrong: it was changed or cut off since it was written";
    refused(&text.replace(";0.", ";1."), changed);
    refused(&text.replace("0:main+load", "1:main+load"), changed);
    refused(&json.replace("idle", "any"), changed);
    refused(
        &text.replace("raddle2;", "raddle9;"),
        "not a usable ticket: it has version 9, this raddle reads version 2; replay it with the raddle that \
         wrote it",
    );
    let unknown = "the ticket's setting `time=never` is not known to this raddle";
    let mut other = ticket();
    other.settings.insert("time".to_owned(), "never".to_owned());
    refused(&other.to_string(), unknown);
    refused("/no/such/file", "cannot read the ticket /no/such/file: No such file or directory (os error 2)");
    refused(&json[..json.len() / 2], changed);
}

#[test]
fn a_corrupt_file_names_itself() {
    let path = std::env::temp_dir().join(format!("raddle-verdicts-{}.json", std::process::id()));
    std::fs::write(&path, "{ \"version\": 1, \"ste").unwrap();
    let file = path.to_str().unwrap();
    let replay = std::panic::catch_unwind(|| Checker::replay(file));
    let message = *replay.expect_err("it is no ticket").downcast::<String>().unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(message.starts_with(&format!("raddle: {file}: not a usable ticket: EOF")), "{message}");
}
