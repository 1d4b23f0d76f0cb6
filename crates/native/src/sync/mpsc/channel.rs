//! A channel of an execution: the shared state of its ends, and their lifetimes. The state that operations
//! depend on is in the words of its object, as [`Facts`]; the messages themselves are here. Receives
//! synchronise with sends message by message, never with the channel as a whole.

use super::lanes::{self, Layout};
use crate::runtime::context::Current;
use crate::runtime::execution::Execution;
use crate::runtime::log::{Effect, Sync as Synchronises};
use crate::runtime::objects;
use crate::runtime::objects::ObjectKind;
use crate::runtime::operation::{Evaluation, Op, OperationKind};
use crate::runtime::plain::watch::{self, Paused};
use crate::thread::set_timer;
use raddle_core::operation::{Accesses, ObjectId};
use std::cell::{RefCell, RefMut};
use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};
use std::panic::{Location, RefUnwindSafe, UnwindSafe};
use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};
use std::time::Duration;

/// The capacity of a channel that is never full.
pub(super) const UNBOUNDED: u64 = u64::MAX;

/// Only the drop of the last sender is observable. Which one is the last depends on their order.
static DROP_SENDER: OperationKind =
    OperationKind::always("drop sender", |_, op| Evaluation::ready(lanes::of(op).drop_sender()))
        .never_waits()
        .in_destructors();
static DROP_RECEIVER: OperationKind =
    OperationKind::always("drop receiver", |_, op| Evaluation::ready(lanes::of(op).drop_receiver()))
        .never_waits()
        .in_destructors();

/// Where timers fire at any point, arming one is a step of its own.
static SET_TIMER: OperationKind =
    OperationKind::always("recv_timeout", |_, op| Evaluation::ready(Accesses::read(op.other))).yielding();

/// The state of the receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Receiving {
    /// It exists, and does not wait for a rendezvous.
    Busy,
    /// It waits for a rendezvous.
    Waiting,
    /// A sender has handed it a message.
    Served,
    /// It was dropped.
    Gone,
}

/// The state that operations on a channel depend on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    pub senders: u32,
    pub receiver: Receiving,
    /// The number of messages that were sent, or offered in a rendezvous.
    pub sent: u32,
    /// The number of messages that were taken.
    pub taken: u32,
}

impl Facts {
    #[inline]
    pub fn of(channel: objects::ObjectState) -> Facts {
        let [ends, messages] = channel.words;
        let receiver = match ends >> 32 {
            0 => Receiving::Busy,
            1 => Receiving::Waiting,
            2 => Receiving::Served,
            _ => Receiving::Gone,
        };
        Facts { senders: ends as u32, receiver, sent: messages as u32, taken: (messages >> 32) as u32 }
    }
    fn words(self) -> [u64; 2] {
        let pair = |low: u32, high: u32| low as u64 | (high as u64) << 32;
        [pair(self.senders, self.receiver as u32), pair(self.sent, self.taken)]
    }
    /// Messages that were sent and not taken.
    #[inline]
    pub fn left(&self) -> u32 {
        self.sent - self.taken
    }
    /// All that the evaluation of an operation depends on: each message has its own slot.
    #[inline]
    fn what_can_be_told(&self) -> (Receiving, bool, u32, u32) {
        (self.receiver, self.senders == 0, self.sent, self.taken)
    }
    /// The part of it that decides which operations are enabled, and which of them are reads.
    #[inline]
    fn who_can_go_on(&self, capacity: u64) -> (Receiving, bool, bool, bool) {
        (self.receiver, self.senders == 0, self.left() == 0, self.left() as u64 >= capacity)
    }
}

impl Facts {
    /// Stores the state of a channel.
    #[cfg_attr(not(feature = "outlined"), inline(always))]
    #[cfg_attr(feature = "outlined", inline(never))]
    fn settle(self, e: &mut Execution, before: Facts, channel: (ObjectId, u64, &Layout)) {
        let (object, capacity, layout) = channel;
        *e.words_mut(object) = self.words();
        // In a rendezvous each message has its own sender, which waits for it.
        let only_who = e.ignores_accesses() && capacity > 0 && layout.orders(u32::MAX);
        let changed = match only_who {
            true => before.who_can_go_on(capacity) != self.who_can_go_on(capacity),
            false => before.what_can_be_told() != self.what_can_be_told(),
        };
        if changed {
            e.touch(object);
        }
    }
}

