//! Uniform random: at each point every enabled task is equally likely, then every option of it.
//!
//! Guarantee: an execution with n choices among at most t picks each is drawn with probability at least
//! t^-n. Execution i is the same for every number of workers.

use super::{Decision, Next, Strategy};
use crate::random::Rng;
use crate::trace::Trace;
use crate::verdict::Extent;
use crate::world::{Pick, Point};

/// Uniform random choice.
#[derive(Clone, Debug)]
pub struct Random {
    seed: u64,
    rng: Rng,
}

impl Random {
    /// Draws with this seed.
    pub fn new(seed: u64) -> Random {
        Random { seed, rng: Rng::new(seed, 0) }
    }
}

impl Strategy for Random {
    fn begin(&mut self, execution: u64) -> Next {
        self.rng = Rng::new(self.seed, execution);
        Next::From(0)
    }

    #[inline]
    fn choose(&mut self, _so_far: &Trace, point: &Point<'_>) -> Decision {
        let enabled = point.enabled();
        let task = match enabled {
            [only] => *only,
            _ => enabled[self.rng.below(enabled.len() as u32) as usize],
        };
        let options = point.pending(task).options;
        let option = if options > 1 { self.rng.below(options) } else { 0 };
        Decision::take(Pick { task, option })
    }

    fn split(&mut self) -> Option<Box<dyn Strategy>> {
        Some(Box::new(self.clone()))
    }

    fn looks_back(&self) -> bool {
        false
    }

    fn extent(&self, executions: u64) -> Extent {
        Extent::Sampled { schedules: executions, seed: self.seed }
    }
}
