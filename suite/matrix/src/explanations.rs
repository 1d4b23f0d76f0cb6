//! What is behind results that do not explain themselves. Each was looked at.

/// A crate, the beginning of the names of tests, and what is behind their results.
const EXPLANATIONS: [(&str, &str, &str); 0] = [];

/// What is behind the result of a test.
pub fn of(name: &str, test: &str) -> Option<&'static str> {
    let fits = |(n, begin, _): &&(&str, &str, &str)| *n == name && test.starts_with(begin);
    EXPLANATIONS.iter().find(fits).map(|(_, _, words)| *words)
}
