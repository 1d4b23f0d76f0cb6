//! Ctrl-C while a search is under way: it stops and says what it has found so far. A second Ctrl-C ends the
//! process at once, as if nobody listened.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

static REQUESTED: AtomicBool = AtomicBool::new(false);
/// How many searches listen.
static LISTENING: Mutex<u32> = Mutex::new(0);

extern "C" fn on_interrupt(_: libc::c_int) {
    REQUESTED.store(true, Ordering::Relaxed);
    set(libc::SIG_DFL);
}

fn set(handler: libc::sighandler_t) -> libc::sighandler_t {
    // SAFETY: a plain system call; the handler only stores a flag and makes this call again.
    unsafe { libc::signal(libc::SIGINT, handler) }
}

/// While this lives, Ctrl-C is a request. A program with a handler of its own keeps it.
#[derive(Debug)]
pub struct Interrupt(());

impl Interrupt {
    /// Listens from now on.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Interrupt {
        let mut listening = LISTENING.lock().unwrap_or_else(PoisonError::into_inner);
        if *listening == 0 {
            let before = set(on_interrupt as *const () as libc::sighandler_t);
            if before != libc::SIG_DFL {
                set(before);
            }
        }
        *listening += 1;
        Interrupt(())
    }
    /// Whether Ctrl-C was pressed.
    pub fn is_requested(&self) -> bool {
        REQUESTED.load(Ordering::Relaxed)
    }
    /// Ends the process, if Ctrl-C was pressed, as it would have ended then.
    pub fn end_process_if_requested() {
        if REQUESTED.load(Ordering::Relaxed) {
            set(libc::SIG_DFL);
            // SAFETY: a plain system call.
            unsafe { libc::raise(libc::SIGINT) };
        }
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        let mut listening = LISTENING.lock().unwrap_or_else(PoisonError::into_inner);
        *listening -= 1;
        if *listening == 0 {
            let present = set(libc::SIG_DFL);
            if present != on_interrupt as *const () as libc::sighandler_t {
                set(present);
            }
        }
    }
}
