//! A program that faults ends its execution, not the process: an invalid access, an illegal instruction, a division that
//! the processor refuses, a stack that overflows.
//!
//! Invariant: the task that faulted never goes on, so that nothing of it runs after the fault. A fault outside of
//! executions is what it was before, and so is one in the middle of the C library's memory management: it holds locks, and
//! nothing could go on. Signals that a process sends are no faults.

use crate::callers;
use crate::runtime::abort::{callers as return_addresses, note};
use crate::runtime::context::{self, Current};
use crate::runtime::signal::{Chained, ensure_stack};
use raddle_core::verdict::{Cause, Fault};

/// Each signal, what it says of the program, and its handler.
static SIGNALS: [(libc::c_int, Fault, Chained); 4] = [
    (libc::SIGSEGV, Fault::Segmentation, Chained::new()),
    (libc::SIGBUS, Fault::Bus, Chained::new()),
    (libc::SIGILL, Fault::IllegalInstruction, Chained::new()),
    (libc::SIGFPE, Fault::Arithmetic, Chained::new()),
];

/// Handles faults of this thread's executions, on a stack of their own.
pub(crate) fn install_handler() {
    ensure_stack();
    for (signal, _, chained) in &SIGNALS {
        // The handler never returns into an execution, so the signal must not stay blocked.
        chained.install(*signal, on_fault, libc::SA_ONSTACK | libc::SA_NODEFER);
    }
}

extern "C" fn on_fault(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let Some((_, fault, chained)) = SIGNALS.iter().find(|(number, ..)| *number == signal) else { return };
    // SAFETY: the system passes a valid description.
    let (is_fault, address) = unsafe { ((*info).si_code > 0, (*info).si_addr() as usize) };
    if is_fault
        && let Some(current) = context::current()
        && !is_in_memory_management()
    {
        callers::note_crash(current);
        note(current, |task| cause(current, *fault, address, task));
        current.suspend_for_ever();
    }
    // SAFETY: this is the handler.
    unsafe { chained.pass_on((signal, info, context)) };
}

fn cause(current: Current, fault: Fault, address: usize, task: String) -> Cause {
    let kibibytes = current.with(|e| {
        let task = e.tasks.running();
        is_in_guard(task.stack_limit(), address).then(|| kibibytes(task.stack_size()))
    });
    match kibibytes {
        Some(kibibytes) => Cause::StackOverflow { task, kibibytes },
        None => Cause::Faulted { task, fault },
    }
}

/// The size of a stack without its guard page, and without what is left unused at its top.
fn kibibytes(size: usize) -> u64 {
    const PAGE: usize = 4096;
    ((size.saturating_sub(PAGE) / PAGE * PAGE) >> 10) as u64
}

/// Whether `address` lies in the guard page below a stack, or close below it: large frames may jump over the page.
fn is_in_guard(limit: usize, address: usize) -> bool {
    const CLOSE: usize = 1 << 16;
    (limit.saturating_sub(CLOSE)..limit + CLOSE).contains(&address)
}

/// Whether the C library was allocating or freeing.
fn is_in_memory_management() -> bool {
    /// More than the code of one of these functions takes.
    const SIZE: usize = 1024;
    let functions = [
        libc::malloc as *const () as usize,
        libc::calloc as *const () as usize,
        libc::realloc as *const () as usize,
        libc::free as *const () as usize,
    ];
    let is_one = |frame: &usize| functions.iter().any(|from| (*from..from + SIZE).contains(frame));
    return_addresses().iter().any(is_one)
}
