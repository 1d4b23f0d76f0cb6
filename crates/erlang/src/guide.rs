//! The guide for Erlang programmers. There is nothing to call here; what it shows is checked by a test.
#![doc = include_str!("../guide/for_erlang_programmers.md")]
