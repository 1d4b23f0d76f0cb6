//! `std::thread`, under control.

mod spawn;
mod yielding;

pub use spawn::{JoinHandle, spawn};
pub use std::thread::Result;
pub use yielding::yield_now;
