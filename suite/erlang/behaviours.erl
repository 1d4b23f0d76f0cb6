%% One program for each setting without which its mistake is not found: the grain, faults, and how messages travel.
-module(behaviours).
-export([failing_test/0, lost_update/0, forgotten_holder/0, watched_holder/0, session/0, acknowledged_session/0]).

%% Grain: two processes add one to a number, each in two operations. Only who may be interrupted between them loses one;
%% at the grain `receive` no process is.
lost_update() ->
    Table = ets:new(numbers, [public]),
    ets:insert(Table, {number, 0}),
    Adders = [spawn_monitor(fun() ->
        [{number, N}] = ets:lookup(Table, number),
        ets:insert(Table, {number, N + 1})
    end) || _ <- [1, 2]],
    [receive {'DOWN', Monitor, process, _, normal} -> ok end || {_, Monitor} <- Adders],
    [{number, 2}] = ets:lookup(Table, number),
    ok.

%% Faults: a lock whose holder is not watched. As long as no process dies, all is well; if the holder is killed, the next
%% one waits for ever.
forgotten_holder() -> lock(fun(_) -> no_monitor end).

%% The lock that watches its holder survives that.
watched_holder() -> lock(fun(Pid) -> monitor(process, Pid) end).

lock(Watch) ->
    Lock = spawn(fun() -> free(Watch) end),
    Holder = spawn_monitor(fun() -> holder(Lock) end),
    await_end(Holder),
    % Without the lock itself there is no process to wait for.
    Watched = monitor(process, Lock),
    Lock ! {acquire, self()},
    receive
        acquired -> Lock ! {release, self()};
        {'DOWN', Watched, process, Lock, _} -> lock_was_killed
    end,
    ok.

holder(Lock) ->
    Watched = monitor(process, Lock),
    Lock ! {acquire, self()},
    receive
        acquired -> Lock ! {release, self()};
        {'DOWN', Watched, process, Lock, _} -> lock_was_killed
    end.

await_end({Pid, Monitor}) -> receive {'DOWN', Monitor, process, Pid, _} -> ok end.

free(Watch) ->
    receive
        {acquire, Pid} ->
            Monitor = Watch(Pid),
            Pid ! acquired,
            held(Watch, Pid, Monitor)
    end.

held(Watch, Pid, Monitor) ->
    receive
        {release, Pid} ->
            [demonitor(Monitor, [flush]) || is_reference(Monitor)],
            free(Watch);
        {'DOWN', Monitor, process, Pid, _} -> free(Watch)
    end.

%% Delivery: a session is made with one message to a store, and its number is given to another process, which uses it.
%% Within a node the first message always comes first; between nodes the second may overtake it.
session() -> session(fun(Store) -> Store ! {new, self(), 7} end).

%% Who waits for the answer of the store is safe everywhere.
acknowledged_session() ->
    session(fun(Store) ->
        Store ! {new, self(), 7},
        receive made -> ok end
    end).

session(Make) ->
    Test = self(),
    Store = spawn(fun() -> store([]) end),
    User = spawn(fun() -> receive {use, Number} -> Store ! {use, Test, Number} end end),
    spawn(fun() -> Make(Store), User ! {use, 7} end),
    receive {session, Answer} -> known = Answer end,
    ok.

store(Sessions) ->
    receive
        {new, Maker, Number} ->
            Maker ! made,
            store([Number | Sessions]);
        {use, User, Number} ->
            Answer = case lists:member(Number, Sessions) of true -> known; false -> unknown end,
            User ! {session, Answer}
    end.

%% A test that fails, and a process that traps exits and is told of it: still a test that fails.
failing_test() ->
    Self = self(),
    spawn_link(fun() ->
        process_flag(trap_exit, true),
        Self ! ready,
        receive {'EXIT', Self, _} -> ok end
    end),
    receive ready -> ok end,
    error(oops).
