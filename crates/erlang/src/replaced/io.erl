%% Output to the system's own devices is kept with the process that prints it: one local step. Other group leaders and
%% devices get requests of the io protocol.
-module(io).
-export([format/1, format/2, format/3, fwrite/1, fwrite/2, fwrite/3, put_chars/1, put_chars/2, nl/0, nl/1,
         write/1, write/2, columns/0, columns/1, rows/0, rows/1, setopts/1, setopts/2, getopts/0, getopts/1,
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
        false -> request(Io, {put_chars, unicode, C})
    end.
nl() -> nl(standard_io).
nl(Io) -> put_chars(Io, io_lib:nl()).
write(T) -> write(standard_io, T).
write(Io, T) -> put_text(Io, write, [T]).
put_text(Io, F, A) ->
    case is_kept(Io) of
        true -> raddle:print(unicode:characters_to_binary(apply(io_lib, F, A)));
        false -> request(Io, {put_chars, unicode, io_lib, F, A})
    end.
%% The system's own devices.
is_kept(standard_io) -> is_kept(group_leader());
is_kept(user) -> true;
is_kept(standard_error) -> true;
is_kept(Io) -> Io =:= raddle:user().
%% The io protocol, with another process.
request(standard_io, Request) -> request(group_leader(), Request);
request(Name, Request) when is_atom(Name) ->
    case whereis(Name) of
        undefined -> erlang:error(badarg);
        Pid -> request(Pid, Request)
    end;
request(Pid, Request) when is_pid(Pid) ->
    Ref = monitor(process, Pid),
    Pid ! {io_request, self(), Ref, Request},
    receive
        {io_reply, Ref, {error, arguments}} -> demonitor(Ref, [flush]), erlang:error(badarg);
        {io_reply, Ref, {error, Reason}} -> demonitor(Ref, [flush]), erlang:error(Reason);
        {io_reply, Ref, Reply} -> demonitor(Ref, [flush]), Reply;
        {'DOWN', Ref, process, _, _} -> erlang:error(terminated)
    end;
request(_, _) -> erlang:error(badarg).
columns() -> {error, enotsup}.
columns(_) -> {error, enotsup}.
rows() -> {error, enotsup}.
rows(_) -> {error, enotsup}.
setopts(_) -> ok.
setopts(_, _) -> ok.
getopts() -> [].
getopts(_) -> [].
printable_range() -> erlang:nif_error(undef).
