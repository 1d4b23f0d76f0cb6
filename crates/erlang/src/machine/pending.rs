//! The pending operation of every task: whether it is enabled, its accesses and its options. After a step
//! only the operations that may have changed are evaluated again; debug builds compare with a full
//! evaluation.

use super::access::{Mark, Object, Touch};
use super::{Machine, Task};
use crate::native::Run;
use crate::native::visible::{self, Look};
use crate::process::{Deadline, Found, Next, Process};
use crate::settings::{Delivery, Grain};
use crate::term::Term;
use raddle_core::clock::Time;
use raddle_core::operation::{Accesses, TaskId};
use raddle_core::world::{Manner, Pending, Point};

/// Keeps the list of enabled tasks up to date.
#[inline]
pub(super) fn note_enabled(enabled: &mut Vec<TaskId>, task: usize, could: bool, can: bool) {
    if could != can {
        let place = enabled.binary_search(&TaskId(task as u32));
        match place {
            Err(at) if can => enabled.insert(at, TaskId(task as u32)),
            Ok(at) if could => _ = enabled.remove(at),
            _ => {}
        }
    }
}

impl Machine {
    /// The pending operations.
    pub fn point(&self) -> Point<'_> {
        Point::new(&self.enabled, &self.pending).with_births(&self.births)
    }

    /// Whether there is more than one pick.
    #[inline]
    pub(crate) fn has_choice(&self) -> bool {
        match &self.enabled[..] {
            [] => false,
            [only] => self.pending[only.index()].options > 1,
            _ => true,
        }
    }

    /// The accesses of the pending operation of `task`, with the object numbers of another state.
    pub fn accesses_in(&self, task: usize, other: &Machine) -> Accesses {
        if self.pending[task].accesses.is_everything() {
            return Accesses::EVERYTHING_THERE_IS;
        }
        // An object unknown to the other state gets a fresh number.
        let mut objects = other.objects.clone();
        match &self.tasks[task] {
            // Its process received it.
            Task::Received(to) => Touch::NOTHING.write(Object::Itself(*to)).accesses(&mut objects),
            // A cancelled timer could have fired before.
            Task::Spent(..) if self.env.settings.time == Time::Any => Accesses::EVERYTHING_THERE_IS,
            _ => self.evaluate(task, &mut objects).accesses,
        }
    }

    /// The accessed objects.
    pub(crate) fn objects(&self) -> &super::access::Objects {
        &self.objects
    }

    /// The settings.
    pub(crate) fn settings(&self) -> &crate::settings::Settings {
        &self.env.settings
    }

    /// The code.
    pub(crate) fn code(&self) -> std::rc::Rc<crate::code::Code> {
        self.env.code.clone()
    }

    /// A summary of the accesses of the last step.
    pub(crate) fn moved(&self) -> Mark {
        self.moved
    }

    /// The tasks whose pending operation may have changed with the last step.
    pub(crate) fn each_looked_at(&self, visit: impl FnMut(usize)) {
        self.fresh.each(self.tasks.len(), visit);
    }

    /// The accesses that the accesses of a process's pending operation depend on; none if that is not known.
    pub(crate) fn basis_of(&self, task: usize) -> Option<Accesses> {
        let p = self.process(task);
        if p.round > 0 {
            return None;
        }
        let object = match &p.next {
            Next::Call(native, _) => visible::basis(native, &Look { machine: self, me: p, args: &p.x })?,
            // A message with no signal in transit before it is sent in the same way to an exited process.
            Next::Send(_) => match &p.x[0] {
                Term::Pid(to)
                    if self.settings().delivery != Delivery::Pairs && self.pair(p.pid, *to).is_none() =>
                {
                    return Some(Accesses::NONE);
                }
                _ => return None,
            },
            _ => return None,
        };
        self.objects.find(object).map(Accesses::read)
    }

    /// Evaluates all pending operations.
    pub(super) fn refresh(&mut self) {
        self.stale.everything();
        self.refresh_after(Accesses::EVERYTHING_THERE_IS);
    }

    /// Updates the pending operations after a step with these accesses. Only the operations that conflict
    /// with it can have changed, those of processes that it changed, with their messages, and those that timers or
    /// faults blocked or enabled.
    pub(super) fn refresh_after(&mut self, accesses: Accesses) {
        let mut objects = std::mem::take(&mut self.objects);
        let mut pending = std::mem::take(&mut self.pending);
        let mut marks = std::mem::take(&mut self.marks);
        let moved = Mark::of(accesses);
        self.moved = moved;
        let known = pending.len();
        let mut stale = std::mem::take(&mut self.stale);
        stale.add_conflicts(&marks, moved);
        stale.sort();
        let mut enabled = std::mem::take(&mut self.enabled);
        stale.each(known, |task| {
            let now = self.evaluate(task, &mut objects);
            note_enabled(&mut enabled, task, pending[task].options > 0, now.options > 0);
            pending[task] = now;
            marks.set(task, self.mark_of(task, now.accesses));
        });
        let mut changed = self.env.changed.take();
        stale.each(known, |task| {
            if self.has_messages(task) {
                self.find_changed_messages(task, &enabled, known, &mut changed);
            }
        });
        for (task, ready) in changed.drain(..) {
            stale.add(task);
            pending[task].options = ready as u32;
            note_enabled(&mut enabled, task, !ready, ready);
        }
        self.env.changed.set(changed);
        for task in known..self.tasks.len() {
            stale.add(task);
            let now = self.evaluate(task, &mut objects);
            note_enabled(&mut enabled, task, false, now.options > 0);
            pending.push(now);
            marks.set(task, self.mark_of(task, now.accesses));
        }
        self.enabled = enabled;
        self.fresh = stale;
        // Now and then all evaluations are compared, which costs more than a step. (Not after the assumption
        // about exits was refuted: then exits had more effects than accesses.)
        #[cfg(debug_assertions)]
        if self.steps.is_multiple_of(5) && !self.are_ends_observed() {
            for (task, pending) in pending.iter().enumerate() {
                let now = self.evaluate(task, &mut objects);
                assert!(
                    *pending == now,
                    "{} {}: {pending:?} should be {now:?} after {} touched {accesses:?}",
                    self.name_of(task),
                    self.words(task),
                    self.name_of(self.current)
                );
            }
        }
        self.objects = objects;
        self.marks = marks;
        // After the end of the execution, operations stay pending: they could have come before.
        if self.over.is_some() || self.halted {
            self.enabled.clear();
        } else if let Some(task) = self.hurried {
            self.let_only_move(task, &mut pending);
            self.stale.everything();
            self.list_enabled(&pending);
        } else {
            self.let_timers_fire(&mut pending);
            self.let_faults_happen(&mut pending);
        }
        debug_assert!(
            self.over.is_some()
                || self.halted
                || self
                    .enabled
                    .iter()
                    .map(|t| t.index())
                    .eq((0..pending.len()).filter(|t| pending[*t].options > 0))
        );
        self.pending = pending;
    }

    /// A summary of the accesses of a pending operation. That of a message never changes but with its receiver, and what is
    /// over has none any more: no step makes these stale.
    #[inline]
    fn mark_of(&self, task: usize, accesses: Accesses) -> Mark {
        match &self.tasks[task] {
            Task::UnorderedMessage(_) | Task::Received(_) | Task::Spent(_) => Mark::default(),
            Task::Process(p) if matches!(p.next, Next::Gone) => Mark::default(),
            _ => Mark::of(accesses),
        }
    }

    /// Lists the enabled tasks.
    fn list_enabled(&mut self, pending: &[Pending]) {
        self.enabled.clear();
        let enabled = pending.iter().enumerate().filter(|(_, p)| p.options > 0);
        self.enabled.extend(enabled.map(|(task, _)| TaskId(task as u32)));
    }

    /// Enables only a process and its messages; they conflict with everything, since everything else is
    /// blocked.
    fn let_only_move(&self, only: u32, pending: &mut [Pending]) {
        let pid = self.process(only as usize).pid;
        for (task, p) in pending.iter_mut().enumerate() {
            let its = task == only as usize
                || matches!(&self.tasks[task], Task::UnorderedMessage(l) if l.to == pid);
            if !its {
                p.options = 0;
            } else if p.options > 0 {
                p.accesses = Accesses::EVERYTHING_THERE_IS;
            }
        }
    }

    pub(super) fn test_is_over(&self) -> bool {
        self.process(0).is_gone() || self.only_tells_the_gone(0)
    }

    pub(super) fn let_timers_fire(&mut self, pending: &mut [Pending]) {
        let busy = !self.enabled.is_empty();
        if busy && self.env.settings.time == Time::Idle {
            return;
        }
        let Some(earliest) = self.earliest() else { return };
        if self.is_cut_short(earliest) || !busy && self.only_loops_sleep() {
            return;
        }
        for (task, p) in pending.iter_mut().enumerate() {
            if self.deadline_of(task) == Some(earliest) {
                p.options = 1;
                // A timer advances the clock, which local code may read: nothing is reordered across it.
                p.accesses = Accesses::EVERYTHING_THERE_IS;
                p.manner = Manner::Phantom;
                self.stale.add(task);
            }
        }
        self.list_enabled(pending);
    }

    fn let_faults_happen(&mut self, pending: &mut [Pending]) {
        if self.kills_left == 0 {
            return;
        }
        let Some(task) = self.tasks.iter().position(|t| matches!(t, Task::Faults)) else { return };
        let busy = self.enabled.iter().any(|task| !self.only_tells_the_gone(task.index()));
        if !busy && self.test_is_over() {
            return;
        }
        // When no other task is enabled, to kill no process is an option too.
        let victims = self.victims().len() as u32;
        pending[task].options = if busy || victims == 0 { victims } else { victims + 1 };
        pending[task].accesses = Accesses::EVERYTHING_THERE_IS;
        pending[task].manner = Manner::Phantom;
        self.stale.add(task);
        self.list_enabled(pending);
    }

    /// Whether the pending operation of a process is enabled, timers aside.
    pub(super) fn is_ready(&self, task: usize) -> bool {
        self.touch(task).1 > 0
    }

    /// The accesses of a process's pending operation, and its number of options.
    fn touch(&self, task: usize) -> (Touch, u32) {
        let p = self.process(task);
        let mine = Touch::NOTHING.read(Object::Itself(p.pid));
        let (touch, options) = self.touch_alone(task, p, mine);
        let (touch, options) = match p.round {
            0 => (touch, options),
            _ => self.touch_in_loop(task, touch, options),
        };
        let more = match self.env.settings.grain {
            Grain::Full => false,
            // With this grain a step continues after a call that raises.
            Grain::Thesis => options > 0 && self.would_raise(task, p),
            Grain::Receive => options > 0,
        };
        (if more { Touch::EVERYTHING } else { touch }, options)
    }

    /// Whether a process's pending call would raise an exception.
    fn would_raise(&self, task: usize, p: &Process) -> bool {
        const NEVER: [&str; 12] = [
            "spawn",
            "spawn_link",
            "spawn_monitor",
            "monitor",
            "demonitor",
            "whereis",
            "process_flag",
            "unlink",
            "is_process_alive",
            "alias",
            "unalias",
            "registered",
        ];
        match &p.next {
            Next::Send(_) => match &p.x[0] {
                Term::Pid(_) | Term::Ref(_) => false,
                Term::Atom(name) => !self.names.contains_key(name),
                _ => true,
            },
            Next::Call(native, _) if native.module == "erlang" && NEVER.contains(&native.function) => false,
            Next::Call(native, _) => {
                let Run::Visible(visible) = &native.run else { return false };
                if visible::succeeds(native, &Look { machine: self, me: p, args: &p.x }) {
                    debug_assert!((visible.act)(&mut self.clone(), task, &p.x).is_ok());
                    return false;
                }
                (visible.act)(&mut self.clone(), task, &p.x).is_err()
            }
            Next::Receive(found) => matches!(found, Found::BadTimeout { .. }),
            _ => false,
        }
    }

    pub(super) fn touch_alone(&self, task: usize, p: &Process, mine: Touch) -> (Touch, u32) {
        match &p.next {
            Next::Call(native, _) => {
                let Run::Visible(visible) = &native.run else { unreachable!("only visible natives") };
                let look = Look { machine: self, me: p, args: &p.x };
                let ready = visible.ready.is_none_or(|ready| ready(&look));
                ((visible.touches)(&look, mine), ready as u32)
            }
            Next::Send(_) => (visible::send_touches(&Look { machine: self, me: p, args: &p.x }, mine), 1),
            Next::Receive(_) if self.is_order_open() => self.open_receive(p, mine),
            Next::Receive(found) => match found {
                Found::Message(_) => (mine.write(Object::In(p.pid)), 1),
                Found::Nothing { deadline: Some(Deadline::Now), .. } => (mine.read(Object::In(p.pid)), 1),
                Found::Nothing { .. } => (mine.write(Object::In(p.pid)), 0),
                Found::BadTimeout { .. } => (mine, 1),
            },
            Next::Exit => (self.exit_touches(task, p, mine), 1),
            Next::Gone => (Touch::NOTHING, 0),
        }
    }

    /// Refutes the assumption that exits are unobserved, if these accesses do.
    #[inline]
    fn look_for_observers(&self, touch: Touch) {
        if touch.observes_ends() {
            self.ends_are_observed();
        }
    }

    fn evaluate(&self, task: usize, objects: &mut super::access::Objects) -> Pending {
        match &self.tasks[task] {
            Task::Process(p) => {
                if matches!(p.next, Next::Gone) {
                    return Pending::NOTHING;
                }
                let doomed = p.is_doomed() && self.is_order_open();
                let (touch, options) = match &p.next {
                    Next::Exit if doomed && !self.has_end(p.pid) => self.touch(task),
                    // It was about to exit by itself.
                    Next::Exit if doomed => {
                        (Touch::NOTHING.read(Object::Itself(p.pid)).write(Object::Watch(p.pid)), 0)
                    }
                    _ if doomed => {
                        (self.touch_alone(task, p, Touch::NOTHING.read(Object::Itself(p.pid))).0, 0)
                    }
                    _ => self.touch(task),
                };
                self.look_for_observers(touch);
                let place = (p.pc.module as u64) << 32 | p.pc.at as u64;
                let kind = match &p.next {
                    Next::Call(..) => 1,
                    Next::Send(_) => 2,
                    Next::Receive(_) => 3,
                    Next::Exit => 4,
                    Next::Gone => 5,
                };
                let signature = (p.pid.hash64() ^ place.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ kind) as u32;
                Pending { accesses: touch.accesses(objects), options, signature, manner: Manner::Ordinary }
            }
            Task::Pair(pair) => {
                let Some(signal) = pair.queue.first() else { return Pending::NOTHING };
                let touch = self.delivery_touches(pair.from, pair.to, signal);
                self.look_for_observers(touch);
                let signature = (pair.from.hash64() ^ pair.to.hash64().rotate_left(9)) as u32;
                Pending { accesses: touch.accesses(objects), options: 1, signature, manner: Manner::Phantom }
            }
            Task::End(pid) => {
                let task = self.find(*pid).expect("its process is there");
                let p = self.process(task);
                if p.is_gone() {
                    return Pending::NOTHING;
                }
                let touch = self.exit_touches(task, p, Touch::NOTHING.read(Object::Itself(*pid)));
                self.look_for_observers(touch);
                let signature = (pid.hash64() as u32).rotate_left(3);
                Pending { accesses: touch.accesses(objects), options: 1, signature, manner: Manner::Ordinary }
            }
            Task::UnorderedMessage(message) => self.evaluate_unordered(task, message, objects),
            Task::Timer(timer) => Pending {
                accesses: Accesses::EVERYTHING_THERE_IS,
                options: 0,
                signature: timer.number ^ timer.owner.hash64() as u32,
                manner: Manner::Phantom,
            },
            Task::Received(_) | Task::Spent(..) => Pending::NOTHING,
            Task::Faults => {
                let accesses = match self.kills_left {
                    0 => Accesses::NONE,
                    _ => Accesses::EVERYTHING_THERE_IS,
                };
                Pending { accesses, signature: 0xfa17, ..Pending::NOTHING }
            }
        }
    }
}
