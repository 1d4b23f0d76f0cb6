//! First return, then explore (Ecoffet, Huizinga, Lehman, Stanley, Clune, Nature 2021): for bugs that need several rare
//! events in sequence.
//!
//! A step that accesses an object shows a sight: its place, and the places of the last writes of the object. If an
//! execution shows a rare sight, its prefix up to there is kept. Other executions replay one of these prefixes,
//! preferably one whose sight is rare and that was not tried often, and continue at random: uniformly, with weights or
//! with priorities. So a bug in several stages costs the sum of the costs of the stages, not their product.
//!
//! Guarantee: every fourth execution does not return, and is drawn with the guarantee of uniform, swarm or partial
//! order sampling. There is no proof for the others.

use super::pace::{self, Pace};
use super::sites::Sites;
use super::{Decision, Pos, Sample, Swarm};
use crate::operation::{Mode, TaskId};
use crate::random::Rng;
use crate::trace::Trace;
use crate::world::{Pick, Point};

/// The number of distinguished sights. Colliding sights count as one.
const SIGHTS: usize = 1 << 15;
/// A sight is rare if it came in no more executions than this.
const SELDOM: u32 = 16;
/// After so many executions, all counts are halved: recent executions count for more.
const AGE: u32 = 4096;
/// The maximal number of prefixes that are kept, and of picks in all of them.
const MOST: usize = 512;
const MOST_PICKS: usize = 1 << 20;
/// The best of so many is taken.
const DRAWS: u32 = 8;
/// One of so many executions does not return.
const PLAIN: u32 = 4;

/// How often a sight came in executions, without the prefixes that they replay.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    executions: u32,
    /// The last execution that counted it.
    last: u32,
}

/// The last writes of an object.
#[derive(Clone, Copy, Debug)]
struct Written {
    task: TaskId,
    /// The places of the last two writes.
    places: [u16; 2],
}

const NOT_WRITTEN: Written = Written { task: TaskId(u32::MAX), places: [u16::MAX; 2] };

/// The prefix of an execution.
#[derive(Clone, Debug)]
struct Beginning {
    picks: Vec<Pick>,
    /// The sight of its last pick.
    sight: usize,
    /// How often an execution returned there.
    tries: u32,
}

/// How an execution continues after its prefix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Onward {
    Even,
    Weighted,
    Priorities,
}

/// Returns to a rare event and explores from there.
#[derive(Clone, Debug)]
pub struct GoExplore {
    seed: u64,
    rng: Rng,
    pub(super) pace: Pace,
    sites: Sites,
    counts: Vec<Count>,
    executions: u32,
    kept: Vec<Beginning>,
    /// Which of them this execution replays, and how many of its picks were taken.
    returning: Option<(usize, usize)>,
    /// How many picks of this execution were replayed.
    returned: usize,
    onward: Onward,
    pos: Pos,
    swarm: Swarm,
    written: Vec<Written>,
}

impl GoExplore {
    /// Draws with this seed.
    pub fn new(seed: u64) -> GoExplore {
        GoExplore {
            seed,
            rng: Rng::new(seed, 0),
            pace: Pace::default(),
            sites: Sites::new(),
            counts: vec![Count::default(); SIGHTS],
            executions: 0,
            kept: Vec::new(),
            returning: None,
            returned: 0,
            onward: Onward::Even,
            pos: Pos::new(seed),
            swarm: Swarm::new(seed, 0),
            written: Vec::new(),
        }
    }

    /// Learns from an execution of another sampler.
    pub(super) fn learn(&mut self, trace: &Trace) {
        self.count(trace, 0);
    }

