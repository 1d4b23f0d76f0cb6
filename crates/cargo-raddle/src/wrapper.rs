//! Between cargo and the compiler: crates of the program under test get the facades in place of `std`, `core`, `alloc`
//! and `test`. Build scripts and procedural macros use the real ones; cargo compiles them without `--target`.

use raddle_shadow::Shim;
use raddle_terminal::output;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Where the libraries of the shim are. Its presence makes this program the compiler's wrapper.
pub const SHIM: &str = "RADDLE_SHIM";
/// The crates that stay on the real std, with commas between them.
pub const EXCLUDED: &str = "RADDLE_SHIM_EXCLUDED";

/// Whether packages under test are compiled with `cfg(miri)`. Not their dependencies: under it, some want a nightly
/// compiler.
pub const AS_MIRI: &str = "RADDLE_SHIM_AS_MIRI";

/// Whether crates are compiled with callbacks at accesses to plain memory.
pub const RACES: &str = "RADDLE_SHIM_RACES";

/// Our own crates. A program that uses them is given the shim's build of them.
const OURS: [&str; 6] =
    ["raddle", "raddle_core", "raddle_macros", "raddle_native", "raddle_report", "raddle_terminal"];

/// Whether cargo has called this program to compile something.
pub fn is_wanted() -> bool {
    let compiler = std::env::args_os().nth(1);
    let named =
        |path: OsString| Path::new(&path).file_stem().is_some_and(|n| n.to_string_lossy().contains("rustc"));
    std::env::var_os(SHIM).is_some() && compiler.is_some_and(named)
}

/// Compiles what cargo asked for.
pub fn compile() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let compiler = arguments.next().expect("seen by `is_wanted`");
    let arguments: Vec<OsString> = arguments.collect();
    let done = rewritten(arguments).and_then(|arguments| {
        let mut command = Command::new(&compiler);
        allow_facades(&mut command, &arguments);
        let status = command.args(arguments).env_remove(SHIM).status();
        status.map_err(|e| format!("cannot run {}: {e}", compiler.display()))
    });
    match done {
        Ok(status) => ExitCode::from(status.code().map_or(101, |code| code as u8)),
        Err(error) => {
            output::compiler_error(error);
            ExitCode::FAILURE
        }
    }
}

/// Without link-time optimisation, wherever it is asked for: the facades are libraries without the bitcode that it needs.
fn without_lto(arguments: Vec<OsString>) -> Vec<OsString> {
    let is_lto = |option: &str| {
        let name = option.split('=').next().unwrap_or_default();
        matches!(name, "lto" | "linker-plugin-lto")
    };
    let mut kept: Vec<OsString> = Vec::new();
    for argument in arguments {
        let text = argument.to_string_lossy().into_owned();
        let after_c = kept.last().is_some_and(|last| last == "-C" || last == "--codegen");
        let joined = text.strip_prefix("-C").or_else(|| text.strip_prefix("--codegen="));
        if after_c && is_lto(&text) {
            kept.pop();
        } else if !joined.is_some_and(is_lto) {
            kept.push(argument);
        }
    }
    kept
}

fn rewritten(mut arguments: Vec<OsString>) -> Result<Vec<OsString>, String> {
    let Some(name) = value_of(&arguments, "--crate-name") else { return Ok(arguments) };
    let for_target = value_of(&arguments, "--target").is_some();
    let is_probe =
        arguments.iter().any(|a| a == "-" || a == "___" || a.to_string_lossy().starts_with("--print"));
    if !for_target || is_probe {
        return Ok(arguments);
    }
    arguments = without_lto(arguments);
    let libraries = PathBuf::from(std::env::var_os(SHIM).expect("seen by `is_wanted`"));
    let shim = Shim::at(libraries.clone());
    let ours = OURS.contains(&name.as_str());
    if ours {
        demand_version(&name)?;
    } else {
        give_our_raddle(&mut arguments, &shim)?;
    }
    if ours || is_excluded(&name) {
        arguments.push("-L".into());
        arguments.push(assignment("dependency", &libraries));
    } else {
        let with_harness = arguments.iter().any(|a| a == "--test");
        arguments.extend(facades(with_harness)?);
        if with_harness {
            note_harness(&arguments, &name)?;
        }
        if std::env::var_os(AS_MIRI).is_some() && std::env::var_os("CARGO_PRIMARY_PACKAGE").is_some() {
            arguments.extend(["--cfg".into(), "miri".into()]);
        }
        // Crates that forbid unused dependencies would complain about these.
        if value_of(&arguments, "--cap-lints").is_none() {
            arguments.extend(["--cap-lints".into(), "allow".into()]);
        }
    }
    Ok(arguments)
}

/// Whether a crate stays on the real std.
pub fn is_excluded(name: &str) -> bool {
    let excluded = std::env::var(EXCLUDED).unwrap_or_default();
    excluded.split(',').any(|e| e.replace('-', "_") == name)
}

/// For `noprelude`, which cargo itself uses for a standard library that it builds.
const UNSTABLE: &str = "-Zunstable-options";

