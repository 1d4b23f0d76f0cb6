//! Random small Erlang programs for oracles: a few processes with a few operations each.

use raddle_core::random::Rng;

/// The operations of the programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flavour {
    /// Messages alone.
    Messages,
    /// Also names and tables.
    Shared,
    /// Also links, monitors and exits.
    Signals,
    /// Messages, timeouts and timers.
    Timed,
    /// Tables that are inherited, given away, renamed and deleted, beside exits. Operations on them have many accesses.
    Owners,
    /// Loops that poll tables, names and mailboxes. All processes end before main does, or never.
    Polling,
    /// Files and directories, also of the same names.
    Files,
}

/// A module with one function `t0/0`, `t1/0`, ... for each program.
pub fn module(name: &str, flavour: Flavour, programs: u64, seed: u64) -> String {
    let mut text =
        format!("-module({name}).\n-compile([export_all, nowarn_export_all, nowarn_unused_vars]).\n");
    for number in 0..programs {
        text += &program(number, flavour, &mut Rng::new(seed, number));
    }
    text
}

fn program(number: u64, flavour: Flavour, rng: &mut Rng) -> String {
    let workers = 2 + (rng.below(4) == 0) as u32;
    let most = if workers == 2 { 2 } else { 1 };
    let mut text = format!("t{number}() ->\n    Main = self(),\n");
    let beginning = text.len();
    for worker in 1..=workers {
        // Each process knows the pids of those before it.
        let known: Vec<String> =
            std::iter::once("Main".to_owned()).chain((1..worker).map(|w| format!("W{w}"))).collect();
        let spawn = if flavour == Flavour::Signals && rng.below(4) == 0 { "spawn_link" } else { "spawn" };
        text += &format!("    W{worker} = {spawn}(fun() ->\n");
        let ops = 1 + rng.below(most);
        let mut results = Vec::new();
        for op in 0..ops {
            text += &format!("        X{worker}{op} = {},\n", operation(flavour, &known, worker, rng));
            results.push(format!("X{worker}{op}"));
        }
        text += &format!("        Main ! {{w{worker}, {{{}}}}}\n    end),\n", results.join(", "));
    }
    let known: Vec<String> = (1..=workers).map(|w| format!("W{w}")).collect();
    let mut results = Vec::new();
    for op in 0..(flavour == Flavour::Messages) as u32 + rng.below(2) {
        text += &format!("    M{op} = {},\n", operation(flavour, &known, 0, rng));
        results.push(format!("M{op}"));
    }
    if flavour == Flavour::Polling {
        for worker in 1..=workers {
            text += &format!("    R{worker} = receive {{w{worker}, A{worker}}} -> A{worker} end,\n");
            results.push(format!("R{worker}"));
        }
    }
    // The order in which they finish matters only in some programs.
    if flavour == Flavour::Owners && rng.below(2) == 0 {
        text.insert_str(beginning, "    ets:new(own, [named_table, public]),\n");
    }
    match if flavour == Flavour::Polling { 3 } else { rng.below(3) } {
        0 => {
            text += "    R = receive {w1, A} -> A; stop -> stop end,\n";
            results.push("R".to_owned());
        }
        1 => {
            text += "    R = receive Any -> Any end,\n    S = receive {_, B} -> B; C -> C end,\n";
            results.extend(["R".to_owned(), "S".to_owned()]);
        }
        _ => {}
    }
    if text.contains("tab") {
        text.insert_str(beginning, "    ets:new(tab, [named_table, public]),\n");
    }
    text + &format!("    {{{}}}.\n\n", results.join(", "))
}

