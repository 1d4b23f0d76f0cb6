//! `std::sync::Condvar`. The tasks of its object are the waiters that were neither notified nor timed out, in
//! the order of their waits.
//!
//! A `wait` releases the mutex and starts to wait, in one step; a `wake` acquires the mutex again, once the
//! task is notified or timed out. `notify_one` ignores a waiter that has timed out, even if it does not hold
//! the mutex yet. While spurious wake-ups are left, a `wait` may also be over as soon as the mutex is free; where timers
//! fire only when nothing else can happen, this is decided again after each of them. A notification creates no
//! happens-before: only the mutex does.

use super::mutex::{self, Mutex, MutexGuard};
use crate::label::{Labelled, Sealed};
use crate::runtime::context::{self, Current};
use crate::runtime::execution::Execution;
use crate::runtime::log::{Effect, Line, Sync as Synchronises};
use crate::runtime::memory::overlay::here;
use crate::runtime::objects::Identity;
use crate::runtime::objects::ObjectState;
use crate::runtime::objects::view::View;
use crate::runtime::operation::{Evaluation, Op, OperationKind};
use raddle_core::clock::Time;
use raddle_core::fact::Waiting;
use raddle_core::operation::{Accesses, Mode, ObjectId, TaskId};
use std::fmt;
use std::mem::ManuallyDrop;
use std::panic::Location;
use std::sync::{LockResult, PoisonError};
use std::time::{Duration, Instant};

const KIND: &str = "Condvar";

/// Arguments: how an operation accesses the clock.
const NOT_AT_ALL: u64 = 0;
const READS: u64 = 1;
const WRITES: u64 = 2;

/// Where timers may fire at any point, the earliest first, arming or disarming one decides which others may
/// fire. Where they fire only when no task is enabled, a firing conflicts with everything.
fn and_clock(view: View<'_>, accesses: Accesses, touches: u64) -> Accesses {
    match touches {
        _ if view.time() == Time::Idle => accesses,
        READS => accesses.and(view.clock_object(), Mode::Read),
        WRITES => accesses.and(view.clock_object(), Mode::Write),
        _ => accesses,
    }
}

static WAIT: OperationKind = OperationKind::always("wait", |view, op| Evaluation::ready(waits(view, op)));
/// Where spurious wake-ups are possible, option 1 is a spurious wake-up before the wait even starts. Without
/// any left it could have come earlier, so it reads the object of spurious wake-ups.
static MAY_WAIT: OperationKind = OperationKind::new("wait", may_wait);

fn may_wait(view: View<'_>, op: &Op) -> Evaluation {
    match view.spurious_left() {
        0 => Evaluation::ready(waits(view, op).and(view.spurious_object(), Mode::Read)),
        _ => Evaluation { accesses: waits(view, op).and(view.spurious_object(), Mode::Write), options: 2 },
    }
}

fn waits(view: View<'_>, op: &Op) -> Accesses {
    and_clock(view, Accesses::write(op.object).and(op.other, Mode::Write), op.args[0])
}

/// A wait of no time at all, where timers fire only when no task is enabled: option 1 is to time out at once. Otherwise it
/// waits like any other.
static WAIT_FOR_NOTHING: OperationKind =
    OperationKind::new("wait", |view, op| Evaluation { accesses: waits(view, op), options: 2 });
/// The same where spurious wake-ups are possible: option 2 is one.
static MAY_WAIT_FOR_NOTHING: OperationKind = OperationKind::new("wait", |view, op| {
    let evaluation = may_wait(view, op);
    Evaluation { options: evaluation.options + 1, ..evaluation }
});

static WAKE: OperationKind = wakes(wake).same_accesses();
/// Where spurious wake-ups are possible and timers fire only when nothing else can happen. A waiter that was not woken
/// when one fired may go on waiting, or leave the queue as option 1.
static MAY_WAKE: OperationKind = wakes(|view, op| {
    if !view.is_stirred() {
        return wake(view, op);
    }
    if view.is_woken() {
        let Evaluation { accesses, options } = wake(view, op);
        return Evaluation { accesses: accesses.and(view.spurious_object(), Mode::Read), options };
    }
    match view.spurious_left() {
        0 => Evaluation::ready(Accesses::read(op.object).and(view.spurious_object(), Mode::Read)),
        _ => {
            let accesses = Accesses::write(op.object).and(view.spurious_object(), Mode::Write);
            Evaluation { accesses, options: 2 }
        }
    }
})
.wakes_spuriously();

fn wake(view: View<'_>, op: &Op) -> Evaluation {
    let accesses = and_clock(view, Accesses::read(op.object).and(op.other, Mode::Write), op.args[0]);
    Evaluation::when(view.is_woken() && mutex::is_free(view.other()), accesses)
}

