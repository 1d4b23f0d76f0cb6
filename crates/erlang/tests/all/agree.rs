//! Small programs give the same results here and in the installed Erlang: expressions, bit syntax, natives,
//! signals, and OTP's own behaviours from the installed files.

use crate::common::*;
use raddle_core::world::{End, World};
use raddle_erlang::settings::{Delivery, Grain, Judgement, Settings};
use raddle_erlang::term::Atom;
use raddle_erlang::versions::Dynamic;
use raddle_erlang::world::ErlangWorld;
use std::path::{Path, PathBuf};
use std::process::Command;

fn compiled() -> PathBuf {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let files = [
        "agree.erl",
        "agree_server.erl",
        "agree_statem.erl",
        "agree_event.erl",
        "agree_stdlib.erl",
        "agree_re.erl",
        "agree_otp.erl",
        "agree_code.erl",
        "agree_files.erl",
        "agree_logger.erl",
    ];
    compile_files("agree", &files.map(|f| programs.join(f)), &[])
}

fn by_erl(dir: &Path, module: &str) -> String {
    by_erl_that_logs(dir, module, "none")
}

fn by_erl_that_logs(dir: &Path, module: &str, level: &str) -> String {
    let output = Command::new("erl")
        .args(["-noshell", "-kernel", "logger_level", level, "-pa"])
        .arg(dir)
        .args(["-eval", &format!("{module}:run(), halt().")])
        .current_dir(dir)
        .output()
        .expect("erl runs");
    String::from_utf8(output.stdout).expect("text")
}

/// Runs without preemption and returns the output.
fn by_us(dir: &Path, module: &str, settings: Settings) -> String {
    let mut world = ErlangWorld::new(&program(dir, module, "run", settings));
    world.start();
    let mut last = None;
    let mut steps = 0;
    while !world.point().is_over() {
        steps += 1;
        assert!(steps < 100_000, "{module} does not come to an end: {:?}", world.output());
        let point = world.point();
        // The task of the last step continues if it is enabled.
        let task = last.filter(|t| point.is_enabled(*t)).unwrap_or(point.enabled()[0]);
        last = Some(task);
        world.step(raddle_core::world::Pick { task, option: 0 });
    }
    if let End::Failed(defect) = world.end(None).end {
        panic!(
            "{}\n{}",
            defect.message(),
            world.output().iter().map(|(_, t)| t.as_str()).collect::<String>()
        );
    }
    world.output().into_iter().filter(|(name, _)| name == "P").map(|(_, text)| text).collect()
}

fn assert_same(expected: &str, found: &str) {
    let differ: Vec<String> = expected
        .lines()
        .zip(found.lines())
        .filter(|(expected, found)| expected != found)
        .map(|(expected, found)| format!("expected {expected}\n   found {found}"))
        .collect();
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    assert_eq!(expected.lines().count(), found.lines().count());
}

#[test]
fn the_same_results_as_in_the_installed_erlang() {
    if !erlang_is_there() {
        return;
    }
    let dir = compiled();
    let expected = by_erl(&dir, "agree");
    assert!(expected.lines().count() > 100, "{expected}");
    for grain in [Grain::Full, Grain::Thesis, Grain::Receive] {
        for delivery in [Delivery::Instant, Delivery::Local] {
            assert_same(
                &expected,
                &by_us(
                    &dir,
                    "agree",
                    Settings { grain, delivery, judgement: Judgement::Lenient, ..Settings::default() },
                ),
            );
        }
    }
}

#[test]
fn the_standard_library_gives_the_same_results() {
    if !erlang_is_there() {
        return;
    }
    let dir = compiled();
    let expected = by_erl(&dir, "agree_stdlib");
    assert!(expected.lines().count() > 80, "{expected}");
    let settings =
        Settings { delivery: Delivery::Instant, judgement: Judgement::Lenient, ..Settings::default() };
    assert_same(&expected, &by_us(&dir, "agree_stdlib", settings));
}

#[test]
fn regular_expressions_give_the_same_results() {
    if !erlang_is_there() {
        return;
    }
    let dir = compiled();
    let expected = by_erl(&dir, "agree_re");
    assert!(expected.lines().count() > 2_000, "{}", expected.lines().count());
    let settings =
        Settings { delivery: Delivery::Instant, judgement: Judgement::Lenient, ..Settings::default() };
    assert_same(&expected, &by_us(&dir, "agree_re", settings));
}

#[test]
fn otp_s_processes_give_the_same_results() {
    if !erlang_is_there() {
        return;
    }
    let dir = compiled();
    let expected = by_erl(&dir, "agree_otp");
    assert!(expected.lines().count() > 30, "{expected}");
    for delivery in [Delivery::Instant, Delivery::Local] {
        let settings = Settings { delivery, judgement: Judgement::Lenient, ..Settings::default() };
        assert_same(&expected, &by_us(&dir, "agree_otp", settings));
    }
}

