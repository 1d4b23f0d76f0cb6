//! Records a few executions, for a comparison with later executions of the same schedules. Not for direct use.

use crate::Checker;
use crate::listener::Listening;
use raddle_core::search::{OnFailure, Plan, search};
use raddle_core::strategy::{Observation, Random, Strategy, Wrapped, Wrapper};
use raddle_core::trace::Trace;
pub use raddle_core::verdict::Verdict;
use raddle_native::NativeWorld;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

/// One execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Probe {
    /// The task of each step, its option, and its operation as a number.
    pub steps: Vec<(u32, u32, u32)>,
    /// How it ended.
    pub verdict: Verdict,
}

impl Checker {
    /// Executes the random schedule of this checker's seed, and returns what happened in it: the same each time, if the
    /// program is deterministic. None if there was no execution, or if it did not end within the time of the checker.
    pub fn draw<T, F>(mut self, f: F) -> Option<Probe>
    where
        F: Fn() -> T + Send + Sync,
        T: Ord + Debug + Send,
    {
        self.settle_heap().ok()?;
        let mut plan = Plan { on_failure: OnFailure::KeepGoing, ..Plan::default() };
        (plan.test, plan.budget) = (self.check.test.take(), self.check.budget.clone());
        plan.budget.executions = Some(1);
        let found = Arc::new(Mutex::new(None));
        let noting = Noting { inside: Random::new(self.seed.unwrap_or(0)), found: found.clone() };
        let listening = Arc::new(Listening::new(plan.test.clone(), false));
        let program: &(dyn Fn() -> T + Send + Sync) = &f;
        let make = || NativeWorld::new(program, self.settings.clone());
        search(&plan, Box::new(Wrapped(noting)), make, listening);
        let mut found = found.lock().unwrap_or_else(|e| e.into_inner());
        found.take()
    }
}

/// Draws, and records the steps: each point is observed, so that there are steps to record.
struct Noting {
    inside: Random,
    found: Arc<Mutex<Option<Probe>>>,
}

impl Wrapper for Noting {
    fn inside(&self) -> &dyn Strategy {
        &self.inside
    }

    fn inside_mut(&mut self) -> &mut dyn Strategy {
        &mut self.inside
    }

    fn around(&self, _: Box<dyn Strategy>) -> Noting {
        unreachable!("one worker makes one execution")
    }

    fn observes(&self) -> Observation {
        Observation::Points
    }

    fn finish(&mut self, trace: &Trace, verdict: Verdict) {
        let step = |step: &raddle_core::trace::Step| (step.task.0, step.option, step.signature);
        let steps = trace.steps().iter().map(step).collect();
        *self.found.lock().unwrap_or_else(|e| e.into_inner()) = Some(Probe { steps, verdict });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_core::verdict::FailureKind;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Two tasks that take a lock, and then what `last` says.
    fn program(last: impl Fn(&raddle_native::sync::Mutex<u32>) + Send + Sync) -> impl Fn() + Send + Sync {
        use raddle_native::{sync::Mutex, thread};
        move || {
            let count = Mutex::new(0);
            thread::scope(|scope| {
                scope.spawn(|| *count.lock().unwrap() += 1);
                *count.lock().unwrap() += 1;
            });
            last(&count);
        }
    }

    #[test]
    fn the_same_schedule_leads_to_the_same_steps_again() {
        let program = program(|_| {});
        let draw = |seed| Checker::random(1).seed(seed).draw(&program).unwrap();
        for seed in 0..20 {
            assert_eq!(draw(seed), draw(seed));
            assert_eq!(draw(seed).verdict, Verdict::Passed);
        }
        assert!((1..20).any(|seed| draw(seed) != draw(0)), "there is more than one schedule");
    }

    #[test]
    fn what_differs_at_the_end_is_seen() {
        let runs = AtomicU32::new(0);
        let turn = || runs.fetch_add(1, Ordering::Relaxed).is_multiple_of(2);
        let longer = program(|count| {
            if turn() {
                *count.lock().unwrap() += 1;
            }
        });
        let other = program(|count| if turn() { drop(count.lock()) } else { drop(count.try_lock()) });
        let failing = program(|_| assert!(turn(), "not this time"));
        let draw = |program: &(dyn Fn() + Send + Sync)| {
            runs.store(0, Ordering::Relaxed);
            let draw = || Checker::random(1).draw(program).unwrap();
            (draw(), draw())
        };
        let (one, two) = draw(&longer);
        assert!(one.steps.len() > two.steps.len() && one.steps.starts_with(&two.steps[..3]));
        let (one, two) = draw(&other);
        assert!(one.steps.len() == two.steps.len() && one != two);
        let (one, two) = draw(&failing);
        assert_eq!((one.verdict, two.verdict), (Verdict::Passed, Verdict::Failed(FailureKind::Panic)));
    }
}
