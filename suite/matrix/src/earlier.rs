//! The results of earlier runs. A crate that could not be explored this time keeps its row: from the file of
//! its last output, or, on a machine without one, from the table.

use crate::catalogue::Entry;
use crate::date;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The file of the command's last output about a crate.
pub fn words(entry: &Entry, home: &Path) -> PathBuf {
    home.join(format!("{}-{}.jsonl", entry.name, entry.version))
}

fn note(entry: &Entry, home: &Path) -> PathBuf {
    home.join(format!("{}-{}.failed", entry.name, entry.version))
}

/// Stores that a crate was explored, with the output.
pub fn explored(entry: &Entry, home: &Path, said: &[u8]) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("cannot write to {}: {e}", home.display());
    std::fs::write(words(entry, home), said).map_err(failed)?;
    match std::fs::remove_file(note(entry, home)) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(failed(e)),
        _ => Ok(()),
    }
}

/// Stores that a crate could not be explored. The earlier output is kept.
pub fn failed(entry: &Entry, home: &Path, why: &str) -> Result<(), String> {
    let text = format!("{} could not be explored on {}: {why}", title(entry), date::of(SystemTime::now()));
    std::fs::write(note(entry, home), text).map_err(|e| format!("cannot write to {}: {e}", home.display()))
}

/// Why the last attempt failed, if it did.
pub fn failure(entry: &Entry, home: &Path) -> Option<String> {
    std::fs::read_to_string(note(entry, home)).ok()
}

fn title(entry: &Entry) -> String {
    format!("{} {}", entry.name, entry.version)
}

/// The row of a crate in an earlier table, and the details of its tests there.
pub fn in_table(entry: &Entry, table: &str) -> Option<(String, String)> {
    let begins = |line: &&str, mark: &str| line.starts_with(&format!("{mark} {} ", entry.name));
    // The table of builds has the same crates.
    let crates = table.split("\n## ").next().unwrap_or_default();
    let row = crates.lines().find(|line| begins(line, "|"))?;
    let mut details = String::new();
    for line in table.lines().skip_while(|line| !begins(line, "###")) {
        if line.starts_with('#') && !begins(&line, "###") {
            break;
        }
        details += line;
        details.push('\n');
    }
    let details = if details.is_empty() { details } else { format!("\n{}\n", details.trim_end()) };
    Some((format!("{row}\n"), details))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::ENTRIES;

    const TABLE: &str = "# Crates\n\n| crate | tests |\n|---|---|\n| oneshot 0.2.0 | 7 |\n| flume 0.12.0 | 9 |\n\n\
                         ## Builds\n\n| flume 0.12.0 | 1.1 |\n| bus 2.4.1 | 1.1 |\n\n## What failed\n\n\
                         ### oneshot 0.2.0 (exit code 0)\n\n- skipped: `a`: why\n- skipped: `b`: why\n\n\
                         ### flume 0.12.0 (exit code 1)\n\n- failed: `c`: why\n";

    fn entry(name: &str) -> &'static Entry {
        ENTRIES.iter().find(|entry| entry.name == name).unwrap()
    }

    #[test]
    fn rows_of_a_table_are_found_again() {
        let (row, details) = in_table(entry("oneshot"), TABLE).unwrap();
        assert_eq!(row, "| oneshot 0.2.0 | 7 |\n");
        assert_eq!(
            details,
            "\n### oneshot 0.2.0 (exit code 0)\n\n- skipped: `a`: why\n- skipped: `b`: why\n"
        );
        let (row, details) = in_table(entry("flume"), TABLE).unwrap();
        assert_eq!((row.as_str(), details.lines().count()), ("| flume 0.12.0 | 9 |\n", 4));
        assert_eq!(in_table(entry("bus"), TABLE), None, "it was only built");
    }

    #[test]
    fn an_attempt_that_fails_leaves_what_was_there() {
        let home = std::env::temp_dir().join(format!("raddle-matrix-test-{}", std::process::id()));
        std::fs::create_dir_all(&home).unwrap();
        let entry = entry("oneshot");
        explored(entry, &home, b"{}").unwrap();
        assert_eq!(failure(entry, &home), None);
        failed(entry, &home, "it does not compile").unwrap();
        assert_eq!(std::fs::read(words(entry, &home)).unwrap(), b"{}");
        let said = failure(entry, &home).unwrap();
        let begin = format!("oneshot {} could not be explored on 20", entry.version);
        assert!(said.starts_with(&begin) && said.ends_with(": it does not compile"), "{said}");
        explored(entry, &home, b"[]").unwrap();
        assert_eq!(failure(entry, &home), None, "it works again");
        std::fs::remove_dir_all(home).unwrap();
    }
}
