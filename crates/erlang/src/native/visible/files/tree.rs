//! Operations on names: of files and directories, and the working directory.

use super::{Lookup, answer, done, error, list_object, looks_up, name_of, node_object, path_object, shown};
use crate::files::{Id, Kind, Posix};
use crate::machine::Machine;
use crate::machine::access::{Object, Touch};
use crate::native::Native;
use crate::native::visible::{Done, Look, Visible, visible};
use crate::run::Raise;
use crate::term::Term;
use std::path::{Path, PathBuf};

type Outcome = Result<Result<(), Posix>, Raise>;

fn unsupported<T>(what: &str) -> Result<T, Raise> {
    Err(Raise::unsupported(format!("{what} is not supported")))
}

/// A name that is made or removed, with its node; a symbolic link changes the meaning of other names.
fn moved(look: &Look<'_>, touch: Touch, name: &Term) -> Touch {
    let lookup = Lookup::of(look, touch, name, false);
    match lookup.node().cloned() {
        Some(id) => match look.machine.files_view().kind(&id) {
            Kind::Symlink => Touch::EVERYTHING,
            _ => lookup.renames().write(node_object(&id)),
        },
        None => lookup.touch,
    }
}

fn made(look: &Look<'_>, touch: Touch, name: &Term) -> Touch {
    let lookup = Lookup::of(look, touch, name, false);
    match lookup.node() {
        Some(_) => lookup.touch,
        None => lookup.renames(),
    }
}

fn renames(look: &Look<'_>, touch: Touch) -> Touch {
    let view = look.machine.files_view();
    let kind = |name: &Term| {
        let found = view.find(&name_of(name)?, false);
        found.node.ok().map(|id| (view.kind(&id), view.about(&id).map_or(1, |about| about.links)))
    };
    let is_plain = |at: usize| matches!(kind(&look.args[at]), None | Some((Kind::Regular, 1)));
    if !is_plain(0) || !is_plain(1) {
        return Touch::EVERYTHING;
    }
    let from = Lookup::of(look, touch, &look.args[0], false);
    let to = |touch| Lookup::of(look, touch, &look.args[1], false);
    match from.node() {
        Some(_) => to(from.renames()).renames(),
        None => to(from.touch).touch,
    }
}

impl Machine {
    fn remove_name(&mut self, path: PathBuf, id: &Id) {
        let links = self.files_view().about(id).map_or(1, |about| about.links);
        let files = self.files_mut();
        files.names.insert(path, None);
        if let Some(node) = files.nodes.get_mut(id) {
            node.links = links.saturating_sub(1);
        }
    }

    /// Whether the names in the directory of this path may be changed.
    fn may_change(&self, path: &Path) -> Outcome {
        let above = path.parent().map(|dir| self.files_view().at(dir));
        match above {
            Some(Ok(dir)) => self.may_write(&dir),
            _ => Ok(Err("ebusy")),
        }
    }

    fn delete(&mut self, name: &Term) -> Outcome {
        let (path, id) = match self.node(name, false) {
            Ok(found) => found,
            Err(why) => return Ok(Err(why)),
        };
        if self.files_view().kind(&id) == Kind::Directory {
            return Ok(Err("eperm"));
        }
        if let Err(why) = self.may_change(&path)? {
            return Ok(Err(why));
        }
        self.remove_name(path, &id);
        Ok(Ok(()))
    }

    fn make_dir(&mut self, task: usize, name: &Term) -> Outcome {
        let Some(name) = name_of(name) else { return Ok(Err("badarg")) };
        let found = self.files_view().find(&name, false);
        match found.node {
            Ok(_) => Ok(Err("eexist")),
            Err("enoent") => Ok(self.place_for(&found.path)?.map(|()| {
                self.make_node(task, found.path, None);
            })),
            Err(why) => Ok(Err(why)),
        }
    }

    fn del_dir(&mut self, name: &Term) -> Outcome {
        let (path, id) = match self.node(name, false) {
            Ok(found) => found,
            Err(why) => return Ok(Err(why)),
        };
        let view = self.files_view();
        if view.kind(&id) != Kind::Directory {
            return Ok(Err("enotdir"));
        }
        match view.names_in(&path, &id) {
            Ok(names) if !names.is_empty() => return Ok(Err("eexist")),
            Ok(_) if view.working_directory() == path => {
                return unsupported("removing the working directory");
            }
            Ok(_) => {}
            Err(why) => return Ok(Err(why)),
        }
        if let Err(why) = self.may_change(&path)? {
            return Ok(Err(why));
        }
        self.remove_name(path, &id);
        Ok(Ok(()))
    }

    fn rename(&mut self, from: &Term, to: &Term) -> Outcome {
        let (path, id) = match self.node(from, false) {
            Ok(found) => found,
            Err(why) => return Ok(Err(why)),
        };
        let Some(to) = name_of(to) else { return Ok(Err("badarg")) };
        let target = self.files_view().find(&to, false);
        let kind = self.files_view().kind(&id);
        match (kind, &target.node) {
            (_, Ok(there)) if *there == id => return Ok(Ok(())),
            (Kind::Regular, Ok(there)) if self.files_view().kind(there) == Kind::Directory => {
                return Ok(Err("eexist"));
            }
            (Kind::Directory, _) if target.path.starts_with(&path) => return Ok(Err("einval")),
            (Kind::Directory, Ok(there)) => match self.files_view().kind(there) {
                Kind::Directory => return unsupported("renaming a directory to one that is there"),
                _ => return Ok(Err("enotdir")),
            },
            (Kind::Directory, Err("enoent")) if self.files.nodes.contains_key(&id) => {}
            (Kind::Directory, Err("enoent")) => return unsupported("renaming a directory of the disk"),
            (Kind::Regular, Ok(_) | Err("enoent")) => {}
            (_, Err(why)) => return Ok(Err(why)),
            _ => return unsupported("renaming what is no plain file"),
        }
        for place in [&path, &target.path] {
            if let Err(why) = self.may_change(place)? {
                return Ok(Err(why));
            }
        }
        if let Ok(there) = &target.node {
            self.remove_name(target.path.clone(), there);
        }
        self.move_names(&path, &target.path, id);
        Ok(Ok(()))
    }

