//! `raddle erl`: the Erlang world through the same command.

use crate::common::{command, out, raddle};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

fn suite() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suite/erlang")
}

fn erlang_is_there() -> bool {
    let there = Command::new("erlc").arg("-help").output().is_ok();
    if !there {
        assert!(std::env::var_os("CI").is_none(), "Erlang is not installed, and in CI it must be");
        eprintln!("skipped: Erlang is not installed (apt-get install erlang-base erlang-dev erlang-eunit)");
    }
    there
}

#[test]
fn chapter_6_of_the_thesis_passes() {
    if !erlang_is_there() {
        return;
    }
    let output = raddle(&suite(), &["erl", "reg_server_tests.erl", "--strict", "--grain", "thesis"]);
    let text = out(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert_eq!(text.matches("_test: passed, ").count(), 15, "{text}");
    assert!(text.ends_with("15 tests, all passed\n"), "{text}");
}

#[test]
fn its_own_options_are_its_own() {
    let output = raddle(&suite(), &["erl", "--help"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        out(&output).starts_with("usage: raddle erl [OPTIONS] [FILE.erl|FILE.beam]..."),
        "{}",
        out(&output)
    );
    let wrong = raddle(&suite(), &["erl", "--gain", "full"]);
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn ctrl_c_ends_it_with_what_it_has() {
    if !erlang_is_there() {
        return;
    }
    // More interleavings than anybody can wait for.
    let endless = ["erl", "small.erl", "--test", "readers_13", "--strategy", "dfs", "--keep-going"];
    let mut child = command(&suite(), &endless).stdout(Stdio::piped()).spawn().expect("it starts");
    // Somewhere in the middle; an interrupt before the search has begun ends it as well.
    std::thread::sleep(Duration::from_secs(2));
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(interrupt.success());
    let mut text = String::new();
    child.stdout.take().expect("its output").read_to_string(&mut text).expect("text");
    let status = child.wait().expect("it ends");
    assert!(text.starts_with("small:readers_13: "), "{text}");
    assert!(text.contains("(not exhaustive: "), "{text}");
    assert_eq!(status.code(), Some(2), "{text}");
}
