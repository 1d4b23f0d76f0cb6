-module(my_app).
-behaviour(application).
-behaviour(supervisor).
-export([start/2, stop/1, init/1, test/0]).
start(normal, []) -> supervisor:start_link({local, my_sup}, ?MODULE, []).
stop(_) -> ok.
init([]) -> {ok, {#{}, []}}.
test() ->
    Before = application:get_env(my_app, number),
    {ok, Started} = application:ensure_all_started(my_app),
    {ok, Again} = application:ensure_all_started(my_app),
    Sup = is_pid(whereis(my_sup)),
    {ok, Greeting} = application:get_env(my_app, greeting),
    Number = application:get_env(my_app, number, none),
    ok = application:set_env(my_app, number, 3),
    Set = application:get_env(my_app, number, none),
    ok = application:stop(my_app),
    {Before, Started, Again, Sup, Greeting, Number, Set, whereis(my_sup), application:start(no_such_app)}.
