//! Which reference counts of the present execution are operations, and what refutes that the others need not be.
//!
//! Invariant: of an object, which is one count, either all changes are operations or none; if it is seen under several
//! types of which only some are [counted](crate::counted), all of them are learnt.

use super::execution::Execution;
use crate::counted::{CountedTypes, hash_of};
use crate::settings::Settings;
use raddle_core::operation::{ObjectId, TaskId};
use std::collections::BTreeMap;

pub(crate) struct Counts {
    counted: CountedTypes,
    /// The hashes of names, by the address of the name: there are several for one name at most.
    hashes: BTreeMap<usize, u64>,
    /// The types under which each count was seen.
    seen: BTreeMap<u32, Vec<u64>>,
    under_way: Vec<Drop>,
}

/// A drop under way: its task, how far that had come, and the object, if this was the last reference to it.
type Drop = (TaskId, (u32, u32), Option<ObjectId>);

impl Counts {
    pub fn new(settings: &Settings) -> Counts {
        let counted = settings.counted.types();
        Counts { counted, hashes: BTreeMap::new(), seen: BTreeMap::new(), under_way: Vec::new() }
    }
    pub fn reset(&mut self) {
        self.seen.clear();
        self.under_way.clear();
    }
}

impl Execution {
    /// The count `object` is touched under the type of this name, in a way that observes it or not. Says whether that is an
    /// operation.
    pub fn is_counted(&mut self, object: ObjectId, name: &'static str, observes: bool) -> bool {
        let Counts { counted, hashes, seen, .. } = &mut self.counts;
        let hash = *hashes.entry(name.as_ptr() as usize).or_insert_with(|| hash_of(name));
        let types = seen.entry(object.0).or_default();
        if !types.contains(&hash) {
            types.push(hash);
        }
        let is_counted = types.iter().any(|name| counted.contains(*name));
        let is_mixed = is_counted && !types.iter().all(|name| counted.contains(*name));
        if is_mixed || observes && !is_counted {
            self.settings.counted.refute(types.iter().copied());
        }
        is_counted
    }

    /// The running task is about to drop a reference; the last one to `object`, if that is given.
    pub fn begin_destructor(&mut self, object: Option<ObjectId>) {
        if !self.is_teardown() {
            let under_way = (self.me(), self.progress(), object);
            self.counts.under_way.push(under_way);
        }
    }

    /// It was dropped. If the destructor did something that others can notice, it matters which task runs it.
    pub fn end_destructor(&mut self) {
        if self.is_teardown() {
            return;
        }
        let me = self.me();
        let Some(at) = self.counts.under_way.iter().rposition(|(task, ..)| *task == me) else { return };
        let (_, progress, object) = self.counts.under_way.remove(at);
        if self.progress() != progress {
            self.refute_destructor(object);
        }
    }

    /// The execution is over. A destructor that is still under way is about to do something that others can notice, as one
    /// that waits for a lock for ever.
    pub fn refute_destructors_under_way(&mut self) {
        for (_, _, object) in std::mem::take(&mut self.counts.under_way) {
            self.refute_destructor(object);
        }
    }

    /// It matters which task destroys `object`, if that is given.
    fn refute_destructor(&self, object: Option<ObjectId>) {
        if let Some(types) = object.and_then(|object| self.counts.seen.get(&object.0)) {
            self.settings.counted.refute(types.iter().copied());
        }
    }
}
