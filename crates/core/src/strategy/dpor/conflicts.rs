//! A walk back over the steps that conflict with an operation, the latest first.

use super::path::Path;
use crate::operation::{Access, Accesses, Mode};

/// A walk back over the steps that conflict with an operation, the latest first.
#[derive(Clone, Debug, Default)]
pub(in crate::strategy::dpor) struct Conflicts {
    accesses: Accesses,
    /// The same as single accesses.
    each: [Option<Access>; Accesses::MOST],
    /// For each access, and for steps that conflict with everything, the next step to visit, plus 1.
    next: [u32; BARRIERS + 1],
    /// The operation conflicts with everything.
    everything: bool,
    /// The only access, if no step conflicts with everything.
    only: Option<Access>,
    /// Steps that led to steps which happened by themselves.
    more: Vec<u32>,
}

/// The walk over the steps that conflict with everything, after those of the accesses.
const BARRIERS: usize = Accesses::MOST;

/// A conflict at which no walk ends.
const NONE: u16 = 1 << 15;
/// A step that no walk reached: it only led to a conflict.
pub(in crate::strategy::dpor) const LED: u16 = 1 << 14;
/// The only walk, or the first, ends there.
pub(in crate::strategy::dpor) const FIRST: u16 = 1;
/// All walks end there.
const ALL: u16 = (1 << (BARRIERS + 1)) - 1;

impl Conflicts {
    /// Starts the walk back from the end of `path`, where an operation with these accesses comes next.
    #[inline]
    pub fn set_out(&mut self, path: &Path, accesses: Accesses) {
        self.more.clear();
        self.only = accesses.only().filter(|_| path.last_barrier() == 0);
        match self.only {
            Some(only) => self.next[0] = path.last_conflict(only),
            None => self.set_out_on_several(path, accesses),
        }
    }
    fn set_out_on_several(&mut self, path: &Path, accesses: Accesses) {
        let everything = accesses.is_everything();
        let mut next = [0; BARRIERS + 1];
        next[BARRIERS] = if everything { path.len() as u32 } else { path.last_barrier() };
        let mut each = [None; Accesses::MOST];
        for (lane, access) in accesses.iter().enumerate() {
            next[lane] = path.last_conflict(access);
            each[lane] = Some(access);
        }
        (self.accesses, self.each, self.next, self.everything) = (accesses, each, next, everything);
    }
    /// Whether it has one access, and only accesses to its object conflict with it.
    #[inline]
    pub fn is_single(&self) -> bool {
        self.only.is_some()
    }
    /// Whether a walk over the conflicts of one access has no further one.
    #[inline]
    pub fn is_at_end(&self) -> bool {
        self.next[0] == 0 && self.more.is_empty()
    }
    /// The next conflict back, and the walks that reached it.
    #[inline(always)]
    pub fn next(&mut self, path: &Path) -> Option<(usize, u16)> {
        let Some(only) = self.only else { return self.next_of_several(path) };
        let own = self.next[0];
        if !self.more.is_empty()
            && let Some(at) = self.take_more(own)
        {
            return Some((at, LED));
        }
        let at = own.checked_sub(1)? as usize;
        let (next, mode) = path.conflict_before(at, only);
        self.next[0] = next;
        Some((at, if mode == Mode::Write { 1 } else { NONE }))
    }
    #[inline(never)]
    fn next_of_several(&mut self, path: &Path) -> Option<(usize, u16)> {
        loop {
            let own = self.next.iter().copied().fold(0, u32::max);
            if !self.more.is_empty()
                && let Some(at) = self.take_more(own)
            {
                return Some((at, LED));
            }
            let at = own.checked_sub(1)? as usize;
            if self.everything {
                self.next[BARRIERS] = at as u32;
                let ends = path.events[at].accesses.is_everything();
                return Some((at, if ends { ALL } else { NONE }));
            }
            if self.next[BARRIERS] == own {
                self.next[BARRIERS] = path.barrier_before(at);
                return Some((at, ALL));
            }
            if let Some(only) = self.accesses.only() {
                let mode;
                (self.next[0], mode) = path.conflict_before(at, only);
                return Some((at, if mode == Mode::Write { 1 } else { NONE }));
            }
            let mut walks = 0;
            for lane in 0..self.each.len() {
                let Some(access) = self.each[lane].filter(|_| self.next[lane] == own) else { continue };
                let mode;
                (self.next[lane], mode) = path.conflict_before(at, access);
                if access.mode == Mode::Write || mode == Mode::Write {
                    // Before a step that only reads there may be others that it does not depend on.
                    walks |= if mode == Mode::Write { 1 << lane } else { NONE };
                }
            }
            if walks != 0 {
                return Some((at, walks));
            }
        }
    }
    /// Step `at` happened by itself: the steps that led to it are visited, too.
    #[cold]
    pub fn lead_to(&mut self, path: &Path, at: usize) {
        path.each_that_led_to(at, |earlier| self.more.push(earlier));
    }
    /// The latest of the steps that led to others, if no other conflict is later.
    #[cold]
    fn take_more(&mut self, own: u32) -> Option<usize> {
        let at = self.more.iter().copied().max()?;
        if at == 0 || at < own {
            return None;
        }
        self.more.retain(|other| *other < at);
        (at > own).then_some(at as usize - 1)
    }
    /// All earlier conflicts of these walks are known to happen before.
    #[inline]
    pub fn retire(&mut self, walks: u16) {
        if self.only.is_some() {
            self.next[0] = if walks & 1 != 0 { 0 } else { self.next[0] };
            return;
        }
        for lane in 0..self.next.len() {
            if walks & 1 << lane != 0 {
                self.next[lane] = 0;
            }
        }
    }
}
