//! The accesses of signals and exits: see [`super::access`]. Operations without a conflict must commute,
//! which `tests/commute.rs` checks.

use super::access::{Object, Touch};
use super::signal::Sort;
use super::{Machine, Signal};
use crate::process::{AliasKind, ExitStep, Lost, Process};
use crate::settings::Grain;
use crate::term::{Pid, Ref, Term, known};

impl Machine {
    /// The accesses of a message that arrives at `to`.
    pub(crate) fn arrival(&self, touch: Touch, to: Pid) -> Touch {
        if self.is_order_open() { touch.read(Object::In(to)) } else { touch.write(Object::In(to)) }
    }

    /// The accesses of a DOWN message that arrives.
    pub(crate) fn down_arrival(&self, touch: Touch, reference: Ref, to: Pid) -> Touch {
        let touch = touch.write(Object::Reference(reference));
        if self.is_order_open() { touch } else { touch.write(Object::In(to)) }
    }

    /// The accesses of an operation that depends on the absence of messages.
    pub(crate) fn absence(&self, touch: Touch, p: &Process) -> Touch {
        let touch = touch.write(Object::In(p.pid));
        if !self.is_order_open() {
            return touch;
        }
        // DOWN messages arrive without an access to `In`.
        let is_down = |message: &Term| match message.as_tuple() {
            Some([_, Term::Ref(_), kind, _, _]) => kind.is_atom(known::PROCESS),
            _ => false,
        };
        if p.monitors.is_empty() && !p.mailbox.iter().any(is_down) { touch } else { Touch::EVERYTHING }
    }

    /// The accesses of sending a signal: the queue of its pair if it joins it, else the accesses of its
    /// arrival.
    pub(crate) fn sending_touches(&self, touch: Touch, from: Pid, to: Pid, sort: Sort) -> Touch {
        if self.arrives_at_once(from, to, sort) {
            // A signal already in transit would delay it.
            let held = from != to && self.pair(from, to).is_some();
            let touch = if held { touch.read(Object::Queue(from, to)) } else { touch };
            self.arriving_touches(touch, from, to, sort)
        } else {
            touch.write(Object::Queue(from, to))
        }
    }

    /// The accesses of a signal on arrival.
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
                    // The exit of the sender comes later in any case.
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
                    // Before the link was removed, it would have been fatal.
                    false if !traps && !normal => deadly(touch),
                    false => touch.write(link).read(Object::Watch(to)),
                    true if traps => self.arrival(touch.write(link).read(Object::Watch(to)), to),
                    true if normal => touch.write(link).read(Object::Watch(to)),
                    // Only the process itself changes its `trap_exit` flag.
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

    /// A process exits: its own monitors are removed, unless they fired. With unordered mailboxes a monitor
    /// also fires for an exited process.
    fn leaving_touches(&self, touch: Touch, p: &Process) -> Touch {
        let fires = !self.is_order_open() && !p.monitors.is_empty();
        if fires { touch.read(Object::In(p.pid)) } else { touch }
    }

    /// The first step of an exit fixes which tables are lost: those that it owns, without those that other processes deleted.
    fn owning_touches(&self, touch: Touch, p: &Process) -> Touch {
        let deleted = p.lost.iter().filter_map(|lost| match lost {
            Lost::Table(id) => Some(id),
            _ => None,
        });
        let touch = deleted.fold(touch, |touch, id| touch.read(Object::table(id)));
        self.tables.owned_by(p.pid).iter().fold(touch, |touch, id| touch.read(Object::table(id)))
    }

    /// The accesses of a process that loses its table, which its heir may inherit.
    fn losing_touches(&self, touch: Touch, p: &Process, id: &Term) -> Touch {
        let touch = touch.write(Object::table(id));
        match self.tables.get(id).and_then(|t| t.heir.as_ref()) {
            Some((heir, _)) => {
                self.sending_touches(touch.read(Object::Watch(*heir)), p.pid, *heir, Sort::Message)
            }
            None => touch,
        }
    }

    /// The accesses of the delivery of a signal in transit.
    pub(super) fn delivery_touches(&self, from: Pid, to: Pid, signal: &Signal) -> Touch {
        let touch = Touch::NOTHING.write(Object::Queue(from, to));
        let dead = self.alive(to).is_none();
        match signal {
            // The answer of an exited process joins another queue.
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

    /// The accesses of the next step of an exiting process.
    pub(super) fn exit_touches(&self, task: usize, p: &Process, mine: Touch) -> Touch {
        let exiting = p.exiting.as_ref().expect("a process that ends");
        if self.ends_alone(task) {
            return mine.ends(p.pid);
        }
        let mine = if exiting.begun { Touch::NOTHING } else { self.owning_touches(mine, p) };
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
                // Whether the exit is observed depends on which monitoring processes are alive.
                true => p.monitored_by.iter().fold(touch, |touch, m| touch.read(Object::Watch(m.other))),
            }
        };
        if self.env.settings.grain != Grain::Full {
            // The exit signals of links are sent in the same step, each in its own way.
            if self.will_fail(task) || !p.links.is_empty() {
                return Touch::EVERYTHING;
            }
            let tables = self.tables.owned_by(p.pid);
            let touch = tables.iter().fold(vanish(mine), |touch, id| self.losing_touches(touch, p, id));
            if self.is_order_open() {
                return touch;
            }
            return p.monitored_by.iter().fold(touch, |touch, m| touch.write(Object::In(m.other)));
        }
        match step {
            ExitStep::Table(id) => {
                let touch = self.losing_touches(mine, p, &id);
                // Its first step makes it exiting, which is no longer alive.
                match exiting.begun {
                    true => touch,
                    false => self.leaving_touches(touch.write(Object::Watch(p.pid)), p),
                }
            }
            // Whether the exit is observed depends on monitors, links and `trap_exit` flags. Even where the
            // answer is clear here, it might not be in an earlier state, and accesses missing there would
            // hide conflicts.
            ExitStep::Vanish if self.may_fail(task) => Touch::EVERYTHING,
            ExitStep::Vanish => vanish(mine),
            ExitStep::Link(other) => self.sending_touches(mine, p.pid, other, Sort::LinkedExit { normal }),
            ExitStep::Down(reference, other) => {
                self.sending_touches(mine, p.pid, other, Sort::Down(reference))
            }
        }
    }
}