/// Here they are written in memory, and nothing is left on the disk.
#[test]
fn files_give_the_same_results() {
    if !erlang_is_there() {
        return;
    }
    let dir = compiled();
    let expected = by_erl(&dir, "agree_files");
    assert!(expected.lines().count() > 50, "{expected}");
    for delivery in [Delivery::Instant, Delivery::Local] {
        let settings = Settings { delivery, ..Settings::default() };
        assert_same(&expected, &by_us(&dir, "agree_files", settings));
    }
    assert!(!Path::new("agree_files_dir").exists(), "it was written in memory");
}

fn logging() -> Settings {
    let dynamic = Dynamic::of([Atom::new("$logger_config$")]);
    Settings { dynamic, judgement: Judgement::Lenient, ..Settings::default() }
}

#[test]
fn handlers_of_logs_get_what_they_get_in_the_installed_erlang() {
    if !erlang_is_there() {
        return;
    }
    let dir = compiled();
    let expected = by_erl_that_logs(&dir, "agree_logger", "notice");
    assert!(expected.lines().count() > 25, "{expected}");
    for delivery in [Delivery::Instant, Delivery::Local] {
        // The beginning of what `logger` itself says is on standard error there.
        let found = by_us(&dir, "agree_logger", Settings { delivery, ..logging() });
        assert_same(&sorted(&expected), &sorted(&found.replace("Logger - error: ", "")));
    }
}

/// What `logger` says itself comes by another way than what the program prints, and so at any time.
fn sorted(lines: &str) -> String {
    let mut lines: Vec<&str> = lines.lines().collect();
    lines.sort_unstable();
    lines.join("\n")
}

/// What configures `logger` is found out by the search, which begins anew; then reading it is a step.
#[test]
fn handlers_of_logs_are_called_in_every_order() {
    if !erlang_is_there() {
        return;
    }
    let dir = compiled();
    let explored = |function: &str| {
        let found = optimal(&program(
            &dir,
            "agree_logger",
            function,
            Settings { dynamic: Dynamic::default(), ..logging() },
        ));
        assert_eq!(found.failures, 0, "{function}: {:?}", found.failure.map(|f| f.message().to_owned()));
        assert!(found.through, "{function}: it is exhaustive");
        (found.outcomes.into_keys().collect::<Vec<_>>(), found.executions)
    };
    assert_eq!(explored("race"), (vec!["[1,2]".into(), "[2,1]".into()], 2));
    assert_eq!(explored("crash").0, ["ok"]);
    assert_eq!(explored("unlogged"), (vec!["ok".into()], 1));
    let two = optimal(&program(&dir, "agree_logger", "configured_by_two", Settings::default()));
    let said = two.failure.expect("it is refused").message();
    assert!(said.starts_with("configuring logger in two processes at once is not supported"), "{said}");
}

#[test]
fn code_that_is_loaded_while_it_runs_gives_the_same_results() {
    if !erlang_is_there() {
        return;
    }
    let dir = compiled();
    let expected = by_erl(&dir, "agree_code");
    assert!(expected.lines().count() > 20, "{expected}");
    let dynamic = Dynamic::of(["dynamic", "agree_server"].map(Atom::new));
    let settings = Settings { dynamic, judgement: Judgement::Lenient, ..Settings::default() };
    assert_same(&expected, &by_us(&dir, "agree_code", settings));
}

/// Calls of such code are steps of their own, by the reduction and without it.
#[test]
fn calls_beside_the_loading_of_code_have_every_order() {
    if !erlang_is_there() {
        return;
    }
    let dir = compiled();
    let explored = |function: &str, settings: Settings| {
        let found = optimal(&program(&dir, "agree_code", function, settings));
        assert_eq!(found.failures, 0, "{:?}", found.failure.map(|f| f.message().to_owned()));
        assert!(found.through, "it is exhaustive");
        (found.outcomes.into_keys().collect::<Vec<_>>(), found.executions)
    };
    let settings = || Settings { delivery: Delivery::Instant, ..Settings::default() };
    assert_eq!(explored("race", settings()), (vec!["{1,1}".into(), "{1,2}".into(), "{2,2}".into()], 3));
    let deleted = vec!["{1,false}".into(), "{1,true}".into(), "{undef,false}".into()];
    assert_eq!(explored("deleted", settings()), (deleted, 3));
    // Without a reduction the modules are given, as in a ticket.
    let dynamic = Dynamic::of([Atom::new("dynamic")]);
    let all = all(&program(&dir, "agree_code", "race", Settings { dynamic, ..settings() }));
    assert_eq!(all.outcomes.into_keys().collect::<Vec<_>>(), ["{1,1}", "{1,2}", "{2,2}"]);
}
