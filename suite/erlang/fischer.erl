%% Fischer's mutual exclusion algorithm, as in figure 3 of "Stress testing time dependent software" (pulse_time):
%% right as long as no process waits longer (at most D) before it writes than others wait (T) before they look.
%%
%% pulse_time's max_wait_time says of a sleep how long it may take at most. Here such a sleep is written out: it may
%% be over after each millisecond, which is a race of two timers with the same deadline.
-module(fischer).
-export([start/4, start_1_2_1/0, start_2_1_1/0, start_2_2_1/0, start_2_1_2/0, start_2_2_2/0, start_2_3_2/0,
         start_2_1_1_twice/0, start_2_1_2_twice/0, start_2_2_3_twice/0]).

%% N, D and T are in the names. The paper's run fails for 2,2,1 and not for 1,2,1 and 2,1,1.
start_1_2_1() -> start(1, 2, 1, 1).
start_2_1_1() -> start(2, 1, 1, 1).
start_2_2_1() -> start(2, 2, 1, 1).
start_2_1_2() -> start(2, 1, 2, 1).
start_2_2_2() -> start(2, 2, 2, 1).
start_2_3_2() -> start(2, 3, 2, 1).
start_2_1_1_twice() -> start(2, 1, 1, 2).
start_2_1_2_twice() -> start(2, 1, 2, 2).
start_2_2_3_twice() -> start(2, 2, 3, 2).

%% N processes, each of which enters its critical region MB times.
start(N, D, T, MB) ->
    process_flag(trap_exit, true),
    ets:new(mutex_table, [named_table, public]),
    ets:insert(mutex_table, {variable, 0}),
    lists:foreach(fun(Id) -> spawn_link(fun() -> idle(Id, D, T, MB) end) end, lists:seq(1, N)),
    % The paper's start waits for ever; here it is over when all processes are through.
    [receive {'EXIT', _, normal} -> ok; {'EXIT', _, Reason} -> exit(Reason) end || _ <- lists:seq(1, N)],
    ok.

idle(Id, D, T, MB) ->
    case read() of
        0 -> set(Id, D, T, MB);
        _ -> sleep(1), idle(Id, D, T, MB)
    end.

set(Id, D, T, MB) ->
    max_sleep(1, D),
    setting(Id, D, T, MB).

setting(Id, D, T, MB) ->
    write(Id),
    sleep(T),
    testing(Id, D, T, MB).

testing(Id, D, T, MB) ->
    case read() of
        Id -> mutex(Id, D, T, MB);
        _ -> idle(Id, D, T, MB)
    end.

mutex(Id, D, T, MB) ->
    ets:insert(mutex_table, {mutex, {enter, Id}}),
    sleep(1),
    case ets:lookup(mutex_table, mutex) of
        [{mutex, {enter, Id}}] -> ok;
        [{mutex, Other}] -> exit({mutex_should_be_held_by, Id, Other})
    end,
    write(0),
    ets:insert(mutex_table, {mutex, void}),
    if
        MB > 1 -> idle(Id, D, T, MB - 1);
        true -> ok
    end.

sleep(Milliseconds) ->
    receive
    after Milliseconds -> ok
    end.

%% Sleeps between Min and Max milliseconds.
max_sleep(Min, Max) when Min >= Max -> sleep(Min);
max_sleep(Min, Max) ->
    Longer = erlang:send_after(Min, self(), longer),
    receive
        longer -> max_sleep(1, Max - Min)
    after Min ->
        case erlang:cancel_timer(Longer) of
            false -> receive longer -> ok end;
            _ -> ok
        end
    end.

read() -> [{variable, Value}] = ets:lookup(mutex_table, variable), Value.
write(Value) -> ets:insert(mutex_table, {variable, Value}).