    /// Counts the sights of `trace` after its first `returned` picks, and keeps its prefix if one of them is rare.
    fn count(&mut self, trace: &Trace, mut returned: usize) {
        self.executions = self.executions.wrapping_add(1);
        if self.executions.is_multiple_of(AGE) {
            self.counts.iter_mut().for_each(|c| c.executions /= 2);
        }
        self.written.clear();
        let mut rarest = (u32::MAX, 0, 0);
        for (at, step) in trace.steps().iter().enumerate().filter(|(_, s)| !s.by_itself) {
            let site = self.sites.number(step.site()) as u16;
            let old = returned > 0;
            returned = returned.saturating_sub(1);
            for access in step.accesses.iter() {
                let object = access.object.index();
                if self.written.len() <= object {
                    self.written.resize(object + 1, NOT_WRITTEN);
                }
                let written = &mut self.written[object];
                let sight = sight(site, access.mode, *written, step.task);
                if access.mode == Mode::Write {
                    *written = Written { task: step.task, places: [site, written.places[0]] };
                }
                let count = &mut self.counts[sight];
                if count.last != self.executions {
                    count.last = self.executions;
                    if !old {
                        count.executions = count.executions.saturating_add(1);
                        if count.executions <= rarest.0 {
                            rarest = (count.executions, at, sight);
                        }
                    }
                }
            }
        }
        let (count, at, sight) = rarest;
        if count <= SELDOM {
            self.keep(trace, at, sight);
        }
    }

    fn keep(&mut self, trace: &Trace, last: usize, sight: usize) {
        let steps = trace.steps()[..=last].iter().filter(|s| !s.by_itself);
        if self.kept.len() < MOST.min(MOST_PICKS / trace.len()) {
            self.kept.push(Beginning { picks: steps.map(|s| s.pick()).collect(), sight, tries: 0 });
        } else if let Some(commonest) = self.draw(|a, b| a > b) {
            let old = &mut self.kept[commonest];
            old.sight = sight;
            old.tries = 0;
            old.picks.clear();
            old.picks.extend(steps.map(|s| s.pick()));
        }
    }

    /// The best of a few by `better`, which compares how often their sights came times how often they were tried.
    fn draw(&mut self, better: impl Fn(u64, u64) -> bool) -> Option<usize> {
        if self.kept.is_empty() {
            return None;
        }
        let mut one = || self.rng.below(self.kept.len() as u32) as usize;
        let score = |at: usize| {
            let Beginning { sight, tries, .. } = &self.kept[at];
            (*tries as u64 + 1) * (self.counts[*sight].executions as u64 + 1)
        };
        let mut best = one();
        for _ in 1..DRAWS {
            let other = one();
            if better(score(other), score(best)) {
                best = other;
            }
        }
        Some(best)
    }

    /// The next pick of the prefix, if it is not complete.
    fn back(&mut self, point: &Point<'_>) -> Option<Pick> {
        let (which, done) = self.returning?;
        let next = self.kept[which].picks.get(done).copied();
        let possible = |p: &Pick| point.is_enabled(p.task) && p.option < point.pending(p.task).options;
        let next = next.filter(possible);
        self.returning = next.map(|_| (which, done + 1));
        self.returned += next.is_some() as usize;
        next
    }
}

fn sight(site: u16, mode: Mode, written: Written, task: TaskId) -> usize {
    let [last, before] = written.places;
    let same = (written.task == task) as u64;
    let all = site as u64 | (last as u64) << 16 | (before as u64) << 32 | same << 48 | (mode as u64) << 49;
    (all.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 49) as usize
}

impl Sample for GoExplore {
    fn seed(&self) -> u64 {
        self.seed
    }

    fn begin(&mut self, execution: u64) {
        self.rng = Rng::new(self.seed, execution);
        self.pace.begin();
        self.pos.pace.hear(&self.pace);
        self.pos.begin(execution);
        self.swarm.begin(execution);
        self.onward = [Onward::Even, Onward::Weighted, Onward::Priorities][self.rng.below(3) as usize];
        self.returning = None;
        self.returned = 0;
        if self.rng.below(PLAIN) > 0
            && let Some(which) = self.draw(|a, b| a < b)
        {
            self.kept[which].tries += 1;
            self.returning = Some((which, 0));
        }
    }

    #[inline]
    fn choose(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision {
        if self.pace.must_be_fair() {
            return pace::take_any(&mut self.rng, point);
        }
        if self.returning.is_some()
            && let Some(pick) = self.back(point)
        {
            return Decision::take(pick);
        }
        match self.onward {
            Onward::Even => pace::take_any(&mut self.rng, point),
            Onward::Weighted => self.swarm.choose(so_far, point),
            Onward::Priorities => self.pos.choose(so_far, point),
        }
    }

    fn finish(&mut self, trace: &Trace) {
        self.pace.finish();
        self.count(trace, self.returned);
    }
}
