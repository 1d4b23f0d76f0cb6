//! Data races: two accesses to one cell, not both reads, that nothing orders by the program's own
//! synchronisation.
//!
//! This is *synchronises-with* by the orderings that the program declared, never the order in which steps
//! were taken: a relaxed flag orders steps and synchronises nothing. Clocks are worked out from the log when
//! a cell is touched, so programs without cells pay nothing.

use super::execution::Execution;
use super::log::{Line, Log, Sync};
use super::operation::Verb;
use raddle_core::operation::{ObjectId, TaskId};
use raddle_core::order::VectorClock;
use raddle_core::verdict::{Defect, FailureKind};
use std::collections::HashMap;
use std::panic::Location;
use std::sync::atomic::Ordering;

static READ: Verb = Verb::local("read");
static WRITE: Verb = Verb::local("write");

/// What a task has learned.
#[derive(Default, Clone)]
struct Knowledge {
    clock: VectorClock,
    /// What relaxed loads have seen; a later acquire fence learns it.
    seen: VectorClock,
    /// What it knew at its last release fence; later relaxed stores release that.
    fenced: VectorClock,
}

/// One access to a cell.
#[derive(Clone, Copy)]
struct Touch {
    task: TaskId,
    time: u32,
    place: &'static Location<'static>,
}

/// How a cell was touched so far.
#[derive(Default)]
struct Cell {
    write: Option<Touch>,
    /// The last read of each task.
    reads: Vec<Touch>,
}

/// How a cell is touched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CellAccess {
    Read,
    Write,
}

/// The clocks of one execution.
#[derive(Default)]
pub(crate) struct Races {
    /// Lines of the log that the clocks know of.
    done: usize,
    tasks: Vec<Knowledge>,
    released: HashMap<ObjectId, VectorClock>,
    sent: HashMap<u32, VectorClock>,
    cells: HashMap<ObjectId, Cell>,
}

fn acquires(ordering: Ordering) -> bool {
    matches!(ordering, Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst)
}

fn releases(ordering: Ordering) -> bool {
    matches!(ordering, Ordering::Release | Ordering::AcqRel | Ordering::SeqCst)
}

impl Races {
    pub fn reset(&mut self) {
        if self.done > 0 || !self.cells.is_empty() {
            *self = Races::default();
        }
    }

    fn task(&mut self, id: TaskId) -> &mut Knowledge {
        if self.tasks.len() <= id.index() {
            self.tasks.resize(id.index() + 1, Knowledge::default());
        }
        let knowledge = &mut self.tasks[id.index()];
        if knowledge.clock.get(id) == 0 {
            knowledge.clock.set(id, 1);
        }
        knowledge
    }

    /// Learns the lines of the log that are new.
    fn catch_up(&mut self, log: &Log) {
        for at in self.done..log.lines.len() {
            self.learn(&log.lines[at], at as u32);
        }
        self.done = log.lines.len();
    }

    fn learn(&mut self, line: &Line, at: u32) {
        let (me, object) = (line.task, line.object);
        match line.sync {
            Sync::None => {}
            Sync::Acquire => self.acquire(me, object),
            Sync::Release => self.release_more(me, object),
            Sync::ReleaseOn(other) => self.release_more(me, other),
            Sync::AcquireRelease => {
                self.acquire(me, object);
                self.release_more(me, object);
            }
            Sync::Load(ordering) => self.load(me, object, ordering),
            Sync::Store(ordering) => {
                // A store ends the release sequence of the one before it.
                let clock = self.stored(me, ordering);
                self.released.insert(object, clock);
                self.task(me).clock.tick(me);
            }
            Sync::Update(ordering) => {
                self.load(me, object, ordering);
                // A read-modify-write goes on with the release sequence.
                let clock = self.stored(me, ordering);
                self.released.entry(object).or_default().join(&clock);
                self.task(me).clock.tick(me);
            }
            Sync::Fence(ordering) => {
                let task = self.task(me);
                if acquires(ordering) {
                    let seen = task.seen.clone();
                    task.clock.join(&seen);
                }
                if releases(ordering) {
                    task.fenced = task.clock.clone();
                    task.clock.tick(me);
                }
            }
            Sync::Send => {
                let clock = self.task(me).clock.clone();
                self.sent.insert(at, clock);
                self.task(me).clock.tick(me);
            }
            Sync::Receive(sent) => {
                if let Some(clock) = self.sent.remove(&sent) {
                    self.task(me).clock.join(&clock);
                }
            }
            Sync::Spawn(child) => {
                let clock = self.task(me).clock.clone();
                self.task(child).clock.join(&clock);
                self.task(me).clock.tick(me);
            }
            Sync::Join(child) => {
                let clock = self.task(child).clock.clone();
                self.task(me).clock.join(&clock);
            }
        }
    }

