//! System calls of the program itself that would escape control: waiting on a futex, random numbers, real time, other
//! programs. A symbol of the program has precedence over that of the C library, for everything that is linked into it.
//!
//! Only calls of an execution are intercepted, and those on a futex only if it is an atomic that the execution has
//! registered; all others, including those of the real std, are passed on.

pub mod clock;
pub mod dispatch;
pub mod processes;
mod real;
pub mod waits;

use raddle::futex::{self, Waited};
use raddle::observer::outside;
use raddle::outside::without_unwinding;
use std::arch::asm;
use std::ffi::{c_int, c_long, c_uint, c_void};
use std::time::Duration;

/// See `man 2 syscall`. It takes any number of arguments; on this machine all calls pass them in the same way.
///
/// # Safety
/// As the system call that it makes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syscall(
    number: c_long,
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
) -> c_long {
    let taken = match number {
        // SAFETY: the caller's.
        libc::SYS_futex => unsafe { try_futex(a, b as c_int, c as u32, d as *const libc::timespec) },
        // SAFETY: the caller's.
        libc::SYS_getrandom => unsafe { try_random(a as *mut u8, b) },
        libc::SYS_fork | libc::SYS_vfork | libc::SYS_clone | libc::SYS_clone3 => {
            outside("it starts another program (clone)");
            None
        }
        libc::SYS_execve | libc::SYS_execveat => {
            outside("it starts another program (exec)");
            None
        }
        _ => None,
    };
    match taken {
        Some(result) => answer(result as isize),
        // SAFETY: the caller's.
        None => answer(unsafe { kernel(number, [a, b, c, d, e, f]) }),
    }
}

/// See `man 2 getrandom`.
///
/// # Safety
/// There are `length` bytes at `buffer`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn getrandom(buffer: *mut c_void, length: usize, flags: c_uint) -> isize {
    // SAFETY: the caller's.
    match unsafe { try_random(buffer.cast(), length) } {
        Some(result) => result as isize,
        None => {
            let arguments = [buffer as usize, length, flags as usize, 0, 0, 0];
            // SAFETY: the caller's.
            answer(unsafe { kernel(libc::SYS_getrandom, arguments) }) as isize
        }
    }
}

/// The call itself. Errors are negative numbers.
///
/// # Safety
/// As the system call that it makes.
unsafe fn kernel(number: c_long, [a, b, c, d, e, f]: [usize; 6]) -> isize {
    dispatch::directly(|| {
        let result: isize;
        // SAFETY: the caller's; the kernel changes these registers only.
        unsafe {
            asm!("syscall", inlateout("rax") number as isize => result, in("rdi") a, in("rsi") b, in("rdx") c,
                in("r10") d, in("r8") e, in("r9") f, lateout("rcx") _, lateout("r11") _, options(nostack));
        }
        result
    })
}

/// What the C library makes of the kernel's answer.
fn answer(result: isize) -> c_long {
    if (-4095..0).contains(&result) {
        // SAFETY: the place where this thread keeps its last error.
        unsafe { *libc::__errno_location() = -result as c_int };
        return -1;
    }
    result as c_long
}

/// # Safety
/// As the system call.
unsafe fn try_futex(
    address: usize,
    operation: c_int,
    value: u32,
    limit: *const libc::timespec,
) -> Option<c_long> {
    match operation & !(libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME) {
        libc::FUTEX_WAIT => {
            // SAFETY: the caller's: null, or a time.
            let limit = unsafe { limit.as_ref() };
            let limit = limit.map(|time| Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec as u32));
            // SAFETY: the caller's.
            without_unwinding(|| unsafe { futex::wait(address, value, limit) }).map(|waited| match waited {
                Waited::Woken => 0,
                Waited::Changed => -libc::EAGAIN as c_long,
                Waited::TimedOut => -libc::ETIMEDOUT as c_long,
            })
        }
        libc::FUTEX_WAKE => {
            without_unwinding(|| futex::wake(address, value as usize)).map(|woken| woken as c_long)
        }
        _ => None,
    }
}

/// # Safety
/// There are `length` bytes at `buffer`.
unsafe fn try_random(buffer: *mut u8, length: usize) -> Option<c_long> {
    // SAFETY: the caller's.
    let bytes = unsafe { std::slice::from_raw_parts_mut(buffer, length) };
    raddle::random::fill(bytes).then_some(length as c_long)
}
