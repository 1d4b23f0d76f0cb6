//! The folder of this user's temporary files. The folder that it is in is shared: another user may have made a folder or a
//! link of any name there.

use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The user of this process.
pub(super) fn user() -> u32 {
    // SAFETY: a plain system call.
    unsafe { libc::geteuid() }
}

/// The folder, which only this user can read or write. It is made if it is not there.
///
/// # Errors
/// If it cannot be made, or if it is a link or belongs to another user.
pub fn temporary_folder() -> Result<PathBuf, String> {
    own_folder(&std::env::temp_dir(), user())
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
