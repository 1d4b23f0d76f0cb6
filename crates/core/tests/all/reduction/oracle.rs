//! Compares the reduction with depth-first search, trace by trace, and counts the executions that were redundant.

use crate::common::cases::config;
use crate::common::classes::{Redundant, Seen, counting};
use crate::common::machine::{Do::*, Hints, Machine, Outcome, Programs};
use crate::common::{all, limited};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use raddle_core::search::{Findings, NoListener, search};
use raddle_core::strategy::{Dfs, OptimalDpor};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// What an exploration found: its traces, with all that had happened where executions were cut short as `whole`.
pub struct Explored {
    pub found: Findings<Outcome>,
    pub seen: Seen,
    pub whole: Seen,
    pub redundant: Redundant,
}

/// Explores the programs on a machine that gives these hints.
pub fn explore(
    programs: &Programs,
    hints: Hints,
    workers: usize,
    most: u64,
    strategy: impl raddle_core::strategy::Strategy + 'static,
) -> Explored {
    let (strategy, counts) = counting(strategy);
    let plan = limited(most, all(workers));
    let make = || Machine::with_hints(programs, hints);
    let found = search(&plan, Box::new(strategy), make, std::sync::Arc::new(NoListener));
    let [seen, whole] = [counts.classes, counts.whole].map(|seen| std::mem::take(&mut *seen.lock().unwrap()));
    Explored { found, seen, whole, redundant: counts.redundant }
}

/// The same by the reduction, with exact hints, on one worker.
pub fn reduce(programs: &Programs) -> Explored {
    explore(programs, Hints::Exact, 1, 1_000_000, OptimalDpor::new())
}

/// Redundant executions, of all programs that were compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Holes {
    pub programs: u64,
    pub executions: u64,
    /// Executions that were abandoned, since an enabled operation belonged to another branch.
    pub forbidden: u64,
    /// Executions in which only tasks of the sleep set were enabled at the end.
    pub sleep_set_blocked: u64,
    /// Executions that a panic cut short after the same steps that happen before it as in another one.
    pub repeats: u64,
}

/// Which of them are accepted: one in so many executions.
#[derive(Clone, Copy)]
pub struct Accepted {
    forbidden: u64,
    beside_panics: u64,
}

/// One execution in 6,500 is begun in vain, and 3 % more executions beside panics.
pub const ACCEPTED: Accepted = Accepted { forbidden: 6_500, beside_panics: 33 };
/// 8 % more executions where all tasks panic.
pub const ACCEPTED_OF_PANICS: Accepted = Accepted { beside_panics: 12, ..ACCEPTED };
/// An operation that conflicts with everything in some states only: which winner it belongs to is known late.
pub const ACCEPTED_OF_FRET: Accepted = Accepted { forbidden: 64, ..ACCEPTED };

impl Holes {
    fn add(&mut self, reduced: &Explored) {
        let cut = reduced.seen.iter().filter(|((cut, _), _)| *cut);
        self.programs += 1;
        self.executions += reduced.found.executions;
        self.forbidden += reduced.redundant.forbidden();
        self.sleep_set_blocked += reduced.redundant.sleep_set_blocked();
        self.repeats += cut.map(|(_, times)| times - 1).sum::<u64>();
    }
    /// A few programs have a few of them.
    fn check(&self, accepted: Accepted) {
        println!("{self:?}");
        let few = |count: u64, one_in: u64| count <= 2 + self.executions / one_in;
        assert!(few(self.forbidden, accepted.forbidden), "{self:?}");
        assert!(few(self.sleep_set_blocked + self.repeats, accepted.beside_panics), "{self:?}");
    }
}

