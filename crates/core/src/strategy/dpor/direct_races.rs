//! Roots whose reversals are found in one walk over their conflicts, since they are direct races.
//!
//! These are the common ones: operations that never change, operations with the same accesses in all states whose
//! conflicts are totally ordered, and operations on one object. Invariant: the result is that of the visit of all
//! closed subsets, which takes over where that is not certain. See lemmas 9 and 10 of [`dpor`](super).

use super::clock::join;
use super::closed_subsets::{Finder, Root, Scratch};
use super::conflicts::FIRST;
use super::path::Origin;
use crate::operation::{Accesses, TaskId};
use crate::world::Variation;
use std::cmp::Ordering;

impl Finder<'_> {
    /// Searches the reversals of an operation that never changes, by lemma 9. Without a maximal conflict, the steps
    /// that happen before the others happen before it.
    pub fn visit_steady(&mut self, root: &Root) {
        let path = self.path;
        self.set_out(root.accesses);
        while let Some((at, walks)) = self.scratch.conflicts.next(path) {
            if path.covers(&self.scratch.past, at) {
                self.scratch.conflicts.retire(walks);
                continue;
            }
            if path.events[at].origin == Origin::ByItself {
                self.scratch.conflicts.lead_to(path, at);
                continue;
            }
            if !self.was_possible(root, at) {
                // It was not enabled for another reason, as a spin loop.
                self.scratch.comes_again = true;
                return self.visit_generally(root);
            }
            self.consider_direct(root, root.accesses, at);
            join(&mut self.scratch.past, path.clock(at));
            self.scratch.conflicts.retire(walks);
        }
    }

    /// Whether an operation that is never blocked was possible in the place of step `at`, as far as is known: if no
    /// later step happens before it.
    #[inline]
    fn was_possible(&self, root: &Root, at: usize) -> bool {
        self.path.was_enabled(root.task, at) != Some(false) || self.scratch.past != self.scratch.own
    }

    /// Searches the reversals of an operation that may be blocked, if its conflicts are totally ordered, by lemma 9.
    /// Returns whether they are; otherwise no item is added.
    pub fn visit_chain(&mut self, root: &Root) -> bool {
        let path = self.path;
        self.set_out(root.accesses);
        let is_single = self.scratch.conflicts.is_single();
        let mut later = None;
        // It is blocked after each prefix from this length to the place of the last conflict.
        let mut blocked_since = usize::MAX;
        while let Some((at, walks)) = self.scratch.conflicts.next(path) {
            if path.covers(&self.scratch.past, at) {
                self.scratch.conflicts.retire(walks);
                continue;
            }
            let is_next = later.is_none_or(|later| path.is_after(later, at));
            if !is_next || path.events[at].origin == Origin::ByItself {
                return false;
            }
            later = Some(at);
            if blocked_since <= at {
                continue;
            }
            let enabled = path.was_enabled(root.task, at).unwrap_or_else(|| {
                // Nothing that happens before it is later than the step that enabled or created its task.
                if at < path.last_before(root.task) {
                    self.ask_with_past(at);
                } else {
                    self.scratch.also.clear();
                }
                self.point.pending_then(root.task, at, &self.scratch.also).options > 0
            });
            if !enabled && path.was_pending(root.task, at) {
                blocked_since = self.point.blocked_since(root.task, at);
            }
            if enabled {
                // Before a write of its only object there is no other conflict.
                let is_chain = is_single && walks == FIRST || self.is_first_of_chain(at);
                if !is_chain {
                    return false;
                }
                self.consider_direct(root, root.accesses, at);
                return true;
            }
        }
        true
    }

    /// Whether all further conflicts happen before step `at`.
    fn is_first_of_chain(&mut self, at: usize) -> bool {
        let path = self.path;
        let Scratch { conflicts, own, .. } = &mut *self.scratch;
        while let Some((other, walks)) = conflicts.next(path) {
            if !path.is_after(at, other) && !path.covers(own, other) {
                return false;
            }
            conflicts.retire(walks);
        }
        true
    }

    /// Searches the reversals of an operation that depends on one object or channel. Without a maximal conflict it
    /// mostly has the same accesses, and then they are in a direct race (lemma 10).
    pub fn visit_local(&mut self, root: &Root) {
        let path = self.path;
        self.set_out(root.accesses);
        self.scratch.maximal.clear();
        self.scratch.others.clear();
        let is_single = self.scratch.conflicts.is_single();
        // The greatest task of a later step with which the root commutes unless it is the last of several.
        let mut greatest = None;
        while let Some((at, walks)) = self.scratch.conflicts.next(path) {
            if path.covers(&self.scratch.past, at) {
                self.scratch.conflicts.retire(walks);
                continue;
            }
            if path.events[at].origin == Origin::ByItself {
                self.scratch.conflicts.lead_to(path, at);
                continue;
            }
            if root.variation == Variation::LastOfSeveral && self.commutes_without(root, at) {
                self.consider_last(root, at, &mut greatest);
            } else if !(is_single && self.is_in_vain(root, at)) {
                self.ask_with_past(at);
                let pending = self.point.pending_then(root.task, at, &self.scratch.also);
                let enabled = pending.options > 0 && self.was_possible(root, at);
                let is_same = pending.accesses == root.accesses;
                // Blocked without its only conflict, it is blocked in all subsets without that.
                let is_done = match enabled {
                    true => is_same && self.consider_direct(root, root.accesses, at),
                    false => is_same && is_single && self.is_only_conflict(),
                };
                if !is_done {
                    let number = self.scratch.maximal.len() as u32;
                    self.scratch.others.push((number, enabled, pending.accesses));
                }
            }
            self.scratch.maximal.push(at as u32);
            join(&mut self.scratch.past, path.clock(at));
            self.scratch.conflicts.retire(walks);
        }
        if !self.scratch.others.is_empty() && !self.visit_only_other(root) {
            self.visit_others(root);
        }
    }

    /// Whether the root, evaluated without step `at`, does not conflict with it.
    fn commutes_without(&mut self, root: &Root, at: usize) -> bool {
        self.ask_with_past(at);
        let pending = self.point.pending_then(root.task, at, &self.scratch.also);
        !self.path.events[at].accesses.conflict(pending.accesses)
    }

    /// The root is the last of several steps, and `at` is another one: that one may be the last, after all others. This
    /// trace has an execution for each of the others as the last one before it; the one of the greatest task adds it.
    fn consider_last(&mut self, root: &Root, at: usize, greatest: &mut Option<TaskId>) {
        let names = &self.path.names;
        if greatest.is_none_or(|task| names.order(task, root.task) == Ordering::Less) {
            let deferred = self.path.to_defer_without_conflict(at);
            self.consider_deferring(root, root.accesses, deferred);
        }
        let task = self.path.events[at].task;
        if greatest.is_none_or(|greatest| names.order(greatest, task) == Ordering::Less) {
            *greatest = Some(task);
        }
    }

    /// Whether the walk over the conflicts of one access has reached the first and only one.
    #[inline]
    fn is_only_conflict(&self) -> bool {
        self.scratch.maximal.is_empty() && self.scratch.conflicts.is_at_end()
    }

    /// Considers the root without its only maximal conflict, if it is enabled there and nothing that is left conflicts
    /// with accesses that it has only there: then all conflicts that are left come before that step, which is the
    /// first that the root comes before. Returns whether this is so.
    fn visit_only_other(&mut self, root: &Root) -> bool {
        let Scratch { maximal, others, .. } = &*self.scratch;
        let ([at], [(_, true, accesses)]) = (&maximal[..], &others[..]) else { return false };
        let (at, accesses) = (*at as usize, *accesses);
        if self.path.last_barrier() > 0 || self.has_new_conflict(root.accesses, accesses, at) {
            return false;
        }
        self.scratch.past.clone_from(&self.scratch.own);
        self.scratch.all_accesses = self.scratch.all_accesses.union(accesses);
        self.consider_direct(root, accesses, at)
    }

    /// Whether a step that does not happen after step `at` conflicts with one of `accesses` that is not among
    /// `known`.
    fn has_new_conflict(&self, known: Accesses, accesses: Accesses, at: usize) -> bool {
        let path = self.path;
        accesses.is_everything()
            || accesses.iter().filter(|a| !known.cover(Accesses::one(a.object, a.mode))).any(|access| {
                let mut next = path.last_conflict(access);
                while next > 0 && path.is_after(next as usize - 1, at) {
                    next = path.conflict_before(next as usize - 1, access).0;
                }
                next > 0
            })
    }

    /// Visits the closed subsets without one of those maximal conflicts where the root is not the same.
    #[inline(never)]
    fn visit_others(&mut self, root: &Root) {
        let Scratch { root_past, past, .. } = &mut *self.scratch;
        root_past.clone_from(past);
        let is_chain = self.scratch.maximal.len() == 1;
        for other in 0..self.scratch.others.len() {
            let (number, enabled, accesses) = self.scratch.others[other];
            let Scratch { kept, maximal, removed, all_accesses, .. } = &mut *self.scratch;
            kept.clear();
            kept.extend_from_slice(&maximal[..number as usize]);
            let at = maximal[number as usize];
            removed.push(at);
            *all_accesses = all_accesses.union(accesses);
            let base = maximal.len();
            self.set_out(accesses);
            self.walk(at as usize);
            // If no earlier step conflicts with it there, the query was complete.
            let (enabled, accesses) = match self.scratch.maximal.len() == base {
                true => (enabled, accesses),
                false => {
                    self.scratch.maximal.truncate(base);
                    self.evaluate(root, root.accesses, base)
                }
            };
            self.visit_without(root, enabled, accesses, base, is_chain);
            self.scratch.removed.pop();
        }
    }

    /// Whether no item is added without step `at`, with which the root conflicts in all states with these accesses,
    /// since R1 fails: it, or a step that happens after it, was no default.
    #[inline]
    pub fn is_in_vain(&self, root: &Root, at: usize) -> bool {
        let path = self.path;
        let goes = |w: u32| path.is_after(w as usize, at) && root.step != Some(w as usize);
        let event = &path.events[at];
        event.origin != Origin::Free
            || path.reversals.iter().rev().take_while(|r| r.last as usize > at).any(|r| goes(r.last))
            || path.other_options.iter().rev().take_while(|w| **w as usize >= at).any(|w| goes(*w))
    }
}