const fn wakes(evaluation: fn(View<'_>, &Op) -> Evaluation) -> OperationKind {
    OperationKind::new("wake", evaluation)
        .held_by(|blocked| match blocked.view().is_woken() {
            true => mutex::holder(blocked.view().other()).into_iter().collect(),
            false => Vec::new(),
        })
        .holding(|blocked| if blocked.view().is_woken() { blocked.op().other } else { blocked.op().object })
        .waits(|blocked| if blocked.view().is_woken() { Waiting::Woken } else { Waiting::ToBeNotified })
}

static NOTIFY_ONE: OperationKind = OperationKind::new("notify_one", |view, op| Evaluation {
    accesses: notifies(view, op.object),
    options: (view.object().tasks as u32).max(1),
})
.alike();

static NOTIFY_ALL: OperationKind =
    OperationKind::new("notify_all", |view, op| Evaluation::ready(notifies(view, op.object))).alike();

/// The effect of a notification of nothing.
const NO_WAITER: Effect = Effect::Word("no waiter");

/// Whether this is a notification.
pub(crate) fn is_notification(line: &Line) -> bool {
    [&NOTIFY_ONE, &NOTIFY_ALL].iter().any(|known| std::ptr::eq(*known, line.kind))
}

/// Whether this is one for which no task waited.
pub(crate) fn is_lost(line: &Line) -> bool {
    is_notification(line) && line.effect == NO_WAITER
}

/// The accesses of a notification: a read if no task waits. Word 1 counts the timers of waiters.
fn notifies(view: View<'_>, condvar: ObjectId) -> Accesses {
    match view.object() {
        ObjectState { tasks: 0, .. } => Accesses::read(condvar),
        ObjectState { words: [_, 0], .. } => Accesses::write(condvar),
        _ => and_clock(view, Accesses::write(condvar), WRITES),
    }
}

/// Notifies a waiter.
fn notify(e: &mut Execution, condvar: ObjectId, id: TaskId) {
    e.queue_mut(condvar).retain(|t| *t != id);
    e.disarm_of(id);
    e.notify(id, 0);
    e.touch(condvar);
}

/// A waiter wakes up and has the mutex; whether for no reason that it has chosen while it waited.
fn wakes_for_no_reason(current: Current, wake: Op) -> bool {
    let mut for_no_reason = false;
    loop {
        let leaves = current.perform(wake) == 1;
        if !current.with(|e| e.take_stirred() && !e.is_woken()) {
            return for_no_reason;
        }
        if !leaves {
            current.did(Effect::Word("goes on waiting"), Synchronises::None);
            continue;
        }
        for_no_reason = true;
        current.with(|e| {
            let me = e.me();
            e.spend_spurious();
            notify(e, wake.object, me);
        });
        current.did(Effect::Word("for no reason"), Synchronises::None);
    }
}

/// Why a task wakes up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reason {
    Notified,
    TimedOut,
    None,
}

/// Whether a task that wakes up reads the clock for the remaining time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    GoesOn,
    LooksAtTheClock,
}

/// The time limit of a wait.
struct Limit {
    length: Duration,
    then: Then,
    /// The deadline, once the wait has started.
    end: Option<Duration>,
    is_over: bool,
}

impl Limit {
    fn new(length: Duration, then: Then) -> Limit {
        Limit { length, then, end: None, is_over: false }
    }
    /// The remaining time at the start of a wait.
    fn left(&mut self, now: Duration) -> Duration {
        self.end.get_or_insert(now.saturating_add(self.length)).saturating_sub(now)
    }
    fn look(&mut self, now: Duration) {
        self.is_over = self.end.is_some_and(|end| end <= now);
    }
}

/// See [`std::sync::Condvar`].
pub struct Condvar {
    identity: Identity,
    /// Used by threads outside of explorations only.
    outside: std::sync::Condvar,
}

/// See [`std::sync::WaitTimeoutResult`].
#[derive(Debug, PartialEq, Eq, Copy, Clone)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// See [`std::sync::WaitTimeoutResult::timed_out`].
    #[must_use]
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

impl Condvar {
    /// See [`std::sync::Condvar::new`].
    #[must_use]
    #[inline]
    pub const fn new() -> Condvar {
        Condvar { identity: Identity::new(), outside: std::sync::Condvar::new() }
    }

    #[track_caller]
    fn object(&self, current: Current) -> ObjectId {
        current.object(&self.identity, KIND, [0; 2])
    }

