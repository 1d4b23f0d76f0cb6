//! The parts of an Erlang program, each with a checksum, so that a search is resumed on the same program only, and a ticket says
//! whether its program has changed.
//!
//! Parts are the modules in the directories of the program, whether they are used or not, the configuration, and the
//! applications of OTP with their versions. Only what the machine executes counts: compiling the same source in another directory makes no other
//! part.

use crate::beam;
use crate::code::SearchPath;
use raddle_core::checksum::Checksum;
use std::collections::BTreeMap;
use std::path::Path;

pub(crate) fn parts(path: &SearchPath, config: Option<&str>) -> BTreeMap<String, String> {
    let mut parts = BTreeMap::new();
    if let Some(config) = config {
        parts.insert("the configuration".to_owned(), Checksum::of(config.as_bytes()).to_string());
    }
    let mut otp = Checksum::default();
    for directory in &path.directories {
        match application_of_otp(directory) {
            Some(name) => otp = otp.with(name.as_bytes()).with(b"\n"),
            None => add_modules(directory, &mut parts),
        }
    }
    for (name, bytes) in &path.given {
        parts.insert(format!("module {name}"), checksum(bytes));
    }
    parts.insert("OTP".to_owned(), otp.to_string());
    parts
}

/// The name and version of the application of OTP whose modules are in this directory.
fn application_of_otp(directory: &Path) -> Option<String> {
    let application = directory.parent()?;
    let lib = application.parent()?;
    let is_of_otp = lib.parent().is_some_and(|root| root.join("releases").is_dir());
    let name = application.file_name()?.to_string_lossy().into_owned();
    (is_of_otp && name.contains('-')).then_some(name)
}

fn add_modules(directory: &Path, parts: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let file = entry.path();
        let Some(name) = file.file_name().and_then(|name| name.to_str()?.strip_suffix(".beam")) else {
            continue;
        };
        // The first directory that has it wins.
        if let Ok(bytes) = std::fs::read(&file) {
            parts.entry(format!("module {name}")).or_insert_with(|| checksum(&bytes));
        }
    }
}

fn checksum(bytes: &[u8]) -> String {
    beam::executed(bytes, |chunks| chunks.iter().fold(Checksum::default(), |sum, chunk| sum.with(chunk)))
        .unwrap_or_else(|| Checksum::of(bytes))
        .to_string()
}
