//! Runs the command on the fixtures, and reads what it says.

use serde_json::Value;
use std::collections::BTreeMap;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;

/// The folder of a fixture, copied to where it can be built. All tests share it: cargo lets one build at a time, and
/// what is built once is not built again.
pub fn fixture(name: &str) -> PathBuf {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    shared(&from, name)
}

/// A copy of a folder below the target directory, for all tests.
pub fn shared(from: &Path, name: &str) -> PathBuf {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(|e| e.into_inner());
    let to = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    copy(from, &to);
    to
}

/// Copies a folder. What is there already and the same stays as it is, so that cargo does not build it again.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_name() == "target" {
            continue;
        }
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
            let text =
                std::fs::read_to_string(entry.path()).unwrap().replace("RADDLE_ROOT", here.to_str().unwrap());
            if std::fs::read_to_string(&target).ok().as_ref() != Some(&text) {
                std::fs::write(&target, text).unwrap();
            }
        }
    }
}

/// `raddle` with these arguments, in this folder.
pub fn raddle(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

/// The same, not yet begun.
pub fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    command
        .args(arguments)
        .current_dir(folder)
        // One shim for all tests.
        .env("RADDLE_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("shim"))
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("COLUMNS");
    // What starts these tests may have set signals to be ignored: a shell in the background SIGINT, `nohup` SIGHUP.
    let hear_signals = || {
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            // SAFETY: a plain system call.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        Ok(())
    };
    // SAFETY: it does nothing but that.
    unsafe { command.pre_exec(hear_signals) };
    command
}

/// Another program, in the environment that the command has.
pub fn beside(folder: &Path, program: &str) -> Command {
    let mut other = Command::new(program);
    for (name, value) in command(folder, &[]).get_envs() {
        match value {
            Some(value) => other.env(name, value),
            None => other.env_remove(name),
        };
    }
    other.current_dir(folder);
    other
}

pub fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The report of one test is as it was; the table below it has times.
#[track_caller]
pub fn golden(folder: &Path, name: &str, arguments: &[&str]) {
    let said = raddle(folder, arguments);
    let report = out(&said);
    let report =
        report.split("\n\n\n").next().unwrap_or_default().replace(folder.to_str().unwrap(), "FOLDER");
    assert!(report.contains("ticket"), "{report}{}", err(&said));
    insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(name, report) });
}

/// What became of each test, from the command's JSON, and its exit code.
pub fn explored(folder: &Path, arguments: &[&str]) -> (BTreeMap<String, Value>, i32) {
    let mut all = vec!["test", "--message-format", "json"];
    all.extend(arguments);
    results(&raddle(folder, &all))
}

/// The same from what the command said.
pub fn results(output: &Output) -> (BTreeMap<String, Value>, i32) {
    let text = out(output);
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let tests: BTreeMap<String, Value> = lines
        .filter(|line| line["reason"] == "raddle-test")
        .map(|line| (line["test"].as_str().unwrap().to_owned(), line))
        .collect();
    assert!(!tests.is_empty(), "no test was explored\n{text}\n{}", err(output));
    (tests, output.status.code().unwrap())
}

/// A test that failed like this, and whose ticket brings that about again: the first line of the message. Returns the defect.
pub fn failed_as<'a>(folder: &Path, test: &'a Value, kind: &str) -> &'a Value {
    let name = test["test"].as_str().unwrap();
    assert_eq!(test["verdict"], "failed", "{name}: {test:#}");
    let defect = &test["failure"]["defect"];
    assert_eq!(defect["kind"], kind, "{name}: {defect:#}");
    let replayed = raddle(folder, &["replay", test["ticket"].as_str().unwrap()]);
    assert_eq!(replayed.status.code(), Some(1), "{name}: {}", err(&replayed));
    let first = defect["message"].as_str().unwrap().lines().next().unwrap();
    assert!(out(&replayed).contains(first), "{name}: {}", out(&replayed));
    defect
}

/// The workflow commands that GitHub's runner takes from what was printed, and the token between which it takes none. As the
/// runner does, it takes spaces before a command for nothing.
pub fn workflow_commands(printed: &str) -> (Vec<&str>, String) {
    let (mut commands, mut stopped, mut token) = (Vec::new(), false, String::new());
    for line in printed.lines().map(str::trim_start).filter(|line| line.starts_with("::")) {
        match (stopped, line.strip_prefix("::stop-commands::")) {
            (false, Some(given)) => (stopped, token) = (true, given.to_owned()),
            (false, None) => commands.push(line),
            (true, _) => stopped = line != format!("::{token}::"),
        }
    }
    assert!(!stopped, "commands are taken again at the end: {printed}");
    (commands, token)
}

/// The data of a page.
pub fn data_of_page(page: &str) -> Value {
    let (_, data) = page.split_once("id=\"data\">").expect("it has data");
    let (data, _) = data.split_once("</script>").expect("they end");
    serde_json::from_str(data).expect("they are JSON")
}
