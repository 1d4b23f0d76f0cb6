//! Reading a lock again while reading it. A writer that waits does not keep readers out here, but std's may, and then
//! such a task waits for the writer that waits for it.
//!
//! Whether a writer could have been waiting at that moment must not depend on which of several equivalent executions
//! is explored. So it is not asked who waits there, but what could come first: a writer that did nothing which has to
//! come after the second read, up to the moment at which it wants to write, may want that before the second read.

use crate::runtime::execution::{Execution, Stage};
use crate::runtime::record::in_the_program;
use crate::runtime::tasks::task::{Phase, Role, Task};
use raddle_core::operation::{Accesses, ObjectId, TaskId};
use raddle_core::verdict::{Defect, FailureKind};

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

impl Execution {
    /// The step that is being taken reads `lock`, which the running task reads already.
    #[cold]
    pub fn note_reread(&mut self, lock: ObjectId) {
        if self.stage != Stage::Exploring || !self.has_log() {
            return;
        }
        let looked_away = self.looks_away();
        let (task, line) = (self.current, self.present_line());
        let touched = vec![self.pending[task.index()].accesses];
        self.rereads.push(Reread { lock, task, line, after: vec![(task, line)], touched });
        if looked_away {
            // From here on it must be known what operations touch.
            self.evaluate_all();
        }
    }

    fn evaluate_all(&mut self) {
        let me = self.current;
        for id in self.task_ids().filter(|id| *id != me) {
            let Task { role, phase, op, .. } = self.task(id);
            if *role == Role::Thread && *phase == Phase::Alive && !op.kind.by_itself {
                self.evaluate(id);
            }
        }
    }

    /// A step of `id`, with this line in the log, is about to happen.
    #[cold]
    pub(in crate::runtime) fn follow_rereads(&mut self, id: TaskId, line: u32) {
        let accesses = self.pending[id.index()].accesses;
        for reread in &mut self.rereads {
            let is_after = reread.is_after(id);
            if is_after || reread.touched.iter().any(|earlier| earlier.conflict(accesses)) {
                reread.touched.push(accesses);
                if !is_after {
                    reread.after.push((id, line));
                }
            }
        }
    }

    /// `parent` has a new child, `id`.
    #[cold]
    pub(in crate::runtime) fn bear_after_rereads(&mut self, parent: TaskId, id: TaskId) {
        let line = self.log.lines.len() as u32;
        for reread in self.rereads.iter_mut().filter(|reread| reread.is_after(parent)) {
            reread.after.push((id, line));
        }
    }

    /// The step that is being taken writes `lock`: how that may end if the running task waited for it when somebody
    /// read it again.
    pub fn deadlock_by_reread(&self, lock: ObjectId) -> Option<Defect> {
        if self.stage != Stage::Exploring {
            return None;
        }
        let (me, now) = (self.current, self.present_line());
        let came_late = |reread: &Reread| reread.after.iter().any(|(task, line)| *task == me && *line < now);
        let reread = self.rereads.iter().find(|r| r.lock == lock && r.task != me && !came_late(r))?;
        let (reader, writer, lock) =
            (self.task_name(reread.task), self.task_name(me), self.object_name(lock));
        let message = format!(
            "{reader} reads {lock} again while it reads it, and {writer} may already wait to write it: std's RwLock \
             keeps new readers out while a writer waits, and then they wait for each other for ever"
        );
        let again = &self.log.lines[reread.line as usize];
        let first = self.log.lines[..reread.line as usize]
            .iter()
            .rev()
            .find(|line| line.task == reread.task && line.object == reread.lock);
        let op = &self.task(me).op;
        let mut defect = Defect::new(FailureKind::Deadlock, message);
        if let Some(first) = first {
            let text = format!("{reader} reads it since here");
            defect = defect.note(text, in_the_program(first.kind, first.place));
        }
        let defect =
            defect.note(format!("{reader} reads it again here"), in_the_program(again.kind, again.place));
        Some(defect.note(format!("{writer} wants to write it here"), in_the_program(op.kind, op.place)))
    }
}
