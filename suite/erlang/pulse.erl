%% The small examples of "Finding Race Conditions in Erlang with QuickCheck and PULSE", section 6.
-module(pulse).
-export([proc_a/0, proc_a_spawn_link/0, write_race/0, write_race_in_a_table/0]).

%% Figures 1 and 2: procB may end before procA is linked to it, and then the reason is another one.
proc_a() ->
    PidB = spawn(fun proc_b/0),
    PidB ! a,
    process_flag(trap_exit, true),
    link(PidB),
    receive
        {'EXIT', _, Why} -> Why
    end.

proc_b() ->
    receive
        a -> exit(kill)
    end.

%% "Which is the reason for the existence of an atomic spawn_link function in Erlang."
proc_a_spawn_link() ->
    process_flag(trap_exit, true),
    PidB = spawn_link(fun proc_b/0),
    PidB ! a,
    receive
        {'EXIT', _, Why} -> Why
    end.

%% Figure 3: two processes race to write to the same file; what it holds when both have written.
write_race() ->
    {Pid, Monitor} = spawn_monitor(fun() -> file:write_file("a.txt", "a") end),
    file:write_file("a.txt", "b"),
    receive {'DOWN', Monitor, process, Pid, normal} -> ok end,
    {ok, Text} = file:read_file("a.txt"),
    Text.

%% The same race for a table that stands for the file.
write_race_in_a_table() ->
    Files = ets:new(files, [public]),
    {Pid, Monitor} = spawn_monitor(fun() -> write_file(Files, "a.txt", "a") end),
    write_file(Files, "a.txt", "b"),
    receive {'DOWN', Monitor, process, Pid, normal} -> ok end,
    [{_, Text}] = ets:lookup(Files, "a.txt"),
    Text.

write_file(Files, Name, Text) -> ets:insert(Files, {Name, Text}).
