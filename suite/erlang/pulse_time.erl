%% The small examples of "Stress testing time dependent software" (pulse_time), written from the text.
-module(pulse_time).
-export([figure_1/0, figure_2/0, consistent_clock/0, lift/0]).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2]).
-behaviour(gen_server).

%% Figure 1: a message that is on its way, and a timeout of ten milliseconds.
figure_1() ->
    Parent = self(),
    PidA = spawn(fun() ->
        receive
            X -> Parent ! X
        after 10 -> Parent ! a
        end
    end),
    spawn(fun() -> PidA ! b end),
    receive Y -> Y end.

%% Figure 2: the message is sent after twenty milliseconds. Without jitter the shorter timeout always comes first.
figure_2() ->
    Parent = self(),
    PidA = spawn(fun() ->
        receive
            X -> Parent ! X
        after 10 -> Parent ! a
        end
    end),
    spawn(fun() ->
        receive after 20 -> ok end,
        PidA ! b
    end),
    receive Y -> Y end.

%% Section 2.1.3: a process that has waited for a second sees that on the clock.
consistent_clock() ->
    Self = self(),
    spawn(fun() -> Self ! hello end),
    Clock1 = erlang:timestamp(),
    receive after 1000 -> ok end,
    Clock2 = erlang:timestamp(),
    timer:now_diff(Clock2, Clock1) >= 1000000.

%% Section 2.1.8, in small: the control system of a lift takes a while to boot, in steps of messages; the process that starts it
%% waits for a millisecond and presses a button. The button that comes before the lift is known is an error.
lift() ->
    {ok, Scheduler} = gen_server:start(?MODULE, scheduler, []),
    {ok, _} = gen_server:start(?MODULE, {lift, Scheduler}, []),
    receive after 1 -> ok end,
    gen_server:call(Scheduler, {button, 2}, infinity).

init(scheduler) -> {ok, []};
init({lift, Scheduler}) ->
    self() ! boot,
    {ok, Scheduler}.

handle_info(boot, Scheduler) ->
    gen_server:cast(Scheduler, {lift, self()}),
    {noreply, Scheduler}.

handle_cast({lift, Lift}, Lifts) -> {noreply, [Lift | Lifts]}.

handle_call({button, Floor}, _From, [Lift | _] = Lifts) when is_pid(Lift) -> {reply, {comes_to, Floor}, Lifts}.
