//! `raddle erl`: the Erlang world through the same command.

use crate::common::{command, out, raddle};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

fn suite() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suite/erlang")
}

/// A directory of the test's own.
pub fn directory(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&dir).expect("a directory for the test");
    dir
}

/// Compiles files of `suite/erlang` into a directory of the test's own.
pub fn compile_suite(name: &str, files: &[&str]) -> PathBuf {
    compile_files(name, &files.iter().map(|file| suite().join(file)).collect::<Vec<_>>())
}

/// Compiles a module whose text is given.
pub fn compile_text(module: &str, text: &str) -> PathBuf {
    let file = directory(module).join(format!("{module}.erl"));
    std::fs::write(&file, text).expect("the source is written");
    compile_files(module, &[file])
}

fn compile_files(name: &str, files: &[PathBuf]) -> PathBuf {
    let dir = directory(name);
    let output = Command::new("erlc").arg("-o").arg(&dir).args(files).output().expect("erlc runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    dir
}

pub fn erlang_is_there() -> bool {
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
    let covered = "(exhaustive · grain thesis · signals at once · timers when idle)";
    let passed = |line: &&str| line.contains("_test: passed, ") && line.ends_with(covered);
    assert_eq!(text.lines().filter(passed).count(), 15, "{text}");
    assert!(text.ends_with("15 tests, all passed\n"), "{text}");
}

#[test]
fn its_own_options_are_its_own() {
    let output = raddle(&suite(), &["erl", "--help"]);
    assert_eq!(output.status.code(), Some(0));
    for flag in ["--grain", "--delivery", "--kill", "--pa", "--strategy", "--resume", "--replay"] {
        assert!(out(&output).contains(flag), "{flag} is not in {}", out(&output));
    }
    let wrong = raddle(&suite(), &["erl", "--gain", "full"]);
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn ctrl_c_and_its_like_end_it_with_what_it_has() {
    if !erlang_is_there() {
        return;
    }
    for signal in ["-INT", "-TERM", "-HUP"] {
        ends_with_what_it_has(signal);
    }
}

fn ends_with_what_it_has(signal: &str) {
    // Too many interleavings to wait for.
    let file = suite().join("small.erl");
    let file = file.to_str().expect("a plain name");
    let endless =
        ["erl", file, "--test", "readers_13", "--strategy", "dfs", "--keep-going", "--checkpoint", "500ms"];
    let folder = directory("erl_interrupted");
    let saved = folder.join(".raddle/small.readers_13.search.json");
    let _ = std::fs::remove_file(&saved);
    let mut child = command(&folder, &endless).stdout(Stdio::piped()).spawn().expect("it starts");
    // Somewhere in the middle: it has saved itself.
    while !saved.exists() {
        assert_eq!(child.try_wait().expect("it is ours"), None, "it has ended before");
        std::thread::sleep(Duration::from_millis(20));
    }
    let interrupt = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill runs");
    assert!(interrupt.success());
    let mut text = String::new();
    child.stdout.take().expect("its output").read_to_string(&mut text).expect("text");
    let status = child.wait().expect("it ends");
    assert!(text.starts_with("small:readers_13: "), "{text}");
    assert!(text.contains("(not exhaustive: "), "{text}");
    // It has found a failure by then; without one it would be 2.
    assert_eq!(status.code(), Some(1), "{text}");
    let offered = format!(
        "  to go on from here: raddle erl {file} --test readers_13 --strategy dfs --keep-going --checkpoint 500ms --resume"
    );
    assert!(text.contains(&format!("{offered} .raddle/small.readers_13.search.json")), "{text}");
}
