//! Calls of OTP's behaviours: the monitor of a call arrives at once. The same outcomes come of calls that are written out,
//! whose monitors arrive later.

use crate::common::*;
use raddle_erlang::settings::{Judgement, Settings};

const TEXT: &str = r#"-module(calls).
-compile([export_all, nowarn_export_all]).

init(X) -> {ok, X}.
handle_call(get, _, S) -> {reply, S, S};
handle_call(stop, _, S) -> {stop, bye, stopped, S}.
handle_cast(crash, _) -> exit(crashed);
handle_cast(stop, S) -> {stop, normal, S};
handle_cast({set, X}, _) -> {noreply, X}.
terminate(_, _) -> ok.

%% As gen:do_call/4.
own(Server, Request) ->
    Ref = erlang:monitor(process, Server, [{alias, demonitor}]),
    Server ! {'$gen_call', {self(), [alias | Ref]}, Request},
    receive
        {[alias | Ref], Reply} -> erlang:demonitor(Ref, [flush]), Reply;
        {'DOWN', Ref, _, _, Why} -> exit(Why)
    end.
otp(Server, Request) -> gen_server:call(Server, Request, infinity).

try_it(Call, Server, Request) ->
    try Call(Server, Request) of V -> {ok, V} catch exit:{Why, _} -> Why; exit:Why -> Why end.

three(Call) ->
    {ok, S} = gen_server:start(?MODULE, x, []),
    [Call(S, get), Call(S, get), Call(S, get)].
beside(Do, Call) ->
    {ok, S} = gen_server:start(?MODULE, x, []),
    register(s, S),
    spawn(fun() -> Do(S) end),
    First = try_it(Call, S, get),
    There = whereis(s) =:= S,
    {First, There, try_it(Call, S, get), is_process_alive(S)}.
crash(Call) -> beside(fun(S) -> gen_server:cast(S, crash) end, Call).
stop(Call) -> beside(fun(S) -> gen_server:cast(S, stop) end, Call).
killed(Call) -> beside(fun(S) -> exit(S, kill) end, Call).
set(Call) -> beside(fun(S) -> gen_server:cast(S, {set, y}) end, Call).
stopped(Call) -> beside(fun(S) -> try_it(Call, S, stop) end, Call).

three_otp() -> three(fun otp/2).
three_own() -> three(fun own/2).
crash_otp() -> crash(fun otp/2).
crash_own() -> crash(fun own/2).
stop_otp() -> stop(fun otp/2).
stop_own() -> stop(fun own/2).
killed_otp() -> killed(fun otp/2).
killed_own() -> killed(fun own/2).
set_otp() -> set(fun otp/2).
set_own() -> set(fun own/2).
stopped_otp() -> stopped(fun otp/2).
stopped_own() -> stopped(fun own/2).
"#;

#[test]
fn calls_have_the_outcomes_of_calls_whose_monitors_arrive_later() {
    if !erlang_is_there() {
        return;
    }
    let dir = compile_text("calls", TEXT);
    let explored = |function: String| {
        let settings = Settings { judgement: Judgement::Lenient, ..Settings::default() };
        let found = optimal(&program(&dir, "calls", &function, settings));
        assert!(found.through && found.failures == 0, "{function}: {:?}", found.failure.map(|f| f.message()));
        (found.outcomes.into_keys().collect::<Vec<_>>(), found.executions)
    };
    assert_eq!(explored("three_otp".to_owned()).1, 1);
    for scenario in ["three", "crash", "stop", "killed", "set", "stopped"] {
        let (otp, own) = (explored(format!("{scenario}_otp")), explored(format!("{scenario}_own")));
        assert_eq!(otp.0, own.0, "{scenario}: the outcomes");
        assert!(otp.1 < own.1, "{scenario}: {} and {} executions", otp.1, own.1);
    }
}
