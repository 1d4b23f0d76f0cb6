%% Environments, and starting applications by their start functions, without an application controller.
-module(application).
-export([get_all_env/1, get_env/1, get_env/2, get_env/3, set_env/3, set_env/4, unset_env/2, unset_env/3, get_application/0,
         get_application/1, ensure_started/1, ensure_started/2, ensure_all_started/1, ensure_all_started/2,
         start/1, start/2, stop/1, load/1, loaded_applications/0, which_applications/0, get_key/2, get_all_key/1]).
get_env(Key) ->
    case get_application() of
        undefined -> undefined;
        {ok, App} -> get_env(App, Key)
    end.
get_all_env(App) -> raddle:all_env(App).
get_env(App, Key) -> raddle:get_env(App, Key).
get_env(App, Key, Default) ->
    case raddle:get_env(App, Key) of
        {ok, Value} -> Value;
        undefined -> Default
    end.
set_env(App, Key, Value) -> raddle:set_env(App, Key, Value).
set_env(App, Key, Value, _) -> raddle:set_env(App, Key, Value).
unset_env(App, Key) -> raddle:unset_env(App, Key).
unset_env(App, Key, _) -> raddle:unset_env(App, Key).
%% Of processes only while no application is started: whose a process is, is not known.
get_application() -> get_application(self()).
get_application(Pid) when is_pid(Pid) ->
    case names('$started') of
        [] -> undefined;
        _ -> raddle_native:unsupported_call('application:get_application/1 of a process')
    end;
get_application(Module) -> raddle:application_of(Module).
load(App) when App =:= kernel; App =:= stdlib -> {error, {already_loaded, App}};
load(App) when is_atom(App) ->
    case {is_loaded(App), raddle:application(App)} of
        {true, _} -> {error, {already_loaded, App}};
        {false, none} -> {error, {"no such file or directory", atom_to_list(App) ++ ".app"}};
        {false, {application, App, Keys}} -> loaded(App, Keys), ok
    end.
loaded(App, Keys) ->
    raddle:set_env('$loaded', App, true),
    [set_default(App, K, V) || {K, V} <- proplists:get_value(env, Keys, [])].
is_loaded(App) ->
    App =:= kernel orelse App =:= stdlib orelse raddle:get_env('$loaded', App) =/= undefined.
names(What) -> [Name || {Name, _} <- raddle:all_env(What)].
loaded_applications() -> [described(App) || App <- [kernel, stdlib | names('$loaded')]].
which_applications() -> [described(App) || App <- names('$started') ++ [stdlib, kernel]].
described(App) ->
    {application, App, Keys} = raddle:application(App),
    {App, proplists:get_value(description, Keys, ""), proplists:get_value(vsn, Keys, "")}.
get_key(App, Key) ->
    case get_all_key(App) of
        {ok, Keys} ->
            case lists:keyfind(Key, 1, Keys) of
                {Key, Value} -> {ok, Value};
                false -> undefined
            end;
        undefined -> undefined
    end.
get_all_key(App) ->
    case is_loaded(App) andalso raddle:application(App) of
        {application, App, Keys} ->
            Defaults = [{description, ""}, {id, ""}, {vsn, ""}, {modules, []}, {maxP, infinity}, {maxT, infinity},
                        {registered, []}, {included_applications, []}, {optional_applications, []},
                        {applications, []}, {env, []}, {mod, []}, {start_phases, undefined}],
            {ok, [{K, proplists:get_value(K, Keys, V)} || {K, V} <- Defaults]};
        _ -> undefined
    end.
ensure_started(App) -> ensure_started(App, temporary).
ensure_started(App, Type) ->
    case start(App, Type) of
        {error, {already_started, App}} -> ok;
        Other -> Other
    end.
start(App) -> start(App, temporary).
start(App, Type) ->
    case do_start(App, Type) of
        {ok, _} -> ok;
        Other -> Other
    end.
ensure_all_started(App) -> ensure_all_started(App, temporary).
ensure_all_started(App, Type) -> do_start(App, Type).
do_start(App, _) when App =:= kernel; App =:= stdlib; App =:= sasl; App =:= crypto -> {ok, []};
do_start(App, Type) ->
    case raddle:get_env('$started', App) of
        {ok, _} -> {ok, []};
        undefined ->
            case raddle:application(App) of
                {application, App, Keys} -> start_with(App, Type, Keys);
                none -> {error, {"no such file or directory", atom_to_list(App) ++ ".app"}}
            end
    end.
start_with(App, Type, Keys) ->
    Needs = proplists:get_value(applications, Keys, []),
    case start_all(Needs, Type, []) of
        {ok, Before} ->
            loaded(App, Keys),
            case proplists:get_value(mod, Keys, none) of
                none -> started(App, Before, none);
                {Mod, Args} ->
                    case start_master(App, Mod, Args) of
                        ok -> {ok, Before ++ [App]};
                        {error, Reason} -> {error, {App, Reason}}
                    end
            end;
        Error -> Error
    end.
%% The process that the application's top supervisor is linked to: the application outlives the process that started it.
start_master(App, Mod, Args) ->
    Call = {Mod, start, [normal, Args]},
    Starter = self(),
    Ref = make_ref(),
    {Master, Monitor} = spawn_monitor(fun() ->
        process_flag(trap_exit, true),
        case catch Mod:start(normal, Args) of
            {ok, Pid} -> master(App, Starter, Ref, Pid, Mod, []);
            {ok, Pid, State} -> master(App, Starter, Ref, Pid, Mod, State);
            {error, Reason} -> Starter ! {Ref, {error, {Reason, Call}}};
            Other -> Starter ! {Ref, {error, {bad_return, {Call, Other}}}}
        end
    end),
    receive
        {Ref, Answer} ->
            demonitor(Monitor, [flush]),
            Answer;
        {'DOWN', Monitor, process, Master, Reason} -> {error, {Reason, Call}}
    end.
master(App, Starter, Ref, Pid, Mod, State) ->
    raddle:set_env('$started', App, self()),
    Starter ! {Ref, ok},
    master(App, Pid, Mod, State).
master(App, Pid, Mod, State) ->
    receive
        {stop, From, Ref} ->
            exit(Pid, shutdown),
            receive {'EXIT', Pid, _} -> ok end,
            _ = (catch Mod:stop(State)),
            From ! {Ref, stopped};
        {'EXIT', Pid, _} ->
            raddle:unset_env('$started', App),
            _ = (catch Mod:stop(State));
        {'EXIT', _, _} -> master(App, Pid, Mod, State)
    end.
set_default(App, K, V) ->
    case raddle:get_env(App, K) of
        undefined -> raddle:set_env(App, K, V);
        _ -> ok
    end.
started(App, Before, How) ->
    raddle:set_env('$started', App, How),
    {ok, Before ++ [App]}.
start_all([], _, Done) -> {ok, Done};
start_all([App | Rest], Type, Done) ->
    case do_start(App, Type) of
        {ok, More} -> start_all(Rest, Type, Done ++ More);
        Error -> Error
    end.
stop(App) ->
    case raddle:get_env('$started', App) of
        {ok, Master} when is_pid(Master) ->
            raddle:unset_env('$started', App),
            Ref = monitor(process, Master),
            Master ! {stop, self(), Ref},
            receive
                {Ref, stopped} -> demonitor(Ref, [flush]);
                {'DOWN', Ref, process, Master, _} -> ok
            end,
            ok;
        {ok, none} -> raddle:unset_env('$started', App), ok;
        undefined -> {error, {not_started, App}}
    end.
