//! Data races: two accesses to one cell, not both reads, that nothing orders by the program's own
//! synchronisation.
//!
//! An access lasts from its beginning to its end, with operations in between if the program likes. One is
//! ordered before another if its end is known to the task that begins the other. So everything is decided when
//! an access begins: those that are not over yet cannot be ordered before it.

use crate::runtime::execution::{Execution, Stage};
use crate::runtime::judge::sync_clocks::Clocks;
use crate::runtime::log::Effect;
use crate::runtime::objects::ObjectKind;
use crate::runtime::operation::OperationKind;
use raddle_core::operation::{ObjectId, TaskId};
use raddle_core::verdict::{Defect, FailureKind};
use std::panic::Location;

const KIND: ObjectKind = "UnsafeCell";

static READ: OperationKind = OperationKind::local("read");
static WRITE: OperationKind = OperationKind::local("write");

/// How a cell is touched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CellAccess {
    Read,
    Write,
}

impl CellAccess {
    fn kind(self) -> &'static OperationKind {
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
struct Touch {
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

    /// Whatever lived in this range is gone.
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
}

/// Why an access must not begin.
enum Conflict {
    /// The other is not over yet.
    WithOpen(Touch),
    /// The other is over, but this task does not know that.
    WithEnded(Touch),
}

impl Execution {
    /// The object of a cell, named now if it is new. One that was there before the execution is a misuse.
    pub fn cell_object(&mut self, place: CellPlace) -> Result<ObjectId, Defect> {
        match self.races.find(&place) {
            Ok(object) => Ok(object),
            Err(at) => {
                self.demand_new(place.address, KIND)?;
                let index = self.races.used;
                let object = self.new_object(KIND, [index as u64, 0]);
                // Nobody may be asked to forget cells while the lists grow: growing frees memory.
                let mut races = std::mem::take(&mut self.races);
                races.places.insert(at, (place, object));
                if index == races.cells.len() {
                    races.cells.push(Cell::default());
                }
                races.used += 1;
                self.races = races;
                Ok(object)
            }
        }
    }

    /// The running task begins to touch a cell. An access that nothing orders with this one is a data race.
    pub fn begin_access(
        &mut self,
        cell: ObjectId,
        how: CellAccess,
        place: &'static Location<'static>,
    ) -> Result<(), Defect> {
        debug_assert!(self.stage != Stage::Teardown);
        if !self.has_log() {
            return Ok(());
        }
        self.note_cell(cell, how.kind(), place);
        let me = self.current;
        let mut races = std::mem::take(&mut self.races);
        let clock = races.clocks.of(me, &self.log);
        let state = &mut races.cells[self.objects[cell].words[0] as usize];
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
        self.races = races;
        match conflict {
            None => Ok(()),
            Some(conflict) => Err(self.cell_defect(cell, conflict, me, how, place)),
        }
    }

    /// The running task has touched a cell.
    pub fn end_access(&mut self, cell: ObjectId, how: CellAccess) {
        if self.stage == Stage::Teardown || !self.has_log() {
            return;
        }
        let me = self.current;
        let mut races = std::mem::take(&mut self.races);
        let time = races.clocks.of(me, &self.log).get(me);
        let Cell { open, write, reads } = &mut races.cells[self.objects[cell].words[0] as usize];
        let at = open.iter().rposition(|t| t.task == me && t.how == how).expect("an access that began ends");
        let touch = Touch { time, ..open.swap_remove(at) };
        match how {
            CellAccess::Write => {
                // Its beginning knew of all others, and so does whoever knows of its end.
                *write = Some(touch);
                reads.clear();
            }
            CellAccess::Read => {
                reads.retain(|t| t.task != me);
                reads.push(touch);
            }
        }
        self.races = races;
        let last = self.log.lines.last().expect("its beginning has a line");
        let at_once = last.task == me && last.object == cell && std::ptr::eq(last.kind, how.kind());
        if !at_once {
            self.note_cell(cell, how.kind(), touch.place);
            self.log.lines.last_mut().expect("just added").effect = Effect::Word("ends");
        }
    }

    fn cell_defect(
        &self,
        cell: ObjectId,
        conflict: Conflict,
        me: TaskId,
        how: CellAccess,
        place: &'static Location<'static>,
    ) -> Defect {
        let name = self.object_name(cell);
        let mine = self.task_name(me);
        let (first, ended) = match conflict {
            Conflict::WithOpen(first) => (first, false),
            Conflict::WithEnded(first) => (first, true),
        };
        let theirs = self.task_name(first.task);
        let (kind, message) = if ended {
            let message = format!("{theirs} and {mine} touch {name}, and nothing in the program orders them");
            (FailureKind::DataRace, message)
        } else if first.task == me {
            let (does, did) = (how.does(), first.how.kind().name);
            let message = format!(
                "{mine} {does} {name} inside of its own {did} of it: a reference to the value that is \
                 changed must be the only one"
            );
            (FailureKind::Misuse, message)
        } else {
            let (does, did) = (how.does(), first.how.kind().name);
            (
                FailureKind::DataRace,
                format!("{mine} {does} {name} while {theirs} is still in the middle of a {did}"),
            )
        };
        Defect::new(kind, message)
            .note(format!("{theirs} {} {name} here", first.how.does()), Some(first.place.into()))
            .note(format!("{mine} {} {name} here", how.does()), Some(place.into()))
    }

    /// Adds the line of an access to a cell.
    fn note_cell(&mut self, cell: ObjectId, kind: &'static OperationKind, place: &'static Location<'static>) {
        // A loop over one cell says the same again and again.
        let again = self.log.lines.last().is_some_and(|last| {
            last.task == self.current
                && last.object == cell
                && std::ptr::eq(last.kind, kind)
                && std::ptr::eq(last.place, place)
                && last.effect == Effect::None
        });
        if again {
            return;
        }
        let line = self.log.note(self.current, kind, place);
        line.object = cell;
    }
}
