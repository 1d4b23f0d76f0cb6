%% Output to the system's own devices is kept with the process that prints it: one local step. Other group leaders and
%% devices get requests of the io protocol.
-module(io).
-export([format/1, format/2, format/3, fwrite/1, fwrite/2, fwrite/3, put_chars/1, put_chars/2, nl/0, nl/1,
         write/1, write/2, get_chars/2, get_chars/3, get_line/1, get_line/2, read/1, read/2, read/3, read/4,
         fread/2, fread/3, scan_erl_exprs/1, scan_erl_exprs/2, scan_erl_exprs/3, scan_erl_exprs/4,
         scan_erl_form/1, scan_erl_form/2, scan_erl_form/3, scan_erl_form/4,
         parse_erl_exprs/1, parse_erl_exprs/2, parse_erl_exprs/3, parse_erl_exprs/4,
         request/1, request/2, requests/1, requests/2, parse_erl_form/1, parse_erl_form/2, parse_erl_form/3, parse_erl_form/4, columns/0, columns/1, rows/0, rows/1, setopts/1, setopts/2, getopts/0, getopts/1,
         printable_range/0]).
format(F) -> format(F, []).
format(F, A) -> format(standard_io, F, A).
format(Io, F, A) -> put_text(Io, format, [F, A]).
fwrite(F) -> format(F, []).
fwrite(F, A) -> format(F, A).
fwrite(Io, F, A) -> format(Io, F, A).
put_chars(C) -> put_chars(standard_io, C).
put_chars(Io, C) ->
    case is_kept(Io) of
        true -> raddle:print(unicode:characters_to_binary(C));
        false -> output(Io, {put_chars, unicode, C})
    end.
nl() -> nl(standard_io).
nl(Io) -> put_chars(Io, io_lib:nl()).
write(T) -> write(standard_io, T).
write(Io, T) -> put_text(Io, write, [T]).
put_text(Io, F, A) ->
    case is_kept(Io) of
        true -> raddle:print(unicode:characters_to_binary(apply(io_lib, F, A)));
        false -> output(Io, {put_chars, unicode, io_lib, F, A})
    end.
%% Input, of other devices than the system's.
input(Io, Request) ->
    case is_kept(Io) of
        true -> raddle_native:unsupported_call('input from standard input');
        false -> request(Io, Request)
    end.
get_chars(Prompt, N) -> get_chars(standard_io, Prompt, N).
get_chars(Io, Prompt, N) when is_integer(N), N >= 0 -> input(Io, {get_chars, unicode, Prompt, N}).
get_line(Prompt) -> get_line(standard_io, Prompt).
get_line(Io, Prompt) -> input(Io, {get_line, unicode, Prompt}).
fread(Prompt, Format) -> fread(standard_io, Prompt, Format).
fread(Io, Prompt, Format) -> input(Io, {fread, Prompt, Format}).
read(Prompt) -> read(standard_io, Prompt).
read(Io, Prompt) ->
    case tokens(Io, Prompt, [1]) of
        {ok, Tokens, _} -> erl_parse:parse_term(Tokens);
        {error, Error, _} -> {error, Error};
        {eof, _} -> eof;
        Other -> Other
    end.
read(Io, Prompt, At) -> read(Io, Prompt, At, []).
read(Io, Prompt, At, Options) -> parsed(tokens(Io, Prompt, [At, Options]), fun erl_parse:parse_term/1).
tokens(Io, Prompt, Args) -> input(Io, {get_until, unicode, Prompt, erl_scan, tokens, Args}).
parsed({ok, Tokens, End}, Parse) ->
    case Parse(Tokens) of
        {ok, Parsed} -> {ok, Parsed, End};
        {error, Error} -> {error, Error, End}
    end;
