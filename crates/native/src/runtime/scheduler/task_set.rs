//! Sets of tasks: a bit each, so that a change costs nothing and a thousand waiting tasks cost next to nothing.
//!
//! The tasks that can move are also wanted as a list. Where only the first few tasks exist, which is nearly
//! always, the list is looked up in a table instead of being made.

use raddle_core::operation::TaskId;

/// A set of tasks.
#[derive(Default)]
pub(crate) struct TaskSet {
    /// The first 64 tasks.
    first: u64,
    /// The tasks after those, 64 to a word.
    rest: Vec<u64>,
}

impl TaskSet {
    #[inline]
    pub fn clear(&mut self) {
        self.first = 0;
        if !self.rest.is_empty() {
            self.rest.clear();
        }
    }
    #[inline]
    pub fn insert(&mut self, id: TaskId) {
        match id.0 < 64 {
            true => self.first |= 1 << id.0,
            false => self.insert_late(id),
        }
    }
    #[inline]
    pub fn remove(&mut self, id: TaskId) {
        match id.0 < 64 {
            true => self.first &= !(1 << id.0),
            false => self.remove_late(id),
        }
    }
    /// Puts a task in or takes it out.
    #[inline]
    pub fn set(&mut self, id: TaskId, present: bool) {
        match present {
            true => self.insert(id),
            false => self.remove(id),
        }
    }
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.first == 0 && (self.rest.is_empty() || self.rest.iter().all(|word| *word == 0))
    }
    /// The same set, if it has only members of the first eight tasks.
    #[inline(always)]
    pub fn few(&self) -> Few {
        debug_assert!(self.first < 256 && self.rest.is_empty());
        Few(self.first as u8)
    }
    /// How many words of 64 tasks there are.
    #[inline]
    pub fn words(&self) -> usize {
        1 + self.rest.len()
    }
    /// The tasks from 64 times `at` on.
    #[inline]
    pub fn word(&self, at: usize) -> u64 {
        match at {
            0 => self.first,
            _ => self.rest[at - 1],
        }
    }
    #[cold]
    fn insert_late(&mut self, id: TaskId) {
        let (word, bit) = (id.index() / 64 - 1, 1 << (id.index() % 64));
        if self.rest.len() <= word {
            self.rest.resize(word + 1, 0);
        }
        self.rest[word] |= bit;
    }
    #[cold]
    fn remove_late(&mut self, id: TaskId) {
        if let Some(word) = self.rest.get_mut(id.index() / 64 - 1) {
            *word &= !(1 << (id.index() % 64));
        }
    }
}

/// The tasks of one word of a set, in ascending order.
pub(crate) struct Members {
    word: u64,
    base: u32,
}

impl Members {
    #[inline]
    pub fn new(word: u64, at: usize) -> Members {
        Members { word, base: at as u32 * 64 }
    }
}

impl Iterator for Members {
    type Item = TaskId;
    #[inline]
    fn next(&mut self) -> Option<TaskId> {
        if self.word == 0 {
            return None;
        }
        let id = TaskId(self.base + self.word.trailing_zeros());
        self.word &= self.word - 1;
        Some(id)
    }
}

/// The members of every set of the first eight tasks.
static LISTS: [[TaskId; 8]; 256] = {
    let mut lists = [[TaskId(0); 8]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut task, mut at) = (0, 0);
        while task < 8 {
            if set >> task & 1 == 1 {
                lists[set][at] = TaskId(task);
                at += 1;
            }
            task += 1;
        }
        set += 1;
    }
    lists
};

/// How many members each of them has.
static COUNTS: [u8; 256] = {
    let mut counts = [0; 256];
    let mut set: usize = 0;
    while set < 256 {
        counts[set] = set.count_ones() as u8;
        set += 1;
    }
    counts
};

/// A set of some of the first eight tasks.
#[derive(Clone, Copy)]
pub(crate) struct Few(u8);

impl Few {
    /// How many tasks a set of this type can hold.
    pub const MOST: usize = 8;

    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
    #[inline(always)]
    pub fn len(self) -> u32 {
        COUNTS[self.0 as usize] as u32
    }
    /// The member of that number, in ascending order.
    #[inline(always)]
    pub fn get(self, number: u32) -> TaskId {
        LISTS[self.0 as usize][number as usize % Few::MOST]
    }
}

/// Tasks in ascending order, kept from one listing to the next.
#[derive(Default)]
pub(crate) struct Listed {
    long: Vec<TaskId>,
    /// The set, if it has a list in the table.
    short: Option<u8>,
}

impl Listed {
    /// The list is empty.
    pub fn clear(&mut self) {
        self.short = Some(0);
    }
    /// Lists `set`.
    #[inline]
    pub fn list(&mut self, set: &TaskSet) {
        match set.first < 256 && set.rest.is_empty() {
            true => self.short = Some(set.first as u8),
            false => self.list_long(set),
        }
    }
    fn list_long(&mut self, set: &TaskSet) {
        self.short = None;
        self.long.clear();
        for at in 0..set.words() {
            let mut word = set.word(at);
            let mut base = at as u32 * 64;
            while word != 0 {
                let byte = word as u8 as usize;
                let members = &LISTS[byte][..COUNTS[byte] as usize];
                self.long.extend(members.iter().map(|id| TaskId(base + id.0)));
                word >>= 8;
                base += 8;
            }
        }
    }
    #[inline]
    pub fn tasks(&self) -> &[TaskId] {
        match self.short {
            Some(set) => &LISTS[set as usize][..COUNTS[set as usize] as usize],
            None => &self.long,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(set: &TaskSet) -> Vec<u32> {
        let mut listed = Listed::default();
        listed.list(set);
        listed.tasks().iter().map(|id| id.0).collect()
    }

    #[test]
    fn lists_what_is_in_it() {
        let mut set = TaskSet::default();
        for n in [3, 200, 64, 0, 63, 17] {
            set.insert(TaskId(n));
        }
        set.remove(TaskId(64));
        assert_eq!(listed(&set), [0, 3, 17, 63, 200]);
        let members = (0..set.words()).flat_map(|at| Members::new(set.word(at), at));
        assert_eq!(members.map(|id| id.0).collect::<Vec<_>>(), [0, 3, 17, 63, 200]);
    }

    #[test]
    fn small_sets_are_listed_by_the_table() {
        let mut set = TaskSet::default();
        assert_eq!(listed(&set), [0u32; 0]);
        for n in [6, 1, 7] {
            set.insert(TaskId(n));
        }
        assert_eq!(listed(&set), [1, 6, 7]);
        set.set(TaskId(1), false);
        assert_eq!(listed(&set), [6, 7]);
    }

    #[test]
    fn is_empty_when_all_are_taken_out() {
        let mut set = TaskSet::default();
        for n in [5, 500] {
            set.set(TaskId(n), true);
            assert!(!set.is_empty());
            set.set(TaskId(n), false);
            assert!(set.is_empty());
        }
        set.remove(TaskId(9_999));
        assert!(set.is_empty());
    }
}
