//! Which schedules follow from a step: for each race in which it comes second, the one in which it comes first.
//!
//! A race is reversed in one execution only, of all those that contain what happened before its second step:
//! in the one that deviates from what is free as little as possible. All tests here are local to the execution.

use super::clock::{Clock, join};
use super::conflicts::{Conflicts, LED};
use super::path::{Deferred, Origin, Path};
use super::work::{Item, Move, Work};
use crate::operation::{Accesses, TaskId};
use crate::world::{Blockers, BlockingEffect, Point};
use std::cmp::Ordering;

/// Buffers that are used again.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// What is known to come before the operation, whatever is reversed.
    known: Vec<Clock>,
    /// What comes before it once the race is reversed.
    kept: Vec<Clock>,
    /// The steps of `kept` behind the first of the race.
    also: Vec<u32>,
    /// Conflicting steps, the latest first, and whether the operation would be blocked before them.
    hits: Vec<(u32, bool)>,
    /// Those of them that may block it, before which it would be blocked, and that do not depend on the first of the
    /// race. The earliest first.
    stuck: Vec<u32>,
    /// Those of `stuck` that are left out.
    left_out: Vec<u32>,
    /// What comes before the operation, for a test.
    clock: Vec<Clock>,
    conflicts: Conflicts,
}

/// Whether an operation depends on the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Blocking {
    /// It may be blocked, or touch something else.
    Possible,
    Never,
}

/// The operation that comes second in a race.
pub(super) struct Second {
    pub task: TaskId,
    /// What it touches where it is.
    pub accesses: Accesses,
    pub blocking: Blocking,
}

/// Looks for races in an execution and notes what is to be explored.
pub(super) struct Finder<'a> {
    pub path: &'a Path,
    pub work: &'a mut Work,
    pub scratch: &'a mut Scratch,
    pub point: &'a Point<'a>,
}

