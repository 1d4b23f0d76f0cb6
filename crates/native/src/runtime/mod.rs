//! The machine room of the Rust world: one execution at a time, made of parts with one owner each.
//!
//! [`tasks`] knows who there is and on which stack, [`state`] all that an operation may look at ([`objects`] and
//! [`memory`]), [`scheduler`] which task runs, [`history`] what reductions ask, [`judge`] what is wrong, [`log`] what
//! happened; [`execution`] owns and connects them. Invariant: the fields of a part are private to its folder, and
//! primitives (in [`crate::sync`], [`crate::thread`] and so on) use [`context::current`] and [`handle`] alone.

pub(crate) mod abort;
mod abort_message;
pub(crate) mod context;
pub(crate) mod counts;
pub(crate) mod execution;
pub(crate) mod execution_pool;
pub(crate) mod exit;
pub(crate) mod fault;
pub(crate) mod handle;
mod hash_keys;
#[cfg_attr(not(feature = "heap"), allow(dead_code, unused_imports))]
pub(crate) mod heap;
pub(crate) mod history;
pub(crate) mod host;
pub(crate) mod image;
pub(crate) mod judge;
pub(crate) mod leftovers;
pub(crate) mod log;
pub(crate) mod memory;
pub(crate) mod objects;
pub(crate) mod operation;
mod panic_count;
// The same.
#[cfg_attr(not(feature = "arena"), allow(dead_code, unused_imports))]
pub(crate) mod plain;
pub(crate) mod record;
mod repetition;
pub(crate) mod scheduler;
mod serial;
mod signal;
pub(crate) mod state;
pub(crate) mod tasks;
pub(crate) mod teardown;
pub(crate) mod watch;
