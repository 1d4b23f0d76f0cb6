//! All tests of the Erlang world as one program: the engine is generic, and each program compiles it again.

mod agree;
mod applications;
mod breadth;
mod calls;
mod common;
mod commute;
mod corrupt;
mod files;
mod judged;
mod loader;
mod oracle;
mod parts;
mod polling;
mod reduction;
mod replaced;
mod seeds;
mod semantics;
mod terms;
mod thesis;
