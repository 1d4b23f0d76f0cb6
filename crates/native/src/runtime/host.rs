//! What an execution borrows from the operating-system thread that it runs on: std's count of panics, the keys of hash
//! maps, and the word that the watchdog reads.
//!
//! Invariant: the thread has its own values again whenever no execution is under way on it.

use super::hash_keys::HashKeys;
use super::panic_count::PanicCount;
use super::watch::Watch;
use raddle_core::operation::TaskId;
use std::panic::Location;
use std::sync::Arc;

pub(crate) struct Host {
    panic_count: PanicCount,
    hash_keys: HashKeys,
    watch: Arc<Watch>,
}

impl Host {
    /// That of the calling thread.
    pub fn of_this_thread() -> Host {
        Host {
            panic_count: PanicCount::of_this_thread(),
            hash_keys: HashKeys::of_this_thread(),
            watch: Watch::register(),
        }
    }
    /// The next hash map is the first.
    #[inline(always)]
    pub fn reset_hash_keys(&self) {
        self.hash_keys.reset();
    }
    /// The thread has its own keys again, until they are taken again.
    pub fn give_back_hash_keys(&mut self) {
        self.hash_keys.give_back();
    }
    pub fn take_hash_keys_again(&mut self) {
        self.hash_keys.take_again();
    }
    /// The panics that are under way on this thread, of which there are none from now on.
    pub fn set_panics_aside(&self) -> usize {
        self.panic_count.take()
    }
    /// So many panics are under way again.
    pub fn restore_panics(&self, panics: usize) {
        self.panic_count.replace(panics);
    }
    /// A task goes on from `place`.
    #[inline(always)]
    pub fn moved(&self, task: TaskId, place: &'static Location<'static>) {
        self.watch.moved(task, place);
    }
    /// The strategy asks about another prefix.
    #[inline]
    pub fn looked_back(&self) {
        self.watch.looked_back();
    }
    /// Whether an execution is under way.
    #[inline]
    pub fn busy(&self, yes: bool) {
        self.watch.busy(yes);
    }
}
