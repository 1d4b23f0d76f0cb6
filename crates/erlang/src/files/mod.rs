//! Files: those of the disk, which are only read, and what the program has written, renamed and deleted, which is kept in
//! memory and begins anew with each execution. This is part of a program's state, so states can be copied and compared.
//!
//! As on a disk, a name leads to a node, and an opened file belongs to its node, whatever becomes of the name.

pub mod disk;
mod view;

pub use view::{Contents, Found, View};

use crate::term::hash::Fingerprint;
use crate::term::{Pid, Ref};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The name of an error, as `file` shows it.
pub type Posix = &'static str;

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A plain file.
    Regular,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A device.
    Device,
    /// A pipe, a socket.
    Other,
}

/// A node: one that is on the disk, by its first name, or a new one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Id {
    /// On the disk.
    Disk(Rc<Path>),
    /// Made by the program.
    New(Ref),
}

impl Id {
    /// A name that does not depend on the schedule.
    pub fn hash64(&self) -> u64 {
        match self {
            Id::Disk(path) => hash_of(path),
            Id::New(r) => r.maker.hash64().rotate_left(17) ^ (r.number as u64 + 1),
        }
    }
}

/// A hash of a path.
pub fn hash_of(path: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    hasher.finish()
}

/// A node that the program has made or changed.
#[derive(Clone)]
pub struct Node {
    /// The contents of a file; none of a directory.
    pub contents: Option<Rc<Vec<u8>>>,
    /// Its permissions, with the bits of its kind.
    pub mode: u32,
    /// When it was read, written and changed, in seconds since 1970.
    pub times: [i64; 3],
    /// How many names it has.
    pub links: u64,
}

/// An opened file.
#[derive(Clone)]
pub struct Open {
    /// Its node.
    pub id: Id,
    /// The process that may use it.
    pub owner: Pid,
    /// Where it is read and written.
    pub position: u64,
    /// Whether it may be read.
    pub reads: bool,
    /// Whether it may be written.
    pub writes: bool,
    /// Whether it is written at its end.
    pub appends: bool,
}

/// What the program has made of the files of the disk.
#[derive(Clone, Default)]
pub struct Files {
    /// The names that lead elsewhere than on the disk; none: nowhere.
    pub names: BTreeMap<PathBuf, Option<Id>>,
    /// The nodes that were made or changed.
    pub nodes: BTreeMap<Id, Node>,
    /// The opened files.
    pub open: BTreeMap<Ref, Open>,
    /// The working directory, if it was changed.
    pub working_directory: Option<PathBuf>,
}

impl Files {
    /// Adds all to a fingerprint.
    pub fn fingerprint(&self, f: &mut Fingerprint) {
        for (name, id) in &self.names {
            f.word(hash_of(name));
            f.word(id.as_ref().map_or(0, Id::hash64));
        }
        for (id, node) in &self.nodes {
            f.word(id.hash64());
            let mut hasher = DefaultHasher::new();
            node.contents.hash(&mut hasher);
            f.word(hasher.finish());
            [node.mode as u64, node.links].into_iter().for_each(|word| f.word(word));
            node.times.iter().for_each(|time| f.word(*time as u64));
        }
        for (reference, open) in &self.open {
            f.word(reference.maker.hash64());
            let flags = open.reads as u64 | (open.writes as u64) << 1 | (open.appends as u64) << 2;
            [reference.number as u64, open.id.hash64(), open.position, flags]
                .into_iter()
                .for_each(|w| f.word(w));
        }
        self.working_directory.iter().for_each(|dir| f.word(hash_of(dir)));
    }
}
