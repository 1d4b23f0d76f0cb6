//! Files: the functions of `prim_file`, on which OTP's `file`, `filelib` and `file_io_server` build. Reads see the disk below
//! what the program has written, which is kept in memory (see `crate::files`).
//!
//! An operation reads the names and nodes that it depends on and writes those that it changes. To make or remove a name
//! reads the list of its directory, and to see the list writes it: so the former commute with each other.

mod attributes;
mod handles;
mod tree;
mod whole;

use super::{Done, Look, value};
use crate::files::{Found, Id, Kind, Node, Posix, View, hash_of};
use crate::machine::Machine;
use crate::machine::access::{Object, Touch};
use crate::native::Native;
use crate::native::time::EPOCH;
use crate::run::Raise;
use crate::term::{Ref, Term, known};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::rc::Rc;

pub static TABLES: [&[Native]; 4] = [whole::TABLE, handles::TABLE, tree::TABLE, attributes::TABLE];

/// A file name: text or a binary.
fn name_of(t: &Term) -> Option<PathBuf> {
    let bytes = match t.as_bytes() {
        Some(bytes) => bytes,
        None if t.is_list() => t.to_text()?.into_bytes(),
        None => return None,
    };
    (!bytes.contains(&0)).then(|| PathBuf::from(OsString::from_vec(bytes)))
}

/// A name as `file` shows it: text, or a binary if it is none.
fn shown(name: &std::ffi::OsStr) -> Term {
    match name.to_str() {
        Some(text) => Term::string(text),
        None => Term::binary(name.as_bytes().to_vec()),
    }
}

fn error(why: Posix) -> Done {
    value(Term::tagged(known::ERROR, Term::atom(why)))
}

/// `ok` or an error.
fn done(result: Result<(), Posix>) -> Done {
    match result {
        Ok(()) => value(known::OK),
        Err(why) => error(why),
    }
}

/// The value or an error.
fn answer(result: Result<Term, Posix>) -> Done {
    match result {
        Ok(term) => value(Term::tagged(known::OK, term)),
        Err(why) => error(why),
    }
}

fn path_object(path: &Path) -> Object {
    Object::Path(hash_of(path))
}
fn list_object(dir: &Path) -> Object {
    Object::Listing(hash_of(dir))
}
fn node_object(id: &Id) -> Object {
    Object::Node(id.hash64())
}

/// What a name leads to, with the accesses of finding that.
struct Lookup {
    touch: Touch,
    found: Option<Found>,
}

impl Lookup {
    fn of(look: &Look<'_>, touch: Touch, name: &Term, follows: bool) -> Lookup {
        let Some(name) = name_of(name) else { return Lookup { touch, found: None } };
        let touch = match name.is_relative() {
            true => touch.read(Object::WorkingDirectory),
            false => touch,
        };
        let view = look.machine.files_view();
        let found = view.find(&name, follows);
        let touch = found.crossed.iter().fold(touch, |touch, dir| touch.read(path_object(dir)));
        let touch = touch.read(path_object(&found.path));
        // What is missing depends on the directories above it.
        let above = found.path.ancestors().skip(1).filter(|_| found.node.is_err());
        let mut touch = touch;
        for dir in above {
            touch = touch.read(path_object(dir));
            if view.at(dir).is_ok() {
                break;
            }
        }
        Lookup { touch, found: Some(found) }
    }
    fn node(&self) -> Option<&Id> {
        self.found.as_ref()?.node.as_ref().ok()
    }
    /// Also reads the node.
    fn reads(self) -> Touch {
        match self.node() {
            Some(id) => self.touch.read(node_object(id)),
            None => self.touch,
        }
    }
    /// Also changes where the name leads.
    fn renames(self) -> Touch {
        let Some(found) = &self.found else { return self.touch };
        let touch = self.touch.write(path_object(&found.path));
        found.path.parent().map_or(touch, |dir| touch.read(list_object(dir)).read(path_object(dir)))
    }
    /// Also writes the node, or makes one.
    fn writes(self) -> Touch {
        match self.node() {
            Some(id) => self.touch.write(node_object(id)),
            None => self.renames(),
        }
    }
}

/// A native that looks at one name.
fn looks_up(look: &Look<'_>, touch: Touch) -> Touch {
    Lookup::of(look, touch, &look.args[0], true).touch
}
fn reads(look: &Look<'_>, touch: Touch) -> Touch {
    Lookup::of(look, touch, &look.args[0], true).reads()
}
fn writes(look: &Look<'_>, touch: Touch) -> Touch {
    Lookup::of(look, touch, &look.args[0], true).writes()
}

