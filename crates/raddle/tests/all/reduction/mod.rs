//! The optimal reduction in the Rust world: known numbers of Mazurkiewicz traces, and random programs over
//! all primitives against depth-first search.

mod arcs;
mod bounded;
mod channels;
mod clocks;
mod counts;
mod estimate;
mod observers;
mod oracle;
mod programs;
mod random_programs;
mod retrace;
