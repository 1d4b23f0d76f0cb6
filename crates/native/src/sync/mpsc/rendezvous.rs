//! Channels without a buffer: a sender and the receiver meet, and the message is handed over. The first to
//! come announces that and then waits, in two steps, because `try_send` and `try_recv` observe whether the
//! other side waits. The second hands over or takes, in one step. Each synchronises with the other. Waiting
//! senders are served in order.

use super::channel::{Channel, Deadline, Facts, Message, Receiving};
use super::{lanes, timed};
use crate::runtime::context::Current;
use crate::runtime::log::{Effect, Sync as Synchronises};
use crate::runtime::objects::view::View;
use crate::runtime::operation::{Evaluation, Op, OperationKind};
use std::panic::Location;
use std::sync::mpsc::{SendError, TryRecvError, TrySendError};

/// Hands over or offers a message.
static SEND: OperationKind = OperationKind::new("send", |view, op| {
    let (facts, lanes) = (Facts::of(view.object()), lanes::of(op));
    Evaluation::ready(match facts.receiver {
        Receiving::Gone => lanes.send_in_vain(),
        _ => lanes.send(facts.sent),
    })
})
.alike();
/// Waits until the offer with this number is taken, or never will be.
static SENT: OperationKind = OperationKind::new("send", |view, op| {
    let facts = Facts::of(view.object());
    let number = op.args[0] as u32;
    let over = facts.taken > number || facts.receiver == Receiving::Gone;
    Evaluation::when(over, lanes::of(op).be_received(number))
});
static TRY_SEND: OperationKind = OperationKind::new("try_send", |view, op| {
    let (facts, lanes) = (Facts::of(view.object()), lanes::of(op));
    Evaluation::ready(match facts.receiver {
        Receiving::Gone => lanes.send_in_vain(),
        Receiving::Waiting => lanes.send(facts.sent),
        Receiving::Busy | Receiving::Served => lanes.fail_to_send(facts.sent),
    })
})
.alike();
/// Takes an offer or starts to wait for one.
static RECV: OperationKind = OperationKind::new("recv", receive);
static RECV_TIMEOUT: OperationKind = OperationKind::new("recv_timeout", receive);
/// Waits until a sender has come, or none will, or the deadline has passed.
static RECEIVED: OperationKind = OperationKind::new("recv", wait_for_sender);
static RECEIVED_IN_TIME: OperationKind = OperationKind::new("recv_timeout", wait_for_sender);
static TRY_RECV: OperationKind = OperationKind::new("try_recv", |view, op| {
    let facts = Facts::of(view.object());
    Evaluation::ready(lanes::of(op).look(facts.taken))
})
.looks()
.alike();

fn receive(view: View<'_>, op: &Op) -> Evaluation {
    let (facts, lanes) = (Facts::of(view.object()), lanes::of(op));
    Evaluation::ready(timed::and_its_timer(view, lanes.receive(facts.taken), lanes.look_at_senders(), op))
}

fn wait_for_sender(view: View<'_>, op: &Op) -> Evaluation {
    let (facts, lanes) = (Facts::of(view.object()), lanes::of(op));
    let served = facts.receiver == Receiving::Served;
    let in_vain = !served && (facts.senders == 0 || timed::is_over(view, op));
    // It counts as taken as soon as it is handed over.
    let number = facts.taken - served as u32;
    let accesses = match timed::waits_for_ever(op) && !in_vain {
        true => lanes.receive(number),
        // A receiver that gives up no longer waits, which senders can observe.
        false => lanes.look(number),
    };
    Evaluation::when(served || in_vain, timed::and_its_timer(view, accesses, lanes.look_at_senders(), op))
}

impl<T> Channel<T> {
    pub(super) fn hand_over(
        &self,
        current: Current,
        value: T,
        place: &'static Location<'static>,
    ) -> Result<(), SendError<T>> {
        current.perform(self.op(&SEND, place));
        match self.facts(current).receiver {
            Receiving::Gone => {
                current.did(Effect::Word("disconnected"), Synchronises::None);
                return Err(SendError(value));
            }
            Receiving::Waiting => {
                self.serve(current, value);
                return Ok(());
            }
            Receiving::Busy | Receiving::Served => {}
        }
        let number = self.offer(current, value);
        current.perform(self.op(&SENT, place).arg(number as u64));
        let taken = {
            let takes = &mut self.state().takes;
            takes.iter().position(|(n, _)| *n == number).map(|at| takes.swap_remove(at))
        };
        match taken {
            Some((_, line)) => {
                current.did(Effect::Word("taken"), Synchronises::Receive(line));
                Ok(())
            }
            None => {
                current.did(Effect::Word("disconnected"), Synchronises::None);
                Err(SendError(self.withdraw(number)))
            }
        }
    }

