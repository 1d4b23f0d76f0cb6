-module(agree_event).
-behaviour(gen_event).
-export([init/1, handle_event/2, handle_call/2]).
init([]) -> {ok, []}.
handle_event({msg, N}, S) -> {ok, [N | S]}.
handle_call(get, S) -> {ok, S, S}.
