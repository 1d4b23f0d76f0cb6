//! `raddle erl`: compiles, finds the tests, explores each, and reports the findings.

mod arguments;
mod sources;
mod weakest;

pub use arguments::{Options, SearchKind, USAGE, parse};
pub use sources::Sources;

use crate::reduce;
use crate::settings::Grain;
use crate::world::{ErlangWorld, Program};
use raddle_core::record::Line;
use raddle_core::search::{Findings, Listener, NoListener, OnFailure, Plan, replay, search};
use raddle_core::strategy::{Bounded, Bounds, Dfs, Optimal, PreemptionBounding, Random, Strategy, Within};
use raddle_core::ticket::Ticket;
use raddle_core::verdict::{Failure, FailureKind, thousands};
use raddle_core::world::World;
use std::io::{self, Write};
use std::sync::Arc;

/// Everything passed.
pub const PASSED: i32 = 0;
/// A test failed.
pub const FAILED: i32 = 1;
/// There was nothing to explore, or the exploration was impossible.
pub const UNUSABLE: i32 = 2;

/// Runs the command with these options. Returns the exit code.
pub fn run(options: &Options, out: &mut dyn Write) -> io::Result<i32> {
    run_with(options, out, Arc::new(NoListener))
}

/// The same with a listener, which may stop the search.
pub fn run_with(options: &Options, out: &mut dyn Write, listener: Arc<dyn Listener>) -> io::Result<i32> {
    if options.help {
        writeln!(out, "{USAGE}")?;
        return Ok(PASSED);
    }
    match explore_all(options, out, listener) {
        Ok(code) => code,
        Err(message) => {
            writeln!(out, "{message}")?;
            Ok(UNUSABLE)
        }
    }
}

fn explore_all(
    options: &Options,
    out: &mut dyn Write,
    listener: Arc<dyn Listener>,
) -> Result<io::Result<i32>, String> {
    let ticket = options.replay.as_deref().map(Ticket::parse).transpose().map_err(|e| e.to_string())?;
    let replayed = ticket.as_ref().map(|ticket| options.for_ticket(ticket)).transpose()?;
    let options = replayed.as_ref().unwrap_or(options);
    let sources = Sources::prepare(options)?;
    let tests = sources.tests(options)?;
    let mut each = || {
        let mut code = PASSED;
        for (module, function) in &tests {
            let program = Program {
                path: sources.path.clone(),
                module: module.clone(),
                function: function.clone(),
                settings: options.settings.clone(),
            };
            let findings = explore(options, ticket.as_ref(), &program, &listener);
            let verdict = report(&program, &findings, &sources, out)?;
            if let (FAILED, Some(failure), None) = (verdict, &findings.failure, &ticket) {
                let weakest = weakest::weakest_delivery(&program, failure, options.max_steps);
                writeln!(out, "  the weakest delivery that shows it: {weakest}")?;
            }
            code = code.max(verdict);
            if findings.interrupted {
                return Ok(code.max(UNUSABLE));
            }
        }
        if tests.len() > 1 {
            let verdict = if code == PASSED { "all passed" } else { "not all passed" };
            writeln!(out, "{} tests, {verdict}", tests.len())?;
        }
        Ok(code)
    };
    Ok(each())
}

fn explore(
    options: &Options,
    ticket: Option<&Ticket>,
    program: &Program,
    listener: &Arc<dyn Listener>,
) -> Findings<String> {
    let mut plan = Plan { workers: options.workers, ..Plan::default() };
    plan.test = Some(name_of(program));
    plan.settings = program.settings.to_map().into();
    plan.budget.executions = options.executions;
    plan.budget.steps = options.max_steps.unwrap_or(plan.budget.steps);
    if options.strategy == SearchKind::Random && ticket.is_none() {
        plan.budget.executions.get_or_insert(10_000);
    }
    if options.keep_going {
        plan.on_failure = OnFailure::KeepGoing;
    }
    let search = |strategy| search(&plan, strategy, || ErlangWorld::new(program), listener.clone());
    let within = |strategy: Box<dyn Strategy>| match options.preemptions {
        Some(most) => search(Box::new(Within::preemptions(most, strategy))),
        None => search(strategy),
    };
    if let Some(ticket) = ticket {
        return replay(&plan, ticket, || ErlangWorld::new(program), listener.clone());
    }
    let reduced = || match options.preemptions {
        Some(most) => search(Box::new(Bounded::new(Bounds::preemptions(most)))),
        None if program.settings.grain == Grain::Receive => search(Box::new(Optimal::new())),
        None => reduce::explore(&plan, program, listener.clone()),
    };
    match options.strategy {
        // A preemption bound counts interleavings, so no reduction is used.
        SearchKind::Exhaustive if options.preemptions.is_some() => within(Box::new(Dfs::new())),
        SearchKind::Exhaustive => {
            let findings = reduced();
            if findings.undecided > 0 && findings.through && findings.failures == 0 {
                // The reduction met a conflict that it cannot decide: plain DFS takes over.
                return within(Box::new(Dfs::new()));
            }
            findings
        }
        SearchKind::Optimal => reduced(),
        SearchKind::Dfs => within(Box::new(Dfs::new())),
        SearchKind::Thesis => search(Box::new(PreemptionBounding::new(options.preemptions))),
        SearchKind::Random => within(Box::new(Random::new(options.seed))),
    }
}

