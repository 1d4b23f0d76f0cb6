//! The optimal reduction makes one execution per Mazurkiewicz trace, and loses no outcome.

use crate::common::*;
use raddle_erlang::settings::{Delivery, Grain, Judgement, Settings};
use std::collections::BTreeSet;
use std::path::PathBuf;

fn dir() -> PathBuf {
    compile_suite("reduction", &["small.erl", "delivery.erl"], &[])
}

fn reduced(function: &str, settings: Settings) -> u64 {
    let findings = optimal(&program(&dir(), "small", function, settings));
    assert_eq!(findings.undecided, 0);
    findings.executions
}

/// The number of executions, and of failing ones.
fn of_server(step: u32, max: u32, test: &str, settings: Settings) -> (u64, u64) {
    let defines = [format!("STEP={step}"), format!("MAX_ATTACHED_PROC={max}")];
    let defines: Vec<&str> = defines.iter().map(String::as_str).collect();
    let files = ["reg_server.erl", "reg_server_tests.erl"];
    let dir = compile_suite(&format!("reduced_server_{step}_{max}"), &files, &defines);
    let findings = optimal(&program(&dir, "reg_server_tests", test, settings));
    assert_eq!(findings.undecided, 0);
    (findings.executions, findings.failures)
}

#[test]
fn readers_and_last_zero() {
    if !erlang_is_there() {
        return;
    }
    let counted =
        ["readers_2", "readers_3", "readers_5", "readers_10"].map(|f| reduced(f, Settings::thesis()));
    assert_eq!(counted, [4, 8, 32, 1024]);
    let counted =
        ["last_zero_3", "last_zero_5", "last_zero_7", "last_zero_9"].map(|f| reduced(f, Settings::thesis()));
    assert_eq!(counted, [12, 64, 320, 1_536]);
}

#[test]
fn two_concurrent_stops_in_12_interleavings() {
    if !erlang_is_there() {
        return;
    }
    let test = "multiple_concurrent_stops_test";
    assert_eq!(of_server(612, 2, test, Settings::thesis()), (12, 0));
}

#[test]
fn attached_processes_of_the_final_server() {
    if !erlang_is_there() {
        return;
    }
    let counted = [1, 2, 3, 4].map(|max| of_server(628, max, "max_attached_proc_test", Settings::thesis()).0);
    assert_eq!(counted, [2, 5, 16, 65]);
}

#[test]
fn no_outcome_is_lost() {
    if !erlang_is_there() {
        return;
    }
    let functions = [
        ("small", "two_senders"),
        ("small", "names"),
        ("small", "monitors"),
        ("small", "aliases"),
        ("small", "tables"),
        ("small", "exits"),
        ("small", "counters"),
        ("small", "register_race"),
        ("small", "ring_5"),
        ("delivery", "overtaking"),
        ("delivery", "link_race"),
        ("delivery", "kill_then_look"),
        ("delivery", "exit_is_not_atomic"),
    ];
    for grain in [Grain::Thesis, Grain::Full] {
        for delivery in [Delivery::Instant, Delivery::Local] {
            for (module, function) in functions {
                let settings =
                    Settings { grain, delivery, judgement: Judgement::Lenient, ..Settings::default() };
                let program = program(&dir(), module, function, settings);
                let limit = |mut strategy: Option<Box<dyn raddle_core::strategy::Strategy>>| {
                    let strategy = strategy.take().expect("a strategy");
                    let findings = explore(&program, strategy);
                    let failed = findings.failures > 0;
                    (findings.executions, findings.outcomes.into_keys().collect::<BTreeSet<_>>(), failed)
                };
                let findings = optimal(&program);
                let failed = findings.failures > 0;
                let few =
                    (findings.executions, findings.outcomes.into_keys().collect::<BTreeSet<_>>(), failed);
                let all = limit(Some(Box::new(raddle_core::strategy::Dfs::new())));
                assert_eq!((&few.1, few.2), (&all.1, all.2), "{function} {grain:?} {delivery:?}");
                assert!(few.0 <= all.0, "{function}: {} of {}", few.0, all.0);
            }
        }
    }
}

