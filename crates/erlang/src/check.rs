//! An Erlang program for the pipeline: which worlds it has, and how an execution in which the order of messages is open is
//! told with messages in order.
//!
//! The reduced world leaves the order of messages open as far as no process observes it by receiving, and assumes that it
//! is not observed otherwise (by `process_info(P, messages)`), and that no process observes the end of another one, until a
//! process does.

use crate::ends::Unobserved;
use crate::settings::Grain;
use crate::term::Atom;
use crate::versions::Dynamic;
use crate::world::{ErlangWorld, Program};
use raddle_core::check::{self, Reducible, Refinable};
use raddle_core::search::LazyMap;
use raddle_core::world::{Pick, World};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// What the reduced world assumes of the ends of processes, as it is written down.
const UNOBSERVED: &str = "ends are not observed";
const OBSERVED: &str = "ends are observed";
/// The same, where messages have an order: ends are steps of their own then.
const IN_ORDER: &str = "messages have an order";

/// A program, and what is known of it so far.
#[derive(Debug)]
pub struct Checkable {
    program: Program,
    /// Refuted by the first process that observes an end.
    unobserved: Unobserved,
    /// Ends are steps of their own.
    ends_are_steps: AtomicBool,
    /// The order of a mailbox was read.
    messages_have_an_order: AtomicBool,
    /// The modules that are loaded while the program runs: calls of these are steps of their own.
    dynamic: Mutex<Dynamic>,
    /// The parts of its code, once they were asked for.
    parts: Arc<OnceLock<BTreeMap<String, String>>>,
}

impl Checkable {
    /// The program, of which nothing is known yet.
    pub fn new(program: Program) -> Checkable {
        let ends_are_steps = AtomicBool::new(!Unobserved::is_worth_a_try(&program.settings));
        // What another test of the same command loads is no matter here.
        let dynamic = Mutex::new(Dynamic::of(program.settings.dynamic.names()));
        let (unobserved, messages_have_an_order, parts) = Default::default();
        // What another test of the same command reads is no matter here, either.
        let mut program = program;
        program.settings.unread_order = Unobserved::default();
        Checkable { program, unobserved, ends_are_steps, messages_have_an_order, dynamic, parts }
    }
    /// The program, with what is known of it now.
    pub fn program(&self) -> Program {
        let mut program = self.program.clone();
        program.settings.dynamic = self.dynamic();
        program
    }
    /// Whether the order of a mailbox was read in a world without it.
    fn is_order_read(&self) -> bool {
        self.program.settings.unread_order.is_refuted()
            && !self.messages_have_an_order.load(Ordering::Relaxed)
    }
    fn dynamic(&self) -> Dynamic {
        self.dynamic.lock().unwrap_or_else(|e| e.into_inner()).clone()
    }
}

impl check::Program for Checkable {
    type World = ErlangWorld;

    fn world(&self) -> ErlangWorld {
        ErlangWorld::new(&self.program())
    }

    fn reducible(&self) -> Option<&dyn Reducible<ErlangWorld>> {
        Some(self)
    }

    fn refinable(&self) -> Option<&dyn Refinable> {
        Some(self)
    }

    fn parts(&self) -> LazyMap {
        let (parts, path) = (self.parts.clone(), self.program.path.clone());
        let config = self.program.settings.config.clone();
        LazyMap::found_by(move || parts.get_or_init(|| crate::parts::parts(&path, config.as_deref())).clone())
    }

    fn settings(&self) -> LazyMap {
        self.program().settings.to_map().into()
    }
}

impl Reducible<ErlangWorld> for Checkable {
    fn reduced_world(&self) -> ErlangWorld {
        if self.is_concrete() {
            check::Program::world(self)
        } else if self.ends_are_steps.load(Ordering::Relaxed) {
            ErlangWorld::unordered(&self.program())
        } else {
            ErlangWorld::unobserved(&self.program(), &self.unobserved)
        }
    }

    /// Coarse steps are those of a world in which messages have an order.
    fn is_concrete(&self) -> bool {
        self.program.settings.grain == Grain::Receive || self.messages_have_an_order.load(Ordering::Relaxed)
    }

    fn concretise(&self, schedule: &[Pick]) -> Option<Vec<Pick>> {
        if self.program.settings.watch.halted().is_some() {
            // Its last step would take too much memory again.
            return None;
        }
        let mut open = self.reduced_world();
        open.start();
        schedule.iter().for_each(|pick| open.step(*pick));
        open.in_order(&open.with_order(&self.program()))
    }

    /// The oracle of this world compares the reduction without bounds only.
    fn reduces_within_bounds(&self) -> bool {
        false
    }
}

impl Refinable for Checkable {
    fn is_refuted(&self) -> bool {
        self.unobserved.is_refuted() && !self.ends_are_steps.load(Ordering::Relaxed)
            || self.is_order_read()
            || self.dynamic().is_refuted()
    }

    fn refine(&self) -> bool {
        let more = self.dynamic().refined();
        if let Some(more) = &more {
            *self.dynamic.lock().unwrap_or_else(|e| e.into_inner()) = more.clone();
        }
        let ends = self.unobserved.is_refuted() && !self.ends_are_steps.swap(true, Ordering::Relaxed);
        let order = self.is_order_read();
        self.messages_have_an_order.fetch_or(order, Ordering::Relaxed);
        ends || order || more.is_some()
    }

    fn assumed(&self) -> Option<String> {
        let is = |it: &AtomicBool| it.load(Ordering::Relaxed);
        let ends = match (is(&self.messages_have_an_order), is(&self.ends_are_steps)) {
            (true, _) => IN_ORDER,
            (_, true) => OBSERVED,
            _ => UNOBSERVED,
        };
        let modules: String = self.dynamic().names().map(|name| format!("\n{}", name.text())).collect();
        Some(format!("{ends}{modules}"))
    }

    fn assume(&self, assumed: &str) -> Result<(), String> {
        let mut lines = assumed.lines();
        let (in_order, ends) = match lines.next().unwrap_or_default() {
            IN_ORDER => (true, true),
            OBSERVED => (false, true),
            UNOBSERVED => (false, false),
            other => return Err(format!("`{other}` is no assumption about Erlang programs")),
        };
        self.messages_have_an_order.store(in_order, Ordering::Relaxed);
        self.ends_are_steps.store(ends, Ordering::Relaxed);
        *self.dynamic.lock().unwrap_or_else(|e| e.into_inner()) = Dynamic::of(lines.map(Atom::new));
        Ok(())
    }
}
