//! The virtual clock: no real time passes in an execution.
//!
//! Timers fire in the order of their deadlines and readings never go back. A [`Time`] policy decides when
//! timers may fire relative to other tasks.

use crate::operation::TaskId;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// When timers may fire.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Time {
    /// The earliest deadline fires, and only when no other task is enabled: no false alarm about a five-second timeout.
    #[default]
    Idle,
    /// The earliest deadline may fire at any point: no behaviour is missed.
    Any,
}

impl Time {
    /// Every policy, with its name.
    pub const ALL: [(Time, &str); 2] = [(Time::Idle, "idle"), (Time::Any, "any")];
}

/// The virtual clock of one execution and the timers set on it.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    now: Duration,
    /// Ascending by deadline; equal deadlines in the order they were set.
    timers: Vec<(Duration, TaskId)>,
    /// How far the clock advances when only loops that read it are enabled.
    stride: Duration,
}

impl Clock {
    /// The clock stops here for loops that read it and still do not end: a century.
    const END_OF_STROLLS: Duration = Duration::from_secs(100 * 366 * 86_400);
    const FIRST_STRIDE: Duration = Duration::from_micros(50);

    /// Resets the clock to zero and removes all timers.
    pub fn reset(&mut self) {
        self.now = Duration::ZERO;
        self.timers.clear();
        self.stride = Self::FIRST_STRIDE;
    }
    /// Virtual time since the execution began.
    #[inline]
    pub fn now(&self) -> Duration {
        self.now
    }
    /// Sets a timer, which is the task `timer`. A deadline too far in the future counts as never.
    pub fn arm(&mut self, timer: TaskId, after: Duration) {
        let deadline = self.now.saturating_add(after);
        if deadline == Duration::MAX {
            return;
        }
        let at = self.timers.partition_point(|(d, _)| *d <= deadline);
        self.timers.insert(at, (deadline, timer));
    }
    /// Removes a timer; no effect if it has fired or was never set.
    pub fn disarm(&mut self, timer: TaskId) {
        self.timers.retain(|(_, t)| *t != timer);
    }
    /// The timers with the earliest deadline.
    pub fn next(&self) -> impl Iterator<Item = TaskId> + '_ {
        let first = self.timers.first().map(|(d, _)| *d);
        self.timers.iter().take_while(move |(d, _)| Some(*d) == first).map(|(_, t)| *t)
    }
    /// Whether no timer is set.
    #[inline]
    pub fn is_quiet(&self) -> bool {
        self.timers.is_empty()
    }
    /// Fires `timer`: the clock jumps to its deadline.
    pub fn fire(&mut self, timer: TaskId) {
        if let Some(at) = self.timers.iter().position(|(_, t)| *t == timer) {
            self.now = self.now.max(self.timers.remove(at).0);
        }
    }
    /// Whether the clock stands at its last moment, which no stroll leaves.
    pub fn is_at_its_end(&self) -> bool {
        self.now >= Self::END_OF_STROLLS
    }
    /// The clock moves by itself. Timers whose deadline has passed fire late.
    pub fn advance(&mut self, by: Duration) {
        self.now = self.now.saturating_add(by);
    }
    /// Only loops that read the clock are enabled: the clock advances, further each time, so that waiting for an hour
    /// takes few rounds.
    pub fn stroll(&mut self) {
        self.now = self.now.saturating_add(self.stride).min(Self::END_OF_STROLLS.max(self.now));
        self.stride = self.stride.saturating_mul(2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: TaskId = TaskId(1);
    const B: TaskId = TaskId(2);
    const C: TaskId = TaskId(3);

    #[test]
    fn timers_fire_in_deadline_order_and_ties_are_a_choice() {
        let mut clock = Clock::default();
        clock.reset();
        clock.arm(A, Duration::from_secs(2));
        clock.arm(B, Duration::from_secs(1));
        clock.arm(C, Duration::from_secs(1));
        assert_eq!(clock.next().collect::<Vec<_>>(), [B, C]);
        clock.fire(C);
        clock.fire(B);
        assert_eq!(clock.now(), Duration::from_secs(1));
        assert_eq!(clock.next().collect::<Vec<_>>(), [A]);
        clock.disarm(A);
        assert!(clock.is_quiet());
    }

    #[test]
    fn a_timer_whose_deadline_has_passed_fires_late() {
        let mut clock = Clock::default();
        clock.reset();
        clock.arm(A, Duration::from_secs(2));
        clock.advance(Duration::from_secs(5));
        assert_eq!(clock.next().collect::<Vec<_>>(), [A]);
        clock.fire(A);
        assert_eq!(clock.now(), Duration::from_secs(5));
    }

    #[test]
    fn a_timer_that_never_fires_is_not_set() {
        let mut clock = Clock::default();
        clock.reset();
        clock.arm(A, Duration::MAX);
        assert!(clock.is_quiet());
    }

    #[test]
    fn strolling_reaches_an_hour_in_few_rounds() {
        let mut clock = Clock::default();
        clock.reset();
        let rounds = (1..).find(|_| {
            clock.stroll();
            clock.now() >= Duration::from_secs(3600)
        });
        assert!(rounds.unwrap() < 40);
    }
}
