//! Values that must be dropped before their execution ends: see [`crate::alloc::Track`].
//!
//! Invariant: a value is listed from when it is tracked until it is dropped.

use raddle_core::fact::{Fact, Relation};
use raddle_core::verdict::{Cause, Defect};
use std::panic::Location;

/// The tracked values of one execution.
#[derive(Default)]
pub(crate) struct Tracked {
    alive: Vec<(u64, &'static str, &'static Location<'static>)>,
    /// How many there were.
    number: u64,
}

impl Tracked {
    pub fn reset(&mut self) {
        self.alive.clear();
        self.number = 0;
    }
    /// A value of this type is tracked from here on. Returns its number, from 1.
    pub fn add(&mut self, name: &'static str, place: &'static Location<'static>) -> u64 {
        self.number += 1;
        self.alive.push((self.number, name, place));
        self.number
    }
    /// The value of this number is dropped.
    pub fn remove(&mut self, number: u64) {
        self.alive.retain(|(n, _, _)| *n != number);
    }
    /// What was not dropped.
    pub fn leak(&self) -> Option<Defect> {
        let (_, first, _) = self.alive.first()?;
        let mut defect = Defect::of(Cause::Leak { values: self.alive.len(), first: (*first).to_owned() });
        for (_, name, place) in self.alive.iter().take(10) {
            defect = defect.with(Fact::new(Relation::Made).object(*name).at(Some((*place).into())));
        }
        Some(defect)
    }
}
