//! Optimal dynamic partial-order reduction by parsimonious race reversal: one execution for each Mazurkiewicz trace.
//!
//! It follows parsimonious optimal reduction (Abdulla, Atig, Das, Jonsson, Sagonas, CAV 2024): a race is reversed at
//! once and only once, and no record of other branches is needed to know what they explore. It differs in the treatment
//! of operations whose accesses, options or enabledness depend on the state: they are re-evaluated in each closed
//! subset of the execution that is considered, by one query to the world ([`Counterfactual::pending_then`]).
//!
//! # How a race is reversed
//! Tasks `a` and `b` each write `x`. The first execution takes defaults: `a.b`. When `b` is taken, the search walks back
//! over the steps that conflict with it ([`conflicts`]) and asks the world for `b` without the latest of them: is it
//! enabled there, and with which accesses ([`closed_subsets`])? It is, so `b` and what happens before it form a wakeup
//! sequence at the place of `a` ([`reversals`]), here `b` alone. It becomes a work item ([`work`]): the prefix up to `a`,
//! the wakeup sequence, and `a` as the step that it defers. Later that item is an execution: the prefix is kept, the
//! wakeup sequence is followed, and then come defaults again. In it `b` is no default, so it is not reversed again: R1
//! below. If `b` is a lock that `a` holds, the answer is "blocked": the search goes on without the next conflict as
//! well, and reverses the acquisition by `a` instead. If `b` was never enabled, the same is done for it at the end of the
//! execution ([`roots`]).
//!
//! Where tasks access memory under a model, stores race with earlier reads as well: see [`revisits`].
//!
//! # Setting
//! A step is a task and an option. For a closed subset `D` of the execution `E = e_0 .. e_(n-1)` (closed under
//! happens-before), `P(D, q)` is the pending operation of task `q` after `D`: its accesses and its options, none if it
//! is blocked. Two accesses conflict, `#`, or do not; happens-before is the transitive closure of program order,
//! births, and conflict in the order of the execution, each step with the accesses that it had where it happened. A
//! trace is the class of executions with the same happens-before and options; if the last step `z` ended the execution
//! for all tasks, as a panic does, it is what happens before `z`, and `z`. The world guarantees:
//! - W1: `P` is a function of the state, and so is the effect of a step.
//! - W2: if a step of another task changes `P(., q)`, it conflicts with `P(., q)` both before and after it.
//! - W3: neighbours that are both enabled and do not conflict commute.
//! - W4: a step that ends the execution does so after every equivalent past.
//!
//! There is one exception to W2: steps that commute while they are not the last of several, such as drops of references
//! ([`Variation::LastOfSeveral`]). The drop before the last one conflicts with the last only afterwards. See lemma 11.
//!
//! Steps that happen by themselves right after others (ends of tasks, returns of joins) take part in happens-before and
//! are never a choice: what is to come before such a step must come before one that led to it.
//!
//! For an operation `x` of `q` in `D`: `own` is what happens before it by program order and births, `past(D, x)` is
//! `own` and the down-closure of all steps of `D` that conflict with `P(D, q)`, and `M(D, x)` are the maximal ones of
//! these conflicts.
//!
//! # The tree
//! At each node the search takes one enabled operation `p` as its *default* (option 0; other options are separate
//! branches). The traces through the node are those in which `p` is an initial, and the others. In each of those there
//! are minimal steps that conflict with `p`; the one of the first task is the *winner* `x`, and `C = past(x)` after the
//! node is scheduled before it. The branch is the wakeup sequence `C.x`; all later steps are defaults again. In this
//! branch an operation of an earlier task than the winner's that conflicts with `p`, and with nothing before it that
//! does, is *forbidden*: it belongs to another branch. A step that ended the execution joins the sleep set of its node;
//! other tasks continue, until a step conflicts with it.
//!
//! # Which execution adds a reversal
//! A *root* is an instance of an operation that was seen after a closed set `D0`: a default step or winner of option 0,
//! after all that is not after it; a member of the sleep set, after all that did not wake it; an operation pending at
//! the end, after all. For each closed `T` within `D0` in which the root is enabled and which is its past there, let
//! `e_j` be the first step outside of `T` that conflicts with it. The branch (`e_0 .. e_(j-1)`; `C = T` after that;
//! `x`) is added in this execution if and only if
//! - R1: `e_j` was a default, and so was every later step that is not in `T`, except the root;
//! - R2: `T` and the root are not forbidden by the branches that `e_0 .. e_(j-1)` is in, and the root does not sleep there;
//! - R3: for no `m > j` is the root enabled after `T` and those of `e_0 .. e_(m-1)` that are in `D0`, unless that is the
//!   occurrence that was seen. For operations that never change this says that `e_j` and the root are in a direct race.
//!
//! # Why
//! 1. If the root is enabled after `D`, it is the same after `past(D, x)`: move it before each maximal step that does not
//!    conflict with it (W2, W3). So an occurrence is its past, and the branch that is added is possible.
//! 2. If `T` within `D` is the past of an occurrence and not `past(D, x)`, it lacks some step of `M(D, x)` and all
//!    after it: with all of `M(D, x)` the rest of `D` would not change the root (W2). So removing maximal conflicts one by
//!    one, with the root re-evaluated each time, reaches every `T`; and each once, if the latest is removed first and those
//!    skipped stay ([`closed_subsets`]). After an occurrence only conflicts count that the root did not have where it was
//!    seen: the others belong to roots that have it there.
//! 3. The branches of a node are disjoint and cover its traces: until a step conflicts with `p` it does not change (W2),
//!    so the winner is a function of the trace. Minimal conflicts exist, unless `p` is an initial.
//! 4. The winner conflicts with `p` after `C` if and only if, after `p` and `C`, it conflicts with `p` or is blocked (W3).
//! 5. Complete: for each trace `u` through a node some execution below contains it. If `p` is an initial of `u`, it is below
//!    the default. Otherwise take the execution below the default that has `C` and else only defaults. If the winner is
//!    enabled anywhere in it, the first such place is a root; if not, it is pending at the end or asleep. R1 and R3 hold
//!    by choice of that execution, and by lemma 2 the root's visit reaches `T = e_0 .. e_(j-1), C`.
//! 6. Optimal: (`e_0 .. e_(j-1)`, `C`, `x`) determines `e_j`, then the execution (R1), then the place of the root in it (R3).
//!    So a maximal trace is executed once. Redundant executions are those whose branch is empty, since all enabled
//!    operations are forbidden, and those that end with only sleeping steps.
//! 7. A maximal conflict that blocks the root until a later conflict ([`Counterfactual::blocks`]) must not stay.
//! 8. A root is visited when it is taken, after all earlier steps. Later steps concern it only if its accesses differ
//!    elsewhere and a later step conflicts with those ([`StateDependent`](path::StateDependent)); then it is visited again at the end
//!    for subsets that have such a step.
//! 9. Operations with the same accesses in all states have no such conflicts. If they are never blocked, the closed subsets
//!    to visit are those without one maximal conflict, each with the rest: these are the direct races. If their conflicts in
//!    `D0` are totally ordered, all places of R3 were visited before `T`. They need not be visited where they are
//!    forbidden: with fewer steps before them they still are, or R1 fails.
//! 10. If the root has the same accesses without one maximal conflict, but with all others, as with it, R3 holds: with that
//!     conflict it is as it was seen, since no other step of `D0` changes it (W2).
//! 11. Of several steps that change one count, all but the last commute: a trace is determined by which is the last, `x`.
//!     Let `e` be another one, with nothing of the others after it by other conflicts, and a default. In the trace with `e`
//!     as the last one all others come before it, so the wakeup sequence at `e` is all others and `x`. Every execution
//!     in which another maximal one of them is the last could add it; the one in which that is the greatest task does.
//!     The task of a clone holds a reference, so no drop of another task is the last one before the clone or after it:
//!     clones change no accesses.
//!
//! Lemma 5 is argued and not proved where accesses change in between: there the oracles of `tests/all/reduction` decide.
//!
//! [`Counterfactual::pending_then`]: crate::world::Counterfactual::pending_then
//! [`Counterfactual::blocks`]: crate::world::Counterfactual::blocks

