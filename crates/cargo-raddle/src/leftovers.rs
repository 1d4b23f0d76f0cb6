//! Deletes builds that are no longer useful: those of another compiler or of another version of raddle. They are
//! deleted when an invocation begins, unless another one is under way that may be using them: all invocations share a
//! lock, and deleting requires the exclusive lock.

use raddle_terminal::store;
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;

/// How the folders of builds begin.
pub const BUILD: &str = "build-";

/// An invocation that is under way: no builds are deleted while it lives.
#[derive(Debug)]
pub struct UnderWay(Option<File>);

impl UnderWay {
    /// Begins an invocation whose builds are in `folder`, in folders of this generation: `build-GENERATION-..`.
    ///
    /// Where files cannot be locked (some network file systems), nothing is deleted either.
    pub fn begin(folder: &Path, generation: &str) -> Result<UnderWay, String> {
        let failed = |e: io::Error| format!("cannot make a lock in {}: {e}", folder.display());
        store::make_folder(folder)?;
        let lock = store::lock_file(&folder.join("lock")).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => delete_others(folder, generation),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(_)) => return Ok(UnderWay(None)),
        }
        // From the exclusive to the shared lock, or after another process that is deleting.
        let shared = lock.unlock().and_then(|()| lock.lock_shared());
        Ok(UnderWay(shared.ok().map(|()| lock)))
    }

    /// It continues in the program that replaces this one.
    pub fn goes_on_in_another_program(&self) {
        if let Some(lock) = &self.0 {
            // SAFETY: a file that is open. If it fails, builds may be deleted while the program is still in use.
            unsafe { libc::fcntl(lock.as_raw_fd(), libc::F_SETFD, 0) };
        }
    }
}

fn delete_others(folder: &Path, generation: &str) {
    let ours = format!("{BUILD}{generation}-");
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_build = name.as_encoded_bytes().starts_with(BUILD.as_bytes());
        if is_build && !name.as_encoded_bytes().starts_with(ours.as_bytes()) {
            // What cannot be deleted now is tried again next time.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    /// A folder with builds of two generations, of an earlier version, and a ticket.
    fn builds(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("raddle-leftovers-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        for build in ["build-new-1", "build-new-2", "build-old-1", "build-0123456789abcdef"] {
            fs::create_dir_all(folder.join(build).join("debug/deps")).unwrap();
            fs::write(folder.join(build).join("debug/deps/program"), "program").unwrap();
        }
        fs::write(folder.join("build-ticket.json.json"), "{}").unwrap();
        fs::write(folder.join("ticket.json"), "{}").unwrap();
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        let listed = fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = listed.filter(|name| !name.contains("lock")).collect();
        names.sort();
        names
    }

    const KEPT: [&str; 4] = ["build-new-1", "build-new-2", "build-ticket.json.json", "ticket.json"];

    #[test]
    fn builds_of_others_are_deleted_and_nothing_else() {
        let folder = builds("alone");
        let run = UnderWay::begin(&folder, "new").unwrap();
        assert_eq!(names(&folder), KEPT);
        drop(run);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn nothing_is_deleted_while_another_run_is_under_way() {
        let folder = builds("two");
        let old = UnderWay::begin(&folder, "old").unwrap();
        fs::create_dir_all(folder.join("build-new-1")).unwrap();
        let before = names(&folder);
        assert!(before.contains(&"build-old-1".to_owned()) && !before.contains(&"build-new-2".to_owned()));
        let new = UnderWay::begin(&folder, "new").unwrap();
        assert_eq!(names(&folder), before, "the first run may be using its build");
        let third = UnderWay::begin(&folder, "third").unwrap();
        drop((old, third));
        let next = UnderWay::begin(&folder, "third").unwrap();
        assert_eq!(names(&folder), before, "the second run is still under way");
        drop((new, next));
        let last = UnderWay::begin(&folder, "new").unwrap();
        assert_eq!(names(&folder), ["build-new-1", "build-ticket.json.json", "ticket.json"]);
        drop(last);
        fs::remove_dir_all(folder).unwrap();
    }
}
