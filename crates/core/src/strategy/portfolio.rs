//! A portfolio: the samplers share one budget, and the successful ones get more of it.
//!
//! The first execution is the polite schedule, in which every race is contested. Then every place that conflicts is
//! delayed once, if there are not too many, and sometimes a sampler is drawn instead. From then on a sampler is drawn
//! for each execution: first with fixed shares, later with shares that grow with how often it showed a behaviour that
//! is new; in the long run, half of the executions return to a rare event. What the samplers need to know of the
//! program (lengths, conflicts, reads-from pairs) they learn from all of the first executions, and later from their
//! own.
//!
//! Guarantee: that of each sampler, for its share of the executions, which never falls below 1/20, or 1/40 after 4,096
//! executions. A seed gives the same schedules on one worker. Several workers draw different ones and learn separately,
//! so the first failure may differ from search to search; its ticket replays it in any case.

use super::novelty::Novelty;
use super::pace::{self, Pace};
use super::polite::Polite;
use super::{Decision, GoExplore, Pct, Places, Pos, Procrastinate, Random, ReadsFrom, Sample, Surw, Swarm};
use crate::random::Rng;
use crate::trace::Trace;
use crate::world::Point;

/// The sampler of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Member {
    Polite,
    Procrastinate,
    Places,
    ReadsFrom,
    Surw,
    Pos,
    Uniform,
    Pct,
    Swarm,
    GoExplore,
}

/// The samplers that are drawn, with their initial shares.
const DRAWN: [(Member, f32); 9] = [
    (Member::Procrastinate, 5.),
    (Member::Places, 10.),
    (Member::ReadsFrom, 15.),
    (Member::Surw, 25.),
    (Member::Pos, 15.),
    (Member::Uniform, 20.),
    (Member::Pct, 5.),
    (Member::Swarm, 5.),
    // It has no prefix to return to at the start.
    (Member::GoExplore, 0.),
];

/// In three of four of so many executions, a place that was not delayed yet has priority.
const HOLDING: u32 = 24;
/// So many executions have fixed shares, and all samplers learn from them.
const FIRST: u32 = 64;
/// After so many executions, every other one returns to a rare event: bugs that need only one rare event were found by
/// then.
const LATE: u32 = 4_096;
/// The least share of every sampler, if 100 are distributed by success.
const FLOOR: f32 = 10.;
/// The depths of priority-based sampling, drawn evenly.
const DEPTHS: [u32; 3] = [2, 3, 4];

/// How often a sampler was drawn and how often it showed a new behaviour. Old executions count less and less.
#[derive(Clone, Copy, Debug, Default)]
struct SamplerRecord {
    drawn: f32,
    paid: f32,
}

impl SamplerRecord {
    /// The weight of a record halves after about 700 executions that count.
    const MEMORY: f32 = 0.999;

    fn merit(&self) -> f32 {
        (self.paid + 0.5) / (self.drawn + 1.)
    }
}

/// Several samplers that share one budget.
#[derive(Clone, Debug)]
pub struct Portfolio {
    seed: u64,
    rng: Rng,
    executions: u32,
    drawn: usize,
    member: Member,
    polite: Polite,
    sampler_records: [SamplerRecord; DRAWN.len()],
    novelty: Novelty,
    pace: Pace,
    procrastinate: Procrastinate,
    places: Places,
    reads_from: ReadsFrom,
    surw: Surw,
    pos: Pos,
    uniform: Random,
    pct: [Pct; DEPTHS.len()],
    depth: usize,
    swarm: Swarm,
    go_explore: GoExplore,
}

impl Portfolio {
    /// Draws with this seed.
    pub fn new(seed: u64) -> Portfolio {
        Portfolio {
            seed,
            rng: Rng::new(seed, 0),
            executions: 0,
            drawn: 0,
            member: Member::Polite,
            polite: Polite::default(),
            sampler_records: [SamplerRecord::default(); DRAWN.len()],
            novelty: Novelty::new(),
            pace: Pace::default(),
            procrastinate: Procrastinate::new(seed),
            places: Places::new(seed),
            reads_from: ReadsFrom::new(seed),
            surw: Surw::new(seed),
            pos: Pos::new(seed),
            uniform: Random::new(seed),
            pct: DEPTHS.map(|depth| Pct::new(seed, depth)),
            depth: 0,
            swarm: Swarm::new(seed, 0),
            go_explore: GoExplore::new(seed),
        }
    }

    fn is_starting(&self) -> bool {
        self.executions < FIRST
    }

    /// Whether to delay a place that was not delayed yet.
    fn must_hold(&self) -> bool {
        self.executions < HOLDING && self.executions % 4 != 2 && self.procrastinate.untried() > 0
    }

    /// Whether this execution counts for the sampler_records. Later, only some do: they are enough, and cost less.
    fn judges(&self) -> bool {
        self.executions < 4 * FIRST || self.executions.is_multiple_of(4)
    }

    fn weight(&self, at: usize, merits: f32) -> f32 {
        if self.is_starting() {
            DRAWN[at].1
        } else {
            FLOOR + 100. * self.sampler_records[at].merit() / merits
        }
    }

    fn draw(&mut self) -> usize {
        if self.executions >= LATE && self.rng.below(2) == 0 {
            return DRAWN
                .iter()
                .position(|(member, _)| *member == Member::GoExplore)
                .expect("it is one of them");
        }
        let merits = self.sampler_records.iter().map(SamplerRecord::merit).sum();
        let total: f32 = (0..DRAWN.len()).map(|at| self.weight(at, merits)).sum();
        let mut left = self.rng.below(1 << 24) as f32 / (1 << 24) as f32 * total;
        for at in 0..DRAWN.len() - 1 {
            left -= self.weight(at, merits);
            if left < 0. {
                return at;
            }
        }
        DRAWN.len() - 1
    }

