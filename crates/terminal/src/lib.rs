//! What the front ends share while a check goes on: Ctrl-C, what the terminal is like, a line of progress, and the files
//! that tickets and searches are kept in.
//!
//! Nothing here knows a world. Sentences come from `raddle-report`.

mod files;
mod interrupt;
mod progress;
mod screen;

pub use files::{
    SearchFile, read_search, read_ticket, target_directory, write_file, write_search, write_ticket,
};
pub use interrupt::Interrupt;
pub use progress::ProgressLine;
pub use screen::{Channel, layout};
