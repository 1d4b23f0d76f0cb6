//! `--races`: what it needs, and what contradicts it.

use crate::arguments::{Heap, Test};
use raddle_core::suppressions::Suppressions;
use raddle_terminal::store;

/// Means `--races`, unless it is empty or 0.
const VARIABLE: &str = "RADDLE_RACES";

/// Reads the suppressions.
pub fn prepare(test: &mut Test) -> Result<(), String> {
    let is_set = std::env::var(VARIABLE).is_ok_and(|value| !value.is_empty() && value != "0");
    test.races |= is_set;
    match &test.suppressions {
        Some(_) if !test.races => {
            return Err("--suppressions are for data races: give --races, too".to_owned());
        }
        None if !test.races => return Ok(()),
        Some(file) => {
            test.rules = store::read(file, "file of suppressions")?;
            Suppressions::parse(&test.rules).map_err(|e| format!("{}: {e}", file.display()))?;
        }
        None => {}
    }
    if test.heap == Heap::Off {
        return Err(
            "--races and --heap off contradict each other: the judge of the heap knows the blocks".to_owned()
        );
    }
    match test.exclude.first() {
        None => Ok(()),
        Some(one) => Err(format!(
            "--races and --exclude {one} contradict each other: a crate on the real std orders accesses in ways that are \
             not seen, so what is no race would be reported"
        )),
    }
}
