//! Links, monitors and aliases, as in the Erlang Reference Manual, "Processes".

use super::processes::monitor_options;
use super::{Done, Look, Visible, bad, value, visible, yes};
use crate::machine::access::{Object, Touch};
use crate::machine::{Machine, Signal, Sort, system};
use crate::native::{Native, Run};
use crate::process::{AliasKind, Lost, Monitor};
use crate::run::Raise;
use crate::term::{Atom, Pid, Ref, Term, known};

fn link_touches(look: &Look<'_>, touch: Touch) -> Touch {
    let me = look.me;
    let Term::Pid(other) = look.args[0] else { return touch };
    if me.links.contains(&other) {
        return touch.write(Object::Link(me.pid, other)).read(Object::Watch(other));
    }
    let touch = touch.read(Object::Watch(other));
    match look.machine.alive(other) {
        None => {
            // The exit signal of an earlier link may have arrived already.
            let touch = touch.read(Object::Link(me.pid, other));
            if look.machine.is_order_open() { touch } else { look.machine.arrival(touch, me.pid) }
        }
        Some(_) => {
            // Before a link was removed, there was nothing to do. With instant delivery the other process may
            // remove it as soon as it exists.
            let was_linked = me.lost.contains(&Lost::Link(other));
            let at_once = look.machine.arrives_at_once(me.pid, other, Sort::Watching);
            let touch = if was_linked || at_once { touch.write(Object::Link(me.pid, other)) } else { touch };
            look.machine.sending_touches(touch, me.pid, other, Sort::Watching)
        }
    }
}

static LINK: Visible = Visible {
    touches: link_touches,
    ready: None,
    act: |m, task, a| {
        let Term::Pid(other) = a[0] else { return bad() };
        if other.is_system() {
            return Err(system::refuse("a link to", other));
        }
        let p = m.process(task);
        let (me, trapping) = (p.pid, p.trap_exit);
        if other == me || p.links.contains(&other) {
            return yes();
        }
        if m.alive(other).is_none() {
            if !trapping {
                return Err(Raise::error(Term::Atom(known::NOPROC)));
            }
            let message = [Term::Atom(known::EXIT_SIGNAL), Term::Pid(other), Term::Atom(known::NOPROC)];
            m.arrive(me, Signal::Message(Term::tuple(message)));
            return yes();
        }
        let links = &mut m.process_mut(task).links;
        let at = links.partition_point(|l| *l < other);
        links.insert(at, other);
        m.send(me, other, Signal::Link(me));
        yes()
    },
};

static UNLINK: Visible = Visible {
    touches: |look, touch| match look.args[0] {
        Term::Pid(other) => touch.write(Object::Link(look.me.pid, other)).read(Object::Watch(other)),
        _ => touch,
    },
    ready: None,
    act: |m, task, a| {
        let Term::Pid(other) = a[0] else { return bad() };
        if m.process(task).links.contains(&other) {
            m.forget_link(task, other);
        }
        yes()
    },
};

/// The target of a monitor: the process if it exists, and the item in DOWN messages.
fn watched(m: &Machine, item: &Term) -> Result<(Option<Pid>, Term), Raise> {
    let by_name = |name: Atom| {
        let shown = Term::tuple([Term::Atom(name), Term::Atom(known::NONODE)]);
        (m.names.get(&name).copied(), shown)
    };
    match item {
        Term::Pid(pid) => Ok((Some(*pid), item.clone())),
        Term::Atom(name) => Ok(by_name(*name)),
        Term::Tuple(t) => match &t[..] {
            [Term::Atom(name), Term::Atom(node)] if *node == known::NONODE => Ok(by_name(*name)),
            [Term::Atom(_), Term::Atom(_)] => Err(Raise::unsupported(
                "monitoring a process of another node (distribution) is not supported",
            )),
            _ => bad(),
        },
        _ => bad(),
    }
}

fn monitor(m: &mut Machine, task: usize, a: &[Term]) -> Done {
    match a[0].as_atom().map(Atom::text) {
        Some("process") => {}
        // The offset never changes.
        Some("time_offset") if a[1].as_atom().is_some_and(|item| item.text() == "clock_service") => {
            return value(m.process_mut(task).make_ref());
        }
        Some("time_offset") => return bad(),
        Some("port") => {
            return Err(Raise::unsupported(format!("erlang:monitor({}, ...) is not supported", a[0])));
        }
        _ => return bad(),
    }
    let (tag, alias) = a.get(2).map_or(Ok((Term::Atom(known::DOWN), None)), monitor_options)?;
    let (other, shown) = watched(m, &a[1])?;
    if let Some(pid) = other.filter(|pid| pid.is_system()) {
        return Err(system::refuse("a monitor of", pid));
    }
    let p = m.process_mut(task);
    let (me, reference) = (p.pid, p.make_ref());
    if let Some(kind) = alias {
        p.aliases.push((reference, kind));
    }
    if other == Some(me) {
        return value(reference);
    }
    let on = |other: Pid| Monitor { reference, other, shown: shown.clone(), tag: tag.clone() };
    match other {
        Some(other) if m.find(other).is_some() => {
            m.process_mut(task).monitors.push(on(other));
            m.send(me, other, Signal::Monitor(on(me)));
        }
        _ => {
            m.process_mut(task).monitors.push(on(me));
            m.arrive(me, Signal::Down(reference, Term::Atom(known::NOPROC)));
        }
    }
    value(reference)
}

