//! The machine room of the Rust world: tasks, objects, operations, and one execution at a time.
//!
//! Primitives (in [`crate::sync`], [`crate::thread`] and so on) use [`context::current`] and nothing else.

pub(crate) mod abort;
pub(crate) mod address;
mod awaits;
pub(crate) mod context;
mod counterfactual;
mod enabled;
pub(crate) mod execution;
pub(crate) mod execution_pool;
mod fiber;
pub(crate) mod hash_keys;
pub(crate) mod image;
pub(crate) mod locals;
pub(crate) mod log;
pub(crate) mod main_exit;
mod names;
pub(crate) mod object;
pub(crate) mod operation;
pub(crate) mod overflow;
pub(crate) mod overlay;
mod panic_count;
pub(crate) mod panics;
pub(crate) mod race;
pub(crate) mod record;
mod rereads;
mod retrace;
mod scheduler;
mod serial;
mod spin;
mod stack;
pub(crate) mod stale_addresses;
mod sync_clocks;
pub(crate) mod task;
mod task_set;
pub(crate) mod teardown;
mod timer;
mod unlogged_fast_path;
pub(crate) mod view;
pub(crate) mod watch;
