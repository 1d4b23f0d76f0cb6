//! All tests of the library that need no allocator of raddle, as one program: the engine is generic, and each program
//! compiles it again.

mod attribute;
mod awaits;
mod bounds;
mod checkpoints;
mod counts;
mod fix_to_try;
#[path = "../freed/mod.rs"]
mod freed;
mod labels;
mod locals;
mod parking;
mod predicates;
mod record_facts;
mod reduction;
mod scopes;
mod settings;
mod threads;
mod time;
mod without_allocator;
