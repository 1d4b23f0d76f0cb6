//! A search saves itself while it goes on: whichever checkpoint it is resumed from, the totals and outcomes are those of
//! the search that was never stopped.

use crate::common::machine::{Machine, Programs};
use crate::common::{Op::*, Toy, all, program};
use crate::resume::{Make, counted, programs, strategies};
use raddle_core::check::{Check, Program, Reducible, SearchKind, Simplify, Verdict, check};
use raddle_core::search::{
    Checkpoint, Checkpoints, Findings, LazyMap, Listener, NoListener, OnFailure, Plan, Saved, Tally, search,
    search_iteratively,
};
use raddle_core::strategy::{Bounded, Bounds, Random, Strategy};
use raddle_core::verdict::{Extent, FailureKind};
use raddle_core::world::Pick;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A checkpoint after each execution.
fn collecting(plan: Plan) -> (Plan, Arc<Mutex<Vec<Checkpoint>>>) {
    let all = Arc::new(Mutex::new(Vec::new()));
    let list = all.clone();
    let take = Arc::new(move |checkpoint| list.lock().unwrap().push(checkpoint));
    (Plan { checkpoints: Some(Checkpoints { every: Duration::ZERO, take }), ..plan }, all)
}

/// At most so many of them, evenly.
fn some<T>(mut all: Vec<T>, most: usize) -> Vec<T> {
    let step = all.len().div_ceil(most).max(1);
    let mut at = 0;
    all.retain(|_| {
        at += 1;
        (at - 1) % step == 0
    });
    all
}

/// What is compared: the executions, the outcomes and the failures.
fn totals(tally: &Tally<String>) -> (u64, String) {
    (tally.executions, format!("{:?} {:?}", tally.outcomes, tally.failures_by_kind))
}

fn is_the_whole(make: Make, programs: &Programs, workers: usize, told: &str) -> usize {
    let run = |plan: &Plan| search(plan, make(), || Machine::new(programs), Arc::new(NoListener));
    let whole = run(&all(1));
    let (plan, taken) = collecting(all(workers));
    let while_saving = run(&plan);
    assert_eq!(totals(&counted(&while_saving)), totals(&counted(&whole)), "{told}");
    assert_eq!(while_saving.coverage.extent, whole.coverage.extent, "{told}");
    let taken = std::mem::take(&mut *taken.lock().unwrap());
    for (number, checkpoint) in some(taken.clone(), 20).into_iter().enumerate() {
        let plan = Plan { left: Some(checkpoint.left), counted: checkpoint.found.executions, ..all(workers) };
        let rest = run(&plan);
        let mut found = checkpoint.found;
        found.merge(counted(&rest));
        assert_eq!(totals(&found), totals(&counted(&whole)), "{told}, checkpoint {number}");
        assert_eq!(rest.coverage.extent, whole.coverage.extent, "{told}, checkpoint {number}");
    }
    taken.len()
}

#[test]
fn every_checkpoint_of_every_strategy_leads_to_the_whole() {
    for (name, make) in strategies() {
        for programs in programs() {
            let whole = search(&all(1), make(), || Machine::new(&programs), Arc::new(NoListener));
            for workers in [1, 2] {
                let told = format!("{name}, {workers} workers\n{programs:?}");
                let taken = is_the_whole(make, &programs, workers, &told);
                // The last execution of one worker leaves nothing to explore.
                let executions = whole.executions as usize;
                assert!(
                    taken > 0 && (workers == 2 || taken >= executions - 1),
                    "{taken} of {executions}: {told}"
                );
            }
        }
    }
}

#[test]
fn a_bound_that_grows_is_saved_with_its_earlier_rounds() {
    let programs = &programs()[1];
    let strategy = |bound, before| -> Box<dyn Strategy> {
        Box::new(Bounded::new(Bounds::preemptions(bound)).beyond(before))
    };
    let run = |plan: &Plan, from: u32| {
        search_iteratively(plan, from..=9, strategy, || Machine::new(programs), Arc::new(NoListener))
    };
    let whole = run(&all(1), 0);
    let (plan, taken) = collecting(all(1));
    assert_eq!(totals(&counted(&run(&plan, 0))), totals(&counted(&whole)));
    let mut bounds = Vec::new();
    for checkpoint in std::mem::take(&mut *taken.lock().unwrap()) {
        bounds.push(checkpoint.finished_bound);
        let from = checkpoint.finished_bound.map_or(0, |bound| bound + 1);
        let plan = Plan { left: Some(checkpoint.left), counted: checkpoint.found.executions, ..all(1) };
        let rest = run(&plan, from);
        let mut found = checkpoint.found;
        found.merge(counted(&rest));
        assert_eq!(totals(&found), totals(&counted(&whole)));
        assert_eq!(
            (rest.finished_bound, &rest.coverage.extent),
            (whole.finished_bound, &whole.coverage.extent)
        );
    }
    bounds.dedup();
    assert!(bounds.len() >= 3, "{bounds:?}");
}

#[test]
fn samplers_and_replays_are_not_saved() {
    let (mut plan, taken) = collecting(all(2));
    plan.budget.executions = Some(200);
    let programs = &programs()[0];
    let found: Findings<_> =
        search(&plan, Box::new(Random::new(1)), || Machine::new(programs), Arc::new(NoListener));
    assert_eq!((found.executions, taken.lock().unwrap().len()), (200, 0));
}

