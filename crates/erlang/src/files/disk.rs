//! The disk as it was when it was first looked at. What was read once is kept for all executions of a check, so each of
//! them finds the same files, whatever other programs do meanwhile.

use super::{Kind, Posix};
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::Metadata;
use std::io::ErrorKind;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

/// What the disk says of a file or directory.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// What it is.
    pub kind: Kind,
    /// Its size in bytes.
    pub size: u64,
    /// Its permissions, with the bits of its kind.
    pub mode: u32,
    /// When it was read, written and changed, in seconds since 1970.
    pub times: [i64; 3],
    /// How many names it has.
    pub links: u64,
    /// Its device, and the device that it is.
    pub devices: [u64; 2],
    /// Its number.
    pub inode: u64,
    /// Its owner and their group.
    pub owners: [u32; 2],
}

impl About {
    fn of(m: &Metadata) -> About {
        let kind = match m.file_type() {
            t if t.is_file() => Kind::Regular,
            t if t.is_dir() => Kind::Directory,
            t if t.is_symlink() => Kind::Symlink,
            t if t.is_char_device() || t.is_block_device() => Kind::Device,
            _ => Kind::Other,
        };
        About {
            kind,
            size: m.len(),
            mode: m.mode(),
            times: [m.atime(), m.mtime(), m.ctime()],
            links: m.nlink(),
            devices: [m.dev(), m.rdev()],
            inode: m.ino(),
            owners: [m.uid(), m.gid()],
        }
    }
}

#[derive(Default)]
struct Known {
    about: HashMap<PathBuf, Result<About, Posix>>,
    contents: HashMap<PathBuf, Result<Arc<[u8]>, Posix>>,
    names: HashMap<PathBuf, Result<Arc<[OsString]>, Posix>>,
    links: HashMap<PathBuf, Option<PathBuf>>,
    working_directory: Option<PathBuf>,
}

/// The disk. All clones share what was read.
#[derive(Clone, Default)]
pub struct Disk(Arc<Mutex<Known>>);

impl std::fmt::Debug for Disk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Disk")
    }
}

fn posix(e: &std::io::Error) -> Posix {
    match e.kind() {
        ErrorKind::NotFound => "enoent",
        ErrorKind::PermissionDenied => "eacces",
        ErrorKind::IsADirectory => "eisdir",
        ErrorKind::NotADirectory => "enotdir",
        ErrorKind::InvalidFilename => "enametoolong",
        _ => "eio",
    }
}

impl Disk {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }
    /// What is there; a symbolic link is not followed.
    pub fn about(&self, path: &Path) -> Result<About, Posix> {
        if let Some(known) = self.known().about.get(path) {
            return *known;
        }
        let about = std::fs::symlink_metadata(path).map(|m| About::of(&m)).map_err(|e| posix(&e));
        *self.known().about.entry(path.to_owned()).or_insert(about)
    }
    /// The contents of a file.
    pub fn contents(&self, path: &Path) -> Result<Arc<[u8]>, Posix> {
        if let Some(known) = self.known().contents.get(path) {
            return known.clone();
        }
        let contents = std::fs::read(path).map(Arc::from).map_err(|e| posix(&e));
        self.known().contents.entry(path.to_owned()).or_insert(contents).clone()
    }
    /// The names in a directory, in their order.
    pub fn names(&self, path: &Path) -> Result<Arc<[OsString]>, Posix> {
        if let Some(known) = self.known().names.get(path) {
            return known.clone();
        }
        let names = std::fs::read_dir(path).map_err(|e| posix(&e)).map(|entries| {
            let mut names: Vec<OsString> = entries.flatten().map(|e| e.file_name()).collect();
            names.sort();
            Arc::from(names)
        });
        self.known().names.entry(path.to_owned()).or_insert(names).clone()
    }
    /// Where a symbolic link leads; none if it is none.
    pub fn link(&self, path: &Path) -> Option<PathBuf> {
        if let Some(known) = self.known().links.get(path) {
            return known.clone();
        }
        let target = std::fs::read_link(path).ok();
        self.known().links.entry(path.to_owned()).or_insert(target).clone()
    }
    /// The directory in which the search runs.
    pub fn working_directory(&self) -> PathBuf {
        let mut known = self.known();
        let dir = known.working_directory.get_or_insert_with(|| std::env::current_dir().unwrap_or_default());
        dir.clone()
    }
    /// The user and the group of the search.
    pub fn owners(&self) -> [u32; 2] {
        self.about(Path::new("/proc/self")).map_or([0, 0], |about| about.owners)
    }
}
