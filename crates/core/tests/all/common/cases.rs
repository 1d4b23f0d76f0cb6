//! How many random programs an oracle tries, and which.

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// So many programs, the same each time for a seed; `RADDLE_ORACLE` asks for another number of new ones.
pub fn config(cases: u32, seed: u64) -> ProptestConfig {
    let asked = std::env::var("RADDLE_ORACLE").ok().and_then(|n| n.parse().ok());
    let rng_seed = if asked.is_some() { RngSeed::Random } else { RngSeed::Fixed(seed) };
    let cases = asked.unwrap_or(cases);
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..ProptestConfig::default() }
}
