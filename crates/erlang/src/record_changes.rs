//! What one step changes of the tasks, for records: the process that it starts, and the mailboxes that differ.
//!
//! Computed from the states before and after the step, so that it holds whatever operation it was.

use crate::machine::Task;
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

impl Changes {
    /// What is different between two states of the tasks.
    pub fn between(before: &[Task], after: &[Task]) -> Changes {
        let is_process = |task: &usize| matches!(after[*task], Task::Process(_));
        let spawns = (before.len()..after.len()).find(is_process);
        let mailboxes = after.iter().enumerate().filter_map(|(task, now)| {
            let Task::Process(now) = now else { return None };
            let was = match before.get(task) {
                Some(Task::Process(was)) if Rc::ptr_eq(was, now) => return None,
                Some(Task::Process(was)) => was.mailbox.as_slice(),
                _ => &[],
            };
            (was != now.mailbox.as_slice()).then(|| mailbox(task, &now.mailbox))
        });
        Changes { spawns, mailboxes: mailboxes.collect() }
    }
}

fn mailbox(task: usize, all: &[Term]) -> Mailbox {
    let messages = all.iter().take(MOST_MESSAGES).map(Term::to_short_text).collect();
    Mailbox { task, messages, more: all.len().saturating_sub(MOST_MESSAGES) }
}
