//! The last accesses to each object. Each step keeps those that it found, so that the accesses to an object can be
//! walked back, and steps can be removed at the end.

use super::{Event, Path};
use crate::operation::{Access, Accesses, Mode, ObjectId};

/// The last accesses to an object.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct LastAccesses {
    /// The last step that accessed it, plus 1.
    pub by: u32,
    /// The last step that wrote it, plus 1. A loop that reads one object very often must not be walked back by each of
    /// its steps.
    pub wrote: u32,
}

impl LastAccesses {
    /// The last of them that may conflict with an access of this mode.
    #[inline]
    pub fn before(&self, mode: Mode) -> u32 {
        if mode == Mode::Write { self.by } else { self.wrote }
    }
}

impl Path {
    /// Step `at` accesses an object. Returns the last accesses before it.
    #[inline]
    pub(super) fn note_access(&mut self, at: u32, access: Access) -> LastAccesses {
        let object = access.object.index();
        if object >= self.last_accesses.len() {
            self.meet_object(object);
        }
        let last_accesses = &mut self.last_accesses[object];
        let found = *last_accesses;
        last_accesses.by = at + 1;
        if access.mode == Mode::Write {
            last_accesses.wrote = at + 1;
        }
        found
    }
    /// The same for several accesses.
    #[inline(never)]
    pub(super) fn note_accesses(&mut self, at: u32, accesses: Accesses) -> (LastAccesses, u32) {
        let mut found = [LastAccesses::default(); Accesses::MOST];
        let mut lanes = 0;
        for (lane, access) in accesses.iter().enumerate() {
            lanes = lane + 1;
            found[lane] = self.note_access(at, access);
            if found[lane].by > at {
                // It has accessed the object already, and that access found the earlier ones.
                let (first, mode) = accesses.access_to(access.object).expect("it is one of them");
                found[lane] = found[first];
                if mode == Mode::Write {
                    self.last_accesses[access.object.index()].wrote = at + 1;
                }
            }
        }
        let more = self.found.len() as u32 + 1;
        self.found.extend_from_slice(&found[1..lanes]);
        (found[0], more)
    }
    /// The first access to an object.
    #[cold]
    fn meet_object(&mut self, object: usize) {
        self.last_accesses.resize(object + 1, LastAccesses::default());
    }
    /// The last accesses to `object` before step `at`, and the mode of that step.
    #[inline(always)]
    pub(super) fn found_by(&self, at: usize, object: ObjectId) -> (LastAccesses, Mode) {
        let event = &self.events[at];
        match event.accesses.only() {
            Some(only) => (event.found, only.mode),
            None => self.found_by_one_of_several(event, object),
        }
    }
    #[inline(never)]
    fn found_by_one_of_several(&self, event: &Event, object: ObjectId) -> (LastAccesses, Mode) {
        let (lane, mode) = event.accesses.access_to(object).expect("it is in the list of those who touch it");
        (self.found_in(event, lane), mode)
    }
    #[inline]
    fn found_in(&self, event: &Event, lane: usize) -> LastAccesses {
        if lane == 0 { event.found } else { self.found[event.more as usize + lane - 2] }
    }
    /// The last step that conflicts with everything, plus 1.
    #[inline]
    pub fn last_barrier(&self) -> u32 {
        self.last_barrier
    }
    /// The last such step before step `at`, plus 1.
    #[inline]
    pub fn barrier_before(&self, at: usize) -> u32 {
        self.events[at].barrier
    }
    /// The last step that may conflict with this access, plus 1: reads do not conflict with reads.
    #[inline]
    pub fn last_conflict(&self, access: Access) -> u32 {
        self.last_accesses
            .get(access.object.index())
            .map_or(0, |last_accesses| last_accesses.before(access.mode))
    }
    /// The same for steps before step `at`, which accesses the object, and the mode of that step.
    #[inline]
    pub fn conflict_before(&self, at: usize, access: Access) -> (u32, Mode) {
        let (found, mode) = self.found_by(at, access.object);
        (found.before(access.mode), mode)
    }
    /// Calls `led` with each of the last steps, plus 1, that happen directly before step `at`, or with 0.
    pub fn each_that_led_to(&self, at: usize, mut led: impl FnMut(u32)) {
        let event = &self.events[at];
        led(if event.before > 0 { event.before } else { self.tasks[event.task.index()].born });
        led(event.barrier);
        for access in event.accesses.iter() {
            let (found, mode) = self.found_by(at, access.object);
            let mut next = found.before(mode);
            while next > event.barrier {
                led(next);
                let (found, mode) = self.found_by(next as usize - 1, access.object);
                if mode == Mode::Write {
                    break;
                }
                next = found.by;
            }
        }
    }
}
