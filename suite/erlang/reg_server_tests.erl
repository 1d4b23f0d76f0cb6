%% The tests of the thesis's chapter 6. Errata: Listing 6.23 must attach MAX - 1 processes first, or the
%% server is full; the receives of messages there would otherwise take a message of Listing 6.20's helper.
-module(reg_server_tests).
-include_lib("eunit/include/eunit.hrl").
-include("reg_server.hrl").

%% Listing 6.5
start_stop_test() ->
    ?assertEqual(ok, reg_server:start()),
    ?assertEqual(ok, reg_server:stop()).

ping_test() ->
    reg_server:start(),
    ?assertEqual(pong, reg_server:ping()),
    ?assertEqual(pong, reg_server:ping()),
    reg_server:stop().

%% Listing 6.8
multiple_stops_test() ->
    reg_server:start(),
    ?assertEqual(ok, reg_server:stop()),
    ?assertEqual(server_down, reg_server:stop()).

%% Listing 6.11
multiple_concurrent_stops_test() ->
    Self = self(),
    reg_server:start(),
    spawn(fun() -> Self ! reg_server:stop() end),
    spawn(fun() -> Self ! reg_server:stop() end),
    ?assertEqual([ok, server_down], lists:sort(receive_two())).

receive_two() ->
    receive
        Result1 ->
            receive
                Result2 -> [Result1, Result2]
            end
    end.

%% Listing 6.13
ping_failure_test() ->
    ?assertEqual(server_down, reg_server:ping()),
    reg_server:start(),
    reg_server:stop(),
    ?assertEqual(server_down, reg_server:ping()).

ping_concurrent_failure_test() ->
    reg_server:start(),
    spawn(fun() ->
        Result = reg_server:ping(),
        ?assertEqual(true, lists:member(Result, [pong, server_down]))
    end),
    reg_server:stop().

%% Listing 6.14
multiple_starts_test() ->
    reg_server:start(),
    ?assertEqual(already_started, reg_server:start()),
    reg_server:stop().

%% Listing 6.16
multiple_concurrent_starts_test() ->
    Self = self(),
    spawn(fun() -> Self ! reg_server:start() end),
    spawn(fun() -> Self ! reg_server:start() end),
    ?assertEqual([already_started, ok], lists:sort(receive_two())),
    reg_server:stop().

%% Listing 6.18
attach_test() ->
    Self = self(),
    reg_server:start(),
    RegNum1 = reg_server:attach(),
    spawn(fun() ->
        RegNum2 = reg_server:attach(),
        ?assertEqual(RegNum2, reg_server:ping()),
        ?assertEqual(false, RegNum1 == RegNum2),
        Self ! done
    end),
    ?assertEqual(RegNum1, reg_server:ping()),
    receive done -> reg_server:stop() end.

%% Listing 6.20
already_attached_test() ->
    reg_server:start(),
    RegNum = reg_server:attach(),
    ?assertEqual(RegNum, reg_server:attach()),
    reg_server:stop().

max_attached_proc_test() ->
    reg_server:start(),
    L = lists:seq(1, ?MAX_ATTACHED_PROC),
    Ps = [spawn_attach() || _ <- L],
    ?assertEqual(server_full, reg_server:attach()),
    lists:foreach(fun(Pid) -> Pid ! ok end, Ps),
    reg_server:stop().

attach_and_wait(Target) ->
    reg_server:attach(),
    Target ! done,
    receive ok -> ok end.

spawn_attach() ->
    Self = self(),
    Pid = spawn(fun() -> attach_and_wait(Self) end),
    receive done -> Pid end.

%% Listing 6.22
detach_test() ->
    reg_server:start(),
    reg_server:attach(),
    reg_server:detach(),
    ?assertEqual(pong, reg_server:ping()),
    reg_server:stop().

%% Listing 6.23
detach_attach_test() ->
    Self = self(),
    reg_server:start(),
    L = lists:seq(1, ?MAX_ATTACHED_PROC - 1),
    Ps = [spawn_attach() || _ <- L],
    LastProc = spawn(fun() ->
        RegNum = reg_server:attach(),
        reg_server:detach(),
        Self ! RegNum,
        receive ok -> ok end
    end),
    receive RegNum -> ok end,
    ?assertEqual(RegNum, reg_server:attach()),
    lists:foreach(fun(Pid) -> Pid ! ok end, [LastProc | Ps]),
    reg_server:stop().

%% Listing 6.25
detach_non_attached_test() ->
    reg_server:start(),
    ?assertEqual(ok, reg_server:detach()),
    reg_server:stop().

%% Listing 6.27
detach_on_exit_test() ->
    Self = self(),
    reg_server:start(),
    L = lists:seq(1, ?MAX_ATTACHED_PROC - 1),
    Ps = [spawn_attach() || _ <- L],
    process_flag(trap_exit, true),
    LastProc = spawn_link(fun() -> Self ! reg_server:attach() end),
    receive RegNum -> ok end,
    receive {'EXIT', LastProc, normal} -> ok end,
    ?assertEqual(RegNum, reg_server:attach()),
    lists:foreach(fun(Pid) -> Pid ! ok end, [LastProc | Ps]),
    reg_server:stop().
