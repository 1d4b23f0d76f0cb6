//! The memory of executions: at the same addresses in each of them, where that is possible.

use raddle::{arena, program_memory};
use raddle_core::fact::Assumption;
use std::io::Write;

/// From now on executions have arenas, if `wanted`.
pub fn prepare(wanted: bool) {
    // What std makes on first use and keeps must not be made by an execution.
    let _ = std::io::stdout().flush();
    if wanted {
        arena::enable();
    }
}

/// The test explores by itself: what its executions return outlives them.
pub fn let_go() {
    arena::disable();
}

/// What verdicts on this program assume.
pub fn assumption() -> Option<Assumption> {
    program_memory::is_without_its_allocator().then_some(Assumption::OwnAllocatorNotUsed)
}
