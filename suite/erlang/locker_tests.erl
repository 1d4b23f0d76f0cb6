%% Clients of the locker, each with as many rounds as wanted, and the paper's property: no other process has access to
%% what one client has exclusively. The tree of supervisors is the paper's: one for the server, one for the clients.
-module(locker_tests).
-include_lib("eunit/include/eunit.hrl").
-behaviour(supervisor).
-export([init/1, start_client/5, client/5]).
-export([two_exclusive_2/0, exclusive_and_shared_2/0, three_exclusive/0, three_mixed/0]).

%% The configurations are named as in the paper: aE is a client that wants the resource a exclusively, aS shared.
aE_aE_test() -> mutex([excl, excl], 1).
aE_aS_test() -> mutex([excl, share], 1).
aS_aS_test() -> mutex([share, share], 1).

%% With more rounds or more clients: for coarser grains, and for reduction.
two_exclusive_2() -> mutex([excl, excl], 2).
exclusive_and_shared_2() -> mutex([excl, share], 2).
three_exclusive() -> mutex([excl, excl, excl], 1).
three_mixed() -> mutex([excl, share, share], 1).

mutex(Types, Rounds) ->
    ets:new(in_use, [named_table, public, bag]),
    {ok, Supervisor} = supervisor:start_link(?MODULE, {all, self(), Types, Rounds}),
    % How the tree is taken down is not what is looked at here.
    unlink(Supervisor),
    ?assertEqual([ok || _ <- Types], [receive {client, Number, Result} -> Result end
                                      || Number <- lists:seq(1, length(Types))]).

init({all, Test, Types, Rounds}) ->
    Clients = #{id => clients, type => supervisor,
                start => {supervisor, start_link, [?MODULE, {clients, Test, Types, Rounds}]}},
    {ok, {#{strategy => one_for_all}, [#{id => locker, start => {locker, start_link, [[a]]}}, Clients]}};
init({clients, Test, Types, Rounds}) ->
    Numbered = lists:zip(lists:seq(1, length(Types)), Types),
    {ok, {#{}, [#{id => Number, restart => temporary,
                  start => {?MODULE, start_client, [Test, Number, [a], Type, Rounds]}}
                || {Number, Type} <- Numbered]}}.

start_client(Test, Number, Resources, Type, Rounds) ->
    {ok, spawn_link(?MODULE, client, [Test, Number, Resources, Type, Rounds])}.

client(Test, Number, _Resources, _Type, 0) -> tell(Test, Number, ok);
client(Test, Number, Resources, Type, Rounds) ->
    ok = locker:request(locker, Resources, Type),
    case in_use(Resources, Type) of
        ok ->
            done = locker:release(locker),
            client(Test, Number, Resources, Type, Rounds - 1);
        Violation -> tell(Test, Number, Violation)
    end.

tell(Test, Number, Result) ->
    Test ! {client, Number, Result},
    receive never -> ok end.

%% The critical region: the second process sees the first. The pause is the paper's: without it there would
%% be no point, at the coarse grain, at which a client is in its critical region.
in_use(Resources, Type) ->
    [ets:insert(in_use, {R, self(), Type}) || R <- Resources],
    receive pause -> ok after 0 -> ok end,
    Others = [{R, T} || R <- Resources, {_, Pid, T} <- ets:lookup(in_use, R), Pid =/= self()],
    Violations = [R || {R, T} <- Others, T =:= excl orelse Type =:= excl],
    [ets:delete_object(in_use, {R, self(), Type}) || R <- Resources],
    case Violations of
        [] -> ok;
        _ -> {mutex, Violations}
    end.
