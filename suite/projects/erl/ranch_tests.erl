%% ranch: the server that keeps the listeners' facts, without sockets.
-module(ranch_tests).
-include_lib("eunit/include/eunit.hrl").

start() ->
    ranch_server = ets:new(ranch_server, [ordered_set, public, named_table]),
    {ok, _} = ranch_server:start_link().

%% The options of two listeners that start at the same time are both kept.
two_listeners_test() ->
    start(),
    Self = self(),
    New = fun(Ref) ->
        ok = ranch_server:set_new_listener_opts(Ref, 10, #{}, Ref, []),
        Self ! Ref
    end,
    [spawn_link(fun() -> New(Ref) end) || Ref <- [a, b]],
    [receive Ref -> ok end || Ref <- [a, b]],
    ?assertEqual([a, b], [ranch_server:get_protocol_options(Ref) || Ref <- [a, b]]).

%% A supervisor of connections that ends is forgotten, and the next one can take its place.
a_supervisor_that_ends_test() ->
    start(),
    Set = fun() -> ok = ranch_server:set_listener_sup(ref, self()) end,
    {Pid, Monitor} = spawn_monitor(Set),
    receive {'DOWN', Monitor, process, Pid, normal} -> ok end,
    Next = spawn_link(fun() -> Set(), receive stop -> ok end end),
    timer:sleep(1),
    ?assertEqual(Next, ranch_server:get_listener_sup(ref)).
