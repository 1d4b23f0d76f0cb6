//! Spawning, exit signals, flags, hibernation, halting.

use super::{Done, Effect, Look, Visible, bad, value, visible, yes};
use crate::machine::Machine;
use crate::machine::access::{Object, Touch};
use crate::machine::spawn::SpawnOptions;
use crate::machine::{Signal, Sort};
use crate::native::Native;
use crate::process::{AliasKind, Process};
use crate::run::Raise;
use crate::term::{Atom, Fun, Pid, Ref, Term, known};
use raddle_core::verdict::{Cause, Defect};
use std::rc::Rc;

fn nothing(_: &Look<'_>, touch: Touch) -> Touch {
    touch
}

/// The function to call: `(Fun)` or `(M, F, Args)`.
fn target(a: &[Term]) -> Result<(Atom, Atom, Term), Raise> {
    match a {
        [Term::Fun(f)] => {
            let arity = match &**f {
                Fun::Export { arity, .. } | Fun::Local { arity, .. } => *arity,
            };
            if arity != 0 {
                return bad();
            }
            Ok((known::ERLANG, Atom::new("apply"), Term::list([a[0].clone(), Term::Nil])))
        }
        [Term::Atom(m), Term::Atom(f), args] if args.to_vec().is_some() => Ok((*m, *f, args.clone())),
        _ => bad(),
    }
}

fn spawn(
    m: &mut Machine,
    task: usize,
    a: &[Term],
    options: SpawnOptions,
) -> Result<(Pid, Option<Ref>), Raise> {
    let (module, function, args) = target(a)?;
    Ok(m.spawn(task, module, function, args, options))
}

/// The options of `monitor`: the tag of the message, and the kind of alias.
pub(super) fn monitor_options(list: &Term) -> Result<(Term, Option<AliasKind>), Raise> {
    let (mut tag, mut alias) = (Term::Atom(known::DOWN), None);
    for option in list.to_vec().ok_or_else(Raise::badarg)? {
        match option.as_tuple() {
            Some([key, value]) if key.is_atom(known::TAG) => tag = value.clone(),
            Some([key, value]) if key.is_atom(known::ALIAS) => {
                alias = Some(match value.as_atom().map(Atom::text) {
                    Some("explicit_unalias") => AliasKind::Explicit,
                    Some("demonitor") => AliasKind::Demonitor,
                    Some("reply_demonitor") => AliasKind::Reply,
                    _ => return bad(),
                });
            }
            _ => return bad(),
        }
    }
    Ok((tag, alias))
}

fn options(list: &Term) -> Result<SpawnOptions, Raise> {
    let mut options = SpawnOptions::default();
    for option in list.to_vec().ok_or_else(Raise::badarg)? {
        match (option.as_atom().map(Atom::text), option.as_tuple()) {
            (Some("link"), _) => options.link = true,
            (Some("monitor"), _) => options.monitor = Some((Term::Atom(known::DOWN), None)),
            (_, Some([key, value])) => match key.as_atom().map(Atom::text) {
                Some("monitor") => options.monitor = Some(monitor_options(value)?),
                Some("priority") => options.priority = Some(priority(value)?),
                Some(
                    "fullsweep_after" | "min_heap_size" | "min_bin_vheap_size" | "max_heap_size"
                    | "message_queue_data" | "async_dist",
                ) => {}
                _ => return bad(),
            },
            _ => return bad(),
        }
    }
    Ok(options)
}

fn priority(t: &Term) -> Result<Atom, Raise> {
    match t.as_atom() {
        Some(a) if ["low", "normal", "high", "max"].contains(&a.text()) => Ok(a),
        _ => bad(),
    }
}

static SPAWN: Visible = Visible {
    touches: nothing,
    ready: None,
    act: |m, task, a| value(spawn(m, task, a, SpawnOptions::default())?.0),
};

