//! What one world can do, the other can, by the same flags: a table of features over a small Rust package and a small
//! Erlang module with the same three tests.

use crate::common::{command, err, fixture, out, raddle};
use crate::erlang::erlang_is_there;
use raddle_core::check::SearchKind;
use raddle_core::strategy::Sampler;
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// The three tests, in both worlds.
#[derive(Clone, Copy)]
enum Test {
    Fails,
    Passes,
    Large,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum World {
    Rust,
    Erlang,
}

const WORLDS: [World; 2] = [World::Rust, World::Erlang];

impl World {
    /// Where the commands run.
    fn folder(self) -> PathBuf {
        let folder = fixture("features");
        if self == World::Erlang { folder.join("erlang") } else { folder }
    }
    /// The command line that explores a test.
    fn arguments(self, test: Test, flags: &[&str]) -> Vec<String> {
        let named: &[&str] = match (self, test) {
            (World::Rust, Test::Fails) => &["test", "--only", "tests::fails"],
            (World::Rust, Test::Passes) => &["test", "--only", "tests::passes"],
            (World::Rust, Test::Large) => &["test", "--only", "tests::large"],
            (World::Erlang, Test::Fails) => &["erl", "features_tests.erl", "--test", "fails_test"],
            (World::Erlang, Test::Passes) => &["erl", "features_tests.erl", "--test", "passes_test"],
            (World::Erlang, Test::Large) => &["erl", "features_tests.erl", "--test", "large_test"],
        };
        named.iter().chain(flags).map(|word| (*word).to_owned()).collect()
    }
    fn run(self, test: Test, flags: &[&str]) -> Output {
        let arguments = self.arguments(test, flags);
        raddle(&self.folder(), &arguments.iter().map(String::as_str).collect::<Vec<_>>())
    }
    /// What became of the test, as JSON, and the exit code.
    fn explored(self, test: Test, flags: &[&str]) -> (Value, Option<i32>) {
        let output = self.run(test, &[flags, &["--message-format", "json"]].concat());
        let text = out(&output);
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let found = lines.into_iter().find(|line| line["reason"] == "raddle-test");
        let found = found.unwrap_or_else(|| panic!("{self:?} {flags:?}: {text}{}", err(&output)));
        let last = text.lines().last().and_then(|line| serde_json::from_str::<Value>(line).ok());
        assert_eq!(last.expect("an end")["exit_code"].as_i64(), output.status.code().map(i64::from));
        (found, output.status.code())
    }
}

/// A feature: flags, the test they are tried on, and what must hold of the result in either world.
struct Feature {
    name: &'static str,
    test: Test,
    flags: &'static [&'static str],
    code: i32,
    holds: fn(&Value) -> bool,
}

const fn feature(
    name: &'static str,
    test: Test,
    flags: &'static [&'static str],
    code: i32,
    holds: fn(&Value) -> bool,
) -> Feature {
    Feature { name, test, flags, code, holds }
}

fn covered(result: &Value) -> &str {
    result["covered"].as_str().unwrap_or_default()
}

static FEATURES: [Feature; 14] = [
    feature("a pass", Test::Passes, &["--strategy", "exhaustive"], 0, |result| {
        result["verdict"] == "passed" && covered(result).starts_with("exhaustive · ")
    }),
    feature("a failure", Test::Fails, &[], 1, |result| {
        result["verdict"] == "failed" && result["failure"]["defect"]["kind"] == "panic"
    }),
    feature("a limit of executions", Test::Large, &["--strategy", "dfs", "--executions", "7"], 0, |result| {
        result["executions"] == 7 && covered(result).starts_with("not exhaustive: stopped after 7 executions")
    }),
    feature(
        "executions limit sampling, too",
        Test::Large,
        &["--strategy", "pos", "--executions", "3"],
        0,
        |result| result["executions"] == 3 && covered(result).starts_with("sampled 3 schedules"),
    ),
    feature(
        "a number of schedules",
        Test::Large,
        &["--strategy", "uniform", "--schedules", "9"],
        0,
        |result| result["executions"] == 9 && covered(result).starts_with("sampled 9 schedules (seed 0)"),
    ),
    feature(
        "a seed",
        Test::Passes,
        &["--strategy", "pct:2", "--schedules", "2", "--seed", "5"],
        0,
        |result| covered(result).starts_with("sampled 2 schedules (seed 5)"),
    ),
    feature("a bound", Test::Fails, &["--strategy", "exhaustive", "--preemptions", "0"], 0, |result| {
        result["verdict"] == "passed" && covered(result).starts_with("exhaustive within 0 preemptions")
    }),
    feature("a bound that grows", Test::Fails, &["--strategy", "iterative"], 1, |result| {
        covered(result).starts_with(
            "not exhaustive: stopped at the first failure, which has 1 preemption; there is none",
        )
    }),
    feature(
        "the thesis's strategy",
        Test::Fails,
        &["--strategy", "thesis", "--preemptions", "1"],
        1,
        |result| result["verdict"] == "failed",
    ),
    feature("to keep going", Test::Fails, &["--strategy", "dfs", "--keep-going"], 1, |result| {
        covered(result).starts_with("exhaustive · ") && result["executions"].as_u64() > Some(2)
    }),
    feature(
        "timers at any point",
        Test::Passes,
        &["--time", "any", "--strategy", "exhaustive"],
        0,
        |result| covered(result).contains("timers at any point"),
    ),
    feature("a time limit", Test::Large, &["--strategy", "dfs", "--budget", "300ms"], 0, |result| {
        covered(result).contains(" at the time limit") && result["search"].is_string()
    }),
    feature("simplification", Test::Fails, &["--strategy", "uniform", "--seed", "3"], 1, |result| {
        let events = result["failure"]["record"]["events"].as_array().expect("events");
        events.iter().filter(|event| event["preempts"] == true).count() == 1
    }),
    feature("a ticket in a file", Test::Fails, &[], 1, |result| result["ticket"].is_string()),
];

