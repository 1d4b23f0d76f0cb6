%% Files: the same results here and in the installed Erlang. All is done in a directory of its own.
-module(agree_files).
-include_lib("kernel/include/file.hrl").
-export([run/0]).

run() ->
    Dir = "agree_files_dir",
    _ = file:del_dir_r(Dir),
    ok = file:make_dir(Dir),
    lists:foreach(fun({Name, F}) ->
        R = try F(Dir) of V -> V catch C:E -> {caught, C, E} end,
        io:format("~w: ~w~n", [Name, R])
    end, cases()),
    ok = file:del_dir_r(Dir),
    io:format("gone: ~w~n", [{filelib:is_dir(Dir), file:list_dir(Dir)}]),
    done.

in(Dir, Name) -> filename:join(Dir, Name).
with(Dir, Name, Modes, F) ->
    case file:open(in(Dir, Name), Modes) of
        {ok, Fd} -> R = F(Fd), {R, file:close(Fd)};
        Error -> Error
    end.
info({ok, I}) -> {I#file_info.type, I#file_info.size, I#file_info.access, I#file_info.links, I#file_info.mode band 8#777};
info(Other) -> Other.
sorted({ok, L}) -> {ok, lists:sort(L)};
sorted(Other) -> Other.

cases() ->
    [{write, fun(D) -> {file:write_file(in(D, "a"), "hello\n"), file:read_file(in(D, "a"))} end},
     {write_iolist, fun(D) -> {file:write_file(in(D, "a"), [<<"x">>, [$y, "z"]]), file:read_file(in(D, "a"))} end},
     {write_bad, fun(D) -> file:write_file(in(D, "a"), [foo]) end},
     {bad_name, fun(_) -> {file:read_file([]), file:read_file({x}), file:read_file("a\0b"), file:read_file(x)} end},
     {bad_name_write, fun(_) -> {file:write_file("", "x"), file:open({x}, [read]), file:delete("")} end},
     {append, fun(D) -> {file:write_file(in(D, "a"), "more", [append]), file:read_file(in(D, "a"))} end},
     {exclusive, fun(D) -> {file:write_file(in(D, "a"), "x", [exclusive]), file:write_file(in(D, "ex"), "x", [exclusive])} end},
     {raw_write, fun(D) -> {file:write_file(in(D, "r"), ["raw", $\s, <<"data">>], [raw]), file:read_file(in(D, "r"))} end},
     {missing, fun(D) -> {file:read_file(in(D, "none")), file:open(in(D, "none"), [read]), file:read_file(in(D, "a/b")),
                          file:write_file(in(D, "none/b"), "x"), file:write_file(in(D, "a/b"), "x")} end},
     {directory, fun(D) -> {file:read_file(D), file:write_file(D, "x"), file:open(D, [read]), file:open(D, [write]), file:delete(D)} end},
     {open_modes, fun(D) -> [element(1, file:open(in(D, "a"), M)) || M <- [[], [read], [raw], [raw, read], [write, read], [append]]] end},
     {cooked, fun(D) -> with(D, "c", [write], fun(Fd) ->
         [file:write(Fd, "one\ntwo\n"), io:format(Fd, "~p.~n", [{three, 3}]), file:position(Fd, cur), file:read(Fd, 3)] end) end},
     {cooked_read, fun(D) -> with(D, "c", [read], fun(Fd) ->
         [file:read(Fd, 3), file:read_line(Fd), io:get_line(Fd, ''), io:read(Fd, ''), file:read(Fd, 5), file:read(Fd, 5)] end) end},
     {cooked_binary, fun(D) -> with(D, "c", [read, binary], fun(Fd) ->
         [file:read(Fd, 3), file:read_line(Fd), io:get_line(Fd, ''), io:get_chars(Fd, '', 4), file:write(Fd, "x")] end) end},
     {position, fun(D) -> with(D, "c", [read], fun(Fd) ->
         [file:position(Fd, 4), file:read(Fd, 3), file:position(Fd, {cur, -2}), file:read(Fd, 2), file:position(Fd, eof),
          file:read(Fd, 1), file:position(Fd, bof), file:read(Fd, 1), file:position(Fd, {eof, -3}), file:read(Fd, 9),
          file:position(Fd, -1), file:position(Fd, foo)] end) end},
     {pread, fun(D) -> with(D, "c", [read, binary], fun(Fd) ->
         [file:pread(Fd, 4, 3), file:pread(Fd, 100, 3), file:pread(Fd, [{0, 3}, {4, 3}, {90, 1}]), file:pread(Fd, 0, 0)] end) end},
     {raw_read, fun(D) -> with(D, "c", [read, raw, binary], fun(Fd) ->
         [file:read(Fd, 3), file:read_line(Fd), file:read_line(Fd), file:read(Fd, 0), file:pread(Fd, 4, 3),
          file:pread(Fd, 100, 3), file:pread(Fd, 0, 0), file:pread(Fd, [{0, 3}, {90, 1}]), file:pread(Fd, -1, 2),
          file:position(Fd, {cur, 0}), file:position(Fd, -1), file:position(Fd, foo), file:position(Fd, {eof, 1}),
          file:read(Fd, 2), file:write(Fd, "x"), file:truncate(Fd), file:read(Fd, -1), file:pwrite(Fd, 0, "x")] end) end},
     {raw_list, fun(D) -> with(D, "c", [read, raw], fun(Fd) -> [file:read(Fd, 3), file:read_line(Fd), file:pread(Fd, 0, 2)] end) end},
     {raw_write_read, fun(D) -> with(D, "w", [write, read, raw, binary], fun(Fd) ->
         [file:write(Fd, "0123456789"), file:position(Fd, 3), file:write(Fd, ["ab", <<"c">>]), file:pread(Fd, 0, 20),
          file:position(Fd, 12), file:write(Fd, "!"), file:pread(Fd, 0, 20), file:position(Fd, 5), file:truncate(Fd),
          file:pread(Fd, 0, 20), file:pwrite(Fd, 1, "zz"), file:pwrite(Fd, [{0, "A"}, {4, "EE"}]), file:position(Fd, cur),
          file:position(Fd, bof), file:read(Fd, 20), file:read(Fd, 1), file:write(Fd, foo), file:sync(Fd), file:datasync(Fd),
          file:advise(Fd, 0, 0, normal)] end) end},
     {raw_append, fun(D) -> with(D, "w", [append, raw, binary], fun(Fd) ->
         [file:position(Fd, 0), file:write(Fd, "end"), file:position(Fd, cur), file:read(Fd, 1), file:read_file(in(D, "w"))] end) end},
     {closed, fun(D) -> {ok, F1} = file:open(in(D, "w"), [read, raw]), ok = file:close(F1),
         {ok, F2} = file:open(in(D, "w"), [read]), ok = file:close(F2),
         [file:read(F1, 1), file:close(F1), file:read(F2, 1), file:close(F2)] end},
     {not_mine, fun(D) -> {ok, Fd} = file:open(in(D, "w"), [read, raw]), Me = self(),
         spawn(fun() -> Me ! {got, catch file:read(Fd, 1)} end), receive {got, {'EXIT', {R, _}}} -> R; {got, R} -> R end end},
     {read_ahead, fun(D) -> with(D, "c", [read, raw, binary, {read_ahead, 4}], fun(Fd) ->
         [file:read(Fd, 2), file:position(Fd, cur), file:read(Fd, 6), file:read_line(Fd)] end) end},
     {crlf, fun(D) -> ok = file:write_file(in(D, "crlf"), "a\r\nb\rc\nd"), with(D, "crlf", [read, raw], fun(Fd) ->
         [file:read_line(Fd), file:read_line(Fd), file:read_line(Fd), file:read_line(Fd)] end) end},
     {utf8, fun(D) -> with(D, "u", [write, {encoding, utf8}], fun(Fd) -> [io:format(Fd, "~ts", [[228, 8364]]), file:write(Fd, [246])] end) end},
     {utf8_read, fun(D) -> {file:read_file(in(D, "u")), with(D, "u", [read, {encoding, utf8}], fun(Fd) -> [io:get_line(Fd, ''), io:get_line(Fd, '')] end)} end},
     {utf8_name, fun(D) -> {file:write_file(in(D, [8364]), "e"), file:read_file(in(D, <<"€"/utf8>>)), lists:member([8364], element(2, file:list_dir(D)))} end},
     {delayed, fun(D) -> with(D, "dw", [write, raw, delayed_write], fun(Fd) -> [file:write(Fd, "abc"), file:write(Fd, "def")] end) end},
     {delayed_read, fun(D) -> file:read_file(in(D, "dw")) end},
     {consult, fun(D) -> ok = file:write_file(in(D, "terms"), "{a, 1}.\n[b, \"c\"]. % x\n#{}.\n"), {file:consult(in(D, "terms")), file:consult(in(D, "none"))} end},
     {script, fun(D) -> ok = file:write_file(in(D, "s"), "X = 1,\nX + 1.\n"), {file:script(in(D, "s")), file:eval(in(D, "s"))} end},
     {path_open, fun(D) -> {ok, T, Name} = file:path_consult([in(D, "none"), D], "terms"), {T, filename:basename(Name)} end},
     {info, fun(D) -> {info(file:read_file_info(in(D, "a"))), info(file:read_file_info(in(D, "none"))), info(file:read_link_info(in(D, "a")))} end},
     {info_posix, fun(D) -> {ok, I} = file:read_file_info(in(D, "a"), [{time, posix}]), {ok, J} = file:read_file_info(in(D, "a"), [raw]),
         {is_integer(I#file_info.mtime), tuple_size(J#file_info.mtime), file:read_file_info(in(D, "a"), [{time, x}])} end},
     {info_of_handle, fun(D) -> with(D, "a", [read, raw], fun(Fd) -> info(file:read_file_info(Fd)) end) end},
     {info_of_server, fun(D) -> with(D, "a", [read], fun(Fd) -> info(file:read_file_info(Fd)) end) end},
     {change_time, fun(D) -> T = {{2001, 2, 3}, {4, 5, 6}}, R = file:change_time(in(D, "a"), T), {ok, I} = file:read_file_info(in(D, "a")),
         {R, I#file_info.mtime =:= T, I#file_info.atime =:= T, filelib:last_modified(in(D, "a")) =:= T} end},
     {change_mode, fun(D) -> {file:change_mode(in(D, "a"), 8#755), info(file:read_file_info(in(D, "a"))), file:change_mode(in(D, "none"), 8#755)} end},
     {rename, fun(D) -> {file:rename(in(D, "a"), in(D, "b")), file:read_file(in(D, "a")), file:read_file(in(D, "b")), file:rename(in(D, "a"), in(D, "c"))} end},
     {rename_over, fun(D) -> {file:rename(in(D, "b"), in(D, "c")), file:read_file(in(D, "c")), file:rename(in(D, "c"), D), file:rename(in(D, "c"), in(D, "c"))} end},
     {copy, fun(D) -> {file:copy(in(D, "c"), in(D, "d")), file:read_file(in(D, "d")), file:copy(in(D, "none"), in(D, "e")), file:copy(in(D, "c"), in(D, "d"), 2), file:read_file(in(D, "d"))} end},
     {copy_modes, fun(D) -> {file:copy(in(D, "c"), {in(D, "d"), [append]}), file:read_file(in(D, "d"))} end},
     {copy_opened, fun(D) -> with(D, "c", [read, binary], fun(Fd) -> {file:copy(Fd, in(D, "d2")), file:read_file(in(D, "d2"))} end) end},
     {link, fun(D) -> {file:make_link(in(D, "c"), in(D, "l")), info(file:read_file_info(in(D, "l"))), file:write_file(in(D, "l"), "linked"),
         file:read_file(in(D, "c")), file:make_link(in(D, "c"), in(D, "l")), file:make_link(in(D, "none"), in(D, "l2")), file:delete(in(D, "c")),
         file:read_file(in(D, "l")), info(file:read_file_info(in(D, "l")))} end},
     {deleted_while_open, fun(D) -> {ok, Fd} = file:open(in(D, "d"), [read, write, raw, binary]), R = [file:delete(in(D, "d")), file:read(Fd, 2), file:write_file(in(D, "d"), "new"),
         file:pread(Fd, 0, 2), file:read_file(in(D, "d")), file:close(Fd)], {R, file:delete(in(D, "d")), file:delete(in(D, "d"))} end},
     {directories, fun(D) -> [file:make_dir(in(D, "x")), file:make_dir(in(D, "x")), file:make_dir(in(D, "y/z")), file:make_dir(in(D, "l/z")), file:make_dir(in(D, "x/y")),
         file:write_file(in(D, "x/y/f"), "f"), file:del_dir(in(D, "x")), file:del_dir(in(D, "x/y/f")), file:list_dir(in(D, "x")), file:rename(in(D, "x"), in(D, "new")),
         file:read_file(in(D, "new/y/f")), file:read_file(in(D, "x/y/f")), file:rename(in(D, "new"), in(D, "new/y/n")), file:rename(in(D, "new"), in(D, "l")),
         file:del_dir(in(D, "none")), file:read_file(in(D, "new/y/../y/f")), file:read_file(in(D, "new/n/../y/f")), file:list_dir(in(D, "l"))] end},
     {ensure_dir, fun(D) -> {filelib:ensure_dir(in(D, "p/q/r")), filelib:is_dir(in(D, "p/q")), filelib:is_file(in(D, "p/q/r")), filelib:is_regular(in(D, "l")), filelib:file_size(in(D, "l"))} end},
     {list, fun(D) -> sorted(file:list_dir(D)) end},
     {wildcard, fun(D) -> {filelib:wildcard(in(D, "*r*")), filelib:wildcard("n*/**/f", D), filelib:fold_files(D, "^.$", true, fun(F, A) -> lists:sort([filename:basename(F) | A]) end, [])} end},
     {cwd, fun(D) -> {ok, Old} = file:get_cwd(), R = [file:set_cwd(D), file:read_file("l"), filename:basename(element(2, file:get_cwd())), file:set_cwd("none"), file:set_cwd("l")],
         {R, file:set_cwd(Old), file:get_cwd("C:"), file:get_cwd("x")} end},
     {del_dir_r, fun(D) -> {file:del_dir_r(in(D, "new")), filelib:is_dir(in(D, "new")), file:del_dir_r(in(D, "new"))} end},
     {tell_error, fun(_) -> {file:format_error(enoent), file:format_error(badarg)} end},
     {name, fun(_) -> {file:native_name_encoding(), filename:absname("x", "/y")} end},
     {on_disk, fun(_) -> F = code:which(?MODULE), {ok, B} = file:read_file(F), {ok, I} = file:read_file_info(F),
         {byte_size(B) =:= I#file_info.size, element(1, file:open(F, [read, raw])), filelib:is_file(F)} end}].
