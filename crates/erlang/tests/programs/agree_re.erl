%% Regular expressions: a table, and random ones. What they give must be the same here and in the installed Erlang.
-module(agree_re).
-export([run/0]).

run() ->
    lists:foreach(fun({Subject, Pattern, Options}) ->
        line({Subject, Pattern, Options}, fun() -> re:run(Subject, Pattern, Options) end)
    end, table()),
    [line({error, P}, fun() -> {error, _} = re:compile(P) end) || P <- wrong()],
    lists:foreach(fun({What, F}) -> line(What, F) end, calls()),
    random(5000, rand:seed_s(exsss, 7)),
    done.

line(What, F) ->
    R = try F() catch C:E -> {C, E} end,
    io:format("~w: ~w~n", [What, R]).

table() ->
    [{S, P, []} || {S, Ps} <- [
        {"abcabc", ["b", "(b)(c)", "^abc$", "(abc)\\1", "(?:abc){2}", "a.c", "x|b|a", "(x)?b", "(x)?b(c)", "(a)|(b)", "c$", "\\Aabc", "abc\\z", "abc\\Z", "b*", "", "(?=abc)", "(?!abc)b", "(?<=a)b", "(?<!a)b", "(?<=ab|c)a", "(?>ab|abc)c", "(ab|abc)c", "a(?:b|c)*+c", "a(?:b|c)*c", "a.*?c", "a.*c", ".{3}", ".{2,4}?", ".{7}", "(?i)ABC", "(?i:A)B", "(?i:A)b", "[abc]+", "[^abc]", "[a-c]{2}", "(?<x>b)(?P<y>c)", "(?'q'a)\\k<q>", "((a)b)c", "(a(b)?)+", "(a|ab)(c|bcd)*", "(?(1)x|a)", "(a)?(?(1)b|c)", "\\Qabc\\E+", "a\\Kb", "(?#comment)b", "(((a)))", "a{0}b", "(?:)", "()", "(|a)+", "(a*)*", "(a*)+", "(?:a?)*?b", "\\x61\\x{62}", "\\141", "\\o{143}", "[\\x61-\\x62]", "\\Bb", "\\bb", "\\ba", "c\\b", "b{,2}", "a{1", "\\g1(a)", "(b)\\g{-1}", "(?s).", "(?x) a  b # c"]},
        {"a1 b2_c3-d4\n", ["\\d+", "\\D+", "\\w+", "\\W+", "\\s", "\\S+", "[[:alpha:]]+", "[[:digit:]_]+", "[^[:alnum:]]", "[[:^alpha:]]+", "[\\w-]+", "[\\d\\s]+", "\\h", "\\v", "\\R", "\\N+", "4$", "4\\Z", "4\\z", "^.*$", "[-a]+", "[a-]+", "[]a]+", "[^]a]+", "[\\]a]", "[a\\-1]+", "\\.", "[.]", "\\-", "c3(?=-)", "(\\w)(\\d)(?:\\s|_)"]},
        {"", ["", "a?", "^$", "^", "$", "\\A\\z", ".", "(a)?", "()()"]},
        {"line1\nline2\r\nline3", ["^line\\d$", "(?m)^line\\d$", "(?m)^line3$", "(?m)\\d$", "\\R", ".+", "(?s).+", "\\r?\\n", "(?m)^", "2(?=\\r)"]},
        {[228, 246, 252, $a, 223], ["\\w+", "[\\xe4-\\xf6]+", "(?i)\\xc4", "[[:upper:]]", "(?i)[[:upper:]]+", "[^\\x00-\\x7f]+"]},
        {"aaaaaaaaaa", ["a{3}", "a{3,}", "a{3,5}", "a{3,5}?", "(a{2}){2}", "(aa)*$", "a*+a", "a++b", "(?>a+)b", "^(a+)+$", "(a+)(a+)", "(a+?)(a+)", "(a)(?=(a))", "(?:(a)(a))+?$"]},
        {"foo=bar; baz = \"quoted \\\" text\"", ["(\\w+)\\s*=\\s*(\\w+)", "\"((?:[^\"\\\\]|\\\\.)*)\"", "(?<key>\\w+)=(?<val>\\w+)", ";\\s*", "([^=]+)=([^;]*)"]},
        {"2024-02-29T12:34:56Z", ["^(\\d{4})-(\\d\\d)-(\\d\\d)", "T(\\d+):(\\d+):(\\d+)(Z|[+-]\\d\\d)", "(?<y>\\d+)-(?<m>\\d+)"]}], P <- Ps]
    ++ [{"abcABCabc", P, O} || {P, Os} <- [
        {"b", [[caseless], [global], [caseless, global], [{offset, 2}], [{offset, 9}], [anchored], [{capture, none}], [{capture, first, list}], [global, {capture, all, list}]]},
        {"(a)(b)(x)?", [[{capture, all}], [{capture, all_but_first}], [{capture, [1]}], [{capture, [2, 1], binary}], [{capture, [3, 0], list}], [{capture, [7], index}], [global, {capture, all_but_first, list}], [{capture, []}], [{capture, [a]}]]},
        {"(?<one>a)(?<two>b)", [[{capture, all_names}], [{capture, [two, one], list}], [{capture, ["one", "none"], binary}], [{capture, all_names, binary}, global]]},
        {"", [[global], [global, notempty], [notempty], [notempty_atstart], [{offset, 3}]]},
        {"x*", [[global], [global, {capture, all, list}]]},
        {"^a", [[notbol], [global, multiline], [{offset, 6}]]},
        {"c$", [[noteol], [dollar_endonly]]},
        {"a b", [[extended]]}, {"A+?", [[ungreedy, caseless]]}, {".*", [[ungreedy], [global]]}, {"(a)(b)", [[no_auto_capture]]},
        {"a", [[nonsense], [global | x], [{capture, bad}], [{capture, all, bad}], [{offset, -1}]]}], O <- Os]
    ++ [{"a\nb\r\nc\rd\n", P, O} || P <- [".+", "^.", ".$", "(?m)^.", "(?m).$", "\\R", "\\N+", "c\\Z|d\\Z", "d$", "[^x]+"], O <- [[global], [global, {newline, cr}], [global, {newline, crlf}], [global, {newline, anycrlf}], [global, {newline, any}], [global, multiline], [global, bsr_anycrlf], [firstline], [global, dotall], [global, multiline, {newline, anycrlf}]]]
    ++ [{unicode:characters_to_binary([97, 228, 8364, 128512, 98, 945, 931, 962]), P, [unicode | O]} || P <- [".", "..", [228], [8364, $+], ".+", "\\w+", "\\W+", [$[, 228, $-, 8364, $], $+], [$[, $^, 8364, $]], [945, 931], [$(, $?, $i, $), 913, 963], "\\x{20ac}", "(.)(.)(.)", "b", [$(, $?, $<, $=, 8364, $), $.], "(?<=..)b", "$", "[[:alpha:]]+", "\\b.", "\\w{2}", "\\W{2,}?", "\\w", "\\W", "(\\w)+", "\\W*+", "[\\w]+"], O <- [[], [global], [{capture, all, list}], [{capture, all, binary}], [caseless, global, {capture, first, list}]]]
    ++ [{[97, 228, 8364, 98], P, [unicode, {capture, all, T}]} || P <- [[8364], ".b", "a(.)"], T <- [index, list, binary]]
    ++ [{<<255, 254>>, ".", [unicode]}, {[8364], ".", []}, {"a", [8364], []}, {a, "b", []}, {"a", b, []}, {"a", {x}, []}, {["a", <<"b">>, [$c | <<"d">>]], "b.d", []}, {"a", "(", []}, {"a", "(", [report_errors]}, {"x", "x", [report_errors]}].

