%% OTP's own processes and what real programs do with them: the same results here and in the installed Erlang.
-module(agree_otp).
-behaviour(gen_server).
-export([run/0, init/1, handle_call/3, handle_cast/2, handle_info/2, handle_continue/2, terminate/2, work/2, start_worker/1, worker/2]).

run() ->
    lists:foreach(fun({Name, F}) ->
        R = try F() of V -> V catch C:E -> {caught, C, E} end,
        io:format("~w: ~w~n", [Name, R])
    end, cases()),
    done.

work(A, B) -> A + B.

start_worker(Arg) -> proc_lib:start_link(?MODULE, worker, [self(), Arg]).
worker(Parent, bad) -> proc_lib:init_ack(Parent, {error, bad}), exit(normal);
worker(Parent, Arg) -> proc_lib:init_ack(Parent, {ok, self()}), receive stop -> exit(Arg) end.

init({super, Strategy, Children}) -> {ok, {#{strategy => Strategy, intensity => 2, period => 5}, Children}};
init(stop) -> {stop, refused};
init(ignore) -> ignore;
init({continue, X}) -> {ok, [], {continue, X}};
init(trap) -> process_flag(trap_exit, true), {ok, trapping};
init(State) -> {ok, State}.
handle_call(get, _, S) -> {reply, S, S};
handle_call({later, X}, From, S) -> self() ! {reply, From, X}, {noreply, S};
handle_call(crash, _, _) -> exit(crashed);
handle_call({timeout, N}, _, S) -> {reply, ok, S, N};
handle_call({stop, R}, _, S) -> {stop, R, stopped, S}.
handle_cast({set, X}, _) -> {noreply, X};
handle_cast(hibernate, S) -> {noreply, S, hibernate}.
handle_info({reply, From, X}, S) -> gen_server:reply(From, {later, X}), {noreply, S};
handle_info(timeout, _) -> {noreply, timed_out};
handle_info({'EXIT', _, R}, _) -> {noreply, {exit, R}};
handle_info(Other, _) -> {noreply, {info, Other}}.
handle_continue(X, S) -> {noreply, [X | S]}.
terminate(R, {tell, Pid}) -> Pid ! {terminated, R};
terminate(_, _) -> ok.

start(Arg) -> {ok, P} = gen_server:start(?MODULE, Arg, []), P.
flush() -> receive X -> [X | flush()] after 20 -> [] end.
down(P) -> R = monitor(process, P), receive {'DOWN', R, _, _, W} -> W end.
child(Id, Restart) -> #{id => Id, start => {?MODULE, start_worker, [Id]}, restart => Restart, shutdown => 100}.
shape(S) -> [{Id, is_pid(P), T} || {Id, P, T, _} <- supervisor:which_children(S)].
pid_of(S, Id) -> {_, P, _, _} = lists:keyfind(Id, 1, supervisor:which_children(S)), P.
until(F) -> case F() of true -> ok; false -> receive after 1 -> ok end, until(F) end.
super(Strategy, Children) -> {ok, S} = supervisor:start_link(?MODULE, {super, Strategy, Children}), unlink(S), S.
stop_super(S) -> exit(S, shutdown), down(S).

cases() ->
    [{time_offset, fun() -> R = erlang:monitor(time_offset, clock_service), {is_reference(R), demonitor(R), catch element(1, element(2, catch erlang:monitor(time_offset, x)))} end},
     {server_start, fun() -> {gen_server:start(?MODULE, stop, []), gen_server:start(?MODULE, ignore, []), gen_server:call(start({continue, c}), get)} end},
     {server_linked_start, fun() -> process_flag(trap_exit, true), R = {gen_server:start_link(?MODULE, stop, []), [W || {'EXIT', _, W} <- flush()]}, process_flag(trap_exit, false), R end},
     {server_names, fun() -> {ok, P} = gen_server:start({local, named}, ?MODULE, s, []), {error, {already_started, Q}} = gen_server:start({local, named}, ?MODULE, s, []), R = {P =:= Q, gen_server:call(named, get), gen_server:call({named, node()}, get)}, gen_server:stop(named), {R, whereis(named)} end},
     {server_reply, fun() -> P = start(s), {gen_server:call(P, {later, 1}), gen_server:cast(P, {set, t}), gen_server:call(P, get), gen_server:cast(nobody, x), gen_server:cast(P, hibernate), gen_server:call(P, get)} end},
     {server_info, fun() -> P = start(s), P ! hello, gen_server:call(P, get) end},
     {server_timeout, fun() -> P = start(s), ok = gen_server:call(P, {timeout, 5}), receive after 100 -> ok end, gen_server:call(P, get) end},
     {server_crash, fun() -> P = start(s), {try gen_server:call(P, crash) catch exit:{R, {gen_server, call, [_, crash]}} -> R end, is_process_alive(P)} end},
     {server_stop, fun() -> P = start({tell, self()}), R = gen_server:call(P, {stop, {shutdown, x}}), {R, down(P), flush()} end},
     {server_stop2, fun() -> P = start({tell, self()}), M = monitor(process, P), gen_server:stop(P, because, 1000), receive {'DOWN', M, _, _, W} -> {W, flush()} end end},
     {server_send_request, fun() -> P = start(s), R = gen_server:send_request(P, {later, 2}), {gen_server:wait_response(R, 1000), begin R2 = gen_server:send_request(P, get), gen_server:receive_response(R2, 1000) end, begin P ! x, R3 = gen_server:send_request(P, get), receive M -> gen_server:check_response(M, R3) end end} end},
     {server_requests, fun() -> A = start(a), B = start(b), C0 = gen_server:reqids_new(), C1 = gen_server:send_request(A, get, one, C0), C2 = gen_server:send_request(B, get, two, C1), {R1, L1, C3} = gen_server:receive_response(C2, 1000, true), {R2, L2, C4} = gen_server:receive_response(C3, 1000, true), {lists:sort([{R1, L1}, {R2, L2}]), gen_server:receive_response(C4, 1000, true)} end},
     {server_trap, fun() -> P = start(trap), exit(P, why), gen_server:call(P, get) end},
     {server_multi_call, fun() -> {ok, _} = gen_server:start({local, multi}, ?MODULE, m, []), R = gen_server:multi_call([node()], multi, get), gen_server:stop(multi), R end},
     {server_abcast, fun() -> P = start(s), register(ab, P), gen_server:abcast(ab, {set, new}), R = gen_server:call(ab, get), gen_server:stop(ab), R end},
     {sys, fun() -> P = start(s), sys:replace_state(P, fun(_) -> t end), A = sys:get_state(P), sys:suspend(P), gen_server:cast(P, {set, u}), B = sys:get_state(P), sys:resume(P), C = gen_server:call(P, get), {status, P, {module, M}, [_, running, Parent, _, _]} = sys:get_status(P), sys:terminate(P, bye), {A, B, C, M, Parent =:= P, down(P)} end},
     {proc_lib, fun() -> {ok, P} = start_worker(x), E = process_flag(trap_exit, true), R1 = start_worker(bad), P ! stop, X = receive {'EXIT', P, W} -> W end, flush(), process_flag(trap_exit, E), {R1, X} end},
     {proc_lib_monitor, fun() -> {{ok, P}, M} = proc_lib:start_monitor(?MODULE, worker, [self(), y]), P ! stop, receive {'DOWN', M, process, P, W} -> {W, proc_lib:initial_call(P)} end end},
     {proc_lib_spawn, fun() -> {P, M} = proc_lib:spawn_opt(fun() -> exit({shutdown, z}) end, [monitor]), receive {'DOWN', M, process, P, W} -> W end end},
     {super_one_for_one, fun() -> S = super(one_for_one, [child(a, permanent), child(b, transient), child(c, temporary)]), R0 = shape(S), A = pid_of(S, a), A ! stop, until(fun() -> is_pid(pid_of(S, a)) andalso pid_of(S, a) =/= A end), pid_of(S, c) ! stop, until(fun() -> length(shape(S)) =:= 2 end), R1 = shape(S), {R0, R1, supervisor:count_children(S), stop_super(S)} end},
     {super_one_for_all, fun() -> S = super(one_for_all, [child(a, permanent), child(b, permanent)]), [A, B] = [pid_of(S, X) || X <- [a, b]], A ! stop, until(fun() -> P = pid_of(S, b), is_pid(P) andalso P =/= B andalso is_pid(pid_of(S, a)) end), R = pid_of(S, a) =/= A, {R, stop_super(S)} end},
     {super_rest_for_one, fun() -> S = super(rest_for_one, [child(a, permanent), child(b, permanent), child(c, permanent)]), [A, B, C] = [pid_of(S, X) || X <- [a, b, c]], B ! stop, until(fun() -> P = pid_of(S, c), is_pid(P) andalso P =/= C end), {pid_of(S, a) =:= A, pid_of(S, b) =/= B, stop_super(S)} end},
     {super_gives_up, fun() -> S = super(one_for_one, [child(a, permanent)]), M = monitor(process, S), [begin until(fun() -> is_pid(catch pid_of(S, a)) end), P = pid_of(S, a), P ! stop, down(P) end || _ <- [1, 2, 3]], receive {'DOWN', M, _, _, W} -> W end end},
     {super_children, fun() -> S = super(one_for_one, []), {ok, P} = supervisor:start_child(S, child(x, permanent)), R = {supervisor:start_child(S, child(x, permanent)) =:= {error, {already_started, P}}, supervisor:terminate_child(S, x), supervisor:start_child(S, child(x, permanent)), supervisor:restart_child(S, nope), element(1, supervisor:restart_child(S, x)), supervisor:delete_child(S, x), supervisor:terminate_child(S, x), supervisor:delete_child(S, x), supervisor:get_childspec(S, x), shape(S)}, {R, stop_super(S)} end},
     {super_simple, fun() -> S = super(simple_one_for_one, [#{id => w, start => {?MODULE, start_worker, []}, restart => temporary}]), {ok, A} = supervisor:start_child(S, [one]), {ok, _} = supervisor:start_child(S, [two]), R = {supervisor:count_children(S), supervisor:terminate_child(S, A), length(supervisor:which_children(S)), supervisor:start_child(S, [bad])}, {R, stop_super(S)} end},
     {super_bad, fun() -> {supervisor:check_childspecs([child(a, permanent)]), supervisor:check_childspecs([nonsense]), supervisor:check_childspecs([#{id => a}])} end},
     {erpc, fun() -> {erpc:call(node(), ?MODULE, work, [1, 2]), try erpc:call(node(), erlang, error, [oops]) catch C:R -> {C, element(1, R)} end, try erpc:call(node(), fun() -> exit(bye) end) catch C2:R2 -> {C2, R2} end, try erpc:call(node(), fun() -> throw(ball) end, 1000) catch C3:R3 -> {C3, R3} end, erpc:multicall([node()], ?MODULE, work, [3, 4]), erpc:cast(node(), fun() -> ok end)} end},
     {erpc_request, fun() -> R = erpc:send_request(node(), ?MODULE, work, [5, 6]), {erpc:receive_response(R, 1000), begin R2 = erpc:send_request(node(), fun() -> 9 end), erpc:wait_response(R2, 1000) end} end},
     {rpc, fun() -> {rpc:call(node(), ?MODULE, work, [1, 2]), rpc:call(node(), erlang, exit, [bye]), element(1, element(2, rpc:call(node(), no_such, f, []))), rpc:yield(rpc:async_call(node(), ?MODULE, work, [3, 4])), rpc:pmap({?MODULE, work}, [10], [1, 2, 3]), rpc:multicall([node()], ?MODULE, work, [0, 0])} end},
     {timers, fun() -> {ok, T} = timer:apply_after(3, erlang, send, [self(), applied]), A = receive applied -> applied end, {ok, I} = timer:send_interval(2, tick), receive tick -> ok end, receive tick -> ok end, {ok, cancel} = timer:cancel(I), {ok, E} = timer:exit_after(1, spawn(fun() -> receive never -> ok end end), gone), {A, is_tuple(T), is_tuple(E), element(1, timer:tc(fun() -> ok end)) >= 0, timer:cancel(nonsense)} end},
     {timer_refs, fun() -> R = erlang:start_timer(100000, self(), x), L = erlang:cancel_timer(R, [{info, true}]), R2 = erlang:send_after(1, self(), y, []), receive y -> ok end, {is_integer(L), erlang:cancel_timer(R, [{async, false}]), erlang:cancel_timer(R2, [{info, false}]), erlang:cancel_timer(R2, [{async, true}, {info, false}]), begin erlang:send_after(erlang:monotonic_time(millisecond) + 2, self(), z, [{abs, true}]), receive z -> z end end} end},
     {nodes, fun() -> F = fun(A, B) -> process_flag(A, B) end, {F(monitor_nodes, true), F(monitor_nodes, true), F({monitor_nodes, []}, true), F(monitor_nodes, false), F(monitor_nodes, false), net_kernel:monitor_nodes(true), net_kernel:monitor_nodes(false), nodes(), node()} end},
     {groups, fun() -> {ok, S} = pg:start(scope), Me = self(), [spawn(fun() -> ok = pg:join(scope, topic, self()), Me ! {joined, N}, receive {msg, M} -> Me ! {N, M} end end) || N <- [1, 2]], [receive {joined, N} -> ok end || N <- [1, 2]], Ms = pg:get_members(scope, topic), [P ! {msg, hello} || P <- Ms], R = [receive {N, M} -> M end || N <- [1, 2]], G = pg:which_groups(scope), gen_server:stop(S), {length(Ms), R, G} end},
     {links, fun() -> Me = self(), P = spawn(fun() -> process_flag(trap_exit, true), Q = spawn_link(fun() -> receive go -> exit(first) end end), Q ! go, receive {'EXIT', Q, W} -> Me ! {got, W} end end), R = receive {got, X} -> X end, {R, down(P)} end},
     {dictionary, fun() -> put(a, 1), put(b, 2), R = {lists:sort(get()), lists:sort(get_keys()), erase(a), erase(), get()}, R end},
     {tables, fun() -> T = ets:new(t, [public, duplicate_bag]), [spawn_monitor(fun() -> ets:insert(T, {k, I}) end) || I <- [1, 2, 3]], [receive {'DOWN', _, _, _, normal} -> ok end || _ <- [1, 2, 3]], R = {lists:sort(ets:lookup(T, k)), ets:match_delete(T, {k, 2}), ets:info(T, size), lists:sort(ets:lookup_element(T, k, 2))}, ets:delete(T), R end},
     {global_names, fun() -> {erlang:whereis(no_name), erlang:is_process_alive(self()), lists:member(self(), processes()), is_list(registered())} end}].
