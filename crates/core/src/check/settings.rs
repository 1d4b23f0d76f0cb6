//! How to check: the settings of a search that do not depend on the world.

use super::SearchKind;
use crate::limits::{LONGEST, MOST_CHANGES, MOST_STEPS, MOST_WORKERS};
use crate::search::{Budget, OnFailure, RealClock, Saved, SystemClock};
use crate::strategy::{Bounds, Replay, Sampler, Strategy};
use crate::ticket::Ticket;
use crate::verdict::thousands;
use std::sync::Arc;
use std::time::Duration;

/// `500ms`, `10s`, `2m`, `1h`, or a number of seconds.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let at = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(at);
    let number: u64 = number.parse().map_err(|_| "it takes a time such as `10s` or `2m`".to_owned())?;
    let millis = match unit {
        "ms" => 1,
        "" | "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return Err(format!("`{unit}` is no unit of time; it takes ms, s, m or h")),
    };
    match number.checked_mul(millis) {
        Some(0) => Err("no time at all is not enough".to_owned()),
        Some(millis) if millis <= LONGEST.as_millis() as u64 => Ok(Duration::from_millis(millis)),
        _ => Err(format!("that is too long; at most {} hours are possible", LONGEST.as_secs() / 3600)),
    }
}

/// The setting of tickets that says how many steps an execution may take.
pub const STEPS: &str = "steps";

/// The setting of tickets that says which memory model an execution follows; sequential consistency if it is missing.
pub const MEMORY: &str = "memory";

/// What to do where the reduction could not decide how to continue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Undecided {
    /// Depth-first search decides, from the start.
    #[default]
    FallBack,
    /// The coverage reports it.
    Report,
}

/// Whether a failing schedule is simplified.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Simplify {
    /// The same failure with as few preemptions, options, tasks and steps as are found to be needed.
    #[default]
    Yes,
    /// The schedule as it was found.
    No,
}

/// How to check a program.
#[derive(Clone, Debug)]
pub struct Check {
    /// How to search.
    pub kind: SearchKind,
    /// How many schedules a sampler draws.
    pub schedules: u64,
    /// Which executions are explored.
    pub bounds: Bounds,
    /// The bound on preemptions grows, up to that of the bounds.
    pub growing: bool,
    /// The seed of random choices.
    pub seed: u64,
    /// How many operating-system threads explore.
    pub workers: usize,
    /// The stack of each worker beside the calling thread, in bytes; none as usual.
    pub stack: Option<usize>,
    /// The budget of the search. Its number of executions limits every kind of search.
    pub budget: Budget,
    /// What to do about a failure.
    pub on_failure: OnFailure,
    /// Whether a failing schedule is simplified.
    pub simplify: Simplify,
    /// What to do where the reduction could not decide how to continue.
    pub undecided: Undecided,
    /// The name of the test, for tickets.
    pub test: Option<String>,
    /// One schedule to replay instead of searching.
    pub replay: Option<Arc<Ticket>>,
    /// A stopped search to resume.
    pub resume: Option<Box<Saved>>,
    /// How often the search saves itself while it goes on; none for never.
    pub checkpoint: Option<Duration>,
    /// The clock of the time limit.
    pub clock: Arc<dyn RealClock>,
    /// For tests: the reduction never decides.
    #[cfg(test)]
    pub(super) never_decides: bool,
}

impl Default for Check {
    fn default() -> Check {
        Check {
            kind: SearchKind::Exhaustive,
            schedules: Check::SCHEDULES,
            bounds: Bounds::default(),
            growing: false,
            seed: 0,
            workers: 1,
            stack: None,
            budget: Budget::default(),
            on_failure: OnFailure::Stop,
            simplify: Simplify::Yes,
            undecided: Undecided::FallBack,
            test: None,
            replay: None,
            resume: None,
            checkpoint: Some(Check::CHECKPOINT),
            clock: Arc::new(SystemClock),
            #[cfg(test)]
            never_decides: false,
        }
    }
}