/// Compares the reduction with depth-first search, with and without hints, on one worker and on two. Returns the number
/// of traces; none if depth-first search takes too long.
pub fn compare(programs: &Programs, holes: &mut Holes) -> Result<Option<u64>, String> {
    const MOST: u64 = 4_000;
    let slow = explore(programs, Hints::None, 1, MOST, Dfs::new());
    if slow.found.executions == MOST {
        return Ok(None);
    }
    for (hints, workers) in [(Hints::None, 1), (Hints::None, 2), (Hints::Exact, 1), (Hints::Exact, 2)] {
        let most = 3 * slow.found.executions + 100;
        let reduced = explore(programs, hints, workers, most, OptimalDpor::new());
        check(programs, hints, &slow, &reduced)
            .map_err(|why| format!("{hints:?}, {workers} workers: {why}\n{programs:?}"))?;
        if (hints, workers) == (Hints::Exact, 1) {
            holes.add(&reduced);
        }
    }
    Ok(Some(slow.seen.len() as u64))
}

/// Compares what the reduction found with what depth-first search did.
fn check(programs: &Programs, hints: Hints, slow: &Explored, reduced: &Explored) -> Result<(), String> {
    let Explored { found, seen, whole, redundant } = reduced;
    let missed = slow.seen.keys().filter(|class| !seen.contains_key(class)).count();
    let wrong = seen.keys().filter(|class| !slow.seen.contains_key(class)).count();
    let twice = seen.iter().filter(|((cut, _), times)| !cut && **times > 1).count();
    // If a step ends the execution for all tasks, executions may differ in their other steps, and do.
    let cut_twice = whole.values().filter(|times| **times > 1).count();
    let counts = format!(
        "{} classes, {missed} missed, {wrong} wrong, {twice} twice, {cut_twice} cut twice; {} executions, {redundant:?}, \
         {} undecided; {:?}; {:?}",
        slow.seen.len(),
        found.executions,
        found.undecided,
        found.coverage,
        found.failure.as_ref().map(|f| f.defect.message()),
    );
    let all_there = missed == 0
        && found.outcomes.keys().eq(slow.found.outcomes.keys())
        && found.failures_by_kind.keys().eq(slow.found.failures_by_kind.keys());
    let once = wrong == 0
        && twice == 0
        && cut_twice == 0
        && whole.keys().all(|class| slow.whole.contains_key(class));
    // Only steps that end the execution sleep.
    let (forbidden, asleep) = (redundant.forbidden(), redundant.sleep_set_blocked());
    let may_sleep = asleep == 0 || whole.values().sum::<u64>() > 0;
    // See [`a_reader_who_cannot_go_on_without_another`]. Without hints, jointly blocked operations are not taken last.
    let may_be_in_vain = written_locks(programs) > 1 || has_varying(programs) || hints == Hints::None;
    // Never more than all interleavings; of all programs together, few: see [`Holes::check`].
    let few =
        found.abandoned == forbidden + asleep && found.executions + found.abandoned <= slow.found.executions;
    let is_accepted = may_sleep && few && (forbidden == 0 || may_be_in_vain);
    match all_there && once && is_accepted && found.coverage.is_exhaustive() {
        true => Ok(()),
        false => Err(counts),
    }
}

/// Compares so many random programs.
pub fn oracle(cases: u32, programs: impl Strategy<Value = Programs>, accepted: Accepted) {
    let holes = RefCell::new(Holes::default());
    let compared = TestRunner::new(config(cases, 7)).run(&programs, |programs| {
        let compared = compare(&programs, &mut holes.borrow_mut());
        prop_assert!(compared.is_ok(), "{}", compared.unwrap_err());
        Ok(())
    });
    if let Err(why) = compared {
        panic!("{why}");
    }
    holes.borrow().check(accepted);
}

/// Whether there are operations whose accesses depend on more than their own object.
fn has_varying(programs: &Programs) -> bool {
    programs.iter().flatten().any(|op| matches!(op, Fret(_) | Guard(..)))
}

/// How many read-write locks are written.
fn written_locks(programs: &Programs) -> usize {
    let locks = programs.iter().flatten().filter_map(|op| match op {
        Write(lock) | WriteUnread(lock) | TryWrite(lock) => Some(*lock),
        _ => None,
    });
    locks.collect::<BTreeSet<_>>().len()
}
