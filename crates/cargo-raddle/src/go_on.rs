//! The command that goes on with a search that was stopped: the one that was given, with `--resume`.

use std::ffi::OsString;
use std::path::Path;

/// The command for the search in this file.
pub fn command(file: &Path) -> String {
    of(std::env::args_os(), file)
}

fn of(given: impl Iterator<Item = OsString>, file: &Path) -> String {
    let mut given = given.map(|word| word.to_string_lossy().into_owned());
    let program = given.next().unwrap_or_default();
    let is_cargo = Path::new(&program).file_stem().is_some_and(|name| name == "cargo-raddle");
    let mut words: Vec<String> = if is_cargo { vec!["cargo".to_owned()] } else { Vec::new() };
    words.push("raddle".to_owned());
    let mut rest = given.enumerate().filter(|(at, word)| *at > 0 || word != "raddle").map(|(_, word)| word);
    let mut after = Vec::new();
    while let Some(word) = rest.next() {
        if word == "--" {
            after = std::iter::once(word).chain(rest.by_ref()).collect();
        } else if word == "--resume" {
            rest.next();
        } else if !word.starts_with("--resume=") {
            words.push(word);
        }
    }
    words.extend(["--resume".to_owned(), file.display().to_string()]);
    words.extend(after);
    let quoted: Vec<String> = words.iter().map(|word| raddle_report::quote(word).to_string()).collect();
    quoted.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_command_that_was_given() {
        let of = |words: &[&str]| of(words.iter().map(OsString::from), Path::new("a.search.json"));
        assert_eq!(
            of(&["/x/cargo-raddle", "raddle", "test", "--lib", "a b"]),
            "cargo raddle test --lib 'a b' --resume a.search.json"
        );
        assert_eq!(
            of(&["raddle", "erl", "--resume", "old", "-pa", "ebin", "--resume=older"]),
            "raddle erl -pa ebin --resume a.search.json"
        );
        assert_eq!(
            of(&["cargo-raddle", "test", "--", "--exact", "--resume"]),
            "cargo raddle test --resume a.search.json -- --exact --resume"
        );
    }
}
