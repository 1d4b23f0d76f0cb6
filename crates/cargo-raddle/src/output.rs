//! Standard output of the commands. A reader that has gone, as `head` does, is no failure: the verdict is in the exit code.

use std::fmt::Arguments;
use std::io::{self, Write};

/// Writes a line.
pub fn line(text: Arguments<'_>) {
    self::text(format_args!("{text}\n"));
}

/// Writes text as it is.
pub fn text(text: Arguments<'_>) {
    let _ = io::stdout().lock().write_fmt(text);
}
