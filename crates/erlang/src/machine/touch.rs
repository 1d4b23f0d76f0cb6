//! What signals and ends touch: see [`super::access`].

use super::access::{Object, Touch};
use super::signal::Sort;
use super::{Machine, Signal};
use crate::process::{AliasKind, ExitStep, Lost, Process};
use crate::settings::Grain;
use crate::term::{Pid, Ref, Term, known};

impl Machine {
    /// A message arrives at `to`.
    pub(crate) fn arrival(&self, touch: Touch, to: Pid) -> Touch {
        if self.is_order_open() { touch.read(Object::In(to)) } else { touch.write(Object::In(to)) }
    }

    /// A message about the end of a monitored process arrives.
    pub(crate) fn down_arrival(&self, touch: Touch, reference: Ref, to: Pid) -> Touch {
        let touch = touch.write(Object::Reference(reference));
        if self.is_order_open() { touch } else { touch.write(Object::In(to)) }
    }

    /// A process depends on which messages it does not have.
    pub(crate) fn absence(&self, touch: Touch, p: &Process) -> Touch {
        let touch = touch.write(Object::In(p.pid));
        if !self.is_order_open() {
            return touch;
        }
        // Those who watch others are told without touching `In`.
        let is_down = |message: &Term| match message.as_tuple() {
            Some([_, Term::Ref(_), kind, _, _]) => kind.is_atom(known::PROCESS),
            _ => false,
        };
        if p.monitors.is_empty() && !p.mailbox.iter().any(is_down) { touch } else { Touch::EVERYTHING }
    }

    /// What sending a signal touches: the queue of its pair if it joins it, else what it touches where it
    /// arrives.
    pub(crate) fn sending_touches(&self, touch: Touch, from: Pid, to: Pid, sort: Sort) -> Touch {
        if self.arrives_at_once(from, to, sort) {
            // What is on its way already would hold it up.
            let held = from != to && self.pair(from, to).is_some();
            let touch = if held { touch.read(Object::Queue(from, to)) } else { touch };
            self.arriving_touches(touch, from, to, sort)
        } else {
            touch.write(Object::Queue(from, to))
        }
    }

    /// What a signal touches where it arrives.
    pub(super) fn arriving_touches(&self, touch: Touch, from: Pid, to: Pid, sort: Sort) -> Touch {
        let receiver = self.find(to).map(|task| self.process(task));
        let alive = self.alive(to).is_some();
        let traps = receiver.is_some_and(|p| p.trap_exit);
        let deadly = |touch: Touch| {
            let touch = touch.write(Object::Itself(to)).write(Object::Watch(to));
            receiver.map_or(touch, |p| self.leaving_touches(touch, p))
        };
        match sort {
            Sort::Message => self.arrival(touch, to),
            Sort::Aliased(alias) => {
                let touch = self.arrival(touch.write(Object::Reference(alias)), to);
                let Some(p) = receiver else { return touch };
                let ends = p.aliases.contains(&(alias, AliasKind::Reply));
                let told = p.lost.iter().any(|lost| matches!(lost, Lost::Monitor(r, _) if *r == alias));
                match p.watched_by(alias).filter(|_| ends || told) {
                    // The sender's own end is behind this in any case.
                    Some(other) if other == from => touch,
                    Some(other) => touch.read(Object::Watch(other)),
                    None => touch,
                }
            }
            Sort::Down(reference) => self.down_arrival(touch, reference, to),
            Sort::LinkedExit { normal } => {
                if !alive {
                    return touch.read(Object::Watch(to));
                }
                let link = Object::Link(from, to);
                match receiver.is_some_and(|p| p.links.contains(&from)) {
                    // Before the link was taken away, it would have been deadly.
                    false if !traps && !normal => deadly(touch),
                    false => touch.write(link).read(Object::Watch(to)),
                    true if traps => self.arrival(touch.write(link).read(Object::Watch(to)), to),
                    true if normal => touch.write(link).read(Object::Watch(to)),
                    // Whether it traps exits is for itself to change.
                    true => deadly(touch),
                }
            }
            Sort::Exit { kill, normal } => match () {
                () if !alive => touch.read(Object::Watch(to)),
                () if kill => deadly(touch),
                () if traps => self.arrival(touch.read(Object::Watch(to)), to),
                () if normal && from != to => touch.read(Object::Watch(to)),
                () => deadly(touch),
            },
            Sort::Watching => touch.read(Object::Watch(to)),
            Sort::Changing => touch.read(Object::Watch(to)).write(Object::Itself(to)),
        }
    }

