//! Numbers the sites of a program in the order in which they are first seen.
//!
//! Strategies that learn keep tables by site. What they decide must not depend on the value of a signature, only on
//! this order: then a seed gives the same schedules in every process.

/// The sites seen so far.
#[derive(Clone, Debug)]
pub(super) struct Sites {
    /// By site: its number plus 1, or 0.
    numbers: Vec<u16>,
    count: u16,
}

impl Sites {
    pub fn new() -> Sites {
        Sites { numbers: vec![0; 1 << 16], count: 0 }
    }
    /// The number of a site, from 0. The last number is shared by all that come too late.
    #[inline]
    pub fn number(&mut self, site: u16) -> usize {
        let number = &mut self.numbers[site as usize];
        if *number == 0 {
            self.count = self.count.saturating_add(1);
            *number = self.count;
        }
        *number as usize - 1
    }
    /// How many there are.
    pub fn len(&self) -> usize {
        self.count as usize
    }
}
