//! The command line: the example of the README, bad input, and `new`.

use crate::common::{
    beside, command, data_of_page, err, fixture, out, raddle, results, shared, workflow_commands,
};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn bank(name: &str) -> PathBuf {
    shared(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bank"), name)
}

#[test]
fn the_lost_deposit_is_found_and_comes_back() {
    let folder = bank("a bank");
    let parent = folder.parent().unwrap();
    let name = folder.file_name().unwrap().to_str().unwrap();
    let found = raddle(parent, &["test", name]);
    let text = out(&found);
    assert_eq!(found.status.code(), Some(1), "{text}{}", err(&found));
    let heading =
        "bank: tests::no_deposit_is_lost\nraddle: panic in execution 1 of tests::no_deposit_is_lost\n";
    assert!(text.starts_with(heading), "{text}");
    assert!(text.contains("account.balance(), 150, \"a deposit was lost\""), "{text}");
    assert!(text.contains("2 tests: 1 passed (1 of them exhaustively), 1 failed"), "{text}");
    let ticket = text.lines().find_map(|line| line.strip_prefix("  ticket   ")).unwrap();
    let manifest = format!("--manifest-path={name}/Cargo.toml");
    assert!(text.contains(&format!("  replay   cargo raddle replay '{ticket}' '{manifest}'\n")), "{text}");
    for _ in 0..2 {
        let replayed = raddle(parent, &["replay", ticket, &manifest]);
        assert_eq!(replayed.status.code(), Some(1), "{}", err(&replayed));
        assert!(out(&replayed).contains("a deposit was lost"), "{}", out(&replayed));
    }
}

#[test]
fn cargo_knows_it_as_a_command() {
    let folder = bank("bank");
    let ours = Path::new(env!("CARGO_BIN_EXE_cargo-raddle")).parent().unwrap();
    let path = std::env::join_paths(
        [ours.to_path_buf()].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let cargo = |arguments: &[&str]| {
        let mut cargo = beside(&folder, env!("CARGO"));
        cargo.env("PATH", path.as_ref().unwrap()).arg("raddle").args(arguments).output().unwrap()
    };
    let found = cargo(&["test", "--lib", "--html", "pages", "--github", "--", "lost"]);
    assert_eq!(found.status.code(), Some(1), "{}", err(&found));
    assert!(out(&found).contains("page: "), "{}", out(&found));
    let printed = out(&found);
    let (annotations, _) = workflow_commands(&printed);
    assert!(printed.starts_with("::stop-commands::raddle-"), "{printed}");
    let is_it = |line: &str| line.starts_with("::error file=src/lib.rs,line=44,");
    assert!(matches!(annotations[..], [one] if is_it(one)), "{printed}");
    assert!(out(&found).contains("1 test: 0 passed (0 of them exhaustively), 1 failed"), "{}", out(&found));
    let ticket = "target/raddle/bank.tests.no_deposit_is_lost.json";
    let shown = cargo(&["show", ticket]);
    assert!(out(&shown).contains("a deposit was lost") && shown.status.success(), "{}", err(&shown));
    assert_eq!(cargo(&["replay", ticket]).status.code(), Some(1));
    assert!(out(&cargo(&["--help"])).contains("cargo raddle"));
    // The same as pages.
    let suite = data_of_page(&std::fs::read_to_string(folder.join("pages/index.html")).unwrap());
    let outcome = &suite["outcomes"][0];
    let link = "bank.tests.no_deposit_is_lost.html";
    assert_eq!((&outcome["verdict"], &outcome["page"]), (&"failed".into(), &link.into()), "{suite:#}");
    let of_suite = data_of_page(&std::fs::read_to_string(folder.join("pages").join(link)).unwrap());
    assert!(cargo(&["show", "--html", ticket, "-o", "one.html"]).status.success());
    let one = data_of_page(&std::fs::read_to_string(folder.join("one.html")).unwrap());
    assert_eq!(of_suite["trace"], one["trace"]);
    assert_eq!((&of_suite["suite"], &one["suite"]), (&"index.html".into(), &serde_json::Value::Null));
    let record = &one["trace"]["failure"]["record"];
    // Main has started the other before the first choice.
    assert_eq!(record["enabled"], serde_json::json!([0, 1]), "{record:#}");
    assert!(out(&cargo(&["show", "--format", "dot", ticket])).starts_with("digraph execution {\n"));
    let unknown = err(&cargo(&["show", "--format", "picture", ticket]));
    assert!(unknown.contains("none of dot, json, perfetto, html"), "{unknown}");
    let step = cargo(&["show", "--step", "3", ticket]);
    assert!(out(&step).starts_with("step 3: main"), "{}{}", out(&step), err(&step));
    let none = err(&cargo(&["show", "--step", "99", ticket]));
    assert!(none.contains("there is no step 99: the steps are 1 to 7"), "{none}");
    let quoted = one["sources"][0]["lines"].to_string();
    assert!(quoted.contains("let seen = self.balance.load(SeqCst);"), "{quoted}");
    assert_eq!(
        out(&cargo(&["show", "--html", ticket])),
        std::fs::read_to_string(folder.join("one.html")).unwrap()
    );
}

/// From the machine of a CI to a laptop: the ticket is all that is copied.
#[test]
fn a_ticket_is_replayed_in_another_checkout() {
    let (ci, laptop) = (bank("bank"), bank("laptop"));
    assert_eq!(raddle(&ci, &["test", "--lib", "--", "lost"]).status.code(), Some(1));
    let kept = ci.join("target/raddle/bank.tests.no_deposit_is_lost.json");
    let text = std::fs::read_to_string(&kept).unwrap();
    assert!(!text.contains(ci.to_str().unwrap()), "{text}");
    let elsewhere = laptop.join("from-ci.json");
    std::fs::write(&elsewhere, &text).unwrap();
    let shown = raddle(&laptop, &["show", "from-ci.json"]);
    assert!(shown.status.success() && out(&shown).contains("\"a deposit was lost\""), "{}", err(&shown));
    let replayed = raddle(&laptop, &["replay", "from-ci.json"]);
    assert_eq!(replayed.status.code(), Some(1), "{}", err(&replayed));
    assert!(out(&replayed).contains("  replay   cargo raddle replay from-ci.json\n"), "{}", out(&replayed));
    let manifest = format!("--manifest-path={}", laptop.join("Cargo.toml").display());
    let from_outside = raddle(laptop.parent().unwrap(), &["replay", elsewhere.to_str().unwrap(), &manifest]);
    assert_eq!(from_outside.status.code(), Some(1), "{}", err(&from_outside));
    // Edit, replay, see.
    let source = laptop.join("src/lib.rs");
    let code = std::fs::read_to_string(&source).unwrap();
    std::fs::write(&source, code + "\npub fn another() {}\n").unwrap();
    let edited = raddle(&laptop, &["replay", "from-ci.json"]);
    assert_eq!(edited.status.code(), Some(1), "{}", err(&edited));
    assert!(out(&edited).contains("changed since the ticket"), "{}", out(&edited));
    // Neither a ticket that was changed, nor the checkout of another package.
    std::fs::write(&elsewhere, text.replace("no_deposit_is_lost", "no_deposit_was_lost")).unwrap();
    let forged = raddle(&laptop, &["replay", "from-ci.json"]);
    assert!(
        err(&forged).contains("its checksum is wrong") && forged.status.code() == Some(2),
        "{}",
        err(&forged)
    );
    let other = raddle(&fixture("verdicts"), &["replay", kept.to_str().unwrap()]);
    assert_eq!(other.status.code(), Some(2));
    assert!(
        err(&other).contains("the ticket belongs to the package bank, which is not in"),
        "{}",
        err(&other)
    );
}

#[test]
fn builds_of_no_use_are_deleted() {
    let folder = bank("bank");
    let ours = folder.join("target/raddle");
    let old = ours.join("build-0123456789abcdef");
    std::fs::create_dir_all(old.join("debug")).unwrap();
    std::fs::write(ours.join("kept.json"), "{}").unwrap();
    let listed = raddle(&folder, &["test", "--list"]);
    assert_eq!(listed.status.code(), Some(0), "{}", err(&listed));
    // Another test may be using the folder at this moment: then a later run deletes it.
    let gone = (0..100).any(|_| {
        let gone = !old.exists();
        if !gone {
            raddle(&folder, &["test", "--list"]);
        }
        gone
    });
    assert!(gone && ours.join("kept.json").exists());
    let builds = std::fs::read_dir(&ours)
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("build-"));
    assert_eq!(builds.count(), 1, "the build that is in use is still there");
}

#[test]
fn bad_input_is_told_clearly() {
    let folder = bank("bank");
    std::fs::write(folder.join("broken.json"), "{ \"version\": 1, \"ste").unwrap();
    std::fs::write(folder.join("newer.json"), "{ \"version\": 9 }").unwrap();
    let cases: [(&[&str], &str); 11] = [
        (&["test", "./nowhere"], "./nowhere is no folder with a Cargo.toml"),
        (&["test", "--manifest-path", "nowhere/Cargo.toml"], "cargo finds nothing to test"),
        (&["test", "-p", "nobody"], "raddle: cargo has not begun to build (see above)"),
        (&["test", "--only", "nobody"], "there is no test with the name nobody; --list shows all"),
        (&["test", "--exclude", "nobody"], "--exclude nobody: the program has no crate of that name"),
        (&["test", "--budget", "soon"], "it takes a time such as `10s` or `2m`"),
        (&["test", "--workers", "0"], "it takes a number from 1"),
        (&["test", "--", "--bench"], "`--bench` after `--` is not understood"),
        (&["replay", "nowhere.json"], "cannot read the ticket nowhere.json"),
        (&["show", "broken.json"], "broken.json: not a usable ticket"),
        (&["replay", "newer.json"], "it has version 9, this raddle reads version 2"),
    ];
    for (arguments, words) in cases {
        let output = raddle(&folder, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", out(&output));
        assert!(err(&output).contains(words), "{arguments:?}: {}", err(&output));
    }
}

#[test]
fn a_filter_that_fits_nothing_says_so() {
    let output = raddle(&bank("bank"), &["test", "nothing_like_that"]);
    assert_eq!(output.status.code(), Some(2), "nothing was explored");
    assert!(out(&output).contains("0 tests: none has such a name"), "{}", out(&output));
}

#[test]
fn a_failure_is_told_also_if_its_ticket_cannot_be_written() {
    let folder = bank("full-bank");
    let ticket = folder.join("target/raddle/bank.tests.no_deposit_is_lost.json");
    // Nothing can take its place.
    std::fs::create_dir_all(ticket.join("in the way")).unwrap();
    let found = raddle(&folder, &["test", "--lib"]);
    let text = out(&found);
    assert_eq!(found.status.code(), Some(1), "{}", err(&found));
    let words = format!("  replay   not possible: the ticket could not be written to {}: ", ticket.display());
    assert!(text.contains("a deposit was lost") && text.contains(&words), "{text}");
    let left = std::fs::read_dir(ticket.parent().unwrap()).unwrap();
    let names: Vec<String> = left.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(names.iter().filter(|name| name.contains(".json")).count(), 1, "{names:?}");
}

#[test]
fn ctrl_c_ends_it_with_what_it_has() {
    let folder = fixture("verdicts");
    let mut child =
        command(&folder, &["test", "--message-format", "json", "--patience", "1h", "--jobs", "2"])
            .args(["--only", "cannot::in_any_time", "--only", "passes::alone"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
    // The one that does not end was begun first.
    let mut said = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    while !text.contains("passes::alone") {
        assert_ne!(said.read_line(&mut text).unwrap(), 0, "it has ended before: {text}");
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    said.read_to_string(&mut text).unwrap();
    let mut output = child.wait_with_output().unwrap();
    output.stdout = text.into_bytes();
    let (tests, code) = results(&output);
    assert_eq!(code, 2, "{tests:#?}");
    assert_eq!(tests["passes::alone"]["verdict"], "passed");
    assert_eq!(tests["cannot::in_any_time"]["because"], "interrupted");
    assert!(err(&output).contains("raddle: interrupted; 0 tests were not begun"), "{}", err(&output));
}

#[test]
fn new_adds_a_first_test() {
    let folder = bank("new-bank");
    let _ = std::fs::remove_file(folder.join("tests/interleavings.rs"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let added = raddle(&folder, &["new", "--from", root.to_str().unwrap()]);
    assert_eq!(added.status.code(), Some(0), "{}", err(&added));
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    assert!(manifest.contains("[dev-dependencies]\nraddle = "), "{manifest}");
    assert!(
        std::fs::read_to_string(folder.join("tests/interleavings.rs")).unwrap().contains("#[raddle::test]")
    );
    let passes = raddle(&folder, &["test", "--test", "interleavings"]);
    assert_eq!(passes.status.code(), Some(0), "{}{}", out(&passes), err(&passes));
    assert!(out(&passes).contains("1 test: 1 passed (1 of them exhaustively)"), "{}", out(&passes));
    let again = raddle(&folder, &["new", "--from", root.to_str().unwrap()]);
    assert_eq!(again.status.code(), Some(2));
    assert!(err(&again).contains("is there already"), "{}", err(&again));
}

#[test]
fn a_schedule_that_does_not_fit_any_more_says_where() {
    let folder = bank("other-bank");
    let found = raddle(&folder, &["test", "--only", "tests::no_deposit_is_lost"]);
    let text = out(&found);
    let ticket = text.lines().find_map(|line| line.strip_prefix("  ticket   ")).unwrap();
    let source = folder.join("src/lib.rs");
    let before = std::fs::read_to_string(&source).unwrap();
    let load = "let seen = self.balance.load(SeqCst);";
    let after = before.replace(load, &format!("self.balance.fetch_add(0, SeqCst);\n        {load}"));
    std::fs::write(&source, after).unwrap();
    let replayed = raddle(&folder, &["replay", ticket]);
    assert_eq!(replayed.status.code(), Some(2), "{}", out(&replayed));
    let words = err(&replayed);
    assert!(
        words.contains("raddle: the ticket does not fit: it expects step 1 to be `main.1 load"),
        "{words}"
    );
    assert!(!words.contains("-arc"), "counts are visible where they matter: {words}");
}

#[test]
fn progress_is_shown_on_a_terminal_and_not_in_ci() {
    let folder = bank("bank");
    let search = "test --strategy uniform --schedules 1000000000 --budget 3s --only tests::a_deposit_is_seen";
    let shown = |in_ci: &str| {
        // On a terminal of its own.
        let mut script = beside(&folder, "script");
        script.env("CI", in_ci).args([
            "-qec",
            &format!("{} {search}", env!("CARGO_BIN_EXE_raddle")),
            "/dev/null",
        ]);
        script.output().unwrap_or_else(|e| panic!("`script` (of util-linux) is needed for this test: {e}"))
    };
    let on_a_terminal = out(&shown(""));
    assert!(on_a_terminal.contains("\r\u{1b}[K"), "{on_a_terminal}");
    assert!(on_a_terminal.contains("0 of 1 tests done · tests::a_deposit_is_seen: "), "{on_a_terminal}");
    let in_ci = out(&shown("true"));
    assert!(in_ci.contains("1 test: 1 passed") && !in_ci.contains("\r\u{1b}[K"), "{in_ci}");
}

#[test]
fn a_schedule_can_be_looked_at_in_a_debugger() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let folder = bank("bank");
    let found = raddle(&folder, &["test", "--only", "tests::no_deposit_is_lost"]);
    let text = out(&found);
    let ticket = text.lines().find_map(|line| line.strip_prefix("  ticket   ")).unwrap();
    let mut gdb = command(&folder, &["replay", ticket, "--gdb"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let commands = "run\nbacktrace\nkill\nquit\n";
    // Only a debugger reads this.
    let _ = gdb.stdin.take().unwrap().write_all(commands.as_bytes());
    let output = gdb.wait_with_output().unwrap();
    if Command::new("gdb").arg("--version").output().is_ok() {
        assert!(out(&output).contains("bank::tests::no_deposit_is_lost"), "{}{}", out(&output), err(&output));
    } else {
        assert_eq!(output.status.code(), Some(2));
        assert!(err(&output).contains("cannot run gdb"), "{}", err(&output));
    }
}
