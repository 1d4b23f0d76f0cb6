%% What a program may ask of its node. Each function gives the same answer here and in the installed Erlang, or is refused
%% here: `all/0` lists them.
-module(node_facts).
-compile([export_all, nowarn_export_all]).
all() ->
    [q_whereis_init, q_whereis_user, q_whereis_kernel_sup, q_whereis_logger, q_whereis_app_ctl, q_whereis_code, q_whereis_gns, q_whereis_none,
     q_registered, q_ets_whereis, q_ets_whereis_code, q_reg_init, q_reg_undefined, q_send_init, q_priv, q_lib,
     q_lib0, q_priv_none, q_root, q_get_path, q_all_loaded, q_logger_ids, q_logger_conf, q_get_app,
     q_get_key, q_get_all_key, q_which_app, q_loaded_app, q_get_env_all, q_load_none, q_file_read, q_file_none,
     q_file_dir, q_file_cwd, q_filelib, q_filelib_dir, q_file_consult, q_file_open, q_file_info, q_putenv,
     q_global_reg, q_mnesia, q_inet, q_trace, q_gl, q_gl_req, q_io_gl,
     q_io_user, q_io_stderr, q_io_bad, q_io_get, q_io_pid, q_capture, q_pi_mem, q_pi_red,
     q_pi_heap, q_pi_1, q_pi_bt, q_pi_susp, q_pi_gc, q_susp, q_purge,
     q_delete, q_is_sticky, q_get_obj, q_sysinfo, q_memory, q_stat, q_node, q_rpc,
     q_init_args, q_seq, q_erl_eval, q_pg, q_crypto, q_logger_meta, q_erl_flags, q_httpc,
     q_ssl, q_zlib, q_counters, q_ets_info_mem, q_monnode, q_sup_which, q_pi_name, q_ets_whereis_system, q_ets_info_system, q_ets_by_system_id, q_lib_src,
     q_logger_primary, q_logger_level, q_pi_location, q_pi_place_of_other, q_pi_token, q_pi_trace, q_pi_fullsweep, q_pi_min_heap,
     q_pi_min_bin_vheap, q_pi_max_heap, q_pi_no_such].
answer(F) -> try ?MODULE:F() catch C:R -> {C, case R of {A, _} -> A; _ -> R end} end.
print() -> [io:format("~w ~0p~n", [F, answer(F)]) || F <- all()].
q_whereis_init() -> is_pid(whereis(init)).
q_whereis_user() -> is_pid(whereis(user)).
q_whereis_kernel_sup() -> is_pid(whereis(kernel_sup)).
q_whereis_logger() -> is_pid(whereis(logger)).
q_whereis_app_ctl() -> is_pid(whereis(application_controller)).
q_whereis_code() -> is_pid(whereis(code_server)).
q_whereis_gns() -> is_pid(whereis(global_name_server)).
q_whereis_none() -> whereis(nothing_here).
q_registered() -> lists:member(init, registered()).
q_ets_whereis() -> ets:whereis(nothing).
q_ets_whereis_code() -> is_reference(ets:whereis(code)).
q_reg_init() -> register(init, self()).
q_reg_undefined() -> register(undefined, self()).
q_send_init() -> init ! hello.
q_priv() -> is_list(code:priv_dir(stdlib)).
q_lib() -> is_list(code:lib_dir(stdlib)).
q_lib0() -> is_list(code:lib_dir()).
q_priv_none() -> code:priv_dir(no_such_app).
q_root() -> is_list(code:root_dir()).
q_get_path() -> is_list(code:get_path()).
q_all_loaded() -> is_list(code:all_loaded()).
q_logger_ids() -> logger:get_handler_ids().
q_logger_conf() -> element(1, logger:get_handler_config(default)).
q_get_app() -> application:get_application(lists).
q_get_key() -> element(1, application:get_key(stdlib, vsn)).
q_get_all_key() -> element(1, application:get_all_key(stdlib)).
q_which_app() -> is_list(application:which_applications()) andalso length(application:which_applications()) > 1.
q_loaded_app() -> length(application:loaded_applications()) > 1.
q_get_env_all() -> is_list(application:get_all_env(kernel)).
q_load_none() -> application:load(no_such_app).
q_file_read() -> element(1, file:read_file("/etc/passwd")).
q_file_none() -> file:read_file("/no/such").
q_file_dir() -> element(1, file:list_dir("/")).
q_file_cwd() -> element(1, file:get_cwd()).
q_filelib() -> filelib:is_file("/etc/passwd").
q_filelib_dir() -> filelib:is_dir("/etc").
q_file_consult() -> file:consult("/no/such").
q_file_open() -> element(1, file:open("/etc/passwd", [read])).
q_file_info() -> element(1, file:read_file_info("/etc/passwd")).
q_putenv() -> os:putenv("X_Y", "1"), os:getenv("X_Y").
q_global_reg() -> global:register_name(a, self()).
q_mnesia() -> mnesia:start().
q_inet() -> inet:gethostname().
q_trace() -> erlang:trace(self(), true, [call]).
q_gl() -> is_pid(group_leader()).
q_gl_req() ->
    R = make_ref(), group_leader() ! {io_request, self(), R, {put_chars, unicode, <<"">>}},
    receive {io_reply, R, X} -> X after 100 -> timeout end.
