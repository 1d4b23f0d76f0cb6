//! The programs under loom: every execution of its reduction, without any bound. loom reports no count and
//! cannot be stopped, so the model counts for itself and informs its watcher.

use crate::catalogue::Program;
use loom::model::Builder;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

#[path = "programs.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source under another runtime")]
mod programs;

mod rt {
    pub use loom::{sync, thread};
    pub use std::sync::Arc;
}

/// Explores `program` and returns the number of executions; `watch` gets the number of each before it starts.
pub fn explore(program: Program, watch: impl Fn(u64) + Send + Sync + 'static) -> Option<u64> {
    let executions = rt::Arc::new(AtomicU64::new(0));
    let counter = executions.clone();
    let model = move || {
        watch(counter.fetch_add(1, Relaxed) + 1);
        programs::run(program);
    };
    let builder = unbounded();
    catch_unwind(AssertUnwindSafe(|| builder.check(model))).ok()?;
    Some(executions.load(Relaxed))
}

/// Sets every limit itself: a new `Builder` takes them from the environment.
fn unbounded() -> Builder {
    let mut builder = Builder::new();
    builder.max_threads = loom::MAX_THREADS;
    builder.max_branches = 10_000;
    builder.max_permutations = None;
    builder.max_duration = None;
    builder.preemption_bound = None;
    builder.checkpoint_file = None;
    builder.location = false;
    builder.log = false;
    builder
}

#[cfg(test)]
mod tests {
    use super::*;

    fn executions(program: Program) -> u64 {
        explore(program, |_| ()).unwrap()
    }

    /// loom's numbers, not the number of traces (2, 6, 6 and 1): a newer loom may have a better reduction.
    #[test]
    fn explores_as_many_executions_as_is_known() {
        assert_eq!(executions(Program::MutexCounter(2, 1)), 9);
        assert_eq!(executions(Program::MutexCounter(2, 2)), 30);
        assert_eq!(executions(Program::MutexCounter(3, 1)), 414);
        assert_eq!(executions(Program::Independent(2, 1)), 3);
    }

    #[test]
    fn the_watcher_hears_of_every_execution() {
        let heard = rt::Arc::new(AtomicU64::new(0));
        let ear = heard.clone();
        let executions = explore(Program::MutexCounter(2, 1), move |number| {
            assert_eq!(ear.fetch_add(1, Relaxed) + 1, number);
        });
        assert_eq!(heard.load(Relaxed), executions.unwrap());
    }
}
