//! Futures as tasks: an executor that is one task per future, with wakers whose wake-ups are operations.
//!
//! Any future works, whoever wrote it, as long as what wakes it is under raddle's control. Outside of an
//! exploration the same functions run futures for real, on threads.

mod atomic_waker;
mod block_on;
mod signal;
mod spawn;
mod yield_now;

pub use atomic_waker::AtomicWaker;
pub use block_on::block_on;
pub use spawn::{JoinError, JoinHandle, spawn};
pub use yield_now::{YieldNow, yield_now};