/// A message in transit.
pub(super) struct Message<T> {
    /// Its number in the channel, from 0.
    pub number: u32,
    /// The line of the log that sent it.
    pub line: u32,
    pub value: T,
}

/// The state that the ends share.
pub(super) struct State<T> {
    /// Messages that were sent or offered, and not taken.
    pub queue: VecDeque<Message<T>>,
    /// The lines that freed the slots of a bounded channel.
    pub freed: VecDeque<u32>,
    /// The message for the waiting receiver.
    pub served: Option<Message<T>>,
    /// The line at which the receiver started to wait.
    pub waits_since: u32,
    /// Taken offers whose senders have not continued yet: their numbers, and the lines that took them.
    pub takes: Vec<(u32, u32)>,
}

/// The borrowed state. Senders share it, and nothing orders them.
pub(super) struct Messages<'a, T> {
    state: RefMut<'a, State<T>>,
    _paused: Paused,
}

impl<T> Deref for Messages<'_, T> {
    type Target = State<T>;
    #[inline]
    fn deref(&self) -> &State<T> {
        &self.state
    }
}

impl<T> DerefMut for Messages<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut State<T> {
        &mut self.state
    }
}

/// A channel of an execution.
pub(super) struct Channel<T> {
    pub object: ObjectId,
    pub capacity: u64,
    pub layout: Layout,
    /// Where it was created.
    made: &'static Location<'static>,
    state: RefCell<State<T>>,
}

// SAFETY: the cell is used only by tasks of the channel's execution, which all run on the execution's own
// thread: see `End::using` and `End::leaving`.
unsafe impl<T: Send> Sync for Channel<T> {}
// No code of the program runs, and so panics, while the cell is borrowed.
impl<T> RefUnwindSafe for Channel<T> {}
impl<T> UnwindSafe for Channel<T> {}

impl<T> Channel<T> {
    pub fn new(current: Current, capacity: u64, made: &'static Location<'static>) -> Channel<T> {
        let facts = Facts { senders: 1, receiver: Receiving::Busy, sent: 0, taken: 0 };
        let state = State {
            queue: VecDeque::new(),
            freed: VecDeque::new(),
            served: None,
            waits_since: 0,
            takes: Vec::new(),
        };
        current.with(|e| {
            let object = e.new_object(kind(capacity), facts.words());
            let observers = e.settings.observers.as_ref().filter(|_| capacity == UNBOUNDED);
            let layout = Layout::of(capacity, observers.map(|observers| observers.most(made)));
            if e.is_logged() {
                layout.add_to(e, object);
            }
            Channel { object, capacity, layout, made, state: RefCell::new(state) }
        })
    }

    /// The execution is over: what was sent is forgotten, without its destructor.
    pub fn forget(self) {
        let State { queue, served, .. } = self.state.into_inner();
        queue.into_iter().for_each(std::mem::forget);
        std::mem::forget(served);
    }

    pub fn kind(&self) -> ObjectKind {
        kind(self.capacity)
    }

    /// An operation on this channel.
    #[inline(always)]
    pub fn op(&self, kind: &'static OperationKind, place: &'static Location<'static>) -> Op {
        self.layout.mark(Op::new(kind, self.object, place))
    }

    #[inline]
    pub fn facts(&self, current: Current) -> Facts {
        current.with(|e| Facts::of(e.state(self.object)))
    }

    /// Changes the state that operations depend on. Waiting tasks are re-evaluated only if it can affect
    /// them.
    #[inline(always)]
    pub fn change<R>(&self, current: Current, f: impl FnOnce(&mut Facts) -> R) -> R {
        current.with(|e| {
            let before = Facts::of(e.state(self.object));
            let mut after = before;
            let result = f(&mut after);
            after.settle(e, before, (self.object, self.capacity, &self.layout));
            result
        })
    }

