//! The optimal reduction for Erlang programs: one execution per class of executions that the program cannot
//! distinguish. The search runs with unordered mailboxes; its findings are reported with ordered ones.

use crate::ends::Unobserved;
use crate::world::{ErlangWorld, Program};
use raddle_core::search::{Findings, Listener, Plan, Progress, search};
use raddle_core::strategy::Optimal;
use raddle_core::ticket::Ticket;
use raddle_core::trace::Trace;
use raddle_core::verdict::Failure;
use raddle_core::world::{End, Explain, World};
use std::sync::Arc;

/// Explores a program with the optimal reduction.
pub fn explore(plan: &Plan, program: &Program, listener: Arc<dyn Listener>) -> Findings<String> {
    let unobserved = Unobserved::default();
    if Unobserved::is_worth_a_try(&program.settings) {
        let make = || ErlangWorld::unobserved(program, &unobserved);
        // Its findings count only if the assumption holds to the end.
        let hushed = Arc::new(SilentListener(listener.clone()));
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

/// A listener that is not informed of failures.
struct SilentListener(Arc<dyn Listener>);

impl Listener for SilentListener {
    fn tick(&self, progress: &Progress) {
        self.0.tick(progress);
    }
    fn wants_to_stop(&self) -> bool {
        self.0.wants_to_stop()
    }
}

/// Reports the findings of the worlds of `make` with ordered mailboxes.
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

/// The same failure with ordered mailboxes; `open` is the world that it was found in.
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
    let End::Failed(defect) = world.end(None).end else { return None };
    let mut record = world.record();
    record.mark_preemptions(&trace);
    let ticket = Ticket::new(plan.test.clone(), plan.settings.to_map(), &trace, &record);
    Some(Failure { defect, execution: failure.execution, record, ticket, afterwards: Vec::new() })
}
