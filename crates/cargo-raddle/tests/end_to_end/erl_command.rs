//! `raddle erl`: what it prints, what it returns, and that a ticket replays.

use crate::common::{data_of_page, err, out, raddle, workflow_commands};
use crate::erlang::{compile_suite, compile_text, directory, erlang_is_there};
use std::path::{Path, PathBuf};
use std::process::Command;

const PASSED: i32 = 0;
const FAILED: i32 = 1;
const UNUSABLE: i32 = 2;

fn suite(file: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suite/erlang").join(file);
    path.to_string_lossy().into_owned()
}

/// What the command prints, errors last, and its exit code.
fn command(arguments: &[&str]) -> (String, i32) {
    let output = raddle(&directory("erl_command"), &[&["erl"], arguments].concat());
    (out(&output) + &err(&output), output.status.code().expect("it ends by itself"))
}

/// The steps that a report shows: the lines that begin with a number, a mark or a dot before a process.
fn steps_of(text: &str) -> Vec<String> {
    let is_step = |line: &&str| {
        let line = line.trim_start_matches(['◆', '✗', '·', ' ']);
        line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ').starts_with('P')
            && line.contains(": ")
    };
    text.lines().skip_while(|line| !line.is_empty()).filter(is_step).map(str::to_owned).collect()
}

