//! `alloc` as explored programs see it: the real one, whose `Arc` is the real one too.
#![no_std]

extern crate alloc as real;

pub use real::*;
