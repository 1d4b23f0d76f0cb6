//! Reference counts as operations, as an `Arc` of the facades uses them: the last drop and the observed
//! counts matter; no other order does. Depth-first search over all interleavings is the oracle.

use raddle::sync::counts::{What, turn};
use raddle::{Checker, thread};
use std::collections::BTreeSet;
use std::sync::{Arc as Real, Mutex, Weak as RealWeak};

/// The observations of the tasks, and the task that destroyed the value.
type Seen = Vec<String>;

/// Records which task destroyed it.
struct Value(Real<Mutex<Seen>>);

/// A real `Arc` whose counts are operations.
struct Counted(Option<Real<Value>>, usize);

fn key(value: &Real<Value>) -> usize {
    Real::as_ptr(value) as usize - 16
}

impl Counted {
    fn turn(&self, what: What) {
        let real = self.0.as_ref().expect("taken only by its destructor");
        turn(what, key(real), || Real::strong_count(real));
    }
    fn get(&self) -> &Real<Value> {
        self.0.as_ref().expect("taken only by its destructor")
    }
    fn share(&self, with: usize) -> Counted {
        self.turn(What::Clone);
        Counted(Some(self.get().clone()), with)
    }
    fn count(&self) -> usize {
        self.turn(What::Count);
        Real::strong_count(self.get())
    }
    fn is_alone(&mut self) -> bool {
        self.turn(What::GetMut);
        Real::get_mut(self.0.as_mut().expect("taken only by its destructor")).is_some()
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.turn(What::Drop);
        let real = self.0.take().expect("dropped once");
        let seen = real.0.clone();
        if Real::into_inner(real).is_some() {
            seen.lock().unwrap().push(format!("{} destroys", self.1));
        }
    }
}

struct Observer(RealWeak<Value>, usize, usize);

impl Observer {
    fn upgrade(&self) -> Option<Counted> {
        turn(What::Upgrade, self.1, || self.0.strong_count());
        self.0.upgrade().map(|real| Counted(Some(real), self.2))
    }
}

/// An operation of a task on its reference.
#[derive(Clone, Copy, Debug)]
enum Does {
    ShareAndDrop,
    Count,
    IsAlone,
    Upgrade,
}

/// Tasks with a reference each, which they drop when they exit.
fn run(tasks: &[Vec<Does>]) -> Seen {
    let seen = Real::new(Mutex::new(Vec::new()));
    let first = Counted(Some(Real::new(Value(seen.clone()))), 0);
    let handles: Vec<_> = tasks
        .iter()
        .cloned()
        .enumerate()
        .map(|(n, does)| {
            let mut mine = first.share(n + 1);
            let (weak, key, seen) = (Real::downgrade(mine.get()), key(mine.get()), seen.clone());
            thread::spawn(move || {
                let observer = Observer(weak, key, n + 1);
                let say = |words: String| seen.lock().unwrap().push(format!("{} {words}", n + 1));
                for what in does {
                    match what {
                        Does::ShareAndDrop => drop(mine.share(n + 1)),
                        Does::Count => say(format!("counts {}", mine.count())),
                        Does::IsAlone => say(format!("is alone: {}", mine.is_alone())),
                        Does::Upgrade => say(format!("upgrades: {}", observer.upgrade().is_some())),
                    }
                }
                drop(mine);
                if n == 0 {
                    say(format!("upgrades at the end: {}", observer.upgrade().is_some()));
                }
            })
        })
        .collect();
    drop(first);
    handles.into_iter().for_each(|handle| handle.join().unwrap());
    let mut seen = std::mem::take(&mut *seen.lock().unwrap());
    // The order of the records is not compared.
    seen.sort();
    seen
}

fn outcomes(checker: Checker, tasks: &[Vec<Does>]) -> (BTreeSet<Seen>, u64) {
    let report = checker.run(|| run(tasks));
    assert!(report.failure().is_none(), "{report}");
    assert!(raddle_report::coverage(report.coverage()).starts_with("exhaustive"), "{:?}", report.coverage());
    (report.outcomes().keys().cloned().collect(), report.executions())
}

/// Every task drops, and records whether it was the last.
fn let_go(n: usize) -> Seen {
    let seen = Real::new(Mutex::new(Vec::new()));
    let first = Counted(Some(Real::new(Value(seen.clone()))), 0);
    let drop_it = |n: usize| {
        let mine = first.share(n);
        thread::spawn(move || drop(mine))
    };
    let handles: Vec<_> = (1..=n).map(drop_it).collect();
    drop(first);
    handles.into_iter().for_each(|handle| handle.join().unwrap());
    let seen = seen.lock().unwrap();
    seen.clone()
}

#[test]
fn decrements_commute_except_the_last() {
    for n in 1..4 {
        let reduced = Checker::exhaustive().run(|| let_go(n));
        let every = Checker::dfs().run(|| let_go(n));
        // The last drop destroys it, and the order of the others does not matter.
        assert_eq!(reduced.outcomes().len(), n + 1);
        assert!(reduced.outcomes().keys().eq(every.outcomes().keys()));
        assert!(n == 1 || reduced.executions() < every.executions(), "{n}: {}", reduced.executions());
    }
}

#[test]
fn nothing_is_lost_in_random_programs() {
    let mut state = 11u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let all = [Does::ShareAndDrop, Does::Count, Does::IsAlone, Does::Upgrade];
    let mut fewer = 0;
    for _ in 0..60 {
        let tasks: Vec<Vec<Does>> =
            (0..2).map(|_| (0..random(3)).map(|_| all[random(4)]).collect()).collect();
        let (reduced, executions) = outcomes(Checker::exhaustive(), &tasks);
        let (every, interleavings) = outcomes(Checker::dfs(), &tasks);
        assert_eq!(reduced, every, "{tasks:?}");
        fewer += u32::from(executions < interleavings);
    }
    assert!(fewer > 50, "only {fewer} programs were reduced");
}
