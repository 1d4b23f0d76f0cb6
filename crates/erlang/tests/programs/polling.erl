%% Loops that poll: each function waits for something by looking at it again and again.
-module(polling).
-compile([export_all, nowarn_export_all]).

table() ->
    T = ets:new(t, [public]),
    spawn(fun() -> ets:insert(T, {x, 1}) end),
    until(fun() -> ets:member(T, x) end).

table_and_yield() ->
    T = ets:new(t, [public]),
    spawn(fun() -> ets:insert(T, {x, 1}) end),
    until(fun() -> erlang:yield(), ets:lookup(T, x) =/= [] end).

%% A server that is asked again and again.
server() ->
    S = spawn(fun() -> serve(false) end),
    spawn(fun() -> S ! set end),
    until(fun() -> S ! {self(), get}, receive {S, Value} -> Value end end).
serve(Value) ->
    receive
        set -> serve(true);
        {From, get} -> From ! {self(), Value}, serve(Value)
    end.

interval() ->
    {ok, T} = timer:send_interval(10, tick),
    receive tick -> ok end,
    timer:cancel(T),
    ok.

name() ->
    P = spawn(fun() -> register(foo, self()), receive stop -> ok end end),
    until(fun() -> whereis(foo) =/= undefined end),
    P ! stop,
    ok.

names() ->
    P = spawn(fun() -> register(foo, self()), receive stop -> ok end end),
    until(fun() -> lists:member(foo, registered()) end),
    P ! stop,
    ok.

alive() ->
    P = spawn(fun() -> ok end),
    until(fun() -> not is_process_alive(P) end).

status() ->
    P = spawn(fun() -> register(foo, self()), receive a -> ok end end),
    until(fun() -> process_info(P, status) =:= {status, waiting} end),
    P ! a,
    ok.

counter() ->
    C = counters:new(1, []),
    spawn(fun() -> counters:add(C, 1, 1) end),
    until(fun() -> counters:get(C, 1) =:= 1 end).

mailbox() ->
    S = self(),
    spawn(fun() -> S ! go end),
    until(fun() -> receive go -> true after 0 -> false end end).

raised() ->
    P = spawn(fun() -> ets:new(foo, [named_table, public]), receive stop -> ok end end),
    until(fun() -> try ets:lookup(foo, x) of _ -> true catch error:badarg -> false end end),
    P ! stop,
    ok.

%% Attempts that fail change nothing.
sends() ->
    spawn(fun() -> register(foo, self()), receive stop -> ok end end),
    until(fun() -> try foo ! stop, true catch error:badarg -> false end end).

takes() ->
    T = ets:new(t, [public]),
    spawn(fun() -> ets:insert(T, {x, 1}) end),
    until(fun() -> ets:take(T, x) =/= [] end).

updates() ->
    T = ets:new(t, [public]),
    spawn(fun() -> ets:insert(T, {x, 1}) end),
    until(fun() -> ets:update_element(T, x, {2, 2}) end).

counts() ->
    T = ets:new(t, [public]),
    spawn(fun() -> ets:insert(T, {x, 1}) end),
    until(fun() -> try ets:update_counter(T, x, 1) =:= 2 catch error:badarg -> false end end).

deletes() ->
    T = ets:new(t, [public]),
    spawn(fun() -> ets:insert(T, {x, 1}) end),
    until(fun() -> ets:select_delete(T, [{{x, '_'}, [], [true]}]) =:= 1 end).

replaces() ->
    T = ets:new(t, [public]),
    spawn(fun() -> ets:insert(T, {x, 1}) end),
    until(fun() -> ets:select_replace(T, [{{x, 1}, [], [{{x, 2}}]}]) =:= 1 end).

creates() ->
    S = self(),
    P = spawn(fun() -> ets:new(foo, [named_table]), S ! there, receive stop -> ok end end),
    receive there -> ok end,
    P ! stop,
    until(fun() -> try ets:new(foo, [named_table]), true catch error:badarg -> false end end).

folds() ->
    T = ets:new(t, [public]),
    spawn(fun() -> ets:insert(T, {x, 1}) end),
    until(fun() -> ets:foldl(fun(_, N) -> N + 1 end, 0, T) > 0 end).

%% Each round fixes the table once more.
endless_fixations() ->
    T = ets:new(t, [public]),
    until(fun() -> not ets:safe_fixtable(T, true) end).

