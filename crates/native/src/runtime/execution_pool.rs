//! The memory of executions, kept for the next check on the same thread: many a check is over in the time that it
//! takes to get all of it anew.

use crate::runtime::execution::Execution;
use crate::runtime::tasks::stack::Stacks;
use crate::settings::Settings;
use raddle_core::clock::Time;
use raddle_core::operation::TaskId;
use std::cell::Cell;
use std::ops::{Deref, DerefMut};

thread_local! {
    static SPARE: Cell<Option<Box<Execution>>> = const { Cell::new(None) };
}

/// What had more tasks than this is not kept.
const MOST_TASKS: usize = 64;
/// Nor what had longer executions.
const MOST_LINES: usize = 4_096;

/// An execution whose memory is kept. Boxed: tasks refer to it by address.
pub(crate) struct Kept(Option<Box<Execution>>);

impl Kept {
    /// An execution in which nothing has happened yet.
    pub fn new(settings: Settings) -> Kept {
        // Nobody has one while the thread comes to its end.
        let spare = SPARE.try_with(Cell::take).ok().flatten();
        Kept(Some(match spare {
            Some(mut execution) => {
                execution.renew(settings);
                execution
            }
            None => Box::new(Execution::new(settings)),
        }))
    }
}

impl Deref for Kept {
    type Target = Execution;
    #[inline]
    fn deref(&self) -> &Execution {
        self.0.as_deref().expect("it is taken when this is dropped")
    }
}

impl DerefMut for Kept {
    #[inline]
    fn deref_mut(&mut self) -> &mut Execution {
        self.0.as_deref_mut().expect("it is taken when this is dropped")
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let mut execution = self.0.take().filter(|e| e.is_worth_keeping());
        if let Some(execution) = &mut execution {
            execution.hash_keys.give_back();
        }
        // Where addresses have to be the same each time, all memory is new each time.
        if !cfg!(feature = "arena") && execution.is_some() && !std::thread::panicking() {
            let _ = SPARE.try_with(|spare| spare.set(execution));
        }
    }
}

impl Execution {
    fn is_worth_keeping(&self) -> bool {
        // One with tasks on their stacks is in the middle of something, and thread-locals that are made while others are
        // destroyed are destroyed with it.
        let is_empty = self.fibers == 0 && !self.has_locals;
        is_empty && self.tasks.len() <= MOST_TASKS && self.log.lines.capacity() <= MOST_LINES
    }

    /// Is as good as new, for executions with these settings.
    fn renew(&mut self, settings: Settings) {
        if settings.stack_size != self.settings.stack_size {
            self.stacks = Stacks::new(settings.stack_size);
        }
        self.hash_keys.take_again();
        self.current = TaskId::MAIN;
        self.log_wanted = false;
        self.time_may_pass = settings.time == Time::Any;
        self.cut_short = false;
        self.held_spins = false;
        self.has_labels = false;
        self.settings = settings;
    }
}