mod clock;
mod closed_subsets;
mod conflicts;
mod default_step;
mod direct_races;
mod division;
mod names;
mod path;
mod reuse;
mod reversals;
mod revisits;
mod roots;
mod saved;
mod sizes;
mod work;

pub use saved::SavedReduction;

use super::{Decision, Divisible, Estimating, Next, Standing, Strategy};
use crate::operation::{Accesses, TaskId};
use crate::trace::{Step, Trace};
use crate::verdict::{Extent, Verdict};
use crate::world::{Ending, Pending, Pick, Point, Variation};
use closed_subsets::Scratch;
use path::{Deferred, Origin, Path};
use revisits::is_beyond_memory;
use work::{Item, Move, Picks, SleepingStep, Work};

/// One execution for each Mazurkiewicz trace.
#[derive(Clone, Debug)]
pub struct OptimalDpor {
    /// The present execution, or the prefix of the last one with which the next begins.
    path: Path,
    work: Work,
    /// The wakeup sequence from `path` to the first default step, and how many of its steps were taken.
    schedule: Picks,
    taken: usize,
    /// The race that the wakeup sequence reverses.
    deferred: Option<Deferred>,
    /// The step that joins the sleep set, instead of a wakeup sequence.
    sleeper: Option<SleepingStep>,
    /// The last step of the wakeup sequence is a read that the step before it revisits.
    is_revisit: bool,
    /// That read was taken.
    is_met: bool,
    /// The index of the last step of the wakeup sequence among the steps of its task.
    time: u32,
    /// How many items there were before the last step was visited.
    found: usize,
    /// How its operation depended on the state.
    variation: Variation,
    /// How many steps of `path` are those of the last trace.
    same: usize,
    started: bool,
    /// An execution was begun and is not over.
    begun: bool,
    /// The estimated fraction of the tree of this search, and how much of it was reported as explored.
    share: f64,
    reported: f64,
    /// The picks that lead to this subtree, if it was split off.
    inherited: Vec<Pick>,
    scratch: Scratch,
    /// The largest size so far, in steps and picks.
    peak: usize,
}

