//! Extracts the doctests of a library from the output of rustdoc.

use serde::Deserialize;
use serde_json::Value;
use std::ffi::OsString;

/// The output of rustdoc.
#[derive(Deserialize)]
struct Answer {
    format_version: u32,
    doctests: Vec<Extracted>,
}

/// A doctest.
#[derive(Deserialize)]
pub struct Extracted {
    /// `src/lib.rs - answer (line 7)`.
    pub name: String,
    #[serde(rename = "doctest_attributes")]
    pub attributes: Attributes,
    #[serde(rename = "doctest_code")]
    pub code: Option<Code>,
}

#[derive(Deserialize)]
pub struct Attributes {
    pub should_panic: bool,
    pub no_run: bool,
    pub compile_fail: bool,
    pub test_harness: bool,
    #[serde(default)]
    pub standalone_crate: bool,
    pub rust: bool,
    /// `None`, `All`, or names of platforms.
    ignore: Value,
    pub edition: Option<String>,
}

#[derive(Deserialize)]
pub struct Code {
    pub crate_level: String,
    pub code: String,
    pub wrapper: Option<Wrapper>,
}

#[derive(Deserialize)]
pub struct Wrapper {
    pub before: String,
    pub after: String,
}

impl Attributes {
    /// Whether its author excludes it on this platform.
    pub fn is_ignored(&self) -> bool {
        match &self.ignore {
            Value::String(word) => word == "All",
            Value::Object(some) => {
                some.values().flat_map(|v| v.as_array().into_iter().flatten()).any(|platform| {
                    let here = std::env::consts::ARCH.to_owned() + "-unknown-linux-gnu";
                    platform.as_str().is_some_and(|p| here.contains(p))
                })
            }
            _ => false,
        }
    }
}

/// The doctests of the library that these arguments of rustdoc describe.
pub fn doctests(arguments: &[OsString], facades: &[OsString]) -> Result<Vec<Extracted>, String> {
    let output = super::rustdoc()
        .args(arguments)
        .args(facades)
        .args(["-Z", "unstable-options", "--output-format=doctest"])
        // Only rustdoc itself is asked for what is not stable; the doctests are compiled without it.
        .env("RUSTC_BOOTSTRAP", "1")
        .output()
        .map_err(|e| format!("cannot run rustdoc: {e}"))?;
    if !output.status.success() {
        return Err(format!("rustdoc failed: {}", String::from_utf8_lossy(&output.stderr).trim_end()));
    }
    let answer: Answer = serde_json::from_slice(&output.stdout)
        .map_err(|e| format!("rustdoc describes doctests in a way that is not understood: {e}"))?;
    if answer.format_version != 2 {
        let version = answer.format_version;
        return Err(format!("rustdoc describes doctests in format {version}; this raddle knows format 2"));
    }
    Ok(answer.doctests)
}
