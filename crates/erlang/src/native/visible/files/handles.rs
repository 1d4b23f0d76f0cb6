//! Opened files. Only the process that opened one may use it, so their positions are no objects of their own.

use super::{Lookup, done, error, node_object};
use crate::files::{Kind, Open, Posix};
use crate::machine::Machine;
use crate::machine::access::Touch;
use crate::native::Native;
use crate::native::visible::{Done, Look, Visible, value, visible};
use crate::run::Raise;
use crate::term::{Atom, Map, Ref, Term, known};

/// The modes of `prim_file:open/2`.
#[derive(Default)]
struct Modes {
    reads: bool,
    writes: bool,
    appends: bool,
    exclusive: bool,
    directory: bool,
}

impl Modes {
    fn of(list: &Term) -> Option<Modes> {
        let mut modes = Modes::default();
        for mode in list.to_vec()? {
            match mode.as_atom().map(Atom::text) {
                Some("read") => modes.reads = true,
                Some("write") => modes.writes = true,
                Some("append") => (modes.appends, modes.writes) = (true, true),
                Some("exclusive") => (modes.exclusive, modes.writes) = (true, true),
                Some("directory") => modes.directory = true,
                _ => {}
            }
        }
        Some(modes)
    }
    fn truncates(&self) -> bool {
        self.writes && !self.reads && !self.appends
    }
}

/// The reference in a `#file_descriptor{}`, and its owner.
fn handle(t: &Term) -> Option<Ref> {
    match t.as_tuple() {
        Some([tag, module, data]) if tag.as_atom()?.text() == "file_descriptor" => {
            let is_ours = module.as_atom()?.text() == "prim_file";
            let found = data.as_map()?.get(&Term::atom("handle"))?.as_ref_term()?;
            is_ours.then_some(found)
        }
        _ => None,
    }
}

impl Machine {
    fn open(&mut self, task: usize, a: &[Term]) -> Result<Result<Term, Posix>, Raise> {
        let Some(modes) = Modes::of(&a[1]) else { return Ok(Err("badarg")) };
        if !modes.reads && !modes.writes {
            return Ok(Err("einval"));
        }
        if modes.directory {
            return Err(Raise::unsupported("opening a directory is not supported"));
        }
        let id = match modes.writes {
            true => self.for_writing(task, &a[0], modes.exclusive)?,
            false => self.node(&a[0], true).map(|(_, id)| id),
        };
        let id = match id {
            Ok(id) => id,
            Err(why) => return Ok(Err(why)),
        };
        let view = self.files_view();
        if view.kind(&id) == Kind::Directory {
            return Ok(Err("eisdir"));
        }
        if modes.reads && view.about(&id).is_ok_and(|about| view.may(&about, 0o4) == Some(false)) {
            return Ok(Err("eacces"));
        }
        if modes.truncates() {
            self.set_length(&id, 0)?;
        } else {
            // What cannot be read is refused now.
            self.contents(&id)?;
        }
        let p = self.process_mut(task);
        let (reference, owner) = (p.make_ref(), p.pid);
        let Modes { reads, writes, appends, .. } = modes;
        self.files_mut().open.insert(reference, Open { id, owner, position: 0, reads, writes, appends });
        let data = vec![
            (Term::atom("handle"), Term::Ref(reference)),
            (Term::atom("owner"), Term::Pid(owner)),
            (Term::atom("r_ahead_size"), Term::Int(0)),
            (Term::atom("r_buffer"), Term::Nil),
        ];
        let parts =
            [Term::atom("file_descriptor"), Term::atom("prim_file"), Term::map(Map::from_entries(data))];
        Ok(Ok(Term::tuple(parts)))
    }

    /// An opened file of this process. That it was closed is an error of the call.
    fn opened(&self, task: usize, t: &Term) -> Result<Result<(Ref, Open), Posix>, Raise> {
        let Some(reference) = handle(t) else { return Ok(Err("badarg")) };
        if reference.maker != self.process(task).pid {
            return Err(Raise::error(Term::atom("not_on_controlling_process")));
        }
        Ok(self.files.open.get(&reference).map(|open| (reference, open.clone())).ok_or("einval"))
    }

    fn move_to(&mut self, reference: Ref, position: u64) {
        if let Some(open) = self.files_mut().open.get_mut(&reference) {
            open.position = position;
        }
    }

    /// So many bytes from a position, without the rest of the file.
    fn bytes_at(&self, open: &Open, at: u64, size: usize) -> Result<Result<Option<Vec<u8>>, Posix>, Raise> {
        if !open.reads {
            return Ok(Err("ebadf"));
        }
        let contents = self.contents(&open.id)?;
        let from = contents.len().min(at as usize);
        let to = contents.len().min(from.saturating_add(size));
        Ok(Ok((from < to).then(|| contents[from..to].to_vec())))
    }
}