/// The ticket that a report shows as text; its file if it is too long for that.
fn ticket_of(text: &str) -> &str {
    let file = || text.lines().find_map(|line| line.strip_prefix("  ticket   "));
    text.lines().find_map(|line| line.strip_prefix("  as text  ")).or_else(file).expect("a ticket")
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
eachx_test_() ->
    Begin = fun(X) -> put(now, X), X end,
    End = fun(X, X) -> X = erase(now) end,
    {foreachx, Begin, End, [{N, fun(X, R) -> [?_assertEqual({N, N, N}, {X, R, get(now)})] end} || N <- [1, 2]]}.
module_test_() -> {module, fixture_module}.
modules_test_() -> [{T, passing_module} || T <- [module, spawn, inorder, inparallel]] ++ [passing_module].
application_test_() -> {application, stdlib}.
unknown_test_() -> {node, other@host, []}.
";
    let dir = directory("fixture_tests");
    let module =
        "-module(fixture_module).\n-export([a_test/0, b/0]).\na_test() -> here = put(x, y).\nb() -> ok.\n";
    std::fs::write(dir.join("fixture_module.erl"), module).expect("the source is written");
    let module = "-module(passing_module).\n-export([a_test/0]).\na_test() -> ok.\n";
    std::fs::write(dir.join("passing_module.erl"), module).expect("the source is written");
    let file = dir.join("fixture_tests.erl");
    std::fs::write(&file, text).expect("the source is written");
    let file = file.to_string_lossy().into_owned();
    let (text, code) = command(&[&file]);
    assert_eq!(code, FAILED, "{text}");
    assert!(text.contains("fixture_tests:module_test_: FAILED, "), "{text}");
    assert!(text.contains("P crashed: {badmatch,undefined} at "), "{text}");
    assert!(text.contains("fixture_tests:application_test_: not supported, "), "{text}");
    for test in
        ["modules_test_", "local_test_", "spawn_test_", "each_test_", "each_spawned_test_", "eachx_test_"]
    {
        assert!(text.contains(&format!("fixture_tests:{test}: passed, 1 interleaving (")), "{text}");
    }
    let refused = "which is not supported: name the test functions themselves with --test";
    assert!(text.contains("the test generator gives {node,") && text.contains(refused), "{text}");
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
        ("P:", "counters:new(1, []) → #Ref<P.1>", "small.erl:"),
        ("P.1:", "counters:get(#Ref<P.1>, 1) → 0", "small.erl:"),
        ("P.2:", "counters:put(#Ref<P.1>, 1, 1) → ok", "small.erl:"),
        ("P:", "receives a message → done", "small.erl:"),
        ("P:", "exits (", ""),
    ];
    for (process, step, place) in steps {
        let is_it = |line: &str| line.contains(process) && line.contains(step) && line.contains(place);
        assert!(text.lines().any(is_it), "no {process} {step} in {text}");
    }
    let marked: Vec<_> = text.lines().filter(|line| line.contains('✗')).collect();
    assert!(matches!(marked[..], [one] if one.contains("P:") && one.contains("exits (")), "{marked:?}");
    // The file and the text of the ticket bring it about again.
    assert!(text.contains("  ticket   .raddle/small_tests.counter_test.json\n"), "{text}");
    let shown =
        raddle(&directory("erl_command"), &["show", "--html", ".raddle/small_tests.counter_test.json"]);
    assert_eq!(shown.status.code(), Some(UNUSABLE));
    let works = "`raddle erl FILE --replay .raddle/small_tests.counter_test.json --html DIR` writes its page";
    assert!(err(&shown).contains(works), "{}", err(&shown));
    let reports = ["--html", "pages", "--junit", "results.xml", "--github"];
    let of_file = [&[&file, "--replay", ".raddle/small_tests.counter_test.json"], &reports[..]].concat();
    let (from_file, code) = command(&of_file);
    assert_eq!(code, FAILED, "{from_file}");
    assert!(from_file.contains("page: pages/index.html\nJUnit: results.xml\n::raddle-"), "{from_file}");
    let (annotations, _) = workflow_commands(&from_file);
    assert!(matches!(annotations[..], [one] if one.starts_with("::error file=")), "{annotations:?}");
    let results = std::fs::read_to_string(directory("erl_command").join("results.xml")).expect("it is there");
    assert!(results.contains("<testcase classname=\"small_tests\" name=\"counter_test\""), "{results}");
    assert!(results.contains("<failure message=\"panic: P crashed: {assertEqual,"), "{results}");
    // The page of the replay has who is enabled, the mailboxes and the source.
    let read = |name: &str| {
        let page = directory("erl_command").join("pages").join(name);
        data_of_page(&std::fs::read_to_string(page).expect("the page is there"))
    };
    let link = read("index.html")["outcomes"][0]["page"].as_str().map(str::to_owned);
    let page = read(&link.expect("the failure has a page"));
    let record = &page["trace"]["failure"]["record"];
    assert_eq!(record["enabled"], serde_json::json!([0]), "{record:#}");
    let events = record["events"].as_array().expect("events");
    let guilty: Vec<usize> = serde_json::from_value(page["guilty"].clone()).expect("events");
    let operations: Vec<_> = guilty.iter().map(|at| events[*at]["operation"].as_str().unwrap()).collect();
    assert!(matches!(operations[..], [one] if one.starts_with("exits ({assertEqual")), "{operations:?}");
    assert!(events.iter().any(|event| !event["mailboxes"].is_null()), "{record:#}");
    let files: Vec<_> = page["sources"].as_array().expect("sources").iter().map(|s| &s["file"]).collect();
    assert!(files.iter().any(|file| file.to_string().ends_with("/small.erl\"")), "{files:?}");
    let ticket = ticket_of(&text);
    let mut again = arguments.to_vec();
    again.extend(["--replay", ticket]);
    let (replayed, code) = command(&again);
    assert_eq!(code, FAILED, "{replayed}");
    assert_eq!(steps_of(&text), steps_of(&replayed));
    assert_eq!(steps_of(&text), steps_of(&from_file));
    assert!(replayed.contains("replayed one schedule"), "{replayed}");
}

