%% Programs on which the optimal reduction and depth-first search once differed.
-module(differed).
-compile([export_all, nowarn_export_all, nowarn_unused_vars]).

%% The process that monitors ends first: what it is told of on the way has no receiver where messages have an order.
told_after_its_end() ->
    W1 = spawn(fun() -> exit(normal) end),
    spawn(fun() -> monitor(process, W1) end),
    receive never -> ok end.

%% An exit signal comes when its link is gone; earlier it would have been deadly.
unlinked_before_the_signal() ->
    Main = self(),
    W1 = spawn_link(fun() -> exit(oops) end),
    spawn_link(fun() -> unlink(Main), Main ! done end),
    unlink(W1),
    receive never -> ok end.

%% A message to a name that is taken away: earlier it would have arrived, before the receiver looked or after that.
sent_to_a_name_that_goes() ->
    Main = self(),
    W1 = spawn(fun() ->
        Main ! {w1, receive m -> got after 0 -> none end},
        receive never -> ok end
    end),
    register(name, W1),
    spawn(fun() -> Main ! {w2, try name ! m, sent catch error:badarg -> unsent end} end),
    catch unregister(name),
    {receive {w1, X} -> X end, receive {w2, Y} -> Y end}.

%% A message to a name that is not there yet has nothing to do with who will have it.
sent_to_a_name_that_comes() ->
    Main = self(),
    W1 = spawn(fun() -> Main ! receive {m, 1} -> got after 0 -> none end end),
    spawn(fun() -> Main ! {w2, try name ! {m, 0}, sent catch error:badarg -> unsent end} end),
    Given = try register(name, W1) catch error:badarg -> badarg end,
    R = receive Any -> Any end,
    {Given, R, receive Other -> Other end}.

%% A name is taken: earlier it would have been given to another process, before that ended or after.
registered_twice() ->
    Main = self(),
    W1 = spawn(fun() -> ok end),
    spawn(fun() -> Main ! try register(name, W1) catch error:badarg -> badarg end end),
    catch register(name, self()),
    receive Any -> Any end.

%% Who is registered first, and who is sent to.
registered_by_two() ->
    W1 = spawn(fun() -> catch name ! {m, 0} end),
    spawn(fun() -> catch register(name, W1) end),
    catch register(name, self()).

%% A monitor is taken back before or after the end of whom it watches.
taken_back() ->
    Main = self(),
    W1 = spawn(fun() -> Q = monitor(process, Main), demonitor(Q, [flush]), Main ! w1 end),
    spawn(fun() -> W1 ! m, monitor(process, W1), Main ! w2 end),
    ok.

%% Two processes make and take away the link between them.
linked_again() ->
    Main = self(),
    process_flag(trap_exit, true),
    W1 = spawn_link(fun() -> link(Main), exit(oops) end),
    unlink(W1),
    receive {'EXIT', _, R} -> R end.

%% Who is linked to takes the link away before or after it is made.
unlinked_by_the_other() ->
    Main = self(),
    Other = spawn(fun() -> unlink(Main), receive die -> exit(boom) end end),
    link(Other),
    Other ! die,
    receive after 10 -> alive end.

%% By the thesis, main ends in the step in which it notices that there is no process to be named, and its table with it: what
%% others do to the table raises then, and touches everything, though it did not before.
named_when_it_is_gone() ->
    Main = self(),
    ets:new(tab, [named_table, public]),
    spawn(fun() -> Main ! {w1, ets:insert_new(tab, {0, me})} end),
    Gone = spawn(fun() -> Main ! {w2, ets:lookup(tab, 0)} end),
    try register(name, Gone) catch error:badarg -> badarg end.

%% The process that is to be killed may have come to its end.
killed_too_late() ->
    ets:new(tab, [named_table, public]),
    spawn(fun() -> ets:lookup(tab, 0) end),
    Gone = spawn(fun() -> ets:delete(tab, 0) end),
    exit(Gone, kill).
