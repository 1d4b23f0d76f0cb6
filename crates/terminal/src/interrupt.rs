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

fn set(handler: libc::sighandler_t) {
    // SAFETY: a plain system call; the handler only uses flags and makes such calls.
    unsafe { libc::signal(libc::SIGINT, handler) };
}

/// Whether Ctrl-C has its default effect. Where it is handled or ignored, it stays so.
fn is_default() -> bool {
    // SAFETY: a plain system call, which fills in the action; zeroed is a valid one.
    unsafe {
        let mut present: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGINT, std::ptr::null(), &mut present);
        present.sa_sigaction == libc::SIG_DFL
    }
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
            if is_default() {
                set(on_interrupt as *const () as libc::sighandler_t);
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
