//! The record of an execution, made from its log for people.
//!
//! Invariant: the record does not depend on addresses: pointers are numbered in the order in which they appear.

use crate::callers::{Called, Callers, OURS};
use crate::runtime::execution::Execution;
use crate::runtime::judge::evidence::Evidence;
use crate::runtime::log::{Effect, Line as LogLine, Shape, Sync};
use crate::runtime::operation::{OperationKind, ToLock};
use raddle_core::memory::PlacedGraph;
use raddle_core::operation::{ObjectId, TaskId};
use raddle_core::record::{ExecutionRecord, Hold, Line, LockUse, Place, TaskInfo, VERSION};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::Location;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Numbers for pointers, in the order in which they appear: addresses differ from run to run.
#[derive(Default)]
pub(super) struct Pointers(BTreeMap<u64, usize>);

impl Pointers {
    fn show(&mut self, shape: Shape, bits: u64) -> String {
        match shape {
            Shape::Unsigned => bits.to_string(),
            Shape::Signed8 => (bits as i8).to_string(),
            Shape::Signed16 => (bits as i16).to_string(),
            Shape::Signed32 => (bits as i32).to_string(),
            Shape::Signed64 => (bits as i64).to_string(),
            Shape::Bool => (bits != 0).to_string(),
            Shape::Pointer if bits == 0 => "null".to_owned(),
            Shape::Pointer => {
                let next = self.0.len() + 1;
                format!("ptr{}", self.0.entry(bits).or_insert(next))
            }
            Shape::Time => format!("{:?}", Duration::from_nanos(bits)),
        }
    }
}

/// Which locks tasks hold.
#[derive(Default)]
struct Locks {
    held: BTreeSet<(TaskId, ObjectId)>,
    known: BTreeSet<ObjectId>,
}

impl Locks {
    /// What the step of a line does to a lock.
    fn after(&mut self, line: &LogLine) -> Option<(ObjectId, Hold)> {
        let (lock, hold) = match (line.sync, line.kind.to_lock) {
            (Sync::Acquire, ToLock::Takes) => (line.object, Hold::Exclusive),
            (Sync::AcquireShared, _) => (line.object, Hold::Shared),
            (Sync::Release, ToLock::GivesBack) | (Sync::ReleaseShared, _) => (line.object, Hold::Released),
            // A condition variable gives its lock back and takes it again.
            (Sync::ReleaseOf(lock), _) if self.held.contains(&(line.task, lock)) => (lock, Hold::Released),
            (Sync::AcquireOf(lock), _) if self.known.contains(&lock) => (lock, Hold::Exclusive),
            _ => return None,
        };
        self.known.insert(lock);
        match hold {
            Hold::Released => self.held.remove(&(line.task, lock)),
            Hold::Exclusive | Hold::Shared => self.held.insert((line.task, lock)),
        };
        Some((lock, hold))
    }
}

/// Where in the program an operation is. An end has no place there, neither has the return before destructors of
/// thread-locals, and neither has what the standard library does on its own: guards that go out of scope, an iterator that
/// it uses up. Nor has what raddle does for it.
pub(crate) fn in_the_program(kind: &OperationKind, place: &'static Location<'static>) -> Option<Place> {
    let is_of = |folder: &str| place.file().starts_with(folder);
    let nowhere = ["end", "return", "heap"].contains(&kind.name) || is_of("/rustc/") || is_of(OURS);
    (!nowhere).then(|| place.into())
}

impl Execution {
    /// The graph of the execution, if tasks access memory under a weak model.
    pub fn memory_graph(&self) -> Option<PlacedGraph> {
        let (graph, lines) = self.state.memory.weak()?.graph_with_lines();
        let place =
            |at: &u32| self.log.lines().get(*at as usize).map(|line| in_the_program(line.kind, line.place));
        Some(PlacedGraph {
            graph: graph.clone(),
            places: lines.iter().map(|at| place(at).flatten()).collect(),
            lines: lines.iter().map(|at| *at as usize).collect(),
        })
    }