    /// Waits inside of an exploration.
    #[track_caller]
    fn wait_inside<'a, T: ?Sized>(
        &self,
        current: Current,
        guard: MutexGuard<'a, T>,
        mut limit: Option<&mut Limit>,
        place: &'static Location<'static>,
    ) -> (LockResult<MutexGuard<'a, T>>, Reason) {
        let condvar = self.object(current);
        let mutex = Mutex::object(MutexGuard::mutex(&guard), current);
        let may_wake = current.with(|e| e.spurious_object().is_some());
        let is_for_nothing = limit
            .as_mut()
            .is_some_and(|limit| current.with(|e| limit.left(e.now()).is_zero() && e.may_time_out_at_once()));
        let kind = match (may_wake, is_for_nothing) {
            (false, false) => &WAIT,
            (true, false) => &MAY_WAIT,
            (false, true) => &WAIT_FOR_NOTHING,
            (true, true) => &MAY_WAIT_FOR_NOTHING,
        };
        let mut wait = Op::new(kind, condvar, place).with(mutex);
        let wakes =
            if may_wake && current.with(|e| e.settings.time == Time::Idle) { &MAY_WAKE } else { &WAKE };
        let mut wake = Op::new(wakes, condvar, place).with(mutex);
        if let Some(limit) = &limit {
            current.with(|e| e.the_clock());
            wait = wait.arg(WRITES);
            wake = wake.arg(if limit.then == Then::LooksAtTheClock { READS } else { NOT_AT_ALL });
        }
        let option = current.perform(wait);
        let (at_once, mut for_no_reason) = match is_for_nothing {
            true => (option == 1, option == 2),
            false => (false, option == 1),
        };
        // The mutex is not held until the task wakes: if it never does, no task releases it.
        let guard = ManuallyDrop::new(guard);
        current.with(|e| {
            mutex::give_back(e, mutex);
            let left = limit.as_mut().map(|limit| limit.left(e.now()));
            let me = e.me();
            e.take_stirred();
            if for_no_reason {
                e.spend_spurious();
            }
            if at_once {
                e.wait_for_nothing();
            }
            if for_no_reason || at_once {
                e.notify(me, 0);
                return;
            }
            e.queue_mut(condvar).push(me);
            if let Some(left) = left {
                e.arm_on(condvar, left, place);
            }
            e.touch(condvar);
        });
        current.did(Effect::None, Synchronises::ReleaseOf(mutex));
        for_no_reason |= wakes_for_no_reason(current, wake);
        let reason = current.with(|e| {
            mutex::take(e, mutex);
            if let Some(limit) = limit
                && limit.then == Then::LooksAtTheClock
            {
                limit.look(e.now());
            }
            // A waiter that was notified before its timeout has no timer any more.
            match (e.disarm(), e.take_notified().is_some()) {
                (false, true) if for_no_reason => Reason::None,
                (false, true) if at_once => Reason::TimedOut,
                (false, true) => Reason::Notified,
                _ => Reason::TimedOut,
            }
        });
        let word = match reason {
            Reason::Notified => "notified",
            Reason::TimedOut => "timed out",
            Reason::None => "for no reason",
        };
        current.did(Effect::Word(word), Synchronises::AcquireOf(mutex));
        (MutexGuard::again(ManuallyDrop::into_inner(guard)), reason)
    }

    /// Waits in a thread outside of explorations.
    fn wait_outside<'a, T: ?Sized>(
        &self,
        mut guard: MutexGuard<'a, T>,
        limit: Option<Duration>,
    ) -> (LockResult<MutexGuard<'a, T>>, bool) {
        self.identity.used_outside();
        let outside = MutexGuard::take_outside(&mut guard).expect("raddle: the guard is not of this thread");
        let (outside, timed_out) = match limit {
            None => (self.outside.wait(outside).unwrap_or_else(PoisonError::into_inner), false),
            Some(limit) => {
                let waited = self.outside.wait_timeout(outside, limit);
                let (outside, result) = waited.unwrap_or_else(PoisonError::into_inner);
                (outside, result.timed_out())
            }
        };
        MutexGuard::put_outside(&mut guard, outside);
        (MutexGuard::again(guard), timed_out)
    }

    /// See [`std::sync::Condvar::wait`].
    #[track_caller]
    pub fn wait<'a, T: ?Sized>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let this = here(self);
        match context::current() {
            Some(current) => this.wait_inside(current, guard, None, Location::caller()).0,
            None => this.wait_outside(guard, None).0,
        }
    }

    /// See [`std::sync::Condvar::wait_while`].
    #[track_caller]
    pub fn wait_while<'a, T: ?Sized, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: F,
    ) -> LockResult<MutexGuard<'a, T>>
    where
        F: FnMut(&mut T) -> bool,
    {
        while condition(&mut *guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// See [`std::sync::Condvar::wait_timeout`].
    #[track_caller]
    pub fn wait_timeout<'a, T: ?Sized>(
        &self,
        guard: MutexGuard<'a, T>,
        dur: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let this = here(self);
        let (guard, timed_out) = match context::current() {
            Some(current) => {
                let mut limit = Limit::new(dur, Then::GoesOn);
                let (guard, reason) = this.wait_inside(current, guard, Some(&mut limit), Location::caller());
                (guard, reason == Reason::TimedOut)
            }
            None => this.wait_outside(guard, Some(dur)),
        };
        with_result(guard, WaitTimeoutResult(timed_out))
    }

    /// See [`std::sync::Condvar::wait_timeout_ms`].
    #[deprecated(since = "1.6.0", note = "replaced by `std::sync::Condvar::wait_timeout`")]
    #[track_caller]
    pub fn wait_timeout_ms<'a, T: ?Sized>(
        &self,
        guard: MutexGuard<'a, T>,
        ms: u32,
    ) -> LockResult<(MutexGuard<'a, T>, bool)> {
        match self.wait_timeout(guard, Duration::from_millis(ms as u64)) {
            Ok((guard, result)) => Ok((guard, !result.timed_out())),
            Err(e) => {
                let (guard, result) = e.into_inner();
                Err(PoisonError::new((guard, !result.timed_out())))
            }
        }
    }

    /// See [`std::sync::Condvar::wait_timeout_while`].
    #[track_caller]
    pub fn wait_timeout_while<'a, T: ?Sized, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        dur: Duration,
        mut condition: F,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)>
    where
        F: FnMut(&mut T) -> bool,
    {
        let Some(current) = context::current() else {
            let start = Instant::now();
            loop {
                if !condition(&mut *guard) {
                    return Ok((guard, WaitTimeoutResult(false)));
                }
                let Some(left) = dur.checked_sub(start.elapsed()) else {
                    return Ok((guard, WaitTimeoutResult(true)));
                };
                guard = self.wait_timeout(guard, left)?.0;
            }
        };
        let mut limit = Limit::new(dur, Then::LooksAtTheClock);
        loop {
            if !condition(&mut *guard) {
                return Ok((guard, WaitTimeoutResult(false)));
            }
            if limit.is_over {
                return Ok((guard, WaitTimeoutResult(true)));
            }
            let (woken, reason) =
                here(self).wait_inside(current, guard, Some(&mut limit), Location::caller());
            guard = with_result(woken, WaitTimeoutResult(reason == Reason::TimedOut))?.0;
        }
    }

    /// See [`std::sync::Condvar::notify_one`].
    #[track_caller]
    pub fn notify_one(&self) {
        let this = here(self);
        let Some(current) = context::current() else {
            this.identity.used_outside();
            return this.outside.notify_one();
        };
        let condvar = this.object(current);
        let option = current.perform(Op::new(&NOTIFY_ONE, condvar, Location::caller()));
        let woken = current.with(|e| {
            let woken = *e.queue(condvar).get(option as usize)?;
            notify(e, condvar, woken);
            Some(woken)
        });
        let effect = woken.map_or(NO_WAITER, Effect::Task);
        current.did(effect, Synchronises::None);
    }

    /// See [`std::sync::Condvar::notify_all`].
    #[track_caller]
    pub fn notify_all(&self) {
        let this = here(self);
        let Some(current) = context::current() else {
            this.identity.used_outside();
            return this.outside.notify_all();
        };
        let condvar = this.object(current);
        current.perform(Op::new(&NOTIFY_ALL, condvar, Location::caller()));
        let woken = current.with(|e| {
            let mut woken = 0;
            loop {
                let Some(id) = e.queue(condvar).first().copied() else { return woken };
                notify(e, condvar, id);
                woken += 1;
            }
        });
        let effect = if woken == 0 { NO_WAITER } else { Effect::Count(woken) };
        current.did(effect, Synchronises::None);
    }
}

fn with_result<G, R>(guard: LockResult<G>, result: R) -> LockResult<(G, R)> {
    match guard {
        Ok(guard) => Ok((guard, result)),
        Err(e) => Err(PoisonError::new((e.into_inner(), result))),
    }
}

impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Condvar").finish_non_exhaustive()
    }
}

impl Default for Condvar {
    fn default() -> Condvar {
        Condvar::new()
    }
}

impl Labelled for Condvar {}
impl Sealed for Condvar {
    #[track_caller]
    fn labelled_object(&self) -> Option<ObjectId> {
        context::current().map(|current| here(self).object(current))
    }
}
