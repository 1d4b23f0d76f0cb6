//! Which code a program has: its parts, each with a checksum. So a search is resumed on the same program only, and a
//! ticket says whether the program has changed since it was written.

use crate::checksum::Checksum;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The code of a program.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Code {
    /// A few characters that stand for all parts; empty if the code is not known.
    pub fingerprint: String,
    /// The parts, as [`Program::parts`](crate::check::Program::parts) says; empty where only the fingerprint was written.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<String, String>,
}

impl Code {
    /// The code with these parts.
    pub fn of(parts: BTreeMap<String, String>) -> Code {
        if parts.is_empty() {
            return Code::default();
        }
        let add = |sum: Checksum, (part, code): (&String, &String)| {
            sum.with(part.as_bytes()).with(b"\0").with(code.as_bytes()).with(b"\0")
        };
        Code { fingerprint: parts.iter().fold(Checksum::default(), add).short(), parts }
    }

    /// The code of which only the fingerprint is known.
    pub fn with_fingerprint(fingerprint: &str) -> Code {
        Code { fingerprint: fingerprint.to_owned(), parts: BTreeMap::new() }
    }

    /// Whether nothing is known of it.
    pub fn is_unknown(&self) -> bool {
        self.fingerprint.is_empty()
    }

    /// What has changed since it was `before`, if both are known and anything has.
    pub fn change_since(&self, before: &Code) -> Option<CodeChange> {
        if self.is_unknown() || before.is_unknown() || self.fingerprint == before.fingerprint {
            return None;
        }
        let known = !self.parts.is_empty() && !before.parts.is_empty();
        let part = known.then(|| changed_part(&before.parts, &self.parts)).flatten();
        Some(part.unwrap_or(CodeChange::Somewhere))
    }
}

/// A change of a program.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CodeChange {
    /// This part is not there any more.
    Gone(String),
    /// This part was not there before.
    New(String),
    /// This part is not the same.
    Changed(String),
    /// It is not known which part.
    Somewhere,
}

impl fmt::Display for CodeChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CodeChange::Gone(part) => write!(f, "{part} is gone"),
            CodeChange::New(part) => write!(f, "{part} is new"),
            CodeChange::Changed(part) => write!(f, "{part} has changed"),
            CodeChange::Somewhere => f.write_str("its code has changed"),
        }
    }
}

/// The first part of a program that is not the same as before.
pub(crate) fn changed_part(
    before: &BTreeMap<String, String>,
    now: &BTreeMap<String, String>,
) -> Option<CodeChange> {
    let gone = before.keys().find(|part| !now.contains_key(*part)).cloned().map(CodeChange::Gone);
    let changed = |(part, sum): (&String, &String)| match before.get(part) {
        None => Some(CodeChange::New(part.clone())),
        Some(earlier) if earlier != sum => Some(CodeChange::Changed(part.clone())),
        Some(_) => None,
    };
    gone.or_else(|| now.iter().find_map(changed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(parts: &[(&str, &str)]) -> Code {
        Code::of(parts.iter().map(|(part, sum)| (part.to_string(), sum.to_string())).collect())
    }

    #[test]
    fn what_has_changed_is_named() {
        let before = code(&[("module a", "1"), ("module b", "2")]);
        let since = |parts| code(parts).change_since(&before);
        assert_eq!(since(&[("module a", "1"), ("module b", "2")]), None);
        let b = "module b".to_owned();
        assert_eq!(since(&[("module a", "1"), ("module b", "3")]), Some(CodeChange::Changed(b.clone())));
        assert_eq!(since(&[("module a", "1")]), Some(CodeChange::Gone(b)));
        let more = since(&[("module a", "1"), ("module b", "2"), ("module c", "1")]);
        assert_eq!(more, Some(CodeChange::New("module c".to_owned())));
        let short = Code::with_fingerprint(&before.fingerprint);
        assert_eq!(before.change_since(&short), None);
        assert_eq!(code(&[("module a", "1")]).change_since(&short), Some(CodeChange::Somewhere));
        assert_eq!(before.change_since(&Code::default()), None, "nothing is known");
    }
}
