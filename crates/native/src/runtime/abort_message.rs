//! std says "thread caused non-unwinding panic. aborting." before it aborts. Inside of an execution only that ends, so the line
//! is left out.
//!
//! Invariant: from the panic hook to the handler of the abort, which the same thread runs next, standard error is a file in
//! memory. All else that is written to it meanwhile is passed on.

use std::io::Read;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::{Mutex, PoisonError};

/// What std writes.
const MESSAGE: &[u8] = b"thread caused non-unwinding panic. aborting.\n";

/// The thread that holds standard error back.
struct HeldBack {
    thread: libc::pthread_t,
    standard_error: OwnedFd,
    file: OwnedFd,
}

static HELD_BACK: Mutex<Option<HeldBack>> = Mutex::new(None);

/// The calling thread is about to abort. If there is no file to be had, its line is written.
pub(super) fn hold_back() {
    let mut held_back = loop {
        let held_back = HELD_BACK.lock().unwrap_or_else(PoisonError::into_inner);
        if held_back.is_none() {
            break held_back;
        }
        // Another thread is about to abort: that is all it does until then.
        drop(held_back);
        std::thread::yield_now();
    };
    // SAFETY: plain system calls; descriptors that are new have no other owner.
    unsafe {
        let own = |descriptor| (descriptor >= 0).then(|| OwnedFd::from_raw_fd(descriptor));
        let standard_error = own(libc::fcntl(libc::STDERR_FILENO, libc::F_DUPFD_CLOEXEC, 3));
        let file = own(libc::memfd_create(c"raddle".as_ptr(), libc::MFD_CLOEXEC));
        if let (Some(standard_error), Some(file)) = (standard_error, file)
            && libc::dup2(file.as_raw_fd(), libc::STDERR_FILENO) >= 0
        {
            *held_back = Some(HeldBack { thread: libc::pthread_self(), standard_error, file });
        }
    }
}

/// The abort has come.
pub(super) fn pass_on() {
    let mut held_back = HELD_BACK.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: a plain system call.
    let Some(HeldBack { standard_error, file, .. }) =
        held_back.take_if(|held| held.thread == unsafe { libc::pthread_self() })
    else {
        return;
    };
    // SAFETY: plain system calls.
    unsafe {
        libc::dup2(standard_error.as_raw_fd(), libc::STDERR_FILENO);
        libc::lseek(file.as_raw_fd(), 0, libc::SEEK_SET);
    }
    let mut written = Vec::new();
    let _ = std::fs::File::from(file).read_to_end(&mut written);
    if let Some(at) = written.windows(MESSAGE.len()).position(|part| part == MESSAGE) {
        written.drain(at..at + MESSAGE.len());
    }
    let mut rest = &written[..];
    while !rest.is_empty() {
        // SAFETY: so many bytes are there.
        let done = unsafe { libc::write(libc::STDERR_FILENO, rest.as_ptr().cast(), rest.len()) };
        let Ok(done @ 1..) = usize::try_from(done) else { return };
        rest = &rest[done..];
    }
}
