//! Waiting for events with a time limit. No other task of the program can take a step meanwhile, so the state that a
//! test sees after the wait is not a possible one: it cannot be explored. A call that need not wait is passed on; one
//! that waits without a limit is reported by the watchdog.

use super::real::instead;
use libc::{epoll_event, fd_set, itimerspec, nfds_t, pollfd, sigset_t, socklen_t, timespec, timeval};
use raddle::observer::outside;
use std::ffi::{c_int, c_long, c_void};

instead! {
    /// See `man 2 poll`.
    fn poll(files: *mut pollfd, count: nfds_t, timeout: c_int) -> c_int {
        if timeout > 0 {
            // SAFETY: the caller's.
            let ready = unsafe { super::syscall(libc::SYS_poll, files as usize, count as usize, timeout as usize, 0, 0, 0) };
            return came(ready, "it has waited for events in vain (poll)");
        }
    }
}

instead! {
    /// See `man 2 ppoll`.
    fn ppoll(files: *mut pollfd, count: nfds_t, timeout: *const timespec, signals: *const sigset_t) -> c_int {
        // SAFETY: the caller's: null, or a time.
        if unsafe { timeout.as_ref() }.is_some_and(|time| time.tv_sec > 0 || time.tv_nsec > 0) {
            // SAFETY: the caller's. The kernel's set of signals has 8 bytes, and it would write the remaining time.
            let ready = unsafe {
                let mut left = *timeout;
                super::syscall(libc::SYS_ppoll, files as usize, count as usize, &raw mut left as usize, signals as usize, 8, 0)
            };
            return came(ready, "it has waited for events in vain (ppoll)");
        }
    }
}

instead! {
    /// See `man 2 select`.
    fn select(
        most: c_int,
        to_read: *mut fd_set,
        to_write: *mut fd_set,
        wrong: *mut fd_set,
        timeout: *mut timeval
    ) -> c_int {
        // SAFETY: the caller's: null, or a time.
        if unsafe { timeout.as_ref() }.is_some_and(|time| time.tv_sec > 0 || time.tv_usec > 0) {
            let (a, b, c) = (to_read as usize, to_write as usize, wrong as usize);
            // SAFETY: the caller's.
            let ready = unsafe { super::syscall(libc::SYS_select, most as usize, a, b, c, timeout as usize, 0) };
            return came(ready, "it has waited for events in vain (select)");
        }
    }
}

instead! {
    /// See `man 2 epoll_wait`.
    fn epoll_wait(epoll: c_int, events: *mut epoll_event, count: c_int, timeout: c_int) -> c_int {
        if timeout > 0 {
            let (epoll, events) = (epoll as usize, events as usize);
            // SAFETY: the caller's.
            let ready = unsafe { super::syscall(libc::SYS_epoll_wait, epoll, events, count as usize, timeout as usize, 0, 0) };
            return came(ready, "it has waited for events in vain (epoll)");
        }
    }
}

instead! {
    /// See `man 2 setsockopt`.
    fn setsockopt(socket: c_int, level: c_int, name: c_int, value: *const c_void, size: socklen_t) -> c_int {
        if level == libc::SOL_SOCKET && size as usize == size_of::<timeval>() {
            // SAFETY: the caller's: there are so many bytes.
            let time = unsafe { value.cast::<timeval>().read_unaligned() };
            let limited = time.tv_sec > 0 || time.tv_usec > 0;
            match name {
                libc::SO_RCVTIMEO if limited => outside("it waits on a socket for a limited time (SO_RCVTIMEO)"),
                libc::SO_SNDTIMEO if limited => outside("it waits on a socket for a limited time (SO_SNDTIMEO)"),
                _ => {}
            }
        }
    }
}

instead! {
    /// See `man 2 timerfd_settime`.
    fn timerfd_settime(timer: c_int, flags: c_int, new: *const itimerspec, old: *mut itimerspec) -> c_int {
        demand_no_timer(new);
    }
}

/// A timer that is armed goes off in real time.
pub(super) fn demand_no_timer(time: *const itimerspec) {
    // SAFETY: the caller's: null, or a time.
    if unsafe { time.as_ref() }.is_some_and(|time| time.it_value.tv_sec > 0 || time.it_value.tv_nsec > 0) {
        outside("it waits for a timer of the operating system (timerfd)");
    }
}

/// Whether a system call waits for events, and for a limited time.
pub(super) fn is_limited(number: c_long, [_, _, c, d, e, _]: [usize; 6]) -> bool {
    let passes = |time: usize| {
        // SAFETY: the caller's: null, or a time, and the kernel has read it. Both kinds of times are two words.
        unsafe { (time as *const timespec).as_ref() }.is_some_and(|time| time.tv_sec > 0 || time.tv_nsec > 0)
    };
    match number {
        libc::SYS_poll => c as c_int > 0,
        libc::SYS_epoll_wait | libc::SYS_epoll_pwait => d as c_int > 0,
        libc::SYS_epoll_pwait2 => passes(d),
        libc::SYS_ppoll => passes(c),
        // The kernel writes the remaining time, which is zero: whether there was any is not known any more.
        libc::SYS_select | libc::SYS_pselect6 => e != 0,
        _ => false,
    }
}

/// The answer to a wait: if nothing came, the test cannot be explored.
fn came(ready: c_long, what: &str) -> c_int {
    if ready == 0 {
        outside(what);
    }
    ready as c_int
}
