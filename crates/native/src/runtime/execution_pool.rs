//! The memory of executions, kept for the next check on the same thread: many a check is over in the time that it
//! takes to get all of it anew.
//!
//! Invariant: an execution that is kept has no task on a stack and no value of the program.

use crate::runtime::execution::Execution;
use crate::settings::Settings;
use std::cell::Cell;
use std::ops::{Deref, DerefMut};

thread_local! {
    static SPARE: Cell<Option<Box<Execution>>> = const { Cell::new(None) };
}

/// What had more tasks than this, or more lines in its log, is not kept.
const MOST: (usize, usize) = (64, 4_096);

/// An execution whose memory is kept. Boxed: tasks refer to it by address.
pub(crate) struct Kept(Option<Box<Execution>>);

impl Kept {
    /// An execution in which nothing has happened yet.
    pub fn new(settings: Settings) -> Kept {
        // There is none while the thread comes to its end.
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
        let mut execution = self.0.take().filter(|e| e.is_clean() && e.fits_into(MOST));
        if let Some(execution) = &mut execution {
            execution.host.give_back_hash_keys();
        }
        // Where addresses have to be the same each time, all memory is new each time.
        if !cfg!(feature = "arena") && execution.is_some() && !std::thread::panicking() {
            let _ = SPARE.try_with(|spare| spare.set(execution));
        }
    }
}
