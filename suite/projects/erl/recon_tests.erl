%% recon: questions about processes that run.
-module(recon_tests).
-include_lib("eunit/include/eunit.hrl").

%% Facts about a process that ends or not are facts or undefined.
facts_about_a_process_that_ends_test() ->
    Pid = spawn(fun() -> ok end),
    case recon:info(Pid, message_queue_len) of
        undefined -> ok;
        {message_queue_len, 0} -> ok
    end.

%% The longest mailbox is found.
the_longest_mailbox_test() ->
    Pid = spawn_link(fun() -> receive stop -> ok end end),
    [Pid ! N || N <- [1, 2, 3]],
    [{Pid, 3, _} | _] = recon:proc_count(message_queue_len, 1).

%% The state of a server is what its calls have made it.
the_state_of_a_server_test() ->
    {ok, Server} = gen_event:start_link(),
    ?assertEqual([], recon:get_state(Server)).
