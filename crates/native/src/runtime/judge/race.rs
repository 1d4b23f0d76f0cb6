//! Data races: two accesses to one cell, not both reads, that nothing orders by the program's own
//! synchronisation.
//!
//! An access lasts from its beginning to its end, with operations in between if the program likes. One is
//! ordered before another if its end is known to the task that begins the other. So everything is decided when
//! an access begins: those that are not over yet cannot be ordered before it.

use super::evidence::Evidence;
use crate::runtime::judge::sync_clocks::Clocks;
use crate::runtime::log::Log;
use crate::runtime::objects::ObjectKind;
use crate::runtime::operation::OperationKind;
use raddle_core::fact::{Fact, Relation};
use raddle_core::operation::{ObjectId, TaskId};
use raddle_core::verdict::{Cause, Defect};
use std::panic::Location;

/// The kind of cells.
pub(in crate::runtime) const KIND: ObjectKind = "UnsafeCell";

/// A place in the program.
type Site = &'static Location<'static>;

static READ: OperationKind = OperationKind::local("read");
static WRITE: OperationKind = OperationKind::local("write");

/// How a cell is touched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CellAccess {
    Read,
    Write,
}

impl CellAccess {
    pub(in crate::runtime) fn kind(self) -> &'static OperationKind {
        match self {
            CellAccess::Read => &READ,
            CellAccess::Write => &WRITE,
        }
    }
    fn does(self) -> &'static str {
        match self {
            CellAccess::Read => "reads",
            CellAccess::Write => "writes",
        }
    }
    fn relation(self) -> Relation {
        match self {
            CellAccess::Read => Relation::Reads,
            CellAccess::Write => Relation::Writes,
        }
    }
}

/// Which memory a cell is. A cell has the layout of its value, so it is found by where it is, how large it is
/// and what it holds: cells inside of cells begin at the same address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellPlace {
    pub address: usize,
    pub size: usize,
    /// The type of the value; none if its size is only known at run time: that may be any view of it.
    pub holds: Option<&'static str>,
}

impl CellPlace {
    fn is(&self, other: &CellPlace) -> bool {
        let same_type = match (self.holds, other.holds) {
            (Some(mine), Some(theirs)) => mine == theirs,
            _ => true,
        };
        self.address == other.address && self.size == other.size && same_type
    }
}

/// An access, as far as others need to know of it.
#[derive(Clone, Copy)]
pub(crate) struct Touch {
    task: TaskId,
    how: CellAccess,
    place: &'static Location<'static>,
    /// The task's own time at the end of the access.
    time: u32,
}

/// How a cell was touched so far.
#[derive(Default)]
struct Cell {
    /// Accesses that are not over yet.
    open: Vec<Touch>,
    write: Option<Touch>,
    /// The last read of each task since that write.
    reads: Vec<Touch>,
}

/// The cells of one execution and what the tasks know. Memory is kept from one execution to the next.
#[derive(Default)]
pub(crate) struct Races {
    clocks: Clocks,
    /// By address.
    places: Vec<(CellPlace, ObjectId)>,
    /// Word 0 of a cell's object is its index here.
    cells: Vec<Cell>,
    used: usize,
}

impl Races {
    pub fn reset(&mut self) {
        if self.used == 0 {
            return;
        }
        self.clocks.reset();
        self.places.clear();
        for Cell { open, write, reads } in &mut self.cells[..self.used] {
            open.clear();
            *write = None;
            reads.clear();
        }
        self.used = 0;
    }

    /// Where there are cells.
    pub fn all(&self) -> impl Iterator<Item = usize> {
        self.places.iter().map(|(place, _)| place.address)
    }

    /// What lived in this range is gone.
    #[inline]
    pub fn forget(&mut self, from: usize, size: usize) {
        if self.used > 0 {
            let first = self.places.partition_point(|(p, _)| p.address < from);
            let last = self.places.partition_point(|(p, _)| p.address < from.saturating_add(size));
            self.places.drain(first..last);
        }
    }

