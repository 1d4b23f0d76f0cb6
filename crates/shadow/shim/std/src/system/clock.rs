//! The wall clock, which `SystemTime` reads, and sleeping in the C library. Both use the virtual clock.
//!
//! The other clocks of the C library are real: std's own `Instant` reads one of them, and raddle does, too.

use super::real::instead;
use libc::{clockid_t, timespec};
use raddle::outside::{now, without_unwinding};
use std::ffi::{c_int, c_uint};
use std::time::Duration;

instead! {
    /// See `man 2 clock_gettime`.
    fn clock_gettime(clock: clockid_t, time: *mut timespec) -> c_int {
        if matches!(clock, libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_COARSE)
            && let Some(now) = without_unwinding(now)
        {
            // SAFETY: the caller's.
            unsafe { *time = timespec { tv_sec: now.as_secs() as i64, tv_nsec: now.subsec_nanos().into() } };
            return 0;
        }
    }
}

instead! {
    /// See `man 2 nanosleep`. It is never interrupted, so there is no remaining time.
    fn nanosleep(time: *const timespec, left: *mut timespec) -> c_int {
        // SAFETY: the caller's: null, or a time.
        if let Some(time) = duration(unsafe { time.as_ref() }) {
            sleep_for(time);
            return 0;
        }
    }
}

instead! {
    /// See `man 2 clock_nanosleep`. Absolute deadlines of other clocks than the wall clock are passed on.
    fn clock_nanosleep(clock: clockid_t, flags: c_int, time: *const timespec, left: *mut timespec) -> c_int {
        // SAFETY: the caller's: null, or a time.
        if let Some(time) = duration(unsafe { time.as_ref() }) {
            let until = flags & libc::TIMER_ABSTIME != 0;
            if !until {
                sleep_for(time);
                return 0;
            }
            if clock == libc::CLOCK_REALTIME
                && let Some(now) = without_unwinding(now)
            {
                sleep_for(time.saturating_sub(now));
                return 0;
            }
        }
    }
}

instead! {
    /// See `man 3 usleep`.
    fn usleep(micros: c_uint) -> c_int {
        sleep_for(Duration::from_micros(micros.into()));
        return 0;
    }
}

instead! {
    /// See `man 3 sleep`.
    fn sleep(seconds: c_uint) -> c_uint {
        sleep_for(Duration::from_secs(seconds.into()));
        return 0;
    }
}

fn sleep_for(time: Duration) {
    without_unwinding(|| raddle::thread::sleep(time));
}

/// None if it is no time: then the C library complains.
fn duration(time: Option<&timespec>) -> Option<Duration> {
    let time = time?;
    let nanos = u32::try_from(time.tv_nsec).ok().filter(|nanos| *nanos < 1_000_000_000)?;
    Some(Duration::new(u64::try_from(time.tv_sec).ok()?, nanos))
}
