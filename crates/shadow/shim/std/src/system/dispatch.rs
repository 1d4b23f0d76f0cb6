//! System calls that do not go through the C library: some crates make them with an instruction of their own. The kernel
//! passes those of each thread that explores to a signal handler ("syscall user dispatch"), and the handler treats them as
//! the functions of the C library in this folder do.
//!
//! Calls from the code of the C library itself are not passed on. Where the kernel has no such feature, nothing changes.

use super::{kernel, outside, waits};
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::ptr;
use std::sync::OnceLock;

const PR_SET_SYSCALL_USER_DISPATCH: c_int = 59;
const PR_SYS_DISPATCH_ON: usize = 1;
const ALLOW: u8 = 0;
const BLOCK: u8 = 1;

thread_local! {
    /// What the kernel does with system calls of this thread: it reads this byte at each of them.
    static SELECTOR: Cell<u8> = const { Cell::new(ALLOW) };
}

/// Makes system calls of this file and its siblings directly.
pub(super) fn directly<R>(call: impl FnOnce() -> R) -> R {
    SELECTOR.with(|selector| {
        let before = selector.replace(ALLOW);
        let result = call();
        selector.set(before);
        result
    })
}

/// From now on, the system calls of this thread are seen.
pub fn watch_this_thread() {
    static LIBRARY: OnceLock<Option<Range<usize>>> = OnceLock::new();
    let Some(library) = LIBRARY.get_or_init(|| library().filter(|_| install_handler())) else { return };
    SELECTOR.with(|selector| {
        // SAFETY: the byte lives as long as the thread; the range is that of the C library.
        let refused = unsafe {
            libc::prctl(
                PR_SET_SYSCALL_USER_DISPATCH,
                PR_SYS_DISPATCH_ON,
                library.start,
                library.len(),
                selector.as_ptr(),
            )
        };
        if refused == 0 {
            selector.set(BLOCK);
        }
    });
}

/// Where the code of the C library is. None if it is part of this program.
fn library() -> Option<Range<usize>> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let code = |line: &str| {
        let mut words = line.split_whitespace();
        let (range, rights) = (words.next()?, words.next()?);
        let (from, to) = range.split_once('-')?;
        let number = |text| usize::from_str_radix(text, 16).ok();
        rights.contains('x').then_some(number(from)?..number(to)?)
    };
    let holds = |address: usize| maps.lines().filter_map(code).find(|range| range.contains(&address));
    let library = holds(libc::getpid as *const () as usize)?;
    (holds(watch_this_thread as *const () as usize)? != library).then_some(library)
}

fn install_handler() -> bool {
    // SAFETY: the handler has the type that the flag asks for. It is not blocked while it runs, and needs no more of the
    // stack than a function of the C library.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handle as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER;
        libc::sigaction(libc::SIGSYS, &action, ptr::null_mut()) == 0
    }
}

/// Makes the call that was not made, or says that it cannot be explored. Nothing is allocated.
extern "C" fn handle(_: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes the registers of the thread at its system call.
    let registers = unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    let at = |register: c_int| registers[register as usize] as usize;
    let number = at(libc::REG_RAX) as i64;
    let arguments =
        [libc::REG_RDI, libc::REG_RSI, libc::REG_RDX, libc::REG_R10, libc::REG_R8, libc::REG_R9].map(at);
    if raddle::outside::is_taken_over() {
        before(number, arguments);
    }
    // SAFETY: what the program asked for.
    let result = unsafe { kernel(number, arguments) };
    if raddle::outside::is_taken_over() && result == 0 && waits::is_limited(number, arguments) {
        outside("it has waited for events in vain");
    }
    registers[libc::REG_RAX as usize] = result as i64;
}

/// Does not return if the call needs the real world.
fn before(number: i64, [_, _, c, ..]: [usize; 6]) {
    match number {
        libc::SYS_nanosleep | libc::SYS_clock_nanosleep => outside("it sleeps in the real world (nanosleep)"),
        libc::SYS_timerfd_settime => waits::demand_no_timer(c as *const libc::itimerspec),
        libc::SYS_fork | libc::SYS_vfork | libc::SYS_clone | libc::SYS_clone3 => {
            outside("it starts another program (clone)");
        }
        libc::SYS_execve | libc::SYS_execveat => outside("it starts another program (exec)"),
        _ => {}
    }
}