    fn acquire(&mut self, me: TaskId, object: ObjectId) {
        if let Some(clock) = self.released.get(&object).cloned() {
            self.task(me).clock.join(&clock);
        }
    }

    fn release_more(&mut self, me: TaskId, object: ObjectId) {
        let clock = self.task(me).clock.clone();
        self.released.entry(object).or_default().join(&clock);
        self.task(me).clock.tick(me);
    }

    fn load(&mut self, me: TaskId, object: ObjectId, ordering: Ordering) {
        if let Some(clock) = self.released.get(&object).cloned() {
            let task = self.task(me);
            if acquires(ordering) {
                task.clock.join(&clock);
            } else {
                task.seen.join(&clock);
            }
        }
    }

    /// What a store with this ordering releases.
    fn stored(&mut self, me: TaskId, ordering: Ordering) -> VectorClock {
        let task = self.task(me);
        if releases(ordering) { task.clock.clone() } else { task.fenced.clone() }
    }
}

impl Execution {
    /// The running task touches a cell. An access that nothing orders with this one is a data race.
    pub fn touch_cell(
        &mut self,
        cell: ObjectId,
        access: CellAccess,
        place: &'static Location<'static>,
    ) -> Result<(), Box<Defect>> {
        let me = self.current;
        let mut races = std::mem::take(&mut self.races);
        races.catch_up(&self.log);
        let clock = races.task(me).clock.clone();
        let now = Touch { task: me, time: clock.get(me), place };
        let state = races.cells.entry(cell).or_default();
        let unordered = |t: &&Touch| t.task != me && !clock.knows(t.task, t.time);
        let mut other = state.write.as_ref().filter(unordered).map(|t| (*t, CellAccess::Write));
        if access == CellAccess::Write && other.is_none() {
            other = state.reads.iter().find(unordered).map(|t| (*t, CellAccess::Read));
        }
        match access {
            CellAccess::Write => {
                state.write = Some(now);
                state.reads.clear();
            }
            CellAccess::Read => {
                state.reads.retain(|t| t.task != me);
                state.reads.push(now);
            }
        }
        self.races = races;
        match other {
            None => Ok(()),
            Some((touch, how)) => Err(Box::new(self.data_race(cell, (touch, how), (now, access)))),
        }
    }

    fn data_race(&self, cell: ObjectId, first: (Touch, CellAccess), second: (Touch, CellAccess)) -> Defect {
        let name = self.object_name(cell);
        let words = |(touch, access): (Touch, CellAccess)| {
            let verb = match access {
                CellAccess::Read => "reads",
                CellAccess::Write => "writes",
            };
            (format!("{} {verb} {name} here", self.task_name(touch.task)), touch.place)
        };
        let ((one, here), (two, there)) = (words(first), words(second));
        let message = format!(
            "{} and {} touch {name}, and nothing in the program orders them",
            self.task_name(first.0.task),
            self.task_name(second.0.task)
        );
        Defect::new(FailureKind::DataRace, message).note(one, Some(here.into())).note(two, Some(there.into()))
    }

    /// Adds the line of an access to a cell.
    pub fn note_cell(&mut self, cell: ObjectId, access: CellAccess, place: &'static Location<'static>) {
        let verb = match access {
            CellAccess::Read => &READ,
            CellAccess::Write => &WRITE,
        };
        let line = self.log.note(self.current, verb, place);
        line.object = cell;
    }
}