fn operation(flavour: Flavour, known: &[String], worker: u32, rng: &mut Rng) -> String {
    let whom = known[rng.below(known.len() as u32) as usize].clone();
    let number = rng.below(2);
    let messages = |rng: &mut Rng| match rng.below(8) {
        0 | 1 | 6 => format!("begin {whom} ! {{m, {number}}}, sent end"),
        2 => format!("begin {whom} ! {}, sent end", ["stop", "go"][rng.below(2) as usize]),
        3 => format!("receive {{m, V{0}}} -> V{0} after 0 -> none end", rng.below(1_000_000)),
        4 => format!("receive {{m, {number}}} -> got after 0 -> none end"),
        5 => format!("receive {{m, V{0}}} -> V{0}; stop -> stop end", rng.below(1_000_000)),
        _ => format!("receive T{0} -> T{0} after 0 -> none end", rng.below(1_000_000)),
    };
    let shared = |rng: &mut Rng| match rng.below(10) {
        0 => format!("ets:insert(tab, {{{number}, {worker}}})"),
        1 => format!("ets:lookup(tab, {number})"),
        2 => format!("ets:update_counter(tab, {number}, 1, {{{number}, 0}})"),
        3 => format!("ets:delete(tab, {number})"),
        4 => "catch register(name, self())".to_owned(),
        5 => "(catch unregister(name)) =:= true".to_owned(),
        9 => format!("try register(name, {whom}) catch error:badarg -> badarg end"),
        6 => "whereis(name) =:= undefined".to_owned(),
        7 => format!("try name ! {{m, {number}}}, sent catch error:badarg -> unsent end"),
        _ => "ets:insert_new(tab, {0, me})".to_owned(),
    };
    let signals = |rng: &mut Rng| match rng.below(9) {
        0 => format!("begin monitor(process, {whom}), watching end"),
        1 => format!(
            "begin Q{0} = monitor(process, {whom}), demonitor(Q{0}, [flush]) end",
            rng.below(1_000_000)
        ),
        2 => format!("receive {{'DOWN', _, _, _, D{0}}} -> D{0} after 0 -> none end", rng.below(1_000_000)),
        3 => format!("catch link({whom})"),
        4 => format!("unlink({whom})"),
        5 => {
            let whom = if rng.below(5) == 0 { "self()" } else { &whom };
            format!("catch exit({whom}, {})", ["bye", "kill", "normal"][rng.below(3) as usize])
        }
        6 => "process_flag(trap_exit, true)".to_owned(),
        7 => format!("is_process_alive({whom})"),
        _ => ["exit(oops)", "exit(normal)"][rng.below(2) as usize].to_owned(),
    };
    let timed = |rng: &mut Rng| match rng.below(6) {
        0 | 1 => {
            format!("receive {{m, V{0}}} -> V{0} after {1} -> late end", rng.below(1_000_000), 5 + 5 * number)
        }
        2 => format!("receive T{0} -> T{0} after 5 -> late end", rng.below(1_000_000)),
        3 => format!("begin erlang:send_after({}, {whom}, {{m, {number}}}), sent end", 5 * rng.below(3)),
        4 => format!(
            "begin Q{0} = erlang:send_after(5, {whom}, {{m, {number}}}), erlang:cancel_timer(Q{0}) =:= false end",
            rng.below(1_000_000)
        ),
        _ => "erlang:monotonic_time(millisecond)".to_owned(),
    };
    let owners = |rng: &mut Rng| {
        let (tag, table) = (rng.below(1_000_000), ["own", "other"][(rng.below(4) == 0) as usize]);
        match rng.below(14) {
            0 => format!("catch ets:new({table}, [named_table, public])"),
            1 | 2 => format!("catch ets:new({table}, [named_table, public, {{heir, {whom}, {worker}}}])"),
            3..=5 => format!("(catch ets:give_away({table}, {whom}, {worker})) =:= true"),
            6 => format!("receive {{'ETS-TRANSFER', {table}, _, D{tag}}} -> D{tag} after 0 -> none end"),
            7 => format!("receive {{'ETS-TRANSFER', T{tag}, _, D{tag}}} -> {{T{tag}, D{tag}}} end"),
            8 => format!("(catch ets:insert({table}, {{{number}, {worker}}})) =:= true"),
            9 => format!("try ets:lookup({table}, {number}) catch error:badarg -> badarg end"),
            10 => format!("(catch ets:setopts({table}, {{heir, {whom}, {worker}}})) =:= true"),
            11 => format!("(catch ets:rename({table}, own)) =:= own"),
            12 => format!("(catch ets:delete({table})) =:= true"),
            _ => ["exit(oops)", "catch exit(Main, kill)", "is_process_alive(Main)"][rng.below(3) as usize]
                .to_owned(),
        }
    };
    let polling = |rng: &mut Rng| {
        let tag = rng.below(1_000_000);
        let until = |round: String| format!("(fun F{tag}() -> {round} end)()");
        let key = rng.below(2);
        match rng.below(12) {
            0 | 1 => format!("ets:insert(tab, {{{number}, {worker}}})"),
            2 => format!("ets:delete(tab, {number})"),
            3 => "catch register(name, self())".to_owned(),
            4 => format!("begin {whom} ! {{m, {number}}}, sent end"),
            5 => until(format!("case ets:lookup(tab, {key}) of [] -> F{tag}(); [V{tag}] -> V{tag} end")),
            6 => until(format!(
                "V{tag} = ets:member(tab, 0), case ets:lookup(tab, 1) of [] when not V{tag} -> F{tag}(); U{tag} -> {{V{tag}, U{tag}}} end"
            )),
            7 => {
                until(format!("case whereis(name) of undefined -> erlang:yield(), F{tag}(); _ -> found end"))
            }
            8 => format!(
                "begin {}, ets:delete(tab, lock) end",
                until(format!(
                    "case ets:insert_new(tab, {{lock, {worker}}}) of false -> F{tag}(); true -> ok end"
                ))
            ),
            9 => until(format!("receive {{m, V{tag}}} -> V{tag} after 0 -> F{tag}() end")),
            10 => until(format!(
                "receive {{m, V{tag}}} -> V{tag} after 0 -> case ets:member(tab, {key}) of true -> there; false -> F{tag}() end end"
            )),
            _ => format!("ets:lookup(tab, {number})"),
        }
    };
    let files = |rng: &mut Rng| {
        let name = ["\"f\"", "\"f\"", "\"g\"", "\"d/f\""][rng.below(4) as usize];
        let opened = |modes: &str, tag: u32, then: &str| {
            format!(
                "case file:open({name}, [raw, {modes}]) of {{ok, D{tag}}} -> {then}; E{tag} -> E{tag} end"
            )
        };
        let tag = rng.below(1_000_000);
        match rng.below(16) {
            0 | 1 => format!("file:write_file({name}, <<{worker}>>)"),
            2 | 3 => format!("file:read_file({name})"),
            4 => format!("file:write_file({name}, <<{worker}>>, [raw, append])"),
            5 => format!("file:write_file({name}, <<{worker}>>, [raw, exclusive])"),
            6 => format!("file:delete({name})"),
            7 => format!("file:rename({name}, \"g\")"),
            8 => format!("file:make_link({name}, \"g\")"),
            9 | 10 => "file:make_dir(\"d\")".to_owned(),
            11 => "file:del_dir(\"d\")".to_owned(),
            12 => "file:list_dir(\"d\")".to_owned(),
            13 => format!("filelib:file_size({name})"),
            14 => opened("read", tag, &format!("[file:read(D{tag}, 1), file:pread(D{tag}, 0, 2)]")),
            _ => opened("read, write", tag, &format!("file:pwrite(D{tag}, 1, <<{worker}>>)")),
        }
    };
    match (flavour, rng.below(3)) {
        (Flavour::Files, 1 | 2) => files(rng),
        (Flavour::Polling, _) => polling(rng),
        (Flavour::Owners, 1 | 2) => owners(rng),
        (Flavour::Timed, 1 | 2) => timed(rng),
        (Flavour::Messages, _) | (_, 0) => messages(rng),
        (Flavour::Shared | Flavour::Timed | Flavour::Owners | Flavour::Files, _) => shared(rng),
        (Flavour::Signals, 1) => shared(rng),
        (Flavour::Signals, _) => signals(rng),
    }
}