impl Check {
    /// The default number of sampled schedules.
    pub const SCHEDULES: u64 = 10_000;
    /// The default time between two checkpoints of a search.
    pub const CHECKPOINT: Duration = Duration::from_secs(30);

    /// A search of this kind.
    pub fn new(kind: SearchKind) -> Check {
        Check { kind, ..Check::default() }
    }

    /// Replays a ticket. The step limit comes from the ticket; the other settings are the world's.
    pub fn follow(&mut self, ticket: Ticket) -> Result<(), String> {
        if let Some(steps) = ticket.settings.get(STEPS) {
            self.budget.steps =
                steps.parse().map_err(|_| format!("the ticket's setting `{STEPS}={steps}` is no number"))?;
        }
        self.replay = Some(Arc::new(ticket));
        Ok(())
    }

    /// Whether the bound on preemptions grows.
    pub fn is_growing(&self) -> bool {
        self.kind.can_grow() && (self.growing || self.kind == SearchKind::Iterative)
    }

    /// Whether a partial-order reduction explores.
    pub(super) fn is_reduced(&self) -> bool {
        self.replay.is_none() && self.kind.is_reduced()
    }

    /// Refuses numbers that no machine is made for, with the limit.
    pub(super) fn are_numbers_in_range(&self) -> Result<(), String> {
        let parameter = match self.kind {
            SearchKind::Sampled(Sampler::Pct(number) | Sampler::Swarm(number)) => number,
            _ => 0,
        };
        let numbers = [
            ("workers", self.workers, MOST_WORKERS),
            ("change points of a sampler", parameter as usize, MOST_CHANGES),
            ("steps", self.budget.steps, MOST_STEPS),
        ];
        if let Some((what, number, most)) = numbers.into_iter().find(|(_, number, most)| number > most) {
            let [number, most] = [number, most].map(|n| thousands(n as u64));
            return Err(format!("{number} {what} are too many; at most {most} are possible"));
        }
        let times = [("time limit", self.budget.time), ("time between two checkpoints", self.checkpoint)];
        if let Some((what, _)) = times.into_iter().find(|(_, time)| time.is_some_and(|time| time > LONGEST)) {
            return Err(format!(
                "the {what} is too long; at most {} hours are possible",
                LONGEST.as_secs() / 3600
            ));
        }
        // A search of nothing would pass.
        let is_drawn = self.kind.draws() && self.replay.is_none();
        let nothings = [
            ("schedules", is_drawn && self.schedules == 0),
            ("executions", self.budget.executions == Some(0)),
            ("steps", self.budget.steps == 0),
            ("workers", self.workers == 0),
        ];
        match nothings.into_iter().find(|(_, is_nothing)| *is_nothing) {
            Some((what, _)) => Err(format!("0 {what} are no search; at least 1 is needed")),
            None => Ok(()),
        }
    }
    /// The strategy within `bounds`; executions with at most `explored` preemptions are explored already.
    pub(super) fn strategy(&self, bounds: Bounds, explored: Option<u32>) -> Box<dyn Strategy> {
        if let Some(ticket) = &self.replay {
            return Box::new(Replay::new(ticket));
        }
        #[cfg(test)]
        if self.never_decides && self.is_reduced() {
            return Box::new(super::tests::NeverDecides { asked: false });
        }
        self.kind.strategy(bounds, explored, self.seed)
    }

    /// Whether the first failure may not be one with few preemptions.
    pub(super) fn may_have_a_simpler_schedule(&self) -> bool {
        let unordered = self.kind.is_sampled() || self.kind == SearchKind::Exhaustive && !self.is_growing();
        self.simplify == Simplify::Yes && unordered && self.replay.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(parse_duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_duration("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(parse_duration("7"), Ok(Duration::from_secs(7)));
        assert!(
            ["0s", "soon", "3d", "99999999999999999999s", "87601h"]
                .iter()
                .all(|text| parse_duration(text).is_err())
        );
    }
}
