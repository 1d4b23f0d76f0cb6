//! The common prefix with the execution before is retraced without the strategy: the strategy must then
//! observe what it would have observed if it had chosen each of these steps.

use super::oracle::{Notes, config};
use super::random_programs::{Do, body, programs};
use proptest::prelude::*;
use raddle_core::operation::TaskId;
use raddle_core::random::Rng;
use raddle_core::trace::Step;
use raddle_core::world::{Decision, Describe, Driver, Pending, Pick, Point, SelfDriving, World};
use raddle_native::{NativeWorld, Settings};
use std::sync::Arc;

/// Takes given steps and then draws; records all that it observes.
struct Watches {
    kept: Vec<Step>,
    given: Vec<Step>,
    rng: Rng,
    steps: Vec<Step>,
    retraced: usize,
    /// The observation after each number of steps.
    seen: Vec<(usize, String)>,
}

impl Watches {
    fn new(given: &[Step], kept: usize) -> Watches {
        let (rng, kept, given) = (Rng::new(7, 0), given[..kept].to_vec(), given.to_vec());
        Watches { kept, given, rng, steps: Vec::new(), retraced: 0, seen: Vec::new() }
    }
    fn add(&mut self, pick: Pick, pending: &Pending, by_itself: bool) {
        let (Pick { task, option }, Pending { accesses, signature, .. }) = (pick, *pending);
        let waited = by_itself && pending.options == 0;
        self.steps.push(Step { task, option, accesses, signature, preempts: false, by_itself, waited });
    }
}

impl Driver for Watches {
    fn kept(&self) -> &[Step] {
        &self.kept
    }

    fn retraced(&mut self, steps: usize) {
        self.retraced = steps;
        self.steps.extend_from_slice(&self.kept[..steps]);
    }

    fn next(&mut self, point: &Point<'_>, world: &dyn Describe) -> Decision {
        let steps = self.steps.len();
        if steps > 500 {
            return Decision::STOP;
        }
        self.seen.push((steps, looked_at(point, steps, world)));
        let pick = match self.given.get(steps) {
            Some(step) => step.pick(),
            None => {
                let task = point.enabled()[self.rng.below(point.enabled().len() as u32) as usize];
                Pick { task, option: self.rng.below(point.pending(task).options) }
            }
        };
        self.add(pick, point.pending(pick.task), false);
        Decision::take(pick)
    }

    fn note(&mut self, task: TaskId, pending: &Pending, _: &dyn Describe) -> bool {
        self.add(Pick { task, option: 0 }, pending, true);
        true
    }
}

/// The enabled and the pending operations, now and before.
fn looked_at(point: &Point<'_>, steps: usize, world: &dyn Describe) -> String {
    let mut words = format!("{point:?}");
    for (at, _) in point.all().iter().enumerate().filter(|(_, p)| **p != Pending::NOTHING) {
        let task = TaskId(at as u32);
        let birth = point.birth(task);
        words.push_str(&format!("\n{} {birth:?}", world.describe(task)));
        for before in birth.after as usize..steps {
            let Pending { options, accesses, .. } = point.pending_then(task, before, &[]);
            words.push_str(&format!(" {options} {accesses:?}"));
        }
    }
    words
}

/// Runs the program once, and then again with some of its first steps kept, and with none of them. Returns
/// how many were retraced, and how many were kept.
fn compare(program: &(dyn Fn() -> Notes + Sync), share: f64) -> Result<(usize, usize), String> {
    let mut world = NativeWorld::new(&program, Settings::default());
    let mut run = |given: &[Step], kept: usize| {
        let mut watches = Watches::new(given, kept);
        world.run(&mut watches);
        world.finish();
        watches
    };
    let first = run(&[], 0).steps;
    let kept = (first.len() as f64 * share) as usize;
    let (again, careful) = (run(&first, kept), run(&first, 0));
    let told = |w: &Watches| {
        let seen: Vec<_> = w.seen.iter().filter(|(at, _)| *at >= again.retraced).cloned().collect();
        (w.steps.clone(), seen)
    };
    match told(&again) == told(&careful) {
        true => Ok((again.retraced, kept)),
        false => {
            Err(format!("{} of {kept}: {:#?}\nis not {:#?}", again.retraced, told(&again), told(&careful)))
        }
    }
}

#[test]
fn plain_steps_are_taken_without_asking() {
    let program = || {
        let counter = Arc::new(raddle::sync::Mutex::new(0));
        let threads: Vec<_> = (0..3)
            .map(|_| {
                let counter = counter.clone();
                raddle::thread::spawn(move || (0..30).for_each(|_| *counter.lock().unwrap() += 1))
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        vec![*counter.lock().unwrap()]
    };
    for share in [0.1, 0.5, 0.9] {
        let (retraced, kept) = compare(&program, share).unwrap();
        assert!(retraced == kept && kept > 0, "{retraced} of {kept}");
    }
}

proptest! {
    #![proptest_config(config(300, 7))]

    #[test]
    fn nobody_can_tell(program in programs(), times in 1..6usize, share in 0.0..1.0) {
        let program: Vec<Do> = program.into_iter().map(|op| match op {
            Do::Spawn(inner) => Do::Spawn(vec![inner; times].concat()),
            op => op,
        }).collect();
        let panics = Arc::default();
        let compared = compare(&|| body(&program, &panics), share);
        prop_assert!(compared.is_ok(), "{}\n{program:?}", compared.unwrap_err());
    }
}
