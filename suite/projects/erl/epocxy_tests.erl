%% epocxy: the buffers in ets tables, and the limiter of concurrency.
-module(epocxy_tests).
-include_lib("eunit/include/eunit.hrl").
-export([announce/2]).

%% A writer reserves a slot, writes it, and then publishes that one more slot is written. If the second writer
%% publishes first, the reader is sent to the slot of the first one, which is reserved but not yet written.
fifo_reads_what_was_published_test() ->
    fifo = ets_buffer:create_dedicated(fifo, fifo),
    Self = self(),
    [spawn_link(fun() -> ets_buffer:write_dedicated(fifo, N), Self ! written end) || N <- [1, 2]],
    ?assertMatch(Data when is_list(Data), ets_buffer:read_dedicated(fifo)),
    [receive written -> ok end || _ <- [1, 2]].

%% The same in a ring: what is read once was published.
ring_reads_what_was_published_test() ->
    ring = ets_buffer:create_dedicated(ring, ring, 4),
    Self = self(),
    [spawn_link(fun() -> ets_buffer:write_dedicated(ring, N), Self ! written end) || N <- [1, 2]],
    ?assertMatch(Data when is_list(Data), ets_buffer:read_dedicated(ring)),
    [receive written -> ok end || _ <- [1, 2]].

%% Two readers never get the same element of a queue.
fifo_elements_are_read_once_test() ->
    fifo = ets_buffer:create_dedicated(fifo, fifo),
    [ets_buffer:write_dedicated(fifo, N) || N <- [1, 2]],
    Self = self(),
    [spawn_link(fun() -> Self ! {read, ets_buffer:read_dedicated(fifo)} end) || _ <- [1, 2]],
    Read = lists:append([receive {read, Data} -> Data end || _ <- [1, 2]]),
    ?assertEqual([1, 2], lists:sort(Read)).

%% The source says that two readers may get the same element of a stack.
lifo_elements_are_read_once_test() ->
    lifo = ets_buffer:create_dedicated(lifo, lifo),
    [ets_buffer:write_dedicated(lifo, N) || N <- [1, 2]],
    Self = self(),
    [spawn_link(fun() -> Self ! {read, ets_buffer:read_dedicated(lifo)} end) || _ <- [1, 2]],
    Read = lists:append([receive {read, Data} -> Data end || _ <- [1, 2]]),
    ?assertEqual([1, 2], lists:sort(Read)).

%% The limiter never runs more tasks at the same time than its limit.
limit_is_kept_test() ->
    true = cxy_ctl:init([{task, 1, 0, 1000}]),
    Self = self(),
    Tasks = [cxy_ctl:maybe_execute_task(task, ?MODULE, announce, [Self, N]) || N <- [1, 2]],
    Running = [receive {announced, N, Pid} -> Pid end || {ok, N} <- lists:zip(Tasks, [1, 2])],
    %% The test's process owns the tables, which the tasks use at their ends.
    Monitors = [monitor(process, Pid) || Pid <- Running],
    [receive {'DOWN', Monitor, process, _, _} -> ok end || Monitor <- Monitors],
    ?assertEqual([], [Task || Task <- Tasks, Task =/= ok, Task =/= {max_pids, 1}]).

announce(To, N) ->
    To ! {announced, N, self()}.