/// The exit of the test process is judged by itself, and a table is one more access of its owner's exit: neither is
/// reordered with the exits of other processes. There were 64 executions and 288.
#[test]
fn exits_beside_a_crash_and_beside_a_table_are_not_reordered() {
    if !erlang_is_there() {
        return;
    }
    let text = "-module(beside).
-export([crash/0, table/0]).
crash() -> [spawn(fun() -> ok end) || _ <- lists:seq(1, 6)], error(boom).
table() ->
    T = ets:new(t, [public]),
    Me = self(),
    Write = fun(I) -> ets:insert(T, {I, 1}), ets:lookup(T, I), ets:insert(T, {0, I}), Me ! done end,
    [spawn(fun() -> Write(I) end) || I <- [1, 2, 3]],
    [receive done -> ok end || _ <- [1, 2, 3]],
    ok.
";
    let dir = compile_text("beside", text);
    let crash = optimal(&program(&dir, "beside", "crash", Settings::default()));
    assert_eq!((crash.executions, crash.failures, crash.undecided), (1, 1, 0));
    let table = optimal(&program(&dir, "beside", "table", Settings::thesis()));
    assert_eq!((table.executions, table.failures, table.undecided), (36, 0, 0));
}

/// Owners of tables whose messages are received one by one, or by another process each, are independent, and Concuerror
/// makes one execution of each of these, too. An heir, or a process that a table is given to, is one more object, and so
/// is each table of an exit: there were 48 to 6,024 executions with two owners.
#[test]
fn tables_that_are_inherited_or_given_away_are_independent() {
    if !erlang_is_there() {
        return;
    }
    let text = "-module(owners).
-export([heirs/0, own_heirs/0, dead_heir/0, gives/0, own_gives/0, three_tables/0]).
each(F) -> [F(I) || I <- [1, 2, 3]].
receive_each() -> each(fun(I) -> receive {'ETS-TRANSFER', _, _, I} -> ok end end), ok.
owner(Heir, I) -> spawn(fun() -> ets:new(t, [public, {heir, Heir, I}]) end).
giver(To, I) -> spawn(fun() -> ets:give_away(ets:new(t, [public]), To, I) end).
taker() -> spawn(fun() -> receive {'ETS-TRANSFER', _, _, _} -> ok end end).
heirs() -> Me = self(), each(fun(I) -> owner(Me, I) end), receive_each().
own_heirs() -> each(fun(I) -> owner(taker(), I) end), ok.
dead_heir() ->
    {Heir, Ref} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', Ref, _, _, _} -> ok end,
    each(fun(I) -> owner(Heir, I) end),
    ok.
gives() -> Me = self(), each(fun(I) -> giver(Me, I) end), receive_each().
own_gives() -> each(fun(I) -> giver(taker(), I) end), ok.
three_tables() -> each(fun(_) -> spawn(fun() -> each(fun(_) -> ets:new(t, []) end) end) end), ok.
";
    let dir = compile_text("owners", text);
    let full = |delivery| Settings { delivery, ..Settings::default() };
    let deliveries = [Delivery::Local, Delivery::Pairs, Delivery::Instant];
    for settings in deliveries.map(full).into_iter().chain([Settings::thesis()]) {
        for function in ["heirs", "own_heirs", "dead_heir", "gives", "own_gives", "three_tables"] {
            let found = optimal(&program(&dir, "owners", function, settings.clone()));
            let counted = (found.executions, found.failures, found.undecided);
            assert_eq!(counted, (1, 0, 0), "{function} {settings:?}");
        }
    }
}

