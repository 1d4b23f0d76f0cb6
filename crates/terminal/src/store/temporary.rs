//! Folders and files in places that other users can write to, as that of temporary files: another user may have made a folder, a
//! file or a link of any name there. What is made is new and for this user alone, and no link is followed.

use super::remove_abandoned_in;
use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The user of this process.
pub(super) fn user() -> u32 {
    // SAFETY: a plain system call.
    unsafe { libc::geteuid() }
}

/// The folder for temporary files, which only this user can read or write. It is made if it is not there.
///
/// # Errors
/// If it cannot be made, or if it is a link or belongs to another user.
pub fn temporary_folder() -> Result<PathBuf, String> {
    own_folder(&std::env::temp_dir(), user())
}

/// How the names of temporary folders and files end: no other thread or process has the same.
pub(super) fn unique() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("{}.{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// How they end beside that.
pub(super) const TEMPORARY: &str = "temporary";

/// A new folder, which is removed when this is dropped; if this process is killed, by the next one that makes such a folder.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// A folder whose name begins with `what`.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn new(what: &str) -> Result<Scratch, String> {
        let folder = temporary_folder()?;
        remove_abandoned_in(&folder, what, TEMPORARY);
        let path = folder.join(format!("{what}.{}.{TEMPORARY}", unique()));
        let made = DirBuilder::new().mode(0o700).create(&path);
        made.map_err(|e| format!("cannot make the folder {}: {e}", path.display()))?;
        Ok(Scratch(path))
    }
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If it cannot be removed, it is in the way of no other.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A new file without a name, which disappears however this process ends. It is read, and appended to.
///
/// # Errors
/// If it cannot be made.
pub fn unnamed_file() -> Result<File, String> {
    let folder = temporary_folder()?;
    let path = folder.join(format!("unnamed.{}.{TEMPORARY}", unique()));
    let failed = |e: io::Error| format!("cannot make a file in {}: {e}", folder.display());
    let mut new = OpenOptions::new();
    new.read(true).append(true).create_new(true).mode(0o600);
    let file = new.open(&path).map_err(failed)?;
    std::fs::remove_file(&path).map_err(failed)?;
    Ok(file)
}

/// Makes a folder of this user's, and those that it is in, if it is not there.
///
/// # Errors
/// If it cannot be made, or if another user has made it in a place that all can write to.
pub fn make_folder(folder: &Path) -> Result<(), String> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|e| format!("cannot make the folder {}: {e}", folder.display()))?;
    match is_foreign(folder, user()) {
        true => {
            Err(format!("the folder {} is another user's, in one that all can write to", folder.display()))
        }
        false => Ok(()),
    }
}

/// Opens a file for a lock. It has no content.
///
/// # Errors
/// If it cannot be made, or is a link.
pub fn lock_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(0o600).custom_flags(libc::O_NOFOLLOW);
    options.open(path)
}

/// Whether another user may have made this folder, or this link, for us to write through it: it is not this user's, and all
/// may write to the folder that it is in.
pub(super) fn is_foreign(folder: &Path, user: u32) -> bool {
    let absolute = std::path::absolute(folder).unwrap_or_default();
    let all_write = |parent: &Path| std::fs::metadata(parent).is_ok_and(|found| found.mode() & 0o002 != 0);
    absolute.parent().is_some_and(all_write)
        && std::fs::symlink_metadata(&absolute).is_ok_and(|found| found.uid() != user)
}

pub(super) fn own_folder(shared: &Path, user: u32) -> Result<PathBuf, String> {
    if !shared.is_dir() {
        return Err(format!(
            "the folder for temporary files, {}, is not there; TMPDIR says which it is",
            shared.display()
        ));
    }
    let folder = shared.join(format!("raddle-{user}"));
    let failed = |e: io::Error| format!("cannot make the folder {}: {e}", folder.display());
    match DirBuilder::new().mode(0o700).create(&folder) {
        Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(failed(e)),
        _ => {}
    }
    // Of a link, not of what it leads to.
    let found = std::fs::symlink_metadata(&folder).map_err(failed)?;
    if !found.is_dir() || found.uid() != user {
        return Err(format!(
            "{} is not a folder of this user: remove it, or let TMPDIR name another folder",
            folder.display()
        ));
    }
    if found.mode() & 0o077 != 0 {
        std::fs::set_permissions(&folder, Permissions::from_mode(0o700)).map_err(failed)?;
    }
    Ok(folder)
}
