%% What OTP's logger server does, in the process that asks for it: `logger_server` calls this instead of itself. Callbacks
%% of handlers run in a process of their own, as in OTP.
-module(raddle_logger).
-compile({no_auto_import, [process_info/2, whereis/1]}).
-export([call/3, process_info/2, whereis/1, get_env/2, get_env/3, emulator_report/3]).
call(logger, Request, infinity) ->
    raddle:configure_logger(true),
    Reply = request(Request),
    raddle:configure_logger(false),
    Reply.
request({add_handler, Id, Module, Config}) ->
    case logger_config:exist(logger, Id) of
        true -> {error, {already_exist, Id}};
        false -> added(Id, Module, callback(Module, adding_handler, [Config], {ok, Config}))
    end;
request({remove_handler, Id}) ->
    case logger_config:get(logger, Id) of
        {ok, #{module := Module} = Config} ->
            _ = callback(Module, removing_handler, [Config], ok),
            handlers(fun(Handlers) -> lists:delete(Id, Handlers) end),
            logger_config:delete(logger, Id),
            ok;
        _ -> {error, {not_found, Id}}
    end;
request({change_config, _, proxy, _}) -> raddle_native:unsupported_call('logger:set_proxy_config/1');
request({change_config, How, Id, Config}) when Id =/= primary ->
    case logger_config:get(logger, Id) of
        {ok, #{module := Module} = Old} when How =:= set ->
            Default = #{id => Id, module => Module, level => all, filters => [], filter_default => log,
                        formatter => {logger_formatter, #{}}},
            changed(set, Id, Old, maps:merge(Default, Config));
        {ok, Old} -> changed(update, Id, Old, maps:merge(Old, Config));
        _ -> {error, {not_found, Id}}
    end;
request({change_config, How, Id, Key, Value}) when Id =/= primary ->
    case logger_config:get(logger, Id) of
        {ok, Old} -> changed(How, Id, Old, Old#{Key => Value});
        _ -> {error, {not_found, Id}}
    end;
request(Request) ->
    {reply, Reply, _} = logger_server:handle_call(Request, {self(), none}, {state, logger, undefined, undefined, undefined}),
    Reply.
added(Id, Module, {ok, Config}) ->
    case code:ensure_loaded(Module) =:= {module, Module} andalso erlang:function_exported(Module, log, 2) of
        true ->
            logger_config:create(logger, Id, Config),
            handlers(fun(Handlers) -> [Id | Handlers] end);
        false -> {error, {invalid_handler, {function_not_exported, {Module, log, 2}}}}
    end;
added(_, _, {error, Reason}) -> {error, {handler_not_added, Reason}}.
handlers(Change) ->
    {ok, #{handlers := Handlers} = Primary} = logger_config:get(logger, primary),
    logger_config:set(logger, primary, Primary#{handlers => Change(Handlers)}).
changed(How, Id, #{id := Id, module := Module} = Old, #{id := Id, module := Module} = New) ->
    case callback(Module, changing_config, [How, Old, New], {ok, New}) of
        {ok, Config} -> logger_config:set(logger, Id, Config);
        Error -> Error
    end;
changed(_, _, Old, New) ->
    {Before, After} = logger_server:diff_maps(maps:with([id, module], Old), maps:with([id, module], New)),
    {error, {illegal_config_change, Before, After}}.
callback(Module, Function, Args, Default) ->
    Asker = self(),
    {Pid, Ref} = spawn_monitor(fun() ->
        put('$logger_cb_process', true),
        Asker ! {'$logger_callback$', self(), called(Module, Function, Args, Default)}
    end),
    receive
        {'$logger_callback$', Pid, Result} ->
            receive {'DOWN', Ref, process, Pid, _} -> Result end;
        {'DOWN', Ref, process, Pid, Reason} -> {error, {logger_process_exited, Pid, Reason}}
    end.
called(Module, Function, Args, Default) ->
    try apply(Module, Function, Args)
    catch
        Class:Reason:Trace ->
            case {Reason, Trace} of
                {undef, [{Module, changing_config, [_, Old, New], _} | _]} ->
                    called(Module, changing_config, [Old, New], Default);
                {undef, [{Module, Function, Args, _} | _]} -> Default;
                _ -> {error, {callback_crashed, {Class, Reason, logger:filter_stacktrace(?MODULE, Trace)}}}
            end
    end.
%% What crash reports of `proc_lib` say of processes: no sizes, and no neighbours, which are linked processes that do not trap
%% exits.
process_info(_, heap_size) -> {heap_size, 233};
process_info(_, stack_size) -> {stack_size, 28};
process_info(_, reductions) -> {reductions, 0};
process_info(Pid, trap_exit) when Pid =/= self() -> {trap_exit, true};
process_info(Pid, Item) -> erlang:process_info(Pid, Item).
%% What `logger` asks of its table, and what formatting depends on: nothing that a program changes.
whereis(logger) -> logger.
get_env(_, _) -> undefined.
get_env(_, _, Default) -> Default.
%% What the emulator reports of a process that ends by an error, without `proc_lib`: in a process of the system.
emulator_report(Pid, Leader, Reason) ->
    logger:log(error, "Error in process ~p with exit value:~n~p~n", [Pid, Reason],
               #{pid => Pid, gl => Leader, error_logger => #{tag => error, emulator => true}}).