static SPAWN_LINK: Visible = Visible {
    touches: nothing,
    ready: None,
    act: |m, task, a| value(spawn(m, task, a, SpawnOptions { link: true, ..SpawnOptions::default() })?.0),
};

fn pair((pid, reference): (Pid, Option<Ref>)) -> Term {
    match reference {
        Some(r) => Term::tuple([Term::Pid(pid), Term::Ref(r)]),
        None => Term::Pid(pid),
    }
}

static SPAWN_MONITOR: Visible = Visible {
    touches: nothing,
    ready: None,
    act: |m, task, a| {
        let monitor = Some((Term::Atom(known::DOWN), None));
        value(pair(spawn(m, task, a, SpawnOptions { monitor, ..SpawnOptions::default() })?))
    },
};

static SPAWN_OPT: Visible = Visible {
    touches: nothing,
    ready: None,
    act: |m, task, a| {
        let (last, rest) = a.split_last().expect("it has arguments");
        value(pair(spawn(m, task, rest, options(last)?)?))
    },
};

/// A spawn request: the call, its options if they are valid, and which replies it wants.
struct SpawnRequest {
    call: Vec<Term>,
    options: Option<SpawnOptions>,
    tag: Term,
    success_told: bool,
    error_told: bool,
}

/// Parses the arguments of `spawn_request`, with or without a node and options.
fn spawn_request(a: &[Term]) -> Result<SpawnRequest, Raise> {
    let fun = |t: &Term| matches!(t, Term::Fun(_));
    let (node, call, list) = match a {
        [f] if fun(f) => (None, &a[..1], None),
        [f, list] if fun(f) => (None, &a[..1], Some(list)),
        [node, f] if fun(f) => (Some(node), &a[1..], None),
        [node, f, list] if fun(f) => (Some(node), &a[1..2], Some(list)),
        // An atom in third place is a function name.
        [node, _, Term::Atom(_), ..] => (Some(node), &a[1..], None),
        [_, _, _] => (None, a, None),
        [_, _, _, list] => (None, &a[..3], Some(list)),
        _ => return bad(),
    };
    let (call, list) = if let [_, _, _, list] = call { (&call[..3], Some(list)) } else { (call, list) };
    if node.is_some_and(|node| !node.is_atom(known::NONODE)) {
        return Err(Raise::unsupported("spawning on another node (distribution) is not supported"));
    }
    target(call)?;
    let mut request = SpawnRequest {
        call: call.to_vec(),
        options: None,
        tag: Term::atom("spawn_reply"),
        success_told: true,
        error_told: true,
    };
    let (mut right, mut others) = (true, Vec::new());
    for option in list.map_or(Some(Vec::new()), Term::to_vec).ok_or_else(Raise::badarg)? {
        match option.as_tuple() {
            Some([key, value]) if key.is_atom(Atom::new("reply_tag")) => request.tag = value.clone(),
            Some([key, value]) if key.is_atom(Atom::new("reply")) => {
                (request.success_told, request.error_told) = match value.as_atom().map(Atom::text) {
                    Some("yes") => (true, true),
                    Some("success_only") => (true, false),
                    Some("error_only") => (false, true),
                    Some("no") => (false, false),
                    _ => {
                        right = false;
                        (true, true)
                    }
                };
            }
            _ => others.push(option),
        }
    }
    request.options = if right { options(&Term::list(others)).ok() } else { None };
    Ok(request)
}

