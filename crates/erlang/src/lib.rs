//! Raddle's Erlang world: an interpreter for the `.beam` files of `erlc` and Elixir, OTP included. Its whole
//! state is plain data, so a search copies and compares states instead of executing a prefix again.
//!
//! [`beam`] loads files, [`term`] holds values, [`run`] executes one process up to its next visible
//! operation, [`machine`] holds the state and takes steps, [`world`] adapts it to the search.
#![forbid(unsafe_code)]

mod arrival_order;
pub mod beam;
pub mod check;
pub mod code;
mod counterfactual;
pub mod ends;
pub mod ets;
pub mod files;
pub mod guide;
mod keep;
mod linear;
pub mod machine;
pub mod native;
mod parts;
pub mod process;
mod record_changes;
pub mod refused;
pub mod regex;
pub mod replaced;
pub mod run;
pub mod settings;
pub mod term;
pub mod versions;
pub mod watch;
pub mod world;
