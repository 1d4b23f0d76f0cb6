//! Whether the same schedules lead to the same steps again. A search compares the prefixes that it replays, but not a
//! difference at the end of executions, nor a permanent change outside by the first execution. So a few schedules are
//! executed before the search, and again after it.

use crate::explore::{Search, SearchRecorder, Searches, checker};
use crate::protocol::Order;
use raddle::determinism_probe::{Probe, Verdict};
use raddle::difference::{Difference, Ended};
use raddle::{Checker, Defect, Failure, Ticket};
use std::time::{Duration, Instant};

/// How many schedules.
const SCHEDULES: usize = 3;
/// One that takes more steps than this is enough.
const LONG: usize = 5_000;
/// No further schedules are executed after this fraction of the time for the test.
const PART_OF_TIME: u32 = 20;
/// One that takes more than this fraction is given up.
const MOST_OF_TIME: u32 = 4;

/// What happened in these schedules.
pub struct Before {
    probes: Vec<Probe>,
    took: Duration,
}

impl Before {
    /// How long they took.
    pub fn took(&self) -> Duration {
        self.took
    }
}

/// Executes a few schedules.
pub fn before(order: &Order, recorder: &SearchRecorder, program: &(dyn Fn() + Sync)) -> Result<Before, String> {
    let (mut all, begun) = (Vec::new(), Instant::now());
    let is_late = clock(order);
    let most = order.budget.map(|ms| Duration::from_millis(ms) / MOST_OF_TIME);
    for n in 0..SCHEDULES {
        all.extend(draw(order, n, most, program)?);
        if recorder.is_explicit() || all.len() <= n || all[n].steps.len() > LONG || is_late() {
            break;
        }
    }
    Ok(Before { probes: all, took: begun.elapsed() })
}

/// Takes the claim of the last search back if the same schedules do not lead to the same steps again.
pub fn confirm(
    order: &Order,
    recorder: &SearchRecorder,
    program: &(dyn Fn() + Sync),
    before: &Before,
    found: &mut Searches,
) -> Result<(), String> {
    if let Some(last) = found.0.last_mut() {
        let is_late = clock(order);
        // The first twice in a row at the end: what changes in turns may be the same again after any number of executions,
        // but not after one more.
        let probes = &before.probes;
        for n in (0..probes.len()).chain([0, 0].into_iter().take(2 * probes.len())) {
            let once = &probes[n];
            if let Some(again) = draw(order, n, recorder.left(), program)?.filter(|again| again != once)
                && says_more_than(last, once, &again)
            {
                last.failure = Some(not_the_same(order, once, &again));
                break;
            }
            if is_late() {
                break;
            }
        }
    }
    Ok(())
}

/// Says whether it has been going on for long.
fn clock(order: &Order) -> impl Fn() -> bool {
    let begun = Instant::now();
    let most = order.budget.map(|ms| Duration::from_millis(ms) / PART_OF_TIME);
    move || most.is_some_and(|most| begun.elapsed() > most)
}

fn draw(
    order: &Order,
    n: usize,
    most: Option<Duration>,
    program: &(dyn Fn() + Sync),
) -> Result<Option<Probe>, String> {
    let drawing = Checker::random(1).seed(order.seed.wrapping_add(n as u64));
    let drawing = match most {
        Some(most) => drawing.time_limit(most),
        None => drawing,
    };
    checker(order, drawing, |checker| checker.draw(program))
}

/// Whether a difference matters beside what a search has found. If that is a failure, it was one of the test, unless a
/// schedule that had passed fails in that way now, too.
fn says_more_than(seen: &Search, once: &Probe, again: &Probe) -> bool {
    match &seen.failure {
        None => true,
        Some(failure) => once.verdict == Verdict::Passed && again.verdict == Verdict::Failed(failure.kind()),
    }
}

fn not_the_same(order: &Order, once: &Probe, again: &Probe) -> Failure {
    let end = |drawn: &Probe| match drawn.verdict {
        Verdict::Passed => Ended::Passed { steps: drawn.steps.len() },
        Verdict::Failed(kind) => Ended::Failed { kind, message: String::new() },
        Verdict::Abandoned => Ended::Abandoned,
    };
    let difference = match (end(once), end(again)) {
        (was, now) if was != now => Difference::End { was, now },
        _ => {
            let same = once.steps.iter().zip(&again.steps).take_while(|(one, other)| one == other).count();
            Difference::From { step: same + 1 }
        }
    };
    let ticket = Ticket { test: Some(order.test.clone()), ..Ticket::empty() };
    Failure::new(Defect::not_deterministic(difference), 2, Default::default(), ticket)
}
