//! What raddle installs in a process: nothing before the first check, and afterwards nothing that keeps signals and panics
//! from what was there before. Each test has a process of its own.

use crate::child;
use raddle::{Checker, FailureKind, thread};
use std::os::unix::process::ExitStatusExt;
use std::panic::PanicHookInfo;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicI32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The statuses with which handlers end the process.
const FAULT: libc::c_int = 77;
const ABORT: libc::c_int = 78;

/// What handles a signal.
fn handler_of(signal: libc::c_int) -> libc::sighandler_t {
    // SAFETY: a plain system call, which fills in the action; zeroed is a valid one.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        assert_eq!(libc::sigaction(signal, std::ptr::null(), &mut action), 0);
        action.sa_sigaction
    }
}

fn handle(signal: libc::c_int, handler: libc::sighandler_t, flags: libc::c_int) {
    // SAFETY: a plain system call; the handlers here only end the process or use an atomic.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        (action.sa_sigaction, action.sa_flags) = (handler, flags);
        assert_eq!(libc::sigaction(signal, &action, std::ptr::null_mut()), 0);
    }
}

extern "C" fn on_fault(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the system passes a valid description; the call is allowed in a handler.
    unsafe { libc::_exit(if (*info).si_addr().is_null() { FAULT } else { 1 }) }
}

extern "C" fn on_abort(_: libc::c_int) {
    // SAFETY: allowed in a handler.
    unsafe { libc::_exit(ABORT) }
}

static SIGNALS: AtomicI32 = AtomicI32::new(0);

extern "C" fn count(_: libc::c_int) {
    SIGNALS.fetch_add(1, SeqCst);
}

fn threads() -> Vec<String> {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok()).collect()
}

/// The system keeps the first 15 bytes of a thread's name.
fn has_watcher() -> bool {
    threads().iter().any(|name| name.trim_end() == &"raddle's watcher"[..15])
}

fn a_check() {
    let report = Checker::exhaustive().run(|| thread::spawn(|| 7).join().unwrap());
    assert!(report.failure().is_none(), "{report}");
}

fn read_null() {
    let nothing: *const u8 = std::hint::black_box(std::ptr::null());
    // SAFETY: none: it is the fault that is wanted.
    unsafe { nothing.read_volatile() };
}

/// The status of one test of this file in a process of its own.
fn status_of(test: &str) -> (ExitStatus, String) {
    let (_, here) = module_path!().split_once("::").expect("a module of this program");
    child::run(&mut child::of(&format!("{here}::{test}")))
}

