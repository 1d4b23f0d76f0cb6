//! A program that aborts ends its execution, not the process. std aborts when a destructor panics during
//! unwinding, and programs may do so themselves.
//!
//! `abort` raises a signal before it does anything that cannot be undone, and a handler may leave it for
//! good: here by never going on with the task. Not so if the C library itself has aborted, because the heap is
//! corrupt: it may hold locks, and there is nothing left to go on with.
//!
//! Outside of executions an abort is what it was before.

use crate::callers::note_crash;
use crate::runtime::abort_message;
use crate::runtime::context::{self, Current};
use crate::runtime::image;
use crate::runtime::signal::Chained;
use raddle_core::fact::TeardownError;
use raddle_core::verdict::{Cause, Defect};
use std::sync::Once;

static SIGNAL: Chained = Chained::new();

pub(crate) fn install_handler() {
    static PREPARED: Once = Once::new();
    // The first call loads what it needs; in the handler there may be no memory to be had.
    PREPARED.call_once(|| _ = callers());
    // The handler never returns into an execution, so the signal must not stay blocked.
    SIGNAL.install(libc::SIGABRT, on_abort, libc::SA_NODEFER);
}

extern "C" fn on_abort(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    abort_message::pass_on();
    if let Some(current) = context::current()
        && !came_from_the_library_itself()
    {
        note_crash(current);
        note(current, |task| Cause::Aborted { task });
        current.suspend_for_ever();
    }
    // SAFETY: this is the handler.
    unsafe { SIGNAL.pass_on((signal, info, context)) };
}

/// The running task ends the process for this reason.
pub(super) fn note(current: Current, cause: impl FnOnce(String) -> Cause) {
    let task = current.with(|e| e.my_name());
    if current.is_in_teardown() {
        current.with(|e| e.judge.note_afterwards(TeardownError::Aborted { task }));
    } else {
        let defect = Defect::of(cause(task));
        current.with(|e| {
            let last = e.evidence().last_operation(e.me());
            e.fail(Defect { facts: last.into_iter().collect(), ..defect });
        });
    }
}

/// How deep to look: the handler, the signal, a few functions that raise it, `abort`, and who called that.
const DEPTH: usize = 16;

/// The return addresses on the stack, the innermost first.
pub(super) fn callers() -> [usize; DEPTH] {
    let mut frames = [std::ptr::null_mut(); DEPTH];
    // SAFETY: there is room for so many.
    unsafe { libc::backtrace(frames.as_mut_ptr(), DEPTH as libc::c_int) };
    frames.map(|frame| frame as usize)
}

/// Whether it was a function of the library that `abort` belongs to that called it.
fn came_from_the_library_itself() -> bool {
    /// More than the code of `abort` takes.
    const SIZE: usize = 1024;
    let abort = libc::abort as *const () as usize;
    let frames = callers();
    let called_by = frames.iter().position(|frame| (abort..abort + SIZE).contains(frame));
    called_by.and_then(|at| frames.get(at + 1)).is_some_and(|caller| image::are_together(*caller, abort))
}
