%% What depends on how signals travel, on time and on faults.
-module(delivery).
-export([overtaking/0, link_race/0, kill_then_look/0, exit_is_not_atomic/0, slow_call/0, supervised/0,
         unnoticed_crash/0, noticed_crash/0, waiting_server/0, waiting_client/0, halting/0]).
-export([start_server/0, init/1, handle_call/3, handle_cast/2]).
-behaviour(gen_server).

%% A sends to C and then to B, who sends to C. Within one node C gets A's message first; between nodes B's may
%% overtake it (PULSE, section 3).
overtaking() ->
    C = self(),
    B = spawn(fun() -> receive go -> C ! from_b end end),
    spawn(fun() -> C ! from_a, B ! go end),
    X = receive M1 -> M1 end,
    Y = receive M2 -> M2 end,
    {X, Y}.

%% PULSE, figures 1 and 2: a process that links to one that may have died already gets one of two reasons, or
%% an error.
link_race() ->
    process_flag(trap_exit, true),
    P = spawn(fun() -> exit(why) end),
    link(P),
    receive {'EXIT', P, Reason} -> Reason end.

%% A kill is a signal: for a while the name is still there, but who asks whether it lives is told.
kill_then_look() ->
    P = spawn(fun() -> receive never -> ok end end),
    register(victim, P),
    exit(P, kill),
    Seen = whereis(victim) =/= undefined,
    {Seen, is_process_alive(P)}.

%% A dying process's table goes before its name.
exit_is_not_atomic() ->
    Self = self(),
    spawn(fun() ->
        register(owner, self()),
        ets:new(owned, [named_table]),
        Self ! ready
    end),
    receive ready -> ok end,
    Table = ets:whereis(owned) =/= undefined,
    Name = whereis(owner) =/= undefined,
    {Table, Name}.

start_server() -> gen_server:start_link({local, server}, ?MODULE, server, []).
init(server) -> {ok, 0};
init(supervisor) ->
    {ok, {#{strategy => one_for_one, intensity => 5, period => 1},
          [#{id => server, start => {?MODULE, start_server, []}}]}}.
handle_call(get, _From, S) -> {reply, S, S};
handle_call(slow, _From, S) -> timer:sleep(10000), {reply, done, S}.
handle_cast(_, S) -> {noreply, S}.

%% The reply comes after the default timeout of five seconds.
slow_call() ->
    {ok, P} = gen_server:start(?MODULE, server, []),
    try gen_server:call(P, slow) catch exit:{Reason, _} -> Reason end.

%% A server under a supervisor, one call. Whatever is killed, the call may exit, and the next one succeeds once
%% the server is back.
supervised() ->
    process_flag(trap_exit, true),
    {ok, _} = supervisor:start_link(?MODULE, supervisor),
    try gen_server:call(server, get) of
        0 -> replied
    catch
        exit:_ -> exited
    end.

unnoticed_crash() -> spawn(fun() -> error(oops) end), ok.
noticed_crash() ->
    {_, R} = spawn_monitor(fun() -> error(oops) end),
    receive {'DOWN', R, _, _, {oops, _}} -> noticed end.

%% Servers may wait for ever; a process that waits for a reply may not.
waiting_server() -> spawn(fun() -> receive never -> ok end end), ok.
waiting_client() ->
    P = spawn(fun() -> receive never -> ok end end),
    spawn(fun() -> gen_server:call(P, hello, infinity) end),
    ok.

halting() -> spawn(fun() -> halt(3) end), receive never -> ok end.
