//! When a search has used up its time. Real time is read here and nowhere else in a search, from a clock that a test can
//! replace.
//!
//! A search begins no execution after its time, and an execution that is under way is cut a little later: one that is
//! short still counts, and one that is long does not make the search late. Steps may take a nanosecond or a second, so
//! the number of steps between two looks at the clock follows the time that they took.

use std::fmt::Debug;
use std::panic::RefUnwindSafe;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Tells the real time.
pub trait RealClock: Debug + Send + Sync + RefUnwindSafe {
    /// The time since a fixed moment.
    fn now(&self) -> Duration;
}

/// The clock of the operating system.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock;

impl RealClock for SystemClock {
    fn now(&self) -> Duration {
        static BEGUN: OnceLock<Instant> = OnceLock::new();
        BEGUN.get_or_init(Instant::now).elapsed()
    }
}

/// How long an execution may go on after the time of its search.
pub(crate) fn grace(time: Duration) -> Duration {
    (time / 20).max(Duration::from_millis(500))
}

/// The steps between two looks may take so long.
const BETWEEN: Duration = Duration::from_millis(10);
/// The largest number of steps between two looks: steps may become slow at any moment.
const MOST_STEPS: usize = 64;

/// Looks at the clock for one worker.
#[derive(Clone, Debug)]
pub(crate) struct Lookout {
    clock: Arc<dyn RealClock>,
    /// When no further execution begins, and when one that is under way is cut; none for never.
    stop: Option<Duration>,
    cut: Option<Duration>,
    /// How many steps there are between two looks.
    interval: usize,
    /// The time of a slow step. It is forgotten slowly: fast steps and slow ones take turns.
    slow: Duration,
    last: Duration,
    /// How many steps there were since the last look.
    steps: usize,
}

/// What a worker does at this time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Hour {
    /// It goes on.
    Early,
    /// It begins no further execution.
    Stop,
    /// It cuts the present execution.
    Cut,
}

impl Lookout {
    pub fn new(clock: Arc<dyn RealClock>, stop: Option<Duration>, cut: Option<Duration>) -> Lookout {
        Lookout { last: clock.now(), clock, stop, cut, interval: 1, slow: Duration::ZERO, steps: 0 }
    }

    /// How many steps an execution may take before the next look.
    pub fn interval(&self) -> usize {
        if self.is_limited() { self.interval } else { usize::MAX }
    }

    /// Whether executions are cut at some time.
    pub fn is_limited(&self) -> bool {
        self.cut.is_some()
    }

    /// Looks at the clock.
    pub fn look(&mut self) -> Hour {
        let now = self.clock.now();
        let took = now.saturating_sub(self.last) / self.interval as u32;
        self.slow = took.max(self.slow - self.slow / 1_024);
        let fits = BETWEEN.as_nanos() / self.slow.as_nanos().max(1);
        self.interval =
            usize::try_from(fits).unwrap_or(MOST_STEPS).clamp(1, (self.interval * 2).min(MOST_STEPS));
        (self.last, self.steps) = (now, 0);
        let is_after = |time: Option<Duration>| time.is_some_and(|time| time <= now);
        match (is_after(self.cut), is_after(self.stop)) {
            (true, _) => Hour::Cut,
            (false, true) => Hour::Stop,
            (false, false) => Hour::Early,
        }
    }

    /// An execution of so many steps is over. Looks at the clock if it is time to.
    #[inline]
    pub fn after(&mut self, steps: usize) -> Hour {
        // What an execution takes beside its steps is worth a few of them.
        self.steps = self.steps.saturating_add(steps + 8);
        if self.stop.is_some() && self.steps >= self.interval { self.look() } else { Hour::Early }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[derive(Debug, Default)]
    struct Hand(Mutex<Duration>);

    impl RealClock for Hand {
        fn now(&self) -> Duration {
            *self.0.lock().unwrap()
        }
    }

    /// The clock is read often where steps are slow, and seldom where they are fast.
    #[test]
    fn looks_follow_the_time_of_steps() {
        let hand = Arc::new(Hand::default());
        let seconds = Duration::from_secs;
        let mut lookout = Lookout::new(hand.clone(), Some(seconds(2)), Some(seconds(3)));
        for _ in 0..30 {
            assert_eq!(lookout.look(), Hour::Early);
        }
        assert_eq!(lookout.interval(), MOST_STEPS);
        *hand.0.lock().unwrap() = seconds(1);
        assert_eq!((lookout.look(), lookout.interval()), (Hour::Early, 1));
        // It is not forgotten at once.
        assert_eq!((lookout.look(), lookout.interval()), (Hour::Early, 1));
        *hand.0.lock().unwrap() = seconds(2);
        assert_eq!((lookout.look(), lookout.interval()), (Hour::Stop, 1));
        *hand.0.lock().unwrap() = seconds(3);
        assert_eq!(lookout.look(), Hour::Cut);
    }
}
