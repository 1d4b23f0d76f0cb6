%% An account as a server: the guide's example. Deposits read and then write, and so lose money.
-module(account).
-behaviour(gen_server).
-export([start_link/0, balance/1, deposit/2, stop/1]).
-export([init/1, handle_call/3, handle_cast/2]).

start_link() -> gen_server:start_link(?MODULE, [], []).
balance(Account) -> gen_server:call(Account, balance).
stop(Account) -> gen_server:stop(Account).

deposit(Account, Amount) ->
    Balance = balance(Account),
    gen_server:call(Account, {set, Balance + Amount}).

init([]) -> {ok, 0}.
handle_call(balance, _From, Balance) -> {reply, Balance, Balance};
handle_call({set, Balance}, _From, _Old) -> {reply, ok, Balance}.
handle_cast(_, Balance) -> {noreply, Balance}.
