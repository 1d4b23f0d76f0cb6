//! The lifetime of the entries of the cache. Every entry has a lock file, whose shared lock is held during use; the
//! date of the lock file is that of the last use. An entry that has not been used for long is deleted by the next
//! process that gets its exclusive lock.

use raddle_terminal::store::lock_file;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// How long an unused entry is kept.
const UNUSED: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// An entry of the cache that is in use during the lifetime of this value.
#[derive(Clone, Debug)]
pub struct InUse {
    _lock: Arc<File>,
}

impl InUse {
    /// Begins to use `name`, which may not exist yet. None where files cannot be written or locked: nothing is deleted
    /// there either.
    pub fn begin(home: &Path, name: &str) -> Option<InUse> {
        let path = lock_of(home, name);
        loop {
            let lock = lock_file(&path).ok()?;
            lock.lock_shared().ok()?;
            // If it was deleted in the meantime, this lock file is not the one that later processes lock.
            if is_still(&lock, &path) {
                // An error is harmless: only the date is not updated.
                let _ = lock.set_modified(SystemTime::now());
                return Some(InUse { _lock: Arc::new(lock) });
            }
        }
    }
}

/// Deletes entries that have not been used for long.
pub fn prune(home: &Path, now: SystemTime) {
    for entry in fs::read_dir(home).into_iter().flatten().flatten() {
        let path = entry.path();
        if is_ours(&entry.file_name()) && path.is_dir() {
            // What cannot be deleted now is tried again next time.
            let _ = delete_if_unused(home, &path, now);
        }
    }
}

fn delete_if_unused(home: &Path, path: &Path, now: SystemTime) -> io::Result<()> {
    let name = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
    let lock_path = lock_of(home, name);
    let is_old = |used: io::Result<SystemTime>| -> io::Result<bool> {
        Ok(now.duration_since(used?).is_ok_and(|age| age > UNUSED))
    };
    // An earlier version had no locks.
    let used = fs::metadata(&lock_path).or_else(|_| fs::metadata(path)).and_then(|m| m.modified());
    if !is_old(used)? {
        return Ok(());
    }
    let was_there = lock_path.exists();
    let lock = lock_file(&lock_path)?;
    if lock.try_lock().is_err() || !is_still(&lock, &lock_path) {
        return Ok(());
    }
    // Another process may have used it since the first check.
    if was_there && !is_old(lock.metadata()?.modified())? {
        return Ok(());
    }
    fs::remove_dir_all(path)?;
    fs::remove_file(lock_path)
}

fn lock_of(home: &Path, name: &str) -> PathBuf {
    home.join(format!("{name}.lock"))
}

/// Whether the file of this name is the one that is open.
fn is_still(file: &File, path: &Path) -> bool {
    let id = |found: &fs::Metadata| (found.dev(), found.ino());
    matches!((file.metadata(), fs::metadata(path)), (Ok(one), Ok(other)) if id(&one) == id(&other))
}

/// Whether it has a name that only this crate gives. `RADDLE_CACHE` may be any folder.
fn is_ours(name: &OsStr) -> bool {
    let name = name.to_str().unwrap_or_default();
    let name = name.strip_suffix(".partial").unwrap_or(name);
    let name = name.strip_prefix("compiler-").unwrap_or(name);
    name.len() == 16 && name.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_secs(24 * 60 * 60);

    fn names(home: &Path) -> Vec<String> {
        let listed = fs::read_dir(home).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = listed.collect();
        names.sort();
        names
    }

    /// A folder with something in it, used so many days ago.
    fn make(home: &Path, name: &str, days: u32) {
        fs::create_dir_all(home.join(name).join("target")).unwrap();
        fs::write(home.join(name).join("target/lib.rlib"), "lib").unwrap();
        drop(InUse::begin(home, name).unwrap());
        let lock = lock_file(&lock_of(home, name)).unwrap();
        lock.set_modified(SystemTime::now() - DAY * days).unwrap();
    }

    fn home(name: &str) -> PathBuf {
        let home = std::env::temp_dir().join(format!("raddle-keep-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&home);
        fs::create_dir_all(&home).unwrap();
        home
    }

    #[test]
    fn only_what_nobody_has_used_for_long_is_deleted() {
        let home = home("long");
        let (old, new) = ("0123456789abcdef", "00000000000000ff");
        let workshops = ["compiler-0123456789abcdef", "compiler-00000000000000ff"];
        for (name, days) in [(old, 31), (new, 29), (workshops[0], 31), (workshops[1], 0)] {
            make(&home, name, days);
        }
        // What is not ours stays, whatever its age.
        fs::create_dir_all(home.join("my-photos")).unwrap();
        fs::write(home.join("fedcba9876543210"), "a file").unwrap();
        prune(&home, SystemTime::now());
        let mut kept = vec![
            new.to_owned(),
            format!("{new}.lock"),
            workshops[1].to_owned(),
            format!("{}.lock", workshops[1]),
            "fedcba9876543210".to_owned(),
            "my-photos".to_owned(),
        ];
        kept.sort();
        assert_eq!(names(&home), kept);
        prune(&home, SystemTime::now() + DAY * 31);
        assert_eq!(names(&home), ["fedcba9876543210", "my-photos"]);
        fs::remove_dir_all(home).unwrap();
    }

    #[test]
    fn what_is_in_use_is_not_deleted_and_counts_from_then() {
        let home = home("use");
        let name = "0123456789abcdef";
        make(&home, name, 100);
        let in_use = InUse::begin(&home, name).unwrap();
        // It takes very long.
        prune(&home, SystemTime::now() + DAY * 100);
        assert!(home.join(name).join("target/lib.rlib").exists());
        let other = in_use.clone();
        drop(in_use);
        prune(&home, SystemTime::now() + DAY * 100);
        assert!(home.join(name).exists(), "a copy is still in use");
        drop(other);
        prune(&home, SystemTime::now() + DAY * 29);
        assert!(home.join(name).exists(), "it was used 29 days before");
        prune(&home, SystemTime::now() + DAY * 31);
        assert!(names(&home).is_empty());
        fs::remove_dir_all(home).unwrap();
    }

    #[test]
    fn what_an_earlier_version_left_is_deleted_too() {
        let home = home("earlier");
        let name = "0123456789abcdef";
        fs::create_dir_all(home.join(name)).unwrap();
        fs::create_dir_all(home.join(format!("{name}.partial"))).unwrap();
        prune(&home, SystemTime::now() + DAY * 29);
        assert_eq!(names(&home).len(), 2);
        prune(&home, SystemTime::now() + DAY * 31);
        assert!(names(&home).is_empty(), "{:?}", names(&home));
        fs::remove_dir_all(home).unwrap();
    }

    #[test]
    fn a_lock_that_was_deleted_is_not_taken_for_one() {
        let home = home("deleted");
        let path = lock_of(&home, "x");
        let lock = lock_file(&path).unwrap();
        assert!(is_still(&lock, &path));
        fs::remove_file(&path).unwrap();
        assert!(!is_still(&lock, &path));
        lock_file(&path).unwrap();
        assert!(!is_still(&lock, &path), "it is another file");
        fs::remove_dir_all(home).unwrap();
    }
}
