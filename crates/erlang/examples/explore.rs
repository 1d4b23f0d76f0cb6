//! Explores one function of a module depth-first and prints what was found: a tool for trying things out.
//! `explore DIR MODULE FUNCTION [thesis|full|receive] [PREEMPTIONS]`

use raddle_core::search::{NoListener, OnFailure, Plan, search};
use raddle_core::strategy::{Dfs, Optimal, Strategy, Within};
use raddle_erlang::code::{SearchPath, installed_otp};
use raddle_erlang::settings::{Grain, Settings};
use raddle_erlang::world::{ErlangWorld, Program};
use std::time::Instant;

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
        _ => Settings::default(),
    };
    let path = SearchPath { directories, given: Vec::new() };
    let program = Program { path, module: module.clone(), function: function.clone(), settings };
    let mut strategy: Box<dyn Strategy> = Box::new(Dfs::new());
    if rest.get(1).is_some_and(|n| n == "optimal") {
        strategy = Box::new(Optimal::new());
    }
    if let Some(bound) = rest.get(1).and_then(|n| n.parse().ok()) {
        strategy = Box::new(Within::preemptions(bound, strategy));
    }
    let plan = Plan { on_failure: OnFailure::KeepGoing, ..Plan::default() };
    let begun = Instant::now();
    let findings = search(&plan, strategy, || ErlangWorld::new(&program), std::sync::Arc::new(NoListener));
    let seconds = begun.elapsed().as_secs_f64();
    println!(
        "{} executions, {} steps, {} failures, {seconds:.2} s ({:.0} executions/s)",
        findings.executions,
        findings.steps,
        findings.failures,
        findings.executions as f64 / seconds
    );
    println!("{}", findings.coverage);
    for (outcome, times) in findings.outcomes.iter().take(20) {
        println!("  {times} x {outcome}");
    }
    if let Some(failure) = &findings.failure {
        println!("{}: {}", failure.kind(), failure.message());
        for note in &failure.defect.notes {
            println!("  {} {}", note.text, note.place.as_ref().map_or(String::new(), ToString::to_string));
        }
        for line in &failure.story.lines {
            let actor = &failure.story.actors[line.actor].name;
            let place =
                line.place.as_ref().map_or(String::new(), |p| format!("  in {} line {}", p.file, p.line));
            println!("  {actor}: {} {}{place}", line.verb, line.detail);
        }
    }
}
