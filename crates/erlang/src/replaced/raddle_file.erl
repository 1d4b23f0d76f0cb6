%% What OTP's file server does, in the process that asks for it: `file` calls this instead of its server.
-module(raddle_file).
-export([call/3]).
call(file_server_2, Request, infinity) -> handle(Request).
handle({open, Name, Modes}) when is_list(Modes) -> file_io_server:start(self(), Name, Modes);
handle({open, _, _}) -> {error, einval};
handle({copy, From, [], To, [], Length}) -> prim_file:copy_file(From, To, Length);
handle({copy, From, FromModes, To, ToModes, Length}) ->
    case prim_file:open(From, [read, binary | FromModes]) of
        {ok, Source} ->
            Copied = copy_to(Source, To, ToModes, Length),
            prim_file:close(Source),
            Copied;
        Error -> Error
    end;
handle(get_cwd) -> prim_file:get_cwd();
handle(Request) ->
    [Function | Args] = tuple_to_list(Request),
    apply(prim_file, Function, Args).
copy_to(Source, To, Modes, Length) ->
    case prim_file:open(To, [write, binary | Modes]) of
        {ok, Target} ->
            Copied = file:copy_opened(Source, Target, Length),
            prim_file:close(Target),
            Copied;
        Error -> Error
    end.
