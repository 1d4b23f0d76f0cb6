//! The accesses of channel operations, as fine as they can be distinguished.
//!
//! A channel has further objects: a few slots, which its messages use in turn, one for the drops of senders,
//! one for all operations of senders, and one for the receiver of a bounded channel. A send writes the
//! channel, which orders the messages, and the slot of its message; a receive accesses that slot. So a
//! receive conflicts with the send of its message and with no other, and in a bounded channel with the send
//! that waits for its slot: the number of slots divides the capacity. Only the drop of the last sender is
//! observable, by a receive that finds no message, and which one is the last depends on their order; but
//! counting commutes, so drops read their object, and an operation that may observe the last drop writes it.
//! That holds even if it finds a message: its accesses must not depend on other operations than those that
//! conflict with it.
//!
//! Where the order of unreceived messages is left open ([`Observers`](crate::Observers)), sends beyond the
//! limit only read the channel, and commute.

use super::channel::{BOUNDED_KIND, KIND, UNBOUNDED};
use crate::runtime::execution::Execution;
use crate::runtime::objects::Objects;
use crate::runtime::operation::Op;
use raddle_core::operation::{Access, Accesses, Mode, ObjectId};

/// The maximal number of slots. Messages that share one conflict unnecessarily.
const MOST_PLACES: u64 = 8;

/// The objects of a channel.
#[derive(Clone, Copy)]
pub(super) struct Lanes {
    channel: ObjectId,
    layout: Layout,
}

/// The number of further objects of a channel. Operations carry it as their second argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Layout(u64);

impl Layout {
    const BOUNDED: u64 = 1 << 8;

    /// The layout of a channel of this capacity. `ordered` is the number of first messages whose order
    /// matters, or none for all.
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
    /// `op` with this layout.
    #[inline(always)]
    pub fn mark(self, mut op: Op) -> Op {
        op.args[1] = self.0;
        op
    }
    /// Adds the further objects of a new channel.
    pub fn add_to(self, e: &mut Execution, channel: ObjectId) {
        for number in 1..3 + self.is_bounded() as u32 + self.places() {
            let object = e.add_part("part of a channel", number);
            debug_assert_eq!(object.0, channel.0 + number);
        }
    }
}

/// The objects that `op`, an operation on a channel, may access.
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
    /// A send of the next message, with this number.
    #[inline]
    pub fn send(self, message: u32) -> Accesses {
        if !self.layout.orders(message + 1) {
            return Accesses::read(self.channel).and(senders(self.channel), Mode::Read);
        }
        Accesses::write(self.channel)
            .and(self.place(message), Mode::Write)
            .and(senders(self.channel), Mode::Read)
    }
    /// A send of the next message, with this number, that would fail now.
    pub fn fail_to_send(self, message: u32) -> Accesses {
        Accesses::read(self.channel)
            .and(self.place(message), Mode::Read)
            .and(senders(self.channel), Mode::Read)
    }
    /// A send without a receiver.
    #[inline]
    pub fn send_in_vain(self) -> Accesses {
        Accesses::read(self.channel)
    }
    /// A receive of message number `message`, or a wait for it.
    #[inline]
    pub fn receive(self, message: u32) -> Accesses {
        if !self.layout.orders(message + 1) {
            return Accesses::write(self.channel);
        }
        self.and_receiver(Accesses::write(self.place(message)))
    }
    /// The same, or an observation that there is no message, or no sender.
    #[inline]
    pub fn look(self, message: u32) -> Accesses {
        self.receive(message).and(ends(self.channel), Mode::Write)
    }
    /// A superset with fewer accesses.
    pub fn look_at_senders(self) -> Accesses {
        self.and_receiver(Accesses::write(senders(self.channel)))
    }
    /// A wait until message number `message` is received, or never will be.
    pub fn be_received(self, message: u32) -> Accesses {
        self.and_receiver(Accesses::read(self.place(message))).and(senders(self.channel), Mode::Read)
    }
    /// The drop of a sender.
    #[inline]
    pub fn drop_sender(self) -> Accesses {
        Accesses::read(senders(self.channel)).and(ends(self.channel), Mode::Read)
    }
    /// The drop of the receiver.
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

/// The further accesses of a task that waits for a change of `object`, if that is a channel: the drop of a
/// sender, or a receive.
pub(crate) fn counted(objects: &Objects, object: ObjectId) -> impl Iterator<Item = Access> {
    let kind = objects.kind(object);
    let senders = (kind == KIND || kind == BOUNDED_KIND).then_some(senders(object));
    let receiver = (kind == BOUNDED_KIND).then_some(receiver(object));
    senders.into_iter().chain(receiver).map(|object| Access { object, mode: Mode::Write })
}
