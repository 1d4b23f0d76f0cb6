%% Small listings of the thesis.
-module(thesis_listings).
-export([listing_4_2/0]).

%% Another simple two process example.
listing_4_2() ->
    register(foo, self()),
    spawn(fun bar/0),
    receive
        bar -> ok
    end.

bar() ->
    foo ! bar,
    ok.
