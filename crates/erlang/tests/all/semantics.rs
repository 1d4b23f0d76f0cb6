//! The settings: delivery, time, faults, and which exits are failures.

use crate::common::*;
use raddle_core::clock::Time;
use raddle_core::search::Findings;
use raddle_core::verdict::FailureKind;
use raddle_erlang::settings::{Delivery, Judgement, Settings};
use std::path::PathBuf;

fn dir() -> PathBuf {
    compile_suite("semantics", &["delivery.erl", "small.erl"], &[])
}

fn outcomes(findings: &Findings<String>) -> Vec<&str> {
    findings.outcomes.keys().map(String::as_str).collect()
}

fn explored(module: &str, function: &str, settings: Settings) -> Findings<String> {
    all(&program(&dir(), module, function, settings))
}

fn with(delivery: Delivery) -> Settings {
    Settings { delivery, ..Settings::default() }
}

#[test]
fn messages_overtake_each_other_only_between_nodes() {
    if !erlang_is_there() {
        return;
    }
    for delivery in [Delivery::Instant, Delivery::Local] {
        assert_eq!(outcomes(&explored("delivery", "overtaking", with(delivery))), ["{from_a,from_b}"]);
    }
    let between = explored("delivery", "overtaking", with(Delivery::Pairs));
    assert_eq!(outcomes(&between), ["{from_a,from_b}", "{from_b,from_a}"]);
}

#[test]
fn a_link_may_come_too_late() {
    if !erlang_is_there() {
        return;
    }
    let settings = Settings { judgement: Judgement::Lenient, ..Settings::default() };
    assert_eq!(outcomes(&explored("delivery", "link_race", settings)), ["noproc", "why"]);
}

#[test]
fn a_kill_only_marks_its_victim() {
    if !erlang_is_there() {
        return;
    }
    let settings = |delivery| Settings { delivery, judgement: Judgement::Lenient, ..Settings::default() };
    let local = explored("delivery", "kill_then_look", settings(Delivery::Local));
    assert_eq!(outcomes(&local), ["{false,false}", "{true,false}"]);
}

#[test]
fn an_exit_is_a_sequence_of_steps() {
    if !erlang_is_there() {
        return;
    }
    let found = explored("delivery", "exit_is_not_atomic", Settings::default());
    let seen = outcomes(&found);
    assert!(seen.contains(&"{false,true}"), "the table is gone, the name is still there: {seen:?}");
    let thesis = explored("delivery", "exit_is_not_atomic", Settings::thesis());
    assert_eq!(outcomes(&thesis), ["{false,false}", "{true,false}", "{true,true}"]);
}

#[test]
fn timers_fire_when_idle_or_at_any_point() {
    if !erlang_is_there() {
        return;
    }
    let idle = explored("small", "listing_5_14", Settings::default());
    assert_eq!((outcomes(&idle), idle.failures), (vec!["ok"], 0));
    let any = explored("small", "listing_5_14", Settings { time: Time::Any, ..Settings::default() });
    assert!(any.failures > 0);
    assert_eq!(any.failure.expect("a failure").message(), "P exited abnormally: timeout");
    let slow =
        explored("delivery", "slow_call", Settings { delivery: Delivery::Instant, ..Settings::default() });
    assert_eq!(outcomes(&slow), ["timeout"]);
}

#[test]
fn which_ends_are_failures() {
    if !erlang_is_there() {
        return;
    }
    let kind = |function: &str, judgement| {
        let settings = Settings { judgement, delivery: Delivery::Instant, ..Settings::default() };
        let findings = explored("delivery", function, settings);
        findings.failure.map(|f| (f.kind(), f.message().to_owned()))
    };
    let (usual, strict) = (Judgement::Usual, Judgement::Strict);
    let (sort, message) = kind("unnoticed_crash", usual).expect("a failure");
    assert_eq!(sort, FailureKind::Panic);
    assert!(message.starts_with("P.1 crashed: oops at ") && message.contains("delivery.erl:"), "{message}");
    assert_eq!(kind("noticed_crash", usual), None);
    assert!(kind("noticed_crash", strict).is_some());
    assert_eq!(kind("waiting_server", usual), None);
    assert_eq!(kind("waiting_server", strict).map(|f| f.0), Some(FailureKind::Deadlock));
    let (sort, message) = kind("waiting_client", usual).expect("a failure");
    assert_eq!((sort, message.as_str()), (FailureKind::Deadlock, "deadlock: P.2 waits for ever"));
    let (_, message) = kind("halting", usual).expect("a failure");
    assert_eq!(message, "P.1 stopped the system: halt(3)");
}

#[test]
fn a_killed_server_is_restarted() {
    if !erlang_is_there() {
        return;
    }
    let settings = Settings { kills: 1, delivery: Delivery::Instant, ..Settings::default() };
    let program = program(&dir(), "delivery", "supervised", settings);
    let findings = bounded(&program, 0);
    assert_eq!(outcomes(&findings), ["exited", "replied"]);
    assert!(raddle_report::coverage(&findings.coverage).contains("at most 1 kill"));
}

