//! A program that aborts ends its execution, not the process. std aborts when a destructor panics during
//! unwinding, and programs may do so themselves.
//!
//! `abort` raises a signal before it does anything that cannot be undone, and a handler may leave it for
//! good: here by never going on with the task.

use super::context::{self, Current};
use super::execution::Stage;
use raddle_core::verdict::{Defect, FailureKind};
use std::sync::Once;

pub(crate) fn install_handler() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // SAFETY: plain system calls; zeroed is a valid action, and all fields that matter are set.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_abort as *const () as usize;
            // The handler never returns, so the signal must not stay blocked.
            action.sa_flags = libc::SA_NODEFER;
            libc::sigemptyset(&mut action.sa_mask);
            libc::sigaction(libc::SIGABRT, &action, std::ptr::null_mut());
        }
    });
}

extern "C" fn on_abort(signal: libc::c_int) {
    if let Some(current) = context::current() {
        note(current);
        current.suspend_for_ever();
    }
    // Outside of executions the process ends as it would have.
    // SAFETY: a plain system call.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
}

fn note(current: Current) {
    current.with(|e| {
        let name = e.task_name(e.current);
        if e.stage == Stage::Teardown {
            e.afterwards.push(format!("{name} aborted while it was put away"));
        } else {
            e.fail(Defect::new(FailureKind::Panic, format!("{name} aborted the process")));
        }
    });
}