static MONITOR: Visible = Visible {
    touches: |look, touch| match watched(look.machine, &look.args[1]) {
        Ok((other, shown)) => {
            let (me, machine) = (look.me.pid, look.machine);
            let by_name = shown.as_tuple().and_then(|t| t[0].as_atom());
            let touch = by_name.map_or(touch, |name| {
                // An earlier owner of the name would have been monitored then.
                let once = machine.once_named(name, other);
                once.fold(touch.read(Object::Name(name)), |touch, pid| {
                    machine.sending_touches(touch, me, pid, Sort::Watching)
                })
            });
            // The new reference is unknown to others; but with ordered mailboxes the position of the message
            // matters.
            let answered = |touch| if machine.is_order_open() { touch } else { machine.arrival(touch, me) };
            match other.filter(|other| machine.find(*other).is_some()) {
                Some(other) if other == me => touch,
                Some(other) => {
                    // Whether the process is alive is decided when the signal arrives.
                    let at_once = machine.arrives_at_once(me, other, Sort::Watching);
                    let touch = machine.sending_touches(touch, me, other, Sort::Watching);
                    if at_once && machine.alive(other).is_none() { answered(touch) } else { touch }
                }
                None => answered(touch),
            }
        }
        Err(_) => touch,
    },
    ready: None,
    act: monitor,
};

fn demonitor(m: &mut Machine, task: usize, a: &[Term]) -> Done {
    let Term::Ref(reference) = a[0] else { return bad() };
    let (mut flush, mut info) = (false, false);
    if let Some(options) = a.get(1) {
        for option in options.to_vec().ok_or_else(Raise::badarg)? {
            match option.as_atom().map(Atom::text) {
                Some("flush") => flush = true,
                Some("info") => info = true,
                _ => return bad(),
            }
        }
    }
    let p = m.process_mut(task);
    p.aliases.retain(|(alias, kind)| *alias != reference || *kind == AliasKind::Explicit);
    let was_there = m.forget_monitor(task, reference);
    if flush && !was_there {
        let is_its = |t: &Term| match t.as_tuple() {
            Some([_, r, kind, _, _]) => *r == Term::Ref(reference) && kind.is_atom(known::PROCESS),
            _ => false,
        };
        if let Some(at) = m.process(task).mailbox.iter().position(is_its) {
            m.take_from_mailbox(task, at);
        }
    }
    value(!info || was_there)
}

static DEMONITOR: Visible = Visible {
    touches: |look, touch| {
        let Term::Ref(reference) = look.args[0] else { return touch };
        let touch = touch.write(Object::Reference(reference));
        let only_flush = |options: &Term| {
            options
                .to_vec()
                .is_some_and(|all| matches!(&all[..], [Term::Atom(flush)] if flush.text() == "flush"))
        };
        if look.machine.tells_ends_at_once() && look.args.get(1).is_some_and(only_flush) {
            // A DOWN message before this is flushed, and none comes after it: no process can observe the
            // order.
            return touch;
        }
        // Also if DOWN arrived already, since that depends on the exit.
        match look.me.watched_by(reference) {
            Some(other) => touch.read(Object::Watch(other)),
            None => touch,
        }
    },
    ready: None,
    act: demonitor,
};

/// Creates an alias with options.
fn alias(m: &mut Machine, task: usize, a: &[Term]) -> Done {
    let mut kind = AliasKind::Explicit;
    if let Some(options) = a.first() {
        for option in options.to_vec().ok_or_else(Raise::badarg)? {
            kind = match option.as_atom().map(Atom::text) {
                Some("explicit_unalias") => AliasKind::Explicit,
                Some("reply") => AliasKind::Reply,
                _ => return bad(),
            };
        }
    }
    let p = m.process_mut(task);
    let reference: Ref = p.make_ref();
    p.aliases.push((reference, kind));
    value(reference)
}

// A new alias is unknown to others.
static ALIAS: Visible = Visible { touches: |_, touch| touch, ready: None, act: alias };

static UNALIAS: Visible = Visible {
    touches: |look, touch| match look.args[0] {
        Term::Ref(alias) => touch.write(Object::Reference(alias)),
        _ => touch,
    },
    ready: None,
    act: |m, task, a| {
        let Term::Ref(reference) = a[0] else { return bad() };
        let p = m.process_mut(task);
        if reference.maker != p.pid {
            return bad();
        }
        let before = p.aliases.len();
        p.aliases.retain(|(alias, _)| *alias != reference);
        value(p.aliases.len() < before)
    },
};

const E: &str = "erlang";

pub static TABLE: &[Native] = &[
    visible(E, "link", 1, &LINK),
    visible(E, "unlink", 1, &UNLINK),
    visible(E, "monitor", 2, &MONITOR),
    visible(E, "monitor", 3, &MONITOR),
    visible(E, "demonitor", 1, &DEMONITOR),
    visible(E, "demonitor", 2, &DEMONITOR),
    visible(E, "alias", 0, &ALIAS),
    visible(E, "alias", 1, &ALIAS),
    visible(E, "unalias", 1, &UNALIAS),
    Native { module: E, function: "monitor_node", arity: 2, run: Run::Local(|_, _| Ok(Term::bool(true))) },
];
