-module(agree_server).
-behaviour(gen_server).
-export([start_link/0, start_sup/0, add/2, init_plain/1, init/1, handle_call/3, handle_cast/2, handle_info/2]).
start_link() -> gen_server:start_link(?MODULE, plain, []).
start_sup() -> supervisor:start_link(?MODULE, sup).
add(P, N) -> gen_server:call(P, {add, N}).
init(plain) -> {ok, 0};
init(named) -> register(?MODULE, self()), {ok, 0};
init(sup) ->
    Child = #{id => worker, start => {gen_server, start_link, [?MODULE, named, []]}},
    {ok, {#{strategy => one_for_one, intensity => 3, period => 10}, [Child]}}.
handle_call({add, N}, _From, S) -> {reply, S + N, S + N};
handle_call({sleep, T}, _From, S) -> timer:sleep(T), {reply, ok, S}.
handle_cast(crash, _) -> exit(crashed).
handle_info(_, S) -> {noreply, S}.
init_plain(_Parent) ->
    proc_lib:init_ack({ok, self(), extra}),
    receive stop -> ok end.
