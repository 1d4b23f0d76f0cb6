//! Explores one function of a module depth-first and prints what was found: a tool for trying things out.
//! `explore DIR MODULE FUNCTION [thesis|full|lenient|receive] [PREEMPTIONS|optimal|verbose]`; `verbose` is `optimal` and
//! prints each execution, with what its steps touch. `RADDLE_WORKERS=2` explores with two workers.

use raddle_core::operation::TaskId;
use raddle_core::search::{NoListener, OnFailure, Plan, search};
use raddle_core::strategy::{Dfs, OptimalDpor, Strategy, Within, Wrapped, Wrapper};
use raddle_core::trace::Trace;
use raddle_core::verdict::Verdict;
use raddle_core::world::{Describe, Pending, World};
use raddle_erlang::code::{SearchPath, installed_otp};
use raddle_erlang::settings::{Grain, Settings};
use raddle_erlang::world::{ErlangWorld, Program};
use std::time::Instant;

/// Prints the executions of another strategy.
struct Verbose {
    inner: Box<dyn Strategy>,
    program: Program,
}

impl Wrapper for Verbose {
    fn inside(&self) -> &dyn Strategy {
        &*self.inner
    }
    fn inside_mut(&mut self) -> &mut dyn Strategy {
        &mut *self.inner
    }
    fn around(&self, inner: Box<dyn Strategy>) -> Verbose {
        Verbose { inner, program: self.program.clone() }
    }
    fn finish(&mut self, trace: &Trace, verdict: Verdict) {
        println!("-- {verdict:?}");
        let mut world = ErlangWorld::unordered(&self.program);
        world.start();
        for (number, step) in trace.steps().iter().enumerate() {
            let accesses = world.point().pending(step.task).accesses;
            println!("{number:3} [{}] {} {accesses:?}", step.task.0, world.describe(step.task));
            world.step(step.pick());
        }
        for (task, pending) in world.point().all().iter().enumerate() {
            if *pending != Pending::NOTHING {
                let words = world.describe(TaskId(task as u32));
                println!("    [{task}] {words} {:?}, {} options", pending.accesses, pending.options);
            }
        }
        self.inner.finish(trace, verdict);
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let [_, dir, module, function, rest @ ..] = args.as_slice() else {
        eprintln!("usage: explore DIR MODULE FUNCTION [thesis|full|receive] [PREEMPTIONS]");
        std::process::exit(2);
    };
    let mut directories = vec![dir.into()];
    directories.extend(installed_otp());
    let settings = match rest.first().map(String::as_str) {
        Some("thesis") => Settings::thesis(),
        Some("receive") => Settings { grain: Grain::Receive, ..Settings::default() },
        Some("instant") => Settings {
            delivery: raddle_erlang::settings::Delivery::Instant,
            judgement: raddle_erlang::settings::Judgement::Lenient,
            ..Settings::default()
        },
        Some("pairs") => Settings {
            delivery: raddle_erlang::settings::Delivery::Pairs,
            judgement: raddle_erlang::settings::Judgement::Lenient,
            ..Settings::default()
        },
        Some("lenient") => {
            Settings { judgement: raddle_erlang::settings::Judgement::Lenient, ..Settings::default() }
        }
        _ => Settings::default(),
    };
    let path = SearchPath { directories, given: Vec::new() };
    let program = Program { path, module: module.clone(), function: function.clone(), settings };
    let mut strategy: Box<dyn Strategy> = Box::new(Dfs::new());
    let open = rest.get(1).is_some_and(|n| n == "optimal" || n == "verbose");
    if open {
        strategy = Box::new(OptimalDpor::new());
    }
    if rest.get(1).is_some_and(|n| n == "verbose") {
        strategy = Box::new(Wrapped(Verbose { inner: strategy, program: program.clone() }));
    }
    if let Some(bound) = rest.get(1).and_then(|n| n.parse().ok()) {
        strategy = Box::new(Within::preemptions(bound, strategy));
    }
    let workers = std::env::var("RADDLE_WORKERS").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let plan = Plan { workers, on_failure: OnFailure::KeepGoing, ..Plan::default() };
    let begun = Instant::now();
    let make = || if open { ErlangWorld::unordered(&program) } else { ErlangWorld::new(&program) };
    let listener = std::sync::Arc::new(NoListener);
    let findings = search(&plan, strategy, make, listener);
    let seconds = begun.elapsed().as_secs_f64();
    println!(
        "{} executions ({} abandoned), {} steps, {} failures, {seconds:.2} s ({:.0} executions/s)",
        findings.executions,
        findings.abandoned,
        findings.steps,
        findings.failures,
        findings.executions as f64 / seconds
    );
    println!("{}", raddle_report::coverage(&findings.coverage));
    for (outcome, times) in findings.outcomes.iter().take(20) {
        println!("  {times} x {outcome}");
    }
    if let Some(failure) = &findings.failure {
        println!("{}: {}", failure.kind(), failure.message());
        for note in &failure.defect.facts {
            println!(
                "  {} {}",
                raddle_report::fact(note),
                note.place.as_ref().map_or(String::new(), ToString::to_string)
            );
        }
        for line in &failure.record.lines {
            let task = &failure.record.tasks[line.task].name;
            let place =
                line.place.as_ref().map_or(String::new(), |p| format!("  in {} line {}", p.file, p.line));
            println!("  {task}: {} {}{place}", line.operation, line.result);
        }
    }
}
