//! The result of an execution without its type: the search compares, counts and prints results, and needs no more.
//! All outcomes of one check have one type, that of its closure: comparisons and the way back rely on it.

use std::cmp::Ordering;
use std::fmt;

/// What the search may do with a result.
trait Value: fmt::Debug + Send {
    /// # Safety
    /// `other` has the type of `self`.
    unsafe fn compare(&self, other: &dyn Value) -> Ordering;
}

impl<T: Ord + fmt::Debug + Send> Value for T {
    unsafe fn compare(&self, other: &dyn Value) -> Ordering {
        // SAFETY: it has this type.
        self.cmp(unsafe { &*(&raw const *other).cast::<T>() })
    }
}

/// The result of one execution of a check.
pub struct Outcome<'f>(Box<dyn Value + 'f>);

impl<'f> Outcome<'f> {
    /// Hides the type of a result.
    ///
    /// # Safety
    /// Outcomes are compared only with those of the same type.
    pub unsafe fn new<T: Ord + fmt::Debug + Send + 'f>(value: T) -> Outcome<'f> {
        Outcome(Box::new(value))
    }

    /// The result.
    ///
    /// # Safety
    /// It was made of a `T`.
    pub unsafe fn into_inner<T>(self) -> T {
        // SAFETY: the box was made of a `T`.
        *unsafe { Box::from_raw(Box::into_raw(self.0).cast::<T>()) }
    }
}

impl Ord for Outcome<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        // SAFETY: outcomes that are compared have one type.
        unsafe { self.0.compare(&*other.0) }
    }
}

impl PartialOrd for Outcome<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Outcome<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Outcome<'_> {}

impl fmt::Debug for Outcome<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn outcomes_compare_print_and_return_as_their_values() {
        let text = String::from("borrowed");
        // SAFETY: all are `&str`.
        let outcome = |part| unsafe { Outcome::new(&text[part]) };
        let counts = BTreeMap::from([(outcome(3..8), 1), (outcome(0..3), 2), (outcome(3..8), 3)]);
        assert_eq!(format!("{counts:?}"), r#"{"bor": 2, "rowed": 3}"#);
        // SAFETY: they are.
        let back: Vec<&str> = counts.into_keys().map(|outcome| unsafe { outcome.into_inner() }).collect();
        assert_eq!(back, ["bor", "rowed"]);
    }
}