    /// The samplers share the lengths of executions.
    fn share_lengths(&mut self) {
        let Portfolio { pace, procrastinate, places, reads_from, surw, pos, pct, swarm, go_explore, .. } =
            self;
        match self.member {
            Member::Polite => pace.finish(),
            Member::Uniform => {}
            Member::Procrastinate => pace.hear(&procrastinate.pace),
            Member::Places => pace.hear(&places.pace),
            Member::ReadsFrom => pace.hear(&reads_from.pace),
            Member::Surw => pace.hear(&surw.pace),
            Member::Pos => pace.hear(&pos.pace),
            Member::Pct => pace.hear(&pct[self.depth].pace),
            Member::Swarm => pace.hear(&swarm.pace),
            Member::GoExplore => pace.hear(&go_explore.pace),
        }
        let own =
            [&mut procrastinate.pace, &mut places.pace, &mut reads_from.pace, &mut surw.pace, &mut pos.pace];
        let rest = [&mut swarm.pace, &mut go_explore.pace];
        let theirs = own.into_iter().chain(rest).chain(pct.iter_mut().map(|pct| &mut pct.pace));
        theirs.for_each(|theirs| theirs.hear(pace));
    }

    fn sampler(&mut self) -> Option<&mut dyn Sample> {
        Some(match self.member {
            Member::Polite => return None,
            Member::Procrastinate => &mut self.procrastinate,
            Member::Places => &mut self.places,
            Member::ReadsFrom => &mut self.reads_from,
            Member::Surw => &mut self.surw,
            Member::Pos => &mut self.pos,
            Member::Uniform => &mut self.uniform,
            Member::Pct => &mut self.pct[self.depth],
            Member::Swarm => &mut self.swarm,
            Member::GoExplore => &mut self.go_explore,
        })
    }

    fn open(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision {
        if self.pace.must_be_fair() {
            return pace::take_any(&mut self.rng, point);
        }
        let task = self.polite.pick(so_far, point);
        pace::take(&mut self.rng, point, task)
    }
}

impl Sample for Portfolio {
    fn seed(&self) -> u64 {
        self.seed
    }

    fn begin(&mut self, execution: u64) {
        // Samplers draw from the stream of the execution's number; the sampler itself is drawn from another one.
        self.rng = Rng::new(!self.seed, execution);
        self.pace.begin();
        self.polite.begin();
        self.drawn = self.draw();
        self.depth = self.rng.below(DEPTHS.len() as u32) as usize;
        self.member = match execution {
            0 => Member::Polite,
            _ if self.must_hold() => Member::Procrastinate,
            _ => DRAWN[self.drawn].0,
        };
        if let Some(sampler) = self.sampler() {
            sampler.begin(execution);
        }
    }

    #[inline]
    fn choose(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision {
        match self.member {
            Member::Polite => self.open(so_far, point),
            Member::Procrastinate => self.procrastinate.choose(so_far, point),
            Member::Places => self.places.choose(so_far, point),
            Member::ReadsFrom => self.reads_from.choose(so_far, point),
            Member::Surw => self.surw.choose(so_far, point),
            Member::Pos => self.pos.choose(so_far, point),
            Member::Uniform => self.uniform.choose(so_far, point),
            Member::Pct => self.pct[self.depth].choose(so_far, point),
            Member::Swarm => self.swarm.choose(so_far, point),
            Member::GoExplore => self.go_explore.choose(so_far, point),
        }
    }

    fn finish(&mut self, trace: &Trace) {
        if let Some(sampler) = self.sampler() {
            sampler.finish(trace);
        }
        self.share_lengths();
        if self.is_starting() {
            if self.member != Member::Procrastinate {
                self.procrastinate.learn(trace);
            }
            if self.member != Member::ReadsFrom {
                self.reads_from.learn(trace);
            }
            if self.member != Member::Surw {
                self.surw.learn(trace);
            }
        }
        if self.judges() && self.member != Member::GoExplore {
            self.go_explore.learn(trace);
        }
        if self.judges() && self.member == DRAWN[self.drawn].0 {
            let new = self.novelty.is_new(trace);
            for record in &mut self.sampler_records {
                record.drawn *= SamplerRecord::MEMORY;
                record.paid *= SamplerRecord::MEMORY;
            }
            let record = &mut self.sampler_records[self.drawn];
            record.drawn += 1.;
            record.paid += new as u32 as f32;
        }
        self.executions = self.executions.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_pays_off_gets_more_and_nobody_falls_below_a_twentieth() {
        let mut portfolio = Portfolio::new(7);
        portfolio.executions = FIRST;
        portfolio.sampler_records = [SamplerRecord { drawn: 100., paid: 0. }; DRAWN.len()];
        portfolio.sampler_records[3].paid = 100.;
        let mut counts = [0; DRAWN.len()];
        for _ in 0..20_000 {
            counts[portfolio.draw()] += 1;
        }
        assert!(counts[3] > 10_000, "{counts:?}");
        // A twentieth is 1,000, with a standard deviation of 31.
        assert!(counts.iter().all(|n| *n > 850), "{counts:?}");
    }

    #[test]
    fn the_shares_at_the_start_add_up() {
        assert_eq!(DRAWN.iter().map(|(_, share)| share).sum::<f32>(), 100.);
    }
}
