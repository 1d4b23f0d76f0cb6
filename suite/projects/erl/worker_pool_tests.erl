%% worker_pool: tasks go to workers, by several strategies.
-module(worker_pool_tests).
-include_lib("eunit/include/eunit.hrl").

pool(Workers) ->
    {ok, _} = application:ensure_all_started(worker_pool),
    {ok, _} = wpool:start_sup_pool(pool, [{workers, Workers}]).

%% Every call is answered, whichever worker takes it.
calls_are_answered_test() ->
    pool(2),
    Self = self(),
    Ask = fun(N) -> Self ! {N, wpool:call(pool, {erlang, '+', [N, 1]}, next_worker, infinity)} end,
    [spawn_link(fun() -> Ask(N) end) || N <- [1, 2]],
    ?assertEqual([{ok, 2}, {ok, 3}], [receive {N, Answer} -> Answer end || N <- [1, 2]]).

%% A call waits for a worker that is free.
calls_wait_for_a_worker_test() ->
    pool(1),
    Self = self(),
    Ask = fun(N) -> Self ! {N, wpool:call(pool, {erlang, '+', [N, 1]}, available_worker, infinity)} end,
    [spawn_link(fun() -> Ask(N) end) || N <- [1, 2]],
    ?assertEqual([{ok, 2}, {ok, 3}], [receive {N, Answer} -> Answer end || N <- [1, 2]]).
