//! Every key with its expression, and every mistake with its message and its source.

use super::Settings;
use crate::keys::{self, Applies, Role};
use quote::ToTokens;

/// The expression of `args`, without spaces.
fn checker(args: &str) -> String {
    let (settings, errors) = Settings::parse(args.parse().unwrap());
    assert!(errors.is_none(), "{args}: {}", errors.unwrap());
    let compact = settings.to_token_stream().to_string().replace(' ', "");
    compact.strip_prefix("::raddle::Checker::").expect("a constructor of Checker").to_owned()
}

/// The errors of `args`, each with its source.
fn mistakes(args: &str) -> Vec<(String, String)> {
    let (_, errors) = Settings::parse(args.parse().unwrap());
    let errors = errors.unwrap_or_else(|| panic!("no error in {args}"));
    let source = |error: &syn::Error| error.span().source_text().expect("a place in the source");
    errors.into_iter().map(|error| (source(&error), error.to_string())).collect()
}

/// Asserts that `args` have one mistake: its source and its message.
#[track_caller]
fn mistake(args: &str, at: &str, message: &str) {
    assert_eq!(mistakes(args), [(at.to_owned(), message.to_owned())]);
}

#[test]
fn a_strategy_is_the_constructor() {
    assert_eq!(checker(""), "exhaustive()");
    assert_eq!(checker("exhaustive"), "exhaustive()");
    assert_eq!(checker("dfs,"), "dfs()");
    assert_eq!(checker("random = 10_000"), "random(10_000)");
    assert_eq!(checker(r#"replay = "t1:0.1.2""#), r#"replay("t1:0.1.2")"#);
    assert_eq!(checker(r##"replay = r#"a"b"#"##), r##"replay(r#"a"b"#)"##);
}

#[test]
fn the_other_keys_are_setters_in_the_order_written() {
    assert_eq!(checker("seed = 7, random = 100, workers = 2"), "random(100).seed(7).workers(2)");
    assert_eq!(checker("preemptions = 2, dfs, spurious = 0"), "dfs().preemptions(2).spurious(0)");
    assert_eq!(checker("max_steps = 1_000"), "exhaustive().max_steps(1_000)");
    assert_eq!(checker("stack_size = 0x10000"), "exhaustive().stack_size(0x10000)");
    assert_eq!(checker("random = 1, seed = 18446744073709551615"), "random(1).seed(18446744073709551615)");
    assert_eq!(checker("seed = 7u64, workers = 2usize, random = 1"), "random(1).seed(7u64).workers(2usize)");
    assert_eq!(checker("keep_going"), "exhaustive().keep_going()");
}

#[test]
fn words_are_variants() {
    assert_eq!(checker("time = any"), "exhaustive().time(::raddle::Time::Any)");
    assert_eq!(checker("time = idle"), "exhaustive().time(::raddle::Time::Idle)");
    assert_eq!(checker("detached = allowed"), "exhaustive().detached(::raddle::Detached::Allowed)");
    assert_eq!(checker("detached = finished"), "exhaustive().detached(::raddle::Detached::MustFinish)");
    assert_eq!(checker("memory = \"rc11\""), "exhaustive().memory(::raddle::Memory::Rc11)");
    assert_eq!(checker("heap = \"off\""), "exhaustive().heap(::raddle::Heap::Off)");
    assert_eq!(checker("spins = wait"), "exhaustive().spins(::raddle::Spins::Await)");
}

#[test]
fn samplers_are_named_by_strings() {
    let looked_up = r#"{constSAMPLER:::raddle::Sampler=::raddle::__private::sampler("pct:4");SAMPLER}"#;
    assert_eq!(checker(r#"random = 5, sampler = "pct:4""#), format!("random(5).sampler({looked_up})"));
    mistake("random = 5, sampler = pct", "pct", "`sampler` takes a string, as in `sampler = \"pct:3\"`");
}

#[test]
fn time_limits() {
    let limit = |duration| format!("exhaustive().time_limit(::core::time::Duration::{duration})");
    assert_eq!(checker("time_limit = 5"), limit("from_secs(5u64)"));
    assert_eq!(checker("time_limit = \"5s\""), limit("from_millis(5000u64)"));
    assert_eq!(checker("time_limit = \"250ms\""), limit("from_millis(250u64)"));
}

#[test]
fn every_example_is_what_it_shows() {
    for key in &keys::KEYS {
        let example = match key.applies {
            Applies::ToRandom => format!("random = 5, {}", key.example),
            _ => key.example.to_owned(),
        };
        assert!(checker(&example).contains(&format!("{}(", key.name)), "{}", key.example);
    }
}

#[test]
fn unknown_keys() {
    let known = "`exhaustive`, `iterative`, `dfs`, `random = 10_000`, `replay = \"ticket\"`, `seed = 7`, \
                 `sampler = \"pct:3\"`, `workers = 2`, `preemptions = 2`, `preemptions_up_to = 3`, \
                 `yield_bound = 5`, `step_bound = 100`, `max_steps = 10_000`, `spurious = 1`, `time = any`, `time_limit = \"5s\"`, `checkpoint = \"30s\"`, \
                 `stack_size = 65_536`, `keep_going`, `observers`, `detached = finished`, \
                 `memory = \"rc11\"`, `stale_reads = 1`, `heap = \"off\"`, `spins = wait`, `spin_rounds = 5`";
    mistake("random = 5, sed = 7", "sed", &format!("unknown setting `sed`; the settings are {known}"));
    mistake("10_000", "10_000", &format!("expected a setting; the settings are {known}"));
    mistake("\"dfs\" = 2", "\"dfs\" = 2", &format!("expected a setting; the settings are {known}"));
    mistake("dfs,, workers = 1", ",", "expected a setting before `,`");
}

#[test]
fn keys_that_exclude_each_other() {
    mistake("seed = 7, random = 5, seed = 8", "seed", "`seed` is set twice");
    mistake("dfs, dfs", "dfs", "`dfs` is set twice");
    mistake("dfs, random = 5", "random", "`dfs` and `random` are both strategies; a test has one");
    mistake(
        "replay = \"t\", exhaustive",
        "exhaustive",
        "`replay` and `exhaustive` are both strategies; a test has one",
    );
}

#[test]
fn settings_without_effect() {
    mistake("seed = 7", "seed", "`seed` applies to random schedules, not to `exhaustive`");
    mistake("dfs, observers", "observers", "`observers` applies to exhaustive searches, not to `dfs`");
    mistake(
        "preemptions_up_to = 3, random = 5",
        "preemptions_up_to",
        "`preemptions_up_to` applies to exhaustive and depth-first searches, not to `random`",
    );
    mistake(
        "step_bound = 7, replay = \"t\"",
        "step_bound",
        "`step_bound` applies to searches, not to `replay`",
    );
    let both = mistakes("sampler = \"pct\", dfs, seed = 7");
    assert_eq!(both.iter().map(|(at, _)| at.as_str()).collect::<Vec<_>>(), ["sampler", "seed"]);
}

/// The `Checker` decides what applies to what.
#[test]
fn what_applies_is_what_the_checker_accepts() {
    use raddle::{CheckError, Checker};
    let ticket = {
        let report = Checker::dfs().name("a").run(|| assert!(raddle::any_bool()));
        report.failure().expect("it fails").ticket().to_string()
    };
    let begin = |strategy: &str| match strategy {
        "exhaustive" => Checker::exhaustive(),
        "iterative" => Checker::iterative(),
        "dfs" => Checker::dfs(),
        "random" => Checker::random(1),
        "replay" => Checker::replay(&ticket),
        other => panic!("the strategy `{other}` is new"),
    };
    let set = |checker: Checker, setter: &str| match setter {
        "seed" => checker.seed(7),
        "sampler" => checker.sampler(raddle::Sampler::Pos),
        "workers" => checker.workers(1),
        "preemptions" => checker.preemptions(2),
        "preemptions_up_to" => checker.preemptions_up_to(2),
        "yield_bound" => checker.yield_bound(2),
        "step_bound" => checker.step_bound(100),
        "max_steps" => checker.max_steps(100),
        "spurious" => checker.spurious(1),
        "time" => checker.time(raddle::Time::Any),
        "time_limit" => checker.time_limit(std::time::Duration::from_secs(60)),
        "checkpoint" => checker.checkpoint(std::time::Duration::from_secs(60)),
        "stack_size" => checker.stack_size(1 << 20),
        "keep_going" => checker.keep_going(),
        "observers" => checker.observers(),
        "detached" => checker.detached(raddle::Detached::Allowed),
        "memory" => checker.memory(raddle::Memory::Sc),
        "stale_reads" => checker.stale_reads(1),
        "heap" => checker.heap(raddle::Heap::Off),
        "spins" => checker.spins(raddle::Spins::Await),
        "spin_rounds" => checker.spin_rounds(1),
        other => panic!("the setting `{other}` is new"),
    };
    let (strategies, setters): (Vec<_>, Vec<_>) =
        keys::KEYS.iter().partition(|key| key.role == Role::Strategy);
    for strategy in strategies {
        for setter in &setters {
            let checker = set(begin(strategy.name), setter.name).name("a");
            let refused = match checker.try_run(|| _ = raddle::any_bool()) {
                Err(CheckError::Setting(refused)) => Some(refused),
                _ => None,
            };
            let (with, name) = (strategy.name, setter.name);
            assert_eq!(refused.is_none(), setter.applies.with(with), "`{name}` with `{with}`");
            if let Some(refused) = refused {
                let words = refused.to_string();
                assert!(words.contains(setter.applies.words()), "`{name}` with `{with}`: {words}");
            }
        }
    }
}

#[test]
fn values_where_none_belong_and_none_where_one_does() {
    mistake("dfs = 1", "1", "`dfs` takes no value");
    mistake("exhaustive =", "exhaustive", "`exhaustive` takes no value");
    mistake("keep_going = true", "true", "`keep_going` takes no value");
    mistake("random", "random", "`random` needs a value, as in `random = 10_000`");
    mistake("seed =, random = 5", "seed", "`seed` needs a value, as in `seed = 7`");
    mistake("random(100)", "(100)", "expected `,` or `=` after `random`, as in `random = 10_000`");
    mistake("dfs seed = 7", "seed", "expected `,` or `=` after `dfs`, as in `dfs`");
}

#[test]
fn values_of_the_wrong_kind() {
    mistake("random = 5, seed = \"7\"", "\"7\"", "`seed` takes an integer, as in `seed = 7`");
    mistake("random = 5, seed = 7.5", "7.5", "`seed` takes an integer, as in `seed = 7`");
    mistake("workers = COUNT + 1", "COUNT + 1", "`workers` takes an integer, as in `workers = 2`");
    mistake("random = 5 5", "5 5", "`random` takes an integer, as in `random = 10_000`");
    mistake("replay = 5", "5", "`replay` takes a string, as in `replay = \"ticket\"`");
    mistake("time = never", "never", "`time` takes `any` or `idle`");
    mistake("time = \"any\"", "\"any\"", "`time` takes `any` or `idle`");
    mistake("memory = rc11", "rc11", "`memory` takes a string, as in `memory = \"rc11\"`");
    let models = "`memory` takes `\"auto\"` or `\"sc\"` or `\"tso\"` or `\"pso\"` or `\"rc11\"`";
    mistake("memory = \"x86\"", "\"x86\"", models);
    mistake("detached = forbidden", "forbidden", "`detached` takes `allowed` or `finished`");
    mistake(
        "time_limit = 1.5",
        "1.5",
        "`time_limit` takes a string with a unit or an integer of seconds, as in `time_limit = \"5s\"`",
    );
    mistake(
        "time_limit = \"5 years\"",
        "\"5 years\"",
        "`time_limit` takes a whole number of `ms`, `s`, `m` or `h`, as in `time_limit = \"5s\"`",
    );
}

#[test]
fn integers_out_of_range() {
    mistake("random = 5, seed = -1", "-1", "`seed` must be at least 0");
    mistake(
        "random = 5, seed = 18446744073709551616",
        "18446744073709551616",
        "`seed` must be at most 18446744073709551615",
    );
    mistake("preemptions = 4294967296", "4294967296", "`preemptions` must be at most 4294967295");
    mistake("random = 0", "0", "`random` must be at least 1");
    mistake("workers = 0", "0", "`workers` must be at least 1");
    mistake("workers = 1_025", "1_025", "`workers` must be at most 1024");
    mistake("max_steps = 1_000_000_001", "1_000_000_001", "`max_steps` must be at most 1000000000");
    mistake("stack_size = 1_073_741_825", "1_073_741_825", "`stack_size` must be at most 1073741824");
    mistake("time_limit = 315_360_001", "315_360_001", "`time_limit` must be at most 315360000");
    mistake("workers = 2u8", "2u8", "`workers` is a `usize`; write it without a suffix");
    mistake("time_limit = 0", "0", "`time_limit` must be at least 1");
    mistake("time_limit = \"0ms\"", "\"0ms\"", "`time_limit` must be more than nothing");
}

#[test]
fn all_mistakes_are_told_at_once_and_the_rest_is_kept() {
    let args = "random = x, seed = 7, time = never";
    assert_eq!(mistakes(args).iter().map(|(at, _)| at.as_str()).collect::<Vec<_>>(), ["x", "never"]);
    let (settings, _) = Settings::parse(args.parse().unwrap());
    assert!(settings.to_token_stream().to_string().replace(' ', "").ends_with("exhaustive().seed(7)"));
}
