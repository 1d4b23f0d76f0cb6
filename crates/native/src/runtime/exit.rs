//! A program that calls std's `process::exit` inside of an execution ends the process: that is said, with the task that
//! called it, and the process ends with the code of a test that failed. A silent exit with code 0 would pass for success.
//!
//! std runs exit handlers once and for the whole process, so the execution cannot be stopped instead, as
//! [`crate::process::exit`] does.

use crate::runtime::context;
use std::io::Write;
use std::sync::Once;

/// The code of a Rust test program whose tests failed.
const FAILED: libc::c_int = 101;

pub(crate) fn install_handler() {
    static INSTALLED: Once = Once::new();
    // SAFETY: the handler is a function of the program.
    INSTALLED.call_once(|| unsafe {
        libc::atexit(on_exit);
    });
}

extern "C" fn on_exit() {
    let Some(current) = context::current() else { return };
    let name = current.with(|e| e.my_name());
    let _ = writeln!(
        std::io::stderr(),
        "raddle: {name} called std::process::exit inside of a check, so the search ends here, with a failure; \
         raddle::process::exit ends the execution instead, and the report shows how it came about"
    );
    // SAFETY: ends the process, whatever other handlers there are.
    unsafe { libc::_exit(FAILED) }
}