#[test]
fn a_server_that_is_killed_at_any_point_is_restarted() {
    if !erlang_is_there() {
        return;
    }
    let dir = compile_suite("restarted", &["restarted.erl"], &[]);
    let counted = [Delivery::Instant, Delivery::Local].map(|delivery| {
        let settings = Settings { delivery, judgement: Judgement::Lenient, ..Settings::default() };
        let findings = optimal(&program(&dir, "restarted", "killed_once", settings));
        assert_eq!(outcomes(&findings), ["{0,0}", "{exited,0}"]);
        assert_eq!((findings.failures, findings.undecided), (0, 0));
        assert!(raddle_report::coverage(&findings.coverage).starts_with("exhaustive"));
        findings.executions
    });
    // 616 while the monitor of a call was a signal to be delivered.
    assert_eq!(counted, [65, 134]);
}

/// The behaviour of the installed Erlang is among the explored ones.
#[test]
fn a_server_that_is_killed_is_restarted_in_the_installed_erlang_too() {
    if !erlang_is_there() {
        return;
    }
    let dir = compile_suite("restarted_by_erl", &["restarted.erl"], &[]);
    let settings = Settings { judgement: Judgement::Lenient, ..Settings::default() };
    let explored = optimal(&program(&dir, "restarted", "killed_once", settings));
    let run = "Run = fun(_) ->
            Me = self(),
            {_, M} = spawn_monitor(fun() -> process_flag(trap_exit, true), Me ! {result, restarted:killed_once()} end),
            R = receive {result, X} -> X end,
            receive {_, M, _, _, _} -> ok end,
            (fun W() -> case whereis(server) of undefined -> ok; _ -> receive after 1 -> ok end, W() end end)(),
            R
        end,
        [io:format(\"~w~n\", [R]) || R <- lists:usort(lists:map(Run, lists:seq(1, 20)))], halt().";
    let output = std::process::Command::new("erl")
        .args(["-noshell", "-kernel", "logger_level", "none", "-pa"])
        .arg(&dir)
        .args(["-eval", run])
        .output()
        .expect("erl runs");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.lines().count() > 0, "it says something");
    for outcome in text.lines() {
        assert!(
            explored.outcomes.contains_key(outcome),
            "{outcome} was not explored: {:?}",
            explored.outcomes
        );
    }
}

/// A supervisor that monitors a child which is already exiting gets `noproc`, and unlinks it before the exit
/// reason arrives: the exit of the killed child is observed, and is no failure.
#[test]
fn who_watches_a_dying_process_has_noticed_its_end() {
    if !erlang_is_there() {
        return;
    }
    let text = "-module(dying).
-export([watched/0, unwatched/0]).
killed() -> process_flag(trap_exit, true), P = spawn_link(fun() -> receive never -> ok end end), exit(P, kill), P.
watched() -> P = killed(), R = monitor(process, P), unlink(P), receive {_, R, _, _, Why} -> Why end.
unwatched() -> unlink(killed()), ok.
";
    let dir = compile_text("dying", text);
    for findings in
        [all, optimal].map(|explore| explore(&program(&dir, "dying", "watched", Settings::default())))
    {
        assert_eq!((outcomes(&findings), findings.failures), (vec!["noproc"], 0));
    }
    // Its killer knows of its exit; only the strict judgement calls that a failure.
    let unwatched = |judgement| {
        let settings = Settings { judgement, ..Settings::default() };
        all(&program(&dir, "dying", "unwatched", settings)).failure.map(|f| f.message().to_owned())
    };
    assert_eq!(unwatched(Judgement::Usual), None);
    assert_eq!(unwatched(Judgement::Strict).as_deref(), Some("P.1 exited abnormally: killed"));
}

/// As in the installed Erlang; `catch` has no effect.
#[test]
fn who_sends_itself_an_exit_signal_ends() {
    if !erlang_is_there() {
        return;
    }
    let text = "-module(by_itself).
-export([normal/0, abnormal/0, trapped/0]).
why(Reason) ->
    {P, M} = spawn_monitor(fun() -> catch exit(self(), Reason), exit(otherwise) end),
    receive {'DOWN', M, process, P, Why} -> Why end.
normal() -> why(normal).
abnormal() -> why(abnormal).
trapped() -> process_flag(trap_exit, true), exit(self(), why), receive {'EXIT', P, why} -> P =:= self() end.
";
    let dir = compile_text("by_itself", text);
    for (function, outcome) in [("normal", "normal"), ("abnormal", "abnormal"), ("trapped", "true")] {
        for delivery in [Delivery::Instant, Delivery::Local, Delivery::Pairs] {
            for explore in [all, optimal] {
                let findings = explore(&program(&dir, "by_itself", function, with(delivery)));
                assert_eq!((outcomes(&findings), findings.failures), (vec![outcome], 0), "{delivery:?}");
            }
        }
    }
}

#[test]
fn small_programs_have_the_outcomes_they_have() {
    if !erlang_is_there() {
        return;
    }
    let settings = Settings { judgement: Judgement::Lenient, ..Settings::default() };
    let seen = |function: &str| {
        let findings = explored("small", function, settings.clone());
        findings.outcomes.into_keys().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(seen("two_senders"), "{a,b} {b,a}");
    assert_eq!(seen("counters"), "1 2");
    assert_eq!(seen("ring_5"), "5");
    assert_eq!(seen("monitors"), "{dead,dead} {dead,noproc} {noproc,dead} {noproc,noproc}");
    assert_eq!(seen("aliases"), "1 2");
    assert_eq!(seen("exits"), "first noproc second {got,first} {got,second}");
}

#[test]
fn workers_find_the_same() {
    if !erlang_is_there() {
        return;
    }
    use raddle_core::search::{NoListener, OnFailure, Plan, search};
    use raddle_core::strategy::Dfs;
    use raddle_erlang::world::ErlangWorld;
    let program = program(&dir(), "small", "names", Settings::thesis());
    let with = |workers| {
        let plan = Plan { workers, on_failure: OnFailure::KeepGoing, ..Plan::default() };
        let findings = search(
            &plan,
            Box::new(Dfs::new()),
            || ErlangWorld::new(&program),
            std::sync::Arc::new(NoListener),
        );
        (findings.executions, findings.failures, findings.outcomes)
    };
    assert_eq!(with(1), with(2));
}

const MAILBOXES: &str = "-module(mailboxes).
-export([in_order/0, of_two/0, of_another/0, in_a_loop/0, linked/0, killed/0, several/0]).
in_order() -> self() ! a, self() ! b, process_info(self(), messages).
of_two() ->
    Self = self(),
    spawn(fun() -> Self ! a end),
    spawn(fun() -> Self ! b end),
    receive go -> ok after 10 -> ok end,
    {messages, Messages} = process_info(Self, messages),
    {Messages, receive First -> First end}.
of_another() ->
    Self = self(),
    P = spawn(fun() -> receive stop -> ok end end),
    Send = fun(M) -> spawn(fun() -> P ! M, Self ! done end) end,
    Send(a), Send(b),
    receive done -> ok end,
    receive done -> ok end,
    process_info(P, [message_queue_len, messages]).
in_a_loop() ->
    Self = self(),
    spawn(fun() -> Self ! a end),
    spawn(fun() -> Self ! b end),
    loop().
loop() ->
    case process_info(self(), messages) of
        {messages, [_, _] = Two} -> Two;
        _ -> loop()
    end.
linked() ->
    P = spawn(fun() -> receive stop -> ok end end),
    link(P),
    {links, Links} = process_info(P, links),
    Links =:= [self()].
killed() ->
    P = spawn(fun() -> receive stop -> ok end end),
    exit(P, kill),
    process_info(P, status).
several() ->
    P = spawn(fun() -> receive stop -> ok end end),
    register(several, P),
    monitor(process, P),
    Watched = process_info(P, [monitored_by]),
    exit(P, kill),
    {Watched =:= [{monitored_by, [self()]}], process_info(P, registered_name)}.
";

/// `process_info` is a question to another process: it arrives after the asker's earlier signals, and it may read the order of
/// a mailbox, which the reduction then no longer leaves open.
#[test]
fn questions_about_a_process_arrive_in_order() {
    if !erlang_is_there() {
        return;
    }
    let dir = compile_text("mailboxes", MAILBOXES);
    for (function, outcomes) in [
        ("in_order", &["{messages,[a,b]}"][..]),
        ("of_two", &["{[a,b],a}", "{[b,a],b}"]),
        (
            "of_another",
            &["[{message_queue_len,2},{messages,[a,b]}]", "[{message_queue_len,2},{messages,[b,a]}]"],
        ),
        ("in_a_loop", &["[a,b]", "[b,a]"]),
        ("linked", &["true"]),
        ("killed", &["undefined"]),
        ("several", &["{true,undefined}"]),
    ] {
        for delivery in [Delivery::Instant, Delivery::Local, Delivery::Pairs] {
            let program = program(&dir, "mailboxes", function, with(delivery));
            let plain = all(&program);
            let reduced = optimal(&program);
            // Between nodes, messages of others may be on their way yet.
            if delivery != Delivery::Pairs {
                assert_eq!(self::outcomes(&plain), outcomes, "{function} {delivery:?} without the reduction");
            }
            assert_eq!(self::outcomes(&reduced), self::outcomes(&plain), "{function} {delivery:?}");
            assert_eq!((plain.failures, reduced.failures), (0, 0), "{function} {delivery:?}");
            assert!(reduced.executions <= plain.executions, "{function} {delivery:?}");
        }
    }
}
