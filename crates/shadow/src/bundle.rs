//! The files of the shim, and a name for them that changes when they do.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

mod packed {
    include!(concat!(env!("OUT_DIR"), "/files.rs"));
}

/// Compiled into this crate and into the facade of `test`.
const SHARED: [(&str, &str); 2] = [
    ("crates/shadow/shim/test/src/protocol.rs", include_str!("protocol.rs")),
    ("crates/shadow/shim/test/src/symbols.rs", include_str!("symbols.rs")),
];

/// All files, by their path in the repository.
fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    packed::FILES.iter().copied().chain(SHARED)
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

/// Where all crates are.
const CRATES: &str = "crates";

/// Writes all files below `folder`, as a separate workspace. Files of an earlier version that this one does not have
/// are deleted: a module may be in another file now.
pub fn unpack(folder: &Path) -> io::Result<()> {
    let kept: HashSet<PathBuf> = files().map(|(name, _)| folder.join(name)).collect();
    delete_others(&folder.join(CRATES), &kept)?;
    for (name, text) in files() {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().expect("it is below the folder"))?;
        let text = match Path::new(name).file_name() {
            _ if name == "Cargo.toml" => manifest(text),
            Some(file) if file == "Cargo.toml" => without_dev_dependencies(text),
            _ => text.to_owned(),
        };
        // Cargo compiles again what was written again.
        if std::fs::read_to_string(&path).ok().as_ref() != Some(&text) {
            std::fs::write(path, text)?;
        }
    }
    Ok(())
}

/// Deletes all files below `folder` but these.
fn delete_others(folder: &Path, kept: &HashSet<PathBuf>) -> io::Result<()> {
    let listed = match std::fs::read_dir(folder) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        listed => listed?,
    };
    for entry in listed {
        let path = entry?.path();
        if path.is_dir() {
            delete_others(&path, kept)?;
        } else if !kept.contains(&path) {
            std::fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// The repository's manifest, with fewer members and another JSON.
fn manifest(text: &str) -> String {
    let members = "members = [\"crates/core\", \"crates/macros\", \"crates/native\", \"crates/raddle\", \
                   \"crates/report\", \"crates/shadow-json\", \"crates/terminal\", \"crates/shadow/shim/*\"]";
    let json = "serde_json = { package = \"raddle-shadow-json\", path = \"crates/shadow-json\" }";
    let lines = text.lines().map(|line| match line {
        line if line.starts_with("members = ") => members,
        line if line.starts_with("exclude = ") => "",
        line if line.starts_with("serde_json = ") => json,
        line => line,
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// The manifest of a crate without what only its tests use: that does not travel.
fn without_dev_dependencies(text: &str) -> String {
    let mut is_left_out = false;
    let lines = text.lines().filter(|line| {
        if line.starts_with('[') {
            is_left_out = *line == "[dev-dependencies]";
        }
        !is_left_out
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_travel_without_what_their_tests_use() {
        let text = files().find(|(name, _)| *name == "crates/core/Cargo.toml").expect("it is packed").1;
        let manifest = without_dev_dependencies(text);
        assert!(text.contains("suite/classes") && !manifest.contains("suite/classes"), "{manifest}");
        assert!(manifest.contains("serde.workspace = true") && manifest.contains("[lints]"), "{manifest}");
    }

    #[test]
    fn the_facades_and_what_they_need_are_packed() {
        for name in [
            "crates/shadow/shim/std/src/lib.rs",
            "crates/native/src/lib.rs",
            "Cargo.lock",
            SHARED[0].0,
            SHARED[1].0,
        ] {
            assert!(files().any(|(n, _)| n == name), "{name} is missing");
        }
    }

    /// A published package holds copies of what `bundle` links to, and the facades with their manifests.
    #[test]
    fn the_sources_of_the_shim_travel_in_the_package() {
        let cargo = std::env::var_os("CARGO").expect("tests are run by cargo");
        let list = std::process::Command::new(cargo)
            .args(["package", "--list", "--offline", "--allow-dirty"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .expect("cargo can be run");
        let listed = String::from_utf8(list.stdout).unwrap();
        let expected = [
            "shim/std/src/lib.rs",
            "shim/std/manifest.toml",
            "bundle/core/src/lib.rs",
            "bundle/workspace.lock",
        ];
        for file in expected {
            assert!(listed.lines().any(|line| line == file), "{file} is missing from:\n{listed}");
        }
    }

    #[test]
    fn nothing_is_left_of_an_earlier_version() {
        let folder = std::env::temp_dir().join(format!("raddle-bundle-{}", std::process::id()));
        unpack(&folder).unwrap();
        let (moved, kept) =
            (folder.join("crates/shadow/shim/std/src/moved.rs"), folder.join("target/kept.rlib"));
        std::fs::create_dir_all(kept.parent().unwrap()).unwrap();
        for path in [&moved, &kept] {
            std::fs::write(path, "").unwrap();
        }
        let there = folder.join(SHARED[0].0);
        let written = std::fs::metadata(&there).unwrap().modified().unwrap();
        unpack(&folder).unwrap();
        assert!(!moved.exists() && kept.exists());
        assert_eq!(std::fs::metadata(&there).unwrap().modified().unwrap(), written, "it was the same");
        std::fs::remove_dir_all(folder).unwrap();
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