impl Machine {
    /// The files as the program sees them.
    pub(crate) fn files_view(&self) -> View<'_> {
        View { files: &self.files, disk: &self.env.settings.disk }
    }
    fn files_mut(&mut self) -> &mut crate::files::Files {
        Rc::make_mut(&mut self.files)
    }
    /// The wall clock in seconds.
    fn seconds(&self) -> i64 {
        ((EPOCH + self.now) / 1_000_000_000) as i64
    }

    /// The node of a name.
    fn node(&self, name: &Term, follows: bool) -> Result<(PathBuf, Id), Posix> {
        let found = self.files_view().find(&name_of(name).ok_or("badarg")?, follows);
        found.node.map(|id| (found.path, id))
    }

    /// The contents of a plain file.
    fn contents(&self, id: &Id) -> Result<crate::files::Contents, Raise> {
        let view = self.files_view();
        let about = view.about(id).ok();
        match about {
            Some(about) if !self.env.settings.has_room(about.size) => return Err(Raise::TooLarge),
            Some(about) if !matches!(about.kind, Kind::Regular) => {
                return Err(Raise::unsupported("reading what is no plain file is not supported"));
            }
            _ => {}
        }
        view.contents(id)
            .map_err(|_| Raise::unsupported("reading this file is not supported: it cannot be read"))
    }

    /// Whether a directory or file may be written. What depends on the groups of the user is refused.
    fn may_write(&self, id: &Id) -> Result<Result<(), Posix>, Raise> {
        let view = self.files_view();
        let Ok(about) = view.about(id) else { return Ok(Ok(())) };
        match view.may(&about, 0o2) {
            Some(true) => Ok(Ok(())),
            Some(false) => Ok(Err("eacces")),
            None => Err(Raise::unsupported("writing with the permissions of a group is not supported")),
        }
    }

    /// The directory in which a missing name can be made.
    fn place_for(&self, path: &Path) -> Result<Result<(), Posix>, Raise> {
        let Some(dir) = path.parent() else { return Ok(Err("enoent")) };
        let view = self.files_view();
        match view.at(dir) {
            Ok(id) if view.kind(&id) == Kind::Directory => self.may_write(&id),
            Ok(_) => Ok(Err("enotdir")),
            Err(why) => Ok(Err(why)),
        }
    }

    /// A new node under this name.
    fn make_node(&mut self, task: usize, path: PathBuf, contents: Option<Vec<u8>>) -> (Id, Ref) {
        let reference = self.process_mut(task).make_ref();
        let (id, now) = (Id::New(reference), self.seconds());
        let mode = if contents.is_some() { 0o100644 } else { 0o40755 };
        let links = if contents.is_some() { 1 } else { 2 };
        let node = Node { contents: contents.map(Rc::new), mode, times: [now; 3], links };
        let files = self.files_mut();
        files.nodes.insert(id.clone(), node);
        files.names.insert(path, Some(id.clone()));
        (id, reference)
    }

    /// Changes a node, which is copied from the disk if it is there.
    fn change_node(&mut self, id: &Id, change: impl FnOnce(&mut Node)) -> Result<(), Raise> {
        if !self.files.nodes.contains_key(id) {
            let contents = self.contents(id)?.to_vec();
            let about = self.files_view().about(id);
            let about = about.map_err(|_| Raise::unsupported("writing to this file is not supported"))?;
            let contents = Some(Rc::new(contents));
            let node = Node { contents, mode: about.mode, times: about.times, links: about.links };
            self.files_mut().nodes.insert(id.clone(), node);
        }
        if let Some(node) = self.files_mut().nodes.get_mut(id) {
            change(node);
        }
        Ok(())
    }

    /// Writes to a file, which grows if need be.
    fn write_at(&mut self, id: &Id, at: u64, bytes: &[u8]) -> Result<(), Raise> {
        let end = at.saturating_add(bytes.len() as u64);
        if !self.env.settings.has_room(end) {
            return Err(Raise::TooLarge);
        }
        let now = self.seconds();
        self.change_node(id, |node| {
            let contents = Rc::make_mut(node.contents.get_or_insert_default());
            if !bytes.is_empty() {
                contents.resize(contents.len().max(end as usize), 0);
                contents[at as usize..end as usize].copy_from_slice(bytes);
            }
            (node.times[1], node.times[2]) = (now, now);
        })
    }

    /// Cuts a file, or fills it up with zeros.
    fn set_length(&mut self, id: &Id, length: u64) -> Result<(), Raise> {
        if !self.env.settings.has_room(length) {
            return Err(Raise::TooLarge);
        }
        let now = self.seconds();
        self.change_node(id, |node| {
            Rc::make_mut(node.contents.get_or_insert_default()).resize(length as usize, 0);
            (node.times[1], node.times[2]) = (now, now);
        })
    }
}
