//! Whole workspaces: a procedural macro, a build script, a crate without std, integration tests, doctests, several
//! editions, a program with a main of its own, and a crate that uses raddle itself.

use crate::common::{command, err, explored, fixture, out, raddle, results, shared};

#[test]
fn a_workspace_of_many_kinds_is_explored_whole() {
    let folder = fixture("medley");
    let (tests, code) = explored(&folder, &["--workspace"]);
    let verdicts: Vec<(&str, &str)> =
        tests.iter().map(|(name, test)| (name.as_str(), test["verdict"].as_str().unwrap())).collect();
    let expected = [
        ("(all)", "skipped"),
        ("both_names_are_there", "passed"),
        ("modern/src/lib.rs - (line 3)", "passed"),
        ("modern/src/lib.rs - add (line 15)", "passed"),
        ("modern/src/lib.rs - add (line 20)", "passed"),
        ("modern/src/lib.rs - add (line 24)", "skipped"),
        ("modern/src/lib.rs - add (line 29)", "skipped"),
        ("modern/src/lib.rs - add (line 33)", "ignored"),
        ("modern/src/lib.rs - add (line 37)", "failed"),
        ("older/src/lib.rs - answer (line 10)", "passed"),
        ("older/src/lib.rs - answer (line 14)", "passed"),
        ("tests::a_count_is_lost_in_a_crate_without_std", "failed"),
        ("tests::the_answer_is_known", "passed"),
        ("tests::the_macro_made_a_counter", "passed"),
    ];
    assert_eq!(verdicts, expected);
    assert_eq!(code, 1);
    assert!(tests["(all)"]["because"].as_str().unwrap().contains("harness = false"));
    assert_eq!(tests["both_names_are_there"]["coverage"]["extent"], "exhaustive");
    let because = |line: u32| tests[&format!("modern/src/lib.rs - add (line {line})")]["because"].to_string();
    assert!(because(24).contains("no_run") && because(29).contains("compile_fail"), "{tests:#?}");
    let failure = tests["tests::a_count_is_lost_in_a_crate_without_std"]["failure"].to_string();
    assert!(failure.contains("plain/src/lib.rs"), "the steps in the crate without std are seen: {failure}");
}

#[test]
fn cargo_gets_its_own_arguments_and_tests_can_be_chosen() {
    let folder = fixture("medley");
    let (tests, code) =
        explored(&folder, &["-p", "modern", "--features", "modern/broken", "--test", "names"]);
    assert_eq!((tests.len(), code), (2, 1));
    let ticket = tests["the_first_is_always_first"]["ticket"].as_str().unwrap();
    let replayed = raddle(&folder, &["replay", ticket]);
    assert_eq!(replayed.status.code(), Some(1), "{}", err(&replayed));

    let only = ["test", "-p", "older", "--only", "tests::the_answer_is_known"];
    let table = raddle(&folder, &only);
    assert_eq!(table.status.code(), Some(0), "{}", err(&table));
    assert!(out(&table).contains("1 test: 1 passed (1 of them exhaustively)"), "{}", out(&table));

    let listed = raddle(&folder, &["test", "-p", "older", "--list"]);
    assert_eq!(out(&listed).lines().filter(|line| line.starts_with("older: tests::")).count(), 3);
}

#[test]
fn an_excluded_crate_runs_on_the_real_std() {
    let folder = fixture("medley");
    // Nothing in that crate is seen any more, so nothing is found there; its types do not cross the border here.
    let (tests, code) = explored(&folder, &["-p", "older", "--exclude", "plain"]);
    assert_eq!(code, 0, "{tests:#?}");
    assert_eq!(tests["tests::a_count_is_lost_in_a_crate_without_std"]["verdict"], "passed");
    let partial = |test: &serde_json::Value| {
        test["coverage"]["extent"]["partial"]["excluded"]["crates"] == serde_json::json!(["plain"])
    };
    let passed: Vec<_> = tests.values().filter(|test| test["verdict"] == "passed").collect();
    assert!(!passed.is_empty() && passed.iter().all(|test| partial(test)), "never exhaustive: {tests:#?}");
    // And whatever the extent is, it is named among what was assumed.
    let (sampled, _) =
        explored(&folder, &["-p", "older", "--exclude", "plain", "--strategy", "random", "--schedules", "9"]);
    let assumed =
        |test: &&serde_json::Value| test["covered"].to_string().contains("nothing is seen of plain");
    assert!(
        passed.iter().all(assumed)
            && sampled.values().filter(|t| t["verdict"] == "passed").all(|t| assumed(&t))
    );
}