impl Default for OptimalDpor {
    fn default() -> OptimalDpor {
        OptimalDpor::new()
    }
}

impl OptimalDpor {
    /// A search of the whole tree.
    pub fn new() -> OptimalDpor {
        let mut work = Work::default();
        work.begin();
        OptimalDpor {
            path: Path::with_room(),
            work,
            schedule: Picks::new(),
            taken: 0,
            deferred: None,
            sleeper: None,
            is_revisit: false,
            is_met: false,
            time: 0,
            found: 0,
            variation: Variation::State,
            same: 0,
            started: false,
            begun: false,
            share: 1.0,
            reported: 0.0,
            inherited: Vec::new(),
            scratch: Scratch::default(),
            peak: 0,
        }
    }

    /// A search of the subtree of `item`.
    fn of(item: Item, path: Path, picks: Picks) -> OptimalDpor {
        let mut part = OptimalDpor::new();
        part.inherited = path.events.iter().map(|e| Pick { task: e.task, option: e.option }).collect();
        part.path = path;
        part.work.begin_with(item, picks);
        part.started = true;
        part
    }

    /// Whether the path has all steps and tasks of the point.
    #[inline]
    fn is_up_to_date(&self, steps: &[Step], point: &Point<'_>) -> bool {
        self.path.len() == steps.len() && self.path.has_all_tasks(point)
    }

    /// Adds the steps that happened by themselves since the last choice, and the tasks that were created, to the path.
    fn catch_up(&mut self, steps: &[Step], point: &Point<'_>) {
        while self.path.len() < steps.len() {
            self.path.meet(point);
            let Step { task, accesses, by_itself, waited, .. } = steps[self.path.len()];
            debug_assert!(by_itself);
            let is_last = self.taken + 1 == self.schedule.len()
                && self.path.names.task(self.schedule[self.taken].name) == Some(task)
                && self.path.steps_of(task) + 1 == self.time;
            let is_default = self.taken == self.schedule.len();
            if self.path.append_clock(task, accesses) && !waited && (is_last || is_default) {
                self.visit_taken(task, accesses, Variation::Steady, is_last, point);
            }
            self.path.push(task, 0, accesses, Origin::ByItself, 0);
            if is_last {
                self.taken += 1;
                if let Some(deferred) = self.deferred {
                    self.path.reverse(deferred);
                }
            }
        }
        self.path.meet(point);
        // Phantoms that were removed are pending at the end.
        while self.path.next_gone(point).is_some() {}
    }

