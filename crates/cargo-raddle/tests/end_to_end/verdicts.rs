//! What becomes of tests of all kinds, in a crate that has never heard of raddle.

use crate::common::{command, err, explored, failed_as, fixture, out, raddle, results};

#[test]
fn tests_that_pass_are_seen_to_pass_in_all_their_schedules() {
    let folder = fixture("verdicts");
    let (tests, code) = explored(&folder, &["--budget", "30s", "--", "passes::"]);
    assert_eq!(code, 0, "{tests:#?}");
    assert_eq!(tests.len(), 16);
    for (name, test) in &tests {
        if name == "passes::if_it_is_not_ignored" {
            assert_eq!((&test["verdict"], &test["because"]), (&"ignored".into(), &"it takes a week".into()));
            continue;
        }
        assert_eq!(test["verdict"], "passed", "{name}: {test:#}");
        assert_eq!(test["coverage"]["extent"], "exhaustive", "{name}: {test:#}");
    }
    let executions = |name: &str| tests[&format!("passes::{name}")]["executions"].as_u64().unwrap();
    assert_eq!((executions("alone"), executions("after_an_hour")), (1, 1));
    assert!(executions("with_a_mutex") > 1 && executions("with_clean_statics") > 1);
    let assumed = tests["passes::alone"]["covered"].to_string();
    assert!(!assumed.contains("reference counts"), "{assumed}");

    let (tests, _) = explored(&folder, &["--", "--ignored"]);
    assert_eq!(tests["passes::if_it_is_not_ignored"]["verdict"], "passed");
    assert_eq!(tests.len(), 1);
}

#[test]
fn tests_that_fail_say_why_and_can_be_replayed() {
    let folder = fixture("verdicts");
    let (tests, code) = explored(&folder, &["fails::"]);
    assert_eq!(code, 1);
    let expected = [
        ("in_one_schedule", "panic", "left: 1"),
        ("with_a_deadlock", "deadlock", ""),
        ("asleep_on_a_futex", "deadlock", ""),
        ("by_not_panicking", "panic", "did not panic"),
        ("by_not_panicking_where_a_thread_does", "panic", "did not panic"),
        ("where_a_thread_panics", "panic", "and it is never joined"),
        ("where_a_joined_thread_panics", "panic", "and main joins it"),
        (
            "with_other_words",
            "panic",
            "should panic with \"these words\", but it panicked with \"those words\"",
        ),
        ("with_an_error", "panic", "the test returned an error"),
        ("by_ending_the_process", "panic", "main ended the process with exit code 0"),
        ("by_aborting", "panic", "main aborted the process"),
        // It is as late when it is replayed.
        ("at_this_time", "panic", "3600.000"),
    ];
    assert_eq!(tests.len(), expected.len());
    for (name, kind, words) in expected {
        let test = &tests[&format!("fails::{name}")];
        let defect = failed_as(&folder, test, kind);
        assert!(defect["message"].as_str().unwrap().contains(words), "{name}: {defect:#}");
    }
    // Only the execution that is reported speaks.
    let test = &tests["fails::in_one_schedule"];
    assert_eq!(test["output"], "the count is 1");
    assert_eq!(tests["fails::with_an_error"]["output"], "Error: \"it went wrong\"");
    // A thread that panics on purpose.
    let detached = ["--only", "fails::where_a_thread_panics"];
    let told = raddle(&folder, &["test", detached[0], detached[1]]);
    assert!(out(&told).contains("nor does raddle with --allow-thread-panics"), "{}", out(&told));
    let joined = raddle(&folder, &["test", detached[0], "fails::where_a_joined_thread_panics"]);
    assert!(!out(&joined).contains("--allow-thread-panics"), "it is main that fails: {}", out(&joined));
    let (allowed, code) = explored(&folder, &["--allow-thread-panics", detached[0], detached[1]]);
    let allowed = &allowed["fails::where_a_thread_panics"];
    assert_eq!((code, &allowed["verdict"]), (0, &"passed".into()), "{allowed:#}");
    let assumed = allowed["covered"].to_string();
    assert!(assumed.contains("threads that are never joined may panic"), "{assumed}");

    let shown = raddle(&folder, &["show", test["ticket"].as_str().unwrap()]);
    assert_eq!(shown.status.code(), Some(0));
    assert!(out(&shown).contains("replay   cargo raddle replay "), "{}", out(&shown));
    assert!(out(&shown).contains("let seen = theirs.load(SeqCst);"), "{}", out(&shown));
}

