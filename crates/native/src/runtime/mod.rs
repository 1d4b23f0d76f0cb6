//! The machine room of the Rust world: tasks, objects, operations, and one execution at a time.
//!
//! Primitives (in [`crate::sync`], [`crate::thread`] and so on) use [`context::current`] and nothing else.

pub(crate) mod abort;
pub(crate) mod address;
mod awaits;
mod calm;
pub(crate) mod context;
pub(crate) mod execution;
mod fiber;
pub(crate) mod hash_keys;
pub(crate) mod image;
mod knowledge;
pub(crate) mod last;
pub(crate) mod left;
pub(crate) mod locals;
pub(crate) mod log;
mod names;
pub(crate) mod object;
pub(crate) mod operation;
pub(crate) mod overflow;
pub(crate) mod overlay;
mod panic_count;
pub(crate) mod panics;
mod past;
pub(crate) mod race;
mod readiness;
mod ready;
mod rereads;
mod retrace;
mod serial;
pub(crate) mod spare;
mod spin;
mod stack;
pub(crate) mod story;
pub(crate) mod task;
pub(crate) mod teardown;
mod timer;
mod turns;
pub(crate) mod view;
pub(crate) mod watch;
