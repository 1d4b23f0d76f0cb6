//! The locks and channels of litmus programs: when operations are enabled, what they access, and what they do.

use raddle_core::operation::{Accesses, ObjectId};
use std::collections::VecDeque;
use trace_classes::litmus::Op;

/// Their state.
#[derive(Clone, Default)]
pub struct Objects {
    holder: [Option<usize>; 2],
    writer: [Option<usize>; 2],
    readers: [Vec<usize>; 2],
    messages: VecDeque<u64>,
}

impl Objects {
    /// What an operation that is none of memory accesses, and whether it is enabled.
    pub fn evaluate(&self, task: usize, op: Op) -> (Accesses, bool) {
        let object = |kind: u32, number: usize| ObjectId(2 * kind + number as u32);
        let (mutex, rw, channel) = (|l| object(0, l), |l| object(1, l), object(2, 0));
        match op {
            Op::Lock(l) => (Accesses::write(mutex(l)), self.holder[l].is_none()),
            Op::TryLock(l) if self.holder[l].is_some() => (Accesses::read(mutex(l)), true),
            Op::TryLock(l) => (Accesses::write(mutex(l)), true),
            Op::Unlock(l) if self.holder[l] == Some(task) => (Accesses::write(mutex(l)), true),
            Op::Read(l) => (Accesses::read(rw(l)), self.writer[l].is_none()),
            Op::ReadUnlock(l) => (Accesses::read(rw(l)), true),
            Op::Write(l) => (Accesses::write(rw(l)), self.writer[l].is_none() && self.readers[l].is_empty()),
            Op::WriteUnlock(l) => (Accesses::write(rw(l)), true),
            Op::Send(..) => (Accesses::write(channel), true),
            Op::Receive(_) => (Accesses::write(channel), !self.messages.is_empty()),
            Op::Stuck => (Accesses::NONE, false),
            Op::Barrier => (Accesses::EVERYTHING_THERE_IS, true),
            _ => (Accesses::NONE, true),
        }
    }
    /// It happens. Returns what it reads.
    pub fn apply(&mut self, task: usize, op: Op) -> u64 {
        match op {
            Op::Lock(l) => self.holder[l] = Some(task),
            Op::TryLock(l) => {
                let is_free = self.holder[l].is_none();
                self.holder[l].get_or_insert(task);
                return is_free as u64;
            }
            Op::Unlock(l) if self.holder[l] == Some(task) => self.holder[l] = None,
            Op::Read(l) => self.readers[l].push(task),
            Op::ReadUnlock(l) => self.readers[l].retain(|reader| *reader != task),
            Op::Write(l) => self.writer[l] = Some(task),
            Op::WriteUnlock(l) => self.writer[l] = None,
            Op::Send(_, value) => self.messages.push_back(value),
            Op::Receive(_) => return self.messages.pop_front().expect("it is not blocked"),
            _ => {}
        }
        0
    }
}
