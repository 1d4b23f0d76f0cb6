//! Explorations in separate processes: loom cannot be stopped, but a process can. The child is this same
//! binary. It exits when its CPU time is up, and its result is one line on stdout.

use crate::catalogue::Program;
use crate::outcome::Outcome;
use crate::{cpu, cpu::Measured, loom_side, raddle_side};
use std::env;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The tool that explores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// raddle.
    Raddle,
    /// loom, unbounded.
    Loom,
}

/// A short exploration is repeated until this much CPU time is spent, and the best measurement counts.
const REPEAT_UNTIL: Duration = Duration::from_millis(150);
/// Shorter explorations are measured several at a time: the clock is exact to a few microseconds only.
const MEASURABLE: Duration = Duration::from_millis(5);
/// Executions between two checks of the clock.
const LOOK_EVERY: u64 = 64;

impl Tool {
    /// Its name on the command line and in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Tool::Raddle => "raddle",
            Tool::Loom => "loom",
        }
    }

    /// Parses `name`.
    pub fn by_name(name: &str) -> Option<Self> {
        [Tool::Raddle, Tool::Loom].into_iter().find(|tool| tool.name() == name)
    }
}

/// Explores `program` in a child process, for at most `cap` of CPU time.
pub fn explore(tool: Tool, program: Program, cap: Duration) -> Outcome {
    let binary = env::current_exe().expect("the path of this binary");
    let output = Command::new(binary)
        .args(["child", tool.name(), &program.to_string(), &cap.as_secs_f64().to_string()])
        .stderr(Stdio::inherit())
        .output()
        .expect("a child process");
    Outcome::from_line(&String::from_utf8_lossy(&output.stdout))
}

/// The main function of the child.
pub fn live(tool: Tool, program: Program, cap: Duration) -> ! {
    let once = || explore_once(tool, program, cap);
    let Some(first) = cpu::measure(once) else { end(Outcome::Failed) };
    // Enough of them, by the first measurement, which was not warm yet.
    let times = (MEASURABLE.as_nanos() / first.cpu.as_nanos().max(1)).clamp(1, 10_000) as u32;
    let mut best = first;
    while cpu::process() < REPEAT_UNTIL {
        match cpu::measure(|| (0..times).map(|_| once()).sum()) {
            Some(all) => best = best.better(all.divided_by(times)),
            None => end(Outcome::Failed),
        }
    }
    end(Outcome::Finished(best))
}

/// Returns the number of executions; none if the tool has failed.
fn explore_once(tool: Tool, program: Program, cap: Duration) -> Option<u64> {
    let watch = move |executions: u64| {
        if executions.is_multiple_of(LOOK_EVERY) && cpu::process() > cap {
            end(Outcome::OutOfTime(Measured { executions, cpu: cpu::process() }));
        }
    };
    match tool {
        Tool::Raddle => raddle_side::explore(program, watch),
        Tool::Loom => loom_side::explore(program, watch),
    }
}

/// Exits at once, without destructors: this may be inside an execution, on a stack of the tool.
fn end(outcome: Outcome) -> ! {
    println!("{}", outcome.to_line());
    // SAFETY: stdout is line-buffered, so nothing is left to flush, and the process has no other user.
    unsafe { libc::_exit(0) }
}
