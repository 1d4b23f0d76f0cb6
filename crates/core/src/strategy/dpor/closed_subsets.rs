//! Enumerates the closed subsets of an execution in which an operation may come earlier, each once.
//!
//! A closed subset is the execution without some steps and all steps that happen after these; it is a configuration of
//! the event structure of the execution. The removed steps are a stack, and so are the maximal conflicts that are still
//! to be removed, so that nothing is allocated. Invariant: no step that happens before the operation by program order
//! or birth is ever removed, nor one that was decided to stay. See lemmas 2 and 7 of [`dpor`](super).

use super::clock::{Clock, join};
use super::conflicts::Conflicts;
use super::path::{Origin, Path};
use super::work::{Picks, Work};
use crate::memory::Restricted;
use crate::operation::{Accesses, TaskId};
use crate::world::{Point, Variation};

/// An instance of an operation whose reversals are searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Root {
    pub task: TaskId,
    /// The index of the operation among the steps of its task.
    pub time: u32,
    /// Its accesses where it was seen.
    pub accesses: Accesses,
    pub variation: Variation,
    /// It happened there, or did so until it joined the sleep set; otherwise it was blocked or forbidden to the end.
    pub happened: bool,
    /// Its step, if it is visited again: only reversals that contain a later step are new.
    pub step: Option<usize>,
    /// It is the last step of the wakeup sequence of a reversal.
    pub is_winner: bool,
}

/// Reused buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    pub conflicts: Conflicts,
    /// The next conflict of the walk, not processed yet.
    met: Option<(usize, u16)>,
    /// The removed steps, each with all steps that happen after it. The first `outside` ones are not in the set after
    /// which the root was seen.
    pub removed: Vec<u32>,
    pub outside: usize,
    /// The steps that stay, with all steps that happen before them.
    pub kept: Vec<u32>,
    /// Maximal conflicts: of the closed subset at hand, and of those around it.
    pub maximal: Vec<u32>,
    /// Maximal conflicts whose closed subset is visited separately, by number, and the root there.
    pub others: Vec<(u32, bool, Accesses)>,
    /// The clock of the root's task.
    pub own: Vec<Clock>,
    /// The clock of the root where it was seen.
    pub root_past: Vec<Clock>,
    /// The clock of the root in the closed subset at hand, as far as the walk has come.
    pub past: Vec<Clock>,
    /// The steps of the closed subset after its longest prefix, for the query.
    pub also: Vec<u32>,
    /// A clock, a query and a walk, for a test.
    pub other: Vec<Clock>,
    pub other_also: Vec<u32>,
    pub other_conflicts: Conflicts,
    /// Where the items begin that may equal it, and whether there may be one.
    pub found: usize,
    pub comes_again: bool,
    /// All accesses of the root in the closed subsets that were visited.
    pub all_accesses: Accesses,
    /// Whether the root conflicts with the step that was removed last only as the last of several.
    pub is_last: bool,
    /// A graph without what a revisit removes, and a wakeup sequence.
    pub restricted: Restricted,
    pub moves: Picks,
}

/// Searches the reversals of an execution and adds the work items.
pub(super) struct Finder<'a> {
    pub path: &'a Path,
    pub work: &'a mut Work,
    pub scratch: &'a mut Scratch,
    pub point: &'a Point<'a>,
}

