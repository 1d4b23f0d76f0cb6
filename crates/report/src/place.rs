//! Short names for places: the file's own name, with as many directories as are needed to distinguish the files of one
//! record.

use raddle_core::record::Place;
use std::collections::{BTreeMap, BTreeSet};

/// The short names of the files of one record.
pub struct Places(BTreeMap<String, String>);

impl Places {
    /// The short names of these files, each unlike the others.
    pub fn new<'a>(files: impl Iterator<Item = &'a str>) -> Places {
        let files: BTreeSet<&str> = files.collect();
        let parts = |file: &str| -> Vec<String> { file.split(['/', '\\']).map(str::to_owned).collect() };
        let tail = |file: &str, n: usize| -> String {
            let parts = parts(file);
            parts[parts.len().saturating_sub(n)..].join("/")
        };
        let mut names = BTreeMap::new();
        for file in &files {
            let all = parts(file).len();
            let mut n = if is_everywhere(&tail(file, 1)) { 2 } else { 1 };
            while n < all && files.iter().any(|other| other != file && tail(other, n) == tail(file, n)) {
                n += 1;
            }
            names.insert((*file).to_owned(), crate::escape::line(&tail(file, n)));
        }
        Places(names)
    }

    /// `bank.rs:12`.
    pub fn short(&self, place: &Place) -> String {
        match self.0.get(&place.file) {
            Some(name) => format!("{name}:{}", place.line),
            None => full(place),
        }
    }
}

/// `src/bank.rs:12`, which terminals and editors open; in a dependency, `parking_lot-0.12.5/src/mutex.rs:12`.
pub fn full(place: &Place) -> String {
    format!("{}:{}", file(&place.file), place.line)
}

/// The name of a file: in a dependency, it begins with the name of the package.
pub fn file(file: &str) -> String {
    let after = |folder: &str| file.rsplit_once(folder).map(|(_, rest)| rest);
    // Below these are the name of the registry, and the name of the repository with a commit.
    let in_registry = || after(REGISTRY)?.split_once('/').map(|(_, rest)| rest.to_owned());
    let in_git = || {
        let (repository, rest) = after(GIT)?.split_once('/')?;
        let (name, _hash) = repository.rsplit_once('-')?;
        rest.split_once('/').map(|(_commit, rest)| format!("{name}/{rest}"))
    };
    crate::escape::line(&in_registry().or_else(in_git).unwrap_or_else(|| file.to_owned()))
}

/// Where cargo keeps the sources of dependencies.
const REGISTRY: &str = "/registry/src/";
const GIT: &str = "/git/checkouts/";

/// The package of a file of a dependency: `parking_lot-0.12.5`. None for the code under test.
pub fn dependency(place: &Place) -> Option<String> {
    let is_one = place.file.contains(REGISTRY) || place.file.contains(GIT);
    is_one.then(|| file(&place.file).split('/').next().unwrap_or_default().to_owned())
}

/// Names that say nothing without their directory.
fn is_everywhere(name: &str) -> bool {
    matches!(name, "mod.rs" | "lib.rs" | "main.rs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_dependencies_begin_with_their_package() {
        let at = |file: &str| Place { file: file.to_owned(), line: 7, column: 1 };
        let registry =
            at("/home/me/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/lock_api-0.4.14/src/mutex.rs");
        assert_eq!(full(&registry), "lock_api-0.4.14/src/mutex.rs:7");
        assert_eq!(dependency(&registry).as_deref(), Some("lock_api-0.4.14"));
        let git = at("/home/me/.cargo/git/checkouts/tokio-7d6ca35fa59a2c32/4a91f7b/tokio/src/lib.rs");
        assert_eq!(full(&git), "tokio/tokio/src/lib.rs:7");
        assert_eq!((full(&at("src/a.rs")).as_str(), dependency(&at("src/a.rs"))), ("src/a.rs:7", None));
    }

    #[test]
    fn names_are_as_short_as_they_can_be() {
        let files = ["src/bank.rs", "src/a/queue.rs", "src/b/queue.rs", "src/net/mod.rs", "lib.rs"];
        let places = Places::new(files.into_iter());
        let short = |file: &str| places.short(&Place { file: file.to_owned(), line: 7, column: 1 });
        assert_eq!(short("src/bank.rs"), "bank.rs:7");
        assert_eq!(short("src/a/queue.rs"), "a/queue.rs:7");
        assert_eq!(short("src/b/queue.rs"), "b/queue.rs:7");
        assert_eq!(short("src/net/mod.rs"), "net/mod.rs:7");
        assert_eq!(short("lib.rs"), "lib.rs:7");
        assert_eq!(short("src/unheard_of.rs"), "src/unheard_of.rs:7");
    }
}
