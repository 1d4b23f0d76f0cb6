//! Loops that poll: a process that looks at a table, a name or its mailbox, sees nothing new, and comes back to the state
//! that it was in.
//!
//! A *look* is an operation that changes nothing but its own process, as `ets:lookup`, or an attempt that fails, as an
//! `ets:insert_new` that returns `false` or a send to a name that raises. A
//! process whose looks lead it back to an earlier state has completed a round. A completed round can be left out of an
//! execution: every process, and all that it sees afterwards, is the same. So after its first round the process is
//! blocked where taking the same round again would lead back to the same state again. No behaviour is lost, whatever the
//! strategy, and nothing is assumed.
//!
//! Invariant: which round a process has completed is a function of its own steps, and whether it is blocked one of the
//! state. The accesses of its pending operation are those of the whole round, as far as the round would go on as before.
//! A round that reads the clock is over at the first time at which it would end otherwise. A sleep is part of a round, but a
//! process that sleeps looks at certain times only, and other processes may depend on them: where timers fire when idle,
//! such a loop goes on until no other deadline is left. Where they fire at any point it is blocked as others are, which is
//! an assumption: [`raddle_core::fact::Assumption::FairSpins`]. So is a round that fixes a table and lets go of it, as
//! `ets:foldl` does: others could tell by `ets:info`, or by the `ets:next` of a deleted key.

use super::Machine;
use super::access::{Object, Touch};
use super::local_run_cache::{are_same, have_same_entries};
use crate::native::visible;
use crate::process::{Deadline, Found, Next, Process};
use crate::settings::Polling;
use raddle_core::clock::Time;
use std::rc::Rc;

/// So many looks in a row are remembered: the longest round.
const LONGEST_ROUND: u32 = 64;
/// The clock of a loop that reads it is moved by at most a century.
const LAST_MOMENT: u64 = 100 * 366 * 86_400 * 1_000_000_000;
/// The first distance by which it is moved, in nanoseconds.
const FIRST_STRIDE: u64 = 1_000_000;

/// What would become of a process that takes the round of its loop once more, alone.
pub(super) struct Again {
    /// The accesses on which that depends.
    pub touch: Touch,
    /// It would be where it is.
    pub returns: bool,
}

impl Process {
    /// It is about to do something that other processes may see, or has done so.
    pub fn acts(&mut self) {
        self.looked = None;
        (self.looks, self.round, self.reads_clock) = (0, 0, false);
    }

    /// The states of its last round, the newest first: after each look, and so before the next.
    fn round(&self) -> impl Iterator<Item = &Process> {
        std::iter::successors(Some(self), |p| p.looked.as_deref()).take(self.round as usize)
    }

    /// Whether its last round depends on the time.
    fn polls_clock(&self) -> bool {
        self.round().any(|p| p.reads_clock)
    }

    /// Whether it sleeps in its last round.
    fn polls_and_sleeps(&self) -> bool {
        self.round()
            .any(|p| matches!(p.next, Next::Receive(Found::Nothing { deadline: Some(Deadline::At(_)), .. })))
    }

    /// Whether it fixes a table in its last round.
    fn polls_and_fixes(&self) -> bool {
        self.round().any(|p| matches!(p.next, Next::Call(native, _) if visible::fixes_table(native)))
    }

    /// Whether it continues as the other one, except that the time and what is in the mailbox may differ.
    fn is_where(&self, other: &Process) -> bool {
        let same_next = match (&self.next, &other.next) {
            (Next::Call(a, x), Next::Call(b, y)) => std::ptr::eq(*a, *b) && x == y,
            (Next::Send(x), Next::Send(y)) => x == y,
            (Next::Receive(a), Next::Receive(b)) => match (a, b) {
                (Found::Nothing { wait: a, deadline: x }, Found::Nothing { wait: b, deadline: y }) => {
                    let is_sleep = |deadline: &Option<Deadline>| matches!(deadline, Some(Deadline::At(_)));
                    a == b && (x == y || is_sleep(x) && is_sleep(y))
                }
                _ => false,
            },
            _ => false,
        };
        let counts = |p: &Process| {
            (p.children, p.refs, p.uniques, p.timers, p.save, p.caught, p.receiving, p.trap_exit)
        };
        let flags = |p: &Process| (p.priority, p.group_leader, p.told.start_failed, p.told.replied);
        same_next
            && self.pc == other.pc
            && self.frames == other.frames
            && counts(self) == counts(other)
            && flags(self) == flags(other)
            && self.may_give_up == other.may_give_up
            && self.told.parent == other.told.parent
            && self.fr.iter().map(|x| x.to_bits()).eq(other.fr.iter().map(|x| x.to_bits()))
            && self.flags.len() == other.flags.len()
            && self.flags.iter().zip(&other.flags).all(|(a, b)| a.0 == b.0 && a.1 == b.1)
            && are_same(&self.x, &other.x)
            && are_same(&self.ys, &other.ys)
            && have_same_entries(&self.dictionary, &other.dictionary)
            && self.exiting.is_none()
            && other.exiting.is_none()
    }
}

