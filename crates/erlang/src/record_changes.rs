//! What one step changes of the tasks, for records: the process that it starts, and the mailboxes that differ.
//!
//! Computed from the states before and after the step, so that it holds whatever operation it was.

use crate::machine::{Machine, Task};
use crate::process::Process;
use crate::term::Term;
use raddle_core::record::Mailbox;
use std::rc::Rc;

/// Of a longer mailbox only so many messages are told.
const MOST_MESSAGES: usize = 20;

/// What one step changes.
#[derive(Clone, Default)]
pub(crate) struct Changes {
    /// The task of the process that it starts.
    pub spawns: Option<usize>,
    /// The mailboxes that are different.
    pub mailboxes: Vec<Mailbox>,
}

/// The processes of a state, by task.
pub(crate) struct Processes(Vec<Option<Rc<Process>>>);

impl Processes {
    /// Those of this state.
    pub fn of(machine: &Machine) -> Processes {
        let mut all = Processes(Vec::new());
        machine.processes().for_each(|(task, process)| _ = all.set(task, process));
        all
    }

    fn set(&mut self, task: usize, process: &Rc<Process>) -> Option<Rc<Process>> {
        if self.0.len() <= task {
            self.0.resize(task + 1, None);
        }
        self.0[task].replace(process.clone())
    }

    /// They become those of `after`, one step later. Returns what that step changed. Only tasks that it may have changed are
    /// looked at: an execution may have many.
    pub fn step_to(&mut self, after: &Machine) -> Changes {
        let mut changes = Changes::default();
        after.each_looked_at(|task| {
            let Task::Process(now) = &after.tasks[task] else { return };
            let was = self.set(task, now);
            if was.is_none() && changes.spawns.is_none_or(|first| task < first) {
                changes.spawns = Some(task);
            }
            let mailbox_was = was.as_ref().map_or(&[][..], |was| was.mailbox.as_slice());
            if !was.as_ref().is_some_and(|was| Rc::ptr_eq(was, now)) && mailbox_was != now.mailbox.as_slice()
            {
                changes.mailboxes.push(mailbox(task, &now.mailbox));
            }
        });
        changes.mailboxes.sort_by_key(|mailbox| mailbox.task);
        let is_same = |(task, process): (usize, &Rc<Process>)| {
            self.0.get(task).and_then(Option::as_ref).is_some_and(|known| Rc::ptr_eq(known, process))
        };
        debug_assert!(after.processes().all(is_same), "a step has changed a process that it did not look at");
        changes
    }
}

fn mailbox(task: usize, all: &[Term]) -> Mailbox {
    let messages = all.iter().take(MOST_MESSAGES).map(Term::to_short_text).collect();
    Mailbox { task, messages, more: all.len().saturating_sub(MOST_MESSAGES) }
}
