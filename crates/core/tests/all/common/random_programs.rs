//! Random small programs for property tests.

use super::{Op, Program, assert_eq};
use proptest::prelude::*;

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        3 => (0..2usize).prop_map(Op::Read),
        3 => (0..2usize, 1..4i64).prop_map(|(x, value)| Op::Write(x, value)),
        2 => (0..2usize).prop_map(|x| Op::Add(x, 10)),
        2 => (0..2usize).prop_map(Op::Lock),
        2 => (0..2usize).prop_map(Op::Unlock),
        2 => (0..2usize).prop_map(Op::TryLock),
        1 => (1..4u32).prop_map(Op::Choose),
        1 => Just(Op::Yield),
        1 => (0..2usize, 0..2i64).prop_map(|(x, value)| assert_eq(x, value)),
    ]
}

/// One to three tasks of up to three operations; the third is sometimes a phantom.
/// At most 9!/(3!)^3 = 1,680 interleavings, times options.
pub fn programs() -> impl Strategy<Value = Program> {
    let tasks = prop::collection::vec(prop::collection::vec(op(), 0..4), 1..4);
    (tasks, any::<bool>()).prop_map(|(tasks, phantom)| {
        let phantoms = if phantom && tasks.len() == 3 { vec![2] } else { Vec::new() };
        Program { tasks, phantoms }
    })
}
