//! proc_reg: a registry of processes whose clients write the table themselves and message the server afterwards
//! (Claessen and others, ICFP 2009: the three races that were found with PULSE, one of them by reasoning).
//!
//! All three register one process under one name from two clients. An exited process counts as registered
//! without an error, so no call may fail; the server removes exited processes.

use super::rt::sync::{Condvar, Mutex};
use super::{Crew, Fixed, Form};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Message {
    /// A client wrote the table; the server completes the registration.
    Cast,
    /// A client requests the removal of exited processes, and waits for the reply.
    Audit(usize),
}

#[derive(Default)]
struct State {
    /// Whether the name is in the table.
    forward: bool,
    /// Whether the server knows the process behind it.
    reverse: bool,
    alive: bool,
    mailbox: Vec<Message>,
    answered: [bool; 2],
    clients_left: usize,
}

#[derive(Default)]
struct Registry {
    state: Mutex<State>,
    changed: Condvar,
}

/// The changes of the repaired versions.
#[derive(Clone, Copy)]
struct Repairs {
    /// An audit removes a name even if its registration is not complete yet.
    audits_incomplete: bool,
    /// An exited process is never written into the table.
    looks_first: bool,
    /// The liveness check and the write are one step, and an exited process is no error.
    at_once: bool,
}

impl Registry {
    fn insert(&self) -> bool {
        !std::mem::replace(&mut self.state.lock().unwrap().forward, true) // cause
    }

    fn is_alive(&self) -> bool {
        self.state.lock().unwrap().alive
    }

    fn send(&self, message: Message) {
        self.state.lock().unwrap().mailbox.push(message); // cause
        self.changed.notify_all();
    }

    fn audit(&self, client: usize) {
        self.send(Message::Audit(client));
        let mut state = self.state.lock().unwrap();
        while !state.answered[client] {
            state = self.changed.wait(state).unwrap();
        }
    }

    /// Returns whether the call succeeded.
    fn register(&self, client: usize, repairs: Repairs) -> bool {
        if repairs.at_once {
            let mut state = self.state.lock().unwrap();
            state.forward |= state.alive;
            return true;
        }
        if repairs.looks_first && !self.is_alive() {
            return true;
        }
        if self.insert() {
            self.send(Message::Cast);
            return true;
        }
        if self.is_alive() {
            // Another client was first: an error that the caller expects.
            return true;
        }
        self.audit(client);
        let inserted = self.insert();
        if inserted {
            self.send(Message::Cast);
        }
        inserted
    }

    fn client(&self, client: usize, repairs: Repairs) {
        assert!(self.register(client, repairs), "registering a dead process failed");
        self.state.lock().unwrap().clients_left -= 1;
        self.changed.notify_all();
    }

    fn kill(&self) {
        self.state.lock().unwrap().alive = false; // cause
    }

    fn serve(&self, repairs: Repairs) {
        let mut state = self.state.lock().unwrap();
        while state.clients_left > 0 || !state.mailbox.is_empty() {
            if state.mailbox.is_empty() {
                state = self.changed.wait(state).unwrap();
                continue;
            }
            match state.mailbox.remove(0) {
                Message::Cast => state.reverse = true,
                Message::Audit(client) => {
                    if !state.alive && (state.reverse || repairs.audits_incomplete) {
                        (state.forward, state.reverse) = (false, false);
                    }
                    state.answered[client] = true;
                    self.changed.notify_all();
                }
            }
        }
    }
}

const AS_IT_WAS: Repairs = Repairs { audits_incomplete: false, looks_first: false, at_once: false };

fn crew(alive: bool, forward: bool, clients: usize, repairs: Repairs) -> Crew<Registry> {
    let state = State { forward, reverse: forward, alive, clients_left: clients, ..State::default() };
    let mut crew = Crew::new(Registry { state: Mutex::new(state), ..Registry::default() });
    crew = crew.task(move |registry| registry.serve(repairs));
    for client in 0..clients {
        crew = crew.task(move |registry| registry.client(client, repairs));
    }
    crew
}

/// The first race: a client has written the table and not yet messaged the server. It needs the other
/// client's audit to overtake that message: the server finds nothing to remove, and the name stays taken.
pub fn cast_overtaken(form: Form) {
    let at_once = form == Fixed;
    crew(false, false, 2, Repairs { at_once, ..AS_IT_WAS }).join();
}

/// The second: an exited process is in the table. It needs two clients that both request an audit: both
/// assume that the name is free now, and one of them finds it taken.
pub fn audited_twice(form: Form) {
    let repaired = Repairs { audits_incomplete: true, ..AS_IT_WAS };
    crew(false, true, 2, Repairs { looks_first: form == Fixed, ..repaired }).join();
}

/// The third: the process is registered, and clients check first whether it is alive. It needs a process that
/// exits after both checks, and then the second race again.
pub fn killed_after_the_check(form: Form) {
    let repaired = Repairs { audits_incomplete: true, looks_first: true, at_once: form == Fixed };
    crew(true, true, 2, repaired).task(Registry::kill).join();
}