/// The schedules of its reduced world are not those of the ordinary one.
struct Reduced {
    concrete: bool,
    bounded: bool,
}

impl Program for Reduced {
    type World = Toy;
    fn world(&self) -> Toy {
        let body = [Write(0, 1), Read(0), Read(1)];
        let other = [Write(0, 2), Write(1, 3), Expect(0, 2, FailureKind::Panic)];
        Toy::new(&program([&body, &other, &[Add(1, 1), Read(0)]]))
    }
    fn reducible(&self) -> Option<&dyn Reducible<Toy>> {
        Some(self)
    }
    fn settings(&self) -> LazyMap {
        LazyMap::default()
    }
}

impl Reducible<Toy> for Reduced {
    fn reduced_world(&self) -> Toy {
        self.world()
    }
    fn is_concrete(&self) -> bool {
        self.concrete
    }
    fn concretise(&self, schedule: &[Pick]) -> Option<Vec<Pick>> {
        Some(schedule.to_vec())
    }
    fn reduces_within_bounds(&self) -> bool {
        self.bounded
    }
}

/// Keeps the checkpoints as what is written to files.
#[derive(Default)]
struct Files(Mutex<Vec<String>>);

impl Listener for Files {
    fn checkpoint(&self, saved: &Saved) {
        self.0.lock().unwrap().push(saved.to_json());
    }
}

/// The whole pipeline, with files: whatever the world is to the reduction, and whoever listens.
#[test]
fn a_check_is_resumed_from_each_of_its_files() {
    let kinds =
        [SearchKind::Exhaustive, SearchKind::Iterative, SearchKind::Dfs, SearchKind::PreemptionBounding];
    for kind in kinds {
        for (concrete, bounded) in [(true, true), (false, true), (false, false)] {
            let program = Reduced { concrete, bounded };
            let told = format!("{kind}, concrete: {concrete}, bounded: {bounded}");
            let usual = Check {
                kind,
                on_failure: OnFailure::KeepGoing,
                simplify: Simplify::No,
                test: Some("saved".to_owned()),
                checkpoint: Some(Duration::ZERO),
                ..Check::default()
            };
            let files = Arc::new(Files::default());
            let whole = check(&program, &usual, files.clone()).unwrap();
            let files = std::mem::take(&mut *files.0.lock().unwrap());
            assert!(files.len() > 3, "{told}: {}", files.len());
            assert!(matches!(whole.verdict(), Verdict::Failed(FailureKind::Panic)), "{told}");
            for file in some(files, 20) {
                let resume = Some(Box::new(Saved::parse(&file).unwrap()));
                let saved = resume.as_ref().map(|saved| (&saved.unconverted, &saved.found.failures));
                let (unconverted, converted) = saved.unwrap();
                let is_concrete = concrete || !kind.is_reduced() || resume.as_ref().unwrap().fallen_back;
                assert!(if is_concrete { unconverted } else { converted }.is_empty(), "{told}");
                let rest = check(&program, &Check { resume, ..usual.clone() }, Arc::new(NoListener)).unwrap();
                assert_eq!(rest.coverage, whole.coverage, "{told}");
                assert_eq!(rest.statistics.failures_by_kind, whole.statistics.failures_by_kind, "{told}");
                // Which failure comes first depends on the order of the subtrees.
                let failure = rest.failure().map(|failure| (failure.kind(), failure.replayed.clone()));
                assert_eq!(failure, Some((FailureKind::Panic, None)), "{told}");
                let passed = |checked: &raddle_core::check::Checked<_>| {
                    checked.outcomes.values().chain(checked.earlier_outcomes.values()).sum::<u64>()
                };
                assert_eq!(passed(&rest), passed(&whole), "{told}");
            }
        }
    }
}

/// Few preemptions, where executions are long: a file of that stage is resumed in that stage.
#[test]
fn a_search_in_stages_goes_on_in_its_stage() {
    let program = Reduced { concrete: true, bounded: true };
    let growing = Check {
        growing: true,
        bounds: Bounds::preemptions(2),
        on_failure: OnFailure::KeepGoing,
        checkpoint: Some(Duration::ZERO),
        ..Check::default()
    };
    let files = Arc::new(Files::default());
    check(&program, &growing, files.clone()).unwrap();
    let whole = check(
        &program,
        &Check { on_failure: OnFailure::KeepGoing, ..Check::default() },
        Arc::new(NoListener),
    );
    let whole = whole.unwrap();
    let files = std::mem::take(&mut *files.0.lock().unwrap());
    assert!(!files.is_empty());
    for file in files {
        let resume = Some(Box::new(Saved::parse(&file).unwrap()));
        let staged =
            Check { kind: SearchKind::Staged, on_failure: OnFailure::KeepGoing, resume, ..Check::default() };
        let rest = check(&program, &staged, Arc::new(NoListener)).unwrap();
        assert_eq!(rest.coverage.extent, Extent::Exhaustive);
        assert!(rest.executions() >= whole.executions());
    }
}
