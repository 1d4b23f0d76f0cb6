%% The resource locker of "Model Checking Erlang Programs: The Functional Approach" (Fredlund and Benac Earle, the
%% McErlang paper), written from its description: a server gives clients exclusive or shared access to resources.
%% -DSEEDED_BUG: the paper's mistake, a request that is granted is not written down.
-module(locker).
-behaviour(gen_server).
-export([start_link/1, request/3, release/1]).
-export([init/1, handle_call/3, handle_cast/2]).

-record(lock, {resource, exclusive = none, shared = [], pending = []}).

start_link(Resources) -> gen_server:start_link({local, ?MODULE}, ?MODULE, Resources, []).

request(Locker, Resources, Type) -> gen_server:call(Locker, {request, Resources, Type}).
release(Locker) -> gen_server:call(Locker, release).

%% The locks, then the clients that wait for exclusive and for shared access, the first one first.
init(Resources) -> {ok, {[#lock{resource = R} || R <- Resources], [], []}}.

-ifdef(SEEDED_BUG).
-define(AFTER_GRANT(NewLocks, Locks), begin _ = NewLocks, Locks end).
-else.
-define(AFTER_GRANT(NewLocks, Locks), NewLocks).
-endif.

handle_call({request, Resources, Type}, Client, {Locks, Excls, Shared}) ->
    case check_availables(Resources, Type, Locks) of
        true ->
            NewLocks = lists:map(fun(Lock) -> claim_lock(Lock, Resources, Type, Client) end, Locks),
            {reply, ok, {?AFTER_GRANT(NewLocks, Locks), Excls, Shared}};
        false ->
            NewLocks = lists:map(fun(Lock) -> add_pending(Lock, Resources, Client) end, Locks),
            case Type of
                excl -> {noreply, {NewLocks, Excls ++ [Client], Shared}};
                share -> {noreply, {NewLocks, Excls, Shared ++ [Client]}}
            end
    end;
handle_call(release, {Pid, _Tag}, {Locks, Excls, Shared}) ->
    Released = lists:map(fun(Lock) -> release_lock(Lock, Pid) end, Locks),
    {Locks1, Excls1} = send_replies(excl, Excls, Released),
    {Locks2, Shared1} = send_replies(share, Shared, Locks1),
    {reply, done, {Locks2, Excls1, Shared1}}.

handle_cast(_, State) -> {noreply, State}.

check_availables(Resources, Type, Locks) ->
    lists:all(fun(Lock) -> is_available(Lock, Type) end, [L || L <- Locks, lists:member(L#lock.resource, Resources)]).

is_available(#lock{exclusive = none, shared = []}, excl) -> true;
is_available(#lock{exclusive = none}, share) -> true;
is_available(_, _) -> false.

claim_lock(Lock, Resources, Type, Client) ->
    case {lists:member(Lock#lock.resource, Resources), Type} of
        {false, _} -> Lock;
        {true, excl} -> Lock#lock{exclusive = Client};
        {true, share} -> Lock#lock{shared = [Client | Lock#lock.shared]}
    end.

add_pending(Lock, Resources, Client) ->
    case lists:member(Lock#lock.resource, Resources) of
        true -> Lock#lock{pending = Lock#lock.pending ++ [Client]};
        false -> Lock
    end.

release_lock(#lock{exclusive = {Pid, _}} = Lock, Pid) -> Lock#lock{exclusive = none};
release_lock(Lock, Pid) -> Lock#lock{shared = [Client || {P, _} = Client <- Lock#lock.shared, P =/= Pid]}.

%% A process that waits and can be served now is.
send_replies(Type, Waiting, Locks) -> send_replies(Type, Waiting, Locks, []).

send_replies(_Type, [], Locks, Still) -> {Locks, lists:reverse(Still)};
send_replies(Type, [Client | Others], Locks, Still) ->
    Resources = [L#lock.resource || L <- Locks, lists:member(Client, L#lock.pending)],
    case check_availables(Resources, Type, Locks) of
        true ->
            gen_server:reply(Client, ok),
            Claim = fun(Lock) ->
                Claimed = claim_lock(Lock, Resources, Type, Client),
                Claimed#lock{pending = lists:delete(Client, Claimed#lock.pending)}
            end,
            send_replies(Type, Others, lists:map(Claim, Locks), Still);
        false -> send_replies(Type, Others, Locks, [Client | Still])
    end.
