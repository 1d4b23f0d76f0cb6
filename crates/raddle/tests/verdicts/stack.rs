//! A stack that is too small.

use raddle::{Checker, FailureKind, thread};

fn deep(depth: usize) -> usize {
    let room = std::hint::black_box([depth as u8; 1_000]);
    if depth == 0 { room[0] as usize } else { deep(depth - 1) + room[1] as usize / 256 }
}

#[test]
fn too_small_a_stack_is_a_verdict_with_advice() {
    let report = Checker::dfs().stack_size(64 << 10).run(|| thread::spawn(|| deep(1_000)).join().unwrap());
    let failure = report.failure().expect("it is too small");
    assert_eq!(failure.kind(), FailureKind::Crash);
    let message = failure.message();
    assert!(
        message.starts_with("main.1 overflowed its stack of 64 KiB; thread::Builder::stack_size"),
        "{message}"
    );
    assert!(message.contains("Checker::stack_size all tasks"), "{message}");
    let smallest = Checker::dfs().stack_size(1).run(|| deep(10));
    let message = smallest.failure().expect("it is too small").message();
    assert!(message.starts_with("main overflowed its stack of 4 KiB"), "{message}");
}

#[test]
fn a_larger_stack_is_enough() {
    let report = Checker::dfs().stack_size(4 << 20).run(|| thread::spawn(|| deep(1_000)).join().unwrap());
    assert!(report.failure().is_none(), "{report}");
}
