-module(judged_statem).
-behaviour(gen_statem).
-export([init/1, callback_mode/0, handle_event/4]).
callback_mode() -> handle_event_function.
init({stop, Why}) -> {stop, Why};
init(_) -> {ok, idle, []}.
handle_event({call, From}, {stop, Why}, _, _) -> {stop_and_reply, Why, [{reply, From, ok}]};
handle_event(cast, {stop, Why}, _, _) -> {stop, Why}.
