//! The files that raddle writes and reads again: tickets, searches, what it caches.
//!
//! A reader, also one after a crash, finds the file that was there before or the whole new one, and a failure leaves nothing
//! else behind. The content goes into a new file in the same folder, which is synced and renamed; the folder is synced last.
//! A link in the place of the file is replaced and never followed.

mod disk;
mod temporary;
#[cfg(test)]
mod tests;

pub use temporary::temporary_folder;

use disk::{Disk, System};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use temporary::{is_foreign, user};

/// A larger file is neither written nor read, in bytes.
const LARGEST: u64 = 1 << 30;

/// How the names of files end that are being written.
const PARTIAL: &str = "partial";

/// Writes a file, with the folders that it is in; `what` says what it is if that fails.
pub fn write(path: &Path, what: &str, content: &[u8]) -> Result<(), String> {
    write_to(&mut System, path, what, content)
}

/// Reads the text of a file; `what` says what it is if that fails.
pub fn read(path: &Path, what: &str) -> Result<String, String> {
    let failed = |e: &dyn std::fmt::Display| format!("cannot read the {what} {}: {e}", path.display());
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|e| failed(&e))?;
    if file.metadata().is_ok_and(|found| found.len() > LARGEST) {
        return Err(failed(&too_large()));
    }
    // A device says nothing of its size.
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|e| failed(&e))?;
    if bytes.len() as u64 > LARGEST {
        return Err(failed(&too_large()));
    }
    String::from_utf8(bytes).map_err(|_| failed(&"it is not text"))
}

fn too_large() -> String {
    format!("it has more than {} MB", LARGEST >> 20)
}

fn write_to(disk: &mut dyn Disk, path: &Path, what: &str, content: &[u8]) -> Result<(), String> {
    let failed =
        |e: &dyn std::fmt::Display| format!("the {what} could not be written to {}: {e}", path.display());
    if content.len() as u64 > LARGEST {
        return Err(failed(&too_large()));
    }
    let Some(name) = path.file_name() else { return Err(failed(&"it is no file")) };
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let partial = folder.join(partial_name(name));
    disk.make_folder(folder).map_err(|e| failed(&e))?;
    if is_foreign(folder, user()) {
        return Err(failed(&"its folder is another user's, in a folder that all can write to"));
    }
    remove_abandoned(folder, name);
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
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    Path::new(name).with_added_extension(format!("{}.{number}.{PARTIAL}", std::process::id()))
}

/// The process that writes a file of this name, if it is one that is being written to `name`.
fn writer<'a>(partial: &'a str, name: &str) -> Option<&'a str> {
    let rest = partial.strip_prefix(name)?.strip_prefix('.')?.strip_suffix(PARTIAL)?.strip_suffix('.')?;
    let (process, number) = rest.split_once('.')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (is_number(process) && is_number(number)).then_some(process)
}

/// Removes what a process left behind that was killed while it wrote this file.
fn remove_abandoned(folder: &Path, name: &OsStr) {
    let name = name.to_string_lossy();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let found = entry.file_name();
        let process = found.to_str().and_then(|found| writer(found, &name));
        if process.is_some_and(|process| !Path::new("/proc").join(process).exists()) {
            // If it cannot be removed, it is in the way of no other file.
            let _ = std::fs::remove_file(entry.path());
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
