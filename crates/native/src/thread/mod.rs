//! `std::thread`, under control: threads are tasks, thread-locals belong to tasks, and sleeping takes no real
//! time.

mod builder;
mod handle;
mod local;
mod packet;
mod park;
mod scope;
mod sleep;
mod spawn;
mod yielding;

pub use builder::Builder;
pub use handle::{Thread, ThreadId, available_parallelism, current, panicking};
pub use local::{AccessError, LocalKey};
#[allow(deprecated)]
pub use park::{park, park_timeout, park_timeout_ms};
pub use scope::{Scope, ScopedJoinHandle, scope};
pub(crate) use sleep::set_timer;
#[allow(deprecated)]
pub use sleep::{sleep, sleep_ms};
pub use spawn::{JoinHandle, spawn};
pub use std::thread::Result;
pub use yielding::yield_now;

#[doc(hidden)]
pub use local::local_impl;
