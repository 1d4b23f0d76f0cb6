//! The legs of the way to where somebody comes before a step that would have been taken [early](super::super::early).

use super::super::clock::Clock;
use super::super::names::Name;
use super::{Move, knows};
use crate::operation::{Accesses, TaskId};

/// A step that comes before one that would have been taken early.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in super::super) struct Leg {
    pub step: Move,
    /// Where it was in the execution in which this was found.
    pub at: u32,
    pub task: TaskId,
    /// It is its task's how-manieth.
    pub time: u32,
    /// What it touched in the execution in which this was found. Objects may have other numbers now.
    pub accesses: Accesses,
    /// During which step its task was born: whose, and its how-manieth.
    pub born: Option<(Name, u32)>,
    pub kind: LegKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum LegKind {
    Step,
    ByItself,
    /// It is not to be taken: its task was about to.
    Beyond,
    /// Nor is this: whoever comes next must conflict with it, too.
    Asleep,
    /// Nor this: something on the way conflicts with it.
    Woken,
}

impl Leg {
    /// Whether somebody's how-manieth operation, with these accesses, comes before it if it is waited for.
    pub fn is_woken_by(&self, name: Name, time: u32, accesses: Accesses) -> bool {
        accesses.conflict(self.accesses) && (self.step.name, self.time) != (name, time)
    }
}

impl LegKind {
    /// Whether somebody has to come before it.
    pub fn sleeps(self) -> bool {
        matches!(self, LegKind::Asleep | LegKind::Woken)
    }
}

/// Those legs behind the first `depth` steps that the clock knows, and of each task the first that it does not.
pub(super) fn route<'a>(legs: &'a [Leg], depth: u32, clock: &'a [Clock]) -> impl Iterator<Item = Leg> + 'a {
    let behind = legs.iter().filter(move |leg| !leg.kind.sleeps() && leg.at > depth);
    behind.filter_map(move |leg| match knows(clock, leg.task, leg.time) {
        true => Some(*leg),
        false => {
            let before = leg.time - 1;
            let is_next = before == 0
                || knows(clock, leg.task, before)
                || legs
                    .iter()
                    .all(|l| l.kind.sleeps() || l.task != leg.task || l.time >= leg.time || l.at <= depth);
            is_next.then_some(Leg { kind: LegKind::Beyond, ..*leg })
        }
    })
}
