//! `std::sync::Barrier`. The tasks of its object are those that wait in this round. A `wait` is an arrival
//! and, for all but the last task, a `pass` once the round is complete. A `pass` acquires the clock of the
//! round's completion, and nothing of arrivals in the next round.

use crate::label::{Labelled, Sealed};
use crate::runtime::context;
use crate::runtime::log::{Effect, Sync as Synchronises};
use crate::runtime::memory::overlay::here;
use crate::runtime::objects::Identity;
use crate::runtime::operation::{Evaluation, Op, OperationKind};
use raddle_core::operation::{Accesses, ObjectId};
use std::fmt;
use std::panic::Location;

const KIND: &str = "Barrier";

static WAIT: OperationKind = OperationKind::write("wait");
/// The last arrival notifies the others and passes them its line as an argument.
static PASS: OperationKind =
    OperationKind::new("pass", |view, op| Evaluation::when(view.is_notified(), Accesses::read(op.object)))
        .same_accesses();

/// See [`std::sync::Barrier`].
pub struct Barrier {
    identity: Identity,
    size: usize,
    /// Used by threads outside of explorations only.
    outside: std::sync::Barrier,
}

/// See [`std::sync::BarrierWaitResult`].
pub struct BarrierWaitResult {
    is_leader: bool,
}

impl Barrier {
    /// See [`std::sync::Barrier::new`].
    #[inline]
    pub const fn new(n: usize) -> Barrier {
        Barrier { identity: Identity::new(), size: n, outside: std::sync::Barrier::new(n) }
    }

    /// See [`std::sync::Barrier::wait`].
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        let this = here(self);
        let Some(current) = context::current() else {
            this.identity.used_outside();
            return BarrierWaitResult { is_leader: this.outside.wait().is_leader() };
        };
        let place = Location::caller();
        let barrier = current.object(&this.identity, KIND, [0; 2]);
        current.perform(Op::new(&WAIT, barrier, place));
        let is_leader = current.with(|e| {
            let me = e.me();
            let arrived = e.queue_mut(barrier);
            if arrived.len() + 1 < this.size {
                arrived.push(me);
                return false;
            }
            let meeting = e.present_line();
            while let Some(id) = e.queue_mut(barrier).pop() {
                e.notify(id, meeting);
            }
            e.touch(barrier);
            true
        });
        if is_leader {
            current.did(Effect::Word("the last"), Synchronises::Meet);
            return BarrierWaitResult { is_leader };
        }
        current.did(Effect::None, Synchronises::Release);
        current.perform(Op::new(&PASS, barrier, place));
        let meeting = current.with(|e| e.take_notified().unwrap_or_default());
        current.did(Effect::None, Synchronises::Learn(meeting));
        BarrierWaitResult { is_leader }
    }
}

impl fmt::Debug for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Barrier").finish_non_exhaustive()
    }
}

impl BarrierWaitResult {
    /// See [`std::sync::BarrierWaitResult::is_leader`].
    #[must_use]
    pub fn is_leader(&self) -> bool {
        self.is_leader
    }
}

impl fmt::Debug for BarrierWaitResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BarrierWaitResult").field("is_leader", &self.is_leader()).finish()
    }
}

impl Labelled for Barrier {}
impl Sealed for Barrier {
    #[track_caller]
    fn labelled_object(&self) -> Option<ObjectId> {
        context::current().map(|current| current.object(&here(self).identity, KIND, [0; 2]))
    }
}
