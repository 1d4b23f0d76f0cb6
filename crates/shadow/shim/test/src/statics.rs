//! The statics of the crates under test. Every execution must find them as the program starts with them.

use crate::symbols;

/// From now on executions begin with the statics as they are now.
pub fn keep() {
    // SAFETY: the ranges are statics of crates under test, whose code is executed in executions only.
    unsafe { raddle::statics::keep(symbols::statics_under_test()) }
}

/// The test explores by itself, and does as it likes with its statics.
pub fn let_go() {
    // SAFETY: nothing is kept.
    unsafe { raddle::statics::keep(Vec::new()) }
}

/// Whether executions have changed any of them. Several workers have only one copy between them.
pub fn shared() -> bool {
    raddle::statics::changed()
}