    /// A task that existed in the last execution, after the same steps, and does not exist now.
    #[inline]
    fn missing(&self, point: &Point<'_>) -> Option<TaskId> {
        let known = self.path.tasks_met();
        (known > point.all().len()).then(|| TaskId(known as u32 - 1))
    }

    /// The next step of the wakeup sequence.
    fn follow(&mut self, point: &Point<'_>) -> Decision {
        let Move { name, mut option, store } = self.schedule[self.taken];
        self.taken += 1;
        let Some(task) = self.path.names.task(name) else { return Decision::UNDECIDED };
        let pending = point.pending(task);
        if let Some(store) = store {
            match self.option_of(task, store, point) {
                Some(same) => option = same,
                None => return Decision::UNDECIDED,
            }
        }
        if !point.is_enabled(task) || option >= pending.options {
            return Decision::UNDECIDED;
        }
        let is_winner = self.taken == self.schedule.len();
        let is_last_free = is_winner && self.deferred.is_none();
        let origin = if is_last_free { Origin::Free } else { Origin::Scheduled };
        if is_winner && option == 0 && !self.is_revisit {
            self.try_other_options(task, pending.options, self.deferred);
            self.take(task, pending, origin, point);
        } else {
            self.found = self.work.len();
            let accesses = conflicting_accesses(task, pending, point);
            self.path.append_clock(task, accesses);
            self.path.push(task, option, accesses, origin, enabled_mask(point));
        }
        if is_winner && let Some(deferred) = self.deferred {
            self.path.reverse(deferred);
        }
        Decision::take(Pick { task, option })
    }

    /// Takes a step of option 0 that is a root.
    #[inline]
    fn take(&mut self, task: TaskId, pending: &Pending, origin: Origin, point: &Point<'_>) {
        let accesses = conflicting_accesses(task, pending, point);
        self.found = self.work.len();
        self.variation = Variation::State;
        let mut elsewhere = accesses;
        if self.path.append_clock(task, accesses) {
            self.variation = point.variation(task);
            elsewhere = self.visit_taken(task, accesses, self.variation, origin == Origin::Scheduled, point);
        }
        self.path.push(task, 0, accesses, origin, enabled_mask(point));
        if elsewhere != accesses && self.variation == Variation::State {
            self.path.note_state_dependent(elsewhere);
        }
    }

    #[inline]
    fn try_other_options(&mut self, task: TaskId, options: u32, deferred: Option<Deferred>) {
        if options > 1 {
            self.try_each_option(task, options, deferred);
        }
    }

    /// The same without stores that a step could choose where it joined the sleep set: they were tried there.
    #[inline]
    fn try_options_at(&mut self, task: TaskId, options: u32, point: &Point<'_>) {
        let slept = if self.path.sleep_set.is_empty() { None } else { self.path.slept_after(task) };
        let Some((from, memory)) = slept.zip(point.memory()) else {
            return self.try_other_options(task, options, None);
        };
        for (option, id) in memory.choices(task).iter().enumerate().skip(1) {
            if id.index().is_some_and(|at| at >= from as usize) {
                self.try_option(task, option as u32, None);
            }
        }
    }

    fn try_each_option(&mut self, task: TaskId, options: u32, deferred: Option<Deferred>) {
        for option in 1..options {
            self.try_option(task, option, deferred);
        }
    }

    fn try_option(&mut self, task: TaskId, option: u32, deferred: Option<Deferred>) {
        let last = Move { name: self.path.names.of(task), option, store: None };
        let item = Item::new(self.path.len(), deferred, self.path.steps_of(task) + 1);
        self.work.add(item, &[], last, 0);
    }
}

