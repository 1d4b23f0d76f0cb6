//! Ctrl-C during a search: the search stops and reports its findings so far. A second Ctrl-C terminates the
//! process at once, as without a handler.
//!
//! The handler is installed once, with the first search of the process, and stays: so Ctrl-C works from the
//! start of a search, which costs it no system call. Without a search it has its default effect.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

static REQUESTED: AtomicBool = AtomicBool::new(false);
/// The number of searches that handle Ctrl-C.
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

/// While this lives, Ctrl-C is a request. A handler of the program itself is kept.
#[derive(Debug)]
pub struct Interrupt(());

impl Interrupt {
    /// Handles Ctrl-C from now on.
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
    /// Terminates the process with the default effect of Ctrl-C, if it was pressed.
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
