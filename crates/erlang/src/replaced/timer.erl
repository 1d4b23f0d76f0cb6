%% Timers without a timer server: each is one of the runtime's own, or a process that waits.
-module(timer).
-export([sleep/1, send_after/2, send_after/3, apply_after/4, exit_after/2, exit_after/3, kill_after/1,
         kill_after/2, send_interval/2, send_interval/3, apply_interval/4, cancel/1, tc/1, tc/2, tc/3,
         seconds/1, minutes/1, hours/1, hms/3, now_diff/2, start/0, start_link/0]).
start() -> ok.
start_link() -> ignore.
sleep(T) -> receive after T -> ok end.
send_after(T, M) -> send_after(T, self(), M).
send_after(T, P, M) when is_integer(T), T >= 0 -> {ok, {once, erlang:send_after(T, P, M)}};
send_after(_, _, _) -> {error, badarg}.
exit_after(T, R) -> exit_after(T, self(), R).
exit_after(T, P, R) -> apply_after(T, erlang, exit, [P, R]).
kill_after(T) -> exit_after(T, kill).
kill_after(T, P) -> exit_after(T, P, kill).
apply_after(T, M, F, A) when is_integer(T), T >= 0 ->
    {ok, {instant, spawn(fun() -> receive '$cancel' -> ok after T -> apply(M, F, A) end end)}};
apply_after(_, _, _, _) -> {error, badarg}.
send_interval(T, M) -> send_interval(T, self(), M).
send_interval(T, P, M) when is_integer(T), T >= 0 ->
    Pid = if is_atom(P) -> whereis(P); true -> P end,
    {ok, {interval, spawn(fun() -> R = monitor(process, Pid), interval(T, R, fun() -> P ! M end) end)}};
send_interval(_, _, _) -> {error, badarg}.
apply_interval(T, M, F, A) when is_integer(T), T >= 0 ->
    Me = self(),
    Apply = fun() -> spawn(M, F, A) end,
    {ok, {interval, spawn(fun() -> R = monitor(process, Me), interval(T, R, Apply) end)}};
apply_interval(_, _, _, _) -> {error, badarg}.
interval(T, R, F) ->
    receive
        '$cancel' -> ok;
        {'DOWN', R, process, _, _} -> ok
    after T -> F(), interval(T, R, F)
    end.
cancel({once, Ref}) -> _ = erlang:cancel_timer(Ref), {ok, cancel};
cancel({K, Pid}) when K =:= instant; K =:= interval -> Pid ! '$cancel', {ok, cancel};
cancel(_) -> {error, badarg}.
tc(F) -> timed(fun() -> F() end).
tc(F, A) -> timed(fun() -> apply(F, A) end).
tc(M, F, A) -> timed(fun() -> apply(M, F, A) end).
timed(F) ->
    T = erlang:monotonic_time(microsecond),
    V = F(),
    {erlang:monotonic_time(microsecond) - T, V}.
seconds(N) -> 1000 * N.
minutes(N) -> 60000 * N.
hours(N) -> 3600000 * N.
hms(H, M, S) -> hours(H) + minutes(M) + seconds(S).
now_diff({A, B, C}, {D, E, F}) -> ((A - D) * 1000000 + (B - E)) * 1000000 + (C - F).
