//! Operations on whole files.

use super::{Lookup, answer, done, error, looks_up, name_of, reads, writes};
use crate::files::{Id, Kind, Posix};
use crate::machine::Machine;
use crate::machine::access::Touch;
use crate::native::Native;
use crate::native::visible::{Done, Look, Visible, value, visible};
use crate::run::Raise;
use crate::term::{Term, parse};

impl Machine {
    /// The contents of the plain file of this name.
    fn read_whole(&self, name: &Term) -> Result<Result<Vec<u8>, Posix>, Raise> {
        let id = match self.node(name, true) {
            Ok((_, id)) => id,
            Err(why) => return Ok(Err(why)),
        };
        let view = self.files_view();
        match view.about(&id) {
            Ok(about) if about.kind == Kind::Directory => return Ok(Err("eisdir")),
            Ok(about) if about.kind == Kind::Regular && view.may(&about, 0o4) == Some(false) => {
                return Ok(Err("eacces"));
            }
            _ => {}
        }
        Ok(Ok(self.contents(&id)?.to_vec()))
    }

    /// Makes this the contents of the file of this name.
    pub(super) fn write_whole(
        &mut self,
        task: usize,
        name: &Term,
        bytes: Vec<u8>,
    ) -> Result<Result<(), Posix>, Raise> {
        let id = match self.for_writing(task, name, false)? {
            Ok(id) => id,
            Err(why) => return Ok(Err(why)),
        };
        self.set_length(&id, 0)?;
        self.write_at(&id, 0, &bytes).map(Ok)
    }

    /// The file that is opened for writing: it is made if it is not there.
    pub(super) fn for_writing(
        &mut self,
        task: usize,
        name: &Term,
        exclusive: bool,
    ) -> Result<Result<Id, Posix>, Raise> {
        let Some(name) = name_of(name) else { return Ok(Err("badarg")) };
        let found = self.files_view().find(&name, true);
        match found.node {
            Ok(_) if exclusive => Ok(Err("eexist")),
            Ok(id) => match self.files_view().kind(&id) {
                Kind::Directory => Ok(Err("eisdir")),
                Kind::Regular => Ok(self.may_write(&id)?.map(|()| id)),
                _ => Err(Raise::unsupported("writing to what is no plain file is not supported")),
            },
            Err("enoent") => match self.place_for(&found.path)? {
                Ok(()) => Ok(Ok(self.make_node(task, found.path, Some(Vec::new())).0)),
                Err(why) => Ok(Err(why)),
            },
            Err(why) => Ok(Err(why)),
        }
    }
}

static READ_FILE: Visible =
    Visible { touches: reads, ready: None, act: |m, _, a| answer(m.read_whole(&a[0])?.map(Term::binary)) };
static WRITE_FILE: Visible = Visible {
    touches: writes,
    ready: None,
    act: |m, task, a| match a[1].iolist_bytes() {
        Some(bytes) => done(m.write_whole(task, &a[0], bytes)?),
        None => error("badarg"),
    },
};
static COPY_FILE: Visible = Visible {
    touches: |look, touch| {
        let touch = reads(look, touch);
        Lookup::of(look, touch, &look.args[1], true).writes()
    },
    ready: None,
    act: |m, task, a| {
        let mut bytes = match m.read_whole(&a[0])? {
            Ok(bytes) => bytes,
            Err(why) => return error(why),
        };
        if let Some(most) = a[2].as_usize() {
            bytes.truncate(most);
        }
        let length = bytes.len();
        answer(m.write_whole(task, &a[1], bytes)?.map(|()| Term::from(length)))
    },
};

fn consult(m: &Machine, a: &[Term]) -> Done {
    let bytes = match m.read_whole(&a[0])? {
        Ok(bytes) => bytes,
        Err(why) => return error(why),
    };
    let refuse =
        |what: &str| Raise::unsupported(format!("file:consult/1 of {} is not supported: {what}", a[0]));
    let text = String::from_utf8(bytes).map_err(|_| refuse("it is not UTF-8"))?;
    let terms = parse::terms(&text).map_err(|e| refuse(&e.to_string()))?;
    value(Term::tagged(crate::term::known::OK, Term::list(terms)))
}
static CONSULT: Visible = Visible { touches: reads, ready: None, act: |m, _, a| consult(m, a) };

/// A directory, whose list is seen.
fn lists(look: &Look<'_>, touch: Touch) -> Touch {
    let lookup = Lookup::of(look, touch, &look.args[0], true);
    match &lookup.found {
        Some(found) if found.node.is_ok() => lookup.touch.write(super::list_object(&found.path)),
        _ => lookup.touch,
    }
}

fn list_dir(m: &Machine, a: &[Term], all: bool) -> Done {
    let (path, id) = match m.node(&a[0], true) {
        Ok(found) => found,
        Err(why) => return error(why),
    };
    let view = m.files_view();
    if view.kind(&id) != Kind::Directory {
        return error("enotdir");
    }
    let names = match view.names_in(&path, &id) {
        Ok(names) => names,
        Err(why) => return error(why),
    };
    let shown = names.iter().filter(|name| all || name.to_str().is_some()).map(|name| super::shown(name));
    answer(Ok(Term::list(shown.collect::<Vec<_>>())))
}
static LIST_DIR: Visible = Visible { touches: lists, ready: None, act: |m, _, a| list_dir(m, a, false) };
static LIST_DIR_ALL: Visible = Visible { touches: lists, ready: None, act: |m, _, a| list_dir(m, a, true) };

fn links(look: &Look<'_>, touch: Touch) -> Touch {
    Lookup::of(look, touch, &look.args[0], false).touch
}
static READ_LINK: Visible = Visible {
    touches: links,
    ready: None,
    act: |m, _, a| {
        let id = match m.node(&a[0], false) {
            Ok((_, id)) => id,
            Err(why) => return error(why),
        };
        match &id {
            Id::Disk(path) if m.files_view().kind(&id) == Kind::Symlink => {
                let target = m.env.settings.disk.link(path).ok_or("einval");
                answer(target.map(|target| super::shown(target.as_os_str())))
            }
            _ => error("einval"),
        }
    },
};

static ALTNAME: Visible = Visible { touches: looks_up, ready: None, act: |_, _, _| error("enotsup") };

const P: &str = "prim_file";

pub static TABLE: &[Native] = &[
    visible(P, "read_file", 1, &READ_FILE),
    visible(P, "write_file", 2, &WRITE_FILE),
    visible(P, "copy_file", 3, &COPY_FILE),
    visible(P, "list_dir", 1, &LIST_DIR),
    visible(P, "list_dir_all", 1, &LIST_DIR_ALL),
    visible(P, "read_link", 1, &READ_LINK),
    visible(P, "read_link_all", 1, &READ_LINK),
    visible(P, "altname", 1, &ALTNAME),
    visible("file", "consult", 1, &CONSULT),
];
