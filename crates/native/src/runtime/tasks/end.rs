//! How a task comes to its end, as its joiners see it: its function is over, or all of it is.
//!
//! Invariant: the end of a task is word 0 of its end object, so that joins and `is_finished` are evaluated as any other
//! operation is. The end of a task is no choice of its own: a task that waits for it could not tell if it came later.

use super::task::{RETURNED, SEEN_FINISHED, Task};
use crate::runtime::execution::Execution;
use crate::runtime::log::{Effect, Sync};
use crate::runtime::objects::view::View;
use crate::runtime::operation::{Evaluation, NO_OBJECT, Op, OperationKind};
use raddle_core::operation::{Accesses, Mode, ObjectId, TaskId};

/// The end of a task, before the tasks that wait for it go on.
pub(in crate::runtime) static END: OperationKind = OperationKind::always("end", evaluate);
/// The function of a task is over, and the destructors of its thread-locals begin: tasks that only wait for the function
/// go on.
pub(in crate::runtime) static RETURN: OperationKind = OperationKind::always("return", evaluate).by_itself();

/// The end of a task writes what its joiners read. The end of main ends all tasks.
fn evaluate(_: View<'_>, op: &Op) -> Evaluation {
    if op.task == TaskId::MAIN {
        // Also when all others have come to their end: if they were not joined, it might have come first.
        return Evaluation::ready(Accesses::EVERYTHING_THERE_IS);
    }
    let [end, scope] = op.args.map(|object| ObjectId(object as u32));
    let accesses = Accesses::write(end);
    Evaluation::ready(if scope == NO_OBJECT { accesses } else { accesses.and(scope, Mode::Write) })
}

impl Task {
    /// The arguments of its end: the end object, and the scope that waits for it or [`NO_OBJECT`]. A scope hears of it
    /// once.
    pub(in crate::runtime) fn end_arguments(&self) -> [u64; 2] {
        let scope = if self.returned { NO_OBJECT } else { self.scope };
        [self.end.0 as u64, scope.0 as u64]
    }
}

impl Execution {
    /// The function of the running task is over, and all of it if the marks say so.
    #[inline]
    pub(in crate::runtime) fn returned(&mut self, marks: u64) {
        self.mark_end(self.tasks.running().end, marks);
        let me = self.tasks.current();
        let task = &mut self.tasks[me];
        task.progress.look_closely();
        if std::mem::replace(&mut task.returned, true) {
            return;
        }
        let scope = task.scope;
        if self.state.objects.contains(scope) {
            self.state.objects.words_mut(scope)[0] -= 1;
            self.state.objects.remove_from_queue(scope, me);
            self.touch(scope);
            self.did(Effect::None, Sync::ReleaseOf(scope));
        }
    }

    /// The function of the running task is over; the destructors of its thread-locals are left.
    pub(in crate::runtime) fn function_returned(&mut self) {
        self.returned(RETURNED);
    }

    /// A destructor of a thread-local does an operation. A task that sees it knows that the function is over, so from
    /// here on `is_finished` says so.
    #[cold]
    pub(in crate::runtime) fn goes_on_after_return(&mut self, id: TaskId) {
        self.mark_end(self.tasks[id].end, SEEN_FINISHED);
    }

    /// What joins and `is_finished` look at changes, and is no step of its own: no operation announces which step of a
    /// task is its last.
    #[inline(always)]
    fn mark_end(&mut self, end: ObjectId, marks: u64) {
        if self.state.objects.words(end)[0] & marks != marks {
            self.note_aside(end);
            self.state.objects.words_mut(end)[0] |= marks;
            self.touch(end);
        }
    }
}
