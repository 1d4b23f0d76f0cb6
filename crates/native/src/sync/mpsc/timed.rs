//! Receives that wait only so long. The first argument of such an operation says whether its time is over from
//! the start; its other object is what its timer writes, if it has one.

use super::channel::Deadline;
use crate::runtime::operation::{NO_OBJECT, Op};
use crate::runtime::view::View;
use raddle_core::clock::Time;
use raddle_core::operation::{Accesses, Mode};

/// `op` with a deadline.
pub(super) fn until(op: Op, deadline: Option<Deadline>) -> Op {
    match deadline {
        None => op,
        Some(Deadline::Counterfactual) => op.arg(1),
        Some(Deadline::Timer(token)) => op.with(token),
    }
}

/// Whether the deadline of `op` has passed.
pub(super) fn is_over(view: &View<'_>, op: &Op) -> bool {
    op.args[0] == 1 || (op.other != NO_OBJECT && view.timed_out)
}

/// Whether `op` waits as long as it takes.
pub(super) fn waits_for_ever(op: &Op) -> bool {
    op.other == NO_OBJECT && op.args[0] == 0
}

/// `accesses`, and the timer that `op` waits for; `fewer` includes them, for where there would be too many. If it goes
/// on before that fires, the timer is taken away, which may make another one the next to fire.
pub(super) fn and_its_timer(view: &View<'_>, accesses: Accesses, fewer: Accesses, op: &Op) -> Accesses {
    if op.other == NO_OBJECT {
        return accesses;
    }
    match view.time() {
        Time::Any => {
            let fewer = fewer.first().and(op.other, Mode::Read);
            if is_over(view, op) { fewer } else { fewer.and(view.clock_object(), Mode::Read) }
        }
        Time::Idle if accesses.iter().count() > 2 => fewer.and(op.other, Mode::Read),
        Time::Idle => accesses.and(op.other, Mode::Read),
    }
}