/// However a process ends the execution, that event is marked, and not what it tells others of its exit.
#[test]
fn the_end_of_a_process_is_marked() {
    if !erlang_is_there() {
        return;
    }
    let text = "-module(ends).\n-export([crashes/0, exits/0, linked/0, halts/0]).\n\
        crashes() -> spawn(fun() -> whereis(nobody), error(oops) end), self() ! a, receive a -> ok end.\n\
        exits() -> spawn(fun() -> whereis(nobody), exit(oops) end), self() ! a, receive a -> ok end.\n\
        linked() -> spawn_link(fun() -> whereis(nobody), exit(oops) end), receive never -> ok end.\n\
        halts() -> spawn(fun() -> whereis(nobody), halt(3) end), receive never -> ok end.\n";
    let file = compile_text("ends", text).join("ends.beam").to_string_lossy().into_owned();
    let exits = "exits (oops)";
    for (test, event) in [("crashes", exits), ("exits", exits), ("linked", exits), ("halts", "halt(3")] {
        for grain in ["full", "thesis"] {
            let (text, code) = command(&[&file, "--test", test, "--grain", grain]);
            assert_eq!(code, FAILED, "{text}");
            let marked: Vec<_> = text.lines().filter(|line| line.contains('✗')).collect();
            let is_it = |line: &str| line.contains("P.1:") && line.contains(event);
            assert!(matches!(marked[..], [one] if is_it(one)), "{test}: {text}");
        }
    }
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
    let said = |arguments: &[&str], words: &str| {
        let (text, code) = command(arguments);
        assert!(text.contains(words), "{text}");
        assert_eq!(code, UNUSABLE);
    };
    said(&["--grain", "coarse"], "`coarse` is none of full, thesis, receive");
    said(&["--gain", "full"], "unexpected argument '--gain'");
    said(&["no_such_file.beam"], "there is no file no_such_file.beam\n");
    said(&["--preemptions", "few"], "invalid value 'few' for '--preemptions <N>'");
    said(&["--strategy", "luck"], "there is no strategy `luck`; there are exhaustive, iterative, dfs");
    said(&["--resume", "/no/such/search", "x.beam"], "cannot read the search /no/such/search");
    said(&["--resume", "a", "--replay", "b"], "cannot be used with");
}