static SPAWN_REQUEST: Visible = Visible {
    touches: |look, touch| match spawn_request(look.args) {
        // The reply comes from the new process, before its own signals.
        Ok(request) if request.options.is_some() && request.success_told => {
            let child = look.me.pid.child(look.me.children + 1);
            look.machine.sending_touches(touch, child, look.me.pid, Sort::Message)
        }
        Ok(request) if request.options.is_none() && request.error_told => {
            look.machine.sending_touches(touch, look.me.pid, look.me.pid, Sort::Message)
        }
        _ => touch,
    },
    ready: None,
    act: |m, task, a| {
        let request = spawn_request(a)?;
        let Some(options) = request.options else {
            let p = m.process_mut(task);
            let (me, reference) = (p.pid, p.make_ref());
            if request.error_told {
                let (error, badopt) = (Term::Atom(known::ERROR), Term::atom("badopt"));
                m.send_message(me, me, Term::tuple([request.tag, Term::Ref(reference), error, badopt]));
            }
            return value(reference);
        };
        let (child, monitor) = spawn(m, task, &request.call, options)?;
        let p = m.process_mut(task);
        let (me, reference) = (p.pid, monitor.unwrap_or_else(|| p.make_ref()));
        if request.success_told {
            let reply = [request.tag, Term::Ref(reference), Term::Atom(known::OK), Term::Pid(child)];
            m.send_message(child, me, Term::tuple(reply));
        }
        value(reference)
    },
};

/// With one node a request is complete as soon as it is made.
static ABANDON: Visible = Visible {
    touches: nothing,
    ready: None,
    act: |_, _, a| if matches!(a[0], Term::Ref(_)) { value(false) } else { bad() },
};

static EXIT2: Visible = Visible {
    touches: |look, touch| match look.args[0] {
        Term::Pid(to) => look.machine.sending_touches(touch, look.me.pid, to, Sort::exit(&look.args[1])),
        _ => touch,
    },
    ready: None,
    act: |m, task, a| {
        let Term::Pid(to) = a[0] else { return bad() };
        if to.is_system() {
            return Err(crate::machine::system::refuse("an exit signal to", to));
        }
        let me = m.process(task).pid;
        m.send(me, to, Signal::Exit(me, a[1].clone()));
        yes()
    },
};

/// There are no other nodes, so a subscriber gets no message. Only the number of subscriptions is stored.
fn monitor_nodes(p: &mut Process, on: &Term) -> Result<Term, Raise> {
    let on = on.as_bool().ok_or_else(Raise::badarg)?;
    let name = Atom::new("monitor_nodes");
    let old = p.flags.iter().find(|(n, _)| *n == name).and_then(|(_, times)| times.as_usize()).unwrap_or(0);
    p.flags.retain(|(n, _)| *n != name);
    if on {
        p.flags.push((name, Term::from(old + 1)));
    }
    Ok(Term::from(old))
}

static PROCESS_FLAG: Visible = Visible {
    touches: |look, touch| touch.write(Object::Watch(look.me.pid)),
    ready: None,
    act: |m, task, a| {
        let p = m.process_mut(task);
        let old = match a[0].as_atom().map(Atom::text) {
            Some("trap_exit") => {
                let Some(on) = a[1].as_bool() else { return bad() };
                Term::bool(std::mem::replace(&mut p.trap_exit, on))
            }
            Some("priority") => Term::Atom(std::mem::replace(&mut p.priority, priority(&a[1])?)),
            Some(
                flag @ ("min_heap_size" | "min_bin_vheap_size" | "max_heap_size" | "message_queue_data"
                | "fullsweep_after" | "sensitive" | "async_dist"),
            ) => {
                let name = Atom::new(flag);
                let default = match flag {
                    "min_heap_size" => Term::Int(233),
                    "min_bin_vheap_size" => Term::Int(46422),
                    "message_queue_data" => Term::atom("on_heap"),
                    "fullsweep_after" => Term::Int(65535),
                    "sensitive" | "async_dist" => Term::bool(false),
                    _ => {
                        return Err(Raise::unsupported(
                            "erlang:process_flag(max_heap_size, ...) is not supported: memory is not limited",
                        ));
                    }
                };
                match p.flags.iter_mut().find(|(n, _)| *n == name) {
                    Some((_, old)) => std::mem::replace(old, a[1].clone()),
                    None => {
                        p.flags.push((name, a[1].clone()));
                        default
                    }
                }
            }
            Some("monitor_nodes") => monitor_nodes(p, &a[1])?,
            _ => match a[0].as_tuple() {
                Some([flag, options]) if flag.as_atom().map(Atom::text) == Some("monitor_nodes") => {
                    if *options != Term::Nil {
                        return Err(Raise::unsupported(
                            "net_kernel:monitor_nodes with options is not supported: there are no other nodes; leave the options out",
                        ));
                    }
                    monitor_nodes(p, &a[1])?
                }
                _ => return bad(),
            },
        };
        value(old)
    },
};

