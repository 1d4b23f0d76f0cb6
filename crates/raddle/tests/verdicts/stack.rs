//! A stack that is too small.

use crate::child;
use raddle::{Checker, thread};
use std::os::unix::process::ExitStatusExt;

fn deep(depth: usize) -> usize {
    let room = std::hint::black_box([depth as u8; 1_000]);
    if depth == 0 { room[0] as usize } else { deep(depth - 1) + room[1] as usize / 256 }
}

#[test]
fn overflows() {
    if !child::is_one() {
        return;
    }
    Checker::dfs().stack_size(64 << 10).run(|| thread::spawn(|| deep(1_000)).join().unwrap());
}

#[test]
fn overflows_at_once() {
    if !child::is_one() {
        return;
    }
    Checker::dfs().stack_size(1).run(|| deep(10));
}

#[test]
fn too_small_a_stack_is_named() {
    for test in ["stack::overflows", "stack::overflows_at_once"] {
        let (status, text) = child::run(&mut child::of(test));
        assert!(text.contains("raddle: a task has overflowed its stack; give tasks a larger one"), "{text}");
        assert!(text.contains("Checker::stack_size (or thread::Builder::stack_size)"), "{text}");
        assert_eq!(status.signal(), Some(libc::SIGABRT), "{status}");
    }
}

#[test]
fn a_larger_stack_is_enough() {
    let report = Checker::dfs().stack_size(4 << 20).run(|| thread::spawn(|| deep(1_000)).join().unwrap());
    assert!(report.failure().is_none(), "{report}");
}