    fn find(&self, place: &CellPlace) -> Result<ObjectId, usize> {
        let first = self.places.partition_point(|(p, _)| p.address < place.address);
        for (known, object) in &self.places[first..] {
            if known.address != place.address {
                break;
            }
            if known.is(place) {
                return Ok(*object);
            }
        }
        Err(first)
    }

    /// The object of a cell, if it is known.
    pub fn object_of(&self, place: &CellPlace) -> Option<ObjectId> {
        self.find(place).ok()
    }

    /// The number that word 0 of the object of the next new cell holds.
    pub fn next_cell(&self) -> u64 {
        self.used as u64
    }

    /// A new cell lives there.
    pub fn add(&mut self, place: CellPlace, object: ObjectId) {
        let at = self.find(&place).expect_err("it is new");
        self.places.insert(at, (place, object));
        if self.used == self.cells.len() {
            self.cells.push(Cell::default());
        }
        self.used += 1;
    }

    /// `me` begins to touch a cell, unless there is an access that nothing orders with this one.
    pub fn begin(
        &mut self,
        cell: u64,
        me: TaskId,
        access: (CellAccess, Site),
        log: &Log,
    ) -> Option<Conflict> {
        let (how, place) = access;
        let clock = self.clocks.of(me, log);
        let state = &mut self.cells[cell as usize];
        let conflicts = |t: &&Touch| how == CellAccess::Write || t.how == CellAccess::Write;
        let unknown = |t: &&Touch| t.task != me && !clock.knows(t.task, t.time);
        let open = state.open.iter().find(conflicts).map(|t| Conflict::WithOpen(*t));
        let ended = || {
            let mut ended = state.write.iter().chain(&state.reads).filter(conflicts);
            ended.find(unknown).map(|t| Conflict::WithEnded(*t))
        };
        let conflict = open.or_else(ended);
        if conflict.is_none() {
            state.open.push(Touch { task: me, how, place, time: 0 });
        }
        conflict
    }

    /// `me` has touched a cell. Returns where that began.
    pub fn end(&mut self, cell: u64, me: TaskId, how: CellAccess, log: &Log) -> Site {
        let time = self.clocks.of(me, log).get(me);
        let Cell { open, write, reads } = &mut self.cells[cell as usize];
        let at = open.iter().rposition(|t| t.task == me && t.how == how).expect("an access that began ends");
        let touch = Touch { time, ..open.swap_remove(at) };
        match how {
            CellAccess::Write => {
                // Its beginning knew of all others, and so does a task that knows of its end.
                *write = Some(touch);
                reads.clear();
            }
            CellAccess::Read => {
                reads.retain(|t| t.task != me);
                reads.push(touch);
            }
        }
        touch.place
    }
}

/// Why an access must not begin.
pub(crate) enum Conflict {
    /// The other is not over yet.
    WithOpen(Touch),
    /// The other is over, but this task does not know that.
    WithEnded(Touch),
}

impl Evidence<'_> {
    /// `me` wants to touch a cell, and must not.
    pub fn data_race(
        &self,
        cell: ObjectId,
        conflict: Conflict,
        me: TaskId,
        access: (CellAccess, Site),
    ) -> Defect {
        let (how, place) = access;
        let name = self.object_name(cell);
        let mine = self.task_name(me);
        let (first, ended) = match conflict {
            Conflict::WithOpen(first) => (first, false),
            Conflict::WithEnded(first) => (first, true),
        };
        let theirs = self.task_name(first.task);
        let cause = if ended {
            Cause::Unordered { first: theirs.clone(), second: mine.clone(), object: name.clone() }
        } else {
            Cause::Overlapping {
                task: mine.clone(),
                does: how.does().to_owned(),
                object: name.clone(),
                other: (first.task != me).then(|| theirs.clone()),
                access: first.how.kind().name.to_owned(),
            }
        };
        Defect::of(cause)
            .with(Fact::of(theirs, first.how.relation()).object(name.clone()).at(Some(first.place.into())))
            .with(Fact::of(mine, how.relation()).object(name).at(Some(place.into())))
    }
}
