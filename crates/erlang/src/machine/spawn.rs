//! Creates processes. A pid is the pid of the parent and the index of the child, so it does not depend on the
//! schedule.

use super::{Machine, Task};
use crate::process::{AliasKind, Monitor, Pc, Process};
use crate::term::{Atom, Pid, Ref, Term, known};
use std::rc::Rc;
use std::sync::LazyLock;

/// The options of a spawn.
#[derive(Clone, Default)]
pub struct SpawnOptions {
    /// Linked to its parent.
    pub link: bool,
    /// Monitored by its parent, with this tag and kind of alias.
    pub monitor: Option<(Term, Option<AliasKind>)>,
    /// Its priority.
    pub priority: Option<Atom>,
}

static FILE_IO_SERVER: LazyLock<Atom> = LazyLock::new(|| Atom::new("file_io_server"));

/// The module of the start instruction, which applies a function.
pub const START: u32 = 0;

/// Sets a process up to call `module:function(args...)` with an empty stack.
pub(super) fn set_up_call(p: &mut Process, module: Atom, function: Atom, args: Term) {
    p.pc = Pc { module: START, at: 0 };
    p.x = vec![Term::Atom(module), Term::Atom(function), args];
}

impl Machine {
    /// Creates the test process.
    pub(super) fn begin(&mut self, module: Atom, function: Atom, args: Vec<Term>) {
        let root = Pid::root();
        let initial = (module, function, args.len() as u32);
        let mut p = Process::new(root, Pc { module: START, at: 0 }, initial, Pid::user());
        set_up_call(&mut p, module, function, Term::list(args));
        self.add_process(p, 0);
        self.advance(0);
    }

    fn add_process(&mut self, p: Process, parent: usize) -> usize {
        let task = self.tasks.len();
        Rc::make_mut(&mut self.index).push((p.pid, task as u32));
        let number = p.pid.path().last().copied().unwrap_or(0);
        self.add_task(Task::Process(Rc::new(p)), parent, number)
    }

    /// Spawns a process.
    pub(crate) fn spawn(
        &mut self,
        parent: usize,
        module: Atom,
        function: Atom,
        args: Term,
        options: SpawnOptions,
    ) -> (Pid, Option<Ref>) {
        let p = self.process_mut(parent);
        p.children += 1;
        let (parent_pid, pid, leader) = (p.pid, p.pid.child(p.children), p.group_leader);
        let mut reference = None;
        let initial = match (module == known::ERLANG && function.text() == "apply", args.iter().next()) {
            (true, Some(Term::Fun(_))) => (known::ERLANG, Atom::new("apply"), 2),
            _ => (module, function, args.iter().count() as u32),
        };
        let mut child = Process::new(pid, Pc { module: START, at: 0 }, initial, leader);
        child.holds_file =
            matches!(args.iter().next(), Some(Term::Fun(fun)) if fun.module() == *FILE_IO_SERVER);
        set_up_call(&mut child, module, function, args);
        if options.link {
            let at = p.links.partition_point(|l| *l < pid);
            p.links.insert(at, pid);
            child.links.push(parent_pid);
        }
        if let Some((tag, alias)) = options.monitor {
            let r = p.make_ref();
            reference = Some(r);
            if let Some(kind) = alias {
                p.aliases.push((r, kind));
            }
            let monitor =
                |other: Pid| Monitor { reference: r, other, shown: Term::Pid(pid), tag: tag.clone() };
            p.monitors.push(monitor(pid));
            child.monitored_by.push(monitor(parent_pid));
        }
        if let Some(priority) = options.priority {
            child.priority = priority;
        }
        let task = self.add_process(child, parent);
        self.advance(task);
        (pid, reference)
    }
}
