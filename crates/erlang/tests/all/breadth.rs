//! The natives of OTP that are missing here: the guide lists them, and the list is compared with the
//! installed Erlang's. Their callers are found in the installed files.

use crate::common::*;
use raddle_core::verdict::FailureKind;
use raddle_erlang::beam::{Instr, Module, load};
use raddle_erlang::code::installed_otp;
use raddle_erlang::settings::Settings;
use raddle_erlang::term::Atom;
use raddle_erlang::versions::Dynamic;
use raddle_erlang::{native, refused, replaced};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

const GUIDE: &str = include_str!("../../guide/for_erlang_programmers.md");

/// Modules whose natives only OTP itself calls.
const INTERNAL: [&str; 6] =
    ["erl_ddll", "erts_debug", "erts_internal", "erts_literal_area_collector", "net_kernel", "prim_file"];

/// All natives of the installed Erlang, and its release.
fn natives() -> (String, BTreeSet<String>) {
    let print = "io:format(\"~s~n\", [erlang:system_info(otp_release)]),
        [io:format(\"~w:~w/~w~n\", [M, F, A]) || {M, F, A} <- erlang:system_info(snifs)], halt().";
    let output = Command::new("erl").args(["-noshell", "-eval", print]).output().expect("erl runs");
    let text = String::from_utf8(output.stdout).expect("text");
    let mut lines = text.lines().map(str::to_owned);
    (lines.next().unwrap_or_default(), lines.collect())
}

fn missing() -> (String, BTreeSet<String>) {
    let (release, theirs) = natives();
    assert!(theirs.len() > 400, "{}", theirs.len());
    let ours: BTreeSet<String> = native::all().map(|n| n.mfa().to_string()).collect();
    let of_ours = |name: &str| replaced::ALL.iter().any(|(module, _)| *module == name);
    let counts = |mfa: &&String| !of_ours(mfa.split(':').next().unwrap_or_default());
    (release, theirs.difference(&ours).filter(counts).cloned().collect())
}

/// The modules of these applications of the installed Erlang.
fn modules(applications: &[&str]) -> Vec<Module> {
    let mut found = Vec::new();
    for dir in installed_otp() {
        if !applications.iter().any(|app| dir.to_string_lossy().contains(app)) {
            continue;
        }
        for entry in std::fs::read_dir(&dir).expect("the directory is there").flatten() {
            if entry.path().extension().is_some_and(|e| e == "beam") {
                let bytes = std::fs::read(entry.path()).expect("the file can be read");
                found.push(load(&bytes).expect("it loads"));
            }
        }
    }
    found
}

/// The functions of a module that call one of these directly.
fn callers(module: &Module, of: &BTreeSet<String>) -> BTreeSet<String> {
    let called = |instr: &Instr| match instr {
        Instr::CallExt(n) | Instr::CallExtLast(n, _) | Instr::CallExtOnly(n) => Some(*n),
        Instr::Bif { import, .. } => Some(*import),
        _ => None,
    };
    let calls = module.code.iter().enumerate().filter_map(|(at, instr)| {
        let import = &module.imports[called(instr)? as usize];
        of.contains(&import.mfa.to_string()).then(|| module.function_at(at as u32)).flatten()
    });
    calls.map(|mfa| mfa.to_string()).collect()
}

/// What programs ask of their node has the same answer as in the installed Erlang, or is refused.
#[test]
fn the_node_answers_as_the_installed_erlang_does_or_not_at_all() {
    if !erlang_is_there() {
        return;
    }
    let programs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let dir = compile_files("node_facts", &[programs.join("node_facts.erl")], &[]);
    let output = Command::new("erl")
        .args(["-noshell", "-kernel", "logger_level", "none", "-pa"])
        .arg(&dir)
        .args(["-eval", "node_facts:print(), halt()."])
        .stdin(std::process::Stdio::null())
        .output()
        .expect("erl runs");
    let text = String::from_utf8(output.stdout).expect("text");
    let theirs: Vec<(&str, &str)> =
        text.lines().filter(|line| line.starts_with("q_")).filter_map(|line| line.split_once(' ')).collect();
    assert!(theirs.len() > 60, "{text}");
    let (mut same, mut refused) = (0, 0);
    for (function, answer) in theirs {
        let dynamic = Dynamic::of([Atom::new("$logger_config$")]);
        let found = all(&program(&dir, "node_facts", function, Settings { dynamic, ..Settings::default() }));
        match found.failure {
            Some(failure) if failure.kind() == FailureKind::Unsupported => {
                assert!(failure.message().contains("is not supported"), "{function}: {}", failure.message());
                refused += 1;
            }
            // An exception that `answer` would catch.
            Some(failure) => {
                let what = answer.trim_matches(['{', '}']).split(',').nth(1).unwrap_or(answer);
                assert!(failure.message().contains(what), "{function}: {} is no {answer}", failure.message());
                same += 1;
            }
            None => {
                let ours: Vec<String> = found.outcomes.keys().map(|o| o.replace(' ', "")).collect();
                assert_eq!(ours, [answer.replace(' ', "")], "{function}");
                same += 1;
            }
        }
    }
    assert!(same > 40 && refused > 10, "{same} the same, {refused} refused");
}

/// The names in the list of the guide.
fn listed() -> BTreeSet<String> {
    let section = GUIDE.split("are\nmissing (a test holds").nth(1).expect("the guide has the list");
    let list = section.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a list");
    list.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn the_guide_lists_what_is_not_supported() {
    if !erlang_is_there() {
        return;
    }
    let (release, missing) = missing();
    let internal = |mfa: &&String| INTERNAL.contains(&mfa.split(':').next().unwrap_or_default());
    let is_refused = |mfa: &&String| {
        let (module, rest) = mfa.split_once(':').unwrap_or_default();
        refused::needs(module, rest.rsplit_once('/').map_or(rest, |(name, _)| name)).is_some()
    };
    let named: BTreeSet<String> =
        missing.iter().filter(|mfa| !internal(mfa) && !is_refused(mfa)).cloned().collect();
    if release != "25" {
        eprintln!("skipped: the list is that of OTP 25, and OTP {release} is installed");
        return;
    }
    assert_eq!(listed(), named);
}

/// The guide's list is the table by which calls are refused.
#[test]
fn the_guide_lists_what_is_refused() {
    let section = GUIDE.split("<!-- refused -->\n").nth(1).expect("the guide has the list");
    let lines: Vec<&str> = section.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, refused::listed(), "write these lines between the marks of the guide");
}

#[test]
fn what_stdlib_needs_is_there() {
    if !erlang_is_there() {
        return;
    }
    let (_, missing) = missing();
    let in_need: BTreeMap<String, BTreeSet<String>> = modules(&["stdlib-"])
        .iter()
        .filter(|m| !replaced::ALL.iter().any(|(name, _)| *name == m.name.text()))
        .map(|m| (m.name.to_string(), callers(m, &missing)))
        .filter(|(_, functions)| !functions.is_empty())
        .collect();
    // Functions that natives replace, and functions that read compiled files.
    let known = [
        ("erl_features", vec!["erl_features:load_allowed/1"]),
        ("ets", vec!["ets:all/0"]),
        ("re", vec!["re:loopexec/8"]),
    ];
    let known: BTreeMap<String, BTreeSet<String>> = known
        .into_iter()
        .map(|(module, functions)| (module.to_owned(), functions.into_iter().map(str::to_owned).collect()))
        .collect();
    assert_eq!(in_need, known);
}

/// Every instruction of every installed module is known.
#[test]
fn the_instructions_of_all_installed_modules_are_there() {
    if !erlang_is_there() {
        return;
    }
    let modules = modules(&["ebin"]);
    assert!(modules.len() > 200, "{}", modules.len());
    let unknown = |module: &Module| {
        let names = module.code.iter().filter_map(|instr| match instr {
            Instr::Unsupported(name) => Some(format!("{name} in {}", module.name)),
            _ => None,
        });
        names.collect::<BTreeSet<_>>()
    };
    let unknown: BTreeSet<String> = modules.iter().flat_map(unknown).collect();
    assert_eq!(unknown, BTreeSet::new());
}

/// What older compilers make of a fun.
#[test]
fn funs_of_older_compilers() {
    if !erlang_is_there() {
        return;
    }
    let text = "-module(older_funs).\n-compile(no_make_fun3).\n-export([t/0]).\n\
                t() -> X = length(atom_to_list(node())), Y = {X}, F = fun(Z) -> {X, Y, Z} end, [F(1), F(2)].\n";
    let dir = compile_text("older_funs", text);
    let bytes = std::fs::read(dir.join("older_funs.beam")).expect("compiled");
    let module = load(&bytes).expect("it loads");
    assert!(
        module.code.iter().any(|instr| matches!(instr, Instr::MakeFun2(_))),
        "the compiler does as it is told"
    );
    let found = all(&program(&dir, "older_funs", "t", Settings::default()));
    assert_eq!(found.outcomes.into_keys().collect::<Vec<_>>(), ["[{13,{13},1},{13,{13},2}]"]);
}

/// After a visible call, and before one.
#[test]
fn a_call_of_what_is_missing_ends_the_run_and_says_where() {
    if !erlang_is_there() {
        return;
    }
    let text = "-module(missing).
-export([first/0, after_a_table/0, handler/0, linked/0, in_memory/0, elsewhere/0]).
handler() -> ok = error_logger:add_report_handler(get(x)).
linked() -> ok = file:make_symlink(<<120>>, <<121>>).
in_memory() -> {ok, _} = file:open(get(x), [ram]).
first() -> math:erf(get(x)).
after_a_table() ->
    T = ets:new(t, []),
    ets:insert(T, {a, 1}),
    math:erf(get(x)).
elsewhere() ->
    spawn('other@host', fun() -> ok end).
";
    let dir = compile_text("missing", text);
    for (function, message) in [
        ("first", "math:erf/1 is not supported yet (called at missing.erl:6)"),
        ("after_a_table", "math:erf/1 is not supported yet (called at missing.erl:10)"),
        (
            "handler",
            "error_logger:add_report_handler/1 is not supported: it needs the system's processes for event handlers of logs (called at missing.erl:3)",
        ),
        ("linked", "file:make_symlink/2 is not supported (called at missing.erl:4)"),
        ("in_memory", "ram_file:open/2 is not supported: it needs drivers (called at missing.erl:5)"),
    ] {
        for findings in [
            all(&program(&dir, "missing", function, Settings::default())),
            optimal(&program(&dir, "missing", function, Settings::default())),
        ] {
            let failure = findings.failure.expect("a failure");
            assert_eq!((failure.kind(), failure.message().as_str()), (FailureKind::Unsupported, message));
        }
    }
    let elsewhere = all(&program(&dir, "missing", "elsewhere", Settings::default()));
    assert_eq!(elsewhere.failure.map(|f| f.kind()), Some(FailureKind::Unsupported));
}

/// An unsupported regular expression is refused, and not given another meaning.
#[test]
fn regular_expressions_refuse_what_they_cannot_do() {
    if !erlang_is_there() {
        return;
    }
    let calls = [
        r#"re:run("a", "\\p{L}")"#,
        r#"re:run("a", "[\\p{L}]")"#,
        r#"re:run("a", "\\X")"#,
        r#"re:run("a", "\\C")"#,
        r#"re:run("a", "(a(?R)?)")"#,
        r#"re:run("a", "(a)(?1)")"#,
        r#"re:run("a", "(?<n>a)(?&n)")"#,
        r#"re:run("a", "(?|(a)|(b))")"#,
        r#"re:run("a", "a(*FAIL)|b")"#,
        r#"re:run("a", "(*UTF8)a")"#,
        r#"re:run("a", "(?C1)a")"#,
        r#"re:run("a", "(?J)a")"#,
        r#"re:run("a", "[[.a.]]")"#,
        r#"re:run("a", "a", [ucp])"#,
        r#"re:run("a", "a", [dupnames])"#,
        r#"re:run("a", "a", [{match_limit, 10}])"#,
        r#"re:run("a", "a", [{offset, 5}])"#,
        r#"re:run("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "^(a+)+$")"#,
    ];
    let mut text = String::from("-module(refused).\n-compile([export_all, nowarn_export_all]).\n");
    for (n, call) in calls.iter().enumerate() {
        text += &format!("t{n}() -> {call}.\n");
    }
    let dir = compile_text("refused", &text);
    for (n, call) in calls.iter().enumerate() {
        let findings = all(&program(&dir, "refused", &format!("t{n}"), Settings::default()));
        let failure = findings.failure.unwrap_or_else(|| panic!("{call} gives {:?}", findings.outcomes));
        assert_eq!(failure.kind(), FailureKind::Unsupported, "{call}: {}", failure.message());
        assert!(failure.message().starts_with("re:"), "{call}: {}", failure.message());
    }
}
