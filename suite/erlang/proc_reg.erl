%% The process registry of "Finding Race Conditions in Erlang with QuickCheck and PULSE" (Claessen and others, 2009),
%% written from its description: names and pids are in an ETS table, a server watches the registered processes, and
%% for speed the clients make the first entry themselves.
%%
%% -DVERSION=1 (without: 1): as it was. 2: clients also make a reverse entry, after the first race. 3: no client inserts
%% a dead process, after the second. 4: processes register only themselves, as in the production version.
-module(proc_reg).
-behaviour(gen_server).
-export([start_link/0, stop/0, reg/2, where/1, unreg/1, send/2]).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2]).
-include("proc_reg.hrl").

-define(TAB, proc_reg_tab).

start_link() -> gen_server:start_link({local, ?MODULE}, ?MODULE, [], []).
stop() -> gen_server:stop(?MODULE).

-if(?VERSION >= 4).
reg(Name, Pid) when Pid =:= self() -> first_try(Name, Pid);
reg(_Name, _Pid) -> error(badarg).
-elif(?VERSION >= 3).
reg(Name, Pid) ->
    case is_process_alive(Pid) of
        true -> first_try(Name, Pid);
        false -> true
    end.
-else.
reg(Name, Pid) -> first_try(Name, Pid).
-endif.

first_try(Name, Pid) ->
    case insert(Name, Pid) of
        true -> complete(Name, Pid);
        false ->
            case where(Name) of
                undefined ->
                    % The process that has the name is dead: the server is asked to clean up, before it would by itself.
                    ok = gen_server:call(?MODULE, {audit, Name}),
                    second_try(Name, Pid);
                _Pid -> error(badarg)
            end
    end.

second_try(Name, Pid) ->
    case insert(Name, Pid) of
        true -> complete(Name, Pid);
        false -> error(badarg)
    end.

%% The server completes the registration later.
complete(Name, Pid) ->
    gen_server:cast(?MODULE, {registered, Name, Pid}),
    true.

-if(?VERSION >= 2).
insert(Name, Pid) -> ets:insert_new(?TAB, [{{name, Name}, Pid}, {{pid, Pid, Name}, no_monitor}]).
-else.
insert(Name, Pid) -> ets:insert_new(?TAB, {{name, Name}, Pid}).
-endif.

where(Name) ->
    case ets:lookup(?TAB, {name, Name}) of
        [{_, Pid}] ->
            case is_process_alive(Pid) of
                true -> Pid;
                false -> undefined
            end;
        [] -> undefined
    end.

unreg(Name) ->
    case where(Name) of
        undefined -> error(badarg);
        _Pid -> gen_server:call(?MODULE, {unreg, Name})
    end.

send(Name, Message) ->
    case where(Name) of
        undefined -> error(badarg);
        Pid -> Pid ! Message
    end.

init([]) ->
    ets:new(?TAB, [public, named_table]),
    {ok, no_state}.

handle_call({audit, Name}, _From, State) ->
    case ets:lookup(?TAB, {name, Name}) of
        [{_, Pid}] ->
            case is_process_alive(Pid) of
                true -> ok;
                false -> forget(Name, Pid)
            end;
        [] -> ok
    end,
    {reply, ok, State};
handle_call({unreg, Name}, _From, State) ->
    [forget(Name, Pid) || {_, Pid} <- ets:lookup(?TAB, {name, Name})],
    {reply, true, State}.

handle_cast({registered, Name, Pid}, State) ->
    case ets:lookup(?TAB, {name, Name}) of
        [{_, Pid}] -> ets:insert(?TAB, {{pid, Pid, Name}, monitor(process, Pid)});
        _ -> gone_already
    end,
    {noreply, State}.

handle_info({'DOWN', _Reference, process, Pid, _Reason}, State) ->
    [forget(Name, Pid) || [Name] <- ets:match(?TAB, {{pid, Pid, '$1'}, '_'})],
    {noreply, State}.

%% Only what has a reverse entry is known to the server.
forget(Name, Pid) ->
    case ets:lookup(?TAB, {pid, Pid, Name}) of
        [{Key, Reference}] ->
            [demonitor(Reference, [flush]) || is_reference(Reference)],
            ets:delete(?TAB, Key),
            case ets:lookup(?TAB, {name, Name}) of
                [{_, Pid}] -> ets:delete(?TAB, {name, Name});
                _ -> ok
            end;
        [] -> ok
    end.
