//! The guide for Erlang programmers. It has no items; a test checks its examples.
#![doc = include_str!("../guide/for_erlang_programmers.md")]
