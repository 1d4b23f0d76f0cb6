//! Which object lives at an address. Atomics must keep the size and layout of std's, so they cannot carry an
//! identity; they are found by where they are.
//!
//! Memory that is freed forgets its objects (see [`crate::alloc`]), and so do the stacks of ended tasks: a new
//! atomic at an old address is a new object.

use raddle_core::operation::ObjectId;

#[derive(Clone, Copy)]
struct Entry {
    address: usize,
    object: ObjectId,
    /// The round in which it was entered; entries of other rounds are empty.
    round: u32,
}

const EMPTY: Entry = Entry { address: 0, object: ObjectId(0), round: 0 };

/// A hash table from addresses to objects, and the addresses in ascending order for questions about ranges.
pub(crate) struct Addresses {
    /// Open addressing; the length is a power of two.
    table: Vec<Entry>,
    round: u32,
    sorted: Vec<(usize, ObjectId)>,
    /// The table is being changed: its own memory management asks nothing of it.
    busy: bool,
}

impl Default for Addresses {
    fn default() -> Addresses {
        Addresses { table: vec![EMPTY; 64], round: 1, sorted: Vec::new(), busy: false }
    }
}

impl Addresses {
    pub fn reset(&mut self) {
        self.sorted.clear();
        self.new_round();
    }

    fn new_round(&mut self) {
        if self.round == u32::MAX {
            self.table.fill(EMPTY);
            self.round = 0;
        }
        self.round += 1;
    }

    #[inline]
    fn slot(&self, address: usize) -> usize {
        let hash = (address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        hash as usize & (self.table.len() - 1)
    }

    #[inline]
    pub fn get(&self, address: usize) -> Option<ObjectId> {
        let mut at = self.slot(address);
        loop {
            let entry = &self.table[at];
            if entry.round != self.round {
                return None;
            }
            if entry.address == address {
                return Some(entry.object);
            }
            at = (at + 1) & (self.table.len() - 1);
        }
    }

    pub fn insert(&mut self, address: usize, object: ObjectId) {
        self.busy = true;
        let at = self.sorted.partition_point(|(a, _)| *a < address);
        self.sorted.insert(at, (address, object));
        if self.sorted.len() * 2 > self.table.len() {
            let size = self.table.len() * 2;
            self.table = vec![EMPTY; size];
            self.rebuild();
        } else {
            self.enter(address, object);
        }
        self.busy = false;
    }

    fn enter(&mut self, address: usize, object: ObjectId) {
        let mut at = self.slot(address);
        while self.table[at].round == self.round {
            at = (at + 1) & (self.table.len() - 1);
        }
        self.table[at] = Entry { address, object, round: self.round };
    }

    fn rebuild(&mut self) {
        self.new_round();
        for at in 0..self.sorted.len() {
            let (address, object) = self.sorted[at];
            self.enter(address, object);
        }
    }

    /// Whatever lived in this range is gone.
    #[inline]
    pub fn forget(&mut self, from: usize, size: usize) {
        if let (Some((lowest, _)), Some((highest, _))) = (self.sorted.first(), self.sorted.last())
            && from.saturating_add(size) > *lowest
            && from <= *highest
            && !self.busy
        {
            self.forget_known(from, from.saturating_add(size));
        }
    }

    #[cold]
    fn forget_known(&mut self, from: usize, end: usize) {
        let first = self.sorted.partition_point(|(a, _)| *a < from);
        let last = self.sorted.partition_point(|(a, _)| *a < end);
        if first < last {
            self.busy = true;
            self.sorted.drain(first..last);
            self.rebuild();
            self.busy = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembers_and_forgets_ranges() {
        let mut addresses = Addresses::default();
        for n in 0..1_000 {
            addresses.insert(4096 + n * 8, ObjectId(n as u32));
        }
        assert_eq!(addresses.get(4096 + 8 * 77), Some(ObjectId(77)));
        addresses.forget(4096 + 8 * 70, 8 * 10);
        assert_eq!(addresses.get(4096 + 8 * 69), Some(ObjectId(69)));
        assert!((70..80).all(|n| addresses.get(4096 + 8 * n).is_none()));
        assert_eq!(addresses.get(4096 + 8 * 80), Some(ObjectId(80)));
        addresses.reset();
        assert!((0..1_000).all(|n| addresses.get(4096 + 8 * n).is_none()));
    }
}