/// Known to be redundant, and said in the guide. An exit that may fail conflicts with everything in the default grain, since whether it
/// is observed depends on who is alive, and so does the first step of an exit that has more than four tables: it fixes which
/// tables are deleted, and an operation tells six objects apart. One execution of each would do.
#[test]
fn exits_that_conflict_with_everything_are_reordered() {
    if !erlang_is_there() {
        return;
    }
    let text = "-module(exits).
-export([one/0, two/0, three/0, four_tables/0, five_tables/0]).
name(I) -> list_to_atom([$n, $0 + I]).
crash(K) ->
    spawn(fun() -> error(boom) end),
    [spawn(fun() -> register(name(I), self()) end) || I <- lists:seq(1, K)],
    ok.
one() -> crash(1).
two() -> crash(2).
three() -> crash(3).
owners(T) -> [spawn(fun() -> [ets:new(t, [public]) || _ <- lists:seq(1, T)] end) || _ <- [1, 2]], ok.
four_tables() -> owners(4).
five_tables() -> owners(5).
";
    let dir = compile_text("exits", text);
    let counts = [("one", 7), ("two", 22), ("three", 67), ("four_tables", 1), ("five_tables", 228)];
    for (function, executions) in counts {
        let found = optimal(&program(&dir, "exits", function, Settings::default()));
        assert_eq!((found.executions, found.undecided), (executions, 0), "{function}");
    }
}

/// By the thesis's rules a crash ends the execution where it happens. So what has happened by then is a part of the
/// execution, and there is one for each set of processes that have ended: 2^k, where the default has 1. Concuerror
/// has 1, since it lets the other processes go on after a crash.
#[test]
fn by_the_thesis_a_crash_comes_after_each_set_of_exits() {
    if !erlang_is_there() {
        return;
    }
    let text = "-module(cut).
-export([crash/0]).
crash() -> [spawn(fun() -> ok end) || _ <- [1, 2, 3]], error(boom).
";
    let dir = compile_text("cut", text);
    let counted = [Settings::thesis(), Settings::default()]
        .map(|settings| optimal(&program(&dir, "cut", "crash", settings)))
        .map(|found| (found.executions, found.failures, found.undecided));
    assert_eq!(counted, [(8, 8, 0), (1, 1, 0)]);
}

/// N senders of K messages each to one receiver: one execution for each order of the messages that keeps those of a sender
/// in order, (NK)! / (K!)^N. Long executions have one trace each.
#[test]
fn messages_of_several_senders_and_long_executions() {
    if !erlang_is_there() {
        return;
    }
    let text = "-module(messages).
-export([five/0, three_by_two/0, two_by_four/0, all_then_receive/0, one_by_one/0, backwards/0, contradiction/0]).
five() -> senders(5, 1).
three_by_two() -> senders(3, 2).
two_by_four() -> senders(2, 4).
senders(N, K) ->
    Me = self(),
    [spawn(fun() -> [Me ! {I, J} || J <- lists:seq(1, K)] end) || I <- lists:seq(1, N)],
    receive_all(N * K).
receive_all(0) -> ok;
receive_all(N) -> receive _ -> receive_all(N - 1) end.
all_then_receive() -> [self() ! I || I <- lists:seq(1, 150)], receive_all(150).
one_by_one() -> one_by_one(300).
one_by_one(0) -> ok;
one_by_one(N) -> self() ! N, receive N -> one_by_one(N - 1) end.
backwards() -> [self() ! I || I <- lists:seq(1, 60)], [receive I -> I end || I <- lists:seq(60, 1, -1)], ok.
%% x arrives before y. If y arrives before z, so does x, and is received before it.
contradiction() ->
    Me = self(),
    spawn(fun() -> Me ! x, Me ! y end),
    spawn(fun() -> Me ! z end),
    A = receive y -> y; z -> z end,
    B = receive x -> x; z -> z end,
    {A, B}.
";
    let dir = compile_text("messages", text);
    let found = |function: &str| optimal(&program(&dir, "messages", function, Settings::default()));
    for (function, executions) in [("five", 120), ("three_by_two", 90), ("two_by_four", 70)] {
        let findings = found(function);
        assert_eq!((findings.executions, findings.undecided), (executions, 0), "{function}");
    }
    for function in ["all_then_receive", "one_by_one", "backwards"] {
        assert_eq!(found(function).executions, 1, "{function}");
    }
    let outcomes: Vec<String> = found("contradiction").outcomes.into_keys().collect();
    assert_eq!(outcomes, ["{y,x}", "{z,x}"]);
}
