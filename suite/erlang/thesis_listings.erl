%% The small listings of the thesis "Dynamic Systematic Testing of Concurrent Erlang Programs" (Gotovos, 2011).
%% Chapter 6 is in reg_server.erl.
-module(thesis_listings).
-export([ring/0, ring_of_3_builder_last/0, ring_of_3_member_last/0, listing_3_1/0, listing_4_1/0,
         listing_4_1_silent/0, listing_4_2/0, listing_5_14/0]).

%% Listing 2.2: a token goes round a ring of linked processes until its time to live is over; then the ring breaks.
%% With as many hops as processes, the last one is the process that built the ring.
ring() -> start(5, 5, token).

start(Members, TTL, Token) ->
    Fun = fun(_S, N) -> spawn_link(fun() -> loop(N) end) end,
    Next = lists:foldl(Fun, self(), lists:seq(Members, 2, -1)),
    Next ! {TTL, Token},
    loop(Next).

loop(Next) ->
    receive
        {1, Token} ->
            io:format("~p: Received final token (~p)~n", [self(), Token]),
            exit(ttl_limit_surpassed);
        {TTL, Token} ->
            io:format("~p: Received token (~p); transmitting to ~p~n", [self(), Token, Next]),
            Next ! {TTL - 1, Token},
            loop(Next)
    end.

%% Smaller rings seen from outside: the last token is the builder's, or the second member's.
ring_of_3_builder_last() -> ends_with(3, 3).
ring_of_3_member_last() -> ends_with(3, 2).

ends_with(Members, TTL) ->
    {Builder, Monitor} = spawn_monitor(fun() -> start(Members, TTL, token) end),
    receive {'DOWN', Monitor, process, Builder, Reason} -> Reason end.

%% Listing 3.1: the process may have ended before it is registered.
listing_3_1() ->
    Self = self(),
    Pid = spawn(fun() -> bar(Self, 42, 5) end),
    register(math, Pid),
    receive
        Result -> Result
    end.

bar(Target, X, Y) -> Target ! {result, X + Y}.

%% Listing 4.1: one process never ends, the other would halt the system. A search that always prefers the first
%% one never comes to an end. (Printed as fun baz/1; the function takes no arguments.)
listing_4_1() ->
    spawn(fun baz/0),
    busy().

busy() ->
    whereis(nobody),
    busy().

baz() -> halt().

%% The same, with steps that no other process can notice.
listing_4_1_silent() ->
    spawn(fun baz/0),
    silent(0).

silent(N) -> silent(N + 1).

%% Listing 4.2: another simple two process example.
listing_4_2() ->
    register(foo, self()),
    spawn(fun bar/0),
    receive
        bar -> ok
    end.

bar() ->
    foo ! bar,
    ok.

%% Listing 5.14: a timeout that never happens in practice.
listing_5_14() ->
    register(foo, self()),
    spawn(fun bar/0),
    receive
        bar -> ok
    after 1000 -> exit(timeout)
    end.
