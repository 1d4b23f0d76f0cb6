%% A server under a supervisor that restarts it. A client calls it once while another process kills it: that call may
%% exit, and the next one, once the server is back, succeeds.
-module(restarted).
-behaviour(gen_server).
-export([killed_once/0, start_server/0, init/1, handle_call/3, handle_cast/2]).

killed_once() ->
    {ok, _} = supervisor:start_link(?MODULE, supervisor),
    Server = whereis(server),
    spawn(fun() -> exit(Server, kill) end),
    First = try gen_server:call(server, get) catch exit:_ -> exited end,
    {First, again()}.

again() ->
    try gen_server:call(server, get)
    catch exit:_ -> receive after 1 -> again() end
    end.

start_server() -> gen_server:start_link({local, server}, ?MODULE, server, []).

init(supervisor) ->
    Child = #{id => server, start => {?MODULE, start_server, []}},
    {ok, {#{strategy => one_for_one, intensity => 1, period => 5}, [Child]}};
init(server) -> {ok, 0}.

handle_call(get, _From, State) -> {reply, State, State}.
handle_cast(_, State) -> {noreply, State}.
