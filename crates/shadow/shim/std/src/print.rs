//! Printing. The real macros hold a lock while they call the program's own `Display`, which may switch to another task:
//! here the text is formatted first and then written, in one piece.

use ::std::io::{Write, stderr, stdout};

/// Writes to standard output.
pub fn out(text: &str) {
    if let Err(error) = stdout().write_all(text.as_bytes()) {
        panic!("failed printing to stdout: {error}");
    }
}

/// Writes to standard error.
pub fn err(text: &str) {
    if let Err(error) = stderr().write_all(text.as_bytes()) {
        panic!("failed printing to stderr: {error}");
    }
}

/// See [`std::print`].
#[macro_export]
macro_rules! print {
    ($($arg:tt)*) => { $crate::print::out(&$crate::format!($($arg)*)) };
}

/// See [`std::println`].
#[macro_export]
macro_rules! println {
    () => { $crate::print::out("\n") };
    ($($arg:tt)*) => {{
        let mut text = $crate::format!($($arg)*);
        text.push('\n');
        $crate::print::out(&text)
    }};
}

/// See [`std::eprint`].
#[macro_export]
macro_rules! eprint {
    ($($arg:tt)*) => { $crate::print::err(&$crate::format!($($arg)*)) };
}

/// See [`std::eprintln`].
#[macro_export]
macro_rules! eprintln {
    () => { $crate::print::err("\n") };
    ($($arg:tt)*) => {{
        let mut text = $crate::format!($($arg)*);
        text.push('\n');
        $crate::print::err(&text)
    }};
}