    pub(super) fn try_hand_over(
        &self,
        current: Current,
        value: T,
        place: &'static Location<'static>,
    ) -> Result<(), TrySendError<T>> {
        current.perform(self.op(&TRY_SEND, place));
        match self.facts(current).receiver {
            Receiving::Waiting => {
                self.serve(current, value);
                Ok(())
            }
            Receiving::Gone => {
                current.did(Effect::Word("disconnected"), Synchronises::None);
                Err(TrySendError::Disconnected(value))
            }
            Receiving::Busy | Receiving::Served => {
                current.did(Effect::Word("no receiver waits"), Synchronises::None);
                Err(TrySendError::Full(value))
            }
        }
    }

    /// Hands the message to the waiting receiver.
    fn serve(&self, current: Current, value: T) {
        let number = self.change(current, |facts| {
            facts.receiver = Receiving::Served;
            facts.sent += 1;
            facts.taken += 1;
            facts.sent - 1
        });
        let line = current.with(|e| e.present_line());
        let mut state = self.state();
        state.served = Some(Message { number, line, value });
        current.did(Effect::Sent(number + 1), Synchronises::Exchange(state.waits_since));
    }

    /// Offers the message to the receiver, which does not wait. Returns its number.
    fn offer(&self, current: Current, value: T) -> u32 {
        let number = self.change(current, |facts| {
            facts.sent += 1;
            facts.sent - 1
        });
        let line = current.with(|e| e.present_line());
        self.state().queue.push_back(Message { number, line, value });
        current.did(Effect::Sent(number + 1), Synchronises::Send);
        number
    }

    /// Withdraws an offer that will not be taken.
    fn withdraw(&self, number: u32) -> T {
        let queue = &mut self.state().queue;
        let at = queue.iter().position(|m| m.number == number);
        let offer = at.and_then(|at| queue.remove(at));
        offer.expect("an offer is there until it is taken").value
    }

    /// Waits for a sender; without a deadline, as long as there are any.
    pub(super) fn meet(
        &self,
        current: Current,
        deadline: Option<Deadline>,
        place: &'static Location<'static>,
    ) -> Result<T, TryRecvError> {
        let (first, then) = match deadline {
            None => (&RECV, &RECEIVED),
            Some(_) => (&RECV_TIMEOUT, &RECEIVED_IN_TIME),
        };
        current.perform(timed::until(self.op(first, place), deadline));
        if let Some(value) = self.take_offer(current) {
            return Ok(value);
        }
        // The absence of senders is observed by the wait.
        self.change(current, |facts| facts.receiver = Receiving::Waiting);
        self.state().waits_since = current.with(|e| e.present_line());
        current.did(Effect::Word("waits for a sender"), Synchronises::Send);

        current.perform(timed::until(self.op(then, place), deadline));
        let senders = self.change(current, |facts| {
            facts.receiver = Receiving::Busy;
            facts.senders
        });
        if let Some(message) = self.state().served.take() {
            let effect = Effect::Received(message.number + 1, message.line);
            current.did(effect, Synchronises::Receive(message.line));
            return Ok(message.value);
        }
        let (word, why) = match senders {
            0 => ("disconnected", TryRecvError::Disconnected),
            _ => ("timed out", TryRecvError::Empty),
        };
        current.did(Effect::Word(word), Synchronises::None);
        Err(why)
    }

    pub(super) fn try_meet(
        &self,
        current: Current,
        place: &'static Location<'static>,
    ) -> Result<T, TryRecvError> {
        current.perform(self.op(&TRY_RECV, place));
        if let Some(value) = self.take_offer(current) {
            return Ok(value);
        }
        let (word, why) = match self.facts(current).senders {
            0 => ("disconnected", TryRecvError::Disconnected),
            _ => ("no sender waits", TryRecvError::Empty),
        };
        current.did(Effect::Word(word), Synchronises::None);
        Err(why)
    }

    /// Takes the message of the sender that has waited longest.
    fn take_offer(&self, current: Current) -> Option<T> {
        let offer = self.state().queue.pop_front()?;
        self.change(current, |facts| facts.taken += 1);
        current.with(|e| e.made_progress());
        let line = current.with(|e| e.present_line());
        self.state().takes.push((offer.number, line));
        let effect = Effect::Received(offer.number + 1, offer.line);
        current.did(effect, Synchronises::Exchange(offer.line));
        Some(offer.value)
    }
}
