//! Where tickets and searches that were stopped are written and read.

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
    match std::fs::read_to_string(text) {
        Ok(content) => Ticket::parse(&content).map_err(|e| format!("{text}: {e}")),
        Err(e) => Err(format!("cannot read the ticket {text}: {e}")),
    }
}

/// Writes a ticket into `folder` and returns where.
pub fn write_ticket(folder: &Path, ticket: &Ticket) -> Result<PathBuf, String> {
    write_file(folder, ticket.test.as_deref(), "json", "ticket", &ticket.to_json())
}

/// Reads the file of a search that was stopped.
pub fn read_search(path: &str) -> Result<Box<Saved>, String> {
    let content = std::fs::read_to_string(path).map_err(|e| format!("cannot read the search {path}: {e}"))?;
    Saved::parse(&content).map(Box::new).map_err(|e| format!("{path}: {e}"))
}

/// Writes a search that was stopped into `folder` and returns where.
pub fn write_search(folder: &Path, saved: &Saved) -> SearchFile {
    write_file(folder, saved.test.as_deref(), "search.json", "search", &saved.to_json())
}

/// Writes a file that is named after a test, and returns where; `what` says what it is if that fails.
pub fn write_file(
    folder: &Path,
    test: Option<&str>,
    extension: &str,
    what: &str,
    content: &str,
) -> Result<PathBuf, String> {
    let name: String = match test {
        Some(test) => test.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect(),
        None => format!("check-{}", std::process::id()),
    };
    let path = folder.join(format!("{}.{extension}", name.replace("--", "-")));
    let written = std::fs::create_dir_all(folder).and_then(|()| {
        // Written to another file first, so that a reader never sees half of it.
        let partial = path.with_extension(format!("{extension}.{}", std::process::id()));
        std::fs::write(&partial, content)?;
        std::fs::rename(&partial, &path)
    });
    written.map_err(|e| format!("the {what} could not be written to {}: {e}", path.display()))?;
    Ok(shortened(path))
}

/// The folder `raddle` in the target directory of the present program.
pub fn target_directory() -> PathBuf {
    let marked = |folder: &Path| folder.join("CACHEDIR.TAG").is_file();
    let program = std::env::current_exe().unwrap_or_default();
    let built_into = program.ancestors().skip(1).find(|folder| marked(folder)).map(Path::to_path_buf);
    built_into.unwrap_or_else(std::env::temp_dir).join("raddle")
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
        let path = write_ticket(&target_directory(), &ticket).unwrap();
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
}