    /// Where the program accesses atomics, or issues fences, with orderings weaker than `SeqCst`.
    pub fn weaker_orderings(&self) -> impl Iterator<Item = &'static Location<'static>> {
        let is_weaker = |line: &&LogLine| {
            let (Sync::Load(order) | Sync::Store(order) | Sync::Update(order) | Sync::Fence(order)) =
                line.sync
            else {
                return false;
            };
            let is_count = matches!(line.sync, Sync::Update(_)) && !line.kind.is_atomic;
            order != Ordering::SeqCst && !is_count && in_the_program(line.kind, line.place).is_some()
        };
        self.log.lines().iter().filter(is_weaker).map(|line| line.place)
    }
}

impl Evidence<'_> {
    pub(super) fn detail(&self, line: &LogLine, pointers: &mut Pointers) -> String {
        match line.effect {
            Effect::None => String::new(),
            Effect::Read(shape, bits) => format!("→ {}", pointers.show(shape, bits)),
            Effect::Wrote(shape, bits) => pointers.show(shape, bits),
            Effect::Updated(shape, from, to) => {
                format!("{} → {}", pointers.show(shape, from), pointers.show(shape, to))
            }
            Effect::Refused(shape, found) => format!("fails: finds {}", pointers.show(shape, found)),
            Effect::Word(word) => word.to_owned(),
            Effect::Sent(number) => format!("message {number}"),
            Effect::Received(number, _) => format!("→ message {number}"),
            Effect::Task(id) => self.tasks.name(id),
            Effect::Count(n) => n.to_string(),
            Effect::Rounds(n) => format!("{n} rounds"),
            Effect::Text(at) => self.log.text(at).to_owned(),
        }
    }

    /// The value of the object after the operation of a line, where it is known.
    fn value(&self, line: &LogLine, pointers: &mut Pointers) -> Option<String> {
        match line.effect {
            Effect::Read(shape, bits)
            | Effect::Wrote(shape, bits)
            | Effect::Updated(shape, _, bits)
            | Effect::Refused(shape, bits) => Some(pointers.show(shape, bits)),
            _ => None,
        }
    }

    /// The execution so far.
    pub fn record(&self) -> ExecutionRecord {
        let mut pointers = Pointers::default();
        let tasks = self
            .tasks
            .ids()
            .map(|id| TaskInfo {
                name: self.tasks.name(id),
                label: self.tasks[id].label().map(|l| l.to_string()),
            })
            .collect();
        let mut steps = 0..;
        let mut callers = Callers::of_this_execution();
        // The line that last changed each object.
        let mut last_write: BTreeMap<ObjectId, usize> = BTreeMap::new();
        let mut locks = Locks::default();
        let mut lines = Vec::with_capacity(self.log.len());
        for (at, line) in self.log.lines().iter().enumerate() {
            let source = self.log.source(at as u32);
            let is_stale = source.is_some_and(|source| source.is_stale);
            let reads_from = match line.effect {
                Effect::Read(..) | Effect::Updated(..) | Effect::Refused(..) if source.is_some() => {
                    source.and_then(|source| source.line).map(|line| line as usize)
                }
                Effect::Read(..) | Effect::Updated(..) | Effect::Refused(..) => {
                    last_write.get(&line.object).copied()
                }
                Effect::Received(_, sent) => Some(sent as usize),
                _ => None,
            };
            let called = match &mut callers {
                Some(callers) if line.is_step => callers.next(line.task, line.place),
                _ => Called::default(),
            };
            lines.push(Line {
                task: line.task.index(),
                step: if line.is_step { steps.next() } else { None },
                operation: line.kind.name.to_owned(),
                object: self.name_for(line.task, line.object),
                result: self.detail(line, &mut pointers) + if is_stale { stale(line.effect) } else { "" },
                place: in_the_program(line.kind, line.place).or(called.inner),
                reads_from,
                caller: called.caller,
                spawns: match line.sync {
                    Sync::Spawn(id) => Some(id.index()),
                    _ => None,
                },
                value: if is_stale { None } else { self.value(line, &mut pointers) },
                lock: locks.after(line).map(|(lock, hold)| LockUse { lock: self.object_name(lock), hold }),
                ..Line::default()
            });
            if line.changes_objects() {
                last_write.insert(line.object, at);
            }
        }
        ExecutionRecord { version: VERSION, tasks, lines, enabled: None }
    }
}

/// What is said of an access that did not read, or is not, the last store in modification order.
fn stale(effect: Effect) -> &'static str {
    match effect {
        Effect::Wrote(..) | Effect::Updated(..) => " (behind a newer store)",
        _ => " (stale)",
    }
}