/// The accesses of an operation, without that to memory under a model: the graph orders those.
#[inline]
fn conflicting_accesses(task: TaskId, pending: &Pending, point: &Point<'_>) -> Accesses {
    match point.memory() {
        Some(memory) if memory.place(task).is_some() => Accesses::NONE,
        _ => pending.accesses,
    }
}

/// Which of the first 64 tasks are enabled.
#[inline]
fn enabled_mask(point: &Point<'_>) -> u64 {
    if point.all().len() <= u64::BITS as usize {
        return point.enabled().iter().fold(0, |all, task| all | 1 << (task.0 & 63));
    }
    point.enabled().iter().filter(|t| t.0 < u64::BITS).fold(0, |all, task| all | 1 << task.0)
}

impl Strategy for OptimalDpor {
    fn begin(&mut self, _execution: u64) -> Next {
        if self.same > 0 {
            // Later executions may leave the subtree that was split off.
            self.inherited.clear();
        }
        if !self.started {
            (self.started, self.begun) = (true, true);
            return Next::From(0);
        }
        match self.work.next(&mut self.path, &mut self.schedule, &mut self.same) {
            Some(item) => {
                self.taken = 0;
                self.deferred = item.deferred;
                self.sleeper = item.asleep;
                (self.is_revisit, self.is_met) = (item.is_revisit, false);
                if self.path.any_sleeper() && item.deferred.is_none() && !item.is_revisit {
                    self.wake_later_sleepers();
                }
                if let Some(step) = item.asleep {
                    self.path.put_to_sleep(step);
                }
                self.time = item.time;
                self.begun = true;
                Next::From(self.same)
            }
            None => Next::Exhausted,
        }
    }

    fn choose(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision {
        if let Some(event) = self.path.events.get(so_far.len()) {
            return Decision::take(Pick { task: event.task, option: event.option });
        }
        if let Some(memory) = point.memory() {
            self.note_memory_step(memory.graph());
            if is_beyond_memory(memory, point) {
                return Decision::UNDECIDED;
            }
        }
        if !self.is_up_to_date(so_far.steps(), point) {
            if let Some(missing) = self.missing(point) {
                // The program is not deterministic, which is reported for a pick that is not possible.
                return Decision::take(Pick { task: missing, option: 0 });
            }
            self.catch_up(so_far.steps(), point);
        }
        if self.taken < self.schedule.len() {
            return self.follow(point);
        }
        let Some(task) = self.default_step(so_far, point) else {
            self.find_at_end(point);
            return match point.enabled().iter().all(|task| self.path.is_asleep(*task)) {
                true => Decision::SLEEP_SET_BLOCKED,
                false => Decision::ABANDON,
            };
        };
        let pending = point.pending(task);
        self.try_options_at(task, pending.options, point);
        self.take(task, pending, Origin::Free, point);
        Decision::take(Pick { task, option: 0 })
    }

    fn over(&mut self, so_far: &Trace, point: &Point<'_>, ending: Ending) -> Standing {
        let is_left = ending == Ending::Stopped || self.path.len() > so_far.len();
        if is_left || self.missing(point).is_some() {
            return Standing::Counts;
        }
        if let Some(memory) = point.memory() {
            self.note_memory_step(memory.graph());
        }
        self.catch_up(so_far.steps(), point);
        if self.taken == self.schedule.len() {
            match ending {
                Ending::Cut => self.find_at_cut(point),
                _ => self.find_at_end(point),
            }
        }
        Standing::Counts
    }

    fn finish(&mut self, trace: &Trace, _verdict: Verdict) {
        self.same = self.path.len().min(trace.len());
        self.work.close_batch(&self.path);
        self.begun = false;
        self.peak = self.peak.max(self.path.len() + self.work.size());
    }

    fn extent(&self, _executions: u64) -> Extent {
        Extent::Exhaustive
    }

    fn divisible(&mut self) -> Option<&mut dyn Divisible> {
        Some(self)
    }

    fn estimating(&mut self) -> Option<&mut dyn Estimating> {
        Some(self)
    }
}
