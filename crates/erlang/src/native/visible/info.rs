//! Information about other processes: `process_info`, `is_process_alive`, `processes`.

use super::{Done, Look, Visible, bad, value, visible};
use crate::machine::access::{Object, Touch};
use crate::machine::{Machine, system};
use crate::native::{Native, Run};
use crate::process::{Next, Process};
use crate::run::Raise;
use crate::term::{Atom, Term, known};

fn one(m: &Machine, task: usize, asker: usize, what: Atom) -> Result<Option<Term>, Raise> {
    let p: &Process = m.process(task);
    let mfa = |module: Atom, function: Atom, arity: u32| {
        Term::tuple([Term::Atom(module), Term::Atom(function), Term::Int(arity as i64)])
    };
    let pids = |list: Vec<Term>| Term::list(list);
    let found = match what.text() {
        "registered_name" => match p.name {
            Some(name) => Term::Atom(name),
            None => return Ok(None),
        },
        "links" => pids(p.links.iter().map(|l| Term::Pid(*l)).collect()),
        "monitors" => {
            let item = |shown: &Term| Term::tagged(known::PROCESS, shown.clone());
            Term::list(p.monitors.iter().map(|mon| item(&mon.shown)).collect::<Vec<_>>())
        }
        "monitored_by" => pids(p.monitored_by.iter().map(|mon| Term::Pid(mon.other)).collect()),
        "messages" if m.is_order_open() && p.mailbox.len() > 1 => {
            m.env.settings.unread_order.refute();
            return Err(Raise::unsupported(
                "erlang:process_info(_, messages) depends on the order of messages, which the reduction leaves \
                 open: use --strategy dfs",
            ));
        }
        "messages" => Term::list(p.mailbox.clone()),
        "message_queue_len" => Term::from(p.mailbox.len()),
        "status" => Term::atom(match p.next {
            _ if task == asker => "running",
            Next::Receive(crate::process::Found::Message(_)) => "runnable",
            Next::Receive(_) if p.messages.iter().any(|l| l.fits) => "runnable",
            Next::Receive(_) => "waiting",
            _ if p.is_hibernated() && p.mailbox.is_empty() => "waiting",
            Next::Exit => "exiting",
            _ => "runnable",
        }),
        "dictionary" => {
            let pair = |(k, v): &(Term, Term)| Term::tuple([k.clone(), v.clone()]);
            Term::list(p.dictionary.entries().iter().map(pair).collect::<Vec<_>>())
        }
        "trap_exit" => Term::bool(p.trap_exit),
        "priority" => Term::Atom(p.priority),
        "group_leader" => Term::Pid(p.group_leader),
        "initial_call" => mfa(p.initial_call.0, p.initial_call.1, p.initial_call.2),
        "parent" => p.pid.parent().map_or(Term::Atom(known::UNDEFINED), Term::Pid),
        "current_function" if p.is_hibernated() => mfa(known::ERLANG, Atom::new("hibernate"), 3),
        "current_function" => match m.env.code.module(p.pc.module).function_at(p.pc.at) {
            Some(f) => mfa(f.module, f.function, f.arity),
            None => Term::Atom(known::UNDEFINED),
        },
        "current_stacktrace" if p.is_hibernated() => {
            let call = [Term::Atom(known::ERLANG), Term::atom("hibernate"), Term::Int(3), Term::Nil];
            Term::list([Term::tuple(call)])
        }
        "current_stacktrace" => crate::run::stack_trace(p, &m.env),
        "current_location" if p.is_hibernated() => {
            Term::tuple([Term::Atom(known::ERLANG), Term::atom("hibernate"), Term::Int(3), Term::Nil])
        }
        "current_location" => match crate::run::stack_trace(p, &m.env).iter().next() {
            Some(place) => place.clone(),
            None => Term::Atom(known::UNDEFINED),
        },
        // Tracing is refused.
        "sequential_trace_token" => Term::Nil,
        "message_queue_data" => {
            let name = Atom::new("message_queue_data");
            p.flags.iter().find(|(n, _)| *n == name).map_or(Term::atom("on_heap"), |(_, v)| v.clone())
        }
        "error_handler" => Term::atom("error_handler"),
        "suspending" => Term::Nil,
        "last_calls" => Term::bool(false),
        "heap_size"
        | "total_heap_size"
        | "stack_size"
        | "memory"
        | "reductions"
        | "garbage_collection"
        | "garbage_collection_info"
        | "binary"
        | "fullsweep_after"
        | "min_heap_size"
        | "min_bin_vheap_size"
        | "max_heap_size"
        | "trace"
        | "backtrace"
        | "catchlevel"
        | "magic_ref"
        | "async_dist" => {
            return Err(Raise::unsupported(format!("erlang:process_info(_, {what}) is not supported")));
        }
        _ => return bad(),
    };
    Ok(Some(Term::tagged(what, found)))
}