#[test]
fn every_feature_is_there_in_both_worlds() {
    if !erlang_is_there() {
        return;
    }
    for world in WORLDS {
        for Feature { name, test, flags, code, holds } in &FEATURES {
            let (result, found) = world.explored(*test, flags);
            assert_eq!(found, Some(*code), "{world:?}, {name}: {result:#}");
            assert!(holds(&result), "{world:?}, {name}: {result:#}");
        }
    }
}

#[test]
fn every_strategy_finds_the_failure_in_both_worlds() {
    if !erlang_is_there() {
        return;
    }
    let sampled = Sampler::ALL.map(SearchKind::Sampled);
    let names = SearchKind::NAMED.into_iter().chain(sampled).map(|kind| kind.to_string());
    for name in names.chain(["random".to_owned(), "thesis".to_owned(), "pct:5".to_owned()]) {
        for world in WORLDS {
            let (result, code) = world.explored(Test::Fails, &["--strategy", &name]);
            assert_eq!(
                (code, &result["verdict"]),
                (Some(1), &Value::from("failed")),
                "{world:?} {name}: {result:#}"
            );
        }
    }
}

#[test]
fn workers_find_the_same() {
    if !erlang_is_there() {
        return;
    }
    for world in WORLDS {
        let counted = |workers| {
            let (result, code) =
                world.explored(Test::Passes, &["--strategy", "exhaustive", "--workers", workers]);
            assert_eq!(code, Some(0), "{result:#}");
            result["executions"].as_u64()
        };
        assert_eq!(counted("1"), counted("2"), "{world:?}");
    }
}

#[test]
fn a_search_that_was_stopped_goes_on() {
    if !erlang_is_there() {
        return;
    }
    for world in WORLDS {
        let flags = ["--strategy", "dfs", "--budget", "300ms"];
        let (stopped, code) = world.explored(Test::Large, &flags);
        assert_eq!(code, Some(0), "{stopped:#}");
        let file = stopped["search"].as_str().expect("a file").to_owned();
        let (went_on, code) = world.explored(Test::Large, &[&flags[..], &["--resume", &file]].concat());
        assert_eq!(code, Some(0), "{went_on:#}");
        assert!(went_on["executions"].as_u64() > stopped["executions"].as_u64(), "{world:?}: {went_on:#}");
        // Another kind of search cannot go on there.
        let other = world.run(Test::Large, &["--strategy", "exhaustive", "--resume", &file]);
        let said = out(&other) + &err(&other);
        assert!(said.contains("the search that was stopped is `dfs"), "{world:?}: {said}");
        assert_eq!(other.status.code(), Some(2), "{world:?}: {said}");
        // Nor another test.
        let other = world.run(Test::Passes, &["--strategy", "dfs", "--resume", &file]);
        let said = err(&other);
        assert!(said.contains(" and --resume contradict each other: "), "{world:?}: {said}");
        assert_eq!(other.status.code(), Some(2), "{world:?}: {said}");
    }
}