#[test]
fn nothing_before_the_first_check() {
    if !child::is_one() {
        let (status, text) = status_of("nothing_before_the_first_check");
        assert!(status.success(), "{text}");
        return;
    }
    let signals = [libc::SIGSEGV, libc::SIGABRT, libc::SIGINT];
    let before = signals.map(handler_of);
    assert_eq!(before[1..], [libc::SIG_DFL; 2]);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hear = |heard: &Arc<Mutex<Vec<String>>>| {
        let heard = heard.clone();
        Box::new(move |info: &PanicHookInfo<'_>| {
            // Shown if the test fails.
            println!("{info}");
            heard.lock().unwrap().push(info.payload_as_str().unwrap_or_default().to_owned());
        })
    };
    let address_of = |hook: &(dyn Fn(&PanicHookInfo<'_>) + Send + Sync)| (&raw const *hook).cast::<()>();
    let hook = hear(&heard);
    let address = address_of(&*hook);
    std::panic::set_hook(hook);
    // Used outside of a check, raddle's types are std's.
    let lock = Arc::new(raddle::sync::Mutex::new(0));
    let theirs = lock.clone();
    thread::spawn(move || *theirs.lock().unwrap() += 1).join().unwrap();
    let _ = Checker::exhaustive().workers(2);
    assert_eq!(signals.map(handler_of), before);
    assert!(!has_watcher(), "{:?}", threads());
    let present = std::panic::take_hook();
    assert_eq!(address_of(&*present), address);
    std::panic::set_hook(present);
    // With the first check they are there.
    a_check();
    assert!(signals.map(handler_of).iter().zip(before).all(|(now, before)| *now != before));
    // A thread gives itself its name when it begins.
    let begun = Instant::now();
    while !has_watcher() {
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", threads());
        std::thread::yield_now();
    }
    // Panics that are not raddle's reach the hook from before, also while a check runs, and one that was set later.
    let outside = |message: &'static str| _ = std::thread::spawn(move || panic!("{message}")).join();
    outside("after");
    let report = Checker::random(1).run(|| {
        outside("during");
        thread::spawn(|| panic!("inside")).join().is_err()
    });
    assert!(report.failure().is_none(), "{report}");
    // The first execution is made twice. The hook takes the lock, too.
    let said = heard.lock().unwrap().clone();
    assert_eq!(said, ["after", "during", "during"]);
    let later = Arc::new(Mutex::new(Vec::new()));
    std::panic::set_hook(hear(&later));
    outside("later");
    a_check();
    outside("last");
    let said = (heard.lock().unwrap().len(), later.lock().unwrap().clone());
    assert_eq!(said, (3, ["later", "last"].map(String::from).to_vec()));
}

#[test]
fn a_fault_reaches_the_handler_from_before() {
    if child::is_one() {
        handle(libc::SIGSEGV, on_fault as *const () as usize, libc::SA_SIGINFO | libc::SA_ONSTACK);
        a_check();
        read_null();
    }
    let (status, text) = status_of("a_fault_reaches_the_handler_from_before");
    assert_eq!(status.code(), Some(FAULT), "{text}");
}

#[test]
fn so_does_one_after_a_fault_inside_of_an_execution() {
    if child::is_one() {
        handle(libc::SIGSEGV, on_fault as *const () as usize, libc::SA_SIGINFO | libc::SA_ONSTACK);
        // That one is the execution's failure.
        let report = Checker::exhaustive().run(|| thread::spawn(read_null).join().unwrap());
        assert_eq!(report.failure().expect("it faults").kind(), FailureKind::Crash);
        read_null();
    }
    let (status, text) = status_of("so_does_one_after_a_fault_inside_of_an_execution");
    assert_eq!(status.code(), Some(FAULT), "{text}");
}

#[test]
fn a_fault_that_nothing_handles_ends_the_process() {
    if child::is_one() {
        // Also where std's handler is not there, and where faults are ignored, which the system does not do.
        handle(libc::SIGSEGV, libc::SIG_IGN, 0);
        a_check();
        read_null();
    }
    let (status, text) = status_of("a_fault_that_nothing_handles_ends_the_process");
    assert_eq!(status.signal(), Some(libc::SIGSEGV), "{text}");
}

#[test]
fn an_abort_reaches_the_handler_from_before() {
    if child::is_one() {
        handle(libc::SIGABRT, on_abort as *const () as usize, 0);
        // Inside of an execution it is the execution's failure.
        let report = Checker::exhaustive().run(|| thread::spawn(|| std::process::abort()).join().is_ok());
        assert_eq!(report.failure().expect("it aborts").kind(), FailureKind::Panic);
        std::process::abort();
    }
    let (status, text) = status_of("an_abort_reaches_the_handler_from_before");
    assert_eq!(status.code(), Some(ABORT), "{text}");
}

#[test]
fn a_handler_of_aborts_may_return() {
    if !child::is_one() {
        let (status, text) = status_of("a_handler_of_aborts_may_return");
        assert!(status.success(), "{text}");
        return;
    }
    handle(libc::SIGABRT, count as *const () as usize, 0);
    a_check();
    for raised in 1..3 {
        // SAFETY: a plain system call.
        unsafe { libc::raise(libc::SIGABRT) };
        assert_eq!(SIGNALS.load(SeqCst), raised);
    }
}

#[test]
fn an_abort_that_nothing_handles_ends_the_process() {
    if child::is_one() {
        a_check();
        // SAFETY: a plain system call.
        unsafe { libc::raise(libc::SIGABRT) };
        std::process::exit(0);
    }
    let (status, text) = status_of("an_abort_that_nothing_handles_ends_the_process");
    assert_eq!(status.signal(), Some(libc::SIGABRT), "{text}");
}

#[test]
fn a_handler_of_ctrl_c_stays() {
    if !child::is_one() {
        let (status, text) = status_of("a_handler_of_ctrl_c_stays");
        assert!(status.success(), "{text}");
        return;
    }
    handle(libc::SIGINT, count as *const () as usize, libc::SA_RESTART);
    let before = handler_of(libc::SIGINT);
    a_check();
    assert_eq!(handler_of(libc::SIGINT), before);
    // SAFETY: a plain system call.
    unsafe { libc::raise(libc::SIGINT) };
    assert_eq!(SIGNALS.load(SeqCst), 1);
}
