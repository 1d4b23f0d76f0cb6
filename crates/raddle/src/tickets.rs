//! Where tickets are written and read.

use raddle_core::ticket::Ticket;
use std::path::{Path, PathBuf};

/// Reads a ticket, given as text or as the path of a file.
pub(crate) fn read(text: &str) -> Result<Ticket, String> {
    let looks_like_a_ticket =
        text.trim_start().starts_with(['{']) || text.trim_start().starts_with("raddle1;");
    if looks_like_a_ticket {
        return Ticket::parse(text).map_err(|e| e.to_string());
    }
    let content = std::fs::read_to_string(text);
    match content {
        Ok(content) => Ticket::parse(&content).map_err(|e| format!("{text}: {e}")),
        // Something like `raddle9;..` is meant as a ticket, not as a path.
        Err(_) if text.contains(';') => Ticket::parse(text).map_err(|e| e.to_string()),
        Err(e) => Err(format!("cannot read the ticket {text}: {e}")),
    }
}

/// Writes a ticket and returns where.
pub(crate) fn write(ticket: &Ticket) -> Result<PathBuf, String> {
    write_file(ticket.test.as_deref(), "json", "ticket", &ticket.to_json())
}

/// Writes a file that is named after a test, and returns where; `what` says what it is if that fails.
pub(crate) fn write_file(
    test: Option<&str>,
    extension: &str,
    what: &str,
    content: &str,
) -> Result<PathBuf, String> {
    let name: String = match test {
        Some(test) => test.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect(),
        None => format!("check-{}", std::process::id()),
    };
    let folder = target_directory().join("raddle");
    let path = folder.join(format!("{}.{extension}", name.replace("--", "-")));
    let written = std::fs::create_dir_all(&folder).and_then(|()| {
        // Through another file, so that nobody ever reads half of it.
        let partial = path.with_extension(format!("{extension}.{}", std::process::id()));
        std::fs::write(&partial, content)?;
        std::fs::rename(&partial, &path)
    });
    written.map_err(|e| format!("the {what} could not be written to {}: {e}", path.display()))?;
    Ok(shortened(path))
}

/// The target directory that the running program was built into.
fn target_directory() -> PathBuf {
    let marked = |folder: &Path| folder.join("CACHEDIR.TAG").is_file();
    let program = std::env::current_exe().unwrap_or_default();
    let built_into = program.ancestors().skip(1).find(|folder| marked(folder)).map(Path::to_path_buf);
    built_into.unwrap_or_else(std::env::temp_dir)
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
        let ticket = Ticket { version: 1, test, settings: Default::default(), steps: vec![] };
        let path = write(&ticket).unwrap();
        assert_eq!(read(path.to_str().unwrap()).unwrap(), ticket);
        assert_eq!(read(&ticket.to_string()).unwrap(), ticket);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_corrupt_file_names_itself() {
        let path = std::env::temp_dir().join(format!("raddle-corrupt-{}.json", std::process::id()));
        std::fs::write(&path, "{ \"version\": 1, \"ste").unwrap();
        let error = read(path.to_str().unwrap()).unwrap_err();
        std::fs::remove_file(&path).unwrap();
        assert!(error.contains("not a usable ticket") && error.contains("raddle-corrupt"), "{error}");
    }
}
