%% Tests for the command itself: one that passes, one that fails, and a generator.
-module(small_tests).
-include_lib("eunit/include/eunit.hrl").

passes_test() -> ?assertEqual({a, b}, {a, b}).

%% Two processes add 1 to a counter, each in two operations.
counter_test() ->
    ?assertEqual(2, small:counters()).

several_test_() ->
    [fun() -> ?assert(true) end,
     {"with a title", fun() -> ?assertEqual(5, small:ring_5()) end},
     {generator, fun() -> [?_assertEqual(1, 1), {inparallel, 2, ?_assert(true)}] end},
     {setup, fun() -> resource end, {with, [fun(R) -> ?assertEqual(resource, R) end]}}].
