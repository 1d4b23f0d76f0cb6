//! Answers to the driver: lines of JSON at the end of a file, each written at once.

use crate::protocol::ANSWER;
use serde::Serialize;
use std::fs::OpenOptions;
use std::io::Write;

/// Says one thing. A program that cannot answer has nothing else to do.
pub fn say(what: &impl Serialize) {
    let mut line = serde_json::to_string(what).expect("answers are plain data");
    line.push('\n');
    let path = std::env::var_os(ANSWER).unwrap_or_default();
    let written = OpenOptions::new()
        .append(true)
        .create(true)
        .open(&path)
        .and_then(|mut file| file.write_all(line.as_bytes()));
    if let Err(error) = written {
        eprintln!("raddle: cannot answer in {}: {error}", path.display());
        std::process::exit(2);
    }
}
