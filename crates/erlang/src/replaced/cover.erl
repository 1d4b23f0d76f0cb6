%% No module is compiled for coverage here: what can be asked of cover's server without one, and the server itself.
-module(cover).
-export([start/0, stop/0, is_compiled/1, reset/1, modules/0]).
start() ->
    case whereis(cover_server) of
        undefined ->
            Starter = self(),
            Pid = spawn(fun() ->
                register(cover_server, self()),
                Starter ! {cover_server, started},
                serve()
            end),
            receive {cover_server, started} -> {ok, Pid} end;
        Pid -> {error, {already_started, Pid}}
    end.
serve() ->
    receive {stop, From} -> unregister(cover_server), From ! {cover_server, stopped} end.
stop() ->
    case whereis(cover_server) of
        undefined -> ok;
        Pid -> Pid ! {stop, self()}, receive {cover_server, stopped} -> ok end
    end.
is_compiled(_) -> is_started(false).
modules() -> is_started([]).
reset(Module) -> is_started({error, {not_cover_compiled, Module}}).
is_started(Answer) ->
    case whereis(cover_server) of
        undefined -> {error, not_started};
        _ -> Answer
    end.