%% Two processes pass a token that is a key of a table.
token() ->
    T = ets:new(t, [public]),
    ets:insert(T, {token}),
    S = self(),
    Pass = fun() -> until(fun() -> ets:take(T, token) =/= [] end), ets:insert(T, {token}), S ! passed end,
    spawn(Pass),
    spawn(Pass),
    receive passed -> ok end,
    receive passed -> ok end.

%% Two processes with a lock that is a key of a table.
lock() ->
    T = ets:new(t, [public]),
    S = self(),
    Twice = fun() ->
        until(fun() -> ets:insert_new(T, {lock, self()}) end),
        N = ets:update_counter(T, n, 1, {n, 0}),
        ets:delete(T, lock),
        S ! {done, N}
    end,
    spawn(Twice),
    spawn(Twice),
    receive {done, _} -> ok end,
    receive {done, _} -> ok end.

sleep() ->
    T = ets:new(t, [public]),
    spawn(fun() -> ets:insert(T, {x, 1}) end),
    until(fun() -> timer:sleep(10), ets:member(T, x) end).

%% The other process is done after the third look.
sleep_and_timer() ->
    T = ets:new(t, [public]),
    spawn(fun() -> timer:sleep(25), ets:insert(T, {x, 1}) end),
    until(fun() -> timer:sleep(10), ets:member(T, x) end),
    erlang:monotonic_time(millisecond) + 576460751000.

deadline() -> until_or(100, fun() -> false end).

timer_before_deadline() ->
    T = ets:new(t, [public]),
    spawn(fun() -> timer:sleep(50), catch ets:insert(T, {x, 1}) end),
    until_or(100, fun() -> ets:member(T, x) end).

deadline_before_timer() ->
    T = ets:new(t, [public]),
    spawn(fun() -> timer:sleep(5000), catch ets:insert(T, {x, 1}) end),
    until_or(100, fun() -> ets:member(T, x) end).

deadline_and_sleep() ->
    T = ets:new(t, [public]),
    until_or(100, fun() -> timer:sleep(30), ets:member(T, x) end).

%% Gives up after five looks.
bounded() ->
    T = ets:new(t, [public]),
    S = self(),
    spawn(fun() -> ets:insert(T, {x, 1}), S ! inserted end),
    Found = tries(5, fun() -> ets:member(T, x) end),
    receive inserted -> Found end.

%% The writer is in the middle of its two writes when a round begins, or ends.
torn() ->
    T = ets:new(t, [public]),
    S = self(),
    spawn(fun() -> ets:insert(T, {x, 1}), ets:insert(T, {y, 1}), S ! written end),
    Seen = pair(T),
    receive written -> Seen end.

pair(T) ->
    X = ets:member(T, x),
    Y = ets:member(T, y),
    case {X, Y} of
        {false, false} -> pair(T);
        Seen -> Seen
    end.

never() ->
    T = ets:new(t, [public]),
    spawn(fun() -> ets:insert(T, {y, 1}) end),
    until(fun() -> ets:member(T, x) end).

never_and_sleeps() ->
    T = ets:new(t, [public]),
    until(fun() -> timer:sleep(10), ets:member(T, x) end).

each_other() ->
    T = ets:new(t, [public]),
    spawn(fun() -> until(fun() -> ets:member(T, a) end), ets:insert(T, {b, 1}) end),
    until(fun() -> ets:member(T, b) end),
    ets:insert(T, {a, 1}).

%% Another process polls, and the test waits for a message that never comes.
beside_a_deadlock() ->
    T = ets:new(t, [public]),
    spawn(fun() -> until(fun() -> ets:member(T, a) end) end),
    receive never -> ok end.

%% What is polled behind the back of the test is none of its business.
behind_the_test() ->
    spawn(fun() -> until(fun() -> whereis(never) =/= undefined end) end),
    ok.

endless() -> endless(0).
endless(N) -> whereis(nobody), endless(N + 1).

until(Done) ->
    case Done() of
        true -> ok;
        false -> until(Done)
    end.

until_or(Ms, Done) -> until_time(erlang:monotonic_time(millisecond) + Ms, Done).

until_time(Deadline, Done) ->
    Late = erlang:monotonic_time(millisecond) > Deadline,
    case whereis(nobody) =:= undefined andalso Done() of
        true -> ok;
        false when Late -> late;
        false -> until_time(Deadline, Done)
    end.

tries(0, _) -> gave_up;
tries(N, Done) ->
    case Done() of
        true -> found;
        false -> tries(N - 1, Done)
    end.