impl Finder<'_> {
    /// An operation comes next, or never can: what if it had come before what it conflicts with?
    pub fn find_races(&mut self, second: &Second) {
        let path = self.path;
        let can_block = second.blocking == Blocking::Possible && self.point.can_block(second.task);
        path.knowledge_of(second.task, &mut self.scratch.known);
        self.scratch.conflicts.set_out(path, second.accesses);
        self.scratch.hits.clear();
        while let Some((at, walks)) = self.scratch.conflicts.next(path) {
            if path.knows(&self.scratch.known, at) {
                self.scratch.conflicts.retire(walks);
                continue;
            }
            let could_happen = if path.events[at].origin == Origin::ByItself {
                // It was bound to happen: the operation comes before it if it comes before what led to it.
                self.scratch.conflicts.lead_to(path, at);
                true
            } else if self.consider(second, at, can_block) {
                if path.events[at].grown {
                    self.doubt(second, at);
                }
                join(&mut self.scratch.known, path.clock(at));
                self.scratch.conflicts.retire(walks);
                true
            } else {
                false
            };
            // What only led to a conflict does not have to come first.
            if walks != LED {
                self.scratch.hits.push((at as u32, !could_happen));
            }
        }
    }

    /// The operation could happen before step `first`, the last of a schedule, which touches more here than it did where the
    /// schedule was found. If they conflict only in that, the operation may belong to the schedule, too, and nobody knew:
    /// that is left undecided. If it conflicts with what the schedule defers, it makes one of its own.
    #[cold]
    fn doubt(&mut self, second: &Second, first: usize) {
        let reversals = self.path.reversals.iter().filter(|r| r.last as usize == first);
        let Some((deferred, found)) = reversals.map(|r| r.deferred).find_map(|d| Some((d, d.grown_from?)))
        else {
            return;
        };
        self.keep(second.task, first);
        let accesses = self.point.accesses_then(second.task, first, &self.scratch.also);
        if !accesses.conflict(found) && !accesses.conflict(deferred.accesses) {
            self.schedule(second.task, Move::UNDECIDED, self.path.to_defer(first));
        }
    }

    /// The operation would come before step `first`. Says whether it could happen there.
    fn consider(&mut self, second: &Second, first: usize, can_block: bool) -> bool {
        let event = &self.path.events[first];
        let reversible = event.origin == Origin::Free && event.option == 0;
        self.scratch.left_out.clear();
        if !can_block {
            let seen = self.path.could_move(second.task, first);
            if seen == Some(false) && self.keep(second.task, first) {
                // Blockers back for another reason, as loops are that wait.
                return false;
            }
            if reversible {
                self.keep(second.task, first);
                self.reverse(second, first);
            }
            return true;
        }
        self.scratch.stuck.clear();
        let is_everything = second.accesses.is_everything();
        let held = if is_everything { self.point.blockers(second.task) } else { Blockers::Several };
        if held != Blockers::All {
            for at in (0..self.scratch.hits.len()).rev() {
                let (hit, blocks) = self.scratch.hits[at];
                if blocks
                    && !self.path.is_after(hit as usize, first)
                    // Who gives back what others wait for has taken it, and it is that step that may be left out.
                    && (is_everything || self.point.blocking_effect(hit as usize, second.task) != BlockingEffect::Releases)
                {
                    self.scratch.stuck.push(hit);
                }
            }
        }
        if self.scratch.stuck.is_empty() {
            return self.consider_now(second, first, reversible);
        }
        if held == Blockers::One && !self.could_now(second, first).0 {
            // Nothing that is left out would change that.
            return false;
        }
        self.consider_without(second, first, reversible, 0)
    }

    /// The same without some of `stuck`: those before number `decided` are left out or not. Where an operation could
    /// not have come before what others did, since it would have been blocked all the same, these may also be left
    /// out, with all that depends on them.
    fn consider_without(&mut self, second: &Second, first: usize, reversible: bool, decided: usize) -> bool {
        if let Some(next) = self.scratch.stuck.get(decided).copied() {
            let depends = |earlier: &u32| self.path.is_after(next as usize, *earlier as usize);
            let mut could = false;
            if !self.scratch.left_out.iter().any(depends) && !self.takes_for_good(second, next, first) {
                could |= self.consider_without(second, first, reversible, decided + 1);
            }
            self.scratch.left_out.push(next);
            could |= self.consider_without(second, first, reversible, decided + 1);
            self.scratch.left_out.pop();
            return could;
        }
        self.consider_now(second, first, reversible)
    }

    /// The same without those that are left out.
    #[inline(always)]
    fn consider_now(&mut self, second: &Second, first: usize, reversible: bool) -> bool {
        let (could, only_program_order) = self.could_now(second, first);
        if could && reversible {
            if !only_program_order && self.point.is_numbered(second.task) {
                self.keep_what_it_touches(second, first);
            }
            self.reverse(second, first);
        }
        could
    }

    /// Whether the operation could happen before step `first`, without what is left out, and whether only what its task knew
    /// comes before it then.
    #[inline(always)]
    fn could_now(&mut self, second: &Second, first: usize) -> (bool, bool) {
        let only_program_order = self.keep(second.task, first);
        let seen = match only_program_order {
            true => self.path.could_move(second.task, first),
            false => None,
        };
        let could = seen.unwrap_or_else(|| self.point.could_happen(second.task, first, &self.scratch.also));
        (could, only_program_order)
    }

    /// Where the operation comes before step `first`, it may not conflict with all that it does conflict with here: only
    /// what it would touch there comes before it.
    #[cold]
    fn keep_what_it_touches(&mut self, second: &Second, first: usize) {
        let accesses = self.point.accesses_then(second.task, first, &self.scratch.also);
        let all = std::mem::take(&mut self.scratch.hits);
        let conflicts = |hit: &u32| self.path.events[*hit as usize].accesses.conflict(accesses);
        self.scratch.hits.extend(all.iter().filter(|(hit, _)| conflicts(hit)));
        self.keep(second.task, first);
        self.scratch.hits = all;
    }

    /// Whether step `hit` takes what the operation waits for, and nobody gives it back unless step `first` comes
    /// first. Spares the time to try what else may be left out: nothing helps but to leave out this one.
    fn takes_for_good(&self, second: &Second, hit: u32, first: usize) -> bool {
        let blocking_effect = |hit: u32| self.point.blocking_effect(hit as usize, second.task);
        let gives_back = |(other, _): &(u32, bool)| {
            let at = *other as usize;
            blocking_effect(*other) != BlockingEffect::Acquires
                && self.path.is_after(at, hit as usize)
                && !self.path.is_after(at, first)
        };
        blocking_effect(hit) == BlockingEffect::Acquires && !self.scratch.hits.iter().any(gives_back)
    }

    /// The operation comes before step `first`, if that is for this execution to find.
    fn reverse(&mut self, second: &Second, first: usize) {
        if !self.scratch.also.is_empty()
            && self.point.may_touch_less(second.task)
            && self.keeps_too_much(second, first)
        {
            return;
        }
        if self.is_first_to_find(first) && self.is_allowed(second, first) {
            let grown_from = self.grows(second, first).then_some(second.accesses);
            self.schedule(second.task, 0, Deferred { grown_from, ..self.path.to_defer(first) });
        }
    }

    /// Whether the operation touches more if it comes before step `first` than here.
    #[inline]
    fn grows(&self, second: &Second, first: usize) -> bool {
        !second.accesses.is_everything()
            && self.point.may_touch_more()
            && !second.accesses.cover(self.point.accesses_then(second.task, first, &self.scratch.also))
    }

    /// Whether something is kept only since the operation conflicts with it here, and would not where it comes before step
    /// `first`. If it could also have come before that, the same is found where it did.
    #[cold]
    fn keeps_too_much(&mut self, second: &Second, first: usize) -> bool {
        let path = self.path;
        let accesses = self.point.accesses_then(second.task, first, &self.scratch.also);
        let Scratch { kept, hits, clock, .. } = &mut *self.scratch;
        path.knowledge_of(second.task, clock);
        let is_kept = |(hit, _): &&(u32, bool)| path.knows(kept, *hit as usize);
        for (hit, blocks) in hits.iter().filter(is_kept) {
            if *blocks || path.events[*hit as usize].accesses.conflict(accesses) {
                join(clock, path.clock(*hit as usize));
            }
        }
        // What happens by itself does so right behind what led to it.
        let is_chosen = |hit: usize| path.events[hit].origin != Origin::ByItself;
        hits.iter()
            .filter(is_kept)
            .map(|(hit, _)| *hit as usize)
            .any(|hit| is_chosen(hit) && !path.knows(clock, hit))
    }

    /// What comes before the operation of `task` if it comes before step `first`: all that does not depend on
    /// `first`, nor on what is left out. Says whether that is only what its task knew.
    #[inline(always)]
    fn keep(&mut self, task: TaskId, first: usize) -> bool {
        let path = self.path;
        let mut only_program_order = true;
        let Scratch { kept, also, hits, left_out, .. } = &mut *self.scratch;
        path.knowledge_of(task, kept);
        for (hit, _) in hits.iter() {
            let hit = *hit as usize;
            let goes = path.is_after(hit, first) || left_out.iter().any(|l| path.is_after(hit, *l as usize));
            if !goes {
                only_program_order = false;
                join(kept, path.clock(hit));
            }
        }
        also.clear();
        also.extend((first + 1..path.len()).filter(|at| path.knows(kept, *at)).map(|at| at as u32));
        only_program_order
    }

    /// Whether what is left out behind `first` was free and took no detour.
    #[inline(always)]
    fn is_first_to_find(&self, first: usize) -> bool {
        let path = self.path;
        let is_kept = |at: u32| path.knows(&self.scratch.kept, at as usize);
        path.reversals.iter().rev().take_while(|r| r.last as usize > first).all(|r| is_kept(r.last))
            && path.odd.iter().rev().take_while(|at| **at as usize > first).all(|at| is_kept(*at))
    }

    /// Whether nobody else explores this. Several operations that conflict with a deferred step, and do not
    /// depend on each other, belong to the schedule of the first of their tasks.
    fn is_allowed(&mut self, second: &Second, first: usize) -> bool {
        let path = self.path;
        for reversal in &path.reversals {
            let (last, deferred) = (reversal.last as usize, &reversal.deferred);
            if last >= first {
                break;
            }
            if (reversal.closed as usize) < first {
                continue;
            }
            let winner = path.events[last].task;
            let comes_first = |task| path.names.order(task, winner) == Ordering::Less;
            if second.accesses.conflict(deferred.accesses)
                && comes_first(second.task)
                && !path.knows(&self.scratch.kept, last)
            {
                let accesses = match second.blocking {
                    Blocking::Never => second.accesses,
                    Blocking::Possible => self.point.accesses_then(second.task, first, &self.scratch.also),
                };
                // Earlier it may touch less.
                if accesses.conflict(deferred.accesses) && !self.would_follow(accesses, deferred, first) {
                    return false;
                }
            }
            if reversal.closed as usize == first {
                continue;
            }
            let forbidden = self.scratch.also.iter().map(|at| *at as usize).any(|at| {
                let event = &path.events[at];
                event.origin != Origin::ByItself
                    && event.accesses.conflict(deferred.accesses)
                    && comes_first(event.task)
                    && !follows(path, deferred, at, path.clock(at))
            });
            if forbidden {
                return false;
            }
        }
        true
    }

    /// Whether an operation with these accesses, which knows what is kept, would happen after something that
    /// conflicts with the deferred step if it came before step `first`.
    fn would_follow(&mut self, accesses: Accesses, deferred: &Deferred, first: usize) -> bool {
        let path = self.path;
        let mut conflicts = Conflicts::default();
        let Scratch { kept, clock, .. } = &mut *self.scratch;
        clock.clone_from(kept);
        conflicts.set_out(path, accesses);
        while let Some((at, _)) = conflicts.next(path) {
            if at < deferred.at as usize {
                break;
            }
            if at < first {
                join(clock, path.clock(at));
            }
        }
        follows(path, deferred, path.len(), clock)
    }

    /// What is kept behind the deferred step and then the operation of `task` is to be explored.
    fn schedule(&mut self, task: TaskId, option: u32, deferred: Deferred) {
        let last = Move { name: self.path.names.of(task), option, odd: false };
        let (depth, time) = (deferred.at as usize, self.path.steps_of(task) + 1);
        let item = Item::new(depth, Some(deferred), time);
        self.work.add(item, &self.scratch.kept, last, self.scratch.also.len());
    }

    /// The last step, `last`, ended the run while `second` could have happened: what if it had?
    pub fn find_later_end(&mut self, second: &Second, last: usize) {
        let event = &self.path.events[last];
        if event.origin != Origin::Free || event.option != 0 {
            return;
        }
        let deferred = Deferred { accesses: Accesses::EVERYTHING_THERE_IS, ..self.path.to_defer(last) };
        self.path.knowledge_of(second.task, &mut self.scratch.kept);
        self.scratch.also.clear();
        if self.is_allowed(second, last) {
            self.schedule(second.task, 0, deferred);
        }
    }

    /// Whether `task` must not take its operation now, since what follows is explored elsewhere.
    pub fn is_forbidden(&mut self, task: TaskId, accesses: Accesses) -> bool {
        let path = self.path;
        path.open_reversals().any(|r| {
            let last = r.last as usize;
            r.deferred.task != task
                && accesses.conflict(r.deferred.accesses)
                && path.names.order(task, path.events[last].task) == Ordering::Less
                && {
                    path.knowledge_of(task, &mut self.scratch.kept);
                    !self.would_follow(accesses, &r.deferred, path.len())
                }
        })
    }
}

/// Whether something that conflicts with the deferred step, and comes before step `end`, is known to `clock`.
fn follows(path: &Path, deferred: &Deferred, end: usize, clock: &[Clock]) -> bool {
    (deferred.at as usize..end)
        .any(|at| path.knows(clock, at) && path.events[at].accesses.conflict(deferred.accesses))
}
