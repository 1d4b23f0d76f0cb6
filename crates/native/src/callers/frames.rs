//! The frames of a stack with names and places, read from std's text of it: std has no other stable form.

use raddle_core::record::Place;
use std::backtrace::Backtrace;

/// The code of these folders is neither under test nor that of a dependency.
const OF_THE_COMPILER: [&str; 2] = ["/rustc/", "/lib/rustlib/src/rust/library/"];
/// Raddle's own files, as the shim is compiled.
pub(crate) const OURS: &str = "/raddle/";
/// Raddle's own crates, where a program uses the library: its sources may be anywhere.
const OUR_CRATES: [&str; 3] = ["raddle", "raddle_native", "raddle_core"];
/// Where cargo keeps the sources of dependencies.
const OF_DEPENDENCIES: [&str; 2] = ["/registry/src/", "/git/checkouts/"];

/// A frame of a stack.
pub(super) struct Frame {
    pub function: String,
    pub place: Option<Place>,
}

impl Frame {
    fn file(&self) -> &str {
        self.place.as_ref().map_or("", |place| &place.file)
    }

    /// Whether it is raddle's own.
    fn is_ours(&self) -> bool {
        let function = self.function.trim_start_matches(['<', '&', '*']);
        let end = function.find([':', '[']).unwrap_or(function.len());
        self.file().starts_with(OURS) || OUR_CRATES.contains(&&function[..end])
    }

    /// Whether it is of the program: of the code under test or a dependency.
    pub fn is_of_a_program(&self) -> bool {
        let file = self.file();
        !file.is_empty() && !self.is_ours() && !OF_THE_COMPILER.iter().any(|folder| file.contains(folder))
    }

    /// Whether it is of the code under test.
    pub fn is_under_test(&self) -> bool {
        self.is_of_a_program() && !OF_DEPENDENCIES.iter().any(|folder| self.file().contains(folder))
    }

    /// `lock_api::Mutex::lock` of `lock_api::mutex::Mutex<R,T>::lock`: the crate, the type and the method.
    pub fn name(&self) -> String {
        let path = without_generics(&self.function);
        let parts: Vec<&str> =
            path.split("::").filter(|part| !part.is_empty() && !part.starts_with('{')).collect();
        match parts.as_slice() {
            [] => self.function.clone(),
            [first, .., a, b] => format!("{first}::{a}::{b}"),
            few => few.join("::"),
        }
    }
}

/// A path without what stands in angle brackets; of `<Type as Trait>::method` the type stays.
fn without_generics(function: &str) -> String {
    let function = match function.strip_prefix('<') {
        None => function.to_owned(),
        Some(rest) => {
            let end = rest.rfind(">::").unwrap_or(rest.len());
            let (inside, method) = rest.split_at(end);
            let of = inside.split(" as ").next().unwrap_or_default().trim_start_matches(['&', '*']);
            format!("{of}{}", method.trim_start_matches('>'))
        }
    };
    let mut depth = 0;
    let mut out = String::new();
    for c in function.chars() {
        match c {
            // In square brackets stands what tells crates of one name apart.
            '<' | '[' => depth += 1,
            '>' | ']' => depth -= 1,
            c if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

/// The frames of a stack, the innermost first.
pub(super) fn frames(stack: &Backtrace) -> Vec<Frame> {
    let mut all: Vec<Frame> = Vec::new();
    for line in format!("{stack:#}").lines() {
        let line = line.trim();
        if let Some(at) = line.strip_prefix("at ") {
            if let Some(frame) = all.last_mut() {
                frame.place = place(at);
            }
        } else if let Some((_, function)) = line.split_once(" - ").or_else(|| line.split_once(": ")) {
            all.push(Frame { function: function.trim().to_owned(), place: None });
        }
    }
    all
}

/// `src/lib.rs:12:5`.
fn place(text: &str) -> Option<Place> {
    let (rest, column) = text.rsplit_once(':')?;
    match (rest.rsplit_once(':').map(|(file, line)| (file, line.parse())), column.parse()) {
        (Some((file, Ok(line))), Ok(column)) => Some(Place { file: file.to_owned(), line, column }),
        // Some debug information has no columns.
        (_, Ok(line)) => Some(Place { file: rest.to_owned(), line, column: 1 }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_named_by_crate_type_and_method() {
        let name = |function: &str| Frame { function: function.to_owned(), place: None }.name();
        assert_eq!(name("lock_api::mutex::Mutex<R,T>::lock"), "lock_api::Mutex::lock");
        let future = "<tokio::runtime::task::join::JoinHandle<T> as core::future::future::Future>::poll";
        assert_eq!(name(future), "tokio::JoinHandle::poll");
        assert_eq!(name("tokio::spawn::{{closure}}"), "tokio::spawn");
        assert_eq!(name("lock_api[9af273d96e12736]::mutex::Mutex<R, T>::lock"), "lock_api::Mutex::lock");
        assert_eq!(name("main"), "main");
    }

    #[test]
    fn raddles_own_frames_are_none_of_the_program() {
        let is_of_a_program = |function: &str| {
            let place = Some(Place { file: "/home/me/src/lib.rs".to_owned(), line: 7, column: 1 });
            Frame { function: function.to_owned(), place }.is_of_a_program()
        };
        let ours =
            ["raddle_native::callers::stack", "<raddle::Report as X>::x", "raddle_core[9af2]::check::check"];
        assert_eq!(ours.map(is_of_a_program), [false; 3]);
        let theirs = ["raddled::f", "<raddle_tests::A as raddle::X>::x", "main"];
        assert_eq!(theirs.map(is_of_a_program), [true; 3]);
    }
}