#[test]
fn beam_files_of_self_contained_modules_need_no_erlang() {
    if !erlang_is_there() {
        return;
    }
    let dir = compile_suite("self_contained", &["thesis_listings.erl"]);
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
    let expected = "os:cmd/1 is not supported: it needs programs outside (called at unsupported.erl:4)";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("unsupported:a_test: not supported, 1 interleaving ("), "{text}");
    assert!(text.contains("raddle: not supported in execution 1 of unsupported:a_test\n"), "{text}");
    let text = "-module(missing).\n-export([a_test/0]).\na_test() ->\n    X = erlang:system_profile(undefined, []),\n    {X}.\n";
    let dir = compile_text("missing", text);
    let (text, _) = command(&[&dir.join("missing.beam").to_string_lossy()]);
    assert!(
        text.contains("erlang:system_profile/2 is not supported yet (called at missing.erl:4)"),
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

#[test]
fn the_guide_shows_what_is_printed() {
    if !erlang_is_there() {
        return;
    }
    let guide = include_str!("../../../erlang/guide/for_erlang_programmers.md");
    let project = bank();
    let mut commands = 0;
    for block in guide.split("```text\n$ raddle erl ").skip(1) {
        let block = block.split("```").next().expect("the block");
        let mut shown = block.lines();
        let arguments: Vec<&str> = shown.next().expect("the command").split(' ').collect();
        let run = |arguments: &[&str]| {
            let output = raddle(&project, &[&["erl"], arguments].concat());
            (out(&output), output.status.code())
        };
        let (text, code) = run(&arguments);
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
        // The ticket brings the same steps about again, whatever else is said of the world; a replay does not search.
        let ticket = ticket_of(&text);
        let search = arguments.iter().position(|flag| *flag == "--strategy").unwrap_or(arguments.len());
        let world = [&arguments[..search], &["--grain", "thesis", "--replay", ticket]].concat();
        let (again, code) = run(&world);
        assert_eq!(code, Some(FAILED), "{again}");
        assert_eq!(steps_of(&text), steps_of(&again));
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
    let ticket = ticket_of(&text);
    let (again, _) = command(&[&file.to_string_lossy(), "--replay", ticket]);
    assert!(again.contains("    the answer is 42\n"), "{again}");
}

/// With `--github`, only raddle's own annotations are commands of the runner, whatever programs print, say or are called.
#[test]
fn what_programs_print_is_no_workflow_command() {
    if !erlang_is_there() {
        return;
    }
    let text = "-module(commands).\n-export([a_test/0]).\n\
        a_test() -> io:put_chars(\"::error::printed\\n::stop-commands::x\\n::x::\\n::warning::too\\n\"), exit('\\n::error::said').\n";
    let dir = compile_text("commands", text);
    let file = dir.join("commands.beam").to_string_lossy().into_owned();
    let tokens = [(), ()].map(|()| {
        let (text, code) = command(&[&file, "--github"]);
        assert_eq!(code, FAILED, "{text}");
        assert!(text.contains("    ::error::printed\n"), "{text}");
        let (commands, token) = workflow_commands(&text);
        assert!(matches!(commands[..], [one] if one.starts_with("::error ") && one.contains("title=commands%3A a_test::")), "{text}");
        token
    });
    assert!(tokens[0] != tokens[1] && tokens[0].len() > 32, "{tokens:?}");
    // Without the option, as it is; and whatever comes to pass, commands are taken again.
    assert!(!command(&[&file]).0.contains("stop-commands::raddle"));
    let (text, code) = command(&["no_such_file.beam", "--github"]);
    assert_eq!((code, workflow_commands(&text).0.len()), (UNUSABLE, 0), "{text}");
}

/// Every flag that the command takes is in the guide.
#[test]
fn the_guide_lists_what_is_accepted() {
    let guide = include_str!("../../../erlang/guide/for_erlang_programmers.md");
    let (help, code) = command(&["--help"]);
    assert_eq!(code, PASSED, "{help}");
    let flags: Vec<&str> = help.split_whitespace().filter(|word| word.starts_with("--")).collect();
    assert!(flags.len() > 15, "{help}");
    for flag in flags.into_iter().map(|flag| flag.trim_matches(|c: char| !c.is_alphanumeric() && c != '-')) {
        if !["--pa", "--help"].contains(&flag) {
            assert!(guide.contains(flag), "{flag} is not in the guide");
        }
    }
}

#[test]
fn what_is_not_there_is_named_with_what_to_do() {
    if !erlang_is_there() {
        return;
    }
    let dir = compile_suite("not_there", &["small.erl", "small_tests.erl"]);
    let dir = dir.to_string_lossy();
    let said = |arguments: &[&str]| {
        let (text, code) = command(arguments);
        assert_eq!(code, UNUSABLE, "{text}");
        text
    };
    let is_a_directory = format!(
        "raddle: {dir} is a directory: say -pa {dir}, and --module if not all of its tests are wanted\n"
    );
    assert_eq!(said(&[&dir]), is_a_directory);
    assert_eq!(said(&["-pa", "no_such_directory"]), "raddle: there is no directory no_such_directory\n");
    let missing = "raddle: there is no nope.beam in the -pa directories\n";
    assert_eq!(said(&["-pa", &dir, "--module", "nope"]), missing);
    assert_eq!(said(&["--module", "nope"]), "raddle: there is no nope.beam: say with -pa where it is\n");
    let wrong = said(&["-pa", &dir, "--module", "small", "--test", "nope"]);
    assert_eq!(wrong, "raddle: there is no exported function nope/0 in small\n");
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
        let output = Command::new(env!("CARGO_BIN_EXE_raddle"))
            .arg("erl")
            .args(arguments)
            .current_dir(directory("erl_command"))
            .env("PATH", "/nowhere")
            .env_remove("RADDLE_ERLANG_ROOT")
            .output()
            .expect("it runs");
        (out(&output) + &err(&output), output.status.code())
    };
    let (text, code) = without(&[&suite("small_tests.erl")]);
    assert_eq!(code, Some(UNUSABLE));
    assert!(text.starts_with("raddle: Erlang is not installed: "), "{text}");
    assert!(text.contains("`apt-get install erlang-base erlang-dev erlang-eunit`"), "{text}");
    // Modules that need nothing of OTP's work; others say what is missing.
    let dir = compile_suite("without_erlang", &["thesis_listings.erl", "account.erl", "account_tests.erl"]);
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
    let dir = compile_suite("tickets", &["small.erl", "small_tests.erl"]);
    let file = dir.join("small_tests.beam");
    let file = file.to_string_lossy();
    let (text, code) = command(&[&file, "--replay", "garbage"]);
    assert!(text.starts_with("raddle: cannot read the ticket garbage: "), "{text}");
    assert_eq!(code, UNUSABLE);
    let (text, code) = command(&[&file, "--replay", "raddle0;;;"]);
    assert!(text.contains("it has version 0, this raddle reads version 2"), "{text}");
    assert_eq!(code, UNUSABLE);
    let (text, _) = command(&[&file]);
    let ticket = ticket_of(&text);
    let (text, code) = command(&[&file, "--replay", &ticket[..ticket.len() / 2]]);
    assert!(text.starts_with("raddle: not a usable ticket: "), "{text}");
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
    // It counts its rounds: each of them leads to another state.
    let text = "-module(long_record).\n-export([counts/0]).\ncounts() -> counts(0).\n\
        counts(N) -> whereis(nobody), counts(N + 1).\n";
    let file = compile_text("long_record", text).join("long_record.beam");
    let arguments = [&file.to_string_lossy(), "--test", "counts", "--strategy", "dfs", "--max-steps", "1000"];
    let (text, code) = command(&arguments);
    assert_eq!(code, FAILED, "{text}");
    assert!(text.contains("shortened: "), "{text}");
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

/// The judgement is the user's to change, and a ticket remembers it.
#[test]
fn what_counts_as_a_failure_can_be_said() {
    if !erlang_is_there() {
        return;
    }
    let text = "-module(judgements).
-export([crash/0, stuck/0, slow/0, large/0, early/0, polls/0, bytes/0, encoded/0, appended/0, counted/0, shared/0]).
crash() -> spawn(fun() -> exit({because, 1}) end), ok.
stuck() -> receive never -> ok end.
slow() -> receive never -> ok after 5000 -> exit(late) end.
large() -> X = 1 bsl 45, <<0:X>>.
polls() -> whereis(nobody), polls().
nested(0, X) -> X;
nested(N, X) -> nested(N - 1, [X, X]).
bytes() -> whereis(nobody), iolist_to_binary(nested(50, <<1>>)).
encoded() -> term_to_binary(nested(50, <<1>>)).
appended() -> appended(50, [a]).
appended(0, L) -> L;
appended(N, L) -> appended(N - 1, L ++ L).
counted() -> whereis(nobody), lists:seq(1, 1 bsl 40).
shared() -> nested(50, a).
early() -> spawn_link(fun() -> exit(shutdown) end), receive never -> ok end.
";
    let file = compile_text("judgements", text).join("judgements.beam");
    let file = file.to_string_lossy().into_owned();
    let code = |arguments: &[&str]| {
        let (text, code) = command(&[&[file.as_str()], arguments].concat());
        (code, text)
    };
    for (arguments, expected) in [
        (vec!["--test", "crash"], FAILED),
        (vec!["--test", "crash", "--treat-as-normal", "because"], PASSED),
        (vec!["--test", "crash", "--treat-as-normal", "{because, 1}"], PASSED),
        (vec!["--test", "crash", "--treat-as-normal", "other"], FAILED),
        (vec!["--test", "crash", "--ignore", "panic"], PASSED),
        (vec!["--test", "stuck"], FAILED),
        (vec!["--test", "stuck/0", "--ignore", "deadlock", "--ignore", "panic"], PASSED),
        (vec!["--test", "slow"], FAILED),
        (vec!["--test", "slow", "--after-timeout", "1_000", "--ignore", "deadlock"], PASSED),
        (vec!["--test", "large", "--memory-limit", "500M"], UNUSABLE),
        (vec!["--test", "early"], FAILED),
        (vec!["--test", "early", "--treat-as-normal", "{"], UNUSABLE),
        (vec!["--test", "early", "--ignore", "race"], UNUSABLE),
        (vec!["--test", "polls"], FAILED),
        (vec!["--test", "polls", "--ignore", "livelock"], PASSED),
        // What a single call makes counts, too; what is only shared takes no memory.
        (vec!["--test", "bytes", "--memory-limit", "200M"], UNUSABLE),
        (vec!["--test", "encoded", "--memory-limit", "20M"], UNUSABLE),
        (vec!["--test", "appended", "--memory-limit", "200M"], UNUSABLE),
        (vec!["--test", "counted", "--memory-limit", "200M"], UNUSABLE),
        (vec!["--test", "shared", "--memory-limit", "200M"], PASSED),
        (vec!["--test", "early/1"], UNUSABLE),
    ] {
        let (found, text) = code(&arguments);
        assert_eq!(found, expected, "{arguments:?}: {text}");
    }
    let (_, text) = code(&["--test", "early"]);
    assert!(text.contains("P exited before its test was done: shutdown"), "{text}");
    let (_, text) = code(&["--test", "large", "--memory-limit", "500M"]);
    assert!(text.contains("it takes more memory than allowed (500 MiB)"), "{text}");
    let (_, text) = code(&["--test", "slow", "--after-timeout", "1000"]);
    assert!(text.contains("timeouts of 1,000 ms and more never fire"), "{text}");
    let (found, again) = code(&["--replay", ticket_of(&text)]);
    assert_eq!(found, FAILED, "{again}");
    assert!(again.contains("deadlock: P waits for ever"), "{again}");
}

/// Terms that are nested so deeply that every recursive operation on them would leave a usual stack.
#[test]
fn deep_terms_are_values_like_others() {
    if !erlang_is_there() {
        return;
    }
    let text = "-module(deep_terms).
-export([a_test/0]).
nest(0, T) -> T;
nest(N, T) -> nest(N - 1, {T}).
maps(0, T) -> T;
maps(N, T) -> maps(N - 1, #{a => T}).
lists(0, T) -> T;
lists(N, T) -> lists(N - 1, [T]).
a_test() ->
    N = 300000,
    true = nest(N, x) =:= nest(N, x),
    true = nest(N, x) < nest(N, y),
    true = maps(N, x) =/= maps(N, y),
    <<97>> = iolist_to_binary(lists(N, 97)),
    self() ! lists(N, x),
    receive T -> true = is_list(T) end,
    true = nest(N, x) =:= binary_to_term(term_to_binary(nest(N, x))),
    nest(N, x).
";
    let file = compile_text("deep_terms", text).join("deep_terms.beam");
    let (text, code) = command(&[&file.to_string_lossy(), "--workers", "2"]);
    assert_eq!(code, PASSED, "{}", &text[..text.len().min(500)]);
}

/// In a project neither files nor directories need to be named.
#[test]
fn a_project_is_found_and_says_what_to_build() {
    if !erlang_is_there() {
        return;
    }
    let project = bank();
    let run = |arguments: &[&str]| {
        let output = raddle(&project, &[&["erl"], arguments].concat());
        (out(&output) + &err(&output), output.status.code())
    };
    std::fs::write(project.join("rebar.config"), "{deps, []}.\n").expect("a file");
    let (text, code) = run(&[]);
    assert_eq!(code, Some(FAILED), "{text}");
    assert!(text.contains("account_tests:two_deposits_test: FAILED, "), "{text}");
    let fresh = directory("fresh_project");
    std::fs::write(fresh.join("rebar.config"), "{deps, []}.\n").expect("a file");
    let output = raddle(&fresh, &["erl"]);
    assert_eq!(output.status.code(), Some(UNUSABLE));
    assert!(err(&output).contains("run `rebar3 as test compile` first"), "{}", err(&output));
}

/// As for `erl` and `erlc`: applications of `ERL_LIBS`, and included files of `-I`.
#[test]
fn libraries_and_included_files_are_found() {
    if !erlang_is_there() {
        return;
    }
    let dir = directory("erl_libs");
    let write = |name: &str, text: &str| {
        let file = dir.join(name);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(file, text).expect("a file");
    };
    write("include_here/answer.hrl", "-define(ANSWER, 42).\n");
    write("src/helper.erl", "-module(helper).\n-export([answer/0]).\nanswer() -> 42.\n");
    write(
        "t/uses_tests.erl",
        "-module(uses_tests).\n-include(\"answer.hrl\").\n-export([a_test/0]).\na_test() -> ?ANSWER = helper:answer().\n",
    );
    std::fs::create_dir_all(dir.join("libs/helper-1.0/ebin")).expect("a folder");
    let done = Command::new("erlc")
        .arg("-o")
        .arg(dir.join("libs/helper-1.0/ebin"))
        .arg(dir.join("src/helper.erl"))
        .status()
        .expect("erlc runs");
    assert!(done.success());
    let run = |libraries: &str| {
        let mut command = crate::common::command(&dir, &["erl", "t/uses_tests.erl", "-I", "include_here"]);
        let output = command.env("ERL_LIBS", libraries).output().expect("it runs");
        (out(&output) + &err(&output), output.status.code())
    };
    let (text, code) = run("libs");
    assert_eq!(code, Some(PASSED), "{text}");
    let (text, code) = run("nowhere");
    assert_eq!(code, Some(FAILED), "{text}");
}
