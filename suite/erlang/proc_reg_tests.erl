%% The minimal failing cases that QuickCheck and PULSE found in proc_reg. Each runs calls side by side and looks at
%% their answers: registering a dead process should always answer true, and do nothing.
-module(proc_reg_tests).
-include_lib("eunit/include/eunit.hrl").
-include("proc_reg.hrl").

%% Section 6.1: a dead process, registered twice at the same time.
first_race_test() ->
    {ok, _} = proc_reg:start_link(),
    Dead = dead(),
    ?assertEqual([true, true], both(fun() -> reg(c, Dead) end, fun() -> reg(c, Dead) end)).

%% Sections 4.4 and 6.2: the dead process was registered once before.
second_race_test() ->
    {ok, _} = proc_reg:start_link(),
    Dead = dead(),
    true = reg(b, Dead),
    ?assertEqual([true, true], both(fun() -> reg(b, Dead) end, fun() -> reg(b, Dead) end)).

%% Section 7: the process dies just after both have seen it alive. That takes a third one, who kills it. Some order of
%% the three calls explains every answer here (refused, kill, true), so the answers alone do not give it away; that a
%% call is refused after the server has cleaned up does: the name was free then, and the process that it stood for
%% was dead.
third_race_test() ->
    {ok, _} = proc_reg:start_link(),
    Process = spawn(fun() -> receive never -> ok end end),
    true = reg(b, Process),
    Self = self(),
    spawn(fun() -> Self ! {third, exit(Process, shutdown)} end),
    Answers = both(fun() -> reg(b, Process) end, fun() -> reg(b, Process) end),
    receive {third, true} -> ok end,
    ?assertNot(lists:member(refused_after_audit, Answers)).

%% What the production version does: a process that wants a name takes it itself. The name goes to one of two.
only_oneself_test() ->
    {ok, _} = proc_reg:start_link(),
    Self = self(),
    Pids = [spawn(fun() ->
        Self ! {self(), reg(b, self())},
        receive stop -> ok end
    end) || _ <- [1, 2]],
    Answers = [receive {Pid, Answer} -> Answer end || Pid <- Pids],
    ?assertEqual([refused, true], lists:sort(Answers)),
    [{true, Winner}] = [{true, Pid} || {true, Pid} <- lists:zip(Answers, Pids)],
    ?assertEqual(Winner, proc_reg:where(b)),
    [Pid ! stop || Pid <- Pids].

%% One after the other, everything is well in all versions but the last (which refuses others' processes).
in_sequence_test() ->
    {ok, _} = proc_reg:start_link(),
    Process = spawn(fun() -> receive never -> ok end end),
    case ?VERSION of
        4 -> ?assertEqual(refused, reg(a, Process));
        _ ->
            ?assertEqual(true, reg(a, Process)),
            ?assertEqual(Process, proc_reg:where(a)),
            ?assertEqual(refused, reg(a, Process)),
            ?assertEqual(true, proc_reg:unreg(a)),
            ?assertEqual(undefined, proc_reg:where(a)),
            ?assertError(badarg, proc_reg:unreg(a)),
            ?assertEqual(true, reg(a, Process)),
            Monitor = monitor(process, Process),
            exit(Process, shutdown),
            receive {'DOWN', Monitor, process, Process, shutdown} -> ok end,
            ?assertEqual(undefined, proc_reg:where(a)),
            ?assertEqual(true, reg(a, Process)),
            ?assertEqual(true, reg(a, Process))
    end.

reg(Name, Pid) ->
    try proc_reg:reg(Name, Pid)
    catch
        error:badarg:Stack ->
            case Stack of
                [{proc_reg, second_try, _, _} | _] -> refused_after_audit;
                _ -> refused
            end
    end.

dead() ->
    {Pid, Monitor} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', Monitor, process, Pid, normal} -> Pid end.

%% The answers of two calls that are made at the same time.
both(F, G) ->
    Self = self(),
    spawn(fun() -> Self ! {first, F()} end),
    spawn(fun() -> Self ! {second, G()} end),
    [receive {Which, Answer} -> Answer end || Which <- [first, second]].
