//! The lanes of the vector clocks: in which of their components a step counts.
//!
//! Invariant: each step of a lane happens after the earlier steps of that lane, so a clock covers a step if its component
//! of the lane is at least the time of the step there. The first eight tasks have a lane each. A later task takes the
//! first lane whose last step happens before its own, and stays there as long as that holds: messages to one process,
//! or processes that begin when others have ended, share one, so a clock is as wide as tasks are concurrent. (A greedy
//! chain decomposition. The last step of each lane is the last of its task, so there are no more lanes than tasks.)

use super::super::clock::{self, Clock, LANES};
use super::Path;
use crate::operation::TaskId;

/// The place of a step in the vector clocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in crate::strategy::dpor) struct Stamp {
    pub lane: u32,
    /// Its index among the steps of the lane, from 1.
    pub time: u32,
}

impl Stamp {
    /// Whether `clock`, which may be too narrow for some lanes, covers the step.
    #[inline]
    pub fn is_covered(self, clock: &[Clock]) -> bool {
        let part = clock.get(self.lane as usize / LANES);
        part.is_some_and(|part| part[self.lane as usize % LANES] >= self.time as i32)
    }
    /// Whether its lane may be shared.
    #[inline]
    pub fn is_shared(self) -> bool {
        self.lane as usize >= LANES
    }
}

/// A lane that does not exist: no clock has this time.
const NO_LANE: i32 = -1;

/// The last step of a lane is removed, and the lane with its first one.
pub(super) fn take_back(tops: &mut [Clock], lanes: &mut usize, stamp: Stamp) {
    let shared = stamp.lane as usize - LANES;
    let top = &mut tops[shared / LANES][shared % LANES];
    *top -= 1;
    if *top == 0 {
        debug_assert_eq!(shared + 1, *lanes, "lanes are added and removed with their first steps");
        *top = NO_LANE;
        *lanes -= 1;
    }
}

impl Path {
    /// The next step is one of `task`, with the last clock: its lane, its time there, and its index among the steps of its
    /// task. Its clock covers it then.
    #[inline(always)]
    pub(super) fn stamp(&mut self, task: TaskId) -> (Stamp, u32) {
        if task.index() >= LANES {
            return self.shared_stamp(task);
        }
        let own = &mut self.clocks[self.events.len() * self.width][task.index()];
        *own += 1;
        (Stamp { lane: task.0, time: *own as u32 }, *own as u32)
    }
    #[inline(never)]
    fn shared_stamp(&mut self, task: TaskId) -> (Stamp, u32) {
        let before = (self.tasks[task.index()].last as usize).checked_sub(1).map(|at| &self.events[at]);
        let time = before.map_or(1, |before| before.time + 1);
        // The clocks of a first step in a shared lane may be too narrow.
        let clock = self.clocks.get(self.events.len() * self.width + 1..).unwrap_or_default();
        let stays = |stamp: &Stamp| {
            let shared = stamp.lane as usize - LANES;
            self.tops[shared / LANES][shared % LANES] == stamp.time as i32
        };
        let own = before.map(|before| before.stamp).filter(stays).map(|stamp| stamp.lane as usize - LANES);
        let shared = own.or_else(|| first_covered(&self.tops, clock)).unwrap_or(self.lanes);
        if shared == self.lanes {
            self.add_lane();
        }
        let part = self.events.len() * self.width + 1 + shared / LANES;
        let now = &mut self.clocks[part][shared % LANES];
        *now += 1;
        self.tops[shared / LANES][shared % LANES] = *now;
        (Stamp { lane: (LANES + shared) as u32, time: *now as u32 }, time)
    }
    #[cold]
    fn add_lane(&mut self) {
        if self.lanes == LANES * self.tops.len() {
            self.tops.push([NO_LANE; LANES]);
        }
        self.tops[self.lanes / LANES][self.lanes % LANES] = 0;
        self.lanes += 1;
        if self.lanes > LANES * (self.width - 1) {
            self.widen();
        }
    }
    fn widen(&mut self) {
        // With very many lanes there is room for more than the next few: all clocks are copied each time.
        let room = if self.width >= 16 { self.width / 4 } else { 0 };
        let wide = 1 + self.lanes.div_ceil(LANES) + room;
        // As many as there is room for steps: the old capacity may have been for wider ones. The last clock is that of
        // the next step.
        let mut clocks = Vec::with_capacity((self.events.capacity() + 1).max(32) * wide);
        for clock in self.clocks.chunks(self.width) {
            clocks.extend_from_slice(clock);
            clocks.resize(clocks.len() + wide - self.width, clock::NOTHING);
        }
        self.clocks = clocks;
        self.width = wide;
    }
}

