//! `raddle erl`: compiles, finds the tests, explores each, and says what was found.

mod arguments;
mod sources;

pub use arguments::{Options, parse};
pub use sources::{Sources, tests_of};

use crate::settings::Grain;
use crate::world::{ErlangWorld, Program};
use raddle_core::search::{Findings, NoListener, OnFailure, Plan, search};
use raddle_core::story::Line;
use raddle_core::strategy::{
    Bounded, Bounds, Dfs, Optimal, PreemptionBounding, Random, Replay, Strategy, Within,
};
use raddle_core::ticket::Ticket;
use raddle_core::verdict::{Failure, FailureKind, thousands};
use std::io::{self, Write};
use std::sync::Arc;

/// Everything passed.
pub const PASSED: i32 = 0;
/// A test failed.
pub const FAILED: i32 = 1;
/// There was nothing to explore, or it could not be explored.
pub const UNUSABLE: i32 = 2;

/// Does what the options ask for. Returns the exit code.
pub fn run(options: &Options, out: &mut dyn Write) -> io::Result<i32> {
    let sources = match Sources::prepare(options) {
        Ok(sources) => sources,
        Err(message) => {
            writeln!(out, "{message}")?;
            return Ok(UNUSABLE);
        }
    };
    let tests = match sources.tests(options) {
        Ok(tests) => tests,
        Err(message) => {
            writeln!(out, "{message}")?;
            return Ok(UNUSABLE);
        }
    };
    let mut code = PASSED;
    for (module, function) in &tests {
        let program = Program {
            path: sources.path.clone(),
            module: module.clone(),
            function: function.clone(),
            settings: options.settings.clone(),
        };
        code = code.max(explore(options, &program, out)?);
    }
    if tests.len() > 1 {
        let verdict = if code == PASSED { "all passed" } else { "not all passed" };
        writeln!(out, "{} tests, {verdict}", tests.len())?;
    }
    Ok(code)
}

fn strategy(options: &Options) -> Result<Box<dyn Strategy>, String> {
    if let Some(ticket) = &options.replay {
        let ticket = Ticket::parse(ticket).map_err(|e| e.to_string())?;
        return Ok(Box::new(Replay::new(ticket)));
    }
    let strategy: Box<dyn Strategy> = match options.strategy.as_str() {
        "dfs" => Box::new(Dfs::new()),
        "thesis" => return Ok(Box::new(PreemptionBounding::new(options.preemptions))),
        "optimal" => match options.preemptions {
            Some(most) => return Ok(Box::new(Bounded::new(Bounds::preemptions(most)))),
            None => Box::new(Optimal::new()),
        },
        "random" => Box::new(Random::new(options.seed)),
        other => return Err(format!("there is no strategy {other}: use dfs, optimal, thesis or random")),
    };
    Ok(match options.preemptions {
        Some(n) => Box::new(Within::preemptions(n, strategy)),
        None => strategy,
    })
}

fn explore(options: &Options, program: &Program, out: &mut dyn Write) -> io::Result<i32> {
    let strategy = match strategy(options) {
        Ok(strategy) => strategy,
        Err(message) => {
            writeln!(out, "{message}")?;
            return Ok(UNUSABLE);
        }
    };
    let name = format!("{}:{}", program.module, program.function);
    let mut plan = Plan { workers: options.workers, ..Plan::default() };
    plan.test = Some(name.clone());
    plan.settings = program.settings.to_map();
    plan.budget.executions = options.executions;
    if options.strategy == "random" && plan.budget.executions.is_none() {
        plan.budget.executions = Some(10_000);
    }
    if options.keep_going {
        plan.on_failure = OnFailure::KeepGoing;
    }
    let findings = search(&plan, strategy, || ErlangWorld::new(program), Arc::new(NoListener));
    let mut covered = findings.coverage.to_string();
    if program.settings.grain == Grain::Receive {
        // Coarse steps miss things: all of them is not everything.
        covered = covered.replacen("exhaustive", "every coarse interleaving", 1);
    }
    report(&name, &findings, &covered, out)
}

fn report(name: &str, findings: &Findings<String>, covered: &str, out: &mut dyn Write) -> io::Result<i32> {
    let plural = if findings.executions == 1 { "" } else { "s" };
    let counted = format!("{} interleaving{plural}", thousands(findings.executions));
    let Some(failure) = &findings.failure else {
        writeln!(out, "{name}: passed, {counted} ({covered})")?;
        return Ok(PASSED);
    };
    let failures = match findings.failures {
        1 => String::new(),
        n => format!(", {} of them fail", thousands(n)),
    };
    writeln!(out, "{name}: FAILED, {counted}{failures} ({covered})")?;
    tell(failure, out)?;
    Ok(if failure.kind() == FailureKind::Misuse { UNUSABLE } else { FAILED })
}

/// The failure, step by step.
fn tell(failure: &Failure, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "  {}", failure.message())?;
    for note in &failure.defect.notes {
        match &note.place {
            Some(place) => writeln!(out, "    {} at {place}", note.text)?,
            None => writeln!(out, "    {}", note.text)?,
        }
    }
    writeln!(out, "  interleaving {}:", failure.execution())?;
    for line in &failure.story.lines {
        writeln!(out, "    {}", step_line(&failure.story.actors[line.actor].name, line))?;
    }
    writeln!(out, "  to see it again: --replay '{}'", failure.ticket)
}

/// A step in Concuerror's form: `P.1: true = erlang:register(one, P.1)  in reg_server.erl line 12`.
pub fn step_line(actor: &str, line: &Line) -> String {
    let result = line.detail.strip_prefix("→ ").unwrap_or(&line.detail);
    let told = match line.verb.as_str() {
        "receives a message" => format!("receives the message {result}"),
        verb if result.is_empty() => verb.to_owned(),
        verb if result.starts_with("raises ") || result == "times out" => format!("{verb} {result}"),
        verb => format!("{result} = {verb}"),
    };
    match &line.place {
        Some(place) => {
            let file = place.file.rsplit('/').next().unwrap_or(&place.file);
            format!("{actor}: {told}  in {file} line {}", place.line)
        }
        None => format!("{actor}: {told}"),
    }
}
