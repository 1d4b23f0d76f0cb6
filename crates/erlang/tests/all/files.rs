//! Files: which executions there are, and that each of them begins with what is on the disk.

use crate::common::*;
use raddle_erlang::settings::Settings;
use raddle_erlang::world::Program;

const TEXT: &str = r#"-module(files).
-compile([export_all, nowarn_export_all]).

cooked() ->
    {ok, F} = file:open("out", [write]),
    [ok = io:format(F, "line ~p~n", [N]) || N <- [1, 2, 3]],
    ok = file:close(F),
    {ok, G} = file:open("out", [read]),
    Line = io:get_line(G, ""),
    ok = file:close(G),
    Line.

both(F, G) ->
    {P, M} = spawn_monitor(fun() -> exit({other, F()}) end),
    Own = G(),
    receive {'DOWN', M, process, P, {other, Other}} -> {Own, Other} end.

two_names() ->
    ok = file:make_dir("dir"),
    both(fun() -> file:write_file("dir/a", "a") end, fun() -> file:write_file("dir/b", "b") end).
two_reads() -> both(fun() -> file:read_file("none") end, fun() -> file:read_file("none") end).
list_beside_a_write() ->
    ok = file:make_dir("dir"),
    both(fun() -> file:write_file("dir/a", "a") end, fun() -> file:list_dir("dir") end).
rename_beside_a_read() ->
    ok = file:write_file("a", "x"),
    both(fun() -> file:rename("a", "b") end, fun() -> {element(1, file:read_file("a")), element(1, file:read_file("b"))} end).
lost_update() ->
    ok = file:write_file("n", "0"),
    Add = fun() -> {ok, N} = file:read_file("n"), ok = file:write_file("n", integer_to_list(binary_to_integer(N) + 1)) end,
    both(Add, Add),
    {ok, N} = file:read_file("n"),
    N.
appended() ->
    Append = fun() -> file:write_file("log", "x", [raw, append]) end,
    both(Append, Append),
    filelib:file_size("log").
polled() ->
    spawn(fun() -> ok = file:write_file("flag", "") end),
    wait().
wait() ->
    case filelib:is_regular("flag") of
        true -> seen;
        false -> wait()
    end.
never() -> wait().
"#;

fn of(function: &str) -> Program {
    let dir = compile_text("files", TEXT);
    let settings = Settings { treat_as_normal: vec!["other".to_owned()], ..Settings::default() };
    program(&dir, "files", function, settings)
}

/// The outcomes of a function, as by depth-first search, and the number of executions by the reduction.
fn explored(function: &str) -> (Vec<String>, u64) {
    let found = optimal(&of(function));
    assert_eq!(found.failures, 0, "{function}: {:?}", found.failure.map(|f| f.message().to_owned()));
    assert!(found.through, "{function}: it is exhaustive");
    let outcomes: Vec<String> = found.outcomes.into_keys().collect();
    let by_dfs: Vec<String> = dfs_for_a_while(&of(function)).outcomes.into_keys().collect();
    assert!(by_dfs.iter().all(|outcome| outcomes.contains(outcome)), "{function}: {by_dfs:?}");
    (outcomes, found.executions)
}

#[test]
fn files_have_the_orders_that_matter() {
    if !erlang_is_there() {
        return;
    }
    let expected: [(&str, &[&str], u64); 8] = [
        ("cooked", &["\"line 1\\n\""], 9),
        ("two_names", &["{ok,ok}"], 1),
        ("two_reads", &["{{error,enoent},{error,enoent}}"], 1),
        ("list_beside_a_write", &["{{ok,[\"a\"]},ok}", "{{ok,[]},ok}"], 2),
        ("rename_beside_a_read", &["{{error,ok},ok}", "{{ok,error},ok}", "{{ok,ok},ok}"], 3),
        ("lost_update", &["<<\"1\">>", "<<\"2\">>"], 4),
        ("appended", &["2"], 4),
        ("polled", &["seen"], 2),
    ];
    for (function, outcomes, executions) in expected {
        let found = explored(function);
        assert_eq!(
            (found.0.iter().map(String::as_str).collect::<Vec<_>>().as_slice(), found.1),
            (outcomes, executions),
            "{function}"
        );
    }
    assert!(!std::path::Path::new("out").exists(), "nothing is written to the disk");
}

#[test]
fn a_loop_that_waits_for_a_file_that_nobody_writes_is_a_livelock() {
    if !erlang_is_there() {
        return;
    }
    let failure = optimal(&of("never")).failure.expect("it never ends");
    assert_eq!(failure.kind(), raddle_core::verdict::FailureKind::Livelock);
}
