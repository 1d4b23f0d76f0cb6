//! The set of tasks that can move. A bit each, so that a change costs nothing and a thousand waiting tasks
//! cost next to nothing when the set is listed.

use raddle_core::operation::TaskId;

#[derive(Default)]
pub(crate) struct Ready {
    words: Vec<u64>,
    count: usize,
    stale: bool,
}

impl Ready {
    pub fn clear(&mut self) {
        self.words.clear();
        self.count = 0;
        self.stale = true;
    }
    /// Puts a task in or takes it out; it must not be so already.
    #[inline]
    pub fn set(&mut self, id: TaskId, ready: bool) {
        let (word, bit) = (id.index() / 64, 1 << (id.index() % 64));
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        debug_assert_eq!(self.words[word] & bit == 0, ready);
        self.words[word] ^= bit;
        self.count = if ready { self.count + 1 } else { self.count - 1 };
        self.stale = true;
    }
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
    /// Whether it changed since it was last listed.
    #[inline]
    pub fn is_stale(&self) -> bool {
        self.stale
    }
    /// Lists the set in ascending order.
    #[inline]
    pub fn list(&mut self, into: &mut Vec<TaskId>) {
        self.stale = false;
        into.resize(self.count, TaskId::MAIN);
        let mut slots = into.iter_mut();
        for (at, word) in self.words.iter().enumerate() {
            let mut rest = *word;
            while rest != 0
                && let Some(slot) = slots.next()
            {
                *slot = TaskId(at as u32 * 64 + rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_what_is_in_it() {
        let mut ready = Ready::default();
        for n in [3, 200, 64, 0] {
            ready.set(TaskId(n), true);
        }
        ready.set(TaskId(64), false);
        let mut list = Vec::new();
        ready.list(&mut list);
        assert_eq!(list, [TaskId(0), TaskId(3), TaskId(200)]);
        assert!(!ready.is_empty() && !ready.is_stale());
    }
}
