//! What a run leaves behind, and how much it says: a long failure is told shortly, and nothing is left of a run that was
//! killed.

use crate::common::{command, err, explored, fixture, out, raddle};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

#[test]
fn a_very_long_failure_is_told_without_its_middle_and_replayed_whole() {
    let folder = fixture("verdicts");
    let (tests, code) = explored(&folder, &["--only", "long::and_then_it_fails"]);
    let test = &tests["long::and_then_it_fails"];
    assert_eq!((&test["verdict"], code), (&"failed".into(), 1), "{}", test["because"]);
    let lines = test["failure"]["record"]["events"].as_array().unwrap();
    assert_eq!(lines.len(), 10_000);
    let told = lines.iter().filter(|line| line["step"].is_u64()).count();
    let left_out = lines.iter().find(|line| line["step"].is_null() && line["operation"] == "…").unwrap();
    assert!(left_out["result"].as_str().unwrap().contains("lines of all tasks are left out"), "{left_out}");
    let steps = test["failure"]["ticket"]["steps"].as_array().unwrap();
    assert!(told < 10_000 && steps.len() > 60_000, "the ticket is whole: {told} of {}", steps.len());
    let replayed = raddle(&folder, &["replay", test["ticket"].as_str().unwrap()]);
    assert_eq!(replayed.status.code(), Some(1), "{}", err(&replayed));
    assert!(out(&replayed).contains("after very many steps"), "{}", out(&replayed));
}

/// The process of a test below the process `parent`.
fn process_of_a_test(parent: u32, folder: &Path) -> Option<u32> {
    let threads = std::fs::read_dir(format!("/proc/{parent}/task")).ok()?;
    let children = threads.flatten().filter_map(|t| std::fs::read_to_string(t.path().join("children")).ok());
    let all: Vec<u32> =
        children.flat_map(|c| c.split(' ').filter_map(|n| n.parse().ok()).collect::<Vec<_>>()).collect();
    let is_test = |child: &u32| {
        std::fs::read_link(format!("/proc/{child}/exe"))
            .is_ok_and(|exe| exe.starts_with(folder.join("target/raddle")))
    };
    all.into_iter().find(is_test)
}

fn is_alive(process: u32) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    state.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

/// Asks until it is so; far longer than it ever takes.
fn soon<T>(mut question: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(answer) = question() {
            return answer;
        }
        assert!(begun.elapsed() < Duration::from_secs(300), "that takes too long");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn nothing_is_left_of_a_run_that_is_killed() {
    let folder = fixture("verdicts");
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR")).join("temporary");
    let _ = std::fs::remove_dir_all(&temporary);
    std::fs::create_dir_all(&temporary).unwrap();
    let built = raddle(&folder, &["test", "--only", "passes::alone"]);
    assert_eq!(built.status.code(), Some(0), "{}", err(&built));
    let for_ever = ["test", "--strategy", "random", "--budget", "10h", "--only", "passes::with_a_mutex"];
    let mut run = command(&folder, &for_ever)
        .env("TMPDIR", &temporary)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let test = soon(|| process_of_a_test(run.id(), &folder));
    run.kill().unwrap();
    run.wait().unwrap();
    soon(|| (!is_alive(test)).then_some(()));
    // The folder of the user stays, and is empty.
    let in_folder =
        |path: &Path| -> Vec<_> { std::fs::read_dir(path).unwrap().map(|e| e.unwrap().path()).collect() };
    let [own] = &in_folder(&temporary)[..] else { panic!("{:?}", in_folder(&temporary)) };
    assert_eq!(in_folder(own), Vec::<std::path::PathBuf>::new());
}

/// A deadlock inside of a dependency is one of the calls that led there; what lies beneath is folded, and nothing of raddle's
/// own is shown.
#[test]
fn what_happens_in_a_dependency_is_told_by_the_calls_that_led_there() {
    let folder = fixture("calls");
    let output = raddle(&folder, &["test", "--test", "calls"]);
    let text = out(&output);
    assert_eq!(output.status.code(), Some(1), "{text}{}", err(&output));
    for waits in [
        "  • main waits in dep::Lock::lock for main.1/Mutex#1, held by main.1 since dep-0.1.0/src/lib.rs:15\n      tests/calls.rs:13  │ let _second = locks.1.lock();",
        "  • main.1 waits in dep::Lock::lock for Mutex#1, held by main since dep-0.1.0/src/lib.rs:15\n      tests/calls.rs:10  │ let _first = theirs.0.lock();",
    ] {
        assert!(text.contains(waits), "{waits}: {text}");
    }
    assert!(text.contains("\n        → dep-0.1.0/src/lib.rs:21\n"), "{text}");
    assert!(text.contains("at tests/calls.rs:12 → dep-0.1.0/src/lib.rs:15\n"), "{text}");
    // The rounds of the spinning lock are part of one call.
    let folded = |line: &str| line.contains("dep::Lock::lock (") && line.contains(" steps)");
    assert!(text.lines().any(folded) && !text.contains("yield_now"), "{text}");
    for ours in ["crates/", "/registry/", "/raddle/crates"] {
        assert!(!text.contains(ours), "{ours}: {text}");
    }
    let ticket = text.lines().find_map(|line| line.strip_prefix("  ticket   ")).unwrap();
    let replayed = out(&raddle(&folder, &["replay", ticket]));
    assert!(replayed.contains("main waits in dep::Lock::lock"), "{replayed}");
    assert!(out(&raddle(&folder, &["show", ticket])).contains("main waits in dep::Lock::lock"));
}

/// The test's process runs in the folder of its package, and finds the ticket that the command has written below another one.
#[test]
fn a_failure_is_made_again_for_its_calls_and_its_output_from_any_folder() {
    let folder = fixture("calls");
    let output = raddle(folder.parent().unwrap(), &["test", "calls", "--test", "calls"]);
    let text = out(&output);
    assert_eq!(output.status.code(), Some(1), "{text}{}", err(&output));
    assert!(text.contains("main waits in dep::Lock::lock for main.1/Mutex#1"), "{text}");
    assert!(!text.contains("cannot read the ticket"), "{text}");
}
