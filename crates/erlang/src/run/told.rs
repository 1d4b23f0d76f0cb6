//! What OTP's behaviours tell other processes of the exit of a process, before it: that a start failed, the reply to a
//! call after which a server stops, and a parent's exit that its child follows. Such an exit is no surprise, though no
//! process monitors it. Only messages that OTP's own code sends and receives count.

use super::{Class, Runner};
use crate::beam::Module;
use crate::term::{Atom, Pid, Term, known};
use std::sync::LazyLock;

/// What was told.
#[derive(Clone, Default)]
pub struct Told {
    /// Its starter got `{error, _}`.
    pub start_failed: bool,
    /// It replied to a call after it received its last message.
    pub replied: bool,
    /// It received an exit signal of its parent, with this reason.
    pub parent: Option<Term>,
}

struct Names {
    proc_lib: Atom,
    gen_module: Atom,
    /// The modules that call the callbacks of a server.
    loops: [Atom; 4],
    /// Functions of these modules that are called by clients.
    clients: [Atom; 4],
    /// The module of the processes that hold opened files.
    io_server: Atom,
    reply: Atom,
    ack: Atom,
    nack: Atom,
}

static NAMES: LazyLock<Names> = LazyLock::new(|| Names {
    proc_lib: Atom::new("proc_lib"),
    gen_module: Atom::new("gen"),
    loops: ["gen_server", "gen_statem", "gen_event", "gen_fsm"].map(Atom::new),
    clients: ["call", "multi_call", "stop", "sync_notify"].map(Atom::new),
    io_server: Atom::new("file_io_server"),
    reply: Atom::new("reply"),
    ack: Atom::new("ack"),
    nack: Atom::new("nack"),
});

impl Runner<'_> {
    /// Before a send: `proc_lib` tells a starter, or `gen` a caller.
    #[inline]
    pub(super) fn note_told(&mut self, module: &Module) {
        let names = &*NAMES;
        if module.name == names.gen_module {
            let caller = module.function_at(self.p.pc.at);
            self.p.told.replied |= caller.is_some_and(|f| f.function == names.reply);
        } else if module.name == names.proc_lib {
            let message = self.x(1);
            let failed =
                |result: &Term| matches!(result.as_tuple(), Some([tag, _]) if tag.is_atom(known::ERROR));
            self.p.told.start_failed |= match message.as_tuple() {
                Some([tag, Term::Pid(me), result]) if *me == self.p.pid => {
                    (tag.is_atom(names.ack) && failed(result)) || tag.is_atom(names.nack)
                }
                _ => false,
            };
        }
    }

    /// It received a message.
    #[inline]
    pub(super) fn note_received(&mut self, message: &Term) {
        if let Some([tag, Term::Pid(from), reason]) = message.as_tuple()
            && tag.is_atom(known::EXIT_SIGNAL)
            && self.p.trap_exit
            && self.p.pid.parent() == Some(*from)
        {
            self.p.told.parent = Some(reason.clone());
        }
    }

    /// It waits for the next message.
    #[inline]
    pub(super) fn note_waiting(&mut self) {
        self.p.told.replied = false;
    }

    /// Whether other processes were told of the exit by this exception.
    pub(super) fn is_told(&self, class: Class, trace: &Term) -> bool {
        let told = &self.p.told;
        let is_told = |by: Atom| told.replied && NAMES.loops.contains(&by) || by == NAMES.io_server;
        told.start_failed || class == Class::Exit && stopped_by(trace).is_some_and(is_told)
    }

    /// The parent, if the process exits because its parent did.
    pub(super) fn followed(&self, class: Class, reason: &Term) -> Option<Pid> {
        let follows = class == Class::Exit && self.p.told.parent.as_ref() == Some(reason);
        self.p.pid.parent().filter(|_| follows)
    }
}

/// The behaviour that stops by itself, and not by an exception of its callback: the innermost call is one of it.
fn stopped_by(trace: &Term) -> Option<Atom> {
    match trace.iter().next().and_then(Term::as_tuple)? {
        [Term::Atom(module), Term::Atom(function), ..] if !NAMES.clients.contains(function) => Some(*module),
        _ => None,
    }
}
