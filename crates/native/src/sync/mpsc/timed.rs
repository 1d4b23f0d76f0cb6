//! Receives with a deadline. The first argument of such an operation says whether the deadline has passed
//! from the start; its other object is the one that its timer writes, if it has one.

use super::channel::Deadline;
use crate::runtime::objects::view::View;
use crate::runtime::operation::{NO_OBJECT, Op};
use raddle_core::clock::Time;
use raddle_core::operation::{Accesses, Mode};

/// `op` with a deadline.
pub(super) fn until(op: Op, deadline: Option<Deadline>) -> Op {
    match deadline {
        None => op,
        Some(Deadline::Passed) => op.arg(1),
        Some(Deadline::Timer(token)) => op.with(token),
    }
}

/// Whether the deadline of `op` has passed.
pub(super) fn is_over(view: View<'_>, op: &Op) -> bool {
    op.args[0] == 1 || (op.other != NO_OBJECT && view.is_timed_out())
}

/// Whether `op` has no deadline.
pub(super) fn waits_for_ever(op: &Op) -> bool {
    op.other == NO_OBJECT && op.args[0] == 0
}

/// `accesses`, with the timer of `op`; `fewer` includes them, if they would be too many. If the operation is
/// taken before the timer fires, the timer is disarmed, which may make another one the next to fire.
pub(super) fn and_its_timer(view: View<'_>, accesses: Accesses, fewer: Accesses, op: &Op) -> Accesses {
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