static HIBERNATE: Visible = Visible {
    touches: |look, touch| look.machine.absence(touch, look.me),
    ready: Some(|look| !look.me.mailbox.is_empty()),
    act: |_, _, a| match (&a[0], &a[1]) {
        (Term::Atom(module), Term::Atom(function)) if a[2].to_vec().is_some() => {
            Ok(Effect::Jump(*module, *function, a[2].clone()))
        }
        _ => bad(),
    },
};

fn halt(m: &mut Machine, task: usize, a: &[Term]) -> Done {
    let failure = match a.first() {
        None | Some(Term::Int(0)) => None,
        Some(Term::Int(n)) => Some(format!("halt({n})")),
        Some(other) => Some(format!("halt({other})")),
    };
    match failure {
        None => m.halted = true,
        Some(what) => {
            let process = m.process(task).pid.to_string();
            m.over = Some(Rc::new(Defect::of(Cause::Halted { process, call: what })));
        }
    }
    Ok(Effect::Over)
}

static HALT: Visible = Visible { touches: |_, _| Touch::EVERYTHING, ready: None, act: halt };

static GROUP_LEADER: Visible = Visible {
    touches: |look, touch| match look.args[1] {
        Term::Pid(to) => look.machine.sending_touches(touch, look.me.pid, to, Sort::Changing),
        _ => touch,
    },
    ready: None,
    act: |m, task, a| match (&a[0], &a[1]) {
        (Term::Pid(leader), Term::Pid(to)) => {
            let me = m.process(task).pid;
            m.send(me, *to, Signal::GroupLeader(*leader));
            yes()
        }
        _ => bad(),
    },
};

const E: &str = "erlang";

pub static TABLE: &[Native] = &[
    visible(E, "spawn", 1, &SPAWN),
    visible(E, "spawn", 3, &SPAWN),
    visible(E, "spawn_link", 1, &SPAWN_LINK),
    visible(E, "spawn_link", 3, &SPAWN_LINK),
    visible(E, "spawn_monitor", 1, &SPAWN_MONITOR),
    visible(E, "spawn_monitor", 3, &SPAWN_MONITOR),
    visible(E, "spawn_opt", 2, &SPAWN_OPT),
    visible(E, "spawn_opt", 4, &SPAWN_OPT),
    visible(E, "spawn_request", 1, &SPAWN_REQUEST),
    visible(E, "spawn_request", 2, &SPAWN_REQUEST),
    visible(E, "spawn_request", 3, &SPAWN_REQUEST),
    visible(E, "spawn_request", 4, &SPAWN_REQUEST),
    visible(E, "spawn_request", 5, &SPAWN_REQUEST),
    visible(E, "spawn_request_abandon", 1, &ABANDON),
    visible(E, "exit", 2, &EXIT2),
    visible(E, "exit_signal", 2, &EXIT2),
    visible(E, "process_flag", 2, &PROCESS_FLAG),
    visible(E, "hibernate", 3, &HIBERNATE),
    visible(E, "halt", 0, &HALT),
    visible(E, "halt", 1, &HALT),
    visible(E, "halt", 2, &HALT),
    visible("init", "stop", 0, &HALT),
    visible("init", "stop", 1, &HALT),
    visible(E, "group_leader", 2, &GROUP_LEADER),
];
