%% Runs what a test generator of EUnit gives: simple tests, titles and lists of them, one after the other.
-module(raddle_eunit).
-export([run/2]).
run(M, F) -> each(M:F()).
each(Tests) when is_list(Tests) -> lists:foreach(fun each/1, Tests);
each(Test) when is_function(Test, 0) -> Test(), ok;
each({Line, Test}) when is_integer(Line) -> each(Test);
each({Title, Test}) when is_list(Title); is_binary(Title) -> each(Test);
each({inorder, Tests}) -> each(Tests);
each({inparallel, Tests}) -> each(Tests);
each({inparallel, N, Tests}) when is_integer(N) -> each(Tests);
each({generator, F}) when is_function(F, 0) -> each(F());
each({generator, M, F}) -> each(M:F());
each({timeout, _, Tests}) -> each(Tests);
each({spawn, Tests}) -> each(Tests);
each(Module) when is_atom(Module) -> module(Module);
each({module, Module}) when is_atom(Module) -> module(Module);
each({application, _} = Other) -> raddle_native:unsupported_test(Other);
each({M, F}) when is_atom(M), is_atom(F) -> M:F(), ok;
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
each({foreachx, How, Setup, Pairs}) when How =:= local; How =:= spawn -> each({foreachx, Setup, Pairs});
each({foreachx, How, Setup, Cleanup, Pairs}) when How =:= local; How =:= spawn -> each({foreachx, Setup, Cleanup, Pairs});
each({foreachx, Setup, Pairs}) -> each({foreachx, Setup, fun(_, _) -> ok end, Pairs});
each({foreachx, Setup, Cleanup, Pairs}) when is_function(Setup, 1), is_function(Cleanup, 2) ->
    lists:foreach(
        fun({X, Test}) when is_function(Test, 2) ->
            each({setup, fun() -> Setup(X) end, fun(R) -> Cleanup(X, R) end, fun(R) -> Test(X, R) end})
        end, Pairs);
each(Other) -> raddle_native:unsupported_test(Other).
%% As EUnit, also the tests of M_tests.
module(M) ->
    Tests = list_to_atom(atom_to_list(M) ++ "_tests"),
    exported(M),
    case lists:suffix("_tests", atom_to_list(M)) orelse code:ensure_loaded(Tests) of
        {module, Tests} -> exported(Tests);
        _ -> ok
    end.
exported(M) -> lists:foreach(fun({F, N}) -> run_exported(M, F, N, atom_to_list(F)) end, M:module_info(exports)).
run_exported(M, F, 0, Name) ->
    case {lists:suffix("_test", Name), lists:suffix("_test_", Name)} of
        {true, _} -> M:F(), ok;
        {_, true} -> each(M:F());
        _ -> ok
    end;
run_exported(_, _, _, _) -> ok.
