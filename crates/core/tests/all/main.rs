//! All tests of the engine that use its public interface, as one program: the engine is generic, and each program compiles
//! it again.

mod blind;
mod bounded;
mod bounds;
mod budget;
mod check;
mod checkpoints;
mod common;
mod conflict;
mod dfs;
mod explain;
mod iterate;
mod linear;
mod memory;
mod random;
mod reduction;
mod replay;
mod resume;
mod samplers;
mod simplify;
mod staged;
mod time_limit;
mod weak_memory;
mod workers;
