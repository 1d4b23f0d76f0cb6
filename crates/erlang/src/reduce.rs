//! The optimal reduction for Erlang programs: one execution for each set of executions that nobody in the program
//! could tell apart. The search leaves the order of messages open as far as nobody sees it; what it finds is told as
//! it happens, with messages in order.

use crate::ends::Unobserved;
use crate::settings::{Grain, Settings};
use crate::world::{ErlangWorld, Program};
use raddle_core::search::{Findings, Listener, Plan, Progress, search};
use raddle_core::strategy::Optimal;
use raddle_core::ticket::Ticket;
use raddle_core::trace::Trace;
use raddle_core::verdict::Failure;
use raddle_core::world::{End, World};
use std::sync::Arc;

/// What a verdict of the reduction takes for granted where it may miss traces.
pub const MAY_MISS: &str = "reduction may miss calls that raise (--strategy dfs decides)";

/// Whether random programs have shown that the reduction finds every trace with these settings, and not only every
/// outcome: with every delivery, at any time and with kills, as long as a step is one operation. With other grains a
/// step goes on after a call that raises, and touches everything then: more than it did where it did not raise, and so
/// traces in which it does may be missed. With them an outcome may be: of 1600 random programs with names, two had one that
/// was (a call by a name that raises before the name is given, and sends in the same step).
pub fn is_held_to_traces(settings: &Settings) -> bool {
    settings.grain == Grain::Full
}

/// Explores a program with the optimal reduction.
pub fn explore(plan: &Plan, program: &Program, listener: Arc<dyn Listener>) -> Findings<String> {
    let unobserved = Unobserved::default();
    if Unobserved::is_worth_a_try(&program.settings) {
        let make = || ErlangWorld::unobserved(program, &unobserved);
        // What it finds counts in the end only.
        let hushed = Arc::new(Hushed(listener.clone()));
        let mut findings = search(plan, Box::new(Optimal::new()), make, hushed);
        if !unobserved.is_refuted() {
            if let Some(failure) = &findings.failure {
                listener.failed(failure);
            }
            tell_in_order(plan, program, &mut findings, make);
            return findings;
        }
    }
    let make = || ErlangWorld::unordered(program);
    let mut findings = search(plan, Box::new(Optimal::new()), make, listener);
    tell_in_order(plan, program, &mut findings, make);
    findings
}

/// Hears nothing of failures.
struct Hushed(Arc<dyn Listener>);

impl Listener for Hushed {
    fn tick(&self, progress: &Progress) {
        self.0.tick(progress);
    }
    fn wants_to_stop(&self) -> bool {
        self.0.wants_to_stop()
    }
}

/// What was found in the worlds that `make` makes is told as it happens.
fn tell_in_order(
    plan: &Plan,
    program: &Program,
    findings: &mut Findings<String>,
    make: impl Fn() -> ErlangWorld,
) {
    for failure in findings.failure.iter_mut().chain(&mut findings.others) {
        if let Some(told) = in_order(plan, program, failure, make()) {
            *failure = told;
        }
    }
}

/// The same failure in the world in which messages have an order; `open` is the one that it was found in.
fn in_order(plan: &Plan, program: &Program, failure: &Failure, mut open: ErlangWorld) -> Option<Failure> {
    open.start();
    failure.ticket.picks().for_each(|pick| open.step(pick));
    let mut world = open.with_order(program);
    let picks = open.in_order(&world)?;
    world.start();
    let mut trace = Trace::new();
    for pick in picks {
        trace.push(pick, &world.point());
        world.step(pick);
    }
    let End::Failed(defect) = world.end() else { return None };
    let mut story = world.story();
    story.mark_preemptions(&trace);
    let ticket = Ticket::new(plan.test.clone(), plan.settings.to_map(), &trace, &story);
    Some(Failure { defect, execution: failure.execution, story, ticket, afterwards: Vec::new() })
}
