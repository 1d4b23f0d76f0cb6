%% One of each form that a compiled module may have.
-module(forms).
-export([literals/0, binaries/1, maps/1, floats/1, tries/1, strings/1, selects/1]).

literals() -> {atom, 'an atom', 12345678901234567890, -1, 1.5, "text", <<"bytes">>, #{key => [1, 2 | 3]}, fun literals/0}.
binaries(<<Size:8, Part:Size/binary, Rest/bits>>) -> <<Part/binary, (bit_size(Rest)):16/little, Rest/bits>>.
maps(#{a := A} = M) -> M#{b => A, a := maps:keys(M)}.
floats(X) when is_float(X), X > 0.5 -> math:sqrt(X * 2.0 - 1.0) / X.
tries(F) -> try F() of {ok, V} -> V catch throw:T -> T; C:R:S -> {C, R, S} after self() ! done end.
strings(S) -> [C || <<C/utf8>> <= S, C =/= $\s].
selects(X) -> case X of one -> 1; two -> 2; {three, 3} -> 3; [] -> 0; 17 -> seventeen; 99999 -> many; _ -> X end.
