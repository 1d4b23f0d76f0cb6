//! The machine room of the Rust world: tasks, objects, operations, and one execution at a time.
//!
//! Primitives (in [`crate::sync`], [`crate::thread`] and so on) use [`context::current`] and nothing else.

pub(crate) mod abort;
pub(crate) mod context;
pub(crate) mod execution;
pub(crate) mod execution_pool;
pub(crate) mod hash_keys;
mod history;
pub(crate) mod image;
pub(crate) mod judge;
pub(crate) mod log;
pub(crate) mod memory;
mod names;
pub(crate) mod objects;
pub(crate) mod operation;
pub(crate) mod overflow;
mod panic_count;
pub(crate) mod record;
pub(crate) mod scheduler;
mod serial;
pub(crate) mod tasks;
pub(crate) mod teardown;
pub(crate) mod watch;
