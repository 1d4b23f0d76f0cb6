//! Whole workspaces: a procedural macro, a build script, a crate without std, integration tests, several editions, a
//! program with a main of its own, and a crate that uses raddle itself.

use crate::common::{err, explored, fixture, out, raddle};

#[test]
fn a_workspace_of_many_kinds_is_explored_whole() {
    let folder = fixture("medley", "whole");
    let (tests, code) = explored(&folder, &["--workspace"]);
    let verdicts: Vec<(&str, &str)> =
        tests.iter().map(|(name, test)| (name.as_str(), test["verdict"].as_str().unwrap())).collect();
    let expected = [
        ("(all)", "skipped"),
        ("both_names_are_there", "passed"),
        ("tests::a_count_is_lost_in_a_crate_without_std", "failed"),
        ("tests::the_answer_is_known", "passed"),
        ("tests::the_macro_made_a_counter", "passed"),
    ];
    assert_eq!(verdicts, expected);
    assert_eq!(code, 1);
    assert!(tests["(all)"]["because"].as_str().unwrap().contains("harness = false"));
    assert_eq!(tests["both_names_are_there"]["coverage"]["extent"], "exhaustive");
    let failure = tests["tests::a_count_is_lost_in_a_crate_without_std"]["failure"].to_string();
    assert!(failure.contains("plain/src/lib.rs"), "the steps in the crate without std are seen: {failure}");
}

#[test]
fn cargo_gets_its_own_arguments_and_tests_can_be_chosen() {
    let folder = fixture("medley", "chosen");
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
    let folder = fixture("medley", "excluded");
    // Nothing in that crate is seen any more, so nothing is found there; its types do not cross the border here.
    let (tests, code) = explored(&folder, &["-p", "older", "--exclude", "plain"]);
    assert_eq!(code, 0, "{tests:#?}");
    assert_eq!(tests["tests::a_count_is_lost_in_a_crate_without_std"]["verdict"], "passed");
}

#[test]
fn checks_of_a_crate_that_uses_raddle_take_the_place_of_ours() {
    let folder = fixture("explicit", "checks");
    let (tests, code) = explored(&folder, &[]);
    assert_eq!(code, 1, "{tests:#?}");
    let test = |name: &str| &tests[&format!("tests::{name}")];
    let sampled = &test("with_the_attribute")["coverage"]["extent"]["sampled"];
    assert_eq!((&sampled["schedules"], &sampled["seed"]), (&50.into(), &7.into()));
    assert_eq!(test("that_should_panic")["verdict"], "passed");
    assert_eq!(test("with_a_check_inside")["coverage"]["extent"], "exhaustive");
    assert_eq!(test("without_any")["coverage"]["extent"], "exhaustive");
    assert_eq!(test("that_fails")["verdict"], "failed");
    let replayed = raddle(&folder, &["replay", test("that_fails")["ticket"].as_str().unwrap()]);
    assert_eq!(replayed.status.code(), Some(1), "{}{}", out(&replayed), err(&replayed));
    assert!(out(&replayed).contains("left: 1"), "{}", out(&replayed));
}