/// The first lane whose last step `clock` covers.
fn first_covered(tops: &[Clock], clock: &[Clock]) -> Option<usize> {
    tops.iter().zip(clock).enumerate().find_map(|(part, (tops, clock))| {
        let lane = (0..LANES).find(|lane| tops[*lane] == clock[*lane])?;
        Some(LANES * part + lane)
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Event, Origin};
    use super::*;
    use crate::operation::{Accesses, Mode, ObjectId};
    use crate::world::Birth;

    fn step(path: &mut Path, task: u32, accesses: Accesses) {
        path.append_clock(TaskId(task), accesses);
        path.push(TaskId(task), 0, accesses, Origin::Free, 0);
    }

    fn bear(path: &mut Path, parent: u32) -> u32 {
        let after = path.len() as u32;
        let task = path.tasks_met() as u32;
        path.bear(Birth { parent: TaskId(parent), number: task, after });
        task
    }

    #[test]
    fn messages_to_one_process_share_a_lane() {
        let mut path = Path::with_room();
        bear(&mut path, 0);
        let messages: Vec<u32> = (0..1_000)
            .map(|_| {
                step(&mut path, 0, Accesses::NONE);
                bear(&mut path, 0)
            })
            .collect();
        for message in messages {
            step(&mut path, message, Accesses::write(ObjectId(0)));
        }
        assert_eq!(path.width, 2);
        path.truncate(1_500);
        assert_eq!(path.lanes, 1);
        path.truncate(1_000);
        assert_eq!(path.lanes, 0);
    }

    /// Whether step `later` happens after step `earlier`, or is the same, by the definition.
    fn happens_after(events: &[Event], births: &[Birth], earlier: usize, later: usize) -> bool {
        let mut after = vec![false; later + 1];
        after[earlier] = true;
        for at in earlier + 1..=later {
            after[at] = (earlier..at).any(|before| {
                let (a, b) = (&events[before], &events[at]);
                // The parents of its task, with the number of steps that were taken when they bore it.
                let mut line = std::iter::successors(Some((b.task, at as u32)), |(task, _)| {
                    let birth = births[task.index()];
                    (birth.parent != *task).then_some((birth.parent, birth.after))
                });
                let is_own = line.any(|(task, steps)| a.task == task && (before as u32) < steps);
                after[before] && (is_own || a.accesses.conflict(b.accesses))
            });
        }
        after[later]
    }

    #[test]
    fn clocks_in_shared_lanes_are_happens_before() {
        let mut seed = 1_u64;
        let mut below = |n: u32| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as u32 % n
        };
        for objects in [2, 5, 20] {
            let mut path = Path::with_room();
            bear(&mut path, 0);
            for _ in 0..400 {
                let task = below(path.tasks_met() as u32);
                let mut accesses = match below(40) {
                    0 => Accesses::EVERYTHING_THERE_IS,
                    _ => Accesses::NONE,
                };
                for _ in 0..below(3) {
                    let mode = if below(2) == 0 { Mode::Read } else { Mode::Write };
                    accesses = accesses.union(Accesses::one(ObjectId(below(objects)), mode));
                }
                step(&mut path, task, accesses);
                if below(4) == 0 {
                    bear(&mut path, task);
                }
                if below(40) == 0 {
                    path.truncate(path.len() - below(path.len() as u32 / 4 + 1) as usize);
                }
            }
            let births: Vec<Birth> = path.births().collect();
            for later in 0..path.len() {
                for earlier in 0..=later {
                    let expected = happens_after(&path.events, &births, earlier, later);
                    assert_eq!(path.is_after(later, earlier), expected, "{earlier} {later}");
                }
            }
            assert!(births.len() > LANES + path.lanes, "{} lanes", path.lanes);
        }
    }
}
