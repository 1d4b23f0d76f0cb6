//! The attributes of files: `#file_info{}`.

use super::{answer, done, error, handles, name_of, reads, writes};
use crate::files::disk::About;
use crate::files::{Id, Kind, Posix};
use crate::machine::Machine;
use crate::machine::access::Touch;
use crate::native::Native;
use crate::native::time::{date_time, seconds};
use crate::native::visible::{Done, Look, Visible, visible};
use crate::run::Raise;
use crate::term::{Term, known};

/// How times are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Clock {
    DateTime,
    Posix,
}

/// `[{time, local | universal | posix}]`: local time is universal time here.
fn clock(options: Option<&Term>) -> Option<Clock> {
    let mut clock = Clock::DateTime;
    for option in options.map_or(Some(Vec::new()), Term::to_vec)?.iter().rev() {
        if let Some([key, kind]) = option.as_tuple()
            && key.as_atom().is_some_and(|key| key.text() == "time")
        {
            clock = match kind.as_atom()?.text() {
                "local" | "universal" => Clock::DateTime,
                "posix" => Clock::Posix,
                _ => return None,
            };
        }
    }
    Some(clock)
}

fn info(m: &Machine, about: &About, clock: Clock) -> Term {
    let view = m.files_view();
    let kind = match about.kind {
        Kind::Regular => "regular",
        Kind::Directory => "directory",
        Kind::Symlink => "symlink",
        Kind::Device => "device",
        Kind::Other => "other",
    };
    let access = match (view.may(about, 0o4), view.may(about, 0o2)) {
        (Some(false), Some(false)) => "none",
        (Some(false), _) => "write",
        (_, Some(false)) => "read",
        _ => "read_write",
    };
    let time = |n: usize| match clock {
        Clock::DateTime => date_time(about.times[n]),
        Clock::Posix => Term::Int(about.times[n]),
    };
    let number = |n: u64| Term::Int(n as i64);
    Term::tuple([
        Term::atom("file_info"),
        number(about.size),
        Term::atom(kind),
        Term::atom(access),
        time(0),
        time(1),
        time(2),
        number(about.mode as u64),
        number(about.links),
        number(about.devices[0]),
        number(about.devices[1]),
        number(about.inode),
        number(about.owners[0] as u64),
        number(about.owners[1] as u64),
    ])
}

fn about(m: &Machine, id: Result<Id, Posix>, options: Option<&Term>) -> Done {
    let Some(clock) = clock(options) else { return error("badarg") };
    answer(id.and_then(|id| m.files_view().about(&id)).map(|about| info(m, &about, clock)))
}

static OF_NAME: Visible = Visible {
    touches: reads,
    ready: None,
    act: |m, _, a| about(m, m.node(&a[0], true).map(|(_, id)| id), a.get(1)),
};
fn reads_link(look: &Look<'_>, touch: Touch) -> Touch {
    super::Lookup::of(look, touch, &look.args[0], false).reads()
}
static OF_LINK: Visible = Visible {
    touches: reads_link,
    ready: None,
    act: |m, _, a| about(m, m.node(&a[0], false).map(|(_, id)| id), a.get(1)),
};
pub(super) static OF_HANDLE: Visible = Visible {
    touches: handles::reads_node,
    ready: None,
    act: |m, task, a| about(m, handles::node_of(m, task, &a[0])?, a.get(1)),
};

/// A time that is to be set; none if it is not given.
fn time(t: &Term, clock: Clock) -> Result<Option<i64>, Posix> {
    match clock {
        _ if t.is_atom(known::UNDEFINED) => Ok(None),
        Clock::Posix => t.as_int().map(Some).ok_or("badarg"),
        Clock::DateTime => seconds(t).map(Some).ok_or("badarg"),
    }
}

fn change(m: &mut Machine, a: &[Term]) -> Result<Result<(), Posix>, Raise> {
    let refuse = |what: &str| Err(Raise::unsupported(format!("changing {what} is not supported")));
    let Some(clock) = clock(a.get(2)) else { return Ok(Err("badarg")) };
    let Some([_, _, _, _, atime, mtime, ctime, mode, _, _, _, _, uid, gid]) = a[1].as_tuple() else {
        return Ok(Err("badarg"));
    };
    if name_of(&a[0]).is_none() {
        return Ok(Err("badarg"));
    }
    let times = [time(atime, clock), time(mtime, clock), time(ctime, clock)];
    let [Ok(atime), Ok(mtime), Ok(ctime)] = times else { return Ok(Err("badarg")) };
    let atime = atime.unwrap_or_else(|| m.seconds());
    let _ = ctime;
    let times = [atime, mtime.unwrap_or(atime)];
    let id = match m.node(&a[0], true) {
        Ok((_, id)) => id,
        Err(why) => return Ok(Err(why)),
    };
    let about = match m.files_view().about(&id) {
        Ok(about) => about,
        Err(why) => return Ok(Err(why)),
    };
    let is_same =
        |given: &Term, now: u32| given.is_atom(known::UNDEFINED) || given.as_int() == Some(now as i64);
    if !is_same(uid, about.owners[0]) || !is_same(gid, about.owners[1]) {
        return refuse("the owner of a file");
    }
    let mode = match mode.as_int() {
        Some(mode) => mode as u32 & 0o7777,
        None if mode.is_atom(known::UNDEFINED) => about.mode & 0o7777,
        None => return Ok(Err("badarg")),
    };
    if about.kind == Kind::Directory && !m.files.nodes.contains_key(&id) {
        return refuse("a directory of the disk");
    }
    if mode & 0o600 != 0o600 && mode != about.mode & 0o7777 {
        return refuse("the permissions of a file so that its owner may not read and write it");
    }
    let now = m.seconds();
    m.change_node(&id, |node| {
        node.mode = node.mode & !0o7777 | mode;
        node.times = [times[0], times[1], now];
    })?;
    Ok(Ok(()))
}
static CHANGE: Visible = Visible { touches: writes, ready: None, act: |m, _, a| done(change(m, a)?) };

const P: &str = "prim_file";

pub static TABLE: &[Native] = &[
    visible(P, "read_file_info", 1, &OF_NAME),
    visible(P, "read_file_info", 2, &OF_NAME),
    visible(P, "read_link_info", 1, &OF_LINK),
    visible(P, "read_link_info", 2, &OF_LINK),
    visible(P, "write_file_info", 2, &CHANGE),
    visible(P, "write_file_info", 3, &CHANGE),
];
