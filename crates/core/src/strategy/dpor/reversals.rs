//! Decides which execution reverses a race, and what is explored then.
//!
//! A root is enabled in a closed subset of the execution: its past there, and then the root, is a wakeup sequence at
//! the first step that it comes before. Of all executions that could add it, exactly one does: rules R1, R2 and R3 of
//! [`dpor`](super) depend only on the execution at hand.

use super::clock::{Clock, join};
use super::closed_subsets::{Finder, Root, Scratch};
use super::conflicts::Conflicts;
use super::path::{Deferred, Origin, Path, Reversal, Sleeper};
use super::work::{Item, Move};
use crate::operation::{Accesses, TaskId};
use crate::world::Variation;
use std::cmp::Ordering;

impl Finder<'_> {
    /// The root is enabled in the closed subset at hand, with these accesses. Adds the reversal if this execution has
    /// to. Returns whether the root may happen there in this branch; otherwise it counts as blocked.
    pub fn consider(&mut self, root: &Root, accesses: Accesses, is_chain: bool) -> bool {
        let path = self.path;
        let Some(first) = self.first_behind(root, accesses) else { return true };
        let Scratch { also, past, .. } = &mut *self.scratch;
        also.clear();
        also.extend((first + 1..path.len()).filter(|at| path.covers(past, *at)).map(|at| at as u32));
        if !self.is_allowed(root, accesses, first) {
            return false;
        }
        let event = &path.events[first];
        let is_new = root.step.is_none_or(|step| self.scratch.also.iter().any(|at| *at as usize > step));
        if event.origin == Origin::Free
            && event.option == 0
            && is_new
            && self.is_plain(root, first)
            && !self.sleeps(root, first)
            && self.is_earliest(root, first, is_chain)
        {
            let deferred = match self.scratch.is_last {
                true => self.path.to_defer_without_conflict(first),
                false => self.path.to_defer(first),
            };
            self.reverse(root, deferred);
        }
        true
    }

    /// The root is enabled before step `first`, with these accesses, and is in a direct race with it: R3 holds. The steps
    /// after `first` that happen before it are in `past`. Returns whether it may happen there in this branch.
    #[inline]
    pub fn consider_direct(&mut self, root: &Root, accesses: Accesses, first: usize) -> bool {
        self.consider_deferring(root, accesses, self.path.to_defer(first))
    }

    /// The same for a step that is described as `deferred`.
    #[inline]
    pub fn consider_deferring(&mut self, root: &Root, accesses: Accesses, deferred: Deferred) -> bool {
        let first = deferred.at as usize;
        let event = &self.path.events[first];
        let is_default = event.origin == Origin::Free && event.option == 0;
        if root.variation.has_fixed_accesses() && !(is_default && self.is_plain(root, first)) {
            return true;
        }
        self.ask_with_past(first);
        if !self.is_allowed(root, accesses, first) {
            return false;
        }
        if is_default && self.is_plain(root, first) && !self.sleeps(root, first) {
            self.reverse(root, deferred);
        }
        true
    }

    /// The first step that the root comes before in the closed subset at hand.
    #[inline]
    fn first_behind(&self, root: &Root, accesses: Accesses) -> Option<usize> {
        let path = self.path;
        let Scratch { removed, past, .. } = &*self.scratch;
        (self.prefix()..path.len()).find(|at| {
            let event = &path.events[*at];
            event.task != root.task
                && event.origin != Origin::ByItself
                && (event.accesses.conflict(accesses) || removed.contains(&(*at as u32)))
                && !path.covers(past, *at)
        })
    }

    /// R1: all removed steps from `first` on, except the root, were defaults. The steps of a wakeup sequence happen
    /// before its last step.
    #[inline]
    fn is_plain(&self, root: &Root, first: usize) -> bool {
        let path = self.path;
        let is_kept =
            |at: u32| path.covers(&self.scratch.past, at as usize) || root.step == Some(at as usize);
        let prescribed = |at: &u32| path.events[*at as usize].origin == Origin::Scheduled;
        (path.memory_steps.is_empty() || self.are_memory_steps_plain(root, first))
            && path.reversals.iter().rev().take_while(|r| r.last as usize > first).all(|r| is_kept(r.last))
            && path.other_options.iter().rev().take_while(|at| **at as usize > first).all(|at| is_kept(*at))
            && (!root.is_winner || (first as u32 + 1..path.len() as u32).filter(prescribed).all(is_kept))
    }

    /// R2, first half: neither the root nor a step before it belongs to another branch of a race that was reversed
    /// before step `first`.
    fn is_allowed(&mut self, root: &Root, accesses: Accesses, first: usize) -> bool {
        let path = self.path;
        for reversal in &path.reversals {
            if reversal.last as usize >= first {
                break;
            }
            if (reversal.closed as usize) < first {
                continue;
            }
            if may_be_forbidden(path, reversal, root.task, accesses) {
                self.write_whole_past(accesses, first);
                if is_first(path, reversal, path.len(), &self.scratch.other) {
                    return false;
                }
            }
            if self.scratch.also.iter().any(|at| is_step_forbidden(path, reversal, *at as usize)) {
                return false;
            }
        }
        true
    }

    /// Writes the past of the root in the closed subset at hand into `other`. The root has these accesses there, and
    /// the subset has all conflicts before step `first`; later ones are known.
    #[cold]
    fn write_whole_past(&mut self, accesses: Accesses, first: usize) {
        let path = self.path;
        let Scratch { past, other, .. } = &mut *self.scratch;
        other.clone_from(past);
        let mut conflicts = Conflicts::default();
        conflicts.set_out(path, accesses);
        while let Some((at, _)) = conflicts.next(path) {
            if at < first {
                join(other, path.clock(at));
            }
        }
    }

    /// R2, second half: the root joined the sleep set before step `first` and no step of its past woke it.
    #[inline]
    fn sleeps(&self, root: &Root, first: usize) -> bool {
        let path = self.path;
        let stays = |f: &Sleeper, at: usize| {
            let event = &path.events[at];
            event.task != f.task && !event.accesses.conflict(f.accesses)
        };
        path.sleep_set.iter().any(|f| {
            f.task == root.task
                && f.from as usize <= first
                && (f.from as usize..first).all(|at| stays(f, at))
                && self.scratch.also.iter().all(|at| stays(f, *at as usize))
        })
    }

    /// R3: after step `first` the root was not enabled before it was seen, once its past had happened.
    fn is_earliest(&mut self, root: &Root, first: usize, is_chain: bool) -> bool {
        match root.variation {
            Variation::Steady => return true,
            // The conflicts are totally ordered, and all places between were visited.
            variation if is_chain && variation.has_fixed_accesses() => return true,
            // The other steps do not change it.
            Variation::Local | Variation::LastOfSeveral
                if is_chain && root.happened && self.scratch.removed[..] == [first as u32] =>
            {
                return true;
            }
            _ => {}
        }
        let path = self.path;
        let mut known: Option<Accesses> = None;
        let mut may_change = false;
        for at in first..path.len() {
            // Of the steps up to this one, those after which the root was seen, and its past.
            if !path.covers(&self.scratch.past, at) && !self.is_outside(at) {
                may_change |= known.is_none_or(|known| path.events[at].accesses.conflict(known));
            }
            if !may_change {
                continue;
            }
            may_change = false;
            if at + 1 == path.len() {
                // The root was seen there: it happened, or was blocked or forbidden.
                return true;
            }
            let (enabled, accesses) = self.evaluate_on_the_way(root, first, at + 1);
            known = Some(accesses);
            if !enabled {
                continue;
            }
            self.write_past_on_the_way(accesses, at + 1);
            if root.happened && self.scratch.other == self.scratch.root_past {
                return true;
            }
            let forbids = |r: &&Reversal| (r.last as usize) < first && r.closed as usize >= first;
            let is_forbidden = path.reversals.iter().filter(forbids).any(|r| {
                may_be_forbidden(path, r, root.task, accesses)
                    && is_first(path, r, path.len(), &self.scratch.other)
            });
            if !is_forbidden {
                return false;
            }
        }
        true
    }

    /// Whether the root was not seen after step `at`.
    #[inline(always)]
    fn is_outside(&self, at: usize) -> bool {
        let Scratch { removed, outside, .. } = &*self.scratch;
        removed[..*outside].iter().any(|removed| self.path.is_after(at, *removed as usize))
    }

    /// Whether step `at` is one of the first `steps` after which the root was seen, happens before it, or happens by
    /// itself after such steps.
    fn is_on_the_way(&self, at: usize, steps: usize) -> bool {
        let path = self.path;
        if path.covers(&self.scratch.past, at) {
            return true;
        }
        if self.is_outside(at) || at < steps {
            return at < steps && !self.is_outside(at);
        }
        let mut is_there = path.events[at].origin == Origin::ByItself;
        if is_there {
            path.each_that_led_to(at, |led| {
                is_there &= led == 0 || self.is_on_the_way(led as usize - 1, steps);
            });
        }
        is_there
    }

    /// The root after those of the first `steps` after which it was seen, and its past.
    fn evaluate_on_the_way(&mut self, root: &Root, first: usize, steps: usize) -> (bool, Accesses) {
        let path = self.path;
        let mut also = std::mem::take(&mut self.scratch.other_also);
        let is_there = |at: usize| self.is_on_the_way(at, steps);
        let mut prefix = steps;
        also.clear();
        if self.scratch.outside == 0 {
            also.extend(self.scratch.also.iter().filter(|at| **at as usize >= steps));
        } else {
            prefix = (first..steps).find(|at| !is_there(*at)).unwrap_or(steps);
            also.extend((prefix..path.len()).filter(|at| is_there(*at)).map(|at| at as u32));
        }
        let seen = match also.is_empty() && prefix < path.len() {
            true => path.was_enabled(root.task, prefix),
            false => None,
        };
        let evaluated = match (root.variation, seen) {
            (variation, Some(enabled)) if variation.has_fixed_accesses() => (enabled, root.accesses),
            _ => {
                let pending = self.point.pending_then(root.task, prefix, &also);
                self.scratch.all_accesses = self.scratch.all_accesses.union(pending.accesses);
                (pending.options > 0 && seen != Some(false), pending.accesses)
            }
        };
        self.scratch.other_also = also;
        evaluated
    }

    /// Writes the past of the root there, where it has these accesses, into `other`.
    fn write_past_on_the_way(&mut self, accesses: Accesses, steps: usize) {
        let path = self.path;
        let mut other = std::mem::take(&mut self.scratch.other);
        let mut conflicts = std::mem::take(&mut self.scratch.other_conflicts);
        other.clone_from(&self.scratch.own);
        conflicts.set_out(path, accesses);
        while let Some((at, walks)) = conflicts.next(path) {
            if path.covers(&other, at) {
                conflicts.retire(walks);
            } else if self.is_on_the_way(at, steps) {
                if path.events[at].origin == Origin::ByItself {
                    conflicts.lead_to(path, at);
                    continue;
                }
                join(&mut other, path.clock(at));
                conflicts.retire(walks);
            }
        }
        self.scratch.other = other;
        self.scratch.other_conflicts = conflicts;
    }

    /// The root comes before the deferred step, after its past.
    fn reverse(&mut self, root: &Root, deferred: Deferred) {
        let last = Move { name: self.path.names.of(root.task), option: 0, store: None };
        let item = Item::new(deferred.at as usize, Some(deferred), root.time);
        // Subsets may differ in steps that do not happen before the root there.
        if self.scratch.comes_again
            && self.work.has(self.scratch.found, &item, last.name, self.path, &self.scratch.also)
        {
            return;
        }
        if !self.path.memory_steps.is_empty() {
            return self.add_with_memory(item, last);
        }
        self.work.add(item, &self.scratch.past, last, self.scratch.also.len());
    }

    /// Whether `task` must not take its operation now, since it starts another branch of a race that was reversed.
    pub fn is_forbidden(&mut self, task: TaskId, accesses: Accesses) -> bool {
        let path = self.path;
        let mut written = false;
        path.open_reversals().any(|reversal| {
            if !may_be_forbidden(path, reversal, task, accesses) {
                return false;
            }
            if !std::mem::replace(&mut written, true) {
                path.clock_of(task, &mut self.scratch.own);
                self.scratch.removed.clear();
                self.scratch.maximal.clear();
                self.set_out(accesses);
                self.walk(0);
            }
            is_first(path, reversal, path.len(), &self.scratch.past)
        })
    }
}

/// Whether an operation of `task` with these accesses belongs to another branch than the reversal, if nothing that
/// conflicts with the deferred step happens before it: of several such operations, the reversal has the first task's.
#[inline]
fn may_be_forbidden(path: &Path, reversal: &Reversal, task: TaskId, accesses: Accesses) -> bool {
    accesses.conflict(reversal.deferred.accesses)
        && path.names.order(task, path.events[reversal.last as usize].task) == Ordering::Less
}

/// Whether a step belongs to another branch than the reversal.
pub(super) fn is_step_forbidden(path: &Path, reversal: &Reversal, at: usize) -> bool {
    let event = &path.events[at];
    event.origin != Origin::ByItself
        && may_be_forbidden(path, reversal, event.task, event.accesses)
        && is_first(path, reversal, at, path.clock(at))
}

/// Whether `clock` covers none of the steps before `end` that conflict with the deferred one.
fn is_first(path: &Path, reversal: &Reversal, end: usize, clock: &[Clock]) -> bool {
    let deferred = &reversal.deferred;
    let mut behind = deferred.at as usize..end;
    !behind.any(|at| path.covers(clock, at) && path.events[at].accesses.conflict(deferred.accesses))
}
