//! Tests of this program in separate processes: for what terminates or hangs a process, and for environment
//! variables.

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Output};

const MARK: &str = "RADDLE_TEST_CHILD";

/// Whether this process was started by [`of`]. Tests for child processes do nothing elsewhere.
pub fn is_one() -> bool {
    std::env::var_os(MARK).is_some()
}

/// One test in a separate process, which hides the output of the test unless it fails.
pub fn of(test: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([test, "--exact"]);
    // Settings from outside are not those of the tests.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("RADDLE_")) {
        command.env_remove(name);
    }
    command.env(MARK, "1").env("NO_COLOR", "1").env_remove("COLUMNS").env_remove("RUST_BACKTRACE");
    // A shell that starts these tests in the background may have set SIGINT to be ignored.
    let hear_ctrl_c = || {
        // SAFETY: a plain system call.
        unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) };
        Ok(())
    };
    // SAFETY: it does nothing but that.
    unsafe { command.pre_exec(hear_ctrl_c) };
    command
}

/// Runs it and returns its status and its output on both channels.
pub fn run(command: &mut Command) -> (ExitStatus, String) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (status, text)
}
