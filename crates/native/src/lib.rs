//! The Rust world: std's concurrency under control. Tasks are coroutines that run until just before their
//! next visible operation, announce it, and suspend. Outside an exploration everything here is std's own.

mod auto_memory;
mod counted;
mod observers;
mod outcome;
mod program;
mod reuse;
mod runtime;
mod settings;
mod world;

pub mod alloc;
#[cfg(feature = "heap")]
#[doc(hidden)]
pub mod arena;
#[cfg(not(feature = "heap"))]
mod no_arena;
#[cfg(feature = "heap")]
#[doc(hidden)]
pub mod program_memory;
#[cfg(not(feature = "heap"))]
use no_arena as arena;
#[doc(hidden)]
pub mod callers;
pub mod cell;
pub mod choice;
#[doc(hidden)]
pub mod expected;
#[doc(hidden)]
pub mod futex;
pub mod future;
pub mod hint;
pub mod label;
#[doc(hidden)]
pub mod outside;
pub mod process;
#[doc(hidden)]
pub mod random;
#[doc(hidden)]
pub mod statics;
pub mod sync;
pub mod thread;
pub mod time;

pub use auto_memory::AutoMemory;
pub use counted::Counted;
pub use observers::Observers;
pub use outcome::Outcome;
pub use program::{Body, RustProgram};
pub use reuse::Reuse;
pub use runtime::watch::Watchdog;
pub use settings::{Detached, Settings, Spins};
pub use world::{NativeWorld, is_exploring};
