//! The command as a user calls it, on small projects that are built as a user's are.

mod cargo_settings;
mod checkpoints;
mod command;
mod common;
mod crashes;
mod erl_command;
mod erlang;
mod faults;
mod features;
mod heap;
mod orderings;
mod outside;
mod races;
mod traces;
mod verdicts;
mod workspaces;
