%% `logger`, with handlers of the program: the same results here and in the installed Erlang.
-module(agree_logger).
-include_lib("kernel/include/logger.hrl").
-export([run/0, log/2, adding_handler/1, removing_handler/1, changing_config/3, init/1, handle_call/3, handle_cast/2]).
-export([race/0, crash/0, configured_by_two/0, unlogged/0]).

run() ->
    lists:foreach(fun({Name, F}) ->
        R = try F() of V -> V catch C:E -> {caught, C, E} end,
        io:format("~w: ~w~n", [Name, R])
    end, cases()),
    done.

adding_handler(#{config := #{refuse := Why}}) -> {error, Why};
adding_handler(#{config := #{crash := Why}}) -> error(Why);
adding_handler(Config) -> {ok, Config#{added => get('$logger_cb_process')}}.
removing_handler(#{config := #{pid := Pid}}) -> Pid ! removed, ok;
removing_handler(_) -> ok.
changing_config(_, _, #{config := #{refuse := Why}}) -> {error, Why};
changing_config(How, _, New) -> {ok, New#{how => How}}.
log(_, #{config := #{crashes := Why}}) -> error(Why);
log(#{level := Level, msg := Msg, meta := Meta}, #{id := Id, config := #{pid := Pid}}) ->
    Pid ! {Id, self() =:= Pid, Level, shown(Msg), maps:with([mfa, line, x, domain], Meta)}.
shown({report, #{label := Label, report := [Info | _]}}) -> {Label, error_info(Info)};
shown({report, #{label := Label}}) -> Label;
shown({_, [P, {R, Stack}]}) when is_pid(P), is_list(Stack) -> {emulator, R};
shown(Msg) -> Msg.
error_info(Info) when is_list(Info) ->
    case lists:keyfind(error_info, 1, Info) of
        {_, {C, R, _}} -> {C, R, [K || {K, _} <- Info]};
        false -> none
    end;
error_info(_) -> none.

add(Id) -> add(Id, #{}).
add(Id, Config) -> logger:add_handler(Id, ?MODULE, maps:merge(#{config => #{pid => self()}}, Config)).
got() -> receive M -> [M | got()] after 100 -> [] end.
with(F) -> with(#{}, F).
with(Config, F) ->
    ok = add(h, Config),
    R = F(),
    G = got(),
    ok = logger:remove_handler(h),
    {R, G, got()}.
quiet(F) ->
    {P, M} = spawn_monitor(F),
    receive {'DOWN', M, process, P, _} -> ok end.

init(crash) -> exit(no_start);
init(X) -> {ok, X}.
handle_call(crash, _, _) -> error(crashed);
handle_call({log, X}, _, S) -> {reply, ?LOG_WARNING("in ~p", [X]), S}.
handle_cast(_, S) -> {noreply, S}.

cases() ->
    [{default, fun() -> {logger:get_handler_ids(), logger:get_primary_config(), element(1, logger:get_handler_config(default))} end},
     {default_config, fun() -> {ok, C} = logger:get_handler_config(default), lists:sort(maps:keys(C)) end},
     {silent, fun() -> {logger:set_handler_config(default, level, none), logger:get_handler_config(none)} end},
     {macro, fun() -> with(fun() -> {?LOG_ERROR("a ~p", [1]), ?LOG_INFO("no"), ?LOG_NOTICE("yes"), ?LOG_ERROR(#{r => 1}, #{x => 2})} end) end},
     {functions, fun() -> with(fun() -> {logger:error("e"), logger:error("e ~p", [2]), logger:warning(#{a => 1}), logger:log(alert, "x", #{x => 1}), logger:debug("d"), logger:critical([{a, b}])} end) end},
     {fun_msg, fun() -> with(fun() -> {?LOG_ERROR(fun(X) -> {"lazy ~p", [X]} end, 7), ?LOG_DEBUG(fun(_) -> exit(bad) end, 7), logger:error(fun(_) -> #{lazy => 1} end, 1)} end) end},
     {levels, fun() -> with(#{level => error}, fun() -> {?LOG_ERROR("e"), ?LOG_WARNING("w"), logger:set_handler_config(h, level, warning), ?LOG_WARNING("w2")} end) end},
     {primary, fun() -> with(fun() -> R = {logger:set_primary_config(level, debug), ?LOG_DEBUG("d"), logger:set_primary_config(level, notice), ?LOG_DEBUG("d2")}, R end) end},
     {module_level, fun() -> with(fun() -> {logger:set_module_level(?MODULE, debug), ?LOG_DEBUG("d"), logger:get_module_level(), logger:unset_module_level(?MODULE), ?LOG_DEBUG("d2"), logger:get_module_level()} end) end},
     {module_none, fun() -> with(fun() -> {logger:set_module_level([?MODULE], none), ?LOG_ERROR("d"), logger:unset_module_level(), ?LOG_ERROR("d2")} end) end},
     {allow, fun() -> {logger:allow(error, ?MODULE), logger:allow(debug, ?MODULE), logger:compare_levels(error, info)} end},
     {primary_filter, fun() -> with(fun() ->
         A = logger:add_primary_filter(f, {fun(#{level := warning}, _) -> stop; (E, _) -> E end, x}),
         ?LOG_WARNING("w"), ?LOG_ERROR("e"), B = logger:add_primary_filter(f, {fun(E, _) -> E end, x}),
         {A, B, logger:remove_primary_filter(f), logger:remove_primary_filter(f), ?LOG_WARNING("w2")} end) end},
     {handler_filter, fun() -> with(#{filters => [{f, {fun(E = #{msg := {string, "keep"}}, _) -> E; (_, _) -> ignore end, x}}], filter_default => stop}, fun() ->
         {?LOG_ERROR("keep"), ?LOG_ERROR("drop"), logger:remove_handler_filter(h, f), ?LOG_ERROR("keep")} end) end},
     {bad_filter, fun() -> with(fun() -> {logger:add_primary_filter(f, {fun(_, _) -> error(x) end, x}), ?LOG_ERROR("e"), maps:get(filters, logger:get_primary_config())} end) end},
     {metadata, fun() -> with(fun() -> logger:set_process_metadata(#{x => 5}), ?LOG_ERROR("e"), logger:update_process_metadata(#{x => 6}), ?LOG_ERROR("e", #{line => 0}), M = logger:get_process_metadata(), logger:unset_process_metadata(), M end) end},
     {refused, fun() -> {add(r, #{config => #{refuse => no}}), add(r, #{config => #{crash => no}}) =:= ok, logger:add_handler(r, no_such_module, #{}), logger:add_handler(r, lists, #{}), logger:remove_handler(r)} end},
     {twice, fun() -> {add(t), add(t), logger:get_handler_ids(), logger:remove_handler(t), logger:get_handler_ids(), got()} end},
     {invalid, fun() -> {add("x"), add(t, #{level => foo}), logger:set_primary_config(level, foo), logger:set_primary_config(foo, 1), logger:set_handler_config(nope, level, error), logger:set_module_level(x, foo)} end},
     {handler_config, fun() -> ok = add(c), R = [logger:get_handler_config(c), logger:set_handler_config(c, config, #{pid => self(), y => 1}), logger:update_handler_config(c, #{level => error}),
         logger:set_handler_config(c, config, #{refuse => r}), logger:set_handler_config(c, #{id => d}), logger:update_handler_config(c, config, #{pid => self(), z => 1}), logger:get_handler_config(c)],
         {[case X of {ok, M} -> maps:map(fun(config, V) -> maps:remove(pid, V); (_, V) -> V end, M); _ -> X end || X <- R], logger:remove_handler(c), got()} end},
     {failing, fun() -> ok = add(bad, #{config => #{crashes => x}}), ?LOG_ERROR("e"), {logger:get_handler_ids(), got()} end},
     {proc_lib_crash, fun() -> with(fun() -> {P, M} = proc_lib:spawn_opt(fun() -> error(boom) end, [monitor]), receive {'DOWN', M, process, P, _} -> ok end end) end},
     {proc_lib_normal, fun() -> with(fun() -> {P, M} = proc_lib:spawn_opt(fun() -> exit(normal) end, [monitor]), receive {'DOWN', M, process, P, _} -> ok end end) end},
     {plain_crash, fun() -> with(fun() -> quiet(fun() -> error(boom) end), quiet(fun() -> exit(boom) end), quiet(fun() -> throw(ball) end) end) end},
     {server_crash, fun() -> with(fun() -> {ok, S} = gen_server:start(?MODULE, x, []), {gen_server:call(S, {log, y}), element(1, catch gen_server:call(S, crash))} end) end},
     {start_crash, fun() -> with(fun() -> gen_server:start(?MODULE, crash, []) end) end},
     {error_logger, fun() -> with(fun() -> {error_logger:error_msg("m ~p", [1]), error_logger:error_report([{a, 1}]), error_logger:warning_msg("w"), error_logger:info_msg("i"), error_logger:info_report(my, x)} end) end},
     {format, fun() -> lists:flatten(logger_formatter:format(#{level => error, msg => {"a ~p", [1]}, meta => #{time => 0}}, #{template => [level, ":", msg, "\n"]})) end}].

%% Two processes log, and the test receives in every order.
race() ->
    ok = add(h),
    [spawn(fun() -> ?LOG_ERROR("~p", [N]) end) || N <- [1, 2]],
    [receive {h, _, error, {_, [A]}, _} -> A end, receive {h, _, error, {_, [B]}, _} -> B end].
%% The report of a crash comes before the DOWN message.
crash() ->
    ok = add(h),
    {P, M} = proc_lib:spawn_opt(fun() -> exit(crashed) end, [monitor]),
    receive {h, _, error, {{proc_lib, crash}, {exit, crashed, _}}, _} -> receive {'DOWN', M, process, P, crashed} -> ok end end.
configured_by_two() ->
    spawn(fun() -> logger:set_primary_config(level, error) end),
    logger:set_module_level(?MODULE, debug).
%% What nothing configures takes no step.
unlogged() ->
    spawn(fun() -> ?LOG_INFO("x") end),
    spawn(fun() -> ?LOG_ERROR("y") end),
    ?LOG_ERROR("z").
