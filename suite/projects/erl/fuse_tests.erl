%% fuse: circuit breakers that melt and come back.
-module(fuse_tests).
-include_lib("eunit/include/eunit.hrl").

start() ->
    {ok, _} = application:ensure_all_started(fuse),
    ok = fuse:install(fuse, {{standard, 1, 10000}, {reset, 60000}}).

%% Two faults blow a fuse that bears one, and time mends it.
faults_at_the_same_time_test() ->
    start(),
    Self = self(),
    [spawn_link(fun() -> ok = fuse:melt(fuse), Self ! melted end) || _ <- [1, 2]],
    [receive melted -> ok end || _ <- [1, 2]],
    ?assertEqual(blown, fuse:ask(fuse, sync)),
    timer:sleep(70000),
    ?assertEqual(ok, fuse:ask(fuse, sync)).

%% A process that asks beside a fault is told one or the other.
asking_beside_a_fault_test() ->
    start(),
    spawn_link(fun() -> fuse:melt(fuse), fuse:melt(fuse) end),
    ?assert(lists:member(fuse:ask(fuse, async_dirty), [ok, blown])).
