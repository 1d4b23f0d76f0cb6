//! A task that runs for long without any operation is named, while it hangs.

use crate::child;
use raddle::sync::Mutex;
use raddle::{Checker, thread};
use std::time::Duration;

#[test]
fn hangs_in_main() {
    if !child::is_one() {
        return;
    }
    Checker::dfs().run(|| {
        let lock = Mutex::new(());
        let _guard = lock.lock();
        loop {
            std::hint::spin_loop();
        }
    });
}

#[test]
fn hangs_in_a_call_that_blocks() {
    if !child::is_one() {
        return;
    }
    Checker::dfs().run(|| {
        let task = thread::spawn(|| {
            thread::yield_now();
            // Not ours, so the tasks that would send can never run.
            let (sender, receiver) = std::sync::mpsc::channel::<()>();
            let _ = receiver.recv();
            drop(sender);
        });
        task.join().unwrap();
    });
}

#[test]
fn a_task_that_hangs_is_named() {
    // Neither is told to let its tests' output through: it must be seen all the same.
    let patience = Duration::from_secs(30);
    let main = std::thread::spawn(move || {
        child::until(&mut child::of("watchdog::hangs_in_main"), "watchdog", patience)
    });
    let mut other = child::of("watchdog::hangs_in_a_call_that_blocks");
    let other = child::until(&mut other, "watchdog", patience);
    let main = main.join().unwrap();
    let begins = [
        (main, "raddle: watchdog in watchdog::hangs_in_main: the main task has been running for ", 15),
        (other, "raddle: watchdog in watchdog::hangs_in_a_call_that_blocks: task number 1 ", 29),
    ];
    for (line, begin, place) in begins {
        assert!(line.starts_with(begin), "{line}");
        let place = format!(" s without any operation, after the operation at {}:{place}:", file!());
        assert!(line.contains(&place), "{line}");
        assert!(line.contains("a loop or a blocking call that it does not see hangs here"), "{line}");
    }
}
