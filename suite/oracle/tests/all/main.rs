//! The outside oracle's own answers, what raddle finds in random programs, and what it is known to get wrong.

mod interpreter;
mod known_misses;
mod random_programs;
