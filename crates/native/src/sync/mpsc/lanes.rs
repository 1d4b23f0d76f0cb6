//! What the operations on a channel touch, as finely as they can be told apart.
//!
//! Behind the object of a channel stand others: one for each of its messages, of which there are a few that are used in
//! turn, one for the ends of its senders, one for all that senders do, and one for its receiver where there is a bound.
//! To send writes the channel, which brings the messages in order, and the place of its message; to receive one touches
//! that place. So a receive depends on the send of what it receives and on no other, and where there is a bound on the
//! send that waits for its place: the number of places divides the capacity. Only the last end of a sender can be
//! noticed, by a receive that finds nothing, and which one is the last depends on their order; but counting commutes, so
//! ends read their object and whoever can tell writes it. That has to be so even if it finds a message: what it touches
//! must not depend on something else than what it would come before.
//!
//! Where the order of messages that nobody receives is left open ([`Observers`](crate::Observers)), sends behind those
//! only read the channel, and commute with each other.

use super::channel::{BOUNDED_KIND, KIND, UNBOUNDED};
use crate::runtime::execution::Execution;
use crate::runtime::operation::Op;
use raddle_core::operation::{Access, Accesses, Mode, ObjectId};

/// How many places there are at most. Messages that share one conflict without need.
const MOST_PLACES: u64 = 8;

/// The objects of a channel.
#[derive(Clone, Copy)]
pub(super) struct Lanes {
    channel: ObjectId,
    layout: Layout,
}

/// How many objects there are behind a channel. Operations carry it as their second argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Layout(u64);

impl Layout {
    const BOUNDED: u64 = 1 << 8;

    /// That of a channel of this capacity. The order of its first messages matters, so many of them, or that of all.
    pub fn of(capacity: u64, ordered: Option<u32>) -> Layout {
        let objects = match capacity {
            UNBOUNDED => MOST_PLACES,
            0 => MOST_PLACES | Layout::BOUNDED,
            _ => {
                let mut divisors = (1..=MOST_PLACES).rev().filter(|n| capacity.is_multiple_of(*n));
                divisors.next().unwrap_or(1) | Layout::BOUNDED
            }
        };
        Layout(objects | (ordered.unwrap_or(u32::MAX) as u64) << 32)
    }
    /// Whether the order of the first `messages` messages matters.
    #[inline]
    pub fn orders(self, messages: u32) -> bool {
        messages <= (self.0 >> 32) as u32
    }
    #[inline]
    fn places(self) -> u32 {
        (self.0 & 0xff) as u32
    }
    #[inline]
    fn is_bounded(self) -> bool {
        self.0 & Layout::BOUNDED != 0
    }
    /// `op`, on such a channel.
    #[inline(always)]
    pub fn mark(self, mut op: Op) -> Op {
        op.args[1] = self.0;
        op
    }
    /// The objects behind a channel that was just made.
    pub fn add_to(self, e: &mut Execution, channel: ObjectId) {
        for number in 1..3 + self.is_bounded() as u32 + self.places() {
            let object = e.objects.add("part of a channel", e.current, number, [0; 2]);
            debug_assert_eq!(object.0, channel.0 + number);
        }
    }
}

/// The objects that `op`, an operation on a channel, may touch.
#[inline(always)]
pub(super) fn of(op: &Op) -> Lanes {
    Lanes { channel: op.object, layout: Layout(op.args[1]) }
}

fn senders(channel: ObjectId) -> ObjectId {
    ObjectId(channel.0 + 1)
}

fn ends(channel: ObjectId) -> ObjectId {
    ObjectId(channel.0 + 2)
}

fn receiver(channel: ObjectId) -> ObjectId {
    ObjectId(channel.0 + 3)
}

impl Lanes {
    #[inline]
    fn place(self, message: u32) -> ObjectId {
        let first = self.channel.0 + 3 + self.layout.is_bounded() as u32;
        ObjectId(first + message % self.layout.places())
    }
    /// The next message, with this number, is sent.
    #[inline]
    pub fn send(self, message: u32) -> Accesses {
        if !self.layout.orders(message + 1) {
            return Accesses::read(self.channel).and(senders(self.channel), Mode::Read);
        }
        Accesses::write(self.channel)
            .and(self.place(message), Mode::Write)
            .and(senders(self.channel), Mode::Read)
    }
    /// It is seen that the next message, with this number, cannot be sent now.
    pub fn fail_to_send(self, message: u32) -> Accesses {
        Accesses::read(self.channel)
            .and(self.place(message), Mode::Read)
            .and(senders(self.channel), Mode::Read)
    }
    /// It is seen that there is no receiver.
    #[inline]
    pub fn send_in_vain(self) -> Accesses {
        Accesses::read(self.channel)
    }
    /// Message number `message` is received, or waited for.
    #[inline]
    pub fn receive(self, message: u32) -> Accesses {
        if !self.layout.orders(message + 1) {
            return Accesses::write(self.channel);
        }
        self.and_receiver(Accesses::write(self.place(message)))
    }
    /// The same, or it is seen that there is no message, or no sender.
    #[inline]
    pub fn look(self, message: u32) -> Accesses {
        self.receive(message).and(ends(self.channel), Mode::Write)
    }
    /// The same and more, in fewer accesses.
    pub fn look_at_senders(self) -> Accesses {
        self.and_receiver(Accesses::write(senders(self.channel)))
    }
    /// It is waited until message number `message` is received, or never will be.
    pub fn be_received(self, message: u32) -> Accesses {
        self.and_receiver(Accesses::read(self.place(message))).and(senders(self.channel), Mode::Read)
    }
    /// The end of a sender.
    #[inline]
    pub fn drop_sender(self) -> Accesses {
        Accesses::read(senders(self.channel)).and(ends(self.channel), Mode::Read)
    }
    /// The end of the receiver.
    pub fn drop_receiver(self) -> Accesses {
        let accesses = Accesses::write(self.channel);
        match self.layout.is_bounded() {
            false => accesses,
            true => accesses.and(receiver(self.channel), Mode::Write),
        }
    }
    /// Loops of senders may wait for that.
    #[inline]
    fn and_receiver(self, accesses: Accesses) -> Accesses {
        match self.layout.is_bounded() {
            false => accesses,
            true => accesses.and(receiver(self.channel), Mode::Read),
        }
    }
}

/// What a task touches besides that waits for `object` to change, if that is a channel: it may be the end of a sender,
/// or something that is received.
pub(crate) fn counted(e: &Execution, object: ObjectId) -> impl Iterator<Item = Access> {
    let kind = e.objects[object].kind;
    let senders = (kind == KIND || kind == BOUNDED_KIND).then_some(senders(object));
    let receiver = (kind == BOUNDED_KIND).then_some(receiver(object));
    senders.into_iter().chain(receiver).map(|object| Access { object, mode: Mode::Write })
}
