%% The standard library's modules: what they give here and in the installed Erlang must be the same, line by line.
-module(agree_stdlib).
-export([run/0]).

run() ->
    lists:foreach(fun({Name, F}) ->
        R = try F() of V -> V catch C:E -> {caught, C, E} end,
        io:format("~w: ~w~n", [Name, R])
    end, structures() ++ texts() ++ formats() ++ numbers() ++ binaries() ++ others()),
    done.

flat(Format, Args) -> lists:flatten(io_lib:format(Format, Args)).

%% The result of each, or how it fails.
each(Fs) -> [try F() catch C:E -> {C, E} end || F <- Fs].

structures() ->
    L = [{K rem 7, K} || K <- lists:seq(1, 20)],
    [{queue, fun() ->
         Q = lists:foldl(fun queue:in/2, queue:new(), lists:seq(1, 9)),
         {{value, A}, Q1} = queue:out(Q), {{value, B}, Q2} = queue:out_r(Q1),
         {A, B, queue:to_list(queue:reverse(Q2)), queue:len(Q2), queue:peek(Q2), queue:peek_r(Q2), queue:is_empty(queue:new()),
          queue:to_list(queue:filter(fun(X) -> X rem 2 =:= 0 end, Q)), queue:fold(fun(X, S) -> X + S end, 0, Q),
          queue:member(5, Q), queue:split(3, Q), queue:join(Q2, Q1), queue:drop(Q), queue:daeh(Q), queue:any(fun(X) -> X > 8 end, Q)}
     end},
     {queue_errors, fun() -> each([fun() -> queue:head(queue:new()) end, fun() -> queue:drop(queue:new()) end, fun() -> queue:len(x) end, fun() -> queue:split(3, queue:new()) end]) end},
     {gb_trees, fun() ->
         T = lists:foldl(fun(K, T) -> gb_trees:enter(K * 7 rem 31, K, T) end, gb_trees:empty(), lists:seq(1, 30)),
         {gb_trees:size(T), gb_trees:smallest(T), gb_trees:largest(T), gb_trees:lookup(5, T), gb_trees:lookup(99, T), gb_trees:keys(T), gb_trees:values(gb_trees:delete(3, T)),
          gb_trees:take_smallest(T), gb_trees:balance(T), gb_trees:to_list(gb_trees:map(fun(_, V) -> V + 1 end, T)), gb_trees:next(gb_trees:iterator_from(28, T)), gb_trees:is_defined(4, T), gb_trees:take_any(4, T)}
     end},
     {gb_trees_errors, fun() -> each([fun() -> gb_trees:get(x, gb_trees:empty()) end, fun() -> gb_trees:insert(a, 1, gb_trees:from_orddict([{a, 2}])) end, fun() -> gb_trees:delete(a, gb_trees:empty()) end]) end},
     {gb_sets, fun() ->
         A = gb_sets:from_list([3, 1, 2, 1.0, a, {x}]), B = gb_sets:from_list([2, b, 3.0]),
         {gb_sets:to_list(gb_sets:union(A, B)), gb_sets:to_list(gb_sets:intersection(A, B)), gb_sets:to_list(gb_sets:subtract(A, B)), gb_sets:is_subset(A, B), gb_sets:is_disjoint(A, B), gb_sets:fold(fun(X, R) -> [X | R] end, [], A), A, gb_sets:smallest(A), gb_sets:take_largest(A), gb_sets:is_member(1, A), gb_sets:filter(fun is_number/1, A)}
     end},
     {dict, fun() ->
         D = lists:foldl(fun({K, V}, D) -> dict:append(K, V, D) end, dict:new(), L),
         D2 = dict:from_list([{X, X * X} || X <- lists:seq(1, 40)]),
         {dict:to_list(D), dict:fetch_keys(D2), dict:to_list(dict:filter(fun(K, _) -> K > 30 end, D2)), dict:fold(fun(_, V, S) -> S + V end, 0, D2), dict:find(5, D), dict:find(z, D), dict:to_list(dict:merge(fun(_, X, _) -> X end, D, D2)), dict:take(3, D), dict:size(dict:erase(1, D2)), dict:to_list(dict:update_counter(c, 5, dict:new())), dict:to_list(dict:map(fun(_, V) -> {V} end, D)), dict:is_key("s", dict:store("s", 1, D))}
     end},
     {dict_error, fun() -> dict:fetch(nothing, dict:new()) end},
     {sets, fun() ->
         A = sets:from_list([a, b, 1, 2.5, "str", {t}, <<1>>]), B = sets:from_list([1, 2, {t}]),
         {sets:to_list(A), sets:to_list(sets:union(A, B)), sets:to_list(sets:intersection(A, B)), sets:to_list(sets:subtract(A, B)), sets:is_element(1.0, A), sets:size(A), sets:fold(fun(_, N) -> N + 1 end, 0, A), sets:is_subset(B, A), sets:is_disjoint(A, B), sets:filter(fun is_atom/1, A), lists:sort(sets:to_list(sets:from_list([1, 1.0, 1], [{version, 2}])))}
     end},
     {ordsets, fun() -> {ordsets:from_list([c, 1, a, 1.0, 1]), ordsets:union([[1, 3], [2], [0, 9]]), ordsets:intersection([1, 2, 3], [2, 3, 4]), ordsets:subtract([1, 2, 3], [2]), ordsets:add_element(2, [1, 3]), ordsets:del_element(1.0, [1, 2]), ordsets:is_subset([1], [1, 2]), ordsets:is_element(1.0, [1])} end},
     {orddict, fun() -> {orddict:from_list(L), orddict:update(a, fun(X) -> X + 1 end, 0, [{a, 1}]), orddict:update_counter(b, 2, [{a, 1}]), orddict:append(a, x, [{a, [y]}]), orddict:merge(fun(_, X, Y) -> {X, Y} end, [{a, 1}, {b, 2}], [{b, 3}]), orddict:take(a, [{a, 1}]), orddict:fetch_keys([{a, 1}, {b, 2}])} end},
     {proplists, fun() ->
         P = [a, {b, 2}, {c, 3, 4}, {b, 5}, d, {a, false}],
         {proplists:get_value(a, P), proplists:get_value(zz, P, none), proplists:get_all_values(b, P), proplists:lookup(c, P), proplists:lookup_all(b, P), proplists:is_defined(d, P), proplists:get_bool(a, P), proplists:get_bool(b, P), proplists:delete(b, P), proplists:compact([{a, true}, {b, 1}]), proplists:unfold(P), proplists:split(P, [a, b]), proplists:append_values(b, P), proplists:expand([{d, [x, y]}], P), proplists:normalize(P, [{aliases, [{d, e}]}]), proplists:substitute_negations([{no_x, x}], [no_x]), proplists:to_map([a, {b, 1}])}
     end},
     {array, fun() ->
         A = array:from_list(lists:seq(1, 25)), B = array:set(30, x, A), C = array:new([{size, 5}, {default, 0}, {fixed, true}]),
         {array:get(3, A), array:get(27, B), array:size(B), array:sparse_to_list(B), array:foldl(fun(I, V, S) -> I * V + S end, 0, A), array:to_list(array:resize(3, A)), array:to_list(array:map(fun(_, V) -> V * 2 end, A)), array:to_orddict(array:reset(1, C)), array:is_fix(C), each([fun() -> array:set(9, a, C) end, fun() -> array:get(-1, A) end]), array:to_list(array:relax(C)), array:sparse_size(B)}
     end},
     {digraph, fun() ->
         G = digraph:new(), [digraph:add_vertex(G, V, {l, V}) || V <- [a, b, c, d, e]],
         [digraph:add_edge(G, {X, Y}, X, Y, []) || {X, Y} <- [{a, b}, {b, c}, {c, a}, {c, d}]],
         R = {lists:sort(digraph:vertices(G)), lists:sort(digraph:edges(G)), digraph:get_path(G, a, d), digraph:get_cycle(G, a), lists:sort(digraph:out_neighbours(G, c)), digraph:in_degree(G, a), digraph:vertex(G, b), digraph:edge(G, {a, b}), digraph:no_edges(G),
              lists:sort([lists:sort(C) || C <- digraph_utils:strong_components(G)]), digraph_utils:topsort(G), digraph_utils:is_acyclic(G), lists:sort(digraph_utils:reachable([a], G)), lists:sort(digraph_utils:components(G)) =/= [], digraph:del_vertex(G, c), lists:sort(digraph:edges(G)), digraph_utils:topsort(G) =/= false, digraph:add_edge(G, nope, b)},
         digraph:delete(G), R
     end},
     {sofs, fun() ->
         R = sofs:relation([{a, 1}, {b, 2}, {a, 3}]), S = sofs:set([a, c]),
         {sofs:to_external(sofs:restriction(R, S)), sofs:to_external(sofs:domain(R)), sofs:to_external(sofs:range(R)), sofs:to_external(sofs:image(R, S)), sofs:to_external(sofs:converse(R)), sofs:to_external(sofs:relation_to_family(R)), sofs:to_external(sofs:union(S, sofs:set([d]))), sofs:to_external(sofs:product(S, S)), sofs:type(R), sofs:to_external(sofs:partition(1, R)), sofs:to_external(sofs:relative_product(R, sofs:relation([{1, x}, {3, y}]))), sofs:to_external(sofs:specification({external, fun({_, X}) -> X > 1 end}, R))}
     end},
     {sorts, fun() ->
         X = [5, 3.0, 3, a, "z", {1}, 9, 1, 3, <<2>>, b, 0],
         {lists:sort(X), lists:usort(X), lists:sort(fun(A, B) -> A >= B end, X), lists:usort(fun(A, B) -> A =< B end, X), lists:keysort(2, L), lists:ukeysort(1, L), lists:merge([1, 4], [2, 3]), lists:umerge([1, 2], [2, 3]), lists:merge3([1], [0], [2]), lists:keymerge(1, [{1, a}], [{1, b}, {2, c}]), lists:ukeymerge(1, [{1, a}], [{1, b}]), lists:sort(lists:reverse(lists:seq(1, 50))), lists:umerge3([1], [1, 2], [2]), lists:merge(fun(A, B) -> A >= B end, [3, 1], [2]), lists:keysort(1, [{3, a}, {1, b}, {3.0, c}, {2, d}, {1.0, e}])}
     end},
     {lists, fun() ->
         {lists:all(fun is_atom/1, [a, b]), lists:any(fun is_atom/1, [1]), lists:append([[1], [2, 3]]), lists:concat([a, 1, "x", 2.5]), lists:delete(2, [1, 2, 3, 2]), lists:droplast([1, 2]), lists:dropwhile(fun(Y) -> Y < 3 end, [1, 3, 2]), lists:duplicate(3, x), lists:filtermap(fun(Y) when Y > 1 -> {true, Y * 2}; (Y) -> Y =:= 1 end, [0, 1, 2]), lists:flatlength([1, [2, [3]]]), lists:flatmap(fun(Y) -> [Y, Y] end, [1, 2]), lists:foldr(fun(Y, A) -> [Y | A] end, [], [1, 2]), lists:join(x, [1, 2, 3]), lists:keydelete(a, 1, [{a, 1}, {b, 2}]), lists:keymap(fun(Y) -> Y + 1 end, 2, [{a, 1}]), lists:keyreplace(a, 1, [{a, 1}], {z}), lists:keystore(c, 1, [{a, 1}], {c, 3}), lists:keytake(a, 1, [{b, 1}, {a, 2}]), lists:mapfoldl(fun(Y, A) -> {Y * A, A + 1} end, 1, [1, 2, 3]), lists:mapfoldr(fun(Y, A) -> {Y * A, A + 1} end, 1, [1, 2, 3]), lists:min([3, 1.0, a]), lists:nthtail(1, [a, b]), lists:prefix("ab", "abc"), lists:suffix("bc", "abc"), lists:search(fun(Y) -> Y > 1 end, [1, 2]), lists:seq(10, 1, -3), lists:split(1, [a, b]), lists:sublist([1, 2, 3], 2), lists:subtract([1, 2, 1], [1]), lists:takewhile(fun(Y) -> Y < 2 end, [1, 2, 1]), lists:unzip([{1, a}, {2, b}]), lists:unzip3([{1, a, x}]), lists:zip3([1], [2], [3]), lists:zipwith(fun(A, B) -> A + B end, [1, 2], [3, 4]), lists:zf(fun(Y) -> Y > 1 end, [1, 2]), lists:enumerate([a, b]), lists:uniq([1, 2, 1]), lists:keysearch(b, 1, [{b, 2}])}
     end},
     {lists_errors, fun() -> each([fun() -> lists:nth(0, [a]) end, fun() -> lists:nth(3, [a]) end, fun() -> lists:seq(1, a) end, fun() -> lists:last([]) end, fun() -> lists:max([]) end, fun() -> lists:zip([1], []) end, fun() -> lists:keyfind(a, 0, []) end, fun() -> lists:reverse(x) end, fun() -> lists:sort(x) end, fun() -> lists:sum([a]) end, fun() -> lists:member(a, b) end, fun() -> lists:split(3, [a]) end, fun() -> lists:map(x, [1]) end]) end},
     {maps, fun() ->
         M = #{a => 1, "b" => 2, 3 => c, 4.5 => d, {t} => e, <<"bin">> => f},
         {maps:to_list(M), maps:fold(fun(K, V, A) -> [{K, V} | A] end, [], M), maps:filtermap(fun(_, V) when is_integer(V) -> {true, V + 1}; (_, _) -> false end, M), maps:update_with(a, fun(X) -> X + 1 end, M), maps:update_with(zz, fun(X) -> X end, init, #{}), maps:without([a, 3], M), maps:intersect(M, #{a => x}), maps:intersect_with(fun(_, X, Y) -> {X, Y} end, #{a => 1}, #{a => 2}), maps:merge_with(fun(_, X, Y) -> X + Y end, #{a => 1}, #{a => 2, b => 3}), maps:groups_from_list(fun(X) -> X rem 2 end, [1, 2, 3]), maps:is_key(a, M), maps:size(M), maps:from_keys([a, b], 0), maps:get(zz, M, dflt), maps:iterator(#{a => 1}), maps:foreach(fun(_, _) -> ok end, M), maps:map(fun(K, V) -> {K, V} end, M), maps:put(a, 2, #{}), maps:new()}
     end},
     {maps_errors, fun() -> each([fun() -> maps:get(a, x) end, fun() -> maps:get(a, #{}) end, fun() -> maps:update(a, 1, #{}) end, fun() -> maps:from_list([x]) end, fun() -> maps:keys(x) end, fun() -> maps:fold(x, 0, #{}) end, fun() -> maps:update_with(a, fun(X) -> X end, #{}) end, fun() -> maps:merge(#{}, x) end]) end}].

texts() ->
    [{string_new, fun() ->
         S = "Grüße, ÅΩ€ 👍🏽 e\x{301}",
         {string:length(S), string:to_graphemes("e\x{301}x"), string:uppercase(S), string:lowercase(S), string:titlecase("ßab"), string:casefold("Straße"), string:reverse(S), string:slice(S, 3, 4), string:pad("ab", 5, both, $-), string:pad(<<"ab">>, 5, leading), string:trim("  a b \n"), string:trim("--x--", leading, "-"), string:chomp("line\r\n"), string:prefix("prefix", "pre"), string:prefix("a", "b"), string:lexemes("a,b;;c", ",;"), string:nth_lexeme("a b c", 2, " "), string:split("a.b.c", ".", trailing), string:split("a.b.c", ".", all), string:replace("a.b.c", ".", "--", all), string:find("a.b.c", ".", trailing), string:equal("a", <<"a">>), string:equal("Å", "A\x{30a}", false, nfc), string:equal("ABC", "abc", true), string:is_empty([[], <<>>]), string:next_codepoint("ab"), string:next_grapheme(<<"e", 204, 129, "x">>), string:take("aabbc", "ab"), string:take("aabbc", "c", true), string:take("xxa", "x", false, trailing), string:concat("a", "b")}
     end},
     {string_binary, fun() -> {string:uppercase(<<"grüße"/utf8>>), string:length(<<"grüße"/utf8>>), string:split(<<"a-b-c">>, <<"-">>, all), string:trim(<<"  x ">>), string:lexemes(<<"a b  c">>, " "), string:replace(<<"abc">>, <<"b">>, <<"x">>), string:reverse(<<"abc">>), string:slice(<<"hello">>, 2), string:find(<<"hello">>, <<"ll">>), string:lowercase(["A", <<"B">>, $C])} end},
     {string_old, fun() -> {string:len("abc"), string:chr("abcb", $b), string:rchr("abcb", $b), string:rstr("abab", "ab"), string:span("aab", "a"), string:cspan("aab", "b"), string:substr("hello", 2, 3), string:sub_word("a b c", 2), string:words("a b c"), string:strip("  a "), string:strip("xxaxx", both, $x), string:left("ab", 4), string:right("ab", 4), string:centre("ab", 6), string:sub_string("hello", 2, 3), string:to_upper("aé"), string:to_lower("AÉ"), string:chars($x, 3), string:copies("ab", 2), string:tokens("a.b,c", ".,"), string:join([], ","), string:to_float("1e5"), string:to_integer("+5x"), string:to_integer("x"), string:to_float("-1.25e-3z"), string:to_integer(<<"77">>)} end},
     {unicode, fun() ->
         {unicode:characters_to_list([<<"å"/utf8>>, "b", [8364]]), unicode:characters_to_binary("å€", unicode, latin1), unicode:characters_to_binary([228], latin1, utf8), unicode:characters_to_binary("a€", utf8, utf16), unicode:characters_to_binary("a€", utf8, {utf16, little}), unicode:characters_to_binary("😀", utf8, utf32), unicode:characters_to_list(<<0, 97, 32, 172>>, utf16), unicode:characters_to_nfd_list("å"), unicode:characters_to_nfc_list([97, 778]), unicode:characters_to_nfkc_binary("ﬁ"), unicode:characters_to_nfkd_list("①"), unicode:characters_to_list(<<255, 1>>), unicode:characters_to_binary(<<195>>), unicode:characters_to_list([97, 16#d800]), unicode:bom_to_encoding(<<239, 187, 191, 1>>), unicode:encoding_to_bom(utf8), unicode:characters_to_binary([<<"ok">>, 16#110000]), unicode:characters_to_list(<<"å">>, latin1)}
     end},
     {base64, fun() -> {[base64:encode(binary:copy(<<"x">>, N)) || N <- lists:seq(0, 5)], base64:decode("aGVs bG8=\n"), base64:mime_decode(<<"aG-Vs*bG8=">>), base64:encode_to_string("abc"), base64:decode_to_string(<<"YWJj">>), each([fun() -> base64:decode("!!!!") end, fun() -> base64:decode("abc") end, fun() -> base64:encode(a) end]), base64:encode(list_to_binary(lists:seq(0, 255)))} end},
     {uri_string, fun() -> {uri_string:parse("http://u:p@host:80/a/b?x=1&y=2#f"), uri_string:parse(<<"foo://[::1]:1/%C3%A5">>), uri_string:normalize("http://A.com/%7Ea/../b"), uri_string:resolve("../x", "http://h/a/b/c"), uri_string:recompose(#{scheme => "http", host => "h", path => "/p", query => "q"}), uri_string:dissect_query("a=1&b=%20+"), uri_string:compose_query([{"a", "å b"}]), uri_string:parse("ht tp://"), uri_string:quote("a b/å"), uri_string:unquote("a%20b"), uri_string:transcode("a%20b", [{out_encoding, utf32}]), uri_string:percent_decode(<<"%41">>)} end},
     {filename, fun() -> {filename:join("a", "b"), filename:join(["/a", "../b", "/c"]), filename:split("/a/b.c"), filename:basename("/a/b.erl", ".erl"), filename:dirname("/a/b"), filename:extension("x.tar.gz"), filename:rootname("x.tar.gz"), filename:pathtype("a"), filename:nativename("a/b"), filename:flatten(["a", $b]), filename:join(<<"a">>, "b")} end},
     {erl_scan, fun() -> {erl_scan:string("foo(X) -> \"a\\n\" ++ 'B c', 16#ff, 1.5e3, $x, <<1:8>>."), erl_scan:string("'unterminated"), erl_scan:reserved_word('case')} end},
     {erl_parse, fun() -> {ok, T, _} = erl_scan:string("{a, [1, 2.5, \"s\"], #{k => <<1>>}}."), {erl_parse:parse_term(T), begin {ok, T2, _} = erl_scan:string("X + foo:bar(Y)."), erl_parse:parse_exprs(T2) end, begin {ok, T3, _} = erl_scan:string("a b."), erl_parse:parse_term(T3) end} end},
     {erl_eval, fun() -> {ok, T, _} = erl_scan:string("F = fun(N) when N > 0 -> N * 2; (_) -> none end, [F(X) || X <- lists:seq(-1, 3), X =/= 1]."), {ok, E} = erl_parse:parse_exprs(T), {value, V, _} = erl_eval:exprs(E, []), V end}].

formats() ->
    Long = [{some_key, "a string value", 12345}, {another_key, <<"a binary">>, [1, 2, 3]}, {third, #{map => value, other => "text"}, {nested, {deep, {er, [still, more, elements, here]}}}}],
    [{format_w, fun() -> flat("~w|~10w|~-10w|~10.5w|~w|~w", [[1, "ab", {x}], abc, abc, abcdefgh, 'Quoted At', <<1, 2:3>>]) end},
     {format_p, fun() -> flat("~p~n~p~n~30p~n~5p|~10p", [Long, "printable", Long, [abc, defg], "stringstring"]) end},
     {format_p_indent, fun() -> flat("prefix: ~p suffix ~p", [Long, Long]) end},
     {format_P, fun() -> flat("~P ~W ~tP", [Long, 10, Long, 5, [8364, "x"], 3]) end},
     {format_s, fun() -> flat("~s|~10s|~-10s|~10.3s|~s|~ts|~s|~-10ts|", ["abc", "abc", "abc", "abcdef", <<"bin">>, [8364, 97], atom, <<"å"/utf8>>]) end},
     {format_f, fun() -> flat("~f|~.2f|~10.3f|~-12.1f|~.2e|~e|~.3e|~g|~.3g|~g|~g", [1.5, 2.345, 3.14159, 2.25, 12345.678, 1.0e-10, 1.0e100, 123.456, 1.0e-5, 1.0e10, 0.1]) end},
     {format_int, fun() -> flat("~b|~.16b|~.16B|~10b|~-10b|~10..0b|~x|~.8x|~.16X|~#|~.16#|~+|~.2b", [10, 255, 255, -5, 5, 42, 10, "0x", 8, "o", 255, "0x", 16, 255, 17, -1]) end},
     {format_int2, fun() -> flat("~.16#|~.8#|~.16+|~.36B|~.2b|~16.16.0b", [255, 8, 255, 123456, 5, 48879]) end},
     {format_c, fun() -> flat("~c|~3c|~5.2c|~tc|~-5c|", [$a, $b, $c, 8364, $d]) end},
     {format_i, fun() -> flat("~i~w|~n~~", [skipped, x]) end},
     {format_star, fun() -> flat("~*w|~*.*f|~.*e", [5, a, 10, 2, 1.5, 3, 2.0]) end},
     {format_pad, fun() -> flat("~5.5.*w|~8..-s|~10.10.xs", [$_, a, "ab", "cd"]) end},
     {format_k, fun() -> flat("~w ~p", [#{b => 1, a => 2}, #{z => 1}]) end},
     {format_l, fun() -> flat("~lp ~lw", ["abc", "abc"]) end},
     {format_t, fun() -> flat("~tp ~tw ~p ~tp ~tp", ["å€", 'å€', "å€", <<"å€"/utf8>>, [1, 8364]]) end},
     {format_p_atoms, fun() -> flat("~p", [[a, 'A', 'a b', '', 'été', 'a@b', 'with\'quote', 'new\nline', 'end', 'and', '_x', [], '[]', '{}']]) end},
     {format_p_strings, fun() -> flat("~p ~p ~p ~p ~p", ["a\tb\"c\\", [0, 1], [$a, 200], <<"text\n">>, <<1, 2, 200>>]) end},
     {format_p_numbers, fun() -> flat("~p ~p ~p ~p ~p ~p", [1.0, 0.1, 1.0e22, 1 bsl 80, -0.0, 123456789.123]) end},
     {format_p_maps, fun() -> flat("~p ~p", [#{}, #{a => #{b => "text"}, {k} => [1], 1 => 2.0}]) end},
     {format_p_binary, fun() -> flat("~p~n~p", [<<"a long binary text that needs to be broken over several lines because it is too long for one line of eighty">>, list_to_binary(lists:seq(0, 60))]) end},
     {format_p_string_break, fun() -> flat("~p", ["a long string text that needs to be broken over several lines because it is too long for one line of eighty"]) end},
     {format_chars_limit, fun() -> {lists:flatten(io_lib:format("~p", [Long], [{chars_limit, 40}])), lists:flatten(io_lib:format("~w and ~s", [Long, "text"], [{chars_limit, 30}]))} end},
     {format_errors, fun() -> each([fun() -> io_lib:format("~s", [1]) end, fun() -> io_lib:format("~w", []) end, fun() -> io_lib:format("x", [1]) end, fun() -> io_lib:format("~q", [1]) end, fun() -> io_lib:format("~f", [a]) end, fun() -> io_lib:format("~b", [1.5]) end, fun() -> io_lib:format("~c", ["a"]) end, fun() -> io_lib:format("~s", [[8364]]) end]) end},
     {print, fun() -> lists:flatten([io_lib:print({a, "b"}), io_lib:print(Long, 5, 40, 10), io_lib:write({a, [1], <<1>>}), io_lib:write(Long, 4), io_lib:write_string("a\n"), io_lib:write_atom('a b'), io_lib:write_char($\n), io_lib:format("~s", [io_lib:write_latin1_string("å")])]) end},
     {fread, fun() -> {io_lib:fread("~d ~s ~f ~a ~c", "12 str 1.5 atom x"), io_lib:fread("~16u,~d", "ff,-7"), io_lib:fread("~d", "x"), io_lib:fread("~d ~d", "5"), io_lib:fread("~*d~l", "3")} end},
     {io_lib, fun() -> {io_lib:printable_list("abc"), io_lib:printable_list([1]), io_lib:printable_unicode_list([8364]), io_lib:printable_latin1_list([200]), io_lib:char_list([8364]), io_lib:deep_char_list(["a", [98]]), io_lib:quote_atom('A', []), io_lib:indentation("ab\nc", 2), io_lib:nl(), io_lib:latin1_char_list([255]), io_lib:limit_term(Long, 2), io_lib:scan_format("~5p x", [a]), io_lib:unscan_format(io_lib:scan_format("~5p x", [a])), io_lib:build_text(io_lib:scan_format("~5p x", [a]))} end},
     {error_format, fun() -> lists:flatten(erl_error:format_exception(error, {badmatch, 3}, [{m, f, 2, [{file, "m.erl"}, {line, 7}]}])) end},
     {pretty_printer, fun() -> {ok, T, _} = erl_scan:string("f(X) when X > 1 -> case X of 2 -> [a | b]; _ -> #{k => X} end."), {ok, F} = erl_parse:parse_form(T), lists:flatten(erl_pp:form(F)) end}].

numbers() ->
    [{math, fun() -> each([fun() -> math:F(X) end || F <- [sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, asinh, acosh, atanh, exp, log, log2, log10, sqrt, floor, ceil], X <- [0, 1, 0.5, -2.5, 1.0e300, 710]]) end},
     {math_inverse, fun() -> {S, _} = lists:mapfoldl(fun(_, St) -> {U, St1} = rand:uniform_s(St), {each([fun() -> math:F(X) end || {F, X} <- [{asinh, (U - 0.5) * 8}, {acosh, 1 + U * 4}, {atanh, U * 2 - 1}, {asinh, U * 1.0e10}, {acosh, 1 + U * 1.0e9}, {sinh, U * 9}, {cosh, U * 9}, {tanh, U * 3}, {log2, U}, {log10, U * 1000}, {exp, U * 20}, {tan, U * 50}, {asin, U}, {acos, U}]]), St1} end, rand:seed_s(exsss, 5), lists:seq(1, 200)), S end},
     {math2, fun() -> each([fun() -> math:F(X, Y) end || F <- [pow, atan2, fmod], X <- [0, 2, -2.5], Y <- [0, 2, 0.5, -3]]) end},
     {float_text, fun() -> [{float_to_list(F), float_to_list(F, [short]), float_to_list(F, [{decimals, 4}]), float_to_list(F, [{decimals, 8}, compact]), float_to_list(F, [{scientific, 5}]), flat("~p ~w", [F, F])} || F <- [0.0, -0.0, 1.0, 0.1, 1.5e-7, 123456.789, 1.0e15, 1.0e16, 9.99999, 1.0e22, 4.35, 2.5e-3, 1.0e100]] end},
     {float_errors, fun() -> each([fun() -> list_to_float(S) end || S <- ["1", "1.", ".5", "1.5", "1.5e", "1.5e400", "-1.5E3", "+2.0", "1_0.0", " 1.0"]]) end},
     {integer_text, fun() -> each([fun() -> list_to_integer(S, B) end || {S, B} <- [{"10", 2}, {"zz", 36}, {"-7f", 16}, {"+5", 10}, {"", 10}, {"9", 8}, {"1 ", 10}, {"123456789012345678901234567890", 10}]]) ++ [integer_to_list(N, 36) || N <- [0, -35, 1 bsl 70]] end},
     {rounding, fun() -> [{round(F), trunc(F), floor(F), ceil(F)} || F <- [0.5, 1.5, -0.5, -1.5, 2.4999999999999996, 1.0e20, -1.0e20, 4503599627370497.5]] end},
     {bigs, fun() -> A = 123456789012345678901234567890, B = -987654321098765432109876543210, {A + B, A * B, A div 7, B div 7, B rem 7, A band B, A bor B, A bxor B, bnot A, A bsl 13, B bsr 13, B bsr 200, A bsl -5, -A, abs(B), A > B, A / B, float(A), A == float(A), A rem B} end},
     {compare_mixed, fun() -> [{X == Y, X < Y, X =:= Y} || X <- [1, 1.0, 9007199254740993, 1 bsl 70, 1.0e25], Y <- [1, 9007199254740992.0, 1180591620717411303424.0, 1 bsl 70, 10000000000000000905969664]] end},
     {calendar, fun() -> {calendar:gregorian_days_to_date(738000), calendar:date_to_gregorian_days(2024, 2, 29), calendar:is_leap_year(1900), calendar:last_day_of_the_month(2023, 2), calendar:iso_week_number({2021, 1, 3}), calendar:valid_date(2023, 2, 30), calendar:seconds_to_time(3661), calendar:seconds_to_daystime(100000), calendar:time_difference({{2020, 1, 1}, {0, 0, 0}}, {{2021, 3, 4}, {5, 6, 7}}), calendar:rfc3339_to_system_time("2018-02-01T16:17:58Z"), calendar:system_time_to_rfc3339(1517501878, [{offset, "Z"}]), calendar:gregorian_seconds_to_datetime(63685000000), calendar:day_of_the_week({2020, 2, 29}), calendar:system_time_to_universal_time(1517501878, second), calendar:time_to_seconds({1, 2, 3}), calendar:datetime_to_gregorian_seconds({{1970, 1, 1}, {0, 0, 0}})} end},
     {rand, fun() -> [begin S0 = rand:seed_s(Alg, 42), {X, S1} = rand:uniform_s(1000, S0), {Y, S2} = rand:uniform_s(S1), {Z, S3} = rand:normal_s(S2), {W, S4} = rand:uniform_s(1 bsl 70, S3), {B, _} = rand:bytes_s(5, S4), {Alg, X, Y, Z, W, B} end || Alg <- [exsss, exro928ss, exrop, exs1024s, exsp, exs64, exsplus, exs1024]] end},
     {rand2, fun() -> S = rand:seed_s(exsss, {1, 2, 3}), {rand:export_seed_s(S), rand:export_seed_s(rand:jump(S)), rand:uniform_real_s(S), rand:normal_s(1.0, 2.0, S), rand:mwc59(123), rand:exsp_next(rand:exsp_jump([1 | 2]))} end},
     {random, fun() -> random:seed(1, 2, 3), {random:uniform(), random:uniform(100), random:uniform_s({1, 2, 3})} end}].

binaries() ->
    B = <<"the quick brown fox jumps over the lazy dog">>,
    [{match, fun() -> {binary:match(B, <<"fox">>), binary:match(B, [<<"dog">>, <<"qu">>]), binary:match(B, <<"none">>), binary:matches(B, <<"the">>), binary:matches(B, [<<"o">>, <<"ow">>, <<"own">>]), binary:match(B, <<"the">>, [{scope, {1, 40}}]), binary:match(B, <<"o">>, [{scope, {byte_size(B), -5}}]), binary:matches(<<"aaaa">>, <<"aa">>)} end},
     {match_errors, fun() -> each([fun() -> binary:match(B, <<>>) end, fun() -> binary:replace(<<"aab">>, <<"a">>, fun(X) -> <<"<", X/binary, ">">> end, [global]) end, fun() -> binary:match(x, <<"a">>) end, fun() -> binary:match(B, []) end, fun() -> binary:match(B, <<"a">>, [{scope, {0, 100}}]) end, fun() -> binary:matches(<<1:3>>, <<"a">>) end]) end},
     {split, fun() -> {binary:split(B, <<" ">>), binary:split(B, [<<" ">>, <<"o">>], [global]), binary:split(<<",a,,b,">>, <<",">>, [global]), binary:split(<<",a,,b,">>, <<",">>, [global, trim]), binary:split(<<",a,,b,">>, <<",">>, [global, trim_all]), binary:split(<<",a,">>, <<",">>, [{scope, {1, 2}}]), binary:split(<<>>, <<",">>), binary:split(<<>>, <<",">>, [trim])} end},
     {replace, fun() -> {binary:replace(B, <<"the">>, <<"THE">>), binary:replace(B, [<<"o">>, <<"e">>], <<"[]">>, [global, {insert_replaced, 1}]), binary:replace(B, <<"o">>, <<"0">>, [global]), binary:replace(B, <<"q">>, <<"12">>, [{insert_replaced, [0, 1]}]), binary:replace(B, <<"zz">>, <<>>)} end},
     {parts, fun() -> {binary:part(B, 4, 5), binary:part(B, {9, -5}), binary_part(B, 0, 3), binary:first(B), binary:last(B), binary:bin_to_list(B, 0, 3), binary:bin_to_list(B, {3, -3}), binary:list_to_bin([1, <<2>>]), binary:longest_common_suffix([<<"erlang">>, <<"fang">>]), binary:encode_hex(<<1, 171, 255>>), binary:decode_hex(<<"01abFF">>), binary:encode_unsigned(1 bsl 70, little), binary:decode_unsigned(<<1, 2, 3>>, little), binary:copy(B, 0)} end},
     {part_errors, fun() -> each([fun() -> binary:part(B, 40, 10) end, fun() -> binary:at(B, 99) end, fun() -> binary:first(<<>>) end, fun() -> binary:encode_unsigned(-1) end, fun() -> binary:decode_hex(<<"0">>) end, fun() -> binary:copy(B, -1) end, fun() -> binary:longest_common_prefix([]) end, fun() -> split_binary(B, 100) end, fun() -> list_to_binary([256]) end, fun() -> iolist_to_binary(a) end, fun() -> binary_to_list(B, 0, 1) end]) end},
     {iolists, fun() -> {iolist_to_binary([1, [<<"a">> | <<"tail">>]]), iolist_size(["abc" | <<"d">>]), list_to_binary([[], <<>>]), list_to_bitstring([<<1:1>>, <<2:2>>, 7]), bitstring_to_list(<<1, 2, 3:4>>), binary_to_list(B, 1, 3), split_binary(<<1, 2, 3>>, 1)} end},
     {terms, fun() -> [binary_to_term(term_to_binary(T, O)) =:= T || T <- [a, 1.5, [1, 2 | x], #{a => "s"}, 1 bsl 100, <<3:5>>, {}, "", fun lists:map/2], O <- [[], [{minor_version, 1}], [{minor_version, 2}]]] end},
     {term_bytes, fun() -> [term_to_binary(T, O) || T <- [a, 1.5, "abc", {b, [c]}], O <- [[], [{minor_version, 1}], [{minor_version, 2}], []]] ++ [erlang:external_size(T) || T <- [a, {b, 1.0}]] ++ [iolist_to_binary(erlang:term_to_iovec({x, [y]}))] end},
     {zlib_like, fun() -> {erlang:crc32(B), erlang:crc32(5, B), erlang:crc32_combine(erlang:crc32(<<"ab">>), erlang:crc32(<<"cd">>), 2), erlang:adler32(B), erlang:adler32_combine(erlang:adler32(<<"ab">>), erlang:adler32(<<"cd">>), 2), erlang:md5(B), erlang:md5_final(erlang:md5_update(erlang:md5_init(), B)), erlang:phash(B, 100), erlang:phash2(B), erlang:phash2(#{a => B}, 1000)} end},
     {decode_packet, fun() -> {erlang:decode_packet(line, <<"a\nb">>, []), erlang:decode_packet(2, <<0, 3, "abcd">>, []), erlang:decode_packet(4, <<0, 0>>, []), erlang:decode_packet(0, <<"ab">>, []), erlang:decode_packet(line, <<"abc">>, []), erlang:decode_packet(1, <<2, 1, 2, 3>>, []), erlang:decode_packet(raw, <<>>, []), erlang:decode_packet(4, <<0, 0, 0, 9, 1>>, [])} end}].

others() ->
    [{ets_text, fun() -> T = ets:new(t, [ordered_set, public]), ets:insert(T, [{I, I * I, #{k => I}} || I <- lists:seq(1, 6)]),
         MS = [{{'$1', '$2', '_'}, [{'>', '$2', 3}], ['$1']}], R = {ets:select(T, MS, 2) =/= '$end_of_table', ets:select_reverse(T, MS), ets:match_delete(T, {3, '_', '_'}), ets:select_replace(T, [{{'$1', '$2', '$3'}, [{'<', '$1', 3}], [{{'$1', {'+', '$2', 100}, '$3'}}]}]), ets:tab2list(T), ets:foldr(fun({K, _, _}, A) -> [K | A] end, [], T), ets:slot(T, 0), ets:lookup_element(T, 2, 2), ets:info(T, keypos), ets:test_ms({1, 2}, [{{'$1', '_'}, [], ['$1']}]), ets:rename(T, new) =:= T, ets:delete_all_objects(T), ets:info(T, size)}, ets:delete(T), R end},
     {ets_more, fun() -> T = ets:new(t, [ordered_set]), ets:insert(T, [{I, a} || I <- lists:seq(1, 7)]), C0 = ets:select(T, [{{'$1', a}, [], ['$1']}], 3), {A, C1} = C0, {B, C2} = ets:select(C1), D = ets:select(C2), {E, _} = ets:match(T, {'$1', '_'}, 2), {F, _} = ets:match_object(T, {'$1', '_'}, 2), {G, _} = ets:select_reverse(T, [{{'$1', a}, [], ['$1']}], 3), M = ets:match_spec_run([{1, x}, {2, y}], ets:match_spec_compile([{{'$1', y}, [], ['$1']}])), L = ets:tab2list(T), {ets:safe_fixtable(T, true), A, B, D, E, F, G, M, L, ets:whereis(nope), ets:member(T, 3), ets:delete(T)} end},
     {ets_specs, fun() -> T = ets:new(t, [set]), ets:insert(T, [{a, 1, [x, y]}, {b, 2.5, {p, q}}, {"c", -3, #{m => 1}}]), R = [try lists:sort(ets:select(T, [{{'$1', '$2', '$3'}, Guard, [Body]}])) catch error:E -> E end || {Guard, Body} <- [{[{is_atom, '$1'}], '$_'}, {[{'orelse', {'<', '$2', 0}, {'==', '$1', a}}], '$$'}, {[{'andalso', true, {is_float, '$2'}}], {{'$1', {'*', '$2', 2}}}}, {[{'not', {is_list, '$1'}}], {abs, '$2'}}, {[{is_tuple, '$3'}], {element, 1, '$3'}}, {[{is_map, '$3'}], {map_size, '$3'}}, {[], {const, {x}}}, {[{'=/=', '$1', {const, a}}], '$2'}, {[{is_list, '$3'}], {hd, '$3'}}, {[{'>', {length, '$3'}, 1}], {self}}, {[{'xor', true, {is_number, '$2'}}], 1}, {[{is_record, '$3', p, 2}], ok}]], ets:delete(T), [case X of [P] when is_pid(P) -> pid; _ -> X end || X <- R] end},
     {erlang_info, fun() -> {erlang:tuple_to_list({1}), erlang:max(a, 1), erlang:min([], {}), erlang:is_builtin(erlang, self, 0), erlang:function_exported(lists, map, 2), erlang:function_exported(lists, nope, 2), erlang:fun_info(fun lists:map/2), erlang:system_info(wordsize), erlang:convert_time_unit(5, second, millisecond), erlang:is_map_key(a, #{a => 1}), erlang:binary_to_existing_atom(<<"lists">>), erlang:list_to_existing_atom("lists"), erlang:node(), erlang:is_alive(), erlang:nodes(), erlang:get_cookie(), erlang:bump_reductions(1)} end},
     {modules, fun() -> F = fun(X) -> {X, ok} end, {[M:module_info(md5) || M <- [lists, gen_server, maps, ?MODULE, string, sofs]], erlang:fun_info(F, new_uniq), erlang:fun_info(F, uniq), erlang:fun_info(F, type), erlang:fun_info(F, arity), erlang:fun_info(F, new_index), lists:member({map, 2}, lists:module_info(exports)), proplists:get_value(vsn, lists:module_info(attributes)), erlang:phash2(F)} end},
     {errors, fun() -> each([fun() -> erlang:error(a, [1]) end, fun() -> erlang:exit(b) end, fun() -> list_to_atom([300000000]) end, fun() -> binary_to_existing_atom(<<"no_such_atom_at_all_xyz">>) end, fun() -> tuple_size([]) end, fun() -> element(0, {a}) end, fun() -> setelement(2, {a}, b) end, fun() -> erlang:make_tuple(-1, a) end, fun() -> list_to_tuple(a) end, fun() -> erlang:append_element(a, b) end, fun() -> hd(a) end, fun() -> apply(a, b, c) end, fun() -> apply(fun(X) -> X end, []) end, fun() -> is_record({a}, 1) end, fun() -> binary_to_term(<<131, 255>>) end, fun() -> atom_to_binary(1) end, fun() -> integer_to_list(a) end, fun() -> list_to_pid("x") end]) end},
     {code, fun() -> {code:ensure_loaded(lists), code:which(no_such_module_here), code:is_loaded(no_such_module_here), code:ensure_loaded(no_such_module_here)} end},
     {os, fun() -> {os:type(), is_integer(os:system_time()), is_tuple(os:timestamp()), os:getenv("NO_SUCH_VARIABLE_HERE"), os:getenv("NO_SUCH_VARIABLE_HERE", "default")} end},
     {timer, fun() -> {timer:seconds(2), timer:minutes(1), timer:hours(1), timer:hms(1, 2, 3), element(2, timer:tc(fun() -> x end)), timer:sleep(1), element(1, timer:send_after(1, x)), receive x -> got end, timer:now_diff({0, 1, 5}, {0, 0, 2})} end},
     {lists_in_lists, fun() -> {ok, lists:foldl(fun(X, Acc) -> maps:update_with(X rem 3, fun(V) -> [X | V] end, [X], Acc) end, #{}, lists:seq(1, 10))} end},
     {pg_like, fun() -> {erlang:system_time(second) > 0, erlang:monotonic_time() =< erlang:monotonic_time(), is_integer(erlang:unique_integer([positive])), erlang:time_offset() =/= none, size(erlang:localtime()), tuple_size(erlang:now())} end}].
