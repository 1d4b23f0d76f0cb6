//! Ctrl-C while a search is under way: it stops and says what it has found so far. A second Ctrl-C ends the
//! process at once, as if nobody listened.
//!
//! The handler is set once, with the first search of the process, and stays: so Ctrl-C is heard from the very beginning
//! of a search, which costs it no system call. While there is no search it does what Ctrl-C always does.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

static REQUESTED: AtomicBool = AtomicBool::new(false);
/// How many searches listen.
static LISTENING: AtomicU32 = AtomicU32::new(0);
static SET: Once = Once::new();

extern "C" fn on_interrupt(_: libc::c_int) {
    set(libc::SIG_DFL);
    REQUESTED.store(true, Ordering::SeqCst);
    if LISTENING.load(Ordering::SeqCst) == 0 {
        end();
    }
}

fn set(handler: libc::sighandler_t) -> libc::sighandler_t {
    // SAFETY: a plain system call; the handler only uses flags and makes such calls.
    unsafe { libc::signal(libc::SIGINT, handler) }
}

fn end() {
    // SAFETY: a plain system call.
    unsafe { libc::raise(libc::SIGINT) };
}

/// While this lives, Ctrl-C is a request. A program with a handler of its own keeps it.
#[derive(Debug)]
pub struct Interrupt(());

impl Interrupt {
    /// Listens from now on.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Interrupt {
        LISTENING.fetch_add(1, Ordering::SeqCst);
        SET.call_once(|| {
            let before = set(on_interrupt as *const () as libc::sighandler_t);
            if before != libc::SIG_DFL {
                set(before);
            }
        });
        Interrupt(())
    }
    /// Whether Ctrl-C was pressed.
    pub fn is_requested(&self) -> bool {
        REQUESTED.load(Ordering::SeqCst)
    }
    /// Ends the process, if Ctrl-C was pressed, as it would have ended then.
    pub fn end_process_if_requested() {
        if REQUESTED.load(Ordering::SeqCst) {
            set(libc::SIG_DFL);
            end();
        }
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        LISTENING.fetch_sub(1, Ordering::SeqCst);
    }
}
