//! The outside oracle's own answers, and what raddle finds in random programs.

mod interpreter;
mod random_programs;