    /// The messages. No code of the program runs while they are borrowed.
    #[inline]
    pub fn state(&self) -> Messages<'_, T> {
        let paused = watch::pause();
        Messages { state: self.state.borrow_mut(), _paused: paused }
    }

    #[inline(always)]
    pub fn send(
        &self,
        current: Current,
        value: T,
        place: &'static Location<'static>,
    ) -> Result<(), SendError<T>> {
        match self.capacity {
            0 => self.hand_over(current, value, place),
            _ => self.put(current, value, place),
        }
    }

    pub fn try_send(
        &self,
        current: Current,
        value: T,
        place: &'static Location<'static>,
    ) -> Result<(), TrySendError<T>> {
        match self.capacity {
            0 => self.try_hand_over(current, value, place),
            _ => self.try_put(current, value, place),
        }
    }

    #[inline(always)]
    pub fn recv(&self, current: Current, place: &'static Location<'static>) -> Result<T, RecvError> {
        let taken = match self.capacity {
            0 => self.meet(current, None, place),
            _ => self.take(current, None, place),
        };
        taken.map_err(|_| RecvError)
    }

    pub fn try_recv(&self, current: Current, place: &'static Location<'static>) -> Result<T, TryRecvError> {
        match self.capacity {
            0 => self.try_meet(current, place),
            _ => self.try_take(current, place),
        }
    }

    pub fn recv_timeout(
        &self,
        current: Current,
        timeout: Duration,
        place: &'static Location<'static>,
    ) -> Result<T, RecvTimeoutError> {
        let deadline = Deadline::after(current, timeout, place);
        let taken = match self.capacity {
            0 => self.meet(current, Some(deadline), place),
            _ => self.take(current, Some(deadline), place),
        };
        current.with(|e| e.disarm());
        taken.map_err(|why| match why {
            TryRecvError::Empty => RecvTimeoutError::Timeout,
            TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
        })
    }

    /// Adds a sender. No task can observe that: the original sender still exists.
    pub fn add_sender(&self, current: Current) {
        current.with(|e| e.note_aside(self.object));
        self.change(current, |facts| facts.senders += 1);
    }

    /// A sender is dropped.
    #[inline(always)]
    pub fn drop_sender(&self, current: Current, place: &'static Location<'static>) {
        current.perform(self.op(&DROP_SENDER, place));
        let left = self.change(current, |facts| {
            facts.senders -= 1;
            facts.senders
        });
        if left == 0 {
            current.with(|e| e.made_progress());
        }
        current.did(Effect::None, Synchronises::None);
    }

    /// The receiver is dropped, with the messages that were not received.
    #[inline(always)]
    pub fn drop_receiver(&self, current: Current, place: &'static Location<'static>) {
        current.perform(self.op(&DROP_RECEIVER, place));
        let facts = self.change(current, |facts| {
            facts.receiver = Receiving::Gone;
            *facts
        });
        current.did(Effect::None, Synchronises::None);
        let unreceived = match self.capacity {
            // Waiting senders withdraw their offers.
            0 => VecDeque::new(),
            _ => std::mem::take(&mut self.state().queue),
        };
        current.with(|e| unreceived.iter().for_each(|message| e.learn_of_message(message.line)));
        if self.layout.orders(facts.sent) {
            return drop(unreceived);
        }
        // The destructors of messages may observe their order, too.
        let steps = || current.with(|e| e.lines());
        let before = steps();
        drop(unreceived);
        if steps() > before {
            self.is_observed(current, facts.sent);
        }
    }

    /// Reports that this many messages are received, or that their order is observed in another way.
    #[cold]
    pub fn is_observed(&self, current: Current, messages: u32) {
        current.with(|e| {
            if let Some(observers) = &e.settings.observers {
                observers.refute(self.made, messages);
            }
        });
    }
}

/// The kind of unbounded channels.
pub(super) const KIND: ObjectKind = "Channel";

/// The kind of bounded channels.
pub(super) const BOUNDED_KIND: ObjectKind = "SyncChannel";

fn kind(capacity: u64) -> ObjectKind {
    if capacity == UNBOUNDED { KIND } else { BOUNDED_KIND }
}

/// The deadline of a receive.
#[derive(Clone, Copy)]
pub(super) enum Deadline {
    /// It has passed already.
    Passed,
    /// A timer is armed, and writes this object when it fires.
    Timer(ObjectId),
}

impl Deadline {
    fn after(current: Current, timeout: Duration, place: &'static Location<'static>) -> Deadline {
        if timeout.is_zero() || current.with(|e| e.is_teardown()) {
            return Deadline::Passed;
        }
        set_timer(current, timeout, place, &SET_TIMER, [(); 2]);
        Deadline::Timer(current.with(|e| e.token_of(e.me())))
    }
}
