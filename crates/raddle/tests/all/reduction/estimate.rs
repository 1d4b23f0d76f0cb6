//! The remaining work is estimated during a search: programs of known size show how well.

use super::programs;
use raddle_core::search::{Estimate, NoListener, Plan, search};
use raddle_core::strategy::{Estimating, OptimalDpor, Strategy, Wrapped, Wrapper};
use raddle_core::trace::Trace;
use raddle_core::verdict::Verdict;
use raddle_native::{NativeWorld, Settings};
use std::sync::{Arc, Mutex};

/// The explored fraction after each execution.
type Explored = Arc<Mutex<Vec<f64>>>;

/// Queries the estimate after each execution.
struct Asks {
    inside: OptimalDpor,
    explored: f64,
    seen: Explored,
}

impl Wrapper for Asks {
    fn inside(&self) -> &dyn Strategy {
        &self.inside
    }
    fn inside_mut(&mut self) -> &mut dyn Strategy {
        &mut self.inside
    }
    fn around(&self, _: Box<dyn Strategy>) -> Asks {
        unreachable!("there is one worker")
    }
    fn finish(&mut self, trace: &Trace, verdict: Verdict) {
        self.inside.finish(trace, verdict);
        self.explored += self.inside.explored();
        self.seen.lock().unwrap().push(self.explored);
    }
}

/// Explores `program`, which has `all` traces. From a tenth of the search on, returns for how many percent of
/// its executions the range holds the truth; and the maximal error of the estimate after a half.
fn estimates(all: u64, program: impl Fn() + Sync) -> (u64, f64) {
    let seen = Explored::default();
    let strategy = Wrapped(Asks { inside: OptimalDpor::new(), explored: 0.0, seen: seen.clone() });
    let world = || NativeWorld::new(&program, Settings::default());
    let found = search(&Plan::default(), Box::new(strategy), world, Arc::new(NoListener));
    assert_eq!(found.executions, all);
    let seen = seen.lock().unwrap();
    assert!((seen.last().unwrap() - 1.0).abs() < 1e-6);
    let (mut asked, mut right, mut wrong) = (0, 0, 1.0f64);
    for (executions, explored) in (1..).zip(seen.iter()).skip(all as usize / 10) {
        let Estimate { total, range, .. } = Estimate::of(executions, *explored).expect("there were some");
        asked += 1;
        right += u64::from(range.0 <= all && all <= range.1);
        if executions >= all / 2 {
            let ratio = total as f64 / all as f64;
            wrong = wrong.max(ratio).max(1.0 / ratio);
        }
    }
    (100 * right / asked, wrong)
}

#[test]
fn the_range_holds_the_truth_most_of_the_time() {
    let check = |name: &str, (right, wrong): (u64, f64)| {
        println!("{name}: right in {right} of 100, wrong by {wrong:.2} at most after a half");
        assert!(right >= 90 && wrong <= 2.5, "{name}: {right}, {wrong}");
    };
    check("three tasks, three increments", estimates(1_680, || programs::mutex_counter(3, 3)));
    check("three tasks, four increments", estimates(34_650, || programs::mutex_counter(3, 4)));
    check("the last zero", estimates(15_360, || programs::lastzero(12)));
    check("an index", estimates(4_096, || programs::indexer(15, 128, 4)));
    check("additions", estimates(2_520, || programs::faa(4, 2)));
    check("a writer and readers", estimates(4_096, || programs::writer_and_readers(12)));
    check("a read-write lock", estimates(1_350, || programs::rwlock(2, 2, 2)));
}
