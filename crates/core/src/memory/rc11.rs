//! The predicate of RC11 beyond coherence and atomicity: psc is acyclic.
//!
//! psc = ([SC] ∪ [Fsc];hb?) ; scb ; ([SC] ∪ hb?;[Fsc]) ∪ [Fsc];(hb ∪ hb;eco;hb);[Fsc], with
//! scb = po ∪ po;hb;po ∪ hb|loc ∪ mo ∪ fr. `po` has pairs on one place, too, as in C++20 (without them WWmerge1 has an
//! execution more), and mo and fr are direct (eco would forbid the store forwarding of SB+rfis).
//!
//! On each place eco is a linear order of keys: a store has twice its position in modification order, and what only
//! reads it, one more. A cycle contains an edge that starts at the last event, since the graph was consistent before; it
//! is searched from there.

use super::clocks::Row;
use super::event::{Event, Place};
use super::graph::Graph;

/// Reused buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct Psc {
    /// The key of each event that accesses a place.
    keys: Vec<u32>,
    /// The least key for each place.
    least: Vec<u32>,
    /// The SC events that are reached, by their number, and those whose edges are still to be followed.
    reached: Vec<bool>,
    stack: Vec<u32>,
}

impl Graph {
    /// Whether psc is acyclic, if it was before the last event.
    pub(super) fn is_psc_acyclic(&mut self) -> bool {
        let mut psc = std::mem::take(&mut self.psc);
        self.write_keys(&mut psc.keys);
        let is_acyclic = self.has_no_cycle_through_last(&mut psc);
        self.psc = psc;
        is_acyclic
    }

    fn has_no_cycle_through_last(&self, psc: &mut Psc) -> bool {
        let last = self.events.len() - 1;
        let Psc { keys, least, reached, stack } = psc;
        // A cycle returns to the last event itself, or to an SC fence that happens before it.
        let is_goal = |sc: usize, from_fence_only: bool| {
            self.events[sc].is_sc_fence() && self.happens_before(sc, last) || sc == last && !from_fence_only
        };
        for from_fence_only in [false, true] {
            reached.clear();
            reached.resize(self.sc.len(), false);
            stack.clear();
            for (number, sc) in self.sc.iter().enumerate() {
                let sc = *sc as usize;
                let starts = match from_fence_only {
                    false => self.reaches_by_scb(keys, last, sc),
                    true => self.events[sc].is_sc_fence() && self.reaches_by_eco(keys, last, sc),
                };
                if starts {
                    reached[number] = true;
                    stack.push(number as u32);
                }
            }
            while let Some(number) = stack.pop() {
                let one = self.sc[number as usize] as usize;
                if is_goal(one, from_fence_only) {
                    return false;
                }
                for (number, other) in self.sc.iter().enumerate() {
                    if !reached[number] && self.is_psc_edge(keys, least, one, *other as usize) {
                        reached[number] = true;
                        stack.push(number as u32);
                    }
                }
            }
        }
        true
    }

    /// Writes the key of each event that accesses a place.
    fn write_keys(&self, keys: &mut Vec<u32>) {
        keys.clear();
        keys.resize(self.events.len(), 0);
        for place in (0..self.places()).map(|place| Place(place as u32)) {
            for position in 0..=self.modification_order(place).len() {
                let id = self.store_at(place, position);
                if let Some(at) = id.index() {
                    keys[at] = 2 * position as u32;
                }
                for reader in self.readers(place, id).filter(|at| !self.events[*at].writes()) {
                    keys[reader] = 2 * position as u32 + 1;
                }
            }
        }
    }

    fn are_on_one_place(&self, one: &Event, other: &Event) -> bool {
        one.accesses() && other.accesses() && one.place == other.place
    }
    /// Whether the two are different and the first happens before the second.
    fn is_hb(&self, one: usize, other: usize) -> bool {
        one != other && self.happens_before(one, other)
    }
    /// scb, for different events.
    fn is_scb(&self, keys: &[u32], one: usize, other: usize) -> bool {
        let (x, y) = (&self.events[one], &self.events[other]);
        if one == other {
            return false;
        }
        if x.task == y.task && x.time < y.time {
            return true;
        }
        if self.are_on_one_place(x, y) && (y.writes() && keys[one] < keys[other] || self.is_hb(one, other)) {
            return true;
        }
        // po;hb;po: the successor of the one happens before the predecessor of the other, or is it.
        y.time > 1 && self.clocks.time(y.before as usize - 1, Row::Before, x.task) > x.time
    }
    /// scb ; ([SC] ∪ hb?;[Fsc]), from `one` to the SC event `sc`.
    fn reaches_by_scb(&self, keys: &[u32], one: usize, sc: usize) -> bool {
        self.is_scb(keys, one, sc)
            || self.events[sc].is_sc_fence()
                && (0..self.events.len()).any(|y| self.is_hb(y, sc) && self.is_scb(keys, one, y))
    }
    /// eco;hb, from `one` to the fence `sc`.
    fn reaches_by_eco(&self, keys: &[u32], one: usize, sc: usize) -> bool {
        let is_after =
            |y: usize| self.are_on_one_place(&self.events[one], &self.events[y]) && keys[one] < keys[y];
        (0..self.events.len()).any(|y| self.is_hb(y, sc) && is_after(y))
    }
    /// psc, from an SC event to another.
    fn is_psc_edge(&self, keys: &[u32], least: &mut Vec<u32>, one: usize, other: usize) -> bool {
        if one == other {
            return false;
        }
        match (self.events[one].is_sc_fence(), self.events[other].is_sc_fence()) {
            (false, _) => self.reaches_by_scb(keys, one, other),
            (true, false) => {
                self.is_scb(keys, one, other)
                    || (0..self.events.len()).any(|x| self.is_hb(one, x) && self.is_scb(keys, x, other))
            }
            (true, true) => {
                if self.is_hb(one, other) {
                    return true;
                }
                least.clear();
                least.resize(self.places(), u32::MAX);
                let accesses = || self.events.iter().enumerate().filter(|(_, event)| event.accesses());
                for (x, event) in accesses().filter(|(x, _)| self.is_hb(one, *x)) {
                    let least = &mut least[event.place.index()];
                    *least = (*least).min(keys[x]);
                }
                accesses().any(|(y, event)| self.is_hb(y, other) && least[event.place.index()] < keys[y])
            }
        }
    }
}
