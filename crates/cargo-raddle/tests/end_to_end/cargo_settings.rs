//! What cargo does for tests is done for explored tests: `[env]` of its configuration, link-time optimisation, a crate
//! under the name `alloc`, procedural macros. And what is said if nothing was explored.

use crate::common::{err, fixture, out, raddle};

fn explore(arguments: &[&str]) -> (String, Option<i32>) {
    let output = raddle(&fixture("cargo_settings"), &[&["test"], arguments].concat());
    (out(&output) + &err(&output), output.status.code())
}

#[test]
fn the_environment_of_the_configuration_is_set() {
    let (text, code) = explore(&["--workspace"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("2 passed (2 of them exhaustively), 1 skipped, 1 ignored"), "{text}");
    assert!(text.contains("a procedural macro is compiled for the compiler"), "{text}");
}

#[test]
fn link_time_optimisation_is_switched_off() {
    for profile in [&["--release"][..], &["--profile", "release-with-lto"]] {
        let (text, code) = explore(profile);
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains("2 passed (2 of them exhaustively), 1 ignored"), "{text}");
    }
}

#[test]
fn several_filters_select_tests_that_fit_one_of_them() {
    let (text, code) = explore(&["two_threads", "configured"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("2 tests: 2 passed"), "{text}");
    let (text, code) = explore(&["two_threads", "no/such/folder"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("no/such/folder is no folder with a Cargo.toml"), "{text}");
}

#[test]
fn nothing_explored_is_no_success() {
    for (arguments, why) in [
        (&["no_such_name"][..], "no test was explored: none has such a name"),
        (&["tests::ignored"], "no test was explored: all are skipped or ignored"),
        (&["-p", "macros"], "no test was explored: all are skipped or ignored"),
    ] {
        let (text, code) = explore(arguments);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(why), "{text}");
        let (text, code) = explore(&[arguments, &["--no-tests=pass"]].concat());
        assert_eq!(code, Some(0), "{text}");
    }
}

#[test]
fn skipped_tests_fail_if_that_is_wanted() {
    let (text, code) = explore(&["--workspace", "--fail-on-skipped"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("tests were skipped, and --fail-on-skipped was given"), "{text}");
}

#[test]
fn colours_are_chosen() {
    for (when, coloured) in [("always", true), ("never", false), ("auto", false)] {
        let output = raddle(&fixture("features"), &["test", "--only", "tests::fails", "--color", when]);
        assert_eq!(out(&output).contains('\u{1b}'), coloured, "{when}: {}", out(&output));
    }
}