parsed(Other, _) -> Other.
scan_erl_exprs(Prompt) -> scan_erl_exprs(standard_io, Prompt).
scan_erl_exprs(Io, Prompt) -> scan_erl_exprs(Io, Prompt, 1).
scan_erl_exprs(Io, Prompt, At) -> scan_erl_exprs(Io, Prompt, At, []).
scan_erl_exprs(Io, Prompt, At, Options) -> tokens(Io, Prompt, [At, Options]).
scan_erl_form(Prompt) -> scan_erl_form(standard_io, Prompt).
scan_erl_form(Io, Prompt) -> scan_erl_form(Io, Prompt, 1).
scan_erl_form(Io, Prompt, At) -> scan_erl_form(Io, Prompt, At, []).
scan_erl_form(Io, Prompt, At, Options) -> tokens(Io, Prompt, [At, Options]).
parse_erl_exprs(Prompt) -> parse_erl_exprs(standard_io, Prompt).
parse_erl_exprs(Io, Prompt) -> parse_erl_exprs(Io, Prompt, 1).
parse_erl_exprs(Io, Prompt, At) -> parse_erl_exprs(Io, Prompt, At, []).
parse_erl_exprs(Io, Prompt, At, Options) -> parsed(tokens(Io, Prompt, [At, Options]), fun erl_parse:parse_exprs/1).
parse_erl_form(Prompt) -> parse_erl_form(standard_io, Prompt).
parse_erl_form(Io, Prompt) -> parse_erl_form(Io, Prompt, 1).
parse_erl_form(Io, Prompt, At) -> parse_erl_form(Io, Prompt, At, []).
parse_erl_form(Io, Prompt, At, Options) -> parsed(tokens(Io, Prompt, [At, Options]), fun erl_parse:parse_form/1).
%% The system's own devices.
is_kept(standard_io) -> is_kept(group_leader());
is_kept(user) -> true;
is_kept(standard_error) -> true;
is_kept(Io) -> Io =:= raddle:user().
%% Requests of the io protocol. The system's own devices take output alone.
request(Request) -> request(standard_io, Request).
request(standard_io, Request) -> request(group_leader(), Request);
request(Io, Request) ->
    case is_kept(Io) of
        true -> keep(request_of(Request));
        false -> ask(Io, request_of(Request))
    end.
requests(Requests) -> requests(standard_io, Requests).
requests(standard_io, Requests) -> requests(group_leader(), Requests);
requests(Io, Requests) ->
    case is_kept(Io) of
        true -> kept(Requests);
        false -> ask(Io, {requests, [request_of(R) || R <- Requests]})
    end.
kept([]) -> ok;
kept([{requests, Requests} | Rest]) -> kept(Requests ++ Rest);
kept([Request | Rest]) ->
    case keep(request_of(Request)) of
        ok -> kept(Rest);
        Error -> Error
    end.
keep({put_chars, unicode, M, F, A}) -> keep({put_chars, unicode, apply(M, F, A)});
keep({put_chars, Encoding, Chars}) -> raddle:print(unicode:characters_to_binary(Chars, Encoding));
keep(_) -> raddle_native:unsupported_call('such a request of the io protocol to a device of the system').
request_of({write, Term}) -> {put_chars, unicode, io_lib, write, [Term]};
request_of({format, Format, Args}) -> {put_chars, unicode, io_lib, format, [Format, Args]};
request_of({fwrite, Format, Args}) -> {put_chars, unicode, io_lib, fwrite, [Format, Args]};
request_of(nl) -> {put_chars, unicode, io_lib:nl()};
request_of({put_chars, Encoding, Chars}) when is_list(Chars) ->
    case catch unicode:characters_to_binary(Chars, Encoding) of
        Binary when is_binary(Binary) -> {put_chars, Encoding, Binary};
        _ -> {put_chars, Encoding, Chars}
    end;
request_of({fread, Prompt, Format}) -> {get_until, unicode, Prompt, io_lib, fread, [Format]};
request_of({requests, Requests}) -> {requests, [request_of(R) || R <- Requests]};
request_of(Request) -> Request.
%% With another process.
ask(Pid, _) when Pid =:= self() -> {error, calling_self};
ask(Name, Request) when is_atom(Name) ->
    case whereis(Name) of
        undefined -> {error, arguments};
        Pid -> ask(Pid, Request)
    end;
ask(Pid, Request) when is_pid(Pid) ->
    Ref = monitor(process, Pid),
    Pid ! {io_request, self(), Ref, Request},
    receive
        {io_reply, Ref, Reply} -> demonitor(Ref, [flush]), Reply;
        {'DOWN', Ref, process, _, _} ->
            receive {'EXIT', Pid, _} -> ok after 0 -> ok end,
            {error, terminated}
    end;
ask(_, _) -> erlang:error(badarg).
%% Output, of which an error is raised.
output(Io, Request) ->
    case request(Io, Request) of
        {error, terminated} -> erlang:error(terminated);
        {error, calling_self} -> erlang:error(calling_self);
        {error, {no_translation, _, _}} -> erlang:error(no_translation);
        {error, _} -> erlang:error(badarg);
        Reply -> Reply
    end.
columns() -> {error, enotsup}.
columns(_) -> {error, enotsup}.
rows() -> {error, enotsup}.
rows(_) -> {error, enotsup}.
setopts(Options) -> setopts(standard_io, Options).
setopts(Io, Options) -> case is_kept(Io) of true -> ok; false -> request(Io, {setopts, Options}) end.
getopts() -> getopts(standard_io).
getopts(Io) -> case is_kept(Io) of true -> []; false -> request(Io, getopts) end.
printable_range() -> erlang:nif_error(undef).
