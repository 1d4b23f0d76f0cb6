//! The cost of a run, in CPU time of this process rather than wall time: other users of the machine then
//! matter little. The clock counts all threads, so a tool may run its executions on its own threads.

use std::time::Duration;

/// A number of executions and the CPU time they took together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The number of executions.
    pub executions: u64,
    /// The CPU time of all of them.
    pub cpu: Duration,
}

impl Measured {
    /// Executions per CPU second.
    pub fn rate(&self) -> f64 {
        self.executions as f64 / self.cpu.as_secs_f64()
    }

    /// CPU nanoseconds per execution.
    pub fn nanos_each(&self) -> f64 {
        self.cpu.as_nanos() as f64 / self.executions as f64
    }

    /// The share of one of several runs of the same work.
    pub fn divided_by(self, times: u32) -> Self {
        Measured { executions: self.executions / u64::from(times), cpu: self.cpu / times }
    }

    /// The better of two measurements of the same work.
    pub fn better(self, other: Self) -> Self {
        if other.rate() > self.rate() { other } else { self }
    }
}

/// CPU time of this process so far.
pub fn process() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a local that outlives the call.
    let result = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(result, 0, "no CPU clock on this system");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// CPU time of all child processes that have exited and were waited for.
pub fn children() -> Duration {
    // SAFETY: all zeros is a value of this struct of numbers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a local that outlives the call.
    let result = unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage) };
    assert_eq!(result, 0, "no CPU times of children on this system");
    let time = |t: libc::timeval| Duration::new(t.tv_sec as u64, t.tv_usec as u32 * 1_000);
    time(usage.ru_utime) + time(usage.ru_stime)
}

/// Runs `work`, which returns the number of its executions, or `None` if it failed.
pub fn measure(work: impl FnOnce() -> Option<u64>) -> Option<Measured> {
    let start = process();
    let executions = work()?;
    Some(Measured { executions, cpu: process() - start })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_per_second() {
        let measured = Measured { executions: 500, cpu: Duration::from_millis(250) };
        assert_eq!(measured.rate(), 2000.0);
        assert_eq!(measured.nanos_each(), 500_000.0);
    }

    #[test]
    fn several_runs_are_measured_as_one() {
        let three = Measured { executions: 18, cpu: Duration::from_micros(30) };
        assert_eq!(three.divided_by(3), Measured { executions: 6, cpu: Duration::from_micros(10) });
    }

    #[test]
    fn the_less_disturbed_measurement_wins() {
        let calm = Measured { executions: 10, cpu: Duration::from_millis(10) };
        let noisy = Measured { executions: 10, cpu: Duration::from_millis(15) };
        assert_eq!(calm.better(noisy), calm);
        assert_eq!(noisy.better(calm), calm);
    }

    #[test]
    fn a_failure_is_not_measured() {
        assert_eq!(measure(|| None), None);
    }

    #[test]
    fn children_count_when_they_have_ended() {
        let before = children();
        let count = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";
        assert!(std::process::Command::new("sh").args(["-c", count]).status().expect("sh runs").success());
        assert!(children() > before);
    }

    #[test]
    fn the_clock_does_not_go_back() {
        let start = process();
        assert!(process() >= start);
    }
}
