//! An outside oracle for the Rust world: random small programs, whose outcomes a plain interpreter computes by brute
//! force and raddle's searches must find.
//!
//! [`program`] is the language, [`random`] draws programs, [`code`] flattens them, [`machine`] and [`blocking`]
//! interpret them over explicit states, [`run`] executes them with raddle's types, [`compare`] demands the same
//! outcomes and shrinks what differs. Invariant: nothing of `raddle-core` or `raddle-native` is used but through
//! `raddle`'s public face, and only in [`run`] and `references`; the semantics are those of std's documentation and of raddle's guide.

pub mod blocking;
pub mod code;
pub mod compare;
mod effects;
pub mod machine;
pub mod outcomes;
pub mod program;
pub mod random;
mod references;
pub mod run;
