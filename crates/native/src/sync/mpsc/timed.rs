//! Receives that wait only so long. The first argument of such an operation says whether its time is over from
//! the start; its other object is what its timer writes, if it has one.

use super::channel::Deadline;
use crate::runtime::execution::Execution;
use crate::runtime::operation::{NO_OBJECT, Op};
use raddle_core::clock::Time;
use raddle_core::operation::{Accesses, Mode};

/// `op` with a deadline.
pub(super) fn until(op: Op, deadline: Option<Deadline>) -> Op {
    match deadline {
        None => op,
        Some(Deadline::Past) => op.arg(1),
        Some(Deadline::Timer(token)) => op.with(token),
    }
}

/// Whether the deadline of `op` has passed.
pub(super) fn is_over(e: &Execution, op: &Op) -> bool {
    op.args[0] == 1 || (op.other != NO_OBJECT && e.task(op.task).timed_out)
}

/// `accesses`, and the timer that `op` waits for. If it goes on before that fires, the timer is taken away,
/// which may make another one the next to fire.
pub(super) fn and_its_timer(e: &Execution, accesses: Accesses, op: &Op) -> Accesses {
    if op.other == NO_OBJECT {
        return accesses;
    }
    let accesses = accesses.and(op.other, Mode::Read);
    match e.settings.time {
        Time::Any if !is_over(e, op) => accesses.and(e.clock_object, Mode::Read),
        _ => accesses,
    }
}
