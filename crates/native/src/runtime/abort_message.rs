//! std says "thread caused non-unwinding panic. aborting." before it aborts. Inside of an execution only that ends, so the line
//! is left out.
//!
//! Invariant: from the panic hook to the handler of the abort, which the same thread runs next, standard error is a file in
//! memory. All else that is written to it meanwhile is passed on. A write of another thread that is under way when standard
//! error is put back still ends in the file, so the file stays, and is read again later.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What std writes.
const MESSAGE: &[u8] = b"thread caused non-unwinding panic. aborting.\n";

/// Where standard error goes meanwhile.
struct File {
    descriptor: OwnedFd,
    /// How much of it was passed on.
    passed_on: usize,
}

/// The thread that holds standard error back.
struct HeldBack {
    thread: libc::pthread_t,
    standard_error: OwnedFd,
}

struct State {
    file: Option<File>,
    held_back: Option<HeldBack>,
}

static STATE: Mutex<State> = Mutex::new(State { file: None, held_back: None });

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The calling thread is about to abort. If there is no file to be had, its line is written.
pub(super) fn hold_back() {
    let mut state = loop {
        let state = state();
        if state.held_back.is_none() {
            break state;
        }
        // Another thread is about to abort: that is all it does until then.
        drop(state);
        std::thread::yield_now();
    };
    let State { file, held_back } = &mut *state;
    if file.is_none() {
        *file = File::new();
    }
    let Some(file) = file else { return };
    // SAFETY: plain system calls; a descriptor that is new has no other owner.
    unsafe {
        let standard_error = libc::fcntl(libc::STDERR_FILENO, libc::F_DUPFD_CLOEXEC, 3);
        if standard_error >= 0 {
            let standard_error = OwnedFd::from_raw_fd(standard_error);
            if libc::dup2(file.descriptor.as_raw_fd(), libc::STDERR_FILENO) >= 0 {
                *held_back = Some(HeldBack { thread: libc::pthread_self(), standard_error });
            }
        }
    }
}

/// The abort has come.
pub(super) fn pass_on() {
    let State { file, held_back } = &mut *state();
    // SAFETY: a plain system call.
    let held = held_back.take_if(|held| held.thread == unsafe { libc::pthread_self() });
    if let (Some(held), Some(file)) = (held, file) {
        let standard_error = held.standard_error.as_raw_fd();
        // First, so that what a thread writes next comes after it.
        file.pass_on(standard_error);
        // SAFETY: a plain system call.
        unsafe { libc::dup2(standard_error, libc::STDERR_FILENO) };
        file.pass_on(standard_error);
    }
}

/// Writes what came to the file too late, if no thread is about to abort.
pub(super) fn pass_on_late() {
    if let State { file: Some(file), held_back: None } = &mut *state() {
        file.pass_on(libc::STDERR_FILENO);
    }
}

impl File {
    fn new() -> Option<File> {
        // SAFETY: plain system calls; a descriptor that is new has no other owner.
        unsafe {
            let descriptor = libc::memfd_create(c"raddle".as_ptr(), libc::MFD_CLOEXEC);
            if descriptor < 0 {
                return None;
            }
            let descriptor = OwnedFd::from_raw_fd(descriptor);
            // Each write goes to its end, also while it is read.
            let appends = libc::fcntl(descriptor.as_raw_fd(), libc::F_SETFL, libc::O_APPEND) == 0;
            appends.then_some(File { descriptor, passed_on: 0 })
        }
    }

    /// Writes to `standard_error` what was written to the file since the last time, but for the line.
    fn pass_on(&mut self, standard_error: libc::c_int) {
        let mut written = Vec::new();
        let mut part = [0; 1024];
        loop {
            let at = self.passed_on as libc::off_t;
            // SAFETY: there is room for so many bytes.
            let read =
                unsafe { libc::pread(self.descriptor.as_raw_fd(), part.as_mut_ptr().cast(), part.len(), at) };
            let Ok(read @ 1..) = usize::try_from(read) else { break };
            written.extend_from_slice(&part[..read]);
            self.passed_on += read;
        }
        if !written.is_empty() {
            let free = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
            // SAFETY: a plain system call, which frees the memory of what was read.
            unsafe { libc::fallocate(self.descriptor.as_raw_fd(), free, 0, self.passed_on as libc::off_t) };
        }
        if let Some(at) = written.windows(MESSAGE.len()).position(|part| part == MESSAGE) {
            written.drain(at..at + MESSAGE.len());
        }
        let mut rest = &written[..];
        while !rest.is_empty() {
            // SAFETY: so many bytes are there.
            let done = unsafe { libc::write(standard_error, rest.as_ptr().cast(), rest.len()) };
            let Ok(done @ 1..) = usize::try_from(done) else { return };
            rest = &rest[done..];
        }
    }
}
