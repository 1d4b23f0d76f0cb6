%% poolboy: workers are lent to one client at a time, and come back when a client ends.
-module(poolboy_tests).
-include_lib("eunit/include/eunit.hrl").
-behaviour(gen_server).
-export([start_link/1, init/1, handle_call/3, handle_cast/2]).

start_link(Args) -> gen_server:start_link(?MODULE, Args, []).
init(_) -> {ok, free}.
handle_call(take, _, free) -> {reply, ok, taken};
handle_call(give, _, taken) -> {reply, ok, free}.
handle_cast(_, State) -> {noreply, State}.

pool(Size, Overflow) ->
    {ok, Pool} = poolboy:start_link([{worker_module, ?MODULE}, {size, Size}, {max_overflow, Overflow}], []),
    Pool.

use(Pool) ->
    poolboy:transaction(Pool, fun(Worker) ->
        ok = gen_server:call(Worker, take),
        ok = gen_server:call(Worker, give)
    end).

%% Two clients share one worker; each has it alone.
one_worker_for_two_clients_test() ->
    Pool = pool(1, 0),
    Self = self(),
    [spawn_link(fun() -> use(Pool), Self ! done end) || _ <- [1, 2]],
    [receive done -> ok end || _ <- [1, 2]],
    ?assertEqual({ready, 1, 0, 0}, poolboy:status(Pool)).

%% A worker comes back if its client ends without giving it back.
a_client_that_ends_test() ->
    Pool = pool(1, 0),
    {Client, Monitor} = spawn_monitor(fun() -> poolboy:checkout(Pool) end),
    receive {'DOWN', Monitor, process, Client, normal} -> ok end,
    ?assert(is_pid(poolboy:checkout(Pool))).

%% A client that does not wait is told that the pool is full, or gets the worker.
a_client_that_does_not_wait_test() ->
    Pool = pool(1, 0),
    Self = self(),
    spawn_link(fun() -> use(Pool), Self ! done end),
    case poolboy:checkout(Pool, false) of
        full -> ok;
        Worker -> poolboy:checkin(Pool, Worker)
    end,
    receive done -> ok end,
    ?assertMatch({_, 1, 0, 0}, poolboy:status(Pool)).
