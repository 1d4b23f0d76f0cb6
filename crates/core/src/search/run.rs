//! One execution: the kept prefix is brought about, then the strategy is asked until the run is over.

use crate::strategy::{Decision, Strategy};
use crate::trace::Trace;
use crate::verdict::{Defect, FailureKind};
use crate::world::{End, World};

/// How an execution went.
pub(super) enum Ran<T> {
    Passed(T),
    Failed(Defect),
    Abandoned,
}

/// Runs one execution whose first `keep` steps are those that `trace` holds.
#[inline]
pub(super) fn execute<W: World>(
    world: &mut W,
    strategy: &mut dyn Strategy,
    trace: &mut Trace,
    keep: usize,
    max_steps: usize,
) -> Ran<W::Outcome> {
    trace.truncate(keep);
    world.start();
    for (index, step) in trace.steps().iter().enumerate() {
        let point = world.point();
        let fits = point.is_enabled(step.task)
            && point.pending(step.task).signature == step.signature
            && step.option < point.pending(step.task).options;
        if !fits {
            let defect = not_deterministic(world, index, step.task);
            trace.truncate(index);
            return Ran::Failed(world.stop(defect));
        }
        world.step(step.pick());
    }
    let replaying = strategy.expects(0).is_some();
    loop {
        let point = world.point();
        if point.is_over() {
            return match world.end() {
                End::Passed(outcome) => Ran::Passed(outcome),
                End::Failed(defect) => Ran::Failed(defect),
            };
        }
        if trace.len() >= max_steps {
            let defect = step_limit(max_steps);
            return Ran::Failed(world.stop(defect));
        }
        match strategy.choose(trace, &point) {
            Decision::Take(pick) => {
                if replaying && let Some(expected) = strategy.expects(trace.len()) {
                    let found = world.describe(pick.task);
                    if found != expected {
                        let defect = diverged(trace.len(), expected, &format!("it is `{found}`"));
                        return Ran::Failed(world.stop(defect));
                    }
                }
                trace.push(pick, &point);
                world.step(pick);
            }
            Decision::Abandon => return Ran::Abandoned,
            Decision::Diverged => {
                let expected = strategy.expects(trace.len()).unwrap_or("a prescribed pick");
                let defect = diverged(trace.len(), expected, "that cannot happen there");
                return Ran::Failed(world.stop(defect));
            }
        }
    }
}

#[cold]
fn step_limit(max_steps: usize) -> Defect {
    Defect::new(
        FailureKind::StepLimit,
        format!(
            "the execution took {max_steps} steps without coming to an end; if that is no endless loop, \
             allow more with max_steps"
        ),
    )
}

#[cold]
fn diverged(index: usize, expected: &str, found: &str) -> Defect {
    Defect::new(
        FailureKind::NotDeterministic,
        format!(
            "the ticket does not fit: it expects step {} to be `{expected}`, but {found}; the program or its \
             settings have changed since the ticket was written, or it is not deterministic",
            index + 1
        ),
    )
}

#[cold]
fn not_deterministic<W: World>(world: &W, index: usize, task: crate::operation::TaskId) -> Defect {
    let was = world.describe_last_time(index);
    let now = world.describe(task);
    Defect::new(
        FailureKind::NotDeterministic,
        format!("the program is not deterministic: step {} was `{was}`, now it is `{now}`", index + 1),
    )
    .note(
        "the same picks must lead to the same steps: look for hash maps with random seeds, real time, \
         addresses, random numbers, or state that outlives an execution",
        None,
    )
}
