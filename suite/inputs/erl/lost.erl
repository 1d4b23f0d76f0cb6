%% An update may be lost. It needs no module of OTP.
-module(lost).
-export([update_test/0]).

update_test() ->
    S = self(),
    Counter = spawn(fun() -> counter(0) end),
    Add = fun(N) ->
        Counter ! {get, self()},
        receive {value, V} -> Counter ! {set, V + N}, S ! done end
    end,
    spawn(fun() -> Add(1) end),
    spawn(fun() -> Add(2) end),
    receive done -> ok end,
    receive done -> ok end,
    Counter ! {get, self()},
    receive {value, 3} -> ok end.

counter(N) ->
    receive
        {get, Who} -> Who ! {value, N}, counter(N);
        {set, M} -> counter(M)
    end.