#[test]
fn checks_of_a_crate_that_uses_raddle_take_the_place_of_ours() {
    let folder = fixture("explicit");
    let (tests, code) = explored(&folder, &[]);
    assert_eq!(code, 1, "{tests:#?}");
    let test = |name: &str| &tests[&format!("tests::{name}")];
    let sampled = &test("with_the_attribute")["coverage"]["extent"]["sampled"];
    assert_eq!((&sampled["schedules"], &sampled["seed"]), (&50.into(), &7.into()));
    assert_eq!(test("that_should_panic")["verdict"], "passed");
    assert_eq!(test("with_a_check_inside")["coverage"]["extent"], "exhaustive");
    assert_eq!(test("without_any")["coverage"]["extent"], "exhaustive");
    assert_eq!(test("that_fails")["verdict"], "failed");
    // Its allocator is raddle's own, on top of raddle's.
    let race = &test("that_races_for_the_heap")["failure"]["defect"];
    assert_eq!(race["kind"], "data-race", "{race:#}");
    assert!(!tests.values().any(|test| test["coverage"].to_string().contains("own-allocator-not-used")));
    let replayed = raddle(&folder, &["replay", test("that_fails")["ticket"].as_str().unwrap()]);
    assert_eq!(replayed.status.code(), Some(1), "{}{}", out(&replayed), err(&replayed));
    assert!(out(&replayed).contains("left: 1"), "{}", out(&replayed));
}

/// Those that are programs of their own, too.
#[test]
fn every_doctest_has_a_ticket_of_its_own() {
    let folder = fixture("documented");
    let (tests, code) = explored(&folder, &["--doc"]);
    assert_eq!((tests.len(), code), (2, 1), "{tests:#?}");
    let mut tickets = Vec::new();
    for (name, words) in [("first", "the first"), ("second", "the second")] {
        let (_, test) = tests.iter().find(|(test, _)| test.contains(name)).unwrap();
        let message = test["failure"]["defect"]["message"].as_str().unwrap();
        assert!(message.contains(words), "{message}");
        tickets.push((test["ticket"].as_str().unwrap(), words));
    }
    for (ticket, words) in tickets {
        let replayed = raddle(&folder, &["replay", ticket]);
        assert_eq!(replayed.status.code(), Some(1), "{}", err(&replayed));
        assert!(out(&replayed).contains(words), "{}", out(&replayed));
    }
}

#[test]
fn doctests_are_tests_like_others() {
    let folder = fixture("medley");
    let (tests, code) = explored(&folder, &["-p", "modern", "--doc"]);
    assert_eq!((tests.len(), code), (7, 1), "{tests:#?}");
    let failed = &tests["modern/src/lib.rs - add (line 37)"];
    assert!(failed["failure"]["defect"]["message"].as_str().unwrap().contains("left: 3"), "{failed:#}");
    let replayed = raddle(&folder, &["replay", failed["ticket"].as_str().unwrap()]);
    assert_eq!(replayed.status.code(), Some(1), "{}{}", out(&replayed), err(&replayed));
    assert!(out(&replayed).contains("left: 3"), "{}", out(&replayed));

    let (tests, code) = explored(&folder, &["-p", "modern", "--doc", "--", "(line 3)"]);
    assert_eq!((tests.len(), code), (1, 0), "{tests:#?}");
    let (tests, _) = explored(&folder, &["-p", "modern", "--lib", "--tests"]);
    assert!(!tests.keys().any(|name| name.contains("(line")), "only what was asked for: {tests:#?}");
}

#[test]
fn a_type_that_crosses_the_border_of_an_excluded_crate_is_explained() {
    let folder = fixture("medley");
    let crossing = ["test", "-p", "older", "--features", "older/crossing", "--exclude", "plain"];
    let output = raddle(&folder, &crossing);
    assert_eq!(output.status.code(), Some(2), "{}", out(&output));
    let said = err(&output);
    assert!(said.contains("mismatched types") && said.contains("plain run on the real std"), "{said}");
    let output = raddle(&folder, &crossing[..5]);
    assert_ne!(output.status.code(), Some(2), "{}", err(&output));
}

