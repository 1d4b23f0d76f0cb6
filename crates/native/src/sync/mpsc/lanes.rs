//! What the operations on a channel without bound touch, as finely as they can be told apart.
//!
//! Behind the object of such a channel stand others: one for its senders and one for each of its messages, of which
//! there are a few that are used in turn. To send writes the channel, which brings the messages in order, and the
//! place of its message; to receive one touches that place alone. So a receive depends on the send of what it
//! receives and on no other. What senders do may be counted, and counting commutes: they read the object for them.
//! Whoever can tell how many messages or senders there are writes it: a receive that does not wait, or not for ever,
//! and one that has waited in vain, which comes after all that senders did.

use super::channel::{KIND, UNBOUNDED};
use crate::runtime::execution::Execution;
use crate::runtime::operation::Op;
use raddle_core::operation::{Access, Accesses, Mode, ObjectId};

/// How many places there are. Messages that share one conflict without need.
const PLACES: u32 = 8;

/// The objects of a channel without bound.
#[derive(Clone, Copy)]
pub(super) struct Lanes(ObjectId);

/// Marks operations on channels without bound: their second argument.
const WITHOUT_BOUND: u64 = 1;

/// `op`, on a channel of this capacity.
#[inline(always)]
pub(super) fn on(mut op: Op, capacity: u64) -> Op {
    op.args[1] = if capacity == UNBOUNDED { WITHOUT_BOUND } else { 0 };
    op
}

/// The objects that `op` may touch, if its channel has no bound.
#[inline(always)]
pub(super) fn of(op: &Op) -> Option<Lanes> {
    (op.args[1] == WITHOUT_BOUND).then_some(Lanes(op.object))
}

/// The objects behind a channel that was just made.
pub(super) fn add_to(e: &mut Execution, channel: ObjectId) {
    for number in 1..PLACES + 2 {
        let object = e.objects.add("part of a channel", e.current, number, [0; 2]);
        debug_assert_eq!(object.0, channel.0 + number);
    }
}

impl Lanes {
    fn senders(self) -> ObjectId {
        ObjectId(self.0.0 + 1)
    }
    fn place(self, message: u32) -> ObjectId {
        ObjectId(self.0.0 + 2 + message % PLACES)
    }
    /// The next message, with this number, is sent.
    #[inline]
    pub fn send(self, message: u32) -> Accesses {
        Accesses::write(self.0).and(self.place(message), Mode::Write).and(self.senders(), Mode::Read)
    }
    /// Message number `message` is received, or waited for.
    #[inline]
    pub fn receive(self, message: u32) -> Accesses {
        Accesses::write(self.place(message))
    }
    /// It is seen whether there is a message, or any sender.
    #[inline]
    pub fn look(self) -> Accesses {
        Accesses::write(self.senders())
    }
    /// The end of a sender.
    #[inline]
    pub fn drop_sender(self) -> Accesses {
        Accesses::read(self.senders())
    }
}

/// What a task touches besides that waits for `object` to change, if that is a channel without bound: it may be the
/// end of a sender.
pub(crate) fn counted(e: &Execution, object: ObjectId) -> Option<Access> {
    (e.objects[object].kind == KIND).then_some(Access { object: Lanes(object).senders(), mode: Mode::Write })
}
