//! Doctests: cargo calls this program in place of rustdoc. It lets the real one list the doctests and compiles them as
//! ordinary tests; unchanged builds are kept.

mod compile;
mod extract;
mod source;

use crate::compile::{Build, Program};
use crate::wrapper::{self, given};
use raddle_terminal::output;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// The folder for doctests and their notes. If it is set, this program acts as rustdoc.
const FOLDER: &str = "RADDLE_SHIM_DOCTESTS";

/// The folder for notes about doctests: each invocation has its own, so that two at a time do not lose any.
const NOTES: &str = "RADDLE_SHIM_DOCTESTS_NOTES";

/// One doctest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doctest {
    /// As cargo names it: `src/lib.rs - answer (line 7)`.
    pub shown: String,
    /// As the program that holds it names it.
    pub inside: String,
    pub program: PathBuf,
    /// Why there is nothing to explore.
    pub because: Option<Because>,
}

/// Why a doctest is not explored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Because {
    /// Its author said so.
    Ignored,
    /// It cannot be.
    Cannot(String),
}

/// All doctests of a library.
#[derive(Serialize, Deserialize)]
struct Library {
    package: String,
    version: String,
    folder: PathBuf,
    target: String,
    doctests: Vec<Doctest>,
}

/// Builds the doctests that are wanted.
pub fn build(build: &Build) -> Result<Vec<Program>, String> {
    let folder = build.target_directory().join("doctests");
    let notes = folder.join(format!("libraries-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&notes);
    std::fs::create_dir_all(&notes).map_err(|e| format!("cannot make {}: {e}", notes.display()))?;
    let ourselves = std::env::current_exe().map_err(|e| format!("cannot find this program: {e}"))?;
    let mut command = build.cargo_test();
    let output = command
        .arg("--doc")
        .env("RUSTDOC", ourselves)
        .env(FOLDER, &folder)
        .env(NOTES, &notes)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .map_err(|e| format!("cannot run cargo: {e}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() && !said.contains("no library targets found") {
        return Err(format!("the doctests cannot be built:\n{}", said.trim_end()));
    }
    let mut programs = Vec::new();
    let listed = std::fs::read_dir(&notes).into_iter().flatten().flatten();
    for path in listed.map(|entry| entry.path()).collect::<std::collections::BTreeSet<_>>() {
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let library: Library = serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
        if !library.doctests.is_empty() {
            programs.push(Program {
                environment: Default::default(),
                path: PathBuf::new(),
                folder: library.folder,
                package: library.package,
                version: library.version,
                target: library.target,
                kind: "doc".to_owned(),
                has_harness: true,
                doctests: library.doctests,
            });
        }
    }
    let _ = std::fs::remove_dir_all(&notes);
    Ok(programs)
}

/// Whether cargo has called this program as rustdoc.
pub fn is_wanted() -> bool {
    std::env::var_os(FOLDER).is_some() && std::env::var_os(wrapper::SHIM).is_some()
}

/// Does what rustdoc was asked for.
pub fn run() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let done = match arguments.iter().any(|a| a == "--test") {
        true => library(&arguments).map(|()| ExitCode::SUCCESS),
        false => {
            let status = rustdoc().args(&arguments).status();
            status
                .map(|s| ExitCode::from(s.code().unwrap_or(101) as u8))
                .map_err(|e| format!("cannot run rustdoc: {e}"))
        }
    };
    done.unwrap_or_else(|error| {
        output::compiler_error(error);
        ExitCode::FAILURE
    })
}

/// The real rustdoc.
fn rustdoc() -> Command {
    let mut command = Command::new("rustdoc");
    command.env_remove("RUSTDOC").env_remove(wrapper::SHIM).env_remove(FOLDER);
    command
}

/// Extracts and compiles the doctests of the library that rustdoc was called for.
fn library(arguments: &[OsString]) -> Result<(), String> {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let folder = PathBuf::from(std::env::var_os(FOLDER).expect("seen by `is_wanted`"));
    let target = wrapper::value_of(arguments, "--crate-name").unwrap_or_default();
    let facades = match wrapper::is_excluded(&target) {
        true => Vec::new(),
        false => wrapper::facades(false)?,
    };
    let found = extract::doctests(arguments, &facades)?;
    let doctests = compile::all(&found, arguments, &folder, &target)?;
    let library = Library {
        package: variable("CARGO_PKG_NAME"),
        version: variable("CARGO_PKG_VERSION"),
        folder: PathBuf::from(variable("CARGO_MANIFEST_DIR")),
        target,
        doctests,
    };
    let name = format!("{}-{}.json", library.package, library.target);
    let text = serde_json::to_string(&library).expect("it is plain data");
    let notes = PathBuf::from(std::env::var_os(NOTES).expect("set with the folder"));
    write(&notes.join(name), &text)
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    raddle_terminal::store::write(path, "doctest", text.as_bytes())
}

/// The options of rustdoc that the compiler needs, too.
fn for_the_compiler(arguments: &[OsString]) -> Vec<OsString> {
    let wanted = ["--extern", "-L", "-C", "--cfg", "--check-cfg", "--target", "--cap-lints"];
    wanted.into_iter().flat_map(|option| given(arguments, option)).collect()
}
