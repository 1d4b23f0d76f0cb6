//! `std::thread`, under control.

mod spawn;
mod yielding;

pub(crate) use spawn::note_silent_panic;
pub use spawn::{JoinHandle, spawn};
pub use std::thread::Result;
pub use yielding::yield_now;
