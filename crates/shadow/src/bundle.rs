//! The files of the shim, and a name for them that changes when they do.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::Path;

mod packed {
    include!(concat!(env!("OUT_DIR"), "/files.rs"));
}

/// Compiled into the driver and into the facade of `test`.
const PROTOCOL: &str = include_str!("protocol.rs");
const PROTOCOL_PATH: &str = "crates/shadow/shim/test/src/protocol.rs";

/// All files, by their path in the repository.
fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    packed::FILES.iter().copied().chain([(PROTOCOL_PATH, PROTOCOL)])
}

/// A number that stands for these files and for what else decides what is built.
pub fn fingerprint(also: &[&str]) -> String {
    let mut hasher = DefaultHasher::new();
    for file in files() {
        file.hash(&mut hasher);
    }
    also.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Writes all files below `folder`, as a workspace of their own.
pub fn unpack(folder: &Path) -> io::Result<()> {
    for (name, text) in files() {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().expect("it is below the folder"))?;
        let text = if name == "Cargo.toml" { manifest(text) } else { text.to_owned() };
        // Cargo compiles again what was written again.
        if std::fs::read_to_string(&path).ok().as_ref() != Some(&text) {
            std::fs::write(path, text)?;
        }
    }
    Ok(())
}

/// The repository's manifest, with fewer members and another JSON.
fn manifest(text: &str) -> String {
    let members = "members = [\"crates/core\", \"crates/macros\", \"crates/native\", \"crates/raddle\", \
                   \"crates/report\", \"crates/shadow-json\", \"crates/shadow/shim/*\"]";
    let json = "serde_json = { package = \"raddle-shadow-json\", path = \"crates/shadow-json\" }";
    let lines = text.lines().map(|line| match line {
        line if line.starts_with("members = ") => members,
        line if line.starts_with("exclude = ") => "",
        line if line.starts_with("serde_json = ") => json,
        line => line,
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_facades_and_what_they_need_are_packed() {
        for name in
            ["crates/shadow/shim/std/src/lib.rs", "crates/native/src/lib.rs", "Cargo.lock", PROTOCOL_PATH]
        {
            assert!(files().any(|(n, _)| n == name), "{name} is missing");
        }
    }

    #[test]
    fn the_name_changes_with_the_compiler() {
        assert_eq!(fingerprint(&["a"]), fingerprint(&["a"]));
        assert_ne!(fingerprint(&["a"]), fingerprint(&["b"]));
    }

    #[test]
    fn the_workspace_of_the_shim_has_the_facades_as_members() {
        let text = files().find(|(name, _)| *name == "Cargo.toml").expect("it is packed").1;
        let manifest = manifest(text);
        assert!(manifest.contains("crates/shadow/shim/*") && !manifest.contains("suite"), "{manifest}");
    }
}
