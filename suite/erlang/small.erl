%% Small concurrent programs with known numbers, and one for each kind of thing processes share.
-module(small).
-export([readers_2/0, readers_3/0, readers_5/0, readers_10/0, readers_13/0, last_zero_3/0, last_zero_5/0,
         last_zero_7/0, last_zero_9/0, last_zero_13/0, names/0, links/0, monitors/0, aliases/0, tables/0, timers/0,
         exits/0, counters/0, register_race/0, listing_5_14/0, two_senders/0, ring_5/0, readers_16/0, senders_7_1/0, senders_3_4/0,
         senders_2_8/0, senders_8_3/0]).

readers_2() -> readers(2).
readers_3() -> readers(3).
readers_5() -> readers(5).
readers_10() -> readers(10).
readers_13() -> readers(13).
last_zero_3() -> last_zero(3).
last_zero_5() -> last_zero(5).
last_zero_7() -> last_zero(7).
last_zero_9() -> last_zero(9).
last_zero_13() -> last_zero(13).

%% One process writes x; N processes read their own number and then x. The test process waits for ever.
readers(N) ->
    ets:new(tab, [public, named_table]),
    spawn(fun() -> ets:insert(tab, {x, 42}) end),
    [spawn(fun() -> ets:lookup(tab, I), ets:lookup(tab, x) end) || I <- lists:seq(1, N)],
    receive after infinity -> ok end.

%% Writer I reads I - 1 and writes I; a reader looks for the last zero, from N down. The test process waits for ever.
last_zero(N) ->
    ets:new(tab, [public, named_table]),
    ets:insert(tab, [{I, 0} || I <- lists:seq(0, N)]),
    spawn(fun() -> find_zero(N) end),
    [spawn(fun() -> [{_, V}] = ets:lookup(tab, I - 1), ets:insert(tab, {I, V + 1}) end) || I <- lists:seq(1, N)],
    receive after infinity -> ok end.

find_zero(0) -> ok;
find_zero(I) ->
    case ets:lookup(tab, I) of
        [{_, 0}] -> ok;
        _ -> find_zero(I - 1)
    end.

%% Listing 3.1: the process may end before it is registered.
register_race() ->
    Self = self(),
    Pid = spawn(fun() -> Self ! {result, 42 + 5} end),
    register(math, Pid),
    receive Result -> Result end.

%% Listing 5.14: a timeout that never happens in practice.
listing_5_14() ->
    register(foo, self()),
    spawn(fun() -> foo ! bar end),
    receive
        bar -> ok
    after 1000 -> exit(timeout)
    end.

two_senders() ->
    Self = self(),
    [spawn(fun() -> Self ! X end) || X <- [a, b]],
    A = receive X1 -> X1 end,
    B = receive X2 -> X2 end,
    {A, B}.

%% A message goes round once.
ring_5() ->
    Self = self(),
    First = lists:foldl(fun(_, Next) -> spawn(fun() -> receive M -> Next ! M + 1 end end) end, Self, lists:seq(1, 5)),
    First ! 0,
    receive N -> N end.

names() ->
    Self = self(),
    P = spawn(fun() -> receive stop -> ok end end),
    [spawn(fun() -> Self ! {N, catch_badarg(fun() -> register(N, P) end), whereis(one), whereis(two)} end)
     || N <- [one, two]],
    A = receive {one, R1, _, _} -> R1 end,
    B = receive {two, R2, _, _} -> R2 end,
    catch_badarg(fun() -> unregister(one) end),
    catch_badarg(fun() -> two ! stop end),
    P ! stop,
    {A, B}.

links() ->
    process_flag(trap_exit, true),
    P = spawn_link(fun() -> receive die -> exit(dead) end end),
    Q = spawn(fun() -> catch link(P), receive never -> ok after 50 -> ok end end),
    spawn(fun() -> P ! die end),
    R = receive {'EXIT', P, W} -> W end,
    {R, is_process_alive(P), is_process_alive(Q)}.

monitors() ->
    Self = self(),
    P = spawn(fun() -> receive die -> exit(dead) end end),
    [spawn(fun() -> M = monitor(process, P), receive {'DOWN', M, _, _, W} -> Self ! W end end) || _ <- [1, 2]],
    P ! die,
    A = receive X1 -> X1 end,
    B = receive X2 -> X2 end,
    {A, B}.

aliases() ->
    A = alias([reply]),
    [spawn(fun() -> A ! X end) || X <- [1, 2]],
    B = receive X -> X end,
    receive Y -> {B, Y} after 10 -> B end.

tables() ->
    T = ets:new(t, [public, ordered_set]),
    Self = self(),
    spawn(fun() -> ets:insert(T, {a, 1}), ets:update_counter(T, a, 5), Self ! done end),
    spawn(fun() -> ets:insert_new(T, {b, 1}), Self ! {done, ets:lookup(T, a)} end),
    N = ets:info(T, size),
    receive done -> ok end,
    receive {done, L} -> {N, L, ets:tab2list(T)} end.

timers() ->
    Self = self(),
    T = erlang:send_after(10, Self, tick),
    spawn(fun() -> Self ! go end),
    receive go -> ok end,
    C = erlang:cancel_timer(T) =/= false,
    R = receive tick -> tick after 20 -> none end,
    {C, R}.

exits() ->
    P = spawn(fun() -> process_flag(trap_exit, true), receive {'EXIT', _, W} -> exit({got, W}) after 5 -> late end end),
    M = monitor(process, P),
    spawn(fun() -> exit(P, first) end),
    exit(P, second),
    receive {'DOWN', M, _, _, W} -> W end.

counters() ->
    C = counters:new(1, []),
    Self = self(),
    [spawn(fun() -> V = counters:get(C, 1), counters:put(C, 1, V + 1), Self ! done end) || _ <- [1, 2]],
    receive done -> ok end,
    receive done -> ok end,
    counters:get(C, 1).

catch_badarg(F) -> try F() catch error:badarg -> badarg end.

%% Long enough for several workers.
readers_16() -> readers(16).

%% N processes send K messages each to the test process, which receives them in any order.
senders_7_1() -> senders(7, 1).
senders_3_4() -> senders(3, 4).
senders_2_8() -> senders(2, 8).
senders_8_3() -> senders(8, 3).

senders(N, K) ->
    Me = self(),
    [spawn(fun() -> [Me ! {I, J} || J <- lists:seq(1, K)] end) || I <- lists:seq(1, N)],
    [receive Message -> Message end || _ <- lists:seq(1, N * K)].
