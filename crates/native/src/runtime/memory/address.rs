//! Which object lives at an address. Atomics must keep the size and layout of std's, so they cannot carry an
//! identity; they are found by where they are.
//!
//! Memory that is freed forgets its objects (see [`crate::alloc`]), and so do the stacks of ended tasks: a new
//! atomic at an old address is a new object.

use crate::runtime::operation::NO_OBJECT;
use raddle_core::operation::ObjectId;

#[derive(Clone, Copy)]
struct Entry {
    address: usize,
    /// None if it is gone.
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
    /// How many entries of this round there are, those of objects that are gone included.
    entered: usize,
    sorted: Vec<(usize, ObjectId)>,
    /// The table is being changed: its own memory management asks nothing of it.
    busy: bool,
}

impl Default for Addresses {
    fn default() -> Addresses {
        Addresses { table: vec![EMPTY; 64], round: 1, entered: 0, sorted: Vec::new(), busy: false }
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
        self.entered = 0;
    }

    #[inline]
    fn slot(&self, address: usize) -> usize {
        let hash = (address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        hash as usize & (self.table.len() - 1)
    }

    #[inline]
    pub fn get(&self, address: usize) -> Option<ObjectId> {
        let entry = &self.table[self.find(address)];
        (entry.round == self.round && entry.object != NO_OBJECT).then_some(entry.object)
    }

    pub fn insert(&mut self, address: usize, object: ObjectId) {
        self.busy = true;
        let at = self.sorted.partition_point(|(a, _)| *a < address);
        self.sorted.insert(at, (address, object));
        if self.entered * 2 >= self.table.len() {
            if self.sorted.len() * 4 > self.table.len() {
                self.table = vec![EMPTY; self.table.len() * 2];
            }
            self.rebuild();
        } else {
            self.enter(address, object);
        }
        self.busy = false;
    }

    fn enter(&mut self, address: usize, object: ObjectId) {
        let at = self.find(address);
        self.entered += (self.table[at].round != self.round) as usize;
        self.table[at] = Entry { address, object, round: self.round };
    }

    /// Where the entry of `address` is, or would be.
    #[inline]
    fn find(&self, address: usize) -> usize {
        let mut at = self.slot(address);
        while self.table[at].round == self.round && self.table[at].address != address {
            at = (at + 1) & (self.table.len() - 1);
        }
        at
    }

    fn rebuild(&mut self) {
        self.new_round();
        for at in 0..self.sorted.len() {
            let (address, object) = self.sorted[at];
            self.enter(address, object);
        }
    }

    /// Where there are objects.
    pub fn all(&self) -> impl Iterator<Item = usize> {
        self.sorted.iter().map(|(address, _)| *address)
    }

    /// The objects that begin in this range, or shortly before it.
    pub fn near(&self, from: usize, size: usize) -> impl Iterator<Item = (usize, ObjectId)> {
        let first = self.sorted.partition_point(|(a, _)| *a + size_of::<u64>() <= from);
        self.sorted[first..].iter().copied().take_while(move |(a, _)| *a < from + size)
    }

    /// What lived in this range is gone.
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
        let mut gone = 0;
        while let Some((address, _)) = self.sorted.get(first + gone)
            && *address < end
        {
            let at = self.find(*address);
            self.table[at].object = NO_OBJECT;
            gone += 1;
        }
        match gone {
            0 => {}
            // An atomic was dropped, which is the usual case and quicker this way.
            1 => _ = self.sorted.remove(first),
            _ => drop(self.sorted.drain(first..first + gone)),
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

    #[test]
    fn an_address_is_used_again_and_again() {
        let mut addresses = Addresses::default();
        addresses.insert(64, ObjectId(0));
        for n in 1..10_000 {
            let address = 4096 + n % 7 * 16;
            addresses.insert(address, ObjectId(n as u32));
            assert_eq!(addresses.get(address), Some(ObjectId(n as u32)));
            addresses.forget(address, 16);
            assert_eq!(addresses.get(address), None);
            assert_eq!(addresses.get(64), Some(ObjectId(0)));
        }
        assert_eq!(addresses.all().collect::<Vec<_>>(), [64]);
        assert_eq!(addresses.table.len(), 64);
    }
}
