//! The lines of the program's source, read from where the compiler may have seen them. A file that cannot be
//! read, or a line that is not there, is simply no quotation.

use crate::escape;
use crate::layout::Sources;
use raddle_core::limits::LARGEST_SOURCE;
use raddle_core::record::Place;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The source files read so far.
pub struct Library {
    roots: Vec<PathBuf>,
    /// Only files below these are read, wherever their names and links lead; none if all are.
    only: Option<Vec<PathBuf>>,
    files: RefCell<HashMap<String, Vec<String>>>,
}

impl Library {
    /// The files that may be quoted.
    pub fn new(sources: &Sources) -> Library {
        let roots = match sources {
            Sources::Hide => Vec::new(),
            Sources::Under(root) => vec![root.clone()],
            Sources::Beside { folders, .. } => folders.iter().flat_map(|folder| beside(folder)).collect(),
            Sources::Show => {
                let here = std::env::current_dir().ok();
                let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
                let both = [here, manifest].into_iter().flatten();
                both.flat_map(|dir| dir.ancestors().map(Path::to_owned).collect::<Vec<_>>()).collect()
            }
        };
        let only = match sources {
            // The names of files may come from a ticket, which may come from anywhere.
            Sources::Under(root) => Some(trusted(root)),
            // They come from the program, which may name any file.
            Sources::Beside { folders, toolchain } => {
                let here = std::env::current_dir().ok();
                let around = folders.iter().flat_map(|folder| beside(folder)).chain(here);
                Some(found(around.chain(toolchain.iter().cloned())))
            }
            // They are those of this process, which prints its own sources.
            Sources::Show | Sources::Hide => None,
        };
        Library { roots, only, files: RefCell::default() }
    }

    /// The line at `place` with its indentation (tabs as four spaces); none if it cannot be found or is empty.
    pub fn line(&self, place: &Place) -> Option<String> {
        if self.roots.is_empty() {
            return None;
        }
        let mut files = self.files.borrow_mut();
        let lines = files.entry(place.file.clone()).or_insert_with(|| self.read(&place.file));
        let line = lines.get((place.line as usize).checked_sub(1)?)?;
        let line = escape::line(&line.replace('\t', "    "));
        (!line.trim().is_empty()).then_some(line)
    }

    /// The line at `place` without its indentation.
    pub fn quote(&self, place: &Place) -> Option<String> {
        self.line(place).map(|line| line.trim_start().to_owned())
    }

    /// The lines of a file from the first to the last that there is, at most `last`.
    #[cfg(feature = "forms")]
    pub fn lines(&self, file: &str, first: u32, last: u32) -> Vec<String> {
        if self.roots.is_empty() {
            return Vec::new();
        }
        let mut files = self.files.borrow_mut();
        let lines = files.entry(file.to_owned()).or_insert_with(|| self.read(file));
        let last = (last as usize).min(lines.len());
        let lines = lines.get((first as usize).saturating_sub(1)..last).unwrap_or_default();
        lines.iter().map(|line| escape::line(&line.replace('\t', "    "))).collect()
    }

    fn read(&self, file: &str) -> Vec<String> {
        for root in &self.roots {
            // Joining an absolute path leaves it as it is.
            let Ok(path) = root.join(file).canonicalize() else { continue };
            if self.only.as_ref().is_some_and(|only| !only.iter().any(|folder| path.starts_with(folder))) {
                continue;
            }
            let small = std::fs::metadata(&path).is_ok_and(|m| m.is_file() && m.len() <= LARGEST_SOURCE);
            if small && let Ok(bytes) = std::fs::read(&path) {
                return String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect();
            }
        }
        Vec::new()
    }
}

/// Where sources are that may be quoted: the workspace, and what cargo and rustup keep of dependencies and of std.
fn trusted(workspace: &Path) -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let named = |variable: &str, usual: &str| {
        std::env::var_os(variable).map(PathBuf::from).or_else(|| Some(home.as_ref()?.join(usual)))
    };
    // Not the whole of cargo's home, which has credentials.
    let dependencies = named("CARGO_HOME", ".cargo")
        .into_iter()
        .flat_map(|cargo| ["registry/src", "git/checkouts"].map(|folder| cargo.join(folder)));
    let toolchains = named("RUSTUP_HOME", ".rustup").map(|rustup| rustup.join("toolchains"));
    found([workspace.to_path_buf()].into_iter().chain(dependencies).chain(toolchains))
}

/// A folder with compiled modules, and where their sources may be.
fn beside(folder: &Path) -> [PathBuf; 4] {
    ["", "../src", "../test", "../include"].map(|relative| folder.join(relative))
}

/// The folders that are there, without links in their names.
fn found(folders: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    folders.filter_map(|folder| folder.canonicalize().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(file: &str, line: u32) -> Place {
        Place { file: file.to_owned(), line, column: 1 }
    }

    #[test]
    fn files_are_found_from_the_root_of_the_workspace_too() {
        let library = Library::new(&Sources::Show);
        let first = library.quote(&place("src/source.rs", 1)).unwrap();
        assert!(first.starts_with("//! The lines of the program's source"));
        assert_eq!(library.quote(&place("crates/report/src/source.rs", 1)), Some(first));
    }

    #[test]
    fn what_is_not_there_is_no_quotation() {
        let library = Library::new(&Sources::Show);
        assert_eq!(library.quote(&place("src/source.rs", 0)), None);
        assert_eq!(library.quote(&place("src/source.rs", 1_000_000)), None);
        assert_eq!(library.quote(&place("/rustc/1234/library/core/src/ops/function.rs", 250)), None);
        assert_eq!(library.quote(&place("src", 1)), None);
        assert_eq!(library.quote(&place("", 1)), None);
        assert_eq!(Library::new(&Sources::Hide).quote(&place("src/source.rs", 1)), None);
    }

    #[test]
    fn only_sources_of_the_program_are_quoted() {
        let folder = std::env::temp_dir().join(format!("raddle-quoted-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("workspace")).unwrap();
        std::fs::write(folder.join("workspace/lib.rs"), "inside").unwrap();
        std::fs::write(folder.join("secret"), "secret").unwrap();
        std::os::unix::fs::symlink(folder.join("secret"), folder.join("workspace/link.rs")).unwrap();
        let library = Library::new(&Sources::Under(folder.join("workspace")));
        assert_eq!(library.quote(&place("lib.rs", 1)).as_deref(), Some("inside"));
        let absolute = folder.join("workspace/lib.rs").display().to_string();
        assert_eq!(library.quote(&place(&absolute, 1)).as_deref(), Some("inside"));
        let outside = folder.join("secret").display().to_string();
        let (folders, toolchain) = (vec![folder.join("workspace")], Vec::new());
        let beside = Library::new(&Sources::Beside { folders, toolchain });
        assert_eq!(beside.quote(&place("lib.rs", 1)).as_deref(), Some("inside"));
        for file in [outside.as_str(), "../secret", "link.rs", "/etc/passwd"] {
            assert_eq!(library.quote(&place(file, 1)), None, "{file}");
            assert_eq!(beside.quote(&place(file, 1)), None, "{file}");
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
