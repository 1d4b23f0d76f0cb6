//! Timers: `send_after`, `start_timer`, cancel, read.

use super::{Done, Visible, bad, value, visible};
use crate::machine::access::{Object, Touch};
use crate::machine::{Machine, Signal, Timer};
use crate::native::Native;
use crate::native::time::MONOTONIC_START;
use crate::run::Raise;
use crate::term::{Term, hash, known, number};

/// The deadline of a timer, in nanoseconds of virtual time.
fn deadline(m: &Machine, time: &Term, options: Option<&Term>) -> Result<u64, Raise> {
    let mut absolute = false;
    for option in options.map_or(Some(Vec::new()), Term::to_vec).ok_or_else(Raise::badarg)? {
        match option.as_tuple() {
            Some([key, on]) if key.is_atom(known::ABS) => {
                absolute = on.as_bool().ok_or_else(Raise::badarg)?
            }
            _ => return bad(),
        }
    }
    let Some(ms) = time.as_int() else { return bad() };
    if absolute {
        let ns = (ms as i128) * 1_000_000 - MONOTONIC_START as i128;
        return Ok(ns.clamp(m.now as i128, u64::MAX as i128 / 2) as u64);
    }
    if ms < 0 {
        return bad();
    }
    Ok(m.now.saturating_add((ms as u64).saturating_mul(1_000_000)))
}

fn start(m: &mut Machine, task: usize, a: &[Term], tagged: bool) -> Done {
    if !matches!(a[1], Term::Pid(_) | Term::Atom(_)) {
        return bad();
    }
    let deadline = deadline(m, &a[0], a.get(3))?;
    let fires = m.settings().fires(deadline.saturating_sub(m.now) / 1_000_000);
    let place = crate::machine::calls_of(m.process(task));
    let p = m.process_mut(task);
    p.timers += 1;
    let (owner, number, reference) = (p.pid, p.timers, p.make_ref());
    let message = if tagged {
        Term::tuple([Term::Atom(known::TIMEOUT), Term::Ref(reference), a[2].clone()])
    } else {
        a[2].clone()
    };
    let timer = Timer { owner, number, reference, to: a[1].clone(), message, deadline, fires, place };
    let to_the_dead = matches!(a[1], Term::Pid(pid) if m.alive(pid).is_none());
    if !to_the_dead {
        m.arm(timer);
    }
    value(reference)
}

fn left(m: &Machine, deadline: u64) -> Term {
    number::of_u64(deadline.saturating_sub(m.now).div_ceil(1_000_000))
}

fn options(list: Option<&Term>) -> Result<(bool, bool), Raise> {
    let (mut asynchronous, mut info) = (false, true);
    for option in list.map_or(Some(Vec::new()), Term::to_vec).ok_or_else(Raise::badarg)? {
        match option.as_tuple() {
            Some([key, on]) if key.is_atom(known::ASYNC) => {
                asynchronous = on.as_bool().ok_or_else(Raise::badarg)?
            }
            Some([key, on]) if key.is_atom(known::INFO) => info = on.as_bool().ok_or_else(Raise::badarg)?,
            _ => return bad(),
        }
    }
    Ok((asynchronous, info))
}

fn ask(m: &mut Machine, task: usize, a: &[Term], cancel: bool) -> Done {
    let Term::Ref(reference) = a[0] else { return bad() };
    let (asynchronous, info) = options(a.get(1))?;
    let found = m.timer(reference).map(|(timer, t)| (timer, t.deadline));
    let answer = found.map_or(Term::bool(false), |(_, deadline)| left(m, deadline));
    if cancel && let Some((timer, _)) = found {
        m.disarm(timer);
    }
    if !asynchronous {
        return if info { value(answer) } else { value(known::OK) };
    }
    if info {
        let tag = Term::atom(if cancel { "cancel_timer" } else { "read_timer" });
        let me = m.process(task).pid;
        m.arrive(me, Signal::Message(Term::tuple([tag, Term::Ref(reference), answer])));
    }
    value(known::OK)
}

fn of_timer(look: &super::Look<'_>, touch: Touch) -> Touch {
    let touch = touch.write(Object::Timer(hash::of(&look.args[0])));
    // The exit of its receiver cancels a timer, and may have done so already.
    let addressee = match look.args[0] {
        Term::Ref(reference) => look.machine.addressee(reference),
        _ => None,
    };
    let touch = match addressee {
        Some(Term::Pid(to)) => touch.read(Object::Watch(*to)),
        _ => touch,
    };
    if look.args.len() > 1 { look.machine.arrival(touch, look.me.pid) } else { touch }
}

/// The accesses of a new timer: whether its receiver is alive.
fn of_new_timer(look: &super::Look<'_>, touch: Touch) -> Touch {
    match look.args[1] {
        Term::Pid(to) if to != look.me.pid => touch.read(Object::Watch(to)),
        _ => touch,
    }
}

static SEND_AFTER: Visible =
    Visible { touches: of_new_timer, ready: None, act: |m, task, a| start(m, task, a, false) };
static START_TIMER: Visible =
    Visible { touches: of_new_timer, ready: None, act: |m, task, a| start(m, task, a, true) };
static CANCEL: Visible = Visible { touches: of_timer, ready: None, act: |m, task, a| ask(m, task, a, true) };
static READ: Visible = Visible { touches: of_timer, ready: None, act: |m, task, a| ask(m, task, a, false) };

const E: &str = "erlang";

pub static TABLE: &[Native] = &[
    visible(E, "send_after", 3, &SEND_AFTER),
    visible(E, "send_after", 4, &SEND_AFTER),
    visible(E, "start_timer", 3, &START_TIMER),
    visible(E, "start_timer", 4, &START_TIMER),
    visible(E, "cancel_timer", 1, &CANCEL),
    visible(E, "cancel_timer", 2, &CANCEL),
    visible(E, "read_timer", 1, &READ),
    visible(E, "read_timer", 2, &READ),
];
