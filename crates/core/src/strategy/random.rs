//! Uniform random: at each point every enabled task is equally likely, then every option of it (of an access to memory that has
//! a model, the first one mostly).
//!
//! Guarantee: an execution with n choices among at most t picks each is drawn with probability at least
//! t^-n. Execution i is the same for every number of workers.

use super::{Decision, Sample, pace};
use crate::random::Rng;
use crate::trace::Trace;
use crate::world::{Point, UniformDraws};

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

impl Sample for Random {
    fn seed(&self) -> u64 {
        self.seed
    }

    fn begin(&mut self, execution: u64) {
        self.rng = Rng::new(self.seed, execution);
    }

    #[inline]
    fn choose(&mut self, _so_far: &Trace, point: &Point<'_>) -> Decision {
        match point.memory() {
            Some(_) => pace::take_any(&mut self.rng, point),
            None => Decision::take(UniformDraws::pick(&mut self.rng, point.enabled(), point.all())),
        }
    }

    fn draws(&self) -> Option<Rng> {
        Some(self.rng.clone())
    }
}
