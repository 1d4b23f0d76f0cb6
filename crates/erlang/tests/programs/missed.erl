%% Programs like those of which the optimal reduction once missed outcomes.
-module(missed).
-export([link_to_the_dead/0, trapped_link_to_the_dead/0, timeout_before_the_end/0, timeout_before_two_messages/0,
         timeout_among_many_tasks/0]).

%% The answer to the link kills the linker before or after it has sent its message, or comes when it has ended.
link_to_the_dead() ->
    Main = self(),
    Short = spawn(fun() -> ok end),
    spawn(fun() -> catch link(Short), Main ! linked end),
    receive linked -> linked end.

%% It is a message to a linker that traps exits: before or after it looks for one.
trapped_link_to_the_dead() ->
    Main = self(),
    Short = spawn(fun() -> ok end),
    spawn(fun() ->
        process_flag(trap_exit, true),
        catch link(Short),
        unlink(Short),
        Main ! receive {'EXIT', _, Reason} -> Reason after 0 -> none end
    end),
    receive Any -> Any end.

%% Who receives a message and ends at once might have given up before.
timeout_before_the_end() ->
    Main = self(),
    spawn(fun() -> receive after 5 -> Main ! hello end end),
    receive Any -> Any after 5 -> late end.

timeout_before_two_messages() ->
    Main = self(),
    spawn(fun() -> receive after 5 -> Main ! hello, Main ! again end end),
    First = receive Any -> Any after 5 -> late end,
    {First, receive again -> again end}.

%% The same for a process that more than 64 tasks were there before.
timeout_among_many_tasks() ->
    Main = self(),
    [Main ! unread || _ <- lists:seq(1, 70)],
    First = spawn(fun() -> receive {to, Second} -> receive after 5 -> Second ! hello end end end),
    Second = spawn(fun() -> Main ! {got, receive Any -> Any after 5 -> late end} end),
    First ! {to, Second},
    receive {got, What} -> What end.