    /// A process is alive no longer: its own monitors of others are taken away with it, as far as they have not fired. Where the
    /// order of messages is left open, whoever fires tells the dead, too.
    fn leaving_touches(&self, touch: Touch, p: &Process) -> Touch {
        let fires = !self.is_order_open() && !p.monitors.is_empty();
        if fires { touch.read(Object::In(p.pid)) } else { touch }
    }

    /// What the delivery of a signal that was on its way touches.
    pub(super) fn delivery_touches(&self, from: Pid, to: Pid, signal: &Signal) -> Touch {
        let touch = Touch::NOTHING.write(Object::Queue(from, to));
        let dead = self.alive(to).is_none();
        match signal {
            // The answer of the dead is on a way of its own.
            Signal::Link(_) if dead && !self.answers_first(to, from) => Touch::EVERYTHING,
            Signal::Link(_) | Signal::TakenBack(_) => {
                touch.read(Object::Watch(to)).read(Object::Link(from, to))
            }
            Signal::Monitor(m) if dead => {
                let touch = touch.read(Object::Watch(to));
                match self.arrives_at_once(to, from, Sort::Down(m.reference)) && self.pair(to, from).is_none()
                {
                    true => self.down_arrival(touch, m.reference, from),
                    false => Touch::EVERYTHING,
                }
            }
            Signal::Monitor(m) => touch.read(Object::Watch(to)).read(Object::Reference(m.reference)),
            _ => self.arriving_touches(touch, from, to, signal.sort()),
        }
    }

    /// What the next step of an ending process touches.
    pub(super) fn exit_touches(&self, task: usize, p: &Process, mine: Touch) -> Touch {
        let exiting = p.exiting.as_ref().expect("a process that ends");
        if self.ends_alone(task) {
            return mine.ends(p.pid);
        }
        let mine = if exiting.begun { Touch::NOTHING } else { mine };
        let step = self.next_exit_step(task);
        let normal = exiting.reason.is_atom(known::NORMAL);
        let vanish = |touch: Touch| {
            let touch = touch.write(Object::Watch(p.pid));
            let touch = p.name.map_or(touch, |name| touch.write(Object::Name(name)));
            if !self.is_order_open() {
                let touch = self.leaving_touches(touch, p);
                return p.monitors.iter().fold(touch, |touch, m| touch.read(Object::Watch(m.other)));
            }
            match self.may_fail(task) {
                false => touch,
                // Whether somebody notices depends on who of those that watch is still there.
                true => p.monitored_by.iter().fold(touch, |touch, m| touch.read(Object::Watch(m.other))),
            }
        };
        if self.env.settings.grain != Grain::Full {
            let tells_at_once = |pid: Pid| match self.alive(pid) {
                Some(t) => normal && !self.process(t).trap_exit,
                None => false,
            };
            if self.will_fail(task)
                || step != ExitStep::Vanish
                || !p.links.iter().all(|pid| tells_at_once(*pid))
            {
                return Touch::EVERYTHING;
            }
            // Whether they are there and trap exits.
            let touch = p
                .links
                .iter()
                .fold(vanish(mine), |touch, pid| touch.read(Object::In(*pid)).read(Object::Watch(*pid)));
            if self.is_order_open() {
                return touch;
            }
            return p.monitored_by.iter().fold(touch, |touch, m| touch.write(Object::In(m.other)));
        }
        match step {
            ExitStep::Table(id) => {
                let touch = mine.write(Object::table(&id));
                // With its first step it is no longer alive.
                let touch = match exiting.begun {
                    true => touch,
                    false => self.leaving_touches(touch.write(Object::Watch(p.pid)), p),
                };
                match self.tables.get(&id).and_then(|t| t.heir.as_ref()) {
                    Some((heir, _)) => {
                        let touch = touch.read(Object::Watch(*heir));
                        self.sending_touches(touch, p.pid, *heir, Sort::Message)
                    }
                    None => touch,
                }
            }
            // Whether somebody notices depends on who watches, who is linked and who traps exits. Even if it is plain to
            // see here, it would not be if this came earlier, and what touches more there would not be found.
            ExitStep::Vanish if self.may_fail(task) => Touch::EVERYTHING,
            ExitStep::Vanish => vanish(mine),
            ExitStep::Link(other) => self.sending_touches(mine, p.pid, other, Sort::LinkedExit { normal }),
            ExitStep::Down(reference, other) => {
                self.sending_touches(mine, p.pid, other, Sort::Down(reference))
            }
        }
    }
}
