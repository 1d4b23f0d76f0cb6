%% Cases whose results must be the same here and in the installed Erlang. Each result is printed on a line.
-module(agree).
-export([run/0, ident/1]).
-record(rec, {a = 1, b, c = []}).

run() ->
    lists:foreach(fun({Name, F}) ->
        R = try F() of V -> V catch C:E:S -> {caught, C, E, trace(S)} end,
        io:format("~w: ~w~n", [Name, R])
    end, cases()),
    done.

%% Stack traces are compared by their functions; depth and lines of OTP's own code differ.
trace(S) -> [case E of {M, F, A, _} when is_integer(A) -> {M, F, A}; {M, F, A, _} -> {M, F, length(A)} end
             || E <- S, element(1, E) =:= agree].

ident(X) -> X.

cases() ->
    [{arith1, fun() -> {ident(7) div 2, ident(-7) div 2, ident(-7) rem 2, ident(7) / 2, 1 bsl 70, -1 bsr 3} end},
     {arith2, fun() -> ident(1) + ident(a) end},
     {arith3, fun() -> ident(1) div ident(0) end},
     {arith4, fun() -> ident(1.5) * ident(1.0e308) * 10 end},
     {arith5, fun() -> {abs(ident(-3)), round(ident(2.5)), round(ident(-2.5)), trunc(ident(2.9)), floor(ident(-2.1)), ceil(ident(2.1))} end},
     {badmatch, fun() -> {ok, _} = ident({error, x}) end},
     {case_clause, fun() -> case ident(3) of 1 -> a; 2 -> b end end},
     {if_clause, fun() -> X = ident(3), if X > 5 -> big; X < 2 -> small end end},
     {function_clause, fun() -> only_a(ident(b)) end},
     {undef, fun() -> no_such_module:f(ident(1)) end},
     {badfun, fun() -> (ident(notafun))(1) end},
     {badarity, fun() -> F = ident(fun(X) -> X end), try F(1, 2) catch error:{badarity, {_, A}} -> {badarity, A} end end},
     {try1, fun() -> try throw(x) catch throw:T -> {t, T} after put(aft, 1) end end},
     {try2, fun() -> {try exit(bye) catch exit:T -> {e, T} after put(aft, 2) end, get(aft)} end},
     {try3, fun() -> try ident(1) of 1 -> error(inner) catch _:_ -> no end end},
     {try4, fun() -> try try error(a) after throw(b) end catch C:R -> {C, R} end end},
     {try_clause, fun() -> try ident(1) of 2 -> ok catch _:_ -> no end end},
     {catch1, fun() -> {catch throw(a), catch exit(b), element(1, catch error(c)), catch ident(1)} end},
     {nested_catch, fun() -> catch (catch throw(a)), (catch throw(b)) end},
     {reraise, fun() -> try error(x) catch C:R:S -> erlang:raise(C, {again, R}, S) end end},
     {raise_in_fun, fun() -> lists:map(fun(X) -> 10 div X end, [1, 0]) end},
     {guards, fun() -> [guard(X) || X <- [1, -1, 0, a, "s", {}, {a}, <<>>, #{}, 1.5, fun ident/1]] end},
     {records, fun() -> R = #rec{b = 2}, R2 = R#rec{c = x}, {R, R2#rec.c, is_record(R, rec), (ident(R))#rec.a} end},
     {badrecord, fun() -> (ident({x}))#rec.a end},
     {maps1, fun() -> M = #{a => 1, b => 2, 1 => c, 1.0 => d}, {M#{a := 5}, maps:get(b, M), map_size(M), maps:keys(M), maps:values(M)} end},
     {maps2, fun() -> M = ident(#{}), M#{x := 1} end},
     {maps3, fun() -> M = ident(notamap), M#{x => 1} end},
     {maps4, fun() -> #{k := V} = ident(#{k => {v}}), V end},
     {maps5, fun() -> maps:get(zz, #{}) end},
     {maps6, fun() -> {maps:merge(#{a => 1}, #{a => 2, b => 3}), maps:remove(a, #{a => 1}), maps:take(a, #{a => 1}), maps:find(a, #{}),
                       maps:filter(fun(_, V) -> V > 1 end, #{a => 1, b => 2}), maps:map(fun(_, V) -> V * 2 end, #{a => 1}),
                       maps:from_list([{b, 1}, {a, 2}, {b, 3}]), maps:to_list(#{x => 1, a => 2}), maps:with([a], #{a => 1, b => 2})} end},
     {maps7, fun() -> maps:fold(fun(K, V, A) -> [{K, V} | A] end, [], #{c => 1, a => 2, b => 3}) end},
     {maps8, fun() -> I = maps:iterator(#{a => 1, b => 2}), {K, V, I2} = maps:next(I), {K, V, maps:next(I2)} end},
     {bits1, fun() -> <<A:4, B:12, C/binary>> = ident(<<1, 2, 3, 4>>), {A, B, C} end},
     {bits2, fun() -> <<A:16/little, B:8/signed, C:32/float, D/bitstring>> = ident(<<1, 2, 255, 63, 128, 0, 0, 5:3>>), {A, B, C, D} end},
     {bits3, fun() -> X = ident(5), Y = ident(-1), <<X:3, Y:13, 1.5:64/float, "abc", (ident(<<7, 8>>))/binary>> end},
     {bits4, fun() -> << <<(X * 2):16>> || <<X:4>> <= <<1, 2, 3>>, X > 0 >> end},
     {bits5, fun() -> [X || <<X:3>> <= <<255, 0>>] end},
     {bits6, fun() -> <<L:8, S:L/binary, R/binary>> = ident(<<2, "hello">>), {S, R} end},
     {bits7, fun() -> {<<228/utf8, 8364/utf8, 128512/utf8>>, <<8364/utf16>>, <<128512/utf16-little>>, <<65/utf32>>} end},
     {bits8, fun() -> <<C/utf8, R/binary>> = ident(<<226, 130, 172, 1>>), {C, R} end},
     {bits9, fun() -> <<(ident(a)):8>> end},
     {bits10, fun() -> S = ident(-1), <<1:S>> end},
     {bits11, fun() -> parse(<<1, 0, 3, "abc", 2, 9, 1>>) end},
     {bits12, fun() -> <<A:20/signed-little, _/bitstring>> = ident(<<255, 255, 255>>), <<B:12/little, _:4>> = ident(<<16#ab, 16#cd>>), {A, B} end},
     {bits13, fun() -> {<<-5:12/little>>, <<16#abcde:20/little>>, <<(1 bsl 80):90>>, <<(-(1 bsl 70)):100/little>>} end},
     {bits14, fun() -> case ident(<<1, 2, 3>>) of <<_:4, X/binary>> -> X; <<_:5, Y/bitstring>> -> Y end end},
     {bits15, fun() -> <<A:100, B:100/signed, C:64/native-unsigned>> = ident(<<-1:100, -2:100, 5:64/native>>), {A, B, C} end},
     {bits16, fun() -> <<A:16/float, B:16/float-little>> = ident(<<1.5:16/float, -0.1:16/float-little>>), {A, B} end},
     {bits17, fun() -> case ident(<<0:1>>) of <<X/binary>> -> X; _ -> no end end},
     {lists1, fun() -> {lists:sort([c, 1, "x", {}, 1.0, <<>>, #{}]), lists:usort([1, 1.0, 1]), lists:reverse([1, 2]), lists:keyfind(1.0, 1, [{1, a}]), lists:member(1.0, [1])} end},
     {lists2, fun() -> {[1, 2] ++ [3 | x], [1, 2, 3, 1] -- [1], lists:seq(1, 5), lists:sum([1, 2.5]), lists:zip([1], [a]), lists:foldl(fun(X, A) -> X + A end, 0, [1, 2])} end},
     {lists3, fun() -> ident([a | b]) ++ [c] end},
     {lists4, fun() -> length(ident([a | b])) end},
     {lists5, fun() -> hd(ident([])) end},
     {lists6, fun() -> {lists:sublist([1, 2, 3, 4], 2, 2), lists:nth(2, [a, b]), lists:last([1, 2]), lists:flatten([1, [2, [3]]]), lists:partition(fun(X) -> X > 1 end, [1, 2, 3]), lists:splitwith(fun(X) -> X < 2 end, [1, 2, 3]), lists:max([1, 3, 2])} end},
     {tuples, fun() -> {element(2, {a, b}), setelement(1, {a, b}, c), tuple_to_list({1, 2}), list_to_tuple([x]), erlang:append_element({1}, 2), erlang:delete_element(1, {a, b}), erlang:insert_element(1, {b}, a), erlang:make_tuple(2, z)} end},
     {badelement, fun() -> element(3, ident({a, b})) end},
     {convert1, fun() -> {integer_to_list(255, 16), list_to_integer("-ff", 16), atom_to_list('a b'), list_to_atom("x"), integer_to_binary(-12), binary_to_integer(<<"42">>), float_to_list(1.5, [{decimals, 3}]), float_to_binary(0.1, [short]), float_to_list(1.0), list_to_float("1.5e3")} end},
     {convert2, fun() -> list_to_integer(ident("12x")) end},
     {convert3, fun() -> binary_to_atom(ident(12)) end},
     {convert4, fun() -> {binary_to_list(<<1, 2>>), list_to_binary([1, [<<2>>, 3]]), iolist_to_binary(["a", <<"b">>]), iolist_size([1, <<2, 3>>]), bitstring_to_list(<<1, 2:4>>), list_to_bitstring([1, <<2:4>>])} end},
     {convert5, fun() -> {float_to_list(123.456, [{decimals, 2}, compact]), float_to_list(-0.00001, [{scientific, 3}]), float_to_binary(1.0e100), integer_to_list(1 bsl 100)} end},
     {string1, fun() -> {string:tokens("a b  c", " "), string:split("a-b-c", "-"), string:to_integer("12ab"), string:to_float("1.5x"), string:uppercase("abc"), string:trim(" x "), string:pad("x", 3), string:join(["a", "b"], ","), string:str("hello", "l"), string:reverse("abc"), string:length("abc"), string:slice("hello", 1, 3), string:find("hello", "l"), string:replace("aXbX", "X", "-", all)} end},
     {string2, fun() -> {unicode:characters_to_binary([228, "b", <<"c">>]), unicode:characters_to_list(<<195, 164>>), unicode:characters_to_list(<<195>>), unicode:characters_to_binary([1114112])} end},
     {binary1, fun() -> {binary:match(<<"hello">>, <<"l">>), binary:matches(<<"hello">>, [<<"l">>, <<"he">>]), binary:split(<<"a,b,,c">>, <<",">>, [global, trim_all]), binary:part(<<"hello">>, {4, -2}), binary:encode_unsigned(1000), binary:decode_unsigned(<<3, 232>>), binary:copy(<<1>>, 3), binary:replace(<<"aXb">>, <<"X">>, <<"--">>), binary:longest_common_prefix([<<"abc">>, <<"abd">>]), binary:at(<<5, 6>>, 1)} end},
     {binary2, fun() -> binary:part(ident(<<1, 2>>), 1, 5) end},
     {format1, fun() -> lists:flatten(io_lib:format("~p ~w ~s ~.3f ~e ~b ~16b ~c ~10w|~-10w| ~10.3f ~~ ~ts", [{a, "str", [1, 2]}, "ab", "x", 3.14159, 1.0, 10, 255, $A, x, y, 2.0, [8364]])) end},
     {format2, fun() -> lists:flatten(io_lib:format("~p", [#{a => {1, 2.5}, "long string that goes on" => lists:seq(1, 40), <<"bin">> => 'Quoted atom'}])) end},
     {format3, fun() -> io_lib:format("~d", [1]) end},
     {dict, fun() -> D = lists:foldl(fun(X, D) -> dict:store(X, X * X, D) end, dict:new(), lists:seq(1, 30)), {dict:fetch(7, D), dict:size(D), lists:sort(dict:to_list(D)) =:= [{X, X * X} || X <- lists:seq(1, 30)]} end},
     {structures, fun() -> {gb_trees:to_list(gb_trees:from_orddict([{1, a}, {2, b}])), gb_sets:to_list(gb_sets:from_list([2, 1])), queue:to_list(queue:in(2, queue:from_list([1]))), array:to_list(array:set(2, x, array:new())), ordsets:union([1, 3], [2]), sets:size(sets:from_list([1, 2, 1])), orddict:store(a, 1, []), proplists:get_value(b, [a, {b, 2}]), digraph_free()} end},
     {rand, fun() -> S = rand:seed(exsss, {1, 2, 3}), {X, S2} = rand:uniform_s(100, S), {Y, _} = rand:uniform_s(S2), {X, Y} end},
     {base64, fun() -> {base64:encode(<<"hello">>), base64:decode(<<"aGVsbG8=">>)} end},
     {calendar, fun() -> {calendar:day_of_the_week(2024, 2, 29), calendar:datetime_to_gregorian_seconds({{2020, 1, 1}, {0, 0, 0}})} end},
     {math, fun() -> {math:sqrt(2), math:pow(2, 10), math:sin(1), math:log(10), math:atan2(1, 2), math:pi()} end},
     {math_error, fun() -> math:sqrt(ident(-1)) end},
     {apply, fun() -> {apply(fun(A, B) -> A + B end, [1, 2]), apply(lists, reverse, [[1, 2]]), (ident(fun lists:reverse/1))([1]), erlang:apply(erlang, '+', [1, 2])} end},
     {fun_info, fun() -> {erlang:fun_info(fun lists:map/2, module), erlang:fun_info(fun lists:map/2, arity), is_function(fun ident/1, 1)} end},
     {hash, fun() -> {erlang:phash2({a, [1, "x", 2.5]}), erlang:crc32("hello"), erlang:md5("hello"), erlang:adler32(<<"abc">>)} end},
     {t2b, fun() -> X = {a, [1, 2.5, <<1:3>>], #{k => v}, 1 bsl 90}, {binary_to_term(term_to_binary(X)) =:= X, term_to_binary(X)} end},
     {compare, fun() -> {1 == 1.0, 1 =:= 1.0, a < b, {1, 2} < {2, 1}, [1] < [1, 2], <<1>> < <<1, 0>>, #{a => 1} < #{b => 0}, 1 < a, max(1, 1.0), min(1.0, 1)} end},
     {release, fun() -> erlang:system_info(otp_release) end},
     {dictionary, fun() -> put(k1, v1), {put(k1, v2), get(k1), erase(k1), get(k1), get_keys(zzz)} end},
     {self_send, fun() -> self() ! a, self() ! b, {receive b -> got_b end, receive X -> X end} end},
     {after0, fun() -> receive never -> no after 0 -> timeout end end},
     {after_bad, fun() -> receive never -> no after ident(x) -> timeout end end},
     {selective, fun() -> [self() ! X || X <- [1, a, 2, b]], {[receive X when is_atom(X) -> X end || _ <- [1, 2]], flush()} end},
     {spawn_reply, fun() -> Me = self(), spawn(fun() -> Me ! {hello, catch ident(1)} end), receive {hello, X} -> X end end},
     {link_normal, fun() -> process_flag(trap_exit, true), P = spawn_link(fun() -> ok end), R = receive {'EXIT', P, W} -> W end, process_flag(trap_exit, false), R end},
     {link_crash, fun() -> process_flag(trap_exit, true), P = spawn_link(fun() -> exit(boom) end), R = receive {'EXIT', P, W} -> W end, process_flag(trap_exit, false), R end},
     {link_error, fun() -> process_flag(trap_exit, true), P = spawn_link(fun() -> error(boom) end), R = receive {'EXIT', P, {W, [{agree, _, _, _} | _]}} -> W end, process_flag(trap_exit, false), R end},
     {link_dead, fun() -> P = dead(), try link(P) catch C:R -> {C, R} end end},
     {link_dead_trapping, fun() -> P = dead(), process_flag(trap_exit, true), R = link(P), M = receive {'EXIT', P, W} -> W end, process_flag(trap_exit, false), {R, M} end},
     {link_twice, fun() -> process_flag(trap_exit, true), P = spawn_link(fun() -> receive stop -> exit(x) end end), link(P), P ! stop, R = receive {'EXIT', P, W} -> W end, process_flag(trap_exit, false), {R, flush()} end},
     {unlink, fun() -> process_flag(trap_exit, true), P = spawn_link(fun() -> receive stop -> exit(x) end end), unlink(P), M = monitor(process, P), P ! stop, receive {'DOWN', M, _, _, _} -> ok end, process_flag(trap_exit, false), flush() end},
     {monitor_dead, fun() -> P = dead(), R = monitor(process, P), receive {'DOWN', R, process, P, W} -> W end end},
     {monitor_name, fun() -> R = monitor(process, nobody_there), receive {'DOWN', R, process, {N, _}, W} -> {N, W} end end},
     {monitor_crash, fun() -> {P, R} = spawn_monitor(fun() -> exit(oops) end), receive {'DOWN', R, process, P, W} -> W end end},
     {demonitor_flush, fun() -> {P, R} = spawn_monitor(fun() -> ok end), wait_dead(P), {demonitor(R, [flush]), flush()} end},
     {demonitor_info, fun() -> P = spawn(fun() -> receive x -> ok end end), R = monitor(process, P), A = demonitor(R, [info]), B = demonitor(R, [info]), P ! x, {A, B, demonitor(make_ref())} end},
     {demonitor_info_flush, fun() -> {P, R} = spawn_monitor(fun() -> ok end), receive {'DOWN', R, _, _, _} = D -> self() ! D end, wait_dead(P), {demonitor(R, [flush, info]), demonitor(make_ref(), [flush, info])} end},
     {exit_kill, fun() -> {P, R} = spawn_monitor(fun() -> process_flag(trap_exit, true), receive never -> ok end end), exit(P, kill), receive {'DOWN', R, _, _, W} -> W end end},
     {exit_normal_ignored, fun() -> {P, R} = spawn_monitor(fun() -> receive go -> exit(done) end end), exit(P, normal), P ! go, receive {'DOWN', R, _, _, W} -> W end end},
     {exit_trapped, fun() -> Me = self(), P = spawn(fun() -> process_flag(trap_exit, true), Me ! ready, receive {'EXIT', From, W} -> Me ! {From =:= Me, W} end end), receive ready -> ok end, exit(P, why), receive {true, W} -> W end end},
     {exit_reason, fun() -> {P, R} = spawn_monitor(fun() -> receive never -> ok end end), exit(P, {a, b}), receive {'DOWN', R, _, _, W} -> W end end},
     {kill_by_link, fun() -> {P, R} = spawn_monitor(fun() -> spawn_link(fun() -> exit(kill) end), receive never -> ok end end), receive {'DOWN', R, _, P, W} -> W end end},
     {exit_self, fun() -> {_, R} = spawn_monitor(fun() -> exit(self(), normal), receive after 100 -> survived end end), receive {'DOWN', R, _, _, W} -> W end end},
     {alive_after_kill, fun() -> P = spawn(fun() -> receive never -> ok end end), exit(P, kill), is_process_alive(P) end},
     {alive, fun() -> {is_process_alive(self()), is_process_alive(dead())} end},
     {register, fun() -> P = spawn(fun() -> receive stop -> ok end end), A = register(nm, P), B = catch_error(fun() -> register(nm, self()) end), C = whereis(nm) =:= P, D = catch_error(fun() -> register(nm2, P) end), E = unregister(nm), F = catch_error(fun() -> unregister(nm) end), P ! stop, {A, B, C, D, E, F, whereis(nm)} end},
     {register_other, fun() -> {P, R} = spawn_monitor(fun() -> receive stop -> ok end end), {Q, _} = spawn_monitor(fun() -> receive stop -> ok end end), A = register(nm5, P), B = {process_info(P, registered_name), process_info(Q, registered_name), lists:member(nm5, registered())}, C = [catch_error(fun() -> register(N, W) end) || {N, W} <- [{nm5, Q}, {nm6, P}, {undefined, Q}, {nm6, nobody}, {"nm6", Q}]], M = monitor(process, nm5), nm5 ! stop, D = receive {'DOWN', R, _, _, W1} -> W1 end, E = receive {'DOWN', M, _, W2, W3} -> {W2 =:= {nm5, node()}, W3} end, F = {whereis(nm5), catch_error(fun() -> nm5 ! x end), catch_error(fun() -> unregister(nm5) end), lists:member(nm5, registered())}, G = register(nm5, Q), exit(Q, kill), receive {'DOWN', _, _, Q, W4} -> ok end, {A, B, C, D, E, F, G, W4, whereis(nm5), register(nm5, self()), unregister(nm5)} end},
     {register_killed, fun() -> P = spawn(fun() -> receive stop -> ok end end), register(nm7, P), M = monitor(process, P), exit(P, kill), receive {'DOWN', M, _, _, W} -> ok end, {W, whereis(nm7), catch_error(fun() -> register(nm8, P) end)} end},
     {register_dead, fun() -> P = dead(), catch_error(fun() -> register(nm3, P) end) end},
     {send_name, fun() -> {catch_error(fun() -> no_such_name ! x end), {no_such_name, node()} ! y, erlang:send(dead(), z)} end},
     {name_after_exit, fun() -> {P, R} = spawn_monitor(fun() -> receive stop -> ok end end), register(nm4, P), P ! stop, receive {'DOWN', R, _, _, _} -> whereis(nm4) end end},
     {alias, fun() -> A = alias(), A ! x, R1 = flush(), U = unalias(A), A ! y, {R1, U, unalias(A), flush()} end},
     {alias_reply, fun() -> A = alias([reply]), A ! x, A ! y, flush() end},
     {monitor_alias, fun() -> P = spawn(fun() -> receive {From, Alias} -> Alias ! reply, From ! twice, Alias ! late end end), R = monitor(process, P, [{alias, reply_demonitor}]), P ! {self(), R}, M = receive reply -> got end, receive twice -> ok end, wait_dead(P), {M, flush()} end},
     {monitor_tag, fun() -> P = dead(), R = monitor(process, P, [{tag, my_tag}]), receive {my_tag, R, process, P, W} -> W end end},
     {process_info, fun() -> self() ! m, R = {process_info(self(), message_queue_len), process_info(self(), messages), process_info(dead(), status), process_info(self(), trap_exit), process_info(self(), registered_name)}, flush(), R end},
     {current_stacktrace, fun() -> {current_stacktrace, S} = process_info(self(), current_stacktrace), P = spawn(fun() -> ident(waits()) end), R = waiting(P), P ! go, {trace(S), R} end},
     {timer1, fun() -> T = erlang:send_after(10, self(), hi), R = receive hi -> got end, {R, erlang:cancel_timer(T), erlang:read_timer(T)} end},
     {timer2, fun() -> T = erlang:start_timer(5, self(), msg), receive {timeout, T, M} -> M end end},
     {timer3, fun() -> T = erlang:send_after(1000000, self(), no), L = erlang:read_timer(T), C = erlang:cancel_timer(T), {is_integer(L), is_integer(C), erlang:cancel_timer(T)} end},
     {timer4, fun() -> A = receive x -> no after 5 -> t1 end, {ok, T} = timer:send_after(2, z), B = receive z -> z end, {A, B, element(1, timer:cancel(T))} end},
     {ets1, fun() -> T = ets:new(t, []), R = {ets:insert(T, {a, 1}), ets:insert(T, [{b, 2}, {a, 3}]), ets:lookup(T, a), ets:lookup(T, zz), ets:member(T, b), ets:insert_new(T, {a, 9}), ets:delete(T, a), ets:info(T, size), ets:tab2list(T)}, ets:delete(T), R end},
     {ets_whereis, fun() -> {ets:whereis(no_table), catch_error(fun() -> ets:whereis(1.0) end), catch_error(fun() -> ets:whereis({a}) end), catch_error(fun() -> ets:whereis(make_ref()) end), catch_error(fun() -> ets:whereis(ets:new(t, [])) end)} end},
     {ets2, fun() -> T = ets:new(t, [bag]), ets:insert(T, [{a, 1}, {a, 2}, {a, 1}]), R = {ets:lookup(T, a), ets:delete_object(T, {a, 1}), ets:lookup(T, a)}, ets:delete(T), R end},
     {ets3, fun() -> T = ets:new(t, [ordered_set]), ets:insert(T, [{3, c}, {1, a}, {2, b}, {1.0, z}]), R = {ets:first(T), ets:last(T), ets:next(T, 1), ets:prev(T, 2), ets:next(T, 1.5), ets:tab2list(T), ets:lookup(T, 1)}, ets:delete(T), R end},
     {ets4, fun() -> T = ets:new(t, []), ets:insert(T, {c, 5, x}), R = {ets:update_counter(T, c, 3), ets:update_counter(T, c, {2, -10, 0, 100}), ets:update_counter(T, new, 1, {new, 10}), ets:update_element(T, c, {3, y}), ets:lookup(T, c), ets:lookup_element(T, c, 3), ets:take(T, c), catch_error(fun() -> ets:update_counter(T, zz, 1) end)}, ets:delete(T), R end},
     {ets5, fun() -> T = ets:new(t, [ordered_set]), ets:insert(T, [{X, X * X, [X]} || X <- lists:seq(1, 5)]), R = {ets:select(T, [{{'$1', '$2', '_'}, [{'>', '$2', 5}], [{{'$2', '$1'}}]}]), ets:match(T, {'$1', 4, '_'}), ets:match_object(T, {2, '_', '_'}), ets:select_count(T, [{{'_', '$1', '_'}, [{'<', '$1', 10}], [true]}]), ets:select_delete(T, [{{'$1', '_', '_'}, [{'=:=', {'rem', '$1', 2}, 0}], [true]}]), ets:foldl(fun({K, _, _}, A) -> [K | A] end, [], T), ets:select(T, [{{'$1', '_', '$3'}, [], ['$_']}, {'_', [], [zz]}])}, ets:delete(T), R end},
     {ets6, fun() -> T = ets:new(named, [named_table, public, {keypos, 2}]), ets:insert(named, {v, k}), R = {T, ets:lookup(named, k), ets:info(named, owner) =:= self(), ets:info(named, type), catch_error(fun() -> ets:new(named, [named_table]) end), ets:delete(named), ets:info(named)}, {R, catch_error(fun() -> ets:lookup(named, k) end)} end},
     {ets7, fun() -> T = ets:new(t, [private]), Me = self(), spawn(fun() -> Me ! catch_error(fun() -> ets:lookup(T, a) end) end), R = receive X -> X end, ets:delete(T), R end},
     {ets_heir, fun() -> Me = self(), P = spawn(fun() -> ets:new(t, [{heir, Me, data}]), Me ! made end), receive made -> ok end, receive {'ETS-TRANSFER', T, P, D} -> R = {D, ets:info(T, owner) =:= Me}, ets:delete(T), R end end},
     {ets_give_away, fun() -> Me = self(), P = spawn(fun() -> receive {'ETS-TRANSFER', T, Me, gift} -> Me ! ets:info(T, size) end end), T = ets:new(t, []), ets:insert(T, {a}), ets:give_away(T, P, gift), receive N -> N end end},
     {ets_owner_dies, fun() -> {P, R} = spawn_monitor(fun() -> ets:new(gone, [named_table]) end), receive {'DOWN', R, process, P, _} -> ets:info(gone) end end},
     {counters, fun() -> C = counters:new(2, []), counters:add(C, 1, 5), counters:sub(C, 1, 2), counters:put(C, 2, 9), {counters:get(C, 1), counters:get(C, 2), catch_error(fun() -> counters:get(C, 3) end)} end},
     {atomics, fun() -> A = atomics:new(1, [{signed, false}]), {atomics:add_get(A, 1, 3), atomics:compare_exchange(A, 1, 3, 7), atomics:compare_exchange(A, 1, 3, 8), atomics:exchange(A, 1, 1), atomics:sub_get(A, 1, 2)} end},
     {persistent, fun() -> persistent_term:put(agree_k, v), R = {persistent_term:get(agree_k), persistent_term:get(agree_zz, d), persistent_term:erase(agree_k), persistent_term:erase(agree_k)}, {R, catch_error(fun() -> persistent_term:get(agree_k) end)} end},
     {genserver, fun() -> {ok, P} = agree_server:start_link(), R = {agree_server:add(P, 5), agree_server:add(P, 7), (catch gen_server:call(P, {sleep, 50}, 10)) =/= ok, gen_server:stop(P)}, flush(), R end},
     {genserver_dead, fun() -> try gen_server:call(dead(), x) catch exit:{R, {gen_server, call, _}} -> R end end},
     {genserver_noname, fun() -> try gen_server:call(no_such_server, x) catch exit:{R, {gen_server, call, _}} -> R end end},
     {supervisor, fun() -> {ok, S} = agree_server:start_sup(), P1 = whereis(agree_server), R1 = monitor(process, P1), gen_server:cast(agree_server, crash), receive {'DOWN', R1, _, _, W} -> ok end, P2 = wait_name(agree_server, P1), R = {W, P1 =/= P2, [{I, T, M} || {I, _, T, M} <- supervisor:which_children(S)], supervisor:count_children(S)}, R2 = monitor(process, S), unlink(S), exit(S, shutdown), receive {'DOWN', R2, _, _, W2} -> {R, W2} end end},
     {statem, fun() -> {ok, P} = agree_statem:start_link(), R = {agree_statem:push(P), agree_statem:push(P), agree_statem:get(P), agree_statem:timeout(P)}, gen_statem:stop(P), R end},
     {genevent, fun() -> {ok, P} = gen_event:start_link(), gen_event:add_handler(P, agree_event, []), gen_event:notify(P, {msg, 1}), gen_event:sync_notify(P, {msg, 2}), R = gen_event:call(P, agree_event, get), gen_event:stop(P), R end},
     {proc_lib, fun() -> {ok, P, extra} = proc_lib:start_link(agree_server, init_plain, [self()]), P ! stop, wait_dead(P), proc_lib:initial_call(self()) end},
     {sys, fun() -> {ok, P} = agree_server:start_link(), R = sys:get_state(P), sys:suspend(P), sys:resume(P), gen_server:stop(P), R end},
     {spawn_request1, fun() -> R = spawn_request(fun() -> ok end), receive {spawn_reply, R, ok, P} -> is_pid(P) end end},
     {spawn_request2, fun() -> R = spawn_request(fun() -> exit(bye) end, [monitor]), receive {spawn_reply, R, ok, P} -> receive {'DOWN', R, process, P, W} -> W end end end},
     {spawn_request3, fun() -> process_flag(trap_exit, true), R = spawn_request(agree, ident, [x], [link, {reply_tag, tag}]), X = receive {tag, R, ok, P} -> receive {'EXIT', P, W} -> W end end, process_flag(trap_exit, false), X end},
     {spawn_request4, fun() -> Me = self(), spawn_request(node(), fun() -> Me ! here end, [{reply, no}]), {receive here -> here end, flush()} end},
     {spawn_request5, fun() -> R1 = spawn_request(fun() -> ok end, [nonsense]), R2 = spawn_request(fun() -> ok end, [{reply, maybe_}, {reply_tag, mine}]), R3 = spawn_request(fun() -> ok end, [{reply, success_only}, {monitor, bad}]), {[receive {_, R, error, W} -> W after 0 -> none end || R <- [R1, R2, R3]], catch_error(fun() -> spawn_request(fun(_) -> ok end) end), catch_error(fun() -> spawn_request(a, "b", []) end), catch_error(fun() -> spawn_request(fun() -> ok end, [link | x]) end), flush()} end},
     {spawn_request6, fun() -> R = spawn_request(agree, ident, [x]), A = receive {spawn_reply, R, ok, _} -> ok end, {A, spawn_request_abandon(R), spawn_request_abandon(make_ref()), catch_error(fun() -> spawn_request_abandon(x) end)} end},
     {spawn_request7, fun() -> Me = self(), R = spawn_request(fun() -> Me ! first end, [{reply, success_only}]), receive {spawn_reply, R, ok, _} -> receive first -> in_order end end end},
     {ets_portions, fun() -> [begin T = ets:new(t, [ordered_set]), ets:insert(T, [{I, I rem 2} || I <- lists:seq(1, N)]), {A, C} = ets:select(T, [{{'$1', '_'}, [], ['$1']}], 3), ets:insert(T, {3.5, x}), ets:delete(T, 4), B = rest(fun ets:select/1, C), {D, E} = case ets:match(T, {'$1', 1}, 2) of '$end_of_table' -> {[], '$end_of_table'}; X -> X end, F = rest(fun ets:match/1, E), {G, H} = ets:select_reverse(T, [{{'$1', '_'}, [], ['$1']}], 2), I2 = rest(fun ets:select/1, H), {J, _} = ets:match_object(T, {'_', 0}, 1), S = [ets:slot(T, 0), ets:slot(T, 1), catch_error(fun() -> ets:slot(T, 50) end)], ets:delete(T), {A, B, D, F, G, I2, J, S} end || N <- [3, 5, 6, 7]] end},
     {ets_portions_bag, fun() -> T = ets:new(t, [bag]), ets:insert(T, [{1, a}, {1, b}, {1, c}]), {A, C} = ets:select(T, [{{1, '$1'}, [], ['$1']}], 2), B = rest(fun ets:select/1, C), ets:delete(T), lists:sort(A ++ lists:append(B)) end},
     {hibernate, fun() -> Me = self(), P = spawn(fun() -> erlang:hibernate(agree, ident, [woken]) end), R = monitor(process, P), P ! wake, receive {'DOWN', R, _, _, W} -> {W, Me =:= self()} end end}
    ].

only_a(a) -> ok.

waits() -> receive go -> {ok} end.

%% The stack of a process that has come to wait.
waiting(P) ->
    case process_info(P, [status, current_stacktrace, current_function]) of
        [{status, waiting}, {_, S}, {_, F}] -> {trace(S), F};
        _ -> receive after 1 -> ok end, waiting(P)
    end.

rest(_, '$end_of_table') -> [];
rest(F, C) -> case F(C) of '$end_of_table' -> []; {L, C2} -> [L | rest(F, C2)] end.

guard(X) when is_integer(X), X > 0 -> positive;
guard(X) when is_integer(X); is_float(X) -> number;
guard(X) when is_atom(X) -> atom;
guard([_ | _]) -> list;
guard({}) -> empty;
guard(X) when tuple_size(X) =:= 1 -> one;
guard(X) when is_binary(X) -> binary;
guard(X) when map_size(X) =:= 0 -> map;
guard(X) when is_function(X, 1) -> function;
guard(_) -> other.

parse(<<1, N:16, S:N/binary, Rest/binary>>) -> [{text, S} | parse(Rest)];
parse(<<2, X, Rest/binary>>) -> [{byte, X} | parse(Rest)];
parse(<<>>) -> [];
parse(Rest) -> [{rest, Rest}].

digraph_free() -> ok.

flush() -> receive X -> [X | flush()] after 0 -> [] end.

dead() -> {P, R} = spawn_monitor(fun() -> ok end), receive {'DOWN', R, process, P, _} -> P end.

wait_dead(P) -> case is_process_alive(P) of true -> receive after 1 -> ok end, wait_dead(P); false -> ok end.

wait_name(N, Old) ->
    case whereis(N) of
        P when is_pid(P), P =/= Old -> P;
        _ -> receive after 1 -> ok end, wait_name(N, Old)
    end.

catch_error(F) -> try F() catch error:E -> {error, E} end.
