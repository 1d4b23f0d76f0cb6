//! An Erlang program for the pipeline: which worlds it has, and how an execution in which the order of messages is open is
//! told with messages in order.
//!
//! The reduced world leaves the order of messages open as far as no process observes it, and assumes that no process
//! observes the end of another one until a process does.

use crate::ends::Unobserved;
use crate::settings::Grain;
use crate::world::{ErlangWorld, Program};
use raddle_core::check;
use raddle_core::search::LazySettings;
use raddle_core::world::{Pick, World};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// What the reduced world assumes of the ends of processes, as it is written down.
const UNOBSERVED: &str = "ends are not observed";
const OBSERVED: &str = "ends are observed";

/// A program, and what is known of it so far.
#[derive(Debug)]
pub struct Checkable {
    program: Program,
    /// Refuted by the first process that observes an end.
    unobserved: Unobserved,
    /// Ends are steps of their own.
    ends_are_steps: AtomicBool,
}

impl Checkable {
    /// The program, of which nothing is known yet.
    pub fn new(program: Program) -> Checkable {
        let ends_are_steps = AtomicBool::new(!Unobserved::is_worth_a_try(&program.settings));
        Checkable { program, unobserved: Unobserved::default(), ends_are_steps }
    }
    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }
}

impl check::Program for Checkable {
    type World = ErlangWorld;

    fn world(&self) -> ErlangWorld {
        ErlangWorld::new(&self.program)
    }

    fn reduced_world(&self) -> ErlangWorld {
        if self.is_concrete() {
            self.world()
        } else if self.ends_are_steps.load(Ordering::Relaxed) {
            ErlangWorld::unordered(&self.program)
        } else {
            ErlangWorld::unobserved(&self.program, &self.unobserved)
        }
    }

    fn is_refuted(&self) -> bool {
        self.unobserved.is_refuted() && !self.ends_are_steps.load(Ordering::Relaxed)
    }

    fn refine(&self) -> bool {
        self.unobserved.is_refuted() && !self.ends_are_steps.swap(true, Ordering::Relaxed)
    }

    /// Coarse steps are those of a world in which messages have an order.
    fn is_concrete(&self) -> bool {
        self.program.settings.grain == Grain::Receive
    }

    fn concretise(&self, schedule: &[Pick]) -> Option<Vec<Pick>> {
        if self.program.settings.watch.halted().is_some() {
            // Its last step would take too much memory again.
            return None;
        }
        let mut open = self.reduced_world();
        open.start();
        schedule.iter().for_each(|pick| open.step(*pick));
        open.in_order(&open.with_order(&self.program))
    }

    /// The oracle of this world compares the reduction without bounds only.
    fn reduces_within_bounds(&self) -> bool {
        false
    }

    fn assumed(&self) -> Option<String> {
        let observed = self.ends_are_steps.load(Ordering::Relaxed);
        Some(if observed { OBSERVED } else { UNOBSERVED }.to_owned())
    }

    fn assume(&self, assumed: &str) -> Result<(), String> {
        let observed = match assumed {
            OBSERVED => true,
            UNOBSERVED => false,
            other => return Err(format!("`{other}` is no assumption about Erlang programs")),
        };
        self.ends_are_steps.store(observed, Ordering::Relaxed);
        Ok(())
    }

    fn parts(&self) -> BTreeMap<String, String> {
        crate::parts::parts(&self.program.path)
    }

    fn settings(&self) -> LazySettings {
        self.program.settings.to_map().into()
    }
}
