//! The command: what it prints, what it returns, and that a ticket replays.

mod common;

use common::*;
use raddle_erlang::command::{FAILED, PASSED, UNUSABLE, parse, run};
use std::path::{Path, PathBuf};

fn suite(file: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suite/erlang").join(file);
    path.to_string_lossy().into_owned()
}

/// What the command prints, and its exit code.
fn command(arguments: &[&str]) -> (String, i32) {
    let mut out = Vec::new();
    let code = match parse(arguments.iter().map(|a| (*a).to_owned())) {
        Ok(options) => run(&options, &mut out).expect("a vector takes everything"),
        Err(message) => return (message, UNUSABLE),
    };
    (String::from_utf8(out).expect("text"), code)
}

#[test]
fn every_test_of_a_module_is_explored() {
    if !erlang_is_there() {
        return;
    }
    let file = suite("small_tests.erl");
    let (text, code) = command(&[&file, "--grain", "thesis", "--strict"]);
    assert_eq!(code, FAILED, "{text}");
    assert!(text.contains("small_tests:passes_test: passed, 1 interleaving ("), "{text}");
    assert!(text.contains("small_tests:counter_test: FAILED, "), "{text}");
    assert!(text.contains("small_tests:several_test_: passed, "), "{text}");
    assert!(text.ends_with("3 tests, not all passed\n"), "{text}");
}

#[test]
fn a_failure_is_told_step_by_step_and_replays() {
    if !erlang_is_there() {
        return;
    }
    let file = suite("small_tests.erl");
    let arguments = [&file, "--grain", "thesis", "--strict", "--test", "counter_test"];
    let (text, code) = command(&arguments);
    assert_eq!(code, FAILED, "{text}");
    assert!(text.contains("P crashed: {assertEqual,"), "{text}");
    let steps = [
        "P: #Ref<P.1> = counters:new(1, [])  in small.erl line ",
        "P.1: 0 = counters:get(#Ref<P.1>, 1)  in small.erl line ",
        "P.2: ok = counters:put(#Ref<P.1>, 1, 1)  in small.erl line ",
        "P: receives the message done  in small.erl line ",
        "P: exits (",
    ];
    for step in steps {
        assert!(text.contains(step), "no {step} in {text}");
    }
    let ticket = text.split("--replay '").nth(1).and_then(|t| t.split('\'').next()).expect("a ticket");
    let mut again = arguments.to_vec();
    again.extend(["--replay", ticket]);
    let (replayed, code) = command(&again);
    assert_eq!(code, FAILED, "{replayed}");
    let told =
        |text: &str| text.lines().filter(|l| l.starts_with("    ")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(told(&text), told(&replayed));
    assert!(replayed.contains("replayed one schedule"), "{replayed}");
}

#[test]
fn what_erlc_says_is_shown() {
    if !erlang_is_there() {
        return;
    }
    let file = directory("broken").join("broken.erl");
    std::fs::write(&file, "-module(broken).\n-export([f/0]).\nf() -> X.\n").expect("written");
    let (text, code) = command(&[&file.to_string_lossy()]);
    assert_eq!(code, UNUSABLE);
    assert!(text.contains("broken.erl:3:8: variable 'X' is unbound"), "{text}");
}

#[test]
fn what_is_wrong_with_arguments_is_said() {
    let (text, code) = command(&["--grain", "coarse"]);
    assert_eq!((text.as_str(), code), ("--grain is full, thesis or receive, not coarse", UNUSABLE));
    let (text, _) = command(&["--gain", "full"]);
    assert!(text.starts_with("there is no option --gain\nusage: raddle erl"), "{text}");
    let (text, code) = command(&["no_such_file.beam"]);
    assert_eq!((text.as_str(), code), ("there is no file no_such_file.beam\n", UNUSABLE));
    let (text, _) = command(&["--preemptions", "few"]);
    assert_eq!(text, "--preemptions needs a number, not few");
}

#[test]
fn beam_files_of_self_contained_modules_need_no_erlang() {
    if !erlang_is_there() {
        return;
    }
    let dir = compile_suite("self_contained", &["thesis_listings.erl"], &[]);
    let file = dir.join("thesis_listings.beam");
    let arguments = [&file.to_string_lossy(), "--test", "listing_4_2", "--grain", "thesis"];
    let (text, code) = command(&arguments);
    assert_eq!(code, PASSED, "{text}");
    assert!(text.contains("passed, 3 interleavings (exhaustive · grain thesis"), "{text}");
    // Coarse steps are never called exhaustive.
    let (text, _) = command(&[&file.to_string_lossy(), "--test", "listing_4_2", "--grain", "receive"]);
    assert!(text.contains("(every coarse interleaving · grain receive: coarse, may miss"), "{text}");
}

#[test]
fn what_is_missing_is_named_with_its_caller() {
    if !erlang_is_there() {
        return;
    }
    let text =
        "-module(unsupported).\n-export([a_test/0]).\na_test() ->\n    X = os:cmd(\"ls\"),\n    {X}.\n";
    let dir = compile_text("unsupported", text);
    let (text, code) = command(&[&dir.join("unsupported.beam").to_string_lossy()]);
    assert_eq!(code, UNUSABLE);
    let expected = "os:cmd/1 is not supported: programs under test cannot reach the outside (called at unsupported.erl:4)";
    assert!(text.contains(expected), "{text}");
    let text = "-module(missing).\n-export([a_test/0]).\na_test() ->\n    X = erlang:trace_info(new, flags),\n    {X}.\n";
    let dir = compile_text("missing", text);
    let (text, _) = command(&[&dir.join("missing.beam").to_string_lossy()]);
    assert!(
        text.contains("  erlang:trace_info/2 is not supported yet (called at missing.erl:4)\n"),
        "{text}"
    );
}

#[test]
fn the_guide_shows_what_is_printed() {
    if !erlang_is_there() {
        return;
    }
    let guide = include_str!("../guide/for_erlang_programmers.md");
    let mut shown =
        guide.lines().skip_while(|l| !l.starts_with("$ raddle-erl suite/erlang/account_tests.erl"));
    let arguments: Vec<&str> = shown.next().expect("the command").split(' ').skip(3).collect();
    let file = suite("account_tests.erl");
    let mut all = vec![file.as_str()];
    all.extend(arguments);
    let (text, code) = command(&all);
    assert_eq!(code, FAILED, "{text}");
    let lines: Vec<&str> = shown.take_while(|l| !l.starts_with("```")).collect();
    assert!(lines.len() > 5);
    for line in lines {
        assert!(
            text.lines().any(|l| l.starts_with(line)),
            "the guide shows\n{line}\nbut what is printed is\n{text}"
        );
    }
}
