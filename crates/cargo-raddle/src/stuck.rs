//! Finds out what a process without progress is waiting for.

use raddle_core::fact::SkipReason;
use std::path::Path;
use std::time::Duration;

/// The system calls in which programs wait for events outside, as text for reports.
const WAITS: [(libc::c_long, &str); 18] = [
    (libc::SYS_read, "to read from a file, pipe or socket (read)"),
    (libc::SYS_write, "to write to a file, pipe or socket (write)"),
    (libc::SYS_ppoll, "for events (ppoll)"),
    (libc::SYS_pselect6, "for events (pselect)"),
    (libc::SYS_epoll_pwait, "for events of the operating system (epoll)"),
    (libc::SYS_nanosleep, "for real time to pass (nanosleep)"),
    (libc::SYS_clock_nanosleep, "for real time to pass (clock_nanosleep)"),
    (libc::SYS_connect, "for a connection (connect)"),
    (libc::SYS_accept, "for a connection (accept)"),
    (libc::SYS_accept4, "for a connection (accept)"),
    (libc::SYS_recvfrom, "for data on a socket (recv)"),
    (libc::SYS_recvmsg, "for data on a socket (recvmsg)"),
    (libc::SYS_wait4, "for another process (wait4)"),
    (libc::SYS_waitid, "for another process (waitid)"),
    (libc::SYS_futex, "for a lock that is not under control (futex)"),
    (libc::SYS_flock, "for a lock on a file (flock)"),
    (libc::SYS_rt_sigtimedwait, "for a signal (sigtimedwait)"),
    (libc::SYS_rt_sigsuspend, "for a signal (sigsuspend)"),
];

#[cfg(target_arch = "x86_64")]
const OLD_WAITS: [(libc::c_long, &str); 4] = [
    (libc::SYS_poll, "for events (poll)"),
    (libc::SYS_select, "for events (select)"),
    (libc::SYS_pause, "for a signal (pause)"),
    (libc::SYS_epoll_wait, "for events of the operating system (epoll)"),
];
#[cfg(not(target_arch = "x86_64"))]
const OLD_WAITS: [(libc::c_long, &str); 0] = [];

/// What the process waits for outside, if it does.
pub fn reason(process: u32) -> Option<SkipReason> {
    let threads = std::fs::read_dir(format!("/proc/{process}/task"));
    // The watcher thread only reads the clock.
    let watches = |thread: &Path| {
        std::fs::read_to_string(thread.join("comm")).is_ok_and(|name| name.starts_with("raddle's watch"))
    };
    let waits = threads.into_iter().flatten().flatten().filter(|thread| !watches(&thread.path()));
    let found: Vec<(libc::c_long, &str)> = waits.filter_map(|thread| waits_for(&thread.path())).collect();
    // A thread that waits for a lock waits for one of the others.
    let telling = found.iter().find(|(call, _)| *call != libc::SYS_futex).or(found.first());
    telling.map(|(_, what)| SkipReason::WaitsOutside { what: (*what).to_owned() })
}

/// The processor time of a process.
pub fn processor_time(process: u32) -> Option<Duration> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name in parentheses may hold anything; the numbers after it begin with the third field.
    let (_, fields) = text.rsplit_once(") ")?;
    let ticks: u64 = fields.split(' ').skip(11).take(2).filter_map(|n| n.parse::<u64>().ok()).sum();
    // SAFETY: a plain query.
    let a_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    Some(Duration::from_millis(ticks * 1000 / u64::try_from(a_second).ok()?.max(1)))
}

fn waits_for(thread: &Path) -> Option<(libc::c_long, &'static str)> {
    // The number of the system call and its arguments, or `running`.
    let text = std::fs::read_to_string(thread.join("syscall")).ok()?;
    let number: libc::c_long = text.split_whitespace().next()?.parse().ok()?;
    WAITS.iter().chain(&OLD_WAITS).find(|(n, _)| *n == number).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_process_goes_on_while_it_works() {
        let me = std::process::id();
        let before = processor_time(me).unwrap();
        let mut sum = 0u64;
        while processor_time(me).unwrap() < before + Duration::from_millis(50) {
            sum = (0..1_000_000u64).fold(sum, |sum, n| sum.wrapping_mul(31).wrapping_add(n));
        }
        assert!(std::hint::black_box(sum) != 1);
        assert_eq!(processor_time(u32::MAX), None);
    }
}