#[test]
fn memory_is_at_the_same_addresses_in_every_execution() {
    let folder = fixture("memory");
    let (tests, code) = explored(&folder, &[]);
    assert_eq!((tests.len(), code), (5, 0), "{tests:#?}");
    for (name, test) in &tests {
        assert_eq!(test["verdict"], "passed", "{name}: {test:#}");
        assert_eq!(test["coverage"]["extent"], "exhaustive", "{name}: {test:#}");
        let assumed = test["covered"].to_string();
        assert!(!assumed.contains("addresses") && !assumed.contains("allocator"), "{name}: {assumed}");
    }
    // The allocator's own operations are seen: the other thread's block is there, or it is not.
    assert!(tests["tests::allocations_of_others_are_counted_too"]["executions"].as_u64().unwrap() > 1);
}

/// With this variable set, memory of executions that are over is out of bounds: an access to it crashes, and what is
/// explored then is said to have other addresses.
#[test]
fn nothing_outlives_its_execution() {
    for (name, filter) in [("memory", ""), ("verdicts", "passes::"), ("verdicts", "fails::")] {
        let folder = fixture(name);
        let few = ["test", "--message-format", "json", "--strategy", "random", "--schedules", "100", filter];
        let output = command(&folder, &few[..few.len() - usize::from(filter.is_empty())])
            .env("RADDLE_STRICT_ARENA", "1")
            .output()
            .unwrap();
        let (tests, code) = results(&output);
        assert_eq!(code, i32::from(filter == "fails::"), "{tests:#?}");
        for (test, result) in &tests {
            let assumed = result["covered"].to_string();
            assert!(!assumed.contains("addresses"), "{test}: {assumed}");
        }
    }
}

/// Who drops last, and what a count shows, is explored by default, by every kind of search; what does not matter is not.
#[test]
fn reference_counts_are_operations_where_they_matter() {
    let folder = fixture("arcs");
    let verdicts = |arguments: &[&str]| {
        let (tests, _) = explored(&folder, arguments);
        let verdict = |name: &str| tests[&format!("tests::{name}")]["verdict"].as_str().unwrap().to_owned();
        let names = [
            "another_drops_last",
            "nobody_else_has_it",
            "it_is_still_there",
            "a_destructor_waits_for_what_its_task_holds",
            "it_is_coerced",
            "it_is_an_arc_like_any_other",
        ];
        let covered = tests["tests::three_let_go"]["covered"].to_string();
        let executions = tests["tests::three_let_go"]["executions"].as_u64().unwrap();
        (names.map(verdict), covered.contains("reference counts"), executions)
    };
    let all = ["failed", "failed", "failed", "failed", "failed", "passed"].map(str::to_owned);
    assert_eq!(verdicts(&[]), (all.clone(), false, 1), "counts that no task observes cost no execution");
    for search in [&["iterative"][..], &["uniform", "--schedules", "300"]] {
        assert_eq!(verdicts(&[&["--strategy"], search].concat()).0, all, "{search:?}");
    }
    assert_eq!(verdicts(&["--strategy", "exhaustive", "--preemptions", "2"]).0, all);
    let (found, assumed, executions) = verdicts(&["--track-arc"]);
    assert!(found == all && !assumed);
    assert!((3..6).contains(&executions), "one for each who may be the last, and few more: {executions}");
    let (_, assumed, executions) = verdicts(&["--real-arc"]);
    assert!(assumed && executions == 1, "the line says that they are not seen");
}

/// Nor do they compile them in each other's way.
#[test]
fn doctests_that_are_compiled_twice_at_a_time_can_be_explored() {
    let from = fixture("documented");
    let folder = shared(&from, "documented-at-a-time");
    let _ = std::fs::remove_dir_all(folder.join("target"));
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..4).map(|_| scope.spawn(|| explored(&folder, &["--doc"]))).collect();
        for run in runs {
            let (tests, code) = run.join().unwrap();
            assert_eq!((tests.len(), code), (2, 1), "{tests:#?}");
            assert!(tests.values().all(|test| test["verdict"] == "failed"), "{tests:#?}");
        }
    });
}

#[test]
fn two_runs_at_a_time_do_not_lose_doctests() {
    let folder = fixture("medley");
    let list = || raddle(&folder, &["test", "-p", "modern", "--doc", "--list"]);
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..6).map(|_| scope.spawn(list)).collect();
        for run in runs {
            let output = run.join().unwrap();
            assert_eq!(out(&output).lines().count(), 7, "{}{}", out(&output), err(&output));
        }
    });
}
