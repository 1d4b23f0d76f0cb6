//! A strategy that does what another one does and writes down every trace, across splits.

use raddle_core::strategy::{Strategy, Wrapped, Wrapper};
use raddle_core::trace::Trace;
use raddle_core::verdict::Verdict;
use std::sync::{Arc, Mutex};

/// What a spy saw.
pub type Traces = Arc<Mutex<Vec<Trace>>>;

pub struct Spy {
    inside: Box<dyn Strategy>,
    seen: Traces,
}

/// A strategy under observation, and where its traces are written down.
pub fn spy(inside: impl Strategy + 'static) -> (Wrapped<Spy>, Traces) {
    let seen = Traces::default();
    (Wrapped(Spy { inside: Box::new(inside), seen: seen.clone() }), seen)
}

/// The pick sequences of all traces, sorted, as task numbers and options.
pub fn picks(seen: &Traces) -> Vec<Vec<(u32, u32)>> {
    let of = |t: &Trace| t.picks().iter().map(|p| (p.task.0, p.option)).collect();
    let mut all: Vec<Vec<(u32, u32)>> = seen.lock().unwrap().iter().map(of).collect();
    all.sort();
    all
}

impl Wrapper for Spy {
    fn inside(&self) -> &dyn Strategy {
        &*self.inside
    }
    fn inside_mut(&mut self) -> &mut dyn Strategy {
        &mut *self.inside
    }
    fn around(&self, inside: Box<dyn Strategy>) -> Spy {
        Spy { inside, seen: self.seen.clone() }
    }
    fn finish(&mut self, trace: &Trace, verdict: Verdict) {
        self.seen.lock().unwrap().push(trace.clone());
        self.inside.finish(trace, verdict);
    }
}
