//! Shared by the tests: compiles Erlang programs with the installed `erlc`, and explores them.

pub mod generate;

use raddle_core::check::{self, Check, Simplify, Undecided};
use raddle_core::search::{Findings, NoListener, OnFailure, Plan, search};
use raddle_core::strategy::{Dfs, PreemptionBounding, Strategy};
use raddle_core::verdict::{Extent, Failure};
use raddle_erlang::check::Checkable;
use raddle_erlang::code::{SearchPath, installed_otp};
use raddle_erlang::settings::Settings;
use raddle_erlang::world::{ErlangWorld, Program};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// Whether Erlang is installed. Without it, tests say so and are skipped; in CI they fail.
pub fn erlang_is_there() -> bool {
    let there = Command::new("erlc").arg("-help").output().is_ok();
    if !there {
        assert!(std::env::var_os("CI").is_none(), "Erlang is not installed, and in CI it must be");
        eprintln!("skipped: Erlang is not installed (apt-get install erlang-base erlang-dev erlang-eunit)");
    }
    there
}

/// A directory of the test.
pub fn directory(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&dir).expect("a directory for the test");
    dir
}

/// Compiles files of `suite/erlang` into a directory of the test.
pub fn compile_suite(name: &str, files: &[&str], defines: &[&str]) -> PathBuf {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suite/erlang");
    let files: Vec<PathBuf> = files.iter().map(|f| suite.join(f)).collect();
    compile_files(name, &files, defines)
}

/// Compiles these files into a directory of the test.
pub fn compile_files(name: &str, files: &[PathBuf], defines: &[&str]) -> PathBuf {
    // Tests run in parallel, and some share compiled files.
    static COMPILED: Mutex<BTreeMap<String, Vec<String>>> = Mutex::new(BTreeMap::new());
    let mut compiled = COMPILED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let dir = directory(name);
    let texts = files.iter().map(|file| std::fs::read_to_string(file).expect("a source file"));
    let sources: Vec<String> = texts.chain(defines.iter().map(|&define| define.to_owned())).collect();
    if let Some(before) = compiled.get(name) {
        assert!(*before == sources, "{name} is compiled by two tests from different sources");
        return dir;
    }
    compiled.insert(name.to_owned(), sources);
    let output = Command::new("erlc")
        .args(defines.iter().map(|d| format!("-D{d}")))
        .arg("-o")
        .arg(&dir)
        .args(files)
        .output()
        .expect("erlc runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    dir
}

/// Compiles a module from its text.
pub fn compile_text(module: &str, text: &str) -> PathBuf {
    static WRITTEN: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
    let mut written = WRITTEN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let file = directory(module).join(format!("{module}.erl"));
    match written.insert(module.to_owned(), text.to_owned()) {
        Some(before) => assert!(before == text, "{module} has different texts in two tests"),
        None => std::fs::write(&file, text).expect("the source is written"),
    }
    compile_files(module, &[file], &[])
}

/// A test function of a compiled module.
pub fn program(dir: &Path, module: &str, function: &str, settings: Settings) -> Program {
    let mut directories = vec![dir.to_owned()];
    directories.extend(installed_otp());
    let path = SearchPath { directories, given: Vec::new() };
    Program { path, module: module.to_owned(), function: function.to_owned(), settings }
}

/// Explores with this strategy, and continues after failures.
pub fn explore(program: &Program, strategy: Box<dyn Strategy>) -> Findings<String> {
    let plan = Plan { on_failure: OnFailure::KeepGoing, ..Plan::default() };
    search(&plan, strategy, || ErlangWorld::new(program), std::sync::Arc::new(NoListener))
}

/// Explores with the optimal reduction.
pub fn optimal(program: &Program) -> Findings<String> {
    optimal_with(program, 1)
}

/// The same with so many workers. What the reduction cannot decide, it says.
pub fn optimal_with(program: &Program, workers: usize) -> Findings<String> {
    let check = Check {
        on_failure: OnFailure::KeepGoing,
        undecided: Undecided::Report,
        simplify: Simplify::No,
        workers,
        ..Check::default()
    };
    let program = Checkable::new(program.clone());
    let checked = check::check(&program, &check, std::sync::Arc::new(NoListener)).expect("nothing to resume");
    let mut firsts: Vec<Failure> = Vec::new();
    for group in checked.failures.iter().map(|group| &group.first) {
        if firsts.iter().all(|known| known.kind() != group.kind()) {
            firsts.push(group.clone());
        }
    }
    let failures = checked.failed();
    let mut firsts = firsts.into_iter();
    Findings {
        executions: checked.executions(),
        abandoned: checked.statistics.abandoned,
        undecided: checked.statistics.undecided,
        peak: checked.statistics.peak,
        interrupted: checked.interrupted,
        through: !matches!(checked.coverage.extent, Extent::Partial(_)),
        left: None,
        explored: None,
        steps: checked.statistics.steps,
        outcomes: checked.outcomes,
        failures,
        failures_by_kind: checked.statistics.failures_by_kind,
        failure: firsts.next(),
        others: firsts.collect(),
        finished_bound: None,
        coverage: checked.coverage,
    }
}

/// Explores with depth-first search.
pub fn all(program: &Program) -> Findings<String> {
    explore(program, Box::new(Dfs::new()))
}

/// The same, and stops after so many executions that a reduced search would long have ended.
pub fn dfs_for_a_while(program: &Program) -> Findings<String> {
    let mut plan = Plan { on_failure: OnFailure::KeepGoing, ..Plan::default() };
    plan.budget.executions = Some(2_000);
    search(&plan, Box::new(Dfs::new()), || ErlangWorld::new(program), std::sync::Arc::new(NoListener))
}

/// Explores with a preemption bound.
pub fn bounded(program: &Program, preemptions: u32) -> Findings<String> {
    explore(program, Box::new(PreemptionBounding::new(Some(preemptions))))
}