/// Reads the node of an opened file.
fn reads(look: &Look<'_>, touch: Touch) -> Touch {
    opened(look).map_or(touch, |open| touch.read(node_object(&open.id)))
}
fn writes(look: &Look<'_>, touch: Touch) -> Touch {
    opened(look).map_or(touch, |open| touch.write(node_object(&open.id)))
}
fn alone(_: &Look<'_>, touch: Touch) -> Touch {
    touch
}
fn opened<'a>(look: &Look<'a>) -> Option<&'a Open> {
    look.machine.files.open.get(&handle(&look.args[0])?)
}

/// Runs an operation on an opened file.
macro_rules! on_file {
    ($touches:expr, |$m:ident, $a:ident, $reference:ident, $open:ident| $body:expr) => {
        Visible {
            touches: $touches,
            ready: None,
            act: |$m, task, $a| match $m.opened(task, &$a[0])? {
                Ok(($reference, $open)) => $body,
                Err(why) => error(why),
            },
        }
    };
}

fn data(bytes: Option<Vec<u8>>) -> Done {
    match bytes {
        Some(bytes) => value(Term::tagged(known::OK, Term::binary(bytes))),
        None => value(Term::atom("eof")),
    }
}

/// A number of bytes, or a position.
fn count(t: &Term) -> Result<u64, Posix> {
    t.as_int().ok_or("badarg").and_then(|n| u64::try_from(n).map_err(|_| "einval"))
}

static OPEN: Visible = Visible {
    touches: |look, touch| {
        let lookup = Lookup::of(look, touch, &look.args[0], true);
        match Modes::of(&look.args[1]) {
            Some(modes) if modes.truncates() || modes.writes && lookup.node().is_none() => lookup.writes(),
            _ => lookup.touch,
        }
    },
    ready: None,
    act: |m, task, a| match m.open(task, a)? {
        Ok(file) => value(Term::tagged(known::OK, file)),
        Err(why) => error(why),
    },
};
static CLOSE: Visible = on_file!(alone, |m, a, reference, _open| {
    m.files_mut().open.remove(&reference);
    value(known::OK)
});
static READ: Visible = on_file!(reads, |m, a, reference, open| {
    let size = match count(&a[1]) {
        Ok(0) => return data(Some(Vec::new())),
        Ok(size) => size as usize,
        Err(why) => return error(why),
    };
    match m.bytes_at(&open, open.position, size)? {
        Ok(bytes) => {
            let read = bytes.as_ref().map_or(0, Vec::len) as u64;
            m.move_to(reference, open.position + read);
            data(bytes)
        }
        Err(why) => error(why),
    }
});
static READ_LINE: Visible = on_file!(reads, |m, a, reference, open| {
    match m.bytes_at(&open, open.position, usize::MAX)? {
        Ok(None) => data(None),
        Ok(Some(mut bytes)) => {
            let length = bytes.iter().position(|b| *b == b'\n').map_or(bytes.len(), |at| at + 1);
            bytes.truncate(length);
            m.move_to(reference, open.position + length as u64);
            if bytes.ends_with(b"\r\n") {
                bytes.truncate(length - 2);
                bytes.push(b'\n');
            }
            data(Some(bytes))
        }
        Err(why) => error(why),
    }
});
static WRITE: Visible = on_file!(writes, |m, a, reference, open| {
    let Some(bytes) = a[1].iolist_bytes() else { return error("badarg") };
    if !open.writes {
        return error("ebadf");
    }
    let at = if open.appends { m.contents(&open.id)?.len() as u64 } else { open.position };
    m.write_at(&open.id, at, &bytes)?;
    m.move_to(reference, at + bytes.len() as u64);
    value(known::OK)
});

/// What `position/2` counts from, and how far.
fn mark(t: &Term) -> Option<(&'static str, i64)> {
    let named = |t: &Term| match t.as_atom().map(Atom::text) {
        Some("bof") => Some("bof"),
        Some("cur") => Some("cur"),
        Some("eof") => Some("eof"),
        _ => None,
    };
    match t.as_tuple() {
        Some([from, by]) => Some((named(from)?, by.as_int()?)),
        _ => named(t).map(|from| (from, 0)).or_else(|| Some(("bof", t.as_int()?))),
    }
}

