//! `std::hint`, where a spin loop announces that it spins.

use crate::runtime::context;
use crate::runtime::operation::{Op, OperationKind};
pub use std::hint::{assert_unchecked, black_box, unreachable_unchecked};
use std::panic::Location;

static SPIN_LOOP: OperationKind = OperationKind::local("spin_loop").yielding();

/// Ends an iteration of a spin loop: see [`std::hint::spin_loop`].
#[cfg_attr(not(feature = "outlined"), inline)]
#[cfg_attr(feature = "outlined", inline(never))]
#[track_caller]
pub fn spin_loop() {
    match context::current() {
        None => std::hint::spin_loop(),
        Some(current) => {
            if !current.with(|e| e.pauses_already(&SPIN_LOOP)) {
                current.perform(Op::plain(&SPIN_LOOP, Location::caller()));
            }
        }
    }
}
