//! A task that runs for long without an operation is named, while it hangs.

use crate::child;
use raddle::sync::Mutex;
use raddle::{Checker, thread};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

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
            // A channel of std, so the tasks that would send can never run.
            let (sender, receiver) = std::sync::mpsc::channel::<()>();
            let _ = receiver.recv();
            drop(sender);
        });
        task.join().unwrap();
    });
}

/// Runs it until it prints `words` on standard error, then kills it. Returns the line.
#[track_caller]
fn until(command: &mut Command, words: &str, patience: Duration) -> String {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let stderr = BufReader::new(child.stderr.take().unwrap());
    let (sender, lines) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        for line in stderr.lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    let begun = Instant::now();
    let mut said = Vec::new();
    let found = loop {
        match lines.recv_timeout(patience.saturating_sub(begun.elapsed())) {
            Ok(line) if line.contains(words) => break Some(line),
            Ok(line) => said.push(line),
            Err(_) => break None,
        }
    };
    let _ = child.kill();
    child.wait().unwrap();
    reader.join().unwrap();
    found.unwrap_or_else(|| panic!("it never said {words:?}, but: {said:#?}"))
}

#[test]
fn a_task_that_hangs_is_named() {
    // Neither passes the output of its tests through: it must be visible all the same.
    let patience = Duration::from_secs(30);
    let main =
        std::thread::spawn(move || until(&mut child::of("watchdog::hangs_in_main"), "watchdog", patience));
    let mut other = child::of("watchdog::hangs_in_a_call_that_blocks");
    let other = until(&mut other, "watchdog", patience);
    let main = main.join().unwrap();
    let begins = [
        (main, "raddle: watchdog in watchdog::hangs_in_main: the main task has been running for ", 18),
        (other, "raddle: watchdog in watchdog::hangs_in_a_call_that_blocks: task number 1 ", 32),
    ];
    for (line, begin, place) in begins {
        assert!(line.starts_with(begin), "{line}");
        let place = format!(" s without any operation, after the operation at {}:{place}:", file!());
        assert!(line.contains(&place), "{line}");
        assert!(line.contains("a loop or a blocking call that it does not see hangs here"), "{line}");
    }
}
