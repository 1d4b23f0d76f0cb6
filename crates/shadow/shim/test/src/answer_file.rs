//! Answers to the driver: lines of JSON at the end of a file, each written at once.

use crate::protocol::{ANSWER, ORDER, WISH};
use serde::Serialize;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write;
use std::sync::OnceLock;

static ANSWERS: OnceLock<OsString> = OnceLock::new();

/// What the driver wants, and its order. They are not handed on: a program that the test starts, perhaps this one again,
/// is to do what it does anyhow.
pub fn wish() -> Option<(String, String)> {
    let wish = std::env::var(WISH).ok()?;
    let order = std::env::var(ORDER).unwrap_or_default();
    ANSWERS.get_or_init(|| std::env::var_os(ANSWER).unwrap_or_default());
    for name in [WISH, ORDER, ANSWER] {
        // SAFETY: the program has just started; no other thread reads its environment yet.
        unsafe { std::env::remove_var(name) };
    }
    Some((wish, order))
}

/// Writes one answer. A program that cannot answer ends.
pub fn say(what: &impl Serialize) {
    let mut line = serde_json::to_string(what).expect("answers are plain data");
    line.push('\n');
    let path = ANSWERS.get().cloned().unwrap_or_default();
    let written =
        OpenOptions::new().append(true).open(&path).and_then(|mut file| file.write_all(line.as_bytes()));
    if let Err(error) = written {
        eprintln!("raddle: cannot answer in {}: {error}", path.display());
        std::process::exit(2);
    }
}