q_io_gl() -> io:put_chars(group_leader(), "").
q_io_user() -> io:format(user, "", []).
q_io_stderr() -> io:format(standard_error, "", []).
q_io_bad() -> io:format(no_such_device, "", []).
q_io_get() -> io:get_line("").
q_io_pid() ->
    P = self(),
    spawn(fun() -> io:format(P, "hi", []) end),
    receive {io_request, F, A, R} -> F ! {io_reply, A, ok}, element(1, R) after 100 -> none end.
q_capture() ->
    G = group_leader(),
    P = self(),
    group_leader(P, P), spawn(fun() -> group_leader(P, self()), io:format("hi") end),
    R = receive {io_request, F, A, X} -> F ! {io_reply, A, ok}, element(1, X) after 100 -> none end,
    group_leader(G, P),
    R.
q_pi_mem() -> element(1, process_info(self(), memory)).
q_pi_red() -> element(1, process_info(self(), reductions)).
q_pi_heap() -> element(1, process_info(self(), heap_size)).
q_pi_1() -> is_list(process_info(self())).
q_pi_bt() -> element(1, process_info(self(), backtrace)).
q_pi_susp() -> process_info(self(), suspending).
q_pi_gc() -> element(1, process_info(self(), garbage_collection)).
q_susp() -> P = spawn(fun() -> receive x -> ok end end), erlang:suspend_process(P).
q_purge() -> code:purge(zzz).
q_delete() -> code:delete(zzz).
q_is_sticky() -> code:is_sticky(lists).
q_get_obj() -> element(1, code:get_object_code(lists)).
q_sysinfo() -> is_integer(erlang:system_info(process_count)).
q_memory() -> is_integer(erlang:memory(total)).
q_stat() -> is_tuple(erlang:statistics(runtime)).
q_node() -> node().
q_rpc() -> rpc:call(node(), erlang, node, []).
q_init_args() -> is_list(init:get_arguments()).
q_seq() -> seq_trace:get_token().
q_erl_eval() -> {ok,T,_} = erl_scan:string("1+2."), {ok,E} = erl_parse:parse_exprs(T), element(2, erl_eval:exprs(E, [])).
q_pg() -> element(1, pg:start_link()).
q_crypto() -> byte_size(crypto:hash(sha256, "a")).
q_logger_meta() -> logger:set_process_metadata(#{a => 1}), logger:get_process_metadata().
q_erl_flags() -> erlang:system_flag(backtrace_depth, 8).
q_httpc() -> httpc:request("x").
q_ssl() -> ssl:start().
q_zlib() -> zlib:uncompress(zlib:compress("abc")).
q_counters() -> C = counters:new(1, []), counters:add(C, 1, 2), counters:get(C, 1).
q_ets_info_mem() -> T = ets:new(x, []), is_integer(ets:info(T, memory)).
q_monnode() -> net_kernel:get_state().
q_sup_which() -> is_list(supervisor:which_children(kernel_sup)).
q_pi_name() -> [process_info(whereis(Name), registered_name) || Name <- [user, init, kernel_sup]].
q_ets_whereis_system() -> is_reference(ets:whereis(ac_tab)) andalso ets:whereis(ac_tab) =/= ets:whereis(inet_db).
q_ets_info_system() -> element(1, hd(ets:info(ac_tab))).
q_ets_by_system_id() -> is_list(ets:lookup(ets:whereis(ac_tab), x)).
q_lib_src() -> filename:basename(code:lib_dir(stdlib, src)).
q_logger_primary() -> ok = logger:set_primary_config(#{level => debug}), logger:get_primary_config().
q_logger_level() -> ok = logger:set_primary_config(level, error), maps:get(level, logger:get_primary_config()).
q_pi_location() -> {current_location, {M, F, A, [_, Line]}} = process_info(self(), current_location), {M, F, A, Line}.
q_pi_place_of_other() ->
    P = spawn(fun() -> erlang:hibernate(?MODULE, none, []) end),
    timer:sleep(10),
    process_info(P, current_location).
q_pi_token() -> process_info(self(), sequential_trace_token).
q_pi_trace() -> process_info(self(), trace).
q_pi_fullsweep() -> element(1, process_info(self(), fullsweep_after)).
q_pi_min_heap() -> element(1, process_info(self(), min_heap_size)).
q_pi_min_bin_vheap() -> element(1, process_info(self(), min_bin_vheap_size)).
q_pi_max_heap() -> element(1, process_info(self(), max_heap_size)).
q_pi_no_such() -> process_info(self(), no_such_item).