wrong() -> ["(", "a)", "*", "a**", "+a", "[a", "[z-a]", "a{2,1}", "\\", "(?<n>a)(?<n>b)", "(?z)", "\\k<x>", "(?<=a*)", "[[:foo:]]", "(?<", "a{70000}", "(?P=x)", "(?(1)a|b|c)", "(a", "\\c", "(?", "x{1}{2}", "(?i", "(?#abc", "\\1", "(?<1a>x)", "[]", "[a-\\d]", "(?>", "a|*", "^*", "\\b*", "\\u0041", "(?<=a+)b", "(?<!(a|bc))d", "abc[\\x62-\\x61]x", "ab\\k<zz>", "\\g{zz}", "x\\g5", "(a)(?(2)b)", "(?:a", "((a)", "a))", "\\x{100}", "\\777", "[\\", "[a-", "(?-z)", "(a)\\2", "a{5,2}b", "(?=a", "x(?i:", "(?(1)a|b|c)()"].

calls() ->
    {ok, C} = re:compile("(b+)(?<last>c)?", [caseless]),
    {ok, U} = re:compile([228], [unicode]),
    [{compiled, fun() -> {element(1, C), element(2, C), element(3, C), element(4, C)} end},
     {compiled_run, fun() -> {re:run("abBc", C), re:run("abBc", C, [global, {capture, all, list}]), re:run("abc", C, [{capture, [last], binary}])} end},
     {compiled_options, fun() -> re:run("abc", C, [caseless]) end},
     {compiled_unicode, fun() -> {re:run([97, 228], U, [{capture, all, list}]), re:run(<<228>>, U)} end},
     {inspect, fun() -> re:inspect(C, namelist) end},
     {replace, fun() -> [re:replace("hello world", P, R, O) || {P, R, O} <- [{"o", "0", []}, {"o", "0", [global, {return, list}]}, {"(\\w+) (\\w+)", "\\2 \\1", [{return, binary}]}, {"l+", "<&>", [{return, list}]}, {"l", "\\&", [global, {return, list}]}, {"x", "y", [{return, list}]}, {"(h)(x)?", "\\2-\\g{1}-\\1", [{return, list}]}, {"", "-", [global, {return, list}]}, {"o", "", [global, {return, binary}, {offset, 5}]}, {"\\b", "|", [global, {return, list}]}]] end},
     {replace_unicode, fun() -> {re:replace([97, 8364, 98], [8364], "E", [unicode, {return, list}]), re:replace(<<"aäb"/utf8>>, "ä", [8364], [unicode, {return, binary}])} end},
     {replace_fun, fun() -> try re:replace("abc", "b", fun(W, _) -> [W, W] end, [{return, list}]) catch error:E -> E end end},
     {replace_errors, fun() -> [try re:replace(S, P, "x", O) catch error:E -> E end || {S, P, O} <- [{"a", "(", []}, {"a", "a", [{capture, all}]}, {"a", "a", [bad]}, {a, "a", []}]] end},
     {split, fun() -> [re:split("a,b;;c,d", P, O) || {P, O} <- [{",", []}, {"[,;]", [{return, list}]}, {"[,;]", [{return, list}, {parts, 2}]}, {"([,;])", [{return, list}]}, {"([,;])", [{return, list}, group]}, {"", [{return, list}]}, {"d", [{return, list}, trim]}, {"x", []}, {"(;)(;)?", [{return, list}]}, {"[,;]", [{return, binary}, trim, {parts, 0}]}]] end},
     {split_unicode, fun() -> {re:split([97, 8364, 98], [8364], [unicode, {return, list}]), re:split(<<"1ä2ä3"/utf8>>, <<"ä"/utf8>>, [unicode])} end},
     {string_like, fun() -> {re:split(" a b  c ", "\\s+", [{return, list}, trim]), re:run("key: value", "^(?<k>[^:]+):\\s*(?<v>.*)$", [{capture, [k, v], list}])} end}].

