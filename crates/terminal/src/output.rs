//! What commands print. All but the rendered report of a failure is escaped here, and so is what other programs read.
//!
//! Nothing here panics. A reader that has gone, as `head` does, is no failure: the verdict is in the exit code. What could not be
//! written for another reason is said at the end, by [`end`].

use raddle_report::{escape_json, escape_lines};
use std::fmt::{Arguments, Display};
use std::io::{self, ErrorKind, Write};
use std::sync::OnceLock;

/// Why standard output could not be written to, the first time.
static ERROR: OnceLock<String> = OnceLock::new();

/// Writes a line, or several, to standard output.
pub fn line(text: Arguments<'_>) {
    print(&escape_lines(&format!("{text}\n")));
}

/// Writes what `raddle_report` rendered: a report with its colours, or a page.
pub fn report(text: &str) {
    print(text);
}

/// Writes a value of JSON as a line.
pub fn json(value: &impl Display) {
    print(&escape_json(&format!("{value}\n")));
}

/// Writes a line to standard error, after "raddle: ".
pub fn error(text: impl Display) {
    direct(&escape_lines(&format!("raddle: {text}\n")));
}

/// The same in the form of a compiler's error.
pub fn compiler_error(text: impl Display) {
    direct(&escape_lines(&format!("error: raddle: {text}\n")));
}

/// Writes to standard error what is escaped already. Where it cannot be written, there is no other place to say so.
pub(crate) fn direct(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

fn print(text: &str) {
    let mut out = io::stdout().lock();
    note(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
}

/// Keeps for [`end`] that another writer to standard output failed.
pub fn note(written: io::Result<()>) {
    match written {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            let _ = ERROR.set(e.to_string());
        }
        _ => {}
    }
}

/// Why not everything could be printed, if that is so.
pub fn end() -> Result<(), String> {
    note(io::stdout().lock().flush());
    match ERROR.get() {
        Some(e) => Err(format!("the output is not complete, standard output cannot be written to: {e}")),
        None => Ok(()),
    }
}
