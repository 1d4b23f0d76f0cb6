//! The optimal reduction for Erlang programs: one execution for each set of executions that nobody in the program
//! could tell apart. The search leaves the order of messages open as far as nobody sees it; what it finds is told as
//! it happens, with messages in order.

use crate::settings::{Grain, Settings};
use crate::world::{ErlangWorld, Program};
use raddle_core::search::{Findings, Listener, NoListener, OnFailure, Plan, search};
use raddle_core::strategy::{Optimal, Replay};
use raddle_core::ticket::{Ticket, TicketStep, VERSION};
use raddle_core::verdict::Failure;
use raddle_core::world::{Describe, World};
use std::sync::Arc;

/// What a verdict of the reduction takes for granted where its oracle compares outcomes and not traces.
pub const HELD_TO_OUTCOMES: &str = "reduction held to outcomes (--strategy dfs decides)";

/// Whether random programs have shown that the reduction finds every trace with these settings, and not only every
/// outcome: with every delivery, at any time and with kills, as long as a step is one operation. With other grains a
/// step goes on after a call that raises, and touches everything then: more than it did where it did not raise, and so
/// traces in which it does may be missed, though no outcome was.
pub fn is_held_to_traces(settings: &Settings) -> bool {
    settings.grain == Grain::Full
}

/// Explores a program with the optimal reduction.
pub fn explore(plan: &Plan, program: &Program, listener: Arc<dyn Listener>) -> Findings<String> {
    let make = || ErlangWorld::unordered(program);
    let mut findings = search(plan, Box::new(Optimal::new()), make, listener);
    for failure in findings.failure.iter_mut().chain(&mut findings.others) {
        if let Some(told) = in_order(plan, program, failure) {
            *failure = told;
        }
    }
    findings
}

/// The ticket of the same execution in the world in which messages have an order.
fn ticket(plan: &Plan, program: &Program, failure: &Failure) -> Option<Ticket> {
    let mut open = ErlangWorld::unordered(program);
    open.start();
    failure.ticket.picks().for_each(|pick| open.step(pick));
    let mut ordered = ErlangWorld::new(program);
    ordered.start();
    let mut steps = Vec::new();
    for pick in open.in_order(&ordered)? {
        let expect = ordered.describe(pick.task);
        steps.push(TicketStep { task: pick.task.0, option: pick.option, expect });
        ordered.step(pick);
    }
    Some(Ticket { version: VERSION, test: plan.test.clone(), settings: plan.settings.to_map(), steps })
}

/// The same failure in the world in which messages have an order.
fn in_order(plan: &Plan, program: &Program, failure: &Failure) -> Option<Failure> {
    let ticket = ticket(plan, program, failure)?;
    let plan = Plan { workers: 1, on_failure: OnFailure::Stop, ..plan.clone() };
    let again =
        search(&plan, Box::new(Replay::new(ticket)), || ErlangWorld::new(program), Arc::new(NoListener));
    again.failure.map(|again| Failure { execution: failure.execution, ..again })
}