%% Random patterns over a small alphabet, run on random texts.
random(0, _) -> ok;
random(N, S0) ->
    {Depth, S1} = rand:uniform_s(3, S0),
    {P, S2} = pattern(Depth, S1),
    {Subject, S3} = text(12, S2),
    {O, S4} = pick([[], [global], [caseless], [multiline, global], [dotall], [ungreedy], [{capture, all, list}], [unicode, global]], S3),
    Flat = lists:flatten(P),
    line({N, Flat, Subject, O}, fun() -> re:run(Subject, Flat, O) end),
    random(N - 1, S4).

pick(L, S) -> {I, S1} = rand:uniform_s(length(L), S), {lists:nth(I, L), S1}.

text(Most, S) ->
    {N, S1} = rand:uniform_s(Most, S),
    lists:mapfoldl(fun(_, S2) -> pick("aaabbbcA1 \n", S2) end, S1, lists:seq(1, N)).

pattern(0, S) -> pick(["a", "b", "c", "A", ".", "\\w", "\\d", "\\s", "[ab]", "[^a]", "[a-c1]", "^", "$", "\\b", "\\B", "ab", "aa", "\\W", "[[:alpha:]]", "\\n", "x", ""], S);
pattern(D, S) ->
    {Kind, S1} = rand:uniform_s(14, S),
    {A, S2} = pattern(D - 1, S1),
    {B, S3} = pattern(D - 1, S2),
    {Q, S4} = pick(["*", "+", "?", "{2}", "{1,2}", "{0,}", "*?", "+?", "??", "{1,2}?", "*+", "?+"], S3),
    {case Kind of
        1 -> [A, B];
        2 -> [A, "|", B];
        3 -> ["(", A, ")", B];
        4 -> ["(?:", A, ")", Q, B];
        5 -> ["(", A, ")", Q];
        6 -> ["(", A, "|", B, ")", Q];
        7 -> ["(?=", A, ")", B];
        8 -> ["(?!", A, ")", B];
        9 -> ["(?>", A, ")", B];
        10 -> ["(", A, ")\\1", B];
        11 -> ["(?<=a|b)", B];
        12 -> ["(?i:", A, ")", B];
        13 -> ["(", A, ")?(?(1)", B, "|a)"];
        14 -> ["(", A, ")(", B, ")", Q, "\\1?"]
     end, S4}.