fn name_of(program: &Program) -> String {
    format!("{}:{}", program.module, program.function)
}

fn report(
    program: &Program,
    findings: &Findings<String>,
    sources: &Sources,
    out: &mut dyn Write,
) -> io::Result<i32> {
    let name = name_of(program);
    let mut covered = findings.coverage.to_string();
    if program.settings.grain == Grain::Receive {
        // Coarse steps miss interleavings: a complete search is not exhaustive.
        covered = covered.replacen("exhaustive", "every coarse interleaving", 1);
    }
    let plural = if findings.executions == 1 { "" } else { "s" };
    let counted = format!("{} interleaving{plural}", thousands(findings.executions));
    let Some(failure) = &findings.failure else {
        let verdict = if findings.interrupted { "interrupted" } else { "passed" };
        writeln!(out, "{name}: {verdict}, {counted} ({covered})")?;
        return Ok(PASSED);
    };
    let failures = match findings.failures {
        1 => String::new(),
        n => format!(", {} of them fail", thousands(n)),
    };
    writeln!(out, "{name}: FAILED, {counted}{failures} ({covered})")?;
    tell(program, failure, sources, out)?;
    Ok(if failure.kind() == FailureKind::Misuse { UNUSABLE } else { FAILED })
}

/// The number of lines shown at each end of a long record.
const SHOWN: usize = 100;

/// Prints the failure, step by step.
fn tell(program: &Program, failure: &Failure, sources: &Sources, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "  {}", failure.message())?;
    for note in &failure.defect.notes {
        match &note.place {
            Some(place) => writeln!(out, "    {} at {place}", note.text)?,
            None => writeln!(out, "    {}", note.text)?,
        }
    }
    if let Some(hint) = missing_module(failure).and_then(|module| sources.about_missing(module)) {
        writeln!(out, "  {hint}")?;
    }
    writeln!(out, "  interleaving {}:", failure.execution())?;
    let lines = &failure.record.lines;
    for (at, line) in lines.iter().enumerate() {
        if at >= SHOWN && at + SHOWN < lines.len() {
            if at == SHOWN {
                writeln!(out, "    ... {} steps ...", thousands((lines.len() - 2 * SHOWN) as u64))?;
            }
            continue;
        }
        writeln!(out, "    {}", step_line(&failure.record.tasks[line.task].name, line))?;
    }
    for (process, text) in printed(program, failure) {
        writeln!(out, "  printed by {process}:")?;
        let lines: Vec<&str> = text.lines().collect();
        let left_out = lines.len().saturating_sub(SHOWN);
        if left_out > 0 {
            writeln!(out, "    ... {} lines ...", thousands(left_out as u64))?;
        }
        lines[left_out..].iter().try_for_each(|line| writeln!(out, "    {line}"))?;
    }
    writeln!(out, "  to see it again: --replay '{}'", failure.ticket)
}

/// The output of each process on the way to a failure.
fn printed(program: &Program, failure: &Failure) -> Vec<(String, String)> {
    let mut world = ErlangWorld::new(program);
    world.start();
    for pick in failure.ticket.picks() {
        if !world.point().is_enabled(pick.task) {
            // The ticket is of another program, which the report says already.
            return Vec::new();
        }
        world.step(pick);
    }
    world.output()
}

/// The module of an undefined function that was called, if that is the failure.
fn missing_module(failure: &Failure) -> Option<&str> {
    let undefined = failure.message().contains(" crashed: undef");
    let called = failure.defect.notes.first().filter(|_| undefined)?;
    called.text.strip_prefix("in ")?.split(':').next()
}

/// A step in Concuerror's form: `P.1: true = erlang:register(one, P.1)  in reg_server.erl line 12`.
pub fn step_line(task: &str, line: &Line) -> String {
    let result = line.detail.strip_prefix("→ ").unwrap_or(&line.detail);
    let told = match line.operation.as_str() {
        "receives a message" => format!("receives the message {result}"),
        "waits for a message" if result == "times out" => "its receive times out".to_owned(),
        operation if result.is_empty() => operation.to_owned(),
        operation if result.starts_with("raises ") => format!("{operation} {result}"),
        operation => format!("{result} = {operation}"),
    };
    match &line.place {
        Some(place) => {
            let file = place.file.rsplit('/').next().unwrap_or(&place.file);
            format!("{task}: {told}  in {file} line {}", place.line)
        }
        None => format!("{task}: {told}"),
    }
}
