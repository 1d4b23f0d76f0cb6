//! Which steps come directly after which: the happens-before of a trace with as few pairs as possible.
//!
//! Pairs and the order of each task's own steps give happens-before (see [`crate::trace`]), and no pair is implied by others.

use crate::operation::{Mode, ObjectId, TaskId};
use crate::trace::Trace;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A step, and what happens before it. Only steps that later ones may come after are kept: an execution may be long, and
/// have many tasks.
#[derive(Clone)]
struct Done {
    at: usize,
    task: TaskId,
    /// Its lane, and its number there, from 1.
    lane: usize,
    time: u32,
    clock: Rc<Clock>,
}

/// For each lane, how many of its steps happen before. The steps of a lane are totally ordered, so a clock covers a step if it
/// covers so many of its lane: tasks that come after each other share one, as messages to one process do, and a clock is as
/// wide as tasks are concurrent.
#[derive(Clone, Default)]
struct Clock(Vec<u32>);

impl Clock {
    fn knows(&self, lane: usize, time: u32) -> bool {
        self.0.get(lane).is_some_and(|known| *known >= time)
    }
    fn set(&mut self, lane: usize, time: u32) {
        if self.0.len() <= lane {
            self.0.resize(lane + 1, 0);
        }
        self.0[lane] = time;
    }
    fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
    }
}

/// The last write of an object and the reads since.
#[derive(Default)]
struct Uses {
    write: Option<Done>,
    reads: Vec<Done>,
}

/// For each step: the conflicting steps of other tasks that happen before it, unless they also happen before another one of
/// those or before the previous step of its own task.
pub(super) fn direct_order(trace: &Trace) -> Vec<Vec<usize>> {
    let mut uses: BTreeMap<ObjectId, Uses> = BTreeMap::new();
    let mut last: BTreeMap<TaskId, Done> = BTreeMap::new();
    // The last step that conflicts with everything.
    let mut barrier: Option<Done> = None;
    // How many steps each lane has.
    let mut lanes: Vec<u32> = Vec::new();
    let mut order = Vec::with_capacity(trace.len());
    for (at, step) in trace.steps().iter().enumerate() {
        let mut before: Vec<Done> = barrier.iter().cloned().collect();
        if step.accesses.is_everything() {
            before.extend(last.values().cloned());
        }
        for access in step.accesses.iter() {
            let Some(uses) = uses.get(&access.object) else { continue };
            before.extend(uses.write.clone());
            if access.mode == Mode::Write {
                before.extend(uses.reads.iter().cloned());
            }
        }
        // The latest first: what it comes after is implied.
        before.sort_unstable_by_key(|done| Reverse(done.at));
        let mut clock = last.get(&step.task).map_or_else(Clock::default, |own| (*own.clock).clone());
        let mut direct = Vec::new();
        for earlier in before {
            if earlier.task != step.task && !clock.knows(earlier.lane, earlier.time) {
                clock.join(&earlier.clock);
                direct.push(earlier.at);
            }
        }
        direct.reverse();
        order.push(direct);
        let own = last.get(&step.task).filter(|own| lanes[own.lane] == own.time).map(|own| own.lane);
        let free = || (0..lanes.len()).find(|lane| clock.knows(*lane, lanes[*lane]));
        let lane = own.or_else(free).unwrap_or(lanes.len());
        if lane == lanes.len() {
            lanes.push(0);
        }
        lanes[lane] += 1;
        clock.set(lane, lanes[lane]);
        let done = Done { at, task: step.task, lane, time: lanes[lane], clock: Rc::new(clock) };
        if step.accesses.is_everything() {
            uses.clear();
            barrier = Some(done.clone());
        }
        for access in step.accesses.iter() {
            let uses = uses.entry(access.object).or_default();
            match access.mode {
                // What a task read before happens before what it reads now.
                Mode::Read => {
                    uses.reads.retain(|read| read.task != step.task);
                    uses.reads.push(done.clone());
                }
                Mode::Write => *uses = Uses { write: Some(done.clone()), reads: Vec::new() },
            }
        }
        last.insert(step.task, done);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::Accesses;
    use crate::order::VectorClock;
    use crate::world::{Manner, Pending, Pick, Point};

    /// A trace of these steps: by task, with what they access.
    fn trace(steps: &[(u32, Accesses)]) -> Trace {
        let mut trace = Trace::new();
        for (task, accesses) in steps {
            let pending =
                [Pending { accesses: *accesses, options: 1, signature: 0, manner: Manner::Ordinary }; 4];
            trace.push(Pick { task: TaskId(*task), option: 0 }, &Point::new(&[TaskId(*task)], &pending));
        }
        trace
    }

    #[test]
    fn only_order_that_is_not_implied_is_told() {
        let (x, y) = (ObjectId(0), ObjectId(1));
        let order = direct_order(&trace(&[
            (0, Accesses::write(x)),
            (1, Accesses::read(x)),
            (1, Accesses::read(x)),
            (2, Accesses::read(x)),
            (1, Accesses::write(y)),
            (3, Accesses::read(y).and(x, Mode::Read)),
            (0, Accesses::write(x)),
        ]));
        let wanted: [&[usize]; 7] = [&[], &[0], &[], &[0], &[], &[4], &[3, 5]];
        assert_eq!(order, wanted);
    }

    #[test]
    fn direct_order_and_program_order_are_happens_before() {
        let mut rng = crate::random::Rng::new(7, 0);
        for _ in 0..300 {
            let mut step = || {
                let mut access = |accesses: Accesses| {
                    let mode = if rng.below(2) == 0 { Mode::Read } else { Mode::Write };
                    accesses.and(ObjectId(rng.below(3)), mode)
                };
                let one = access(Accesses::NONE);
                let accesses = access(one);
                match rng.below(12) {
                    0 => (rng.below(4), Accesses::EVERYTHING_THERE_IS),
                    1 => (rng.below(4), Accesses::NONE),
                    _ => (rng.below(4), accesses),
                }
            };
            let steps: Vec<_> = (0..14).map(|_| step()).collect();
            let trace = trace(&steps);
            let wanted = trace.happens_before();
            let order = direct_order(&trace);
            let mut clocks: Vec<VectorClock> = Vec::new();
            for (at, (task, _)) in steps.iter().enumerate() {
                let own = steps[..at].iter().rposition(|(other, _)| other == task);
                let mut clock = own.map_or_else(VectorClock::new, |own| clocks[own].clone());
                for earlier in order[at].iter().rev() {
                    let from = TaskId(steps[*earlier].0);
                    assert!(
                        !clock.knows(from, clocks[*earlier].get(from)),
                        "{steps:?}: {at} after {earlier}"
                    );
                    clock.join(&clocks[*earlier]);
                }
                clock.tick(TaskId(*task));
                let all = |clock: &VectorClock| [0, 1, 2, 3].map(|task| clock.get(TaskId(task)));
                assert_eq!(all(&clock), all(&wanted[at]), "{steps:?}: {at}");
                clocks.push(clock);
            }
        }
    }
}