fn process_info(m: &mut Machine, asker: usize, a: &[Term]) -> Done {
    let Term::Pid(pid) = a[0] else { return bad() };
    if pid.is_system() {
        if a.get(1).is_some_and(|what| what.is_atom(known::REGISTERED_NAME)) {
            return value(Term::tagged(known::REGISTERED_NAME, Term::atom(system::name_of(pid))));
        }
        return Err(system::refuse("erlang:process_info of", pid));
    }
    let task = m.find(pid).filter(|t| m.is_alive(*t));
    match a.get(1) {
        Some(Term::Atom(what)) => match task {
            Some(task) => match one(m, task, asker, *what)? {
                Some(found) => value(found),
                None => value(Term::Nil),
            },
            None => value(known::UNDEFINED),
        },
        Some(list) => {
            let list = list.to_vec().ok_or_else(Raise::badarg)?;
            let Some(task) = task else { return value(known::UNDEFINED) };
            let mut all = Vec::new();
            for what in list {
                let what = what.as_atom().ok_or_else(Raise::badarg)?;
                let none = || Term::tagged(what, Term::Nil);
                all.push(one(m, task, asker, what)?.unwrap_or_else(none));
            }
            value(Term::list(all))
        }
        None => Err(Raise::unsupported("erlang:process_info/1 is not supported: ask for what you need")),
    }
}

fn touches(look: &Look<'_>, touch: Touch) -> Touch {
    match look.args[0] {
        Term::Pid(pid) if pid == look.me.pid => {
            look.machine.absence(touch, look.me).write(Object::Watch(pid))
        }
        Term::Pid(pid) if look.args.get(1).is_some_and(|w| w.is_atom(known::REGISTERED_NAME)) => {
            touch.write(Object::Watch(pid)).read(Object::Queue(look.me.pid, pid))
        }
        // The activity of another process changes with each of its steps.
        _ => {
            look.machine.env.activity_is_read.set(true);
            Touch::EVERYTHING
        }
    }
}

/// Questions are signals: the caller's earlier ones to that process arrive before.
fn has_arrived(look: &Look<'_>) -> bool {
    match look.args[0] {
        Term::Pid(pid) => pid == look.me.pid || !look.machine.on_the_way(look.me.pid, pid),
        _ => true,
    }
}

static PROCESS_INFO: Visible = Visible { touches, ready: Some(has_arrived), act: process_info };

static IS_ALIVE: Visible = Visible {
    touches: |look, touch| match look.args[0] {
        Term::Pid(pid) => touch.read(Object::Watch(pid)).read(Object::Queue(look.me.pid, pid)),
        _ => touch,
    },
    ready: Some(has_arrived),
    act: |m, task, a| {
        let Term::Pid(pid) = a[0] else { return bad() };
        value(pid.is_system() || pid == m.process(task).pid || m.alive(pid).is_some())
    },
};

static PROCESSES: Visible = Visible {
    touches: |_, _| Touch::EVERYTHING,
    ready: None,
    act: |m, _, _| {
        let mut pids: Vec<_> = m.processes().filter(|(t, _)| m.is_alive(*t)).map(|(_, p)| p.pid).collect();
        pids.sort();
        value(Term::list(pids.into_iter().map(Term::Pid).collect::<Vec<_>>()))
    },
};

const E: &str = "erlang";

pub static TABLE: &[Native] = &[
    visible(E, "process_info", 1, &PROCESS_INFO),
    visible(E, "process_info", 2, &PROCESS_INFO),
    visible(E, "is_process_alive", 1, &IS_ALIVE),
    visible(E, "processes", 0, &PROCESSES),
    Native { module: E, function: "garbage_collect", arity: 1, run: Run::Local(|_, _| Ok(Term::bool(true))) },
    Native { module: E, function: "garbage_collect", arity: 2, run: Run::Local(|_, _| Ok(Term::bool(true))) },
];
