//! The files as the program sees them: its own changes over the disk.

use super::disk::{About, Disk};
use super::{Files, Id, Kind, Node, Posix};
use std::ffi::OsString;
use std::ops::Deref;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// The program's changes, and the disk below them.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The changes.
    pub files: &'a Files,
    /// The disk.
    pub disk: &'a Disk,
}

/// The contents of a file.
pub enum Contents {
    /// Written by the program.
    Memory(Rc<Vec<u8>>),
    /// As on the disk.
    Disk(Arc<[u8]>),
}

impl Deref for Contents {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match self {
            Contents::Memory(bytes) => bytes,
            Contents::Disk(bytes) => bytes,
        }
    }
}

/// A name, and what it leads to.
pub struct Found {
    /// The path without symbolic links.
    pub path: PathBuf,
    /// The directories that must be there for the name to have a meaning.
    pub crossed: Vec<PathBuf>,
    /// Its node.
    pub node: Result<Id, Posix>,
}

/// Links are followed so often.
const MOST_LINKS: u32 = 40;

impl View<'_> {
    /// The working directory.
    pub fn working_directory(&self) -> PathBuf {
        self.files.working_directory.clone().unwrap_or_else(|| self.disk.working_directory())
    }

    /// What a name leads to.
    pub fn find(&self, name: &Path, follows: bool) -> Found {
        let mut crossed = Vec::new();
        let resolved = match name.as_os_str().is_empty() {
            true => Err("enoent"),
            false => self.resolve(name, follows, &mut crossed),
        };
        match resolved {
            Ok(path) => Found { node: self.at(&path), path, crossed },
            // No file can be made there.
            Err(why) => Found { node: Err(why), path: PathBuf::from("/"), crossed },
        }
    }

    /// The absolute path of a name, without symbolic links and `..`.
    fn resolve(&self, name: &Path, follows: bool, crossed: &mut Vec<PathBuf>) -> Result<PathBuf, Posix> {
        let whole = self.working_directory().join(name);
        let parts = |path: &Path| path.components().rev().map(|c| c.as_os_str().to_owned()).collect();
        let mut left: Vec<OsString> = parts(&whole);
        let (mut at, mut links) = (PathBuf::from("/"), 0);
        while let Some(part) = left.pop() {
            match Path::new(&part).components().next() {
                Some(Component::ParentDir) => {
                    crossed.push(at.clone());
                    let id = self.at(&at)?;
                    if self.kind(&id) != Kind::Directory {
                        return Err("enotdir");
                    }
                    at.pop();
                }
                Some(Component::Normal(part)) => {
                    at.push(part);
                    let is_end = left.is_empty() && !follows;
                    if is_end || self.files.names.contains_key(&at) {
                        continue;
                    }
                    let Some(target) = self.disk.link(&at) else { continue };
                    links += 1;
                    if links > MOST_LINKS {
                        return Err("eloop");
                    }
                    at.pop();
                    if target.is_absolute() {
                        at = PathBuf::from("/");
                    }
                    left.extend::<Vec<OsString>>(parts(&target));
                }
                _ => {}
            }
        }
        Ok(at)
    }

    /// The node of a resolved path.
    pub fn at(&self, path: &Path) -> Result<Id, Posix> {
        match self.files.names.get(path) {
            Some(Some(id)) => return Ok(id.clone()),
            Some(None) => {}
            None => match self.disk.about(path) {
                Ok(_) => return Ok(Id::Disk(path.into())),
                Err("enoent" | "enotdir") => {}
                Err(why) => return Err(why),
            },
        }
        let above = path.ancestors().skip(1).find_map(|dir| self.at(dir).ok());
        match above.is_none_or(|id| self.kind(&id) == Kind::Directory) {
            true => Err("enoent"),
            false => Err("enotdir"),
        }
    }

    /// What a node is.
    pub fn kind(&self, id: &Id) -> Kind {
        match (self.files.nodes.get(id), id) {
            (Some(Node { contents: Some(_), .. }), _) => Kind::Regular,
            (Some(_), _) => Kind::Directory,
            (None, Id::Disk(path)) => self.disk.about(path).map_or(Kind::Other, |about| about.kind),
            (None, Id::New(_)) => Kind::Other,
        }
    }

    /// What is known of a node.
    pub fn about(&self, id: &Id) -> Result<About, Posix> {
        let of_disk = match id {
            Id::Disk(path) => Some(self.disk.about(path)),
            Id::New(_) => None,
        };
        let Some(node) = self.files.nodes.get(id) else { return of_disk.unwrap_or(Err("enoent")) };
        let [device, inode] = match of_disk {
            Some(Ok(about)) => [about.devices[0], about.inode],
            _ => [0, id.hash64() >> 40],
        };
        Ok(About {
            kind: self.kind(id),
            size: node.contents.as_ref().map_or(4_096, |contents| contents.len() as u64),
            mode: node.mode,
            times: node.times,
            links: node.links,
            devices: [device, 0],
            inode,
            owners: self.disk.owners(),
        })
    }

    /// The contents of a file.
    pub fn contents(&self, id: &Id) -> Result<Contents, Posix> {
        match (self.files.nodes.get(id), id) {
            (Some(node), _) => node.contents.clone().map(Contents::Memory).ok_or("eisdir"),
            (None, Id::Disk(path)) => self.disk.contents(path).map(Contents::Disk),
            (None, Id::New(_)) => Err("enoent"),
        }
    }

    /// The names in a directory, in their order.
    pub fn names_in(&self, dir: &Path, id: &Id) -> Result<Vec<OsString>, Posix> {
        let of_disk = match (self.files.nodes.contains_key(id), id) {
            (false, Id::Disk(path)) => self.disk.names(path)?,
            _ => Arc::from([]),
        };
        let is_left = |name: &&OsString| !self.files.names.contains_key(&dir.join(name));
        let mut names: Vec<OsString> = of_disk.iter().filter(is_left).cloned().collect();
        let inside = self.files.names.range(dir.to_owned()..).take_while(|(path, _)| path.starts_with(dir));
        let own = inside.filter(|(path, id)| id.is_some() && path.parent() == Some(dir));
        names.extend(own.filter_map(|(path, _)| path.file_name().map(|name| name.to_owned())));
        names.sort();
        Ok(names)
    }

    /// Whether the user may read or write a node (0o4, 0o2); none if that depends on their groups.
    pub fn may(&self, about: &About, what: u32) -> Option<bool> {
        match self.disk.owners() {
            [0, _] => Some(true),
            [user, _] if user == about.owners[0] => Some(about.mode & what << 6 != 0),
            [_, group] if group == about.owners[1] => Some(about.mode & what << 3 != 0),
            _ if about.mode & what != 0 => Some(true),
            _ if about.mode & what << 3 != 0 => None,
            _ => Some(false),
        }
    }
}
