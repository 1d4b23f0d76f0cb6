//! Which data races on plain memory are not reported: a file of suppressions, as ThreadSanitizer has it.
//!
//! A line `race:PATTERN` names a function or a path on the stack of one of the two accesses; `*` stands for anything, and the
//! pattern may begin and end anywhere in the name unless `^` or `$` says so. Lines that are empty or begin with `#` say
//! nothing. Each rule that was used is told.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Debug)]
struct Rule {
    pattern: String,
    is_used: AtomicBool,
}

/// Rules for races that are not reported. All clones share which were used.
#[derive(Clone, Debug, Default)]
pub struct Suppressions(Arc<Vec<Rule>>);

impl Suppressions {
    /// Those in the text of a file.
    ///
    /// # Errors
    /// A line that is no suppression, with its number.
    pub fn parse(text: &str) -> Result<Suppressions, String> {
        let mut rules = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let pattern = line.strip_prefix("race:").map(str::trim).filter(|pattern| !pattern.is_empty());
            let pattern = pattern.ok_or_else(|| {
                format!(
                    "line {}, `{line}`, is no suppression: `race:` and a part of a path or of a function",
                    at + 1
                )
            })?;
            rules.push(Rule { pattern: pattern.to_owned(), is_used: AtomicBool::new(false) });
        }
        Ok(Suppressions(Arc::new(rules)))
    }
    /// Whether there are any.
    pub fn are_some(&self) -> bool {
        !self.0.is_empty()
    }
    /// A race is suppressed that has this name, a function or a path, on one of its stacks. Says whether a rule says so, which
    /// is used then.
    pub fn suppress(&self, has: impl Fn(&dyn Fn(&str) -> bool) -> bool) -> bool {
        let found = self.0.iter().find(|rule| has(&|name: &str| matches(&rule.pattern, name)));
        if let Some(rule) = found {
            rule.is_used.store(true, Ordering::Relaxed);
        }
        found.is_some()
    }
    /// The rules that were used, as they are written.
    pub fn used(&self) -> impl Iterator<Item = String> {
        self.0
            .iter()
            .filter(|rule| rule.is_used.load(Ordering::Relaxed))
            .map(|rule| format!("race:{}", rule.pattern))
    }
}

fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, from_the_start) = match pattern.strip_prefix('^') {
        Some(rest) => (rest, true),
        None => (pattern, false),
    };
    let (pattern, to_the_end) = match pattern.strip_suffix('$') {
        Some(rest) => (rest, true),
        None => (pattern, false),
    };
    let (mut rest, mut is_bound) = (name, from_the_start);
    let parts: Vec<&str> = pattern.split('*').collect();
    for (at, part) in parts.iter().enumerate() {
        let is_last = at + 1 == parts.len();
        if is_last && to_the_end {
            return if is_bound { rest == *part } else { rest.ends_with(part) };
        }
        let found = if is_bound { rest.starts_with(part).then_some(0) } else { rest.find(part) };
        let Some(found) = found else { return false };
        rest = &rest[found + part.len()..];
        is_bound = false;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_matched_as_the_sanitizer_does() {
        let cases = [
            ("buffer", "crossbeam_deque::Buffer::read", false),
            ("Buffer", "crossbeam_deque::Buffer::read", true),
            ("Buffer*write", "crossbeam_deque::Buffer::read", false),
            ("cross*read", "crossbeam_deque::Buffer::read", true),
            ("^Buffer", "crossbeam_deque::Buffer::read", false),
            ("^crossbeam*::read$", "crossbeam_deque::Buffer::read", true),
            ("^cross$", "crossbeam", false),
            ("^a*a$", "a", false),
            ("src/lib.rs", "/home/me/src/lib.rs", true),
        ];
        for (pattern, name, expected) in cases {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn rules_that_were_used_are_told() {
        let plain = Suppressions::parse("# known\n\nrace:one\n race: two \n").unwrap();
        assert!(plain.are_some() && !Suppressions::default().are_some());
        assert!(!plain.suppress(|is| is("three")));
        assert_eq!(plain.used().count(), 0);
        assert!(plain.suppress(|is| is("four") || is("twofold")));
        assert_eq!(plain.used().collect::<Vec<_>>(), ["race:two"]);
        let error = Suppressions::parse("race:one\ndeadlock:two").unwrap_err();
        assert!(error.starts_with("line 2, `deadlock:two`, is no suppression"), "{error}");
        assert!(Suppressions::parse("race:").is_err());
    }
}
