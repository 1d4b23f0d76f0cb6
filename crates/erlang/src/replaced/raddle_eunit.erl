%% Runs what a test generator of EUnit gives: simple tests, titles and lists of them, one after the other.
-module(raddle_eunit).
-export([run/2]).
run(M, F) -> each(M:F()).
each(Tests) when is_list(Tests) -> lists:foreach(fun each/1, Tests);
each(Test) when is_function(Test, 0) -> Test(), ok;
each({M, F}) when is_atom(M), is_atom(F) -> M:F(), ok;
each({Line, Test}) when is_integer(Line) -> each(Test);
each({Title, Test}) when is_list(Title); is_binary(Title) -> each(Test);
each({inorder, Tests}) -> each(Tests);
each({inparallel, Tests}) -> each(Tests);
each({inparallel, N, Tests}) when is_integer(N) -> each(Tests);
each({generator, F}) when is_function(F, 0) -> each(F());
each({generator, M, F}) -> each(M:F());
each({timeout, _, Tests}) -> each(Tests);
each({spawn, Tests}) -> each(Tests);
each({with, X, Tests}) -> lists:foreach(fun(T) -> T(X) end, Tests);
each({setup, How, Setup, Test}) when How =:= local; How =:= spawn -> each({setup, Setup, Test});
each({setup, How, Setup, Cleanup, Test}) when How =:= local; How =:= spawn -> each({setup, Setup, Cleanup, Test});
each({foreach, How, Setup, Tests}) when How =:= local; How =:= spawn -> each({foreach, Setup, Tests});
each({foreach, How, Setup, Cleanup, Tests}) when How =:= local; How =:= spawn -> each({foreach, Setup, Cleanup, Tests});
each({setup, Setup, Test}) -> each({setup, Setup, fun(_) -> ok end, Test});
each({setup, Setup, Cleanup, Test}) when is_function(Setup), is_function(Cleanup) ->
    R = Setup(),
    each(case Test of
             {with, Tests} -> {with, R, Tests};
             _ when is_function(Test, 1) -> Test(R);
             _ -> Test
         end),
    Cleanup(R),
    ok;
each({foreach, Setup, Tests}) -> each({foreach, Setup, fun(_) -> ok end, Tests});
each({foreach, Setup, Cleanup, Tests}) when is_function(Setup), is_function(Cleanup) ->
    lists:foreach(fun(T) -> each({setup, Setup, Cleanup, T}) end, Tests);
each(Other) -> raddle_native:unsupported_test(Other).
