//! Where tickets and searches that were stopped are written and read.

use crate::store;
use raddle_core::checksum::Checksum;
use raddle_core::search::Saved;
use raddle_core::ticket::Ticket;
use std::path::{Path, PathBuf};

/// The file of a stopped search, or why it could not be written.
pub type SearchFile = Result<PathBuf, String>;

/// Reads a ticket, given as text or as the path of a file.
pub fn read_ticket(text: &str) -> Result<Ticket, String> {
    let trimmed = text.trim_start();
    if trimmed.starts_with('{') || Ticket::is_line(trimmed) {
        return Ticket::parse(text).map_err(|e| e.to_string());
    }
    let content = store::read(Path::new(text), "ticket")?;
    Ticket::parse(&content).map_err(|e| format!("{text}: {e}"))
}

/// Writes a ticket and returns where.
pub fn write_ticket(path: &Path, ticket: &Ticket) -> Result<PathBuf, String> {
    write_file(path, "ticket", &ticket.to_json())
}

/// Reads the file of a search that was stopped.
pub fn read_search(path: &str) -> Result<Box<Saved>, String> {
    let content = store::read(Path::new(path), "search")?;
    Saved::parse(&content).map(Box::new).map_err(|e| format!("{path}: {e}"))
}

/// Writes a search that was stopped and returns where.
pub fn write_search(path: &Path, saved: &Saved) -> SearchFile {
    write_file(path, "search", &saved.to_json())
}

/// Writes a file and returns where; `what` says what it is if that fails. See [`store`].
pub fn write_file(path: &Path, what: &str, content: &str) -> Result<PathBuf, String> {
    store::write(path, what, content.as_bytes())?;
    Ok(shortened(path.to_path_buf()))
}

/// The longest name that stays as it is, in bytes. File systems allow 255, and an extension follows.
const LONGEST_NAME: usize = 150;

/// A name for a file that is as readable as `name`, of a package, a program or a test: `a::b` is "a.b". Different names have
/// different files: where a character has no place in the name of a file, a checksum follows.
pub fn file_name(name: &str) -> String {
    let spelled = name.replace("::", "\0").replace(':', "\0");
    let keeps = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '\0');
    let mut short: String = spelled.chars().map(|c| if keeps(c) { c } else { '-' }).collect();
    let is_same = short == spelled && !short.is_empty() && short.len() <= LONGEST_NAME;
    short.truncate(short.floor_char_boundary(LONGEST_NAME));
    let short = short.replace('\0', ".");
    if is_same { short } else { format!("{short}-{}", Checksum::of(name.as_bytes()).short()) }
}

/// Where a file about a test of the present program goes: named after its package, the program and the test, as far as they
/// have different names.
pub fn path_for(test: Option<&str>, extension: &str) -> Result<PathBuf, String> {
    let program = std::env::current_exe().unwrap_or_default();
    let program = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let package = std::env::var("CARGO_PKG_NAME").unwrap_or_default();
    let test = test.map_or_else(|| format!("check-{}", std::process::id()), str::to_owned);
    let name = format!("{}.{extension}", joined([&package, without_hash(&program), &test]));
    Ok(target_directory()?.join(name))
}

/// The names one after the other, without those that are empty or say the same again.
fn joined(names: [&str; 3]) -> String {
    let mut names: Vec<String> = names.into_iter().filter(|name| !name.is_empty()).map(file_name).collect();
    names.dedup_by(|one, other| one.replace('-', "_") == other.replace('-', "_"));
    names.join(".")
}

/// The name of a program that cargo built, without the hash at its end.
fn without_hash(program: &str) -> &str {
    match program.rsplit_once('-') {
        Some((name, hash)) if hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()) => name,
        _ => program,
    }
}

/// The folder `raddle` in the target directory of the present program, or a folder of this user's for temporary files.
fn target_directory() -> Result<PathBuf, String> {
    let marked = |folder: &Path| folder.join("CACHEDIR.TAG").is_file();
    let program = std::env::current_exe().unwrap_or_default();
    let built_into = program.ancestors().skip(1).find(|folder| marked(folder)).map(Path::to_path_buf);
    built_into.map_or_else(store::temporary_folder, |folder| Ok(folder.join("raddle")))
}

/// Relative to the present directory where that is shorter.
fn shortened(path: PathBuf) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&here).map(Path::to_path_buf).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_back() {
        let test = Some("tickets::written and read".to_owned());
        let ticket = Ticket { test, ..Ticket::empty() };
        let path = write_ticket(&path_for(ticket.test.as_deref(), "json").unwrap(), &ticket).unwrap();
        assert_eq!(read_ticket(path.to_str().unwrap()).unwrap(), ticket);
        assert_eq!(read_ticket(&ticket.to_string()).unwrap(), ticket);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_corrupt_file_names_itself() {
        let path = std::env::temp_dir().join(format!("raddle-corrupt-{}.json", std::process::id()));
        std::fs::write(&path, "{ \"version\": 1, \"ste").unwrap();
        let error = read_ticket(path.to_str().unwrap()).unwrap_err();
        std::fs::remove_file(&path).unwrap();
        assert!(error.contains("not a usable ticket") && error.contains("raddle-corrupt"), "{error}");
    }

    #[test]
    fn different_tests_have_different_files() {
        let long = "x".repeat(300);
        let names =
            ["a::b", "a_b", "a-b", "a.b", "a/b", "a b", "a::b::c", "\u{e9}", "..", "", &long, &long[1..]];
        let files: Vec<String> = names.iter().map(|name| file_name(name)).collect();
        assert_eq!(files[..3], ["a.b", "a_b", "a-b"]);
        assert!(files[3].starts_with("a-b-") && files[8].starts_with("---"), "{files:?}");
        let different: std::collections::BTreeSet<&String> = files.iter().collect();
        assert_eq!(different.len(), names.len(), "{files:?}");
        assert!(files.iter().all(|file| file.len() < 200 && !file.contains('/')), "{files:?}");
        assert_eq!(joined(["my-bank", "my_bank", "transfer"]), "my-bank.transfer");
        assert_eq!(joined(["bank", "bank", "bank"]), "bank");
        assert_eq!(joined(["", "other", "a::b"]), "other.a.b");
        assert_eq!(without_hash("bank-0123456789abcdef"), "bank");
    }
}
