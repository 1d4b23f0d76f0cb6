//! Raddle's engine. Every source of nondeterminism is one thing: which enabled task takes its pending
//! operation next, and with which option. A [`World`](world::World) says what could happen, a
//! [`Strategy`](strategy::Strategy) picks, the [search] between them owns budgets, workers and
//! recording.
//!
//! This crate knows nothing of coroutines, of Erlang or of terminals.
#![forbid(unsafe_code)]

pub mod check;
pub mod clock;
pub mod fact;
pub mod operation;
pub mod order;
mod plain;
pub mod random;
pub mod record;
pub mod search;
pub mod simplify;
pub mod strategy;
pub mod ticket;
pub mod trace;
pub mod verdict;
pub mod world;
