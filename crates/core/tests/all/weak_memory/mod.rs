//! The memory models: execution graphs beside an oracle that tests the axioms, and outcomes beside store buffers.

mod graphs;
mod machine;
mod mixed;
mod objects;
mod reduction;
mod strategies;
mod strengthen;
mod world;

use raddle_core::random::Rng;
use trace_classes::litmus::Op;
use trace_classes::litmus::Program;
use trace_classes::litmus::random::{self, Size};

/// Calls `look` with so many random programs: others with `RADDLE_ORACLE_SEED`, as many as `RADDLE_ORACLE` says, of as many
/// operations as `RADDLE_ORACLE_SIZE` says.
fn each_random(programs: u64, size: Size, mut look: impl FnMut(&Program, &[Vec<Op>])) -> u64 {
    let asked = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let programs = asked("RADDLE_ORACLE").unwrap_or(programs);
    let seed = asked("RADDLE_ORACLE_SEED").unwrap_or(21);
    let operations = asked("RADDLE_ORACLE_SIZE").map_or(size.operations, |operations| operations as usize);
    for number in 0..programs {
        let mut rng = Rng::new(seed, number);
        let size = Size { locks: number % 2 == 0 && size.locks, operations };
        let (program, lists) = random::program(&mut rng, size);
        look(&program, &lists);
    }
    programs
}
