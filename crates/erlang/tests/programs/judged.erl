%% Small tests whose verdict is known. EUnit decides what becomes of the test process: `eunit/0` lists the functions
%% that both judge. What other processes do, EUnit does not see: `passing/0` and `failing/0` are our own rules.
-module(judged).
-compile([export_all, nowarn_export_all]).
-behaviour(gen_server).


eunit() ->
    [returns, exits_normal, exits_shutdown, exits_shutdown_tuple, exits_badly, throws, linked_shutdown,
     linked_shutdown_tuple, linked_normal, linked_before_trap, traps, supervisor_gives_up, supervisor_stops, told_to_shut_down,
     told_normal, killed, exits_and_catches].

returns() -> ok.
exits_normal() -> exit(normal).
exits_shutdown() -> exit(shutdown).
exits_shutdown_tuple() -> exit({shutdown, because}).
exits_badly() -> exit(bad).
throws() -> throw(x).
exits_and_catches() -> catch exit(normal), ok.

linked(Reason) -> spawn_link(fun() -> exit(Reason) end), receive never -> ok end.
linked_shutdown() -> linked(shutdown).
linked_shutdown_tuple() -> linked({shutdown, because}).
linked_normal() -> spawn_link(fun() -> exit(normal) end), receive after 50 -> ok end.
linked_before_trap() ->
    P = spawn_link(fun() -> receive go -> exit(shutdown) end end),
    P ! go,
    receive after 50 -> ok end,
    process_flag(trap_exit, true),
    receive {'EXIT', P, shutdown} -> ok after 50 -> ok end.
traps() ->
    process_flag(trap_exit, true),
    P = spawn_link(fun() -> exit(shutdown) end),
    receive {'EXIT', P, shutdown} -> ok end.

supervisor_gives_up() ->
    {ok, _} = supervisor:start_link(judged, {sup, 0, 5000}),
    judged_worker ! crash,
    receive after 100 -> ok end.
supervisor_stops() ->
    {ok, Sup} = supervisor:start_link(judged, {sup, 0, 5000}),
    unlink(Sup),
    M = monitor(process, Sup),
    exit(Sup, shutdown),
    receive {'DOWN', M, process, Sup, shutdown} -> ok end.

by(Reason) -> Me = self(), spawn(fun() -> exit(Me, Reason) end), receive after 50 -> ok end.
told_to_shut_down() -> by(shutdown).
told_normal() -> by(normal).
tells_itself_normal() -> exit(self(), normal), receive after 50 -> ok end.
killed() -> by(kill).

%% No failures by default: OTP expects these exits, or a process is told of them.
passing() ->
    [start_gives_error, start_link_gives_error, start_crashes, start_gives_ignore, statem_start_gives_error, start_times_out,
     killed_supervisor, killed_trapping_child, killed_then_monitored, stops_with_a_reply, stops_with_a_reply_statem,
     torn_down, torn_down_brutally, torn_down_by_the_end, stopped_for_a_reason, hibernates, waits_with_a_timeout,
     ticks_for_ever, exits_linked_to_a_killed_one, kills_by_timer].

start_gives_error() -> {error, stopped} = gen_server:start(judged, {stop, stopped}, []), ok.
start_link_gives_error() ->
    process_flag(trap_exit, true),
    {error, stopped} = gen_server:start_link(judged, {stop, stopped}, []),
    ok.
start_crashes() -> {error, {oops, _}} = gen_server:start(judged, crash, []), ok.
start_gives_ignore() -> ignore = gen_server:start(judged, ignore, []), ok.
statem_start_gives_error() -> {error, stopped} = gen_statem:start(judged_statem, {stop, stopped}, []), ok.
start_times_out() -> {error, timeout} = gen_server:start(judged, sleep, [{timeout, 100}]), ok.

killed_supervisor() ->
    {ok, Sup} = supervisor:start_link(judged, {sup, 1, 5000}),
    unlink(Sup),
    M = monitor(process, Sup),
    exit(Sup, kill),
    receive {'DOWN', M, process, Sup, killed} -> ok end.
killed_trapping_child() ->
    {ok, Sup} = supervisor:start_link(judged, {sup_of, trap, 1, 5000}),
    unlink(Sup),
    M = monitor(process, Sup),
    exit(Sup, kill),
    receive {'DOWN', M, process, Sup, killed} -> ok end.
killed_then_monitored() ->
    P = spawn(fun() -> receive never -> ok end end),
    exit(P, kill),
    M = monitor(process, P),
    receive {'DOWN', M, process, P, _} -> ok end.
kills_by_timer() ->
    P = spawn(fun() -> receive never -> ok end end),
    {ok, _} = timer:kill_after(10, P),
    receive after 50 -> ok end.
exits_linked_to_a_killed_one() ->
    Me = self(),
    P = spawn(fun() -> Q = spawn(fun() -> receive never -> ok end end), link(Q), Me ! Q, receive never -> ok end end),
    Q = receive X -> X end,
    exit(Q, kill),
    M = monitor(process, P),
    receive {'DOWN', M, process, P, _} -> ok end.
stops_with_a_reply() ->
    {ok, P} = gen_server:start(judged, [], []),
    ok = gen_server:call(P, {stop, because}).
