%% Output is kept with the process that prints it: one local step, no io protocol.
-module(io).
-export([format/1, format/2, format/3, fwrite/1, fwrite/2, fwrite/3, put_chars/1, put_chars/2, nl/0, nl/1,
         write/1, write/2, columns/0, columns/1, rows/0, rows/1, setopts/1, setopts/2, getopts/0, getopts/1,
         printable_range/0]).
format(F) -> format(F, []).
format(F, A) -> raddle:print(unicode:characters_to_binary(io_lib:format(F, A))).
format(_, F, A) -> format(F, A).
fwrite(F) -> format(F, []).
fwrite(F, A) -> format(F, A).
fwrite(_, F, A) -> format(F, A).
put_chars(C) -> raddle:print(unicode:characters_to_binary(C)).
put_chars(_, C) -> put_chars(C).
nl() -> raddle:print(<<"\n">>).
nl(_) -> nl().
write(T) -> format("~w", [T]).
write(_, T) -> write(T).
columns() -> {error, enotsup}.
columns(_) -> {error, enotsup}.
rows() -> {error, enotsup}.
rows(_) -> {error, enotsup}.
setopts(_) -> ok.
setopts(_, _) -> ok.
getopts() -> [].
getopts(_) -> [].
printable_range() -> erlang:nif_error(undef).
