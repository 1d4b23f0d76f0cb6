//! Replays the picks of one ticket, once. [`replay`](crate::search::replay) also compares each step with what the ticket
//! expects there.
//!
//! Guarantee: the execution of the ticket, or a divergence. A program that continues after the last pick continues
//! without preemptions.

use super::{Decision, Next, NoPreempt, Observation, Strategy};
use crate::ticket::Ticket;
use crate::trace::Trace;
use crate::verdict::Extent;
use crate::world::{Pick, Point};

/// Replays a ticket.
#[derive(Clone, Debug)]
pub struct Replay {
    picks: Vec<Pick>,
    done: bool,
}

impl Replay {
    /// Replays this ticket.
    pub fn new(ticket: &Ticket) -> Replay {
        Replay { picks: ticket.picks().collect(), done: false }
    }
}

impl Strategy for Replay {
    fn begin(&mut self, _execution: u64) -> Next {
        if std::mem::replace(&mut self.done, true) { Next::Exhausted } else { Next::From(0) }
    }

    fn choose(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision {
        let Some(pick) = self.picks.get(so_far.len()) else {
            return Decision::take(NoPreempt::pick(so_far, point));
        };
        if point.is_enabled(pick.task) && pick.option < point.pending(pick.task).options {
            Decision::take(*pick)
        } else {
            Decision::DIVERGED
        }
    }

    fn observes(&self) -> Observation {
        Observation::Points
    }

    fn extent(&self, _executions: u64) -> Extent {
        Extent::Replayed
    }
}
