//! The `big` table, raddle alone: many tasks, many steps, many executions, two workers. Workers are compared
//! by the wall clock, the only clock that more of them can reduce; hence alternately, best of several, and
//! still unreliable on a busy machine.

use crate::catalogue::Program;
use crate::{number, raddle_side};
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

const TASKS: usize = 1_000;
const STEPS: usize = 1_000_000;
const EXECUTIONS: u64 = 1_000_000;
/// After this many executions the pools are warm, and memory should not grow any more.
const WARM: u64 = 1_000;
const ROUNDS: usize = 5;
const SMALL: Program = Program::MutexCounter(2, 2);

/// Measures and prints, line by line.
pub fn print() {
    println!("raddle alone");
    // First, while no big execution has left free memory that could hide a leak.
    memory();
    one_execution("tasks", Program::MutexCounter(TASKS, 1), TASKS);
    one_execution("steps", Program::FetchAdd(2, STEPS / 2), STEPS);
    two_workers();
}

fn one_execution(what: &str, program: Program, n: usize) {
    let text = match raddle_side::run_random(program, 1) {
        Some(measured) => {
            let each = measured.cpu / n as u32;
            format!("{} CPU, {} each", number::time(measured.cpu), number::time(each))
        }
        None => "failed".into(),
    };
    line(&format!("one execution, {} {what}", number::count(n as u64)), &text);
}

/// Measures the memory during the run: memory that is held until its end counts too.
fn memory() {
    let marks = Arc::new([AtomicU64::new(0), AtomicU64::new(0)]);
    let seen = marks.clone();
    let measured = raddle_side::run_random_watched(SMALL, EXECUTIONS, move |number| match number {
        WARM => seen[0].store(resident_kib(), Relaxed),
        EXECUTIONS => seen[1].store(resident_kib(), Relaxed),
        _ => {}
    });
    let [before, after] = [0, 1].map(|mark| number::count(marks[mark].load(Relaxed)));
    let text = match measured {
        Some(measured) => format!("{before} KiB, then {after} KiB, {} CPU", number::time(measured.cpu)),
        None => "failed".into(),
    };
    let [warm, all] = [WARM, EXECUTIONS].map(number::count);
    line(&format!("resident at execution {warm} and {all}"), &text);
}

/// Resident memory of this process; 0 where there is no `/proc`.
fn resident_kib() -> u64 {
    let statm = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = statm.split_whitespace().nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
    // SAFETY: asks for a constant of the system.
    pages * unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as u64 / 1024
}

fn two_workers() {
    let mut best = [Duration::MAX; 2];
    for _ in 0..ROUNDS {
        for (best, workers) in best.iter_mut().zip([1, 2]) {
            let start = Instant::now();
            if raddle_side::run_random_on(workers, SMALL, EXECUTIONS / 10).is_none() {
                return line("throughput of 2 workers over 1", "failed");
            }
            *best = start.elapsed().min(*best);
        }
    }
    let [one, two] = best.map(|best| best.as_secs_f64());
    line("throughput of 2 workers over 1, by the wall", &number::ratio(one / two));
}

fn line(what: &str, text: &str) {
    println!("{what:<46}{text}");
}

#[cfg(test)]
mod tests {
    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_is_resident() {
        assert!(super::resident_kib() > 0);
    }
}
