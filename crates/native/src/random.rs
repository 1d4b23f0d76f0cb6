//! Random bytes that are the same in every execution of the same schedule. For facades: programs that ask the
//! operating system for random bytes get these instead.

use crate::runtime::context;
use raddle_core::random::Rng;

/// Fills `bytes`. Each task has its own generator. Says whether the caller is in an execution.
pub fn fill(bytes: &mut [u8]) -> bool {
    let Some(current) = context::current() else { return false };
    let seed = current.with(|e| (e.me().0 as u64) << 32 | e.next_random() as u64);
    let mut rng = Rng::new(seed, 0);
    for byte in bytes {
        *byte = rng.next_u64() as u8;
    }
    true
}
