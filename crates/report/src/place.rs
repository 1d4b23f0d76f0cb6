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
            names.insert((*file).to_owned(), crate::text::clean(&tail(file, n)));
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

/// `src/bank.rs:12`, which terminals and editors open.
pub fn full(place: &Place) -> String {
    crate::text::clean(&place.to_string())
}

/// Names that say nothing without their directory.
fn is_everywhere(name: &str) -> bool {
    matches!(name, "mod.rs" | "lib.rs" | "main.rs")
}

#[cfg(test)]
mod tests {
    use super::*;

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
