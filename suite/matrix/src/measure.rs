//! `-- --measure`: the cost of an instrumented build against a plain one, and the time until an edited test
//! is explored again. In CPU time of all child processes, since the wall clock says more about the machine.

use crate::catalogue::{ENTRIES, Entry};
use crate::source;
use std::path::Path;
use std::process::{Command, Stdio};

/// The crates that are built: together they have dozens of test programs, build scripts and dependencies.
const BUILT: [&str; 5] = ["once_cell", "arc-swap", "async-channel", "crossbeam-queue", "oneshot"];

/// The number of builds of each, alternately plain and ours. The fastest build counts.
const TIMES: usize = 3;

/// A small crate, and the edit: the text of a test before and after.
const SMALL: &str = "../../examples/bank";
const EDIT: (&str, &str) = ("assert_eq!(account.balance(), 100);", "assert!(account.balance() == 100);");

/// Measures, and returns a section for the results.
pub fn run(command: &Path, home: &Path) -> Result<String, String> {
    let mut out = String::from(
        "## Builds\n\nProcessor time of a build from scratch (the shim itself is built once for each compiler and not \
         counted), and of the build after an edit of one test, as `cargo run --release -p matrix -- --measure` prints \
         them: the least of three, plain and ours in turn.\n\n| crate | `cargo test --no-run` | under `cargo raddle test` | ratio |\n|---|---|---|---|\n",
    );
    let (mut plain_sum, mut ours_sum) = (0.0, 0.0);
    for entry in BUILT.iter().filter_map(|name| ENTRIES.iter().find(|entry| entry.name == *name)) {
        let (plain, ours) = build(entry, command, home)?;
        plain_sum += plain;
        ours_sum += ours;
        out += &format!(
            "| {} {} | {plain:.1} s | {ours:.1} s | {:.2} |\n",
            entry.name,
            entry.version,
            ours / plain
        );
    }
    out += &format!("| all | {plain_sum:.1} s | {ours_sum:.1} s | {:.2} |\n\n", ours_sum / plain_sum);
    let (plain, ours) = edit(command, home)?;
    out += &format!(
        "An edit of one test of `examples/bank`: {ours:.2} s until it can be explored again; \
         `cargo test --no-run` alone takes {plain:.2} s.\n"
    );
    Ok(out)
}

/// CPU seconds of a plain build and of one of ours, both from scratch.
fn build(entry: &Entry, command: &Path, home: &Path) -> Result<(f64, f64), String> {
    let folder = source::fetch(entry, home)?;
    let target = home.join("measure");
    let clean = || match std::fs::remove_dir_all(&target) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("cannot clean {}: {e}", target.display()))
        }
        _ => Ok(()),
    };
    // Fetches the dependencies.
    fetch(&folder)?;
    let (mut plain, mut ours) = (f64::MAX, f64::MAX);
    for _ in 0..TIMES {
        clean()?;
        plain = plain.min(cpu(|| compile(&folder, &target))?);
        clean()?;
        ours = ours.min(cpu(|| list(command, &folder, &target))?);
    }
    clean()?;
    Ok((plain, ours))
}

/// CPU seconds after an edit, plain and ours.
fn edit(command: &Path, home: &Path) -> Result<(f64, f64), String> {
    let folder = home.join("edited");
    let _ = std::fs::remove_dir_all(&folder);
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join(SMALL);
    let failed = |e: std::io::Error| format!("cannot copy {}: {e}", from.display());
    std::fs::create_dir_all(folder.join("src")).map_err(failed)?;
    for file in ["Cargo.toml", "Cargo.lock", "src/lib.rs"] {
        std::fs::copy(from.join(file), folder.join(file)).map_err(failed)?;
    }
    let (target, ours_target) = (folder.join("plain"), folder.join("ours"));
    compile(&folder, &target)?;
    list(command, &folder, &ours_target)?;
    let source = folder.join("src/lib.rs");
    let text = std::fs::read_to_string(&source).map_err(failed)?;
    let edited = text.replace(EDIT.0, EDIT.1);
    if edited == text {
        return Err("there is nothing to edit in examples/bank any more".to_owned());
    }
    let (mut plain, mut ours) = (f64::MAX, f64::MAX);
    for n in 0..2 * TIMES {
        // The edit and its inverse.
        std::fs::write(&source, if n % 2 == 0 { &edited } else { &text }).map_err(failed)?;
        plain = plain.min(cpu(|| compile(&folder, &target))?);
        ours = ours.min(cpu(|| list(command, &folder, &ours_target))?);
    }
    let times = (plain, ours);
    std::fs::remove_dir_all(&folder).map_err(failed)?;
    Ok(times)
}

fn fetch(folder: &Path) -> Result<(), String> {
    run_quietly(Command::new("cargo").args(["fetch", "--quiet"]), folder)
}

fn compile(folder: &Path, target: &Path) -> Result<(), String> {
    let mut cargo = Command::new("cargo");
    cargo.args(["test", "--no-run", "--quiet", "--lib", "--tests"]);
    run_quietly(cargo.arg("--target-dir").arg(target), folder)
}

/// Listing the tests builds them.
fn list(command: &Path, folder: &Path, target: &Path) -> Result<(), String> {
    let mut raddle = Command::new(command);
    raddle.args(["test", "--list", "--quiet", "--lib", "--tests"]);
    run_quietly(raddle.arg("--target-dir").arg(target), folder)
}

/// Runs a command that says nothing unless it fails.
pub fn run_quietly(command: &mut Command, folder: &Path) -> Result<(), String> {
    command.current_dir(folder).env_remove("CARGO_TARGET_DIR").stdout(Stdio::null()).stderr(Stdio::piped());
    let output = command.output().map_err(|e| format!("cannot run {command:?}: {e}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

/// The CPU time of all processes that `work` starts and waits for, in seconds.
pub fn cpu(work: impl FnOnce() -> Result<(), String>) -> Result<f64, String> {
    let before = used();
    work()?;
    Ok(used() - before)
}

fn used() -> f64 {
    // SAFETY: plain data, which the call fills in.
    let usage = unsafe {
        let mut usage = std::mem::zeroed::<libc::rusage>();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
        usage
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}