fn position(m: &mut Machine, a: &[Term], reference: Ref, open: &Open) -> Done {
    let Some((from, by)) = mark(&a[1]) else { return error("badarg") };
    let from = match from {
        "bof" => 0,
        "cur" => open.position as i64,
        _ => m.contents(&open.id)?.len() as i64,
    };
    match from.checked_add(by).and_then(|at| u64::try_from(at).ok()) {
        Some(at) => {
            m.move_to(reference, at);
            value(Term::tagged(known::OK, Term::from(at as usize)))
        }
        None => error("einval"),
    }
}
static POSITION: Visible = on_file!(reads, |m, a, reference, open| position(m, a, reference, &open));

static PREAD: Visible = on_file!(reads, |m, a, _reference, open| {
    match (count(&a[1]), count(&a[2])) {
        (Ok(at), Ok(size)) => match m.bytes_at(&open, at, size as usize)? {
            Ok(bytes) => data(bytes),
            Err(why) => error(why),
        },
        (Err(why), _) | (_, Err(why)) => error(why),
    }
});
static PREAD_LIST: Visible = on_file!(reads, |m, a, _reference, open| {
    let mut all = Vec::new();
    for pair in a[1].to_vec().unwrap_or_default() {
        let pair = pair.as_tuple().and_then(|pair| match pair {
            [at, size] => Some((count(at).ok()?, count(size).ok()?)),
            _ => None,
        });
        let Some((at, size)) = pair else { return error("einval") };
        match m.bytes_at(&open, at, size as usize)? {
            Ok(bytes) => all.push(bytes.map_or_else(|| Term::atom("eof"), Term::binary)),
            Err(why) => return error(why),
        }
    }
    value(Term::tagged(known::OK, Term::list(all)))
});

/// Writes at a position; a file that is appended to grows at its end all the same.
fn write_at(m: &mut Machine, open: &Open, at: &Term, bytes: &Term) -> Result<Result<(), Posix>, Raise> {
    let Some(bytes) = bytes.iolist_bytes() else { return Ok(Err("badarg")) };
    let at = match count(at) {
        Ok(_) if !open.writes => return Ok(Err("ebadf")),
        Ok(_) if open.appends => m.contents(&open.id)?.len() as u64,
        Ok(at) => at,
        Err(why) => return Ok(Err(why)),
    };
    m.write_at(&open.id, at, &bytes).map(Ok)
}
static PWRITE: Visible = on_file!(writes, |m, a, _reference, open| done(write_at(m, &open, &a[1], &a[2])?));
static PWRITE_LIST: Visible = on_file!(writes, |m, a, _reference, open| {
    for (number, pair) in a[1].to_vec().unwrap_or_default().iter().enumerate() {
        let Some([at, bytes]) = pair.as_tuple() else { return error("badarg") };
        if let Err(why) = write_at(m, &open, at, bytes)? {
            let why = Term::tuple([Term::from(number), Term::atom(why)]);
            return value(Term::tagged(known::ERROR, why));
        }
    }
    value(known::OK)
});
static TRUNCATE: Visible = on_file!(writes, |m, a, _reference, open| {
    if !open.writes {
        return error("einval");
    }
    m.set_length(&open.id, open.position)?;
    value(known::OK)
});
static SYNC: Visible = on_file!(alone, |_m, a, _reference, _open| value(known::OK));

const P: &str = "prim_file";

pub static TABLE: &[Native] = &[
    visible(P, "open", 2, &OPEN),
    visible(P, "close", 1, &CLOSE),
    visible(P, "read", 2, &READ),
    visible(P, "read_line", 1, &READ_LINE),
    visible(P, "write", 2, &WRITE),
    visible(P, "position", 2, &POSITION),
    visible(P, "pread", 3, &PREAD),
    visible(P, "pread", 2, &PREAD_LIST),
    visible(P, "pwrite", 3, &PWRITE),
    visible(P, "pwrite", 2, &PWRITE_LIST),
    visible(P, "truncate", 1, &TRUNCATE),
    visible(P, "sync", 1, &SYNC),
    visible(P, "datasync", 1, &SYNC),
    visible(P, "advise", 4, &SYNC),
    visible(P, "read_handle_info", 1, &super::attributes::OF_HANDLE),
    visible(P, "read_handle_info", 2, &super::attributes::OF_HANDLE),
];

/// The node of an opened file, for its attributes.
pub(super) fn node_of(m: &Machine, task: usize, t: &Term) -> Result<Result<crate::files::Id, Posix>, Raise> {
    Ok(m.opened(task, t)?.map(|(_, open)| open.id))
}
pub(super) fn reads_node(look: &Look<'_>, touch: Touch) -> Touch {
    reads(look, touch)
}
