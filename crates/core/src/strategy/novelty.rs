//! Whether an execution is equivalent to an earlier one: the same steps in the same order on every object.
//!
//! A behaviour is a hash, independent of the order of steps that do not access the same object. Hashes are stored as
//! bits of a small table, so a new behaviour is sometimes taken for an old one; when half of the bits are set, the
//! table is cleared.

use crate::operation::Mode;
use crate::trace::Trace;

const BITS: usize = 1 << 16;

/// The behaviours seen so far.
#[derive(Clone, Debug)]
pub(super) struct Novelty {
    seen: Vec<u64>,
    set: usize,
    /// By object: a hash of its operations, in order.
    histories: Vec<u64>,
}

fn mix(a: u64, b: u64) -> u64 {
    let x = (a.rotate_left(23) ^ b).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^ (x >> 29)
}

impl Novelty {
    pub fn new() -> Novelty {
        Novelty { seen: vec![0; BITS / 64], set: 0, histories: Vec::new() }
    }

    /// Whether no trace like `trace` was seen before. Adds it.
    pub fn is_new(&mut self, trace: &Trace) -> bool {
        let hash = self.hash(trace);
        let (word, bit) = ((hash >> 6) as usize % self.seen.len(), 1 << (hash & 63));
        if self.seen[word] & bit != 0 {
            return false;
        }
        if self.set == BITS / 2 {
            self.seen.fill(0);
            self.set = 0;
        }
        self.seen[word] |= bit;
        self.set += 1;
        true
    }

    fn hash(&mut self, trace: &Trace) -> u64 {
        self.histories.clear();
        let mut sum = 0u64;
        for step in trace.steps().iter().filter(|s| !s.by_itself) {
            let what = mix((step.task.0 as u64) << 32 | step.site() as u64, step.option as u64 + 1);
            if step.option > 0 {
                sum = sum.wrapping_add(what);
            }
            for access in step.accesses.iter() {
                let at = access.object.index();
                if self.histories.len() <= at {
                    self.histories.resize(at + 1, 0);
                }
                let history = &mut self.histories[at];
                // A read depends on the writes before it; the order of reads does not matter.
                match access.mode {
                    Mode::Write => *history = mix(*history, what),
                    Mode::Read => sum = sum.wrapping_add(mix(*history, what)),
                }
            }
        }
        self.histories.iter().fold(mix(sum, 1), |hash, history| mix(hash, *history))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::{Accesses, ObjectId, TaskId};
    use crate::world::{Manner, Pending, Pick, Point};

    fn trace(steps: &[(u32, Accesses)]) -> Trace {
        let mut trace = Trace::new();
        for (task, accesses) in steps {
            let mut pending = [Pending::NOTHING; 3];
            let signature = task << 16;
            let one = Pending { accesses: *accesses, options: 1, signature, manner: Manner::Ordinary };
            pending[*task as usize] = one;
            let enabled = [TaskId(*task)];
            trace.push(Pick { task: TaskId(*task), option: 0 }, &Point::new(&enabled, &pending));
        }
        trace
    }

    #[test]
    fn only_the_order_of_conflicting_steps_counts() {
        let (x, y) = (ObjectId(0), ObjectId(1));
        let (write, read, apart) = ((0, Accesses::write(x)), (1, Accesses::read(x)), (2, Accesses::write(y)));
        let mut novelty = Novelty::new();
        assert!(novelty.is_new(&trace(&[write, read, apart])));
        assert!(!novelty.is_new(&trace(&[apart, write, read])));
        assert!(novelty.is_new(&trace(&[apart, read, write])));
        assert!(!novelty.is_new(&trace(&[read, write, apart])));
        let (a, b) = ((1, Accesses::read(x)), (2, Accesses::read(x)));
        assert!(novelty.is_new(&trace(&[write, a, b])));
        assert!(!novelty.is_new(&trace(&[write, b, a])));
    }
}
