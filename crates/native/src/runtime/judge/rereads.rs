//! Reading a lock again while reading it. A writer that waits does not keep readers out here, but std's may, and then
//! such a task waits for the writer that waits for it.
//!
//! Whether a writer could have been waiting at that moment must not depend on which of several equivalent executions
//! is explored. So the question is not which task waits there, but what could come first: a writer that did nothing
//! which has to come after the second read, up to the moment at which it wants to write, may want that before the
//! second read.

use super::evidence::Evidence;
use crate::runtime::record::in_the_program;
use raddle_core::fact::{Fact, Relation};
use raddle_core::operation::{Accesses, ObjectId, TaskId};
use raddle_core::verdict::{Cause, Defect};

/// A read of a lock by a task that reads it already.
pub(crate) struct Reread {
    lock: ObjectId,
    task: TaskId,
    /// Its line in the log.
    line: u32,
    /// The tasks that did something which has to come after it, and the line of the first such thing.
    after: Vec<(TaskId, u32)>,
    /// What those things touched.
    touched: Vec<Accesses>,
}

impl Reread {
    fn is_after(&self, task: TaskId) -> bool {
        self.after.iter().any(|(other, _)| *other == task)
    }
}

/// Reads of locks by tasks that read them already, in one execution.
#[derive(Default)]
pub(crate) struct Rereads(Vec<Reread>);

impl Rereads {
    pub fn reset(&mut self) {
        self.0.clear();
    }
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// A step of `id`, with this line in the log, is about to happen and touches this.
    #[cold]
    pub fn follow(&mut self, id: TaskId, line: u32, accesses: Accesses) {
        for reread in &mut self.0 {
            let is_after = reread.is_after(id);
            if is_after || reread.touched.iter().any(|earlier| earlier.conflict(accesses)) {
                reread.touched.push(accesses);
                if !is_after {
                    reread.after.push((id, line));
                }
            }
        }
    }

    /// `parent` has a new child, `id`, when the log has so many lines.
    #[cold]
    pub fn bear(&mut self, parent: TaskId, id: TaskId, line: u32) {
        for reread in self.0.iter_mut().filter(|reread| reread.is_after(parent)) {
            reread.after.push((id, line));
        }
    }

    /// The step of `task` with this line reads `lock`, which the task reads already, and touches this.
    pub fn add(&mut self, lock: ObjectId, task: TaskId, line: u32, accesses: Accesses) {
        self.0.push(Reread { lock, task, line, after: vec![(task, line)], touched: vec![accesses] });
    }

    /// A read of `lock` again that `me` may have waited for to write it, where its step with line `now` writes it.
    pub fn before_write(&self, lock: ObjectId, me: TaskId, now: u32) -> Option<&Reread> {
        let came_late = |reread: &Reread| reread.after.iter().any(|(task, line)| *task == me && *line < now);
        self.0.iter().find(|r| r.lock == lock && r.task != me && !came_late(r))
    }
}

impl Evidence<'_> {
    /// How it may end that `me` writes the lock of `reread`, if it waited for that when another task read it again.
    pub fn deadlock_by_reread(&self, reread: &Reread, me: TaskId) -> Defect {
        let (reader, writer, lock) =
            (self.task_name(reread.task), self.task_name(me), self.object_name(reread.lock));
        let again = &self.log.lines()[reread.line as usize];
        let first = self.log.lines()[..reread.line as usize]
            .iter()
            .rev()
            .find(|line| line.task == reread.task && line.object == reread.lock);
        let op = &self.tasks[me].op;
        let mut defect = Defect::of(Cause::ReadAgain {
            reader: reader.clone(),
            writer: writer.clone(),
            lock: lock.clone(),
        });
        if let Some(first) = first {
            let since = Fact::of(reader.clone(), Relation::ReadsSince).object(lock.clone());
            defect = defect.with(since.at(in_the_program(first.kind, first.place)));
        }
        let rereads = Fact::of(reader, Relation::ReadsAgain).object(lock.clone());
        let waits = Fact::of(writer, Relation::WantsToWrite).object(lock);
        let defect = defect.with(rereads.at(in_the_program(again.kind, again.place)));
        defect.with(waits.at(in_the_program(op.kind, op.place)))
    }
}
