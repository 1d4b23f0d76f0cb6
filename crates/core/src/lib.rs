//! Raddle's engine. All nondeterminism is one kind of choice: which enabled task takes its pending operation next, and
//! with which option. A [`World`](world::World) shows the choices, a [`Strategy`](strategy::Strategy) picks, and the
//! [search] between them owns budgets, workers and recording.
//!
//! This crate does not depend on coroutines, on Erlang or on terminals.
#![forbid(unsafe_code)]

pub mod check;
pub mod checksum;
pub mod clock;
pub mod code;
pub mod difference;
#[doc(hidden)]
pub mod examples;
pub mod explain;
pub mod fact;
pub mod limits;
pub mod linear;
pub mod memory;
pub mod operation;
pub mod order;
mod plain;
pub mod random;
pub mod record;
mod sealed;
pub mod search;
pub mod simplify;
pub mod strategy;
pub mod suppressions;
pub mod ticket;
pub mod trace;
pub mod verdict;
pub mod waiting_loop;
pub mod world;