/// Lets a compiler take the options of [`facades`], if they are among these.
pub fn allow_facades(command: &mut Command, arguments: &[OsString]) {
    if arguments.iter().any(|argument| argument == UNSTABLE) {
        command.env("RUSTC_BOOTSTRAP", "1");
    }
}

/// The options for callbacks of LLVM's ThreadSanitizer without its runtime, which the facades have. Generic code of the
/// standard library is compiled again in each crate, so that it has callbacks, too.
const CALLBACKS: [&str; 4] = [
    "-Zsanitizer=thread",
    "-Zexternal-clangrt",
    "-Cunsafe-allow-abi-mismatch=sanitizer",
    "-Zshare-generics=no",
];

/// The options that put the facades in place of the real crates.
pub fn facades(with_harness: bool) -> Result<Vec<OsString>, String> {
    let libraries = PathBuf::from(std::env::var_os(SHIM).expect("seen by `is_wanted`"));
    let shim = Shim::at(libraries.clone());
    // Build scripts try what the compiler can do, and must not find what is not stable. Cargo names the crate to the
    // compiler alone, and gives a build script its number of jobs.
    let is_tried = std::env::var_os("CARGO_CRATE_NAME").is_none() || std::env::var_os("NUM_JOBS").is_some();
    let mut options: Vec<OsString> = if is_tried { Vec::new() } else { vec![UNSTABLE.into()] };
    for facade in ["std", "core", "alloc"].into_iter().chain(with_harness.then_some("test")) {
        // `std` and `core` can be named without `extern crate`; a crate may call another one `alloc`.
        let is_hidden = !is_tried && ["alloc", "test"].contains(&facade);
        let name = if is_hidden { format!("noprelude:{facade}") } else { facade.to_owned() };
        options.extend(["--extern".into(), assignment(&name, &shim.library(facade)?)]);
    }
    options.extend(["-L".into(), assignment("dependency", &libraries)]);
    if !is_tried && std::env::var_os(RACES).is_some() {
        options.extend(CALLBACKS.map(OsString::from));
    }
    Ok(options)
}

/// All uses of an option with their values, as they were given.
pub fn given(arguments: &[OsString], option: &str) -> Vec<OsString> {
    let mut found = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == option {
            found.push(argument.clone());
            found.extend(rest.next().cloned());
        } else if argument.to_string_lossy().starts_with(&format!("{option}=")) {
            found.push(argument.clone());
        }
    }
    found
}

/// The value of an option that is given once, as `--name value` or `--name=value`.
pub fn value_of(arguments: &[OsString], option: &str) -> Option<String> {
    let begin = format!("{option}=");
    let at = arguments.iter().position(|a| a == option || a.to_string_lossy().starts_with(&begin))?;
    match arguments[at].to_string_lossy().strip_prefix(&begin) {
        Some(value) => Some(value.to_owned()),
        None => arguments.get(at + 1).map(|value| value.to_string_lossy().into_owned()),
    }
}

fn assignment(name: &str, path: &Path) -> OsString {
    let mut text = OsString::from(format!("{name}="));
    text.push(path);
    text
}

/// A program that depends on raddle gets the one that the facades are made of: two would not know of each other.
fn give_our_raddle(arguments: &mut [OsString], shim: &Shim) -> Result<(), String> {
    for argument in arguments.iter_mut().filter(|a| a.as_encoded_bytes().starts_with(b"raddle=")) {
        *argument = assignment("raddle", &shim.library("raddle")?);
    }
    Ok(())
}

fn demand_version(name: &str) -> Result<(), String> {
    let ours = env!("CARGO_PKG_VERSION");
    match std::env::var("CARGO_PKG_VERSION") {
        Ok(theirs) if theirs != ours => Err(format!(
            "the program depends on {name} {theirs}, but this is cargo raddle {ours}; use the same version of both"
        )),
        _ => Ok(()),
    }
}

/// Writes a file beside the program which says that its tests can be listed and selected: a program with its own `main`
/// (`harness = false`) would just execute it.
fn note_harness(arguments: &[OsString], name: &str) -> Result<(), String> {
    let Some(folder) = value_of(arguments, "--out-dir") else { return Ok(()) };
    let extra =
        arguments.iter().find_map(|a| a.to_str()?.strip_prefix("extra-filename=")).unwrap_or_default();
    let note = harness_note(&Path::new(&folder).join(format!("{name}{extra}")));
    std::fs::write(&note, "").map_err(|e| format!("cannot write {}: {e}", note.display()))
}

/// The file that says that a program has a harness.
pub fn harness_note(program: &Path) -> PathBuf {
    let mut name = program.file_name().unwrap_or(OsStr::new("")).to_owned();
    name.push(".raddle-harness");
    program.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_time_optimisation_is_left_out() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        let given = "--crate-name a -C lto=thin -Clto -C opt-level=3 --codegen lto --codegen=linker-plugin-lto -C linker=ld";
        assert_eq!(without_lto(words(given)), words("--crate-name a -C opt-level=3 -C linker=ld"));
    }
}