#[test]
fn a_ticket_replays_and_reports_have_columns() {
    if !erlang_is_there() {
        return;
    }
    for (world, columns) in
        [(World::Rust, ["main", "main.1", "main.2"]), (World::Erlang, ["P", "P.1", "P.2"])]
    {
        let mut wide = command(
            &world.folder(),
            &world.arguments(Test::Fails, &[]).iter().map(String::as_str).collect::<Vec<_>>(),
        );
        let output = wide.env("COLUMNS", "150").output().expect("it runs");
        let text = out(&output);
        let is_head = |line: &str| line.split_whitespace().eq(columns);
        assert!(text.lines().any(is_head), "{world:?}: {text}");
        for part in ["  search   ", "  found    in execution ", "  ticket   ", "  replay   "] {
            assert!(text.contains(part), "{world:?}: no {part} in {text}");
        }
        let ticket = text.lines().find_map(|line| line.strip_prefix("  ticket   ")).expect("a ticket");
        let replayed = match world {
            World::Rust => raddle(&world.folder(), &["replay", ticket]),
            World::Erlang => raddle(&world.folder(), &["erl", "features_tests.erl", "--replay", ticket]),
        };
        assert_eq!(replayed.status.code(), Some(1), "{}{}", out(&replayed), err(&replayed));
        assert!(out(&replayed).contains("in the replayed execution"), "{}", out(&replayed));
    }
}

#[test]
fn ctrl_c_ends_both_with_what_they_have() {
    if !erlang_is_there() {
        return;
    }
    for world in WORLDS {
        // What has to be built is there.
        world.explored(Test::Passes, &[]);
        let arguments = world.arguments(Test::Large, &["--strategy", "dfs", "--budget", "10m"]);
        let mut child = command(&world.folder(), &arguments.iter().map(String::as_str).collect::<Vec<_>>())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        std::thread::sleep(Duration::from_secs(4));
        let interrupt =
            Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
        assert!(interrupt.success(), "{:?}", child.try_wait());
        let output = child.wait_with_output().expect("it ends");
        let said = out(&output) + &err(&output);
        assert_eq!(output.status.code(), Some(2), "{world:?}: {said}");
        assert!(said.contains("interrupted"), "{world:?}: {said}");
        // And the search can be resumed.
        let file = said.lines().find_map(|line| line.trim().split_once(" --resume ").map(|(_, file)| file));
        let file = file.unwrap_or_else(|| panic!("{world:?}: no file in {said}"));
        let resumed = ["--strategy", "dfs", "--budget", "300ms", "--resume", file];
        let (result, code) = world.explored(Test::Large, &resumed);
        assert_eq!(code, Some(0), "{world:?}: {result:#}");
    }
}

/// The flags of a search, as the help of a command lists them.
fn flags_of_search(command: &str) -> Vec<String> {
    let help = out(&raddle(&World::Rust.folder(), &[command, "--help"]));
    let search = help.split("Search:\n").nth(1).unwrap_or_else(|| panic!("no flags of the search in {help}"));
    let flags = search.lines().take_while(|line| line.is_empty() || line.starts_with(' '));
    let flags = flags.filter_map(|line| line.split_whitespace().find(|word| word.starts_with("--")));
    flags.map(str::to_owned).collect()
}

#[test]
fn both_commands_have_the_same_flags_and_refuse_others() {
    let flags = flags_of_search("test");
    assert_eq!(flags, flags_of_search("erl"));
    for flag in [
        "--strategy",
        "--executions",
        "--schedules",
        "--preemptions",
        "--budget",
        "--max-steps",
        "--seed",
        "--workers",
        "--resume",
        "--keep-going",
        "--time",
        "--message-format",
    ] {
        assert!(flags.iter().any(|known| known == flag), "{flag} is not in {flags:?}");
    }
    for command in ["test", "erl"] {
        let refused = raddle(&World::Rust.folder(), &[command, "--iterations", "3"]);
        assert_eq!(refused.status.code(), Some(2), "{}", err(&refused));
        let luck = raddle(&World::Rust.folder(), &[command, "--strategy", "luck"]);
        assert_eq!(luck.status.code(), Some(2));
        assert!(err(&luck).contains("there is no strategy `luck`; there are exhaustive"), "{}", err(&luck));
    }
}

/// As with `| head`: the verdict is still in the exit code, and nothing panics.
#[test]
fn a_reader_that_has_gone_changes_no_exit_code() {
    if !erlang_is_there() {
        return;
    }
    for world in WORLDS {
        let arguments = world.arguments(Test::Fails, &[]);
        let mut child = command(&world.folder(), &arguments.iter().map(String::as_str).collect::<Vec<_>>())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{world:?}: {}", err(&output));
        assert!(!err(&output).contains("panicked"), "{world:?}: {}", err(&output));
    }
}
