//! The names of raddle's environment variables. A variable that is nearly one of them is a mistake: a misspelt one would be
//! ignored, and the result taken for another.

/// The variables that users set.
pub const VARIABLES: [&str; 17] = [
    "RADDLE_REPLAY",
    "RADDLE_STRATEGY",
    "RADDLE_SCHEDULES",
    "RADDLE_EXECUTIONS",
    "RADDLE_PREEMPTIONS",
    "RADDLE_BUDGET",
    "RADDLE_MAX_STEPS",
    "RADDLE_CHECKPOINT",
    "RADDLE_RESUME",
    "RADDLE_SEED",
    "RADDLE_WORKERS",
    "RADDLE_OBSERVERS",
    "RADDLE_MEMORY",
    "RADDLE_STALE_READS",
    "RADDLE_HEAP",
    "RADDLE_CACHE",
    // Of earlier versions; they have messages of their own.
    "RADDLE_ITERATIONS",
];

/// Variables that raddle's own programs set, and those of its test suites.
const OWN: [&str; 7] = [
    "RADDLE_SHADOW",
    "RADDLE_SHIM",
    "RADDLE_ENVIRONMENT",
    "RADDLE_STRICT_ARENA",
    "RADDLE_ORACLE",
    "RADDLE_FLAT",
    "RADDLE_SECONDS",
];

/// Refuses a name that is nearly that of a variable of raddle.
pub fn check_variables<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<(), String> {
    for name in names {
        let is_known = VARIABLES.contains(&name) || OWN.iter().any(|own| name.starts_with(own));
        let Some(word) = name.strip_prefix("RADDLE_").filter(|_| !is_known) else { continue };
        let nearest = VARIABLES.iter().filter(|known| is_near(word, &known["RADDLE_".len()..]));
        if let Some(meant) = nearest.min_by_key(|known| distance(name, known)) {
            return Err(format!("{name} is no variable of raddle; is {meant} meant?"));
        }
    }
    Ok(())
}

/// The same for the variables of this process.
pub fn check_own_variables() -> Result<(), String> {
    let names: Vec<String> = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()).collect();
    check_variables(names.iter().map(String::as_str))
}

/// A few letters differ, or the name is part of the other, or begins as it does.
fn is_near(word: &str, known: &str) -> bool {
    let begins_alike = word.get(..5).is_some_and(|begin| known.starts_with(begin));
    let is_part = word.len() >= 4 && known.contains(word);
    begins_alike || is_part || distance(word, known) <= (word.len() / 2).min(3)
}

/// The distance of Levenshtein.
fn distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, a) in one.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (column, b) in other.bytes().enumerate() {
            let changed = diagonal + usize::from(a != b);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_are_refused_and_others_are_not_ours() {
        let wrong = [
            ("RADDLE_STRATGY", "RADDLE_STRATEGY"),
            ("RADDLE_SCHEDULE", "RADDLE_SCHEDULES"),
            ("RADDLE_STEPS", "RADDLE_MAX_STEPS"),
            ("RADDLE_PREEMPTION_BOUND", "RADDLE_PREEMPTIONS"),
            ("RADDLE_WORKER", "RADDLE_WORKERS"),
            ("RADDLE_CHECKPIONT", "RADDLE_CHECKPOINT"),
            ("RADDLE_SED", "RADDLE_SEED"),
        ];
        for (name, meant) in wrong {
            let error = check_variables([name]).unwrap_err();
            assert_eq!(error, format!("{name} is no variable of raddle; is {meant} meant?"));
        }
        for name in VARIABLES {
            assert_eq!(check_variables([name]), Ok(()));
        }
        let others =
            ["RADDLE_TAG", "RADDLE_ROOT", "RADDLE_ORACLE_SEED", "RADDLE_SHADOW_ORDER", "STRATGY", "PATH"];
        assert_eq!(check_variables(others), Ok(()));
    }

    #[test]
    fn distances() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!((distance("", "abc"), distance("abc", "abc")), (3, 0));
    }
}
