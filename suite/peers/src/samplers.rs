//! The `samplers` table: schedules per CPU second of the samplers that shuttle has too, there and under
//! raddle, and the cost of a schedule of each of raddle's samplers relative to a uniform one.

use crate::catalogue::{Program, RANDOM};
use crate::cpu::Measured;
use crate::random::best_of;
use crate::shuttle_side::Scheduling;
use crate::{number, raddle_side, shuttle_side};
use raddle::Sampler;

/// The samplers of both tools.
const BOTH: [(Sampler, Scheduling); 3] = [
    (Sampler::Uniform, Scheduling::Random),
    (Sampler::Pct(3), Scheduling::Pct(3)),
    (Sampler::Urw, Scheduling::Urw),
];

/// Measures and prints, row by row.
pub fn print() {
    println!("schedules per CPU second, raddle's over shuttle's");
    print!("{:<26}", "program");
    BOTH.iter().for_each(|(sampler, _)| print!("{:>12}", sampler.to_string()));
    println!();
    let mut ratios = [const { Vec::new() }; BOTH.len()];
    for &program in RANDOM {
        print!("{program:<26}");
        for ((sampler, scheduling), ratios) in BOTH.into_iter().zip(&mut ratios) {
            let shuttle = best_of(|n| shuttle_side::run_scheduling(scheduling, program, n));
            let ratio =
                cost(program, sampler).zip(shuttle).map(|(raddle, shuttle)| raddle.rate() / shuttle.rate());
            ratios.extend(ratio);
            print!("{:>12}", ratio.map_or("failed".to_owned(), number::ratio));
        }
        println!();
    }
    for ((sampler, _), ratios) in BOTH.iter().zip(&ratios) {
        println!("{sampler}: {}", number::summary(ratios));
    }
    println!(
        "\nCPU time of a schedule over a uniform one's; executions of one sampler may be longer than another's"
    );
    let uniform: Vec<_> = RANDOM.iter().map(|program| cost(*program, Sampler::Uniform)).collect();
    for sampler in Sampler::ALL {
        let costs = RANDOM.iter().zip(&uniform).filter_map(|(program, uniform)| {
            Some(cost(*program, sampler)?.nanos_each() / uniform.as_ref()?.nanos_each())
        });
        println!("{:<16}{}", sampler.to_string(), number::summary(&costs.collect::<Vec<_>>()));
    }
}

fn cost(program: Program, sampler: Sampler) -> Option<Measured> {
    best_of(|n| raddle_side::run_sampler(sampler, program, n))
}