impl Machine {
    /// A process has taken a look, from the state `before`, and has come to its next operation.
    pub(super) fn has_looked(&mut self, task: usize, before: Rc<Process>) {
        if self.env.settings.polling == Polling::Steps || self.over.is_some() {
            return;
        }
        let now = self.process(task);
        if now.exiting.is_some() || !matches!(now.next, Next::Call(..) | Next::Send(_) | Next::Receive(_)) {
            return;
        }
        let mut earlier = std::iter::successors(Some(&*before), |p| p.looked.as_deref());
        let round = earlier.position(|earlier| now.is_where(earlier)).map_or(0, |at| at as u32 + 1);
        let looks = before.looks + 1;
        let p = self.process_mut(task);
        p.looks = looks;
        // Otherwise what is remembered begins anew.
        if !looks.is_multiple_of(LONGEST_ROUND) {
            (p.looked, p.round) = (Some(before), round);
        }
    }

    /// What would become of the loop of a process if it took its last round again, alone, from the time `now` on.
    pub(super) fn once_more(&self, task: usize, now: u64) -> Again {
        let p = self.process(task);
        let mut touch = Touch::NOTHING;
        let expected: Vec<&Process> = p.round().collect();
        let mut alone = self.clone();
        alone.log = None;
        alone.now = now;
        for expected in expected.into_iter().rev() {
            let own = alone.process(task).clone();
            let mine = Touch::NOTHING.read(Object::Itself(own.pid));
            let (own_touch, options) = alone.touch_alone(task, &own, mine);
            let sleeps = own.deadline().is_some();
            touch = touch.union(match own.next {
                Next::Receive(_) if self.is_order_open() => alone.absence(mine, &own),
                _ => own_touch,
            });
            if options == 0 && !sleeps {
                return Again { touch, returns: false };
            }
            alone.perform(task, false, 0);
            let after = alone.process(task);
            if after.looks == 0 || alone.over.is_some() || !after.is_where(expected) {
                return Again { touch, returns: false };
            }
        }
        Again { touch, returns: self.tables.have_same_fixations(&alone.tables) }
    }

    /// Whether a loop is blocked where its round would lead back.
    fn may_block_loop(&self, p: &Process) -> bool {
        p.round > 0 && (self.env.settings.time == Time::Any || !p.polls_and_sleeps())
    }

    /// The accesses and the options of the pending operation of a process in a loop, which has these by itself.
    pub(super) fn touch_in_loop(&self, task: usize, touch: Touch, options: u32) -> (Touch, u32) {
        let p = self.process(task);
        if !self.may_block_loop(p) {
            return (touch, options);
        }
        let again = self.once_more(task, self.now);
        if again.returns {
            self.env.loops_were_cut.set(true);
            if p.polls_and_sleeps() || p.polls_and_fixes() {
                self.env.sleeps_were_cut.set(true);
            }
        }
        (touch.union(again.touch), if again.returns { 0 } else { options })
    }

    /// Whether all that is left are loops that sleep, and none of them will see anything new.
    pub(super) fn only_loops_sleep(&self) -> bool {
        let sees_nothing_new = |(task, p): (usize, &Rc<Process>)| {
            let Some(deadline) = p.deadline() else {
                return p.round == 0 || self.deadline_of_loop(task).is_none();
            };
            let time = self.now.max(deadline);
            p.round > 0
                && self.once_more(task, time).returns
                && !(p.polls_clock() && self.end_of_loop(task, time).is_some())
        };
        !self.any_timer() && self.processes().all(sees_nothing_new)
    }

    /// Whether a process is in a loop that polls, and nothing that it looks at has changed.
    pub(crate) fn is_polling(&self, task: usize) -> bool {
        let p = self.process(task);
        p.round > 0 && !p.is_gone() && self.once_more(task, self.now.max(p.deadline().unwrap_or(0))).returns
    }

    /// The time at which a process in a loop goes on: none if it is enabled, or only a change lets it go on.
    pub(super) fn deadline_of_loop(&self, task: usize) -> Option<u64> {
        let p = self.process(task);
        let deadline = p.deadline();
        if p.is_doomed() || p.messages.iter().any(|mail| mail.fits) {
            return deadline;
        }
        let now = self.now.max(deadline.unwrap_or(0));
        if !self.may_block_loop(p) || !self.once_more(task, now).returns {
            return deadline;
        }
        if p.polls_clock() { self.end_of_loop(task, now) } else { None }
    }

    /// The first time at which a loop that reads the clock does not go on as before.
    fn end_of_loop(&self, task: usize, now: u64) -> Option<u64> {
        let goes_on = |time: u64| self.once_more(task, time).returns;
        let strides = std::iter::successors(Some(FIRST_STRIDE), |stride| stride.checked_mul(2));
        let times = strides.map(|stride| now.saturating_add(stride)).take_while(|time| *time <= LAST_MOMENT);
        let mut before = now;
        for time in times {
            if goes_on(time) {
                before = time;
                continue;
            }
            let mut end = time;
            while end - before > 1 {
                let middle = before + (end - before) / 2;
                if goes_on(middle) { before = middle } else { end = middle }
            }
            return Some(end);
        }
        None
    }

    /// What a process looks at in its loop, in words.
    pub(super) fn polled(&self, task: usize) -> Vec<String> {
        let p = self.process(task);
        let mut polled: Vec<String> = Vec::new();
        for state in p.round() {
            let native = match &state.next {
                Next::Call(native, _) => Some(*native),
                Next::Send(_) => Some(&visible::SEND),
                _ => None,
            };
            if let Some(native) = native {
                let args: Vec<String> = state.x.iter().map(ToString::to_string).collect();
                let text = format!("{}:{}({})", native.module, native.function, args.join(", "));
                if !polled.contains(&text) {
                    polled.push(text);
                }
            }
        }
        polled.reverse();
        polled
    }
}
