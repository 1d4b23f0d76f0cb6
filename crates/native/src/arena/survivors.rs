//! Blocks that outlive their executions: an execution finds room between them.
//!
//! Invariant: no block is handed out where another one is that was not freed. Where there are many, all memory up to the last
//! one is given up, so that what they cost does not grow with their number.

use super::region::{self, REGIONS, SIZE};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// So many are remembered one by one.
const MANY: usize = 1_024;

/// What was freed elsewhere: in a region that another thread has, or that is not in use.
static FREED: [Mutex<Vec<usize>>; REGIONS] = [const { Mutex::new(Vec::new()) }; REGIONS];

/// Blocks with their zones, by where they begin.
#[derive(Default)]
pub(super) struct Survivors {
    blocks: BTreeMap<usize, usize>,
    /// What is before this is given up.
    floor: usize,
}

impl Survivors {
    /// What is freed elsewhere is forgotten.
    pub fn hear(&mut self, number: usize) {
        let mut freed = FREED[number].lock().unwrap_or_else(PoisonError::into_inner);
        for block in freed.drain(..) {
            self.release(block);
        }
    }
    /// This block is freed, which begins behind its zone.
    pub fn release(&mut self, block: usize) {
        self.blocks.remove(&region::zone_of(block));
    }
    /// These are still there.
    pub fn add(&mut self, blocks: impl Iterator<Item = Range<usize>>) {
        self.blocks.extend(blocks.map(|block| (block.start, block.end)));
        if self.blocks.len() > MANY {
            self.floor = self.end();
            self.blocks.clear();
        }
    }
    /// What is before this is in use.
    pub fn floor(&self) -> usize {
        self.floor
    }
    /// The first block from this address on.
    pub fn first_from(&self, from: usize) -> Option<Range<usize>> {
        self.blocks.range(from..).next().map(|(start, end)| *start..*end)
    }
    /// Where the last one ends.
    pub fn end(&self) -> usize {
        self.blocks.last_key_value().map_or(self.floor, |(_, end)| *end)
    }
}

/// A block is freed that is not in the region of this thread.
pub(super) fn release(block: usize) {
    if let Some(number) = region::kept_at(block) {
        FREED[number].lock().unwrap_or_else(PoisonError::into_inner).push(block);
    }
}

const _: () = assert!(SIZE.is_power_of_two());
