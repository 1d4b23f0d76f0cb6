%% Code that is loaded, deleted and purged while it runs: the same results here and in the installed Erlang. `race/0`
%% and `deleted/0` are explored.
-module(agree_code).
-export([run/0, race/0, deleted/0, holder/0]).

%% A module with a function v/0 that returns V, and f/0 that returns a fun with it.
module(Name, V) ->
    Function = fun(F, Body) -> {function, 1, F, 0, [{clause, 1, [], [], [Body]}]} end,
    Fun = {'fun', 1, {clauses, [{clause, 1, [], [], [{integer, 1, V}]}]}},
    Call = {call, 1, {remote, 1, {atom, 1, Name}, {atom, 1, v}}, []},
    Forms = [{attribute, 1, module, Name}, {attribute, 1, export, [{v, 0}, {f, 0}, {twice, 0}]},
             Function(v, {integer, 1, V}), Function(f, Fun), Function(twice, {tuple, 1, [Call, Call]})],
    {ok, Name, Binary} = compile:forms(Forms, [debug_info]),
    Binary.

run() ->
    lists:foreach(fun({Name, F}) ->
        R = try F() of V -> V catch C:E -> {caught, C, E} end,
        io:format("~w: ~w~n", [Name, R])
    end, cases()),
    done.

load(Name, V) -> code:load_binary(Name, "here", module(Name, V)).
versions() -> {erlang:check_old_code(dynamic), code:is_loaded(dynamic), erlang:module_loaded(dynamic)}.

cases() ->
    [{nothing, fun() -> {versions(), code:which(dynamic), code:delete(dynamic), code:purge(dynamic), code:soft_purge(dynamic)} end},
     {first, fun() -> {load(dynamic, 1), dynamic:v(), versions(), code:which(dynamic)} end},
     {second, fun() -> {load(dynamic, 2), dynamic:v(), versions()} end},
     {third, fun() -> {load(dynamic, 3), dynamic:v(), versions()} end},
     {exported, fun() -> [erlang:function_exported(dynamic, F, 0) || F <- [v, f, nothing]] end},
     {information, fun() -> {lists:sort(dynamic:module_info(exports)), dynamic:module_info(module)} end},
     {old_is_in_the_way, fun() -> {code:delete(dynamic), dynamic:v(), versions()} end},
     {deleted, fun() -> {code:purge(dynamic), code:delete(dynamic), undef(fun() -> dynamic:v() end), versions(), erlang:function_exported(dynamic, v, 0)} end},
     {purged, fun() -> {code:purge(dynamic), code:purge(dynamic), code:soft_purge(dynamic), code:delete(dynamic), versions()} end},
     {undefined, fun() -> dynamic:v() end},
     {bad, fun() -> [code:load_binary(dynamic, "", B) || B <- [module(another, 1), <<"x">>]] end},
     {sticky, fun() -> {code:is_sticky(lists), code:load_binary(lists, "", module(lists, 1)), code:is_sticky(?MODULE)} end},
     {none, fun() -> {code:load_file(dynamic), code:ensure_loaded(dynamic)} end},
     {funs, fun() -> load(dynamic, 5), F = dynamic:f(), load(dynamic, 6), G = dynamic:f(), {F(), G(), fun dynamic:v/0()} end},
     {funs_by_name, fun() -> F = fun dynamic:v/0, A = F(), code:purge(dynamic), load(dynamic, 7), {A, F(), apply(dynamic, v, [])} end},
     {inside, fun() -> dynamic:twice() end},
     {soft_purge_of_a_holder, fun() ->
         {Pid, Ref} = spawn_monitor(fun ?MODULE:holder/0),
         Pid ! {self(), dynamic:f()},
         receive {Pid, held} -> ok end,
         code:purge(dynamic), load(dynamic, 8),
         Held = code:soft_purge(dynamic),
         Pid ! stop,
         receive {'DOWN', Ref, process, Pid, {{What, Fun}, _}} -> {Held, What, is_function(Fun), code:soft_purge(dynamic)} end
     end},
     {replaced, fun() -> {agree_server:module_info(module), load(agree_server, 9), agree_server:v(), erlang:function_exported(agree_server, init, 1)} end},
     {from_its_file_again, fun() -> {code:purge(agree_server), code:delete(agree_server), code:is_loaded(agree_server), code:ensure_loaded(agree_server), erlang:function_exported(agree_server, init, 1), undef(fun() -> agree_server:v() end)} end},
     {loaded_by_a_call, fun() -> code:purge(agree_server), true = code:delete(agree_server), {agree_server:module_info(module), code:is_loaded(agree_server) =/= false} end},
     {by_erlang, fun() -> [undef(fun() -> F(Name) end) || Name <- [dynamic, missing], F <- [fun erlang:purge_module/1, fun erlang:delete_module/1]] end},
     {trace_info, fun() -> [erlang:trace_info(Item, What) || {Item, What} <- [{self(), flags}, {{lists, map, 2}, traced}, {{lists, map, 9}, all}]] end},
     {compressed, fun() -> T = lists:duplicate(1000, abc), B = term_to_binary(T, [compressed]), {binary_to_term(B) =:= T, byte_size(B) < 500, term_to_binary(a, [compressed]) =:= term_to_binary(a), binary_to_term(term_to_binary(T, [{compressed, 9}])) =:= T} end},
     {tables_of_the_system, fun() -> ets:new(logger, [named_table]) end}].

undef(F) ->
    try F() catch error:Reason -> Reason end.

holder() ->
    receive {From, Fun} -> From ! {self(), held}, receive stop -> exit(Fun()) end end.

%% Two calls beside the loading of a new version.
race() ->
    {module, dynamic} = code:load_binary(dynamic, "", module(dynamic, 1)),
    New = module(dynamic, 2),
    Self = self(),
    spawn(fun() -> Self ! {called, dynamic:v(), dynamic:v()} end),
    {module, dynamic} = code:load_binary(dynamic, "", New),
    receive {called, A, B} -> {A, B} end.

%% A call beside the deletion.
deleted() ->
    {module, dynamic} = code:load_binary(dynamic, "", module(dynamic, 1)),
    Self = self(),
    spawn(fun() -> Self ! {called, try dynamic:v() catch error:undef -> undef end, erlang:function_exported(dynamic, v, 0)} end),
    true = code:delete(dynamic),
    receive {called, A, B} -> {A, B} end.
