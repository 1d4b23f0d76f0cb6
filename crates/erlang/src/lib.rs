//! Raddle's Erlang world: the `.beam` files that `erlc` or Elixir made, OTP included, run by an interpreter
//! whose whole state is plain data. So it can be copied, compared and explored without running anything twice.
//!
//! [`beam`] reads files, [`term`] holds values, [`run`] runs one process up to its next visible operation,
//! [`machine`] holds the whole state and lets things happen, [`world`] shows it to the engine.
#![forbid(unsafe_code)]

pub mod beam;
pub mod code;
pub mod command;
mod counterfactual;
pub mod ends;
pub mod ets;
pub mod guide;
mod keep;
mod linear;
pub mod machine;
pub mod native;
pub mod process;
pub mod reduce;
mod regex;
pub mod replaced;
pub mod run;
pub mod settings;
pub mod term;
pub mod world;
