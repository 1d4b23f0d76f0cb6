//! The processes of a booted node: they have names and pids and are alive, and have no code. Output that is sent to the
//! system's devices in the io protocol is kept with its sender; every other operation on such a process is refused.

use super::{Machine, Signal};
use crate::run::Raise;
use crate::term::{Atom, Pid, Ref, Term, known};

/// The registered names of a booted OTP 25 without a shell. `user` is the first.
pub const NAMES: [&str; 24] = [
    "user",
    "application_controller",
    "code_server",
    "erl_prim_loader",
    "erl_signal_server",
    "erts_code_purger",
    "file_server_2",
    "global_group",
    "global_group_check",
    "global_name_server",
    "inet_db",
    "init",
    "kernel_refc",
    "kernel_safe_sup",
    "kernel_sup",
    "logger",
    "logger_handler_watcher",
    "logger_proxy",
    "logger_std_h_default",
    "logger_sup",
    "rex",
    "socket_registry",
    "standard_error",
    "standard_error_sup",
];

/// The named tables of a booted OTP 25.
const TABLES: [&str; 18] = [
    "ac_tab",
    "code_names",
    "file_io_servers",
    "global_locks",
    "global_lost_connections",
    "global_names",
    "global_names_ext",
    "global_node_resources",
    "global_pid_ids",
    "global_pid_names",
    "inet_cache",
    "inet_db",
    "inet_hosts_byaddr",
    "inet_hosts_byname",
    "inet_hosts_file_byaddr",
    "inet_hosts_file_byname",
    "inet_sockets",
    "logger",
];

/// Whether a table of the system has this name.
pub(crate) fn has_table(name: Atom) -> bool {
    TABLES.contains(&name.text())
}

/// The identifier of a table of the system.
pub(crate) fn table_id(name: Atom) -> Option<Ref> {
    let at = TABLES.iter().position(|table| *table == name.text())?;
    Some(Ref { maker: Pid::user(), number: at as u32 + 1 })
}

/// The name of a table of the system, by its name or its identifier.
pub(crate) fn table_name(id: &Term) -> Option<Atom> {
    match id {
        Term::Atom(name) => has_table(*name).then_some(*name),
        Term::Ref(Ref { maker, number }) if *maker == Pid::user() => {
            TABLES.get((*number as usize).checked_sub(1)?).map(|name| Atom::new(name))
        }
        _ => None,
    }
}

/// An operation on a table of the system is refused; on another table that is not there it is a bad argument.
pub(crate) fn no_table(id: &Term) -> Raise {
    match table_name(id) {
        Some(name) => {
            Raise::unsupported(format!("the system table {name} is not supported: it has no contents here"))
        }
        None => Raise::badarg(),
    }
}

/// The system's processes, by name.
pub(super) fn names() -> impl Iterator<Item = (Atom, Pid)> {
    let pid = |number: usize| if number == 0 { Pid::user() } else { Pid::user().child(number as u32) };
    NAMES.iter().enumerate().map(move |(number, name)| (Atom::new(name), pid(number)))
}

/// The registered name of a system process.
pub(crate) fn name_of(pid: Pid) -> &'static str {
    match pid.path() {
        [_] => NAMES[0],
        [_, number, ..] => NAMES.get(*number as usize).copied().unwrap_or("unknown"),
        [] => "unknown",
    }
}

/// An operation on a system process is refused.
pub(crate) fn refuse(what: &str, pid: Pid) -> Raise {
    Raise::unsupported(format!(
        "{what} the system process {} is not supported: it has no code here",
        name_of(pid)
    ))
}

/// The sender of a request of the io protocol, its reference and the request.
pub(crate) fn request(message: &Term) -> Option<(Pid, &Term, &Term)> {
    match message.as_tuple() {
        Some([tag, Term::Pid(from), reference, request]) if tag.as_atom()?.text() == "io_request" => {
            Some((*from, reference, request))
        }
        _ => None,
    }
}

impl Machine {
    /// A message to a system process.
    pub(crate) fn send_to_system(&mut self, task: usize, to: Pid, message: &Term) -> Result<(), Raise> {
        let is_device = matches!(name_of(to), "user" | "standard_error");
        let Some((from, reference, request)) = request(message).filter(|_| is_device) else {
            return Err(refuse("a message to", to));
        };
        let text = match request.as_tuple() {
            Some([tag, _, chars]) if tag.as_atom().is_some_and(|tag| tag.text() == "put_chars") => {
                chars.to_text().or_else(|| String::from_utf8(chars.iolist_bytes()?).ok())
            }
            _ => None,
        };
        let Some(text) = text else { return Err(refuse("such a request of the io protocol to", to)) };
        self.process_mut(task).print(text);
        let reply = [Term::atom("io_reply"), reference.clone(), Term::Atom(known::OK)];
        self.send(to, from, Signal::Message(Term::tuple(reply)));
        Ok(())
    }
}
