//! What could happen next: the pending operation of every task, with what it touches.

use super::access::{Object, Touch};
use super::{Machine, Signal, Task};
use crate::native::Run;
use crate::native::visible::{self, Look};
use crate::process::{Deadline, ExitStep, Found, Next, Process};
use crate::settings::{Delivery, Grain};
use crate::term::Pid;
use raddle_core::clock::Time;
use raddle_core::operation::{Accesses, TaskId};
use raddle_core::world::{Manner, Pending, Point};

impl Machine {
    /// What could happen next.
    pub fn point(&self) -> Point<'_> {
        Point::new(&self.enabled, &self.pending)
    }

    /// Works out anew what could happen next.
    pub(super) fn refresh(&mut self) {
        let mut objects = std::mem::take(&mut self.objects);
        let mut pending = std::mem::take(&mut self.pending);
        pending.clear();
        let over = self.over.is_some() || self.halted;
        for task in 0..self.tasks.len() {
            pending.push(if over { Pending::NOTHING } else { self.evaluate(task, &mut objects) });
        }
        self.objects = objects;
        if !over {
            self.let_timers_fire(&mut pending);
            self.let_faults_happen(&mut pending);
        }
        self.enabled.clear();
        let movers = pending.iter().enumerate().filter(|(_, p)| p.options > 0);
        self.enabled.extend(movers.map(|(task, _)| TaskId(task as u32)));
        self.pending = pending;
    }

    fn test_is_over(&self) -> bool {
        matches!(self.process(0).next, Next::Gone)
    }

    fn let_timers_fire(&self, pending: &mut [Pending]) {
        // When the test is over and nothing else can happen, nobody waits for timers any more.
        let busy = pending.iter().any(|p| p.options > 0);
        if self.test_is_over() || busy && self.env.settings.time == Time::Idle {
            return;
        }
        let Some(earliest) = self.earliest() else { return };
        for (task, p) in pending.iter_mut().enumerate() {
            let deadline = match &self.tasks[task] {
                Task::Timer(timer) => Some(timer.deadline),
                Task::Process(process) => process.deadline(),
                _ => None,
            };
            if deadline == Some(earliest) {
                p.options = 1;
                // A firing moves the clock, which local code may read: nothing is reordered across it.
                p.accesses = Accesses::EVERYTHING_THERE_IS;
                p.manner = Manner::Phantom;
            }
        }
    }

    fn let_faults_happen(&self, pending: &mut [Pending]) {
        if self.kills_left == 0 {
            return;
        }
        let Some(task) = self.tasks.iter().position(|t| matches!(t, Task::Faults)) else { return };
        let busy = pending.iter().any(|p| p.options > 0);
        if !busy && self.test_is_over() {
            return;
        }
        // When nothing else can happen, to kill nobody is a choice too.
        let victims = self.victims().len() as u32;
        pending[task].options = if busy || victims == 0 { victims } else { victims + 1 };
        pending[task].accesses = Accesses::EVERYTHING_THERE_IS;
        pending[task].manner = Manner::Phantom;
    }

    /// Whether a process could take its pending operation, timers aside.
    pub(super) fn is_ready(&self, task: usize) -> bool {
        self.touch(task).1 > 0
    }

    /// What a process's pending operation touches, and in how many ways it can go.
    fn touch(&self, task: usize) -> (Touch, u32) {
        let p = self.process(task);
        let mine = Touch::NOTHING.read(Object::Itself(p.pid));
        match &p.next {
            Next::Call(native, _) => {
                let Run::Visible(visible) = &native.run else { unreachable!("only visible natives") };
                let look = Look { machine: self, me: p, args: &p.x };
                let ready = visible.ready.is_none_or(|ready| ready(&look));
                ((visible.touches)(&look, mine), ready as u32)
            }
            Next::Send(_) => (visible::send_touches(&Look { machine: self, me: p, args: &p.x }, mine), 1),
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

    fn exit_touches(&self, task: usize, p: &Process, mine: Touch) -> Touch {
        let begun = p.exiting.as_ref().is_some_and(|e| e.begun);
        let mine = if begun { Touch::NOTHING } else { mine };
        let step = self.next_exit_step(task);
        let vanish = |touch: Touch| {
            let touch = touch.write(Object::Watch(p.pid));
            p.name.map_or(touch, |name| touch.write(Object::Name(name)))
        };
        if self.env.settings.grain != Grain::Full {
            let plain = p.links.is_empty() && p.monitored_by.is_empty() && p.monitors.is_empty();
            return match step {
                ExitStep::Vanish if plain => vanish(mine),
                ExitStep::Vanish if p.links.is_empty() && p.monitors.is_empty() => {
                    p.monitored_by.iter().fold(vanish(mine), |t, m| t.write(Object::In(m.other)))
                }
                _ => Touch::EVERYTHING,
            };
        }
        match step {
            ExitStep::Table(id) => mine.write(Object::table(&id)),
            // Its own monitors of others are taken away with it.
            ExitStep::Vanish => {
                p.monitors.iter().fold(vanish(mine), |touch, m| touch.write(Object::Watch(m.other)))
            }
            ExitStep::Link(other) => self.signal_touches(mine, p.pid, other, true),
            ExitStep::Down(_, other) => self.signal_touches(mine, p.pid, other, false),
        }
    }

    /// What a signal that arrives touches; a deadly one, all of its receiver.
    fn signal_touches(&self, touch: Touch, from: Pid, to: Pid, deadly: bool) -> Touch {
        if self.env.settings.delivery == Delivery::Pairs || self.on_the_way(from, to) {
            // It only joins the queue of its pair.
            return touch.write(Object::Timer(from.hash64() ^ to.hash64().rotate_left(7)));
        }
        let touch = touch.write(Object::In(to));
        if deadly { touch.write(Object::Itself(to)).write(Object::Watch(to)) } else { touch }
    }

    fn evaluate(&self, task: usize, objects: &mut super::access::Objects) -> Pending {
        match &self.tasks[task] {
            Task::Process(p) => {
                if matches!(p.next, Next::Gone) {
                    return Pending::NOTHING;
                }
                let (touch, options) = self.touch(task);
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
                let queue = Object::Timer(pair.from.hash64() ^ pair.to.hash64().rotate_left(7));
                let touch = Touch::NOTHING.write(queue);
                let touch = match signal {
                    Signal::Message(_) | Signal::Aliased(..) | Signal::Down(..) => {
                        touch.write(Object::In(pair.to))
                    }
                    Signal::Link(_) | Signal::Unlink(_) | Signal::Monitor(_) | Signal::Demonitor(_) => {
                        // A dead receiver answers.
                        let touch = touch.write(Object::Watch(pair.to));
                        let dead = self.alive(pair.to).is_none();
                        match signal {
                            // The answer to a link can be deadly.
                            Signal::Link(_) if dead => Touch::EVERYTHING,
                            _ if dead => touch.write(Object::In(pair.from)),
                            _ => touch,
                        }
                    }
                    _ => Touch::EVERYTHING,
                };
                let signature = (pair.from.hash64() ^ pair.to.hash64().rotate_left(9)) as u32;
                Pending { accesses: touch.accesses(objects), options: 1, signature, manner: Manner::Phantom }
            }
            Task::Timer(timer) => Pending {
                accesses: Accesses::EVERYTHING_THERE_IS,
                options: 0,
                signature: timer.number ^ timer.owner.hash64() as u32,
                manner: Manner::Phantom,
            },
            Task::Spent => Pending::NOTHING,
            Task::Faults => Pending { signature: 0xfa17, ..Pending::NOTHING },
        }
    }
}
