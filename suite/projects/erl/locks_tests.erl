%% locks: agents that take locks, with deadlocks found and given way to.
-module(locks_tests).
-include_lib("eunit/include/eunit.hrl").

%% One process takes a lock at a time.
one_lock_test() ->
    {ok, _} = locks_server:start_link(),
    Self = self(),
    Take = fun(N) ->
        {ok, Agent} = locks_agent:start([{link, true}]),
        {ok, _} = locks:lock(Agent, [a], write),
        Self ! {taken, N},
        locks:end_transaction(Agent)
    end,
    [spawn_link(fun() -> Take(N) end) || N <- [1, 2]],
    ?assertEqual([1, 2], lists:sort([receive {taken, N} -> N end || _ <- [1, 2]])).

%% Two locks in two orders.
two_locks_in_two_orders_test() ->
    {ok, _} = locks_server:start_link(),
    Self = self(),
    Take = fun(First, Second) ->
        {ok, Agent} = locks_agent:start([{link, true}, {abort_on_deadlock, false}]),
        {ok, _} = locks:lock(Agent, First, write),
        {ok, _} = locks:lock(Agent, Second, write),
        Self ! {taken, First},
        locks:end_transaction(Agent)
    end,
    spawn_link(fun() -> Take([a], [b]) end),
    spawn_link(fun() -> Take([b], [a]) end),
    ?assertEqual([[a], [b]], lists:sort([receive {taken, What} -> What end || _ <- [1, 2]])).