stops_with_a_reply_statem() ->
    {ok, P} = gen_statem:start(judged_statem, [], []),
    ok = gen_statem:call(P, {stop, because}).
stopped_for_a_reason() ->
    {ok, P} = gen_server:start(judged, [], []),
    ok = gen_server:stop(P, because, infinity).
torn_down() ->
    {ok, Sup} = supervisor:start_link(judged, {sup, 1, 5000}),
    unlink(Sup),
    exit(Sup, shutdown),
    ok.
torn_down_brutally() ->
    {ok, Sup} = supervisor:start_link(judged, {sup, 1, brutal_kill}),
    unlink(Sup),
    exit(Sup, shutdown),
    ok.
torn_down_by_the_end() ->
    {ok, _} = supervisor:start_link(judged, {sup, 1, brutal_kill}),
    ok.
hibernates() ->
    P = spawn(fun() -> erlang:hibernate(judged, returns, []) end),
    receive after 10 -> ok end,
    {current_function, {erlang, hibernate, 3}} = process_info(P, current_function),
    ok.
waits_with_a_timeout() -> spawn(fun() -> receive never -> ok after 10 -> ok end end), ok.
ticks_for_ever() -> spawn(fun tick/0), ok.
tick() -> erlang:send_after(10, self(), tick), receive tick -> tick() end.

%% Failures of processes beside the test, some of them after its end.
failing() ->
    [crashes, exits_unseen, crashes_later, crashes_much_later, crashes_on_a_timer, crashes_behind_a_ticker, stops_badly,
     statem_stops_badly, calls_a_dead_server, times_out, linked_to_a_watched_one, tells_itself_normal].

crashes() -> spawn(fun() -> error(boom) end), ok.
exits_unseen() -> spawn(fun() -> exit(boom) end), ok.
crashes_later() -> spawn(fun() -> receive never -> ok after 10 -> error(boom) end end), ok.
crashes_much_later() -> spawn(fun() -> timer:sleep(10), timer:sleep(20), timer:sleep(5000), timer:sleep(1), error(boom) end), ok.
crashes_on_a_timer() -> spawn(fun() -> erlang:send_after(1000, self(), now), receive now -> error(boom) end end), ok.
crashes_behind_a_ticker() -> ticks_for_ever(), crashes_later().
stops_badly() ->
    {ok, P} = gen_server:start(judged, [], []),
    gen_server:cast(P, {stop, because}).
statem_stops_badly() ->
    {ok, P} = gen_statem:start(judged_statem, [], []),
    gen_statem:cast(P, {stop, because}).
calls_a_dead_server() -> spawn(fun() -> gen_server:call(nowhere, hello) end), ok.
times_out() ->
    {ok, P} = gen_server:start(judged, [], []),
    spawn(fun() -> gen_server:call(P, nothing, 100) end),
    ok.
linked_to_a_watched_one() ->
    {P, M} = spawn_monitor(fun() -> receive go -> exit(why) end end),
    Me = self(),
    spawn(fun() -> link(P), Me ! linked, receive never -> ok end end),
    receive linked -> ok end,
    P ! go,
    receive {'DOWN', M, process, P, why} -> ok end.

%% Only --strict calls these failures.
strict() -> [waits, crashes_and_is_seen].
waits() -> spawn(fun() -> receive never -> ok end end), ok.
crashes_and_is_seen() -> {P, M} = spawn_monitor(fun() -> exit(why) end), receive {'DOWN', M, process, P, why} -> ok end.

%% With --treat-as-normal because and with --ignore.
because() -> spawn(fun() -> exit(because) end), ok.
because_of() -> spawn(fun() -> exit({because, 1}) end), ok.
two_failures() -> spawn(fun() -> exit(one) end), spawn(fun() -> exit(two) end), ok.
one_of_two() ->
    Me = self(),
    [spawn(fun() -> Me ! N end) || N <- [1, 2]],
    receive 1 -> exit(one); 2 -> exit(two) end.
stuck() -> receive never -> ok end.

%% --after-timeout 1000
long_and_short() -> receive never -> ok after 5000 -> error(long) end.
short() -> receive never -> ok after 10 -> short end.
long_timer() -> erlang:send_after(5000, self(), x), receive x -> error(long) after 2000 -> error(two) end.

init({stop, Why}) -> {stop, Why};
init(crash) -> error(oops);
init(ignore) -> ignore;
init(sleep) -> receive never -> ok end;
init({sup, Intensity, Shutdown}) -> init({sup_of, [], Intensity, Shutdown});
init({sup_of, How, Intensity, Shutdown}) ->
    Start = {gen_server, start_link, [{local, judged_worker}, judged, How, []]},
    {ok, {#{intensity => Intensity, period => 10}, [#{id => w, start => Start, shutdown => Shutdown}]}};
init(trap) -> process_flag(trap_exit, true), {ok, trap};
init(S) -> {ok, S}.
handle_call({stop, Why}, _, S) -> {stop, Why, ok, S};
handle_call(nothing, _, S) -> {noreply, S};
handle_call(_, _, S) -> {reply, ok, S}.
handle_cast({stop, Why}, S) -> {stop, Why, S};
handle_cast(_, S) -> {noreply, S}.
handle_info(crash, _) -> exit(crash);
handle_info(_, S) -> {noreply, S}.
