//! A search that is killed loses only what it has done since its last checkpoint.

use crate::common::{command, out, raddle};
use crate::erlang::{compile_text, erlang_is_there};
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// Readers and writers of a table, one of which fails in some interleavings.
const SOURCE: &str = "-module(killed).
-export([sums_test/0]).
sums_test() ->
    T = ets:new(t, [public]),
    ets:insert(T, {x, 0}),
    Me = self(),
    Add = fun(N) -> [{x, V}] = ets:lookup(T, x), ets:insert(T, {x, V + N}), Me ! done end,
    [spawn(fun() -> Add(N) end) || N <- [1, 2, 3, 4]],
    [receive done -> ok end || _ <- [1, 2, 3, 4]],
    [{x, Sum}] = ets:lookup(T, x),
    true = Sum > 1.
";

const FILE: &str = ".raddle/killed.sums_test.search.json";
const KILLS: usize = 30;

/// What was found of the test, without what differs from run to run.
fn found(folder: &Path, arguments: &[&str]) -> Value {
    let mut all = vec!["erl", "killed.beam", "--keep-going", "--message-format", "json"];
    all.extend(arguments);
    let text = out(&raddle(folder, &all));
    let line = text.lines().find(|line| line.contains("raddle-test")).unwrap_or_else(|| panic!("{text}"));
    let found: Value = serde_json::from_str(line).unwrap();
    let keys = ["coverage", "executions", "steps", "stages", "verdict", "failures", "failures_by_kind"];
    keys.into_iter().map(|key| (key.to_owned(), found[key].clone())).collect::<serde_json::Map<_, _>>().into()
}

/// Numbers that are the same every time (xorshift).
fn numbers(mut seed: u64) -> impl Iterator<Item = u64> {
    std::iter::repeat_with(move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    })
}

#[test]
fn thirty_kills_lose_no_result() {
    if !erlang_is_there() {
        return;
    }
    let folder = compile_text("killed", SOURCE);
    let _ = std::fs::remove_file(folder.join(FILE));
    let whole = found(&folder, &[]);
    assert!(!folder.join(FILE).exists(), "nothing is left to explore");
    let mut kills = 0;
    for moment in numbers(7) {
        let mut arguments = vec!["erl", "killed.beam", "--keep-going", "--checkpoint", "1ms"];
        if folder.join(FILE).exists() {
            arguments.extend(["--resume", FILE]);
        } else if kills >= KILLS {
            assert!(kills < 10 * KILLS, "no search ever saved itself");
        }
        let mut child = command(&folder, &arguments).stdout(Stdio::null()).spawn().expect("it starts");
        std::thread::sleep(Duration::from_millis(40 + moment % 120));
        assert_eq!(child.try_wait().unwrap(), None, "the program is too small for this test");
        // This is SIGKILL.
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        if kills >= KILLS && folder.join(FILE).exists() {
            break;
        }
    }
    let saved = std::fs::read_to_string(folder.join(FILE)).unwrap();
    assert!(!saved.contains("\"executions\":0"), "a search that saved itself has found something");
    assert_eq!(found(&folder, &["--resume", FILE]), whole, "after {kills} kills");
    // What was written only half is not left behind, and a file whose search is through is of no use.
    let names = std::fs::read_dir(folder.join(".raddle")).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = names.filter(|name| !name.to_string_lossy().ends_with(".json")).collect();
    assert!(left.len() <= 1, "{left:?}");
}
