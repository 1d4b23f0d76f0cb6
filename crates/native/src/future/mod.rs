//! Futures as tasks: an executor with one task per future, and wakers whose wake-ups are operations. Any
//! future works if its wake-ups are under raddle's control. Outside an exploration the same functions run
//! futures on threads.

mod atomic_waker;
mod block_on;
mod signal;
mod spawn;
mod yield_now;

pub use atomic_waker::AtomicWaker;
pub use block_on::block_on;
pub use spawn::{JoinError, JoinHandle, spawn};
pub use yield_now::{YieldNow, yield_now};
