//! The judge of histories: beside all permutations, on the histories of the literature, and what it costs.

mod classics;
mod cost;
mod model;
mod oracle;
mod pending;
mod random;
mod recorded;
