//! Channels with a buffer: unbounded, or up to their capacity. A send waits for a free slot and a receive for
//! a message. Messages are received in the order of their sends.

use super::channel::{Channel, Deadline, Facts, Message, Receiving, UNBOUNDED};
use super::lanes;
use super::timed;
use crate::runtime::context::Current;
use crate::runtime::log::{Effect, Sync as Synchronises};
use crate::runtime::objects::view::View;
use crate::runtime::operation::{Evaluation, Op, OperationKind};
use std::panic::Location;
use std::sync::mpsc::{SendError, TryRecvError, TrySendError};

/// The argument of a send is the capacity.
static SEND: OperationKind = OperationKind::new("send", send)
    .ways(|view, op| {
        let facts = Facts::of(view.object());
        (facts.receiver == Receiving::Gone || (facts.left() as u64) < op.args[0]) as u32
    })
    .alike();
/// The same without a bound.
static SEND_UNBOUNDED: OperationKind = OperationKind::new("send", send).never_waits().alike();
static TRY_SEND: OperationKind = OperationKind::new("try_send", |view, op| {
    let (facts, lanes) = (Facts::of(view.object()), lanes::of(op));
    Evaluation::ready(match facts.receiver {
        Receiving::Gone => lanes.send_in_vain(),
        _ if facts.left() as u64 >= op.args[0] => lanes.fail_to_send(facts.sent),
        _ => lanes.send(facts.sent),
    })
})
.never_waits()
.alike();
static RECV: OperationKind = OperationKind::new("recv", receive).ways(can_receive).looks();
static RECV_TIMEOUT: OperationKind = OperationKind::new("recv_timeout", receive).ways(can_receive).looks();
static TRY_RECV: OperationKind = OperationKind::new("try_recv", |view, op| {
    let facts = Facts::of(view.object());
    Evaluation::ready(lanes::of(op).look(facts.taken))
})
.never_waits()
.looks()
.alike();

fn send(view: View<'_>, op: &Op) -> Evaluation {
    let (facts, lanes) = (Facts::of(view.object()), lanes::of(op));
    match facts.receiver {
        Receiving::Gone => Evaluation::ready(lanes.send_in_vain()),
        _ => Evaluation::when((facts.left() as u64) < op.args[0], lanes.send(facts.sent)),
    }
}

fn receive(view: View<'_>, op: &Op) -> Evaluation {
    let (facts, lanes) = (Facts::of(view.object()), lanes::of(op));
    let is_there = facts.left() > 0;
    let in_vain = !is_there && (facts.senders == 0 || timed::is_over(view, op));
    let accesses = match timed::waits_for_ever(op) && !in_vain {
        true => lanes.receive(facts.taken),
        false => lanes.look(facts.taken),
    };
    Evaluation::when(is_there || in_vain, timed::and_its_timer(view, accesses, lanes.look_at_senders(), op))
}

fn can_receive(view: View<'_>, op: &Op) -> u32 {
    let facts = Facts::of(view.object());
    (facts.left() > 0 || facts.senders == 0 || timed::is_over(view, op)) as u32
}

impl<T> Channel<T> {
    #[inline(always)]
    pub(super) fn put(
        &self,
        current: Current,
        value: T,
        place: &'static Location<'static>,
    ) -> Result<(), SendError<T>> {
        let kind = if self.capacity == UNBOUNDED { &SEND_UNBOUNDED } else { &SEND };
        current.perform(self.op(kind, place).arg(self.capacity));
        if self.facts(current).receiver == Receiving::Gone {
            current.did(Effect::Word("disconnected"), Synchronises::None);
            return Err(SendError(value));
        }
        self.push(current, value);
        Ok(())
    }

    pub(super) fn try_put(
        &self,
        current: Current,
        value: T,
        place: &'static Location<'static>,
    ) -> Result<(), TrySendError<T>> {
        current.perform(self.op(&TRY_SEND, place).arg(self.capacity));
        let facts = self.facts(current);
        if facts.receiver == Receiving::Gone {
            current.did(Effect::Word("disconnected"), Synchronises::None);
            return Err(TrySendError::Disconnected(value));
        }
        if facts.left() as u64 >= self.capacity {
            current.did(Effect::Word("full"), Synchronises::None);
            return Err(TrySendError::Full(value));
        }
        self.push(current, value);
        Ok(())
    }

    fn push(&self, current: Current, value: T) {
        let number = self.change(current, |facts| {
            facts.sent += 1;
            facts.sent - 1
        });
        current.with(|e| e.made_progress());
        let line = current.with(|e| e.present_line());
        let mut state = self.state();
        state.queue.push_back(Message { number, line, value });
        // A reused slot synchronises with the receive that freed it.
        let freed = match self.capacity {
            UNBOUNDED => None,
            capacity => state.freed.pop_front_if(|_| number as u64 >= capacity),
        };
        let sync = freed.map_or(Synchronises::Send, Synchronises::Exchange);
        current.did(Effect::Sent(number + 1), sync);
    }

    /// Waits for a message; without a deadline, as long as there are senders.
    #[inline(always)]
    pub(super) fn take(
        &self,
        current: Current,
        deadline: Option<Deadline>,
        place: &'static Location<'static>,
    ) -> Result<T, TryRecvError> {
        let kind = if deadline.is_none() { &RECV } else { &RECV_TIMEOUT };
        current.perform(timed::until(self.op(kind, place), deadline));
        self.pop(current, "timed out")
    }

    pub(super) fn try_take(
        &self,
        current: Current,
        place: &'static Location<'static>,
    ) -> Result<T, TryRecvError> {
        current.perform(self.op(&TRY_RECV, place));
        self.pop(current, "empty")
    }

    fn pop(&self, current: Current, word_for_empty: &'static str) -> Result<T, TryRecvError> {
        let Some(message) = self.state().queue.pop_front() else {
            let (word, why) = match self.facts(current).senders {
                0 => ("disconnected", TryRecvError::Disconnected),
                _ => (word_for_empty, TryRecvError::Empty),
            };
            current.did(Effect::Word(word), Synchronises::None);
            return Err(why);
        };
        self.change(current, |facts| facts.taken += 1);
        if !self.layout.orders(message.number + 1) {
            self.is_observed(current, message.number + 1);
        }
        current.with(|e| e.made_progress());
        let sync = if self.capacity == UNBOUNDED {
            Synchronises::Receive(message.line)
        } else {
            self.state().freed.push_back(current.with(|e| e.present_line()));
            Synchronises::Exchange(message.line)
        };
        current.did(Effect::Received(message.number + 1, message.line), sync);
        Ok(message.value)
    }
}
