//! The command: its output, its exit code, and the replay of a ticket.

mod common;

use common::*;
use raddle_erlang::command::{FAILED, PASSED, UNUSABLE, parse, run};
use std::path::{Path, PathBuf};
use std::process::Command;

fn suite(file: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suite/erlang").join(file);
    path.to_string_lossy().into_owned()
}

/// The output of the command, and its exit code.
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
fn fixtures_run_their_setup_and_cleanup_and_what_is_unknown_is_refused() {
    if !erlang_is_there() {
        return;
    }
    let text = "-module(fixture_tests).
-include_lib(\"eunit/include/eunit.hrl\").
begin_() -> put(now, made), made.
end_(made) -> erase(now).
here() -> ?assertEqual(made, get(now)).
local_test_() -> {setup, local, fun begin_/0, fun end_/1, fun(made) -> [fun here/0, ?_assert(true)] end}.
spawn_test_() -> {setup, spawn, fun begin_/0, {timeout, 5, fun here/0}}.
each_test_() -> {foreach, fun begin_/0, fun end_/1, [fun(made) -> fun here/0 end, fun here/0]}.
each_spawned_test_() -> {foreach, spawn, fun begin_/0, fun end_/1, [fun here/0]}.
unknown_test_() -> {foreachx, fun begin_/0, fun end_/1, []}.
";
    let dir = directory("fixture_tests");
    let file = dir.join("fixture_tests.erl");
    std::fs::write(&file, text).expect("the source is written");
    let file = file.to_string_lossy().into_owned();
    let (text, code) = command(&[&file]);
    assert_eq!(code, UNUSABLE, "{text}");
    for test in ["local_test_", "spawn_test_", "each_test_", "each_spawned_test_"] {
        assert!(text.contains(&format!("fixture_tests:{test}: passed, 1 interleaving (")), "{text}");
    }
    let refused = "which is not supported: name the test functions themselves with --test";
    assert!(text.contains("the test generator gives {foreachx,") && text.contains(refused), "{text}");
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
    let arguments =
        [&file.to_string_lossy(), "--test", "listing_4_2", "--grain", "thesis", "--strategy", "dfs"];
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

/// A project as rebar3 leaves it after `rebar3 eunit`: sources, and compiled code in `_build`.
fn bank() -> PathBuf {
    let project = directory("bank");
    let built = project.join("_build/test/lib/bank");
    for (dir, file, into) in [("src", "account.erl", "ebin"), ("test", "account_tests.erl", "test")] {
        for new in [project.join(dir), built.join(into)] {
            std::fs::create_dir_all(new).expect("a directory");
        }
        let source = project.join(dir).join(file);
        std::fs::copy(suite(file), &source).expect("copied");
        let erlc =
            Command::new("erlc").arg("-o").arg(built.join(into)).arg(&source).output().expect("erlc runs");
        assert!(erlc.status.success(), "{}", String::from_utf8_lossy(&erlc.stdout));
    }
    project
}

/// The output of the program itself, and its exit code.
fn program_in(folder: &Path, arguments: &[&str]) -> (String, Option<i32>) {
    let program = env!("CARGO_BIN_EXE_raddle-erl");
    let output = Command::new(program).args(arguments).current_dir(folder).output().expect("it runs");
    (String::from_utf8(output.stdout).expect("text"), output.status.code())
}

#[test]
fn the_guide_shows_what_is_printed() {
    if !erlang_is_there() {
        return;
    }
    let guide = include_str!("../guide/for_erlang_programmers.md");
    let project = bank();
    let mut commands = 0;
    for block in guide.split("```text\n$ raddle erl ").skip(1) {
        let block = block.split("```").next().expect("the block");
        let mut shown = block.lines();
        let arguments: Vec<&str> = shown.next().expect("the command").split(' ').collect();
        let (text, code) = program_in(&project, &arguments);
        assert_eq!(code, Some(FAILED), "{text}");
        // Each shown line is a prefix of a printed one; dots stand for omitted lines.
        let mut printed = text.lines();
        let mut skipping = false;
        for line in shown {
            let found = match line {
                "..." => true,
                _ if skipping => printed.any(|l| l.starts_with(line)),
                _ => printed.next().is_some_and(|l| l.starts_with(line)),
            };
            assert!(found, "the guide shows\n{line}\nbut what is printed is\n{text}");
            skipping = line == "...";
        }
        // The ticket replays the same steps, with any other options.
        let ticket = text.split("--replay '").nth(1).and_then(|t| t.split('\'').next()).expect("a ticket");
        let (again, code) =
            program_in(&project, &[&arguments[..], &["--grain", "thesis", "--replay", ticket]].concat());
        assert_eq!(code, Some(FAILED), "{again}");
        let steps = |text: &str| {
            text.lines().filter(|l| l.starts_with("    P")).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(steps(&text), steps(&again));
        commands += 1;
    }
    assert_eq!(commands, 2);
}

#[test]
fn what_was_printed_is_shown_with_the_failure() {
    if !erlang_is_there() {
        return;
    }
    let text = "-module(prints).
-export([a_test/0]).
a_test() ->
    io:format(\"the answer is ~p~n\", [42]),
    Me = self(),
    spawn(fun() -> io:put_chars(\"from a child\\n\"), Me ! done end),
    receive done -> exit(oops) end.
";
    let dir = compile_text("prints", text);
    let file = dir.join("prints.beam");
    let (text, code) = command(&[&file.to_string_lossy()]);
    assert_eq!(code, FAILED, "{text}");
    assert!(text.contains("  printed by P:\n    the answer is 42\n"), "{text}");
    assert!(text.contains("  printed by P.1:\n    from a child\n"), "{text}");
    let ticket = text.split("--replay '").nth(1).and_then(|t| t.split('\'').next()).expect("a ticket");
    let (again, _) = command(&[&file.to_string_lossy(), "--replay", ticket]);
    assert!(again.contains("    the answer is 42\n"), "{again}");
}

/// Every option of the command is in its usage text and in the guide.
#[test]
fn usage_and_guide_list_what_is_accepted() {
    let source = include_str!("../src/command/arguments.rs");
    let guide = include_str!("../guide/for_erlang_programmers.md");
    let parsing =
        source.split("pub fn parse").nth(1).and_then(|s| s.split("impl Options").next()).expect("it");
    let words: Vec<&str> =
        parsing.split('"').skip(1).step_by(2).filter(|w| !w.contains([' ', '{', '\\'])).collect();
    assert!(words.contains(&"optimal") && words.contains(&"--kill") && words.contains(&"pairs"), "{words:?}");
    for word in words {
        assert!(raddle_erlang::command::USAGE.contains(word), "{word} is not in the usage text");
        if !["--pa", "--help", "-h", "-"].contains(&word) {
            assert!(guide.contains(word), "{word} is not in the guide");
        }
    }
}

#[test]
fn help_is_no_error() {
    let (text, code) = command(&["--help"]);
    assert!(text.starts_with("usage: raddle erl [OPTIONS]") && code == PASSED, "{text}");
}

#[test]
fn what_is_not_there_is_named_with_what_to_do() {
    if !erlang_is_there() {
        return;
    }
    let dir = compile_suite("not_there", &["small.erl", "small_tests.erl"], &[]);
    let dir = dir.to_string_lossy();
    let said = |arguments: &[&str]| {
        let (text, code) = command(arguments);
        assert_eq!(code, UNUSABLE, "{text}");
        text
    };
    let is_a_directory =
        format!("{dir} is a directory: say -pa {dir}, and --module if not all of its tests are wanted\n");
    assert_eq!(said(&[&dir]), is_a_directory);
    assert_eq!(said(&["-pa", "no_such_directory"]), "there is no directory no_such_directory\n");
    assert_eq!(said(&["-pa", &dir, "--module", "nope"]), "there is no nope.beam in the -pa directories\n");
    assert_eq!(said(&["--module", "nope"]), "there is no nope.beam: say with -pa where it is\n");
    let wrong = said(&["-pa", &dir, "--module", "small", "--test", "nope"]);
    assert_eq!(wrong, "there is no exported function nope/0 in small\n");
    // Several directories after one -pa, as with erl; later arguments are not among them.
    let other = directory("not_there_either");
    let options = parse(["-pa", &other.to_string_lossy(), &dir, "x.beam"].map(str::to_owned)).expect("right");
    assert_eq!((options.pa.len(), options.files.len()), (2, 1));
    // Without a module, every module with tests in the directory.
    let (text, code) = command(&["-pa", &dir]);
    assert_eq!(code, FAILED);
    assert!(text.ends_with("3 tests, not all passed\n"), "{text}");
}

#[test]
fn a_module_that_is_missing_is_named_with_what_to_do() {
    if !erlang_is_there() {
        return;
    }
    let folder = directory("missing_module");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("written");
    write(
        "calls.erl",
        "-module(calls).\n-export([a_test/0, b_test/0]).\na_test() -> nowhere:f().\nb_test() -> badly:f().\n",
    );
    write("badly.erl", "-module(badly).\n-export([f/0]).\nf() -> X.\n");
    let file = folder.join("calls.erl");
    let (text, code) = command(&[&file.to_string_lossy()]);
    assert_eq!(code, FAILED, "{text}");
    assert!(
        text.contains("  there is no module nowhere: if it is one of yours, say with -pa where it is\n"),
        "{text}"
    );
    assert!(text.contains("  badly.erl is there but does not compile:\n"), "{text}");
    assert!(text.contains("badly.erl:3:8: variable 'X' is unbound"), "{text}");
}

#[test]
fn without_erlang_it_says_how_to_get_it() {
    if !erlang_is_there() {
        return;
    }
    let without = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_raddle-erl"))
            .args(arguments)
            .env("PATH", "/nowhere")
            .env_remove("RADDLE_ERLANG_ROOT")
            .output()
            .expect("it runs");
        (String::from_utf8(output.stdout).expect("text"), output.status.code())
    };
    let (text, code) = without(&[&suite("small_tests.erl")]);
    assert_eq!(code, Some(UNUSABLE));
    assert!(text.starts_with("Erlang is not installed: "), "{text}");
    assert!(text.contains("`apt-get install erlang-base erlang-dev erlang-eunit`"), "{text}");
    // Modules that use nothing of OTP work; others report what is missing.
    let dir =
        compile_suite("without_erlang", &["thesis_listings.erl", "account.erl", "account_tests.erl"], &[]);
    let (text, code) =
        without(&[&dir.join("thesis_listings.beam").to_string_lossy(), "--test", "listing_4_2"]);
    assert_eq!(code, Some(PASSED), "{text}");
    let (text, code) = without(&[&dir.join("account_tests.beam").to_string_lossy()]);
    assert_eq!(code, Some(FAILED), "{text}");
    assert!(text.contains("there is no module gen_server, and Erlang is not installed"), "{text}");
}

#[test]
fn tickets_that_cannot_be_used_are_refused() {
    if !erlang_is_there() {
        return;
    }
    let dir = compile_suite("tickets", &["small.erl", "small_tests.erl"], &[]);
    let file = dir.join("small_tests.beam");
    let file = file.to_string_lossy();
    let (text, code) = command(&[&file, "--replay", "garbage"]);
    assert_eq!(
        (text.as_str(), code),
        ("not a usable ticket: a ticket starts with `raddle1;` or is a JSON file\n", UNUSABLE)
    );
    let (text, _) = command(&[&file]);
    let ticket = text.split("--replay '").nth(1).and_then(|t| t.split('\'').next()).expect("a ticket");
    let (text, code) = command(&[&file, "--replay", &ticket[..ticket.len() / 2]]);
    assert!(text.starts_with("not a usable ticket: "), "{text}");
    assert_eq!(code, UNUSABLE);
    // Only the ticket's test is replayed, with the ticket's settings, with any other options.
    let (text, code) = command(&[&file, "--replay", ticket, "--grain", "thesis"]);
    assert_eq!(code, FAILED, "{text}");
    assert!(
        text.starts_with(
            "small_tests:counter_test: FAILED, 1 interleaving (replayed one schedule · grain full"
        ),
        "{text}"
    );
    assert!(!text.contains("passes_test"), "{text}");
}

#[test]
fn a_long_story_shows_its_beginning_and_its_end() {
    if !erlang_is_there() {
        return;
    }
    let dir = compile_suite("long_record", &["thesis_listings.erl"], &[]);
    let file = dir.join("thesis_listings.beam");
    let arguments =
        [&file.to_string_lossy(), "--test", "listing_4_1", "--strategy", "dfs", "--max-steps", "1000"];
    let (text, code) = command(&arguments);
    assert_eq!(code, FAILED, "{text}");
    assert!(text.contains("    ... 800 steps ...\n"), "{text}");
    assert!(text.lines().count() < 210, "{text}");
}

#[test]
fn a_failure_names_the_weakest_delivery_that_shows_it() {
    if !erlang_is_there() {
        return;
    }
    let text = "-module(late).\n-export([at_once/0, overtaken/0]).\n\
        at_once() -> spawn(fun() -> error(oops) end), ok.\n\
        overtaken() ->\n\
            C = self(),\n\
            B = spawn(fun() -> receive go -> C ! b end end),\n\
            spawn(fun() -> C ! a, B ! go end),\n\
            receive First -> a = First end.\n";
    let dir = compile_text("late", text);
    let file = dir.join("late.beam").to_string_lossy().into_owned();
    let (text, code) = command(&[&file, "--test", "at_once", "--delivery", "pairs"]);
    assert_eq!(code, FAILED, "{text}");
    assert!(text.contains("\n  the weakest delivery that shows it: instant\n"), "{text}");
    let (text, code) = command(&[&file, "--test", "overtaken", "--delivery", "pairs"]);
    assert_eq!(code, FAILED, "{text}");
    assert!(
        text.contains("the weakest delivery that shows it: pairs; not with instant; not with local\n"),
        "{text}"
    );
    assert_eq!(command(&[&file, "--test", "overtaken"]).1, PASSED);
}
