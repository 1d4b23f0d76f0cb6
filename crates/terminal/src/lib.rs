//! Shared by the front ends during a check: Ctrl-C, the properties of the terminal, what is printed, a progress line, and the
//! files of tickets and searches.
//!
//! This crate does not depend on a world. Sentences come from `raddle-report`.

mod at_exit;
mod files;
mod interrupt;
pub mod output;
mod progress;
mod screen;
mod search_keeper;
pub mod store;
mod variables;

pub use at_exit::at_exit;
pub use files::{
    SearchFile, file_name, path_for, read_search, read_ticket, write_file, write_search, write_ticket,
};
pub use interrupt::Interrupt;
pub use progress::ProgressLine;
pub use screen::{Channel, ColorChoice, choose_color, layout};
pub use search_keeper::SearchKeeper;
pub use variables::{VARIABLES, check_own_variables, check_variables};
