//! Concuerror, where it is installed: found through the variable `CONCUERROR` or as `concuerror` on the
//! `PATH`, run as a separate process, measured by the CPU time of that process.

use crate::cpu::{self, Measured};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The message where it is missing.
pub const MISSING: &str = "\
Concuerror is not here, so nothing is compared. It is free: https://concuerror.com (github.com/parapluu/Concuerror).
Build it as its README says, and either have `concuerror` on the PATH, or set CONCUERROR to the ebin directories of
Concuerror and of its dependency getopt, separated by colons.";

/// How Concuerror is started.
#[derive(Clone, Debug, PartialEq)]
pub enum Concuerror {
    /// As a program.
    Program(PathBuf),
    /// From directories with its compiled modules, by `erl`.
    Directories(Vec<PathBuf>),
}

/// A test for Concuerror, as it was compiled into a directory.
pub struct Test<'a> {
    /// Where the compiled modules are.
    pub directory: &'a Path,
    /// The module.
    pub module: &'a str,
    /// The function.
    pub function: &'a str,
    /// Whether it uses its optimal reduction, or explores every interleaving.
    pub reduced: bool,
}

impl Concuerror {
    /// Looks for it.
    pub fn find() -> Option<Concuerror> {
        Concuerror::at(std::env::var_os("CONCUERROR").as_deref(), std::env::var_os("PATH").as_deref())
    }

    fn at(variable: Option<&OsStr>, path: Option<&OsStr>) -> Option<Concuerror> {
        if let Some(variable) = variable.filter(|v| !v.is_empty()) {
            let directories: Vec<PathBuf> = std::env::split_paths(variable).collect();
            return match &directories[..] {
                [program] if program.is_file() => Some(Concuerror::Program(program.clone())),
                _ => Some(Concuerror::Directories(directories)),
            };
        }
        let program = std::env::split_paths(path?).map(|dir| dir.join("concuerror")).find(|p| p.is_file());
        program.map(Concuerror::Program)
    }

    /// The number of interleavings, at most `most`, and their CPU time. The start-up time, measured as the
    /// time of one interleaving, does not count.
    pub fn measure(&self, test: &Test<'_>, most: u64) -> Result<Measured, String> {
        let start = self.run(test, 1)?;
        let whole = self.run(test, most)?;
        let executions = whole.executions.saturating_sub(start.executions);
        if executions == 0 {
            return Err("Concuerror made one interleaving only".into());
        }
        Ok(Measured { executions, cpu: whole.cpu.saturating_sub(start.cpu) })
    }

    fn run(&self, test: &Test<'_>, most: u64) -> Result<Measured, String> {
        let report = test.directory.join("concuerror_report.txt");
        let arguments = arguments(test, most, &report);
        let before = cpu::children();
        let output = self
            .command(test, &arguments)
            .current_dir(test.directory)
            .stdin(Stdio::null())
            .output()
            .map_err(|e| format!("Concuerror does not start: {e}"))?;
        let cpu = cpu::children() - before;
        let text = std::fs::read_to_string(&report).unwrap_or_default();
        match explored(&text) {
            Some(executions) => Ok(Measured { executions, cpu }),
            None => Err(format!(
                "Concuerror failed: {}{}",
                String::from_utf8_lossy(&output.stdout).trim(),
                String::from_utf8_lossy(&output.stderr).trim()
            )),
        }
    }

    fn command(&self, test: &Test<'_>, arguments: &[OsString]) -> Command {
        match self {
            Concuerror::Program(program) => {
                let mut command = Command::new(program);
                command.arg("--pa").arg(test.directory).args(arguments);
                command
            }
            Concuerror::Directories(directories) => {
                let mut command = Command::new("erl");
                // One scheduler, as Concuerror starts itself.
                command.args(["+S1", "-noshell", "-pa"]).arg(test.directory);
                for directory in directories {
                    command.arg("-pa").arg(directory);
                }
                command.args(["-eval", "concuerror:main(init:get_plain_arguments()).", "-extra"]);
                command.args(arguments);
                command
            }
        }
    }
}

fn arguments(test: &Test<'_>, most: u64, report: &Path) -> Vec<OsString> {
    let mut words: Vec<OsString> =
        ["-m", test.module, "-t", test.function, "--keep_going", "--quiet"].map(OsString::from).into();
    // Its report of a failure takes longer than the interleaving: deadlocks are no failures here.
    words.extend(["--ignore_error", "deadlock"].map(OsString::from));
    let reduction: &[&str] =
        if test.reduced { &["--dpor", "optimal"] } else { &["--dpor", "none", "--disable_sleep_sets"] };
    words.extend(reduction.iter().map(OsString::from));
    words.extend(["--interleaving_bound".into(), most.to_string().into()]);
    words.extend(["--output".into(), report.into()]);
    words
}

/// The number of interleavings in the last line of a report.
fn explored(report: &str) -> Option<u64> {
    let summary = report.lines().rev().find(|line| line.trim_start().starts_with("Summary:"))?;
    let (before, _) = summary.split_once(" interleavings explored")?;
    let number = before.rsplit(' ').next()?.split('/').next()?;
    number.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_says_how_many() {
        let report = "Done at 15 Nov 2026 (Exit status: ok)\n  Summary: 0 errors, 290/290 interleavings explored (278 \
                      sleep-set blocked)\n";
        assert_eq!(explored(report), Some(290));
        assert_eq!(explored("nothing of the kind"), None);
    }

    #[test]
    fn it_is_found_by_the_variable_or_on_the_path() {
        let there = std::env::temp_dir().join(format!("peers-concuerror-{}", std::process::id()));
        std::fs::create_dir_all(&there).expect("a directory");
        let program = there.join("concuerror");
        assert_eq!(Concuerror::at(None, Some(there.as_os_str())), None);
        std::fs::write(&program, "").expect("a file");
        assert_eq!(Concuerror::at(None, Some(there.as_os_str())), Some(Concuerror::Program(program.clone())));
        assert_eq!(Concuerror::at(Some(program.as_os_str()), None), Some(Concuerror::Program(program)));
        let directories = Concuerror::at(Some(OsStr::new("a/ebin:b/ebin")), None);
        assert_eq!(directories, Some(Concuerror::Directories(vec!["a/ebin".into(), "b/ebin".into()])));
        std::fs::remove_dir_all(&there).expect("it can go");
    }

    #[test]
    fn every_interleaving_or_the_optimal_ones() {
        let words = |reduced| {
            let test = Test { directory: Path::new("d"), module: "m", function: "f", reduced };
            let words: Vec<String> = arguments(&test, 9, Path::new("r"))
                .into_iter()
                .map(|w| w.to_string_lossy().into_owned())
                .collect();
            words.join(" ")
        };
        assert!(words(true).contains("--dpor optimal --interleaving_bound 9"));
        assert!(words(false).contains("--dpor none --disable_sleep_sets --interleaving_bound 9"));
    }
}