#[test]
fn tests_that_cannot_be_explored_are_skipped_with_the_reason() {
    let folder = fixture("verdicts");
    let (tests, code) = explored(&folder, &["--patience", "2s", "--max-steps", "100000", "cannot::"]);
    assert_eq!(code, 2, "nothing was explored");
    let expected = [
        ("without_a_socket", "it waits for a connection (accept)"),
        ("in_any_time", "the main task has been running for 2 s without any operation"),
        ("in_so_many_steps", "too long: the execution took 100,000 steps"),
        ("without_the_real_clock", "not deterministic"),
        ("without_the_real_file", "not deterministic, something in it is not under control"),
        ("without_the_real_file_at_the_end", "step 7 was `main lock Mutex#1`, now it is `main end`"),
        ("without_the_real_file_in_the_last_step", "step 7 was `main lock Mutex#"),
        ("without_a_clean_folder", "it passed, and ended in a panic when the same schedule was run again"),
    ];
    for (name, words) in expected {
        let test = &tests[&format!("cannot::{name}")];
        assert_eq!(test["verdict"], "skipped", "{test:#}");
        assert!(test["because"].as_str().unwrap().contains(words), "{test:#}");
    }
    let endless = tests["cannot::in_any_time"]["because"].as_str().unwrap();
    assert!(endless.ends_with("without any operation"), "no place in raddle is of interest: {endless}");
    let divergence = tests["cannot::without_the_real_clock"]["because"].as_str().unwrap();
    assert!(!divergence.contains("-arc"), "counts are visible where they matter: {divergence}");

    // Without a limit, a few schedules of a long test are explored.
    let (tests, code) = explored(&folder, &["cannot::in_so_many_steps"]);
    assert_eq!((tests.len(), code), (3, 0));
    for test in tests.values() {
        assert_eq!(test["verdict"], "passed", "{test:#}");
        assert!(test["coverage"]["extent"]["sampled"]["schedules"].as_u64().unwrap() > 0, "{test:#}");
    }
    // Also if only some of its executions are.
    let assumed = tests["cannot::in_so_many_steps_if_early"]["covered"].to_string();
    assert!(assumed.contains("only the first 100,000 steps"), "{assumed}");
}

#[test]
fn a_process_that_ends_without_a_verdict_is_an_error() {
    let folder = fixture("verdicts");
    let (tests, code) = explored(&folder, &["ends::"]);
    assert_eq!(code, 2);
    let test = &tests["ends::without_a_verdict"];
    assert_eq!(test["verdict"], "no verdict");
    assert_eq!(test["because"], "its process ended with exit code 3 before there was a verdict");
}

#[test]
fn stacks_are_as_large_as_those_of_std() {
    let folder = fixture("verdicts");
    let (tests, code) = explored(&folder, &["deep::"]);
    assert_eq!(code, 1, "{tests:#?}");
    let defect = &tests["deep::far_down"]["failure"]["defect"];
    let message = defect["message"].as_str().unwrap();
    assert!(message.starts_with("main.1 overflowed its stack of 2,048 KiB"), "{message}");
    assert!(message.contains("RUST_MIN_STACK"), "{message}");
    assert_eq!(tests["deep::down"]["verdict"], "passed");
    let larger = ["test", "--message-format", "json", "deep::"];
    let (tests, code) =
        results(&command(&folder, &larger).env("RUST_MIN_STACK", "67108864").output().unwrap());
    assert_eq!((code, &tests["deep::far_down"]["verdict"]), (0, &"passed".into()), "{tests:#?}");
}

#[test]
fn the_search_is_as_it_was_asked_for() {
    let folder = fixture("verdicts");
    let asked =
        ["--strategy", "random", "--schedules", "20", "--seed", "7", "--only", "passes::with_a_mutex"];
    let (tests, _) = explored(&folder, &asked);
    let sampled = &tests["passes::with_a_mutex"]["coverage"]["extent"]["sampled"];
    assert_eq!((&sampled["schedules"], &sampled["seed"]), (&20.into(), &7.into()));

    let asked =
        ["--strategy", "dfs", "--workers", "2", "--preemptions", "0", "--only", "passes::with_clean_statics"];
    let (tests, _) = explored(&folder, &asked);
    let within = &tests["passes::with_clean_statics"]["coverage"]["extent"]["within"];
    assert_eq!(within[0]["preemptions"], 0, "{tests:#?}");

    // The first test has a turn, and then there is no time left.
    let (tests, code) =
        explored(&folder, &["--total-budget", "1ms", "--jobs", "1", "--no-tests", "pass", "passes::"]);
    assert_eq!(code, 0);
    let late = |t: &&serde_json::Value| t["because"] == "the total budget was used up before";
    assert!(tests.values().filter(late).count() > 5, "{tests:#?}");

    let quiet = raddle(&folder, &["test", "--only", "passes::alone"]);
    assert!(!err(&quiet).contains("tests done"), "progress is for terminals: {}", err(&quiet));
}
