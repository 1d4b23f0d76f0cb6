//! A strategy that does what another one does and writes down every trace, across splits.

use raddle_core::strategy::{Decision, Next, Strategy};
use raddle_core::trace::Trace;
use raddle_core::verdict::{Extent, Verdict};
use raddle_core::world::{Ending, Pick, Point};
use std::sync::{Arc, Mutex};

/// What a spy saw.
pub type Traces = Arc<Mutex<Vec<Trace>>>;

pub struct Spy {
    inside: Box<dyn Strategy>,
    seen: Traces,
}

/// A strategy under observation, and where its traces are written down.
pub fn spy(inside: impl Strategy + 'static) -> (Spy, Traces) {
    let seen = Traces::default();
    (Spy { inside: Box::new(inside), seen: seen.clone() }, seen)
}

/// The pick sequences of all traces, sorted, as task numbers and options.
pub fn picks(seen: &Traces) -> Vec<Vec<(u32, u32)>> {
    let of = |t: &Trace| t.picks().iter().map(|p| (p.task.0, p.option)).collect();
    let mut all: Vec<Vec<(u32, u32)>> = seen.lock().unwrap().iter().map(of).collect();
    all.sort();
    all
}

impl Strategy for Spy {
    fn begin(&mut self, execution: u64) -> Next {
        self.inside.begin(execution)
    }
    fn choose(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision {
        self.inside.choose(so_far, point)
    }
    fn over(&mut self, so_far: &Trace, point: &Point<'_>, ending: Ending) {
        self.inside.over(so_far, point, ending);
    }
    fn repeats(&self, trace: &Trace) -> bool {
        self.inside.repeats(trace)
    }
    fn finish(&mut self, trace: &Trace, verdict: Verdict) {
        self.seen.lock().unwrap().push(trace.clone());
        self.inside.finish(trace, verdict);
    }
    fn split(&mut self) -> Option<Box<dyn Strategy>> {
        let inside = self.inside.split()?;
        Some(Box::new(Spy { inside, seen: self.seen.clone() }))
    }
    fn inherited(&self) -> &[Pick] {
        self.inside.inherited()
    }
    fn expects(&self, index: usize) -> Option<&str> {
        self.inside.expects(index)
    }
    fn extent(&self, executions: u64) -> Extent {
        self.inside.extent(executions)
    }
}
