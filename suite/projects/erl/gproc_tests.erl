%% gproc: names, counters and waiting for names.
-module(gproc_tests).
-include_lib("eunit/include/eunit.hrl").

start() ->
    {ok, _} = application:ensure_all_started(gproc).

%% One of two processes gets a name.
one_process_has_a_name_test() ->
    start(),
    Self = self(),
    Register = fun() ->
        Self ! {self(), catch gproc:reg({n, l, name})},
        receive stop -> ok end
    end,
    Pids = [spawn_link(Register) || _ <- [1, 2]],
    Results = [receive {Pid, Result} -> Result end || Pid <- Pids],
    ?assertEqual(1, length([true || true <- Results])),
    ?assert(lists:member(gproc:where({n, l, name}), Pids)).

%% A process that waits for a name is told of the process that gets it, also if it gets it first.
waiting_for_a_name_test() ->
    start(),
    Pid = spawn_link(fun() -> gproc:reg({n, l, name}, value), receive stop -> ok end end),
    ?assertEqual({Pid, value}, gproc:await({n, l, name})).

%% A name is free again when its process has ended.
a_name_is_free_when_its_process_ended_test() ->
    start(),
    {Pid, Monitor} = spawn_monitor(fun() -> gproc:reg({n, l, name}) end),
    receive {'DOWN', Monitor, process, Pid, _} -> ok end,
    ?assertEqual(undefined, gproc:where({n, l, name})).

%% A shared counter counts everything.
a_shared_counter_test() ->
    start(),
    true = gproc:add_shared_local_counter(counter, 0),
    Self = self(),
    [spawn_link(fun() -> gproc:update_shared_counter({c, l, counter}, 1), Self ! done end) || _ <- [1, 2]],
    [receive done -> ok end || _ <- [1, 2]],
    ?assertEqual(2, gproc:get_value({c, l, counter}, shared)).
