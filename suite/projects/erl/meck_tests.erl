%% meck: modules that are replaced while the test runs.
-module(meck_tests).
-include_lib("eunit/include/eunit.hrl").

%% A module that does not exist; calls of two processes are all in the history.
calls_are_counted_test() ->
    ok = meck:new(mocked, [non_strict]),
    ok = meck:expect(mocked, double, fun(N) -> 2 * N end),
    Self = self(),
    [spawn_link(fun() -> Self ! {N, mocked:double(N)} end) || N <- [1, 2]],
    ?assertEqual([2, 4], [receive {N, Result} -> Result end || N <- [1, 2]]),
    ?assertEqual(2, meck:num_calls(mocked, double, 1)),
    ok = meck:unload(mocked),
    ?assertError(undef, mocked:double(1)).

%% A module with an original: what is not expected otherwise is passed through.
passthrough_test() ->
    ok = meck:new(meck_original, [passthrough]),
    ok = meck:expect(meck_original, one, fun() -> meck:passthrough([]) + 10 end),
    ?assertEqual(11, meck_original:one()),
    ?assertEqual(2, meck_original:two()),
    ok = meck:unload(meck_original),
    ?assertEqual(1, meck_original:one()).

%% A call beside the unloading is one of the original or of the mock.
unloading_beside_a_call_test() ->
    ok = meck:new(meck_original, [no_link]),
    ok = meck:expect(meck_original, one, fun() -> 10 end),
    {Pid, Monitor} = spawn_monitor(fun() -> exit({got, meck_original:one()}) end),
    ok = meck:unload(meck_original),
    receive {'DOWN', Monitor, process, Pid, {got, N}} -> ?assert(lists:member(N, [1, 10])) end.
