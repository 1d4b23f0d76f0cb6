//! Ctrl-C, SIGTERM and SIGHUP during a search: the search stops, saves itself and reports its findings so far. A second
//! signal of the same kind terminates the process at once, as without a handler.
//!
//! The handlers are installed once, with the first search of the process, and stay: so Ctrl-C works from the
//! start of a search, which costs it no system call. Without a search they have their default effect.

use std::sync::Once;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

/// The signals that ask a search to stop.
const SIGNALS: [libc::c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// The first of them that came; 0 for none.
static REQUESTED: AtomicI32 = AtomicI32::new(0);
/// The number of searches that handle them.
static LISTENING: AtomicU32 = AtomicU32::new(0);
static SET: Once = Once::new();

extern "C" fn on_signal(signal: libc::c_int) {
    set(signal, libc::SIG_DFL);
    let _ = REQUESTED.compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst);
    if LISTENING.load(Ordering::SeqCst) == 0 {
        end(signal);
    }
}

fn set(signal: libc::c_int, handler: libc::sighandler_t) {
    // SAFETY: a plain system call; the handler only uses flags and makes such calls.
    unsafe { libc::signal(signal, handler) };
}

/// Whether a signal has its default effect. Where it is handled or ignored, as by `nohup`, it stays so.
fn is_default(signal: libc::c_int) -> bool {
    // SAFETY: a plain system call, which fills in the action; zeroed is a valid one.
    unsafe {
        let mut present: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut present);
        present.sa_sigaction == libc::SIG_DFL
    }
}

fn end(signal: libc::c_int) {
    // SAFETY: a plain system call.
    unsafe { libc::raise(signal) };
}

/// While this lives, the signals are requests. A handler of the program itself is kept.
#[derive(Debug)]
pub struct Interrupt(());

impl Interrupt {
    /// Handles the signals from now on.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Interrupt {
        LISTENING.fetch_add(1, Ordering::SeqCst);
        SET.call_once(|| {
            for signal in SIGNALS.into_iter().filter(|signal| is_default(*signal)) {
                set(signal, on_signal as *const () as libc::sighandler_t);
            }
        });
        Interrupt(())
    }
    /// Whether Ctrl-C was pressed, or the process was asked to end.
    pub fn is_requested(&self) -> bool {
        REQUESTED.load(Ordering::SeqCst) != 0
    }
    /// Terminates the process with the default effect of the signal, if one came.
    pub fn end_process_if_requested() {
        let signal = REQUESTED.load(Ordering::SeqCst);
        if signal != 0 {
            set(signal, libc::SIG_DFL);
            end(signal);
        }
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        LISTENING.fetch_sub(1, Ordering::SeqCst);
    }
}