    /// Moves a node, and all names below it.
    fn move_names(&mut self, from: &Path, to: &Path, id: Id) {
        let files = self.files_mut();
        let inside = files.names.range(from.to_owned()..).take_while(|(path, _)| path.starts_with(from));
        let below: Vec<PathBuf> = inside.map(|(path, _)| path.clone()).filter(|path| path != from).collect();
        for path in below {
            let node = files.names.remove(&path).flatten();
            let rest = path.strip_prefix(from).expect("it is inside");
            files.names.insert(to.join(rest), node);
        }
        files.names.insert(from.to_owned(), None);
        files.names.insert(to.to_owned(), Some(id));
    }

    fn make_link(&mut self, old: &Term, new: &Term) -> Outcome {
        let (_, id) = match self.node(old, false) {
            Ok(found) => found,
            Err(why) => return Ok(Err(why)),
        };
        match self.files_view().kind(&id) {
            Kind::Regular => {}
            Kind::Directory => return Ok(Err("eperm")),
            _ => return unsupported("a link to what is no plain file"),
        }
        let Some(new) = name_of(new) else { return Ok(Err("badarg")) };
        let found = self.files_view().find(&new, false);
        match found.node {
            Ok(_) => return Ok(Err("eexist")),
            Err("enoent") => {}
            Err(why) => return Ok(Err(why)),
        }
        if let Err(why) = self.place_for(&found.path)? {
            return Ok(Err(why));
        }
        self.change_node(&id, |node| node.links += 1)?;
        self.files_mut().names.insert(found.path, Some(id));
        Ok(Ok(()))
    }

    fn set_working_directory(&mut self, name: &Term) -> Result<(), Posix> {
        let (path, id) = self.node(name, true)?;
        if self.files_view().kind(&id) != Kind::Directory {
            return Err("enotdir");
        }
        self.files_mut().working_directory = Some(path);
        Ok(())
    }
}

static DELETE: Visible = Visible {
    touches: |look, touch| moved(look, touch, &look.args[0]),
    ready: None,
    act: |m, _, a| done(m.delete(&a[0])?),
};
static MAKE_DIR: Visible = Visible {
    touches: |look, touch| made(look, touch, &look.args[0]),
    ready: None,
    act: |m, task, a| done(m.make_dir(task, &a[0])?),
};
static DEL_DIR: Visible = Visible {
    touches: |look, touch| {
        let lookup = Lookup::of(look, touch, &look.args[0], false);
        match &lookup.found {
            Some(found) if found.node.is_ok() => {
                let (path, list) = (path_object(&found.path), list_object(&found.path));
                lookup.renames().write(path).write(list)
            }
            _ => lookup.touch,
        }
    },
    ready: None,
    act: |m, _, a| done(m.del_dir(&a[0])?),
};
static RENAME: Visible =
    Visible { touches: renames, ready: None, act: |m, _, a| done(m.rename(&a[0], &a[1])?) };
static MAKE_LINK: Visible = Visible {
    touches: |look, touch| {
        let old = Lookup::of(look, touch, &look.args[0], false);
        let touch = match old.node() {
            Some(id) => old.touch.write(node_object(id)),
            None => old.touch,
        };
        made(look, touch, &look.args[1])
    },
    ready: None,
    act: |m, _, a| done(m.make_link(&a[0], &a[1])?),
};
static MAKE_SYMLINK: Visible = Visible {
    touches: looks_up,
    ready: None,
    act: |_, _, _| unsupported("file:make_symlink/2").map(|()| unreachable!("it is refused")),
};

static GET_CWD: Visible = Visible {
    touches: |_, touch| touch.read(Object::WorkingDirectory),
    ready: None,
    act: |m, _, a| match a {
        [] => answer(Ok(shown(m.files_view().working_directory().as_os_str()))),
        // Drives.
        [drive] if drive.is_list() && drive.iter().next().is_some() => {
            match drive.to_text().as_deref().map(str::as_bytes) {
                Some([letter, b':']) if letter.is_ascii_alphabetic() => error("enotsup"),
                _ => error("einval"),
            }
        }
        _ => error("badarg"),
    },
};
static SET_CWD: Visible = Visible {
    touches: |look, touch| looks_up(look, touch).write(Object::WorkingDirectory),
    ready: None,
    act: |m, _, a| -> Done { done(m.set_working_directory(&a[0])) },
};

const P: &str = "prim_file";

pub static TABLE: &[Native] = &[
    visible(P, "delete", 1, &DELETE),
    visible(P, "rename", 2, &RENAME),
    visible(P, "make_dir", 1, &MAKE_DIR),
    visible(P, "del_dir", 1, &DEL_DIR),
    visible(P, "make_link", 2, &MAKE_LINK),
    visible(P, "make_symlink", 2, &MAKE_SYMLINK),
    visible(P, "get_cwd", 0, &GET_CWD),
    visible(P, "get_cwd", 1, &GET_CWD),
    visible(P, "set_cwd", 1, &SET_CWD),
];
