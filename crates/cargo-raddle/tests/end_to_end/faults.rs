//! What cannot be written or is not there: full disks, outputs that are closed, folders that are missing. There is a message and no
//! panic, nothing half-written stays, and what was not saved is said. And no output has active characters of a program.

use crate::common::{command, err, out, raddle, shared};
use crate::erlang::{compile_text, erlang_is_there};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The fixture that has the same tests in both worlds, in a folder of this file's own.
fn features() -> PathBuf {
    copied("faulty features")
}

fn copied(name: &str) -> PathBuf {
    shared(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/features"), name)
}

/// The test that is asked for, in both worlds, with its folder.
fn worlds(rust: &str, erlang: &str) -> [(PathBuf, Vec<String>); 2] {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    [
        (copied("unsaved features"), words(&["test", "--only", rust])),
        (copied("unsaved features").join("erlang"), words(&["erl", "features_tests.erl", "--test", erlang])),
    ]
}

fn run(folder: &Path, arguments: &[String], more: &[&str]) -> Output {
    raddle(folder, &arguments.iter().map(String::as_str).chain(more.iter().copied()).collect::<Vec<_>>())
}

/// The command through a shell, which redirects its outputs or limits it.
fn in_shell(folder: &Path, script: &str, arguments: &[&str]) -> Output {
    let plain = command(folder, arguments);
    let mut shell = Command::new("bash");
    shell.args(["-c", script]).arg(plain.get_program()).args(arguments).current_dir(folder);
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell.output().unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let listed = std::fs::read_dir(folder).into_iter().flatten().flatten();
    listed.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn what_was_not_saved_is_said_in_both_worlds() {
    if !erlang_is_there() {
        return;
    }
    for (test, file, code) in [("fails", "fails", 1), ("large", "large.search", 0)] {
        for (at, (folder, arguments)) in
            worlds(&format!("tests::{test}"), &format!("{test}_test")).into_iter().enumerate()
        {
            let in_the_way = match at {
                0 => folder.join(format!("target/raddle/features.tests.{file}.json")),
                _ => folder.join(format!(
                    ".raddle/features_tests.{}.json",
                    file.replace("large", "large_test").replace("fails", "fails_test")
                )),
            };
            // Nothing can take the place of a folder that is not empty.
            let _ = std::fs::remove_file(&in_the_way);
            std::fs::create_dir_all(in_the_way.join("in the way")).unwrap();
            let search = ["--strategy", "dfs", "--budget", "300ms"];
            let told = run(&folder, &arguments, &search);
            let what = if test == "fails" { "ticket" } else { "search" };
            let expected = format!("the {what} could not be written to ");
            assert!(out(&told).contains(&expected), "{test}: {}{}", out(&told), err(&told));
            assert_eq!(told.status.code(), Some(code), "{}", err(&told));
            let told = run(&folder, &arguments, &[&search[..], &["--message-format", "json"]].concat());
            let text = out(&told);
            let line = text.lines().find(|line| line.contains("\"raddle-test\"")).unwrap();
            let result: Value = serde_json::from_str(line).unwrap();
            let not_saved = result["not_saved"][0].as_str().unwrap_or_default();
            assert!(not_saved.starts_with(&expected), "{result:#}");
            let left = names(in_the_way.parent().unwrap());
            assert!(!left.iter().any(|name| name.ends_with(".partial")), "{left:?}");
            std::fs::remove_dir_all(in_the_way).unwrap();
        }
    }
}

/// A process that may write no byte to any file stands for a full disk.
const FULL: &str = "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"";

#[test]
fn on_a_full_disk_there_are_messages_and_no_files() {
    if !erlang_is_there() {
        return;
    }
    let source = "-module(on_full_disk).\n-export([a_test/0]).\na_test() -> error(found).\n";
    let folder = compile_text("on_full_disk", source);
    let found = in_shell(&folder, FULL, &["erl", "on_full_disk.beam"]);
    assert_eq!(found.status.code(), Some(1), "{}", err(&found));
    let expected =
        "  ticket   the ticket could not be written to .raddle/on_full_disk.a_test.json: File too large";
    assert!(out(&found).contains(expected), "{}", out(&found));
    assert_eq!(names(&folder.join(".raddle")), Vec::<String>::new());
    // Without a compiled file there is nothing to check.
    let none = in_shell(&folder, FULL, &["erl", "on_full_disk.erl"]);
    assert!(none.status.code() == Some(2) && err(&none).contains("file too large"), "{}", err(&none));
    let built = raddle(&features(), &["test", "--lib", "--list"]);
    assert_eq!(built.status.code(), Some(0), "{}", err(&built));
    let rust = in_shell(&features(), FULL, &["test", "--lib", "--only", "tests::fails"]);
    assert_eq!(rust.status.code(), Some(2), "{}", out(&rust));
    assert!(err(&rust).contains(": File too large"), "{}", err(&rust));
}

#[test]
fn outputs_that_take_nothing_are_no_panics() {
    let folder = features();
    let (passes, fails) = (["test", "--only", "tests::passes"], ["test", "--only", "tests::fails"]);
    let run = |redirect: &str, arguments: &[&str]| {
        let output = in_shell(&folder, &format!("exec \"$0\" \"$@\" {redirect}"), arguments);
        assert!(!err(&output).contains("panicked"), "{}", err(&output));
        (output.status.code(), err(&output))
    };
    let incomplete =
        "raddle: the output is not complete, standard output cannot be written to: No space left";
    for (arguments, code) in
        [(&passes[..], 2), (&fails, 1), (&["test", "--list"], 2), (&["--help"], 2), (&["--version"], 2)]
    {
        let (found, said) = run(">/dev/full", arguments);
        assert_eq!(found, Some(code), "{arguments:?}: {said}");
        assert!(said.contains(incomplete), "{arguments:?}: {said}");
        assert_eq!(run(">/dev/full 2>/dev/full", arguments).0, Some(code), "{arguments:?}");
    }
    // A reader that has gone, and outputs that are closed: the verdict is in the exit code.
    for redirect in ["> >(true)", ">&-", ">&- 2>&-", "> >(true) 2>&1"] {
        assert_eq!(run(redirect, &passes).0, Some(0), "{redirect}");
        assert_eq!(run(redirect, &fails).0, Some(1), "{redirect}");
        assert_eq!(run(redirect, &["show", "no.json"]).0, Some(2), "{redirect}");
    }
}

#[test]
fn folders_that_are_not_there_are_named() {
    let folder = features();
    let said = |name: &str, arguments: &[&str]| {
        let mut command = command(&folder, arguments);
        if name == "HOME" {
            // Cargo's and rustup's own folders are where they were.
            let home = std::env::var("HOME").unwrap_or_default();
            let kept = |name: &str, usual: &str| std::env::var(name).unwrap_or(format!("{home}/{usual}"));
            command.env("CARGO_HOME", kept("CARGO_HOME", ".cargo"));
            command.env("RUSTUP_HOME", kept("RUSTUP_HOME", ".rustup"));
            command.env_remove("RADDLE_CACHE").env_remove("XDG_CACHE_HOME");
        }
        let output = command.env(name, "/nowhere/at/all").output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", out(&output));
        err(&output)
    };
    let temporary =
        "raddle: the folder for temporary files, /nowhere/at/all, is not there; TMPDIR says which it is";
    let text = said("TMPDIR", &["test", "--list"]);
    assert!(text.contains(temporary), "{text}");
    let home = "raddle: there is no folder for the shim: HOME is /nowhere/at/all, which is not there";
    let text = said("HOME", &["test", "--list"]);
    assert!(text.contains(home), "{text}");
    if erlang_is_there() {
        let text = said("TMPDIR", &["erl", "erlang/features_tests.erl"]);
        assert!(text.contains(temporary), "{text}");
    }
    assert!(!Path::new("/nowhere/at").exists());
}

#[test]
fn no_output_has_active_characters_of_a_program() {
    if !erlang_is_there() {
        return;
    }
    let source = "-module(active).
-export([bad_test/0, '\\e[2Jx\\n_test'/0]).
bad_test() ->
    S = self(),
    spawn(fun() -> S ! {'\\e]0;t\\x{202e}\\x{9b}', <<\"\\e[2J\">>} end),
    io:format(\"\\e[2Jprinted~ts~n\", [[16#202e]]),
    receive X -> error({X, '\\e[31m\\x{200f}'}) end.
'\\e[2Jx\\n_test'() -> exit('\\e[3m').
";
    let folder = compile_text("active", source);
    for arguments in [&["erl", "active.beam"][..], &["erl", "active.beam", "--message-format", "json"]] {
        let output = raddle(&folder, arguments);
        assert_eq!(output.status.code(), Some(1), "{}", err(&output));
        let text = out(&output) + &err(&output);
        let is_active = |c: char| c != '\n' && c.is_control() || matches!(c, '\u{202e}' | '\u{200f}');
        assert!(!text.chars().any(is_active), "{text:?}");
        let escaped = text.contains("\\u{202e}") && text.contains("active:\\u{1b}[2Jx\\n_test: FAILED");
        assert!(escaped || text.contains("\\u202e"), "{text}");
    }
}
