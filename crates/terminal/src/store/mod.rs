//! The files and folders that raddle writes: tickets, searches, what it caches, what is temporary.
//!
//! A reader, also one after a crash, finds the file that was there before or the whole new one, and a failure leaves nothing
//! else behind. The content goes into a new file in the same folder, which is synced and renamed; the folder is synced last.
//! A link in the place of the file is replaced and never followed.

mod disk;
mod failing;
mod temporary;
#[cfg(test)]
mod tests;

pub use disk::{Disk, System};
pub use failing::{FailingDisk, Fault};
pub use temporary::{Scratch, lock_file, make_folder, temporary_folder, unnamed_file};

use raddle_core::limits::LARGEST_FILE;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use temporary::{is_foreign, unique, user};

/// How the names of files end that are being written.
const PARTIAL: &str = "partial";

/// Writes a file, with the folders that it is in; `what` says what it is if that fails.
pub fn write(path: &Path, what: &str, content: &[u8]) -> Result<(), String> {
    write_to(&mut System, path, what, content)
}

/// Makes a file of the user's, as an editor does; `what` says what it is if that fails. There must be none yet.
pub fn create(path: &Path, what: &str, content: &str) -> Result<(), String> {
    let failed =
        |e: &dyn std::fmt::Display| format!("the {what} could not be written to {}: {e}", path.display());
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(|e| failed(&e))?;
    file.write_all(content.as_bytes()).and_then(|()| file.sync_all()).map_err(|e| {
        // Half of it is of no use.
        let _ = std::fs::remove_file(path);
        failed(&e)
    })
}

/// Reads the text of a file; `what` says what it is if that fails.
pub fn read(path: &Path, what: &str) -> Result<String, String> {
    let failed = |e: &dyn std::fmt::Display| format!("cannot read the {what} {}: {e}", path.display());
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|e| failed(&e))?;
    if file.metadata().is_ok_and(|found| found.len() > LARGEST_FILE) {
        return Err(failed(&too_large()));
    }
    // A device says nothing of its size.
    file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(|e| failed(&e))?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(failed(&too_large()));
    }
    String::from_utf8(bytes).map_err(|_| failed(&"it is not text"))
}

fn too_large() -> String {
    format!("it has more than {} MB", LARGEST_FILE >> 20)
}

/// The same as [`write()`] on a disk that may fail.
pub fn write_to(disk: &mut dyn Disk, path: &Path, what: &str, content: &[u8]) -> Result<(), String> {
    let failed =
        |e: &dyn std::fmt::Display| format!("the {what} could not be written to {}: {e}", path.display());
    if content.len() as u64 > LARGEST_FILE {
        return Err(failed(&too_large()));
    }
    let Some(name) = path.file_name() else { return Err(failed(&"it is no file")) };
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let partial = folder.join(partial_name(name));
    disk.make_folder(folder).map_err(|e| failed(&e))?;
    if is_foreign(folder, user()) {
        return Err(failed(&"its folder is another user's, in a folder that all can write to"));
    }
    remove_abandoned_in(folder, &name.to_string_lossy(), PARTIAL);
    let mut file = disk.create(&partial).map_err(|e| failed(&e))?;
    let written = disk
        .write(&mut file, content)
        .and_then(|()| disk.sync(&file))
        .and_then(|()| disk.rename(&partial, path));
    if let Err(e) = written {
        // There may be no room for it.
        let _ = std::fs::remove_file(&partial);
        return Err(failed(&e));
    }
    disk.sync_folder(folder).map_err(|e| failed(&e))
}

/// `NAME.PROCESS.NUMBER.partial`: no other thread or process writes to it.
fn partial_name(name: &OsStr) -> PathBuf {
    Path::new(name).with_added_extension(format!("{}.{PARTIAL}", unique()))
}

/// The process that made a file or folder of this name, if it is `NAME.PROCESS.NUMBER.ENDING`.
fn maker<'a>(found: &'a str, name: &str, ending: &str) -> Option<&'a str> {
    let rest = found.strip_prefix(name)?.strip_prefix('.')?.strip_suffix(ending)?.strip_suffix('.')?;
    let (process, number) = rest.split_once('.')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (is_number(process) && is_number(number)).then_some(process)
}

/// Removes what processes left behind that were killed: files and folders `NAME.PROCESS.NUMBER.ENDING`.
fn remove_abandoned_in(folder: &Path, name: &str, ending: &str) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let found = entry.file_name();
        let process = found.to_str().and_then(|found| maker(found, name, ending));
        if process.is_some_and(|process| !Path::new("/proc").join(process).exists()) {
            // If it cannot be removed, it is in the way of no other.
            let path = entry.path();
            let _ = match entry.file_type() {
                Ok(found) if found.is_dir() => std::fs::remove_dir_all(path),
                _ => std::fs::remove_file(path),
            };
        }
    }
}

/// Removes a file that is out of date. It need not be there.
pub fn remove(path: &Path, what: &str) -> Result<(), String> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => {
            Err(format!("the {what} {} could not be removed: {e}", path.display()))
        }
        _ => Ok(()),
    }
}
