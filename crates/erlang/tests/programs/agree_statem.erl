-module(agree_statem).
-behaviour(gen_statem).
-export([start_link/0, push/1, get/1, timeout/1, init/1, callback_mode/0, off/3, on/3]).
start_link() -> gen_statem:start_link(?MODULE, [], []).
push(P) -> gen_statem:call(P, push).
get(P) -> gen_statem:call(P, get).
timeout(P) -> gen_statem:call(P, timeout).
callback_mode() -> [state_functions, state_enter].
init([]) -> {ok, off, 0}.
off(enter, _, N) -> {keep_state, N};
off({call, From}, push, N) -> {next_state, on, N + 1, [{reply, From, on}]};
off({call, From}, get, N) -> {keep_state, N, [{reply, From, N}]};
off({call, From}, timeout, N) -> {next_state, on, {From, N}, [{state_timeout, 5, back}]}.
on(enter, _, N) -> {keep_state, N};
on({call, From}, push, N) -> {next_state, off, N, [{reply, From, off}]};
on(state_timeout, back, {From, N}) -> {next_state, off, N, [{reply, From, timed_out}]}.