impl Finder<'_> {
    /// Searches the reversals of a root that was seen after all steps but `removed`. The clock of its task is `own`.
    pub fn visit_all(&mut self, root: &Root) {
        self.scratch.outside = self.scratch.removed.len();
        self.scratch.all_accesses = root.accesses;
        let is_after_all = self.scratch.outside == 0;
        self.scratch.comes_again = !root.variation.has_fixed_accesses();
        if is_after_all && root.variation == Variation::Steady {
            return self.visit_steady(root);
        }
        if is_after_all && root.variation.has_fixed_accesses() && self.visit_chain(root) {
            return;
        }
        let is_local = matches!(root.variation, Variation::Local | Variation::LastOfSeveral);
        if is_after_all && is_local && root.happened {
            return self.visit_local(root);
        }
        self.visit_generally(root);
    }

    /// The same for any operation.
    pub fn visit_generally(&mut self, root: &Root) {
        self.scratch.kept.clear();
        self.scratch.maximal.clear();
        self.set_out(root.accesses);
        self.walk(0);
        if self.scratch.maximal.is_empty() {
            return;
        }
        if root.variation > Variation::Steady {
            let Scratch { root_past, past, .. } = &mut *self.scratch;
            root_past.clone_from(past);
        }
        self.visit(root, root.accesses, 0, !root.happened, false, true);
    }

    /// The root has these accesses in the closed subset at hand, whose maximal conflicts start at `base`. Removes each
    /// of them that may be removed, the latest first; those that are skipped stay from then on. `again` says that the
    /// root is enabled here: then only conflicts count that it did not have where it was seen. `is_chain` says that
    /// each of the enclosing subsets had only one maximal conflict.
    fn visit(
        &mut self,
        root: &Root,
        accesses: Accesses,
        base: usize,
        blocked: bool,
        again: bool,
        is_chain: bool,
    ) {
        let end = self.scratch.maximal.len();
        let is_chain = is_chain && end - base == 1;
        // A conflict that blocks it until a later one does so in all subsets with it, if no later one is here.
        let (path, point, task) = (self.path, self.point, root.task);
        let may_block = blocked && !accesses.is_everything();
        let blocks = |at: u32| may_block && point.blocks(at as usize, task);
        let kept = self.scratch.kept.len();
        let in_vain =
            kept > 0 && (base..end).map(|n| self.scratch.maximal[n]).any(|at| self.stays(at) && blocks(at));
        if !in_vain {
            for number in base..end {
                let at = self.scratch.maximal[number];
                let is_known = again && path.covers(&self.scratch.root_past, at as usize);
                // An operation with these accesses in all states conflicts with it wherever it comes.
                let in_vain = root.variation.has_fixed_accesses() && self.is_in_vain(root, at as usize);
                if !is_known && !in_vain && !self.stays(at) {
                    self.leave_out(root, at, accesses, is_chain);
                }
                if number + 1 < end && blocks(at) {
                    break;
                }
                self.scratch.kept.push(at);
            }
            self.scratch.kept.truncate(kept);
        }
        self.scratch.maximal.truncate(base);
    }

    fn stays(&self, at: u32) -> bool {
        self.scratch.kept.iter().any(|kept| self.path.is_after(*kept as usize, at as usize))
    }

    /// Removes step `at` and the steps that happen after it. The root had these accesses before.
    fn leave_out(&mut self, root: &Root, at: u32, accesses: Accesses, is_chain: bool) {
        self.scratch.removed.push(at);
        let base = self.scratch.maximal.len();
        let (enabled, accesses) = self.evaluate(root, accesses, base);
        self.visit_without(root, enabled, accesses, base, is_chain);
        self.scratch.removed.pop();
    }

    /// The same, where the root is evaluated already. The walk has reached the prefix.
    pub fn visit_without(
        &mut self,
        root: &Root,
        enabled: bool,
        accesses: Accesses,
        base: usize,
        is_chain: bool,
    ) {
        let could = enabled && self.consider(root, accesses, is_chain);
        let is_forbidden_for_good = enabled && root.variation.has_fixed_accesses();
        if !could && !is_forbidden_for_good {
            self.walk(0);
            self.visit(root, accesses, base, !enabled, false, is_chain);
        } else if could && root.happened && !root.accesses.cover(accesses) {
            self.scratch.maximal.truncate(base);
            self.set_out(accesses);
            self.walk(0);
            self.visit(root, accesses, base, false, true, is_chain);
        }
        self.scratch.maximal.truncate(base);
    }

    /// The length of the longest prefix that is in the closed subset at hand.
    #[inline]
    pub fn prefix(&self) -> usize {
        self.scratch.removed.iter().min().map_or(self.path.len(), |at| *at as usize)
    }

    /// Evaluates the root in the closed subset at hand: whether it is enabled, and its accesses. It had these in a
    /// larger one. The walk has reached the prefix.
    pub fn evaluate(&mut self, root: &Root, accesses: Accesses, base: usize) -> (bool, Accesses) {
        let prefix = self.prefix();
        self.scratch.is_last = false;
        self.set_out(accesses);
        self.walk(prefix);
        self.ask_with_past(prefix);
        let mut seen = match self.scratch.also.is_empty() {
            true => self.path.was_enabled(root.task, prefix),
            false => None,
        };
        match (root.variation, seen) {
            (Variation::Steady, seen) => return (seen != Some(false), accesses),
            (variation, Some(seen)) if variation.has_fixed_accesses() => return (seen, accesses),
            _ => {}
        }
        let mut asked = accesses;
        loop {
            let pending = self.point.pending_then(root.task, prefix, &self.scratch.also);
            let enabled = pending.options > 0 && seen != Some(false);
            if enabled && self.is_last_of_several(pending.accesses) {
                self.scratch.is_last = true;
                return (enabled, asked);
            }
            if pending.accesses == asked || root.variation.has_fixed_accesses() {
                return (enabled, asked);
            }
            asked = pending.accesses;
            self.scratch.all_accesses = self.scratch.all_accesses.union(asked);
            self.scratch.maximal.truncate(base);
            self.set_out(asked);
            self.walk(prefix);
            // The other steps of the subset do not conflict with it there, and so do not change it.
            if !self.ask_with_more(prefix) {
                return (enabled, asked);
            }
            seen = None;
        }
    }

    /// Whether the root, with these accesses in the closed subset at hand, does not conflict with the step that was removed
    /// last: then it conflicts with it only as the last of several steps that commute, and must come after the others.
    #[inline]
    fn is_last_of_several(&self, accesses: Accesses) -> bool {
        self.scratch.removed.last().is_some_and(|at| {
            let step = &self.path.events[*at as usize];
            step.origin != Origin::ByItself && !step.accesses.conflict(accesses)
        })
    }

    /// The query includes the steps that happen before the root.
    #[inline]
    pub fn ask_with_past(&mut self, prefix: usize) {
        let Scratch { also, past, .. } = &mut *self.scratch;
        also.clear();
        also.extend(
            (prefix + 1..self.path.len()).filter(|at| self.path.covers(past, *at)).map(|at| at as u32),
        );
    }

    /// The same, in addition to the present query. Returns whether that adds a step.
    fn ask_with_more(&mut self, prefix: usize) -> bool {
        let Scratch { also, past, .. } = &mut *self.scratch;
        let before = also.len();
        for at in prefix + 1..self.path.len() {
            if self.path.covers(past, at) && !also.contains(&(at as u32)) {
                also.push(at as u32);
            }
        }
        also.sort_unstable();
        also.len() > before
    }

    /// Starts the walk back over the conflicts of an operation of the root's task with these accesses in the closed
    /// subset at hand.
    #[inline]
    pub fn set_out(&mut self, accesses: Accesses) {
        let Scratch { conflicts, met, past, own, .. } = &mut *self.scratch;
        past.clone_from(own);
        conflicts.set_out(self.path, accesses);
        *met = None;
    }

    /// Continues the walk down to step `down_to`. Adds maximal conflicts to `maximal`, and their clocks to `past`.
    #[inline]
    pub fn walk(&mut self, down_to: usize) {
        let path = self.path;
        let Scratch { conflicts, met, removed, maximal, past, comes_again, .. } = &mut *self.scratch;
        while let Some((at, walks)) = met.take().or_else(|| conflicts.next(path)) {
            if at < down_to {
                *met = Some((at, walks));
                return;
            }
            if path.covers(past, at) {
                conflicts.retire(walks);
                continue;
            }
            if removed.iter().any(|removed| path.is_after(at, *removed as usize)) {
                continue;
            }
            if path.events[at].origin == Origin::ByItself {
                // It happened by itself: the steps that led to it must be removed in its place. Not all of them happen
                // before the root without it.
                conflicts.lead_to(path, at);
                *comes_again = true;
                continue;
            }
            maximal.push(at as u32);
            join(past, path.clock(at));
            conflicts.retire(walks);
        }
    }
}
