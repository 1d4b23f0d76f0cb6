%% The registration server of the thesis's chapter 6, step by step: compiled with -DSTEP=612 it is the server
%% as it stands after Listing 6.12. Without, it is the final one, of Listing 6.28.
-module(reg_server).
-include("reg_server.hrl").
-export([attach/0, detach/0, ping/0, start/0, stop/0]).

-define(REG_NAME, reg_server).
-define(REG_REQUEST, reg_request).
-define(REG_REPLY, reg_reply).

-record(state, {free, reg}).

attach() -> request(attach).
detach() -> request(detach).
ping() -> request(ping).
stop() -> request(stop).

-if(?STEP >= 617).
start() ->
    case whereis(?REG_NAME) of
        undefined ->
            Pid = spawn(fun() -> loop(init_state()) end),
            try register(?REG_NAME, Pid) of
                true -> ok
            catch
                error:badarg ->
                    Pid ! {?REG_REQUEST, kill},
                    already_started
            end;
        _Pid -> already_started
    end.
-elif(?STEP >= 615).
start() ->
    case whereis(?REG_NAME) of
        undefined ->
            Pid = spawn(fun() -> loop(init_state()) end),
            register(?REG_NAME, Pid),
            ok;
        _Pid -> already_started
    end.
-else.
start() ->
    Pid = spawn(fun() -> loop(init_state()) end),
    register(?REG_NAME, Pid),
    ok.
-endif.

init_state() ->
    FreeList = lists:seq(1, ?MAX_ATTACHED_PROC),
    #state{free = ordsets:from_list(FreeList), reg = dict:new()}.

-if(?STEP >= 612).
request(Request) ->
    case whereis(?REG_NAME) of
        undefined -> server_down;
        Pid ->
            Ref = monitor(process, Pid),
            Pid ! {?REG_REQUEST, self(), Request},
            receive
                {?REG_REPLY, Reply} ->
                    demonitor(Ref, [flush]),
                    Reply;
                {'DOWN', Ref, process, Pid, _Reason} -> server_down
            end
    end.
-elif(?STEP >= 609).
request(Request) ->
    case whereis(?REG_NAME) of
        undefined -> server_down;
        _Pid ->
            ?REG_NAME ! {?REG_REQUEST, self(), Request},
            receive
                {?REG_REPLY, Reply} -> Reply
            end
    end.
-else.
request(Request) ->
    ?REG_NAME ! {?REG_REQUEST, self(), Request},
    receive
        {?REG_REPLY, Reply} -> Reply
    end.
-endif.

reply(Target, Reply) ->
    Target ! {?REG_REPLY, Reply}.

-if(?STEP >= 619).
loop(#state{free = Free, reg = Reg} = State) ->
    receive
        {?REG_REQUEST, Target, attach} -> loop(attach(Target, State));
        {?REG_REQUEST, Target, detach} when ?STEP >= 624 ->
            {Reply, NewFree, NewReg} = detach_proc(Target, Free, Reg),
            reply(Target, Reply),
            loop(State#state{free = NewFree, reg = NewReg});
        {?REG_REQUEST, Target, ping} ->
            case dict:find(Target, Reg) of
                {ok, RegNum} -> reply(Target, RegNum);
                error -> reply(Target, pong)
            end,
            loop(State);
        {?REG_REQUEST, Target, stop} ->
            unregister(?REG_NAME),
            reply(Target, ok);
        {?REG_REQUEST, kill} -> killed;
        {'DOWN', _Ref, process, Target, _Info} when ?STEP >= 628 ->
            {ok, NewFree, NewReg} = detach_proc(Target, Free, Reg),
            loop(State#state{free = NewFree, reg = NewReg})
    end.

-if(?STEP >= 621).
attach(Target, #state{free = Free, reg = Reg} = State) ->
    case dict:find(Target, Reg) of
        {ok, RegNum} ->
            reply(Target, RegNum),
            State;
        error ->
            case ordsets:to_list(Free) of
                [] ->
                    reply(Target, server_full),
                    State;
                [RegNum | NewFreeList] ->
                    NewReg = dict:store(Target, RegNum, Reg),
                    watch(Target),
                    reply(Target, RegNum),
                    State#state{free = ordsets:from_list(NewFreeList), reg = NewReg}
            end
    end.
-else.
attach(Target, #state{free = Free, reg = Reg} = State) ->
    [RegNum | NewFreeList] = ordsets:to_list(Free),
    NewReg = dict:store(Target, RegNum, Reg),
    reply(Target, RegNum),
    State#state{free = ordsets:from_list(NewFreeList), reg = NewReg}.
-endif.

detach_proc(Target, Free, Reg) ->
    case ?STEP < 626 orelse dict:is_key(Target, Reg) of
        false -> {ok, Free, Reg};
        true ->
            RegNum = dict:fetch(Target, Reg),
            NewReg = dict:erase(Target, Reg),
            {ok, ordsets:add_element(RegNum, Free), NewReg}
    end.

-if(?STEP >= 628).
watch(Target) -> monitor(process, Target).
-elif(?STEP >= 621).
watch(_Target) -> no_monitor.
-endif.

-else.
loop(State) ->
    receive
        {?REG_REQUEST, Target, ping} ->
            reply(Target, pong),
            loop(State);
        {?REG_REQUEST, Target, stop} when ?STEP >= 606 ->
            leave(),
            reply(Target, ok);
        {?REG_REQUEST, kill} -> killed
    end.

-if(?STEP >= 610).
leave() -> unregister(?REG_NAME).
-else.
leave() -> still_registered.
-endif.
-endif.
