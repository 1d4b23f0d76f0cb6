//! Memory stays flat in long searches: uninteresting results, and executions that fail as others did, are
//! dropped at once.

use raddle::Checker;
use raddle::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// The resident memory of this process, in bytes.
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    pages.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

/// The memory in use at the start of some executions.
#[derive(Default)]
struct Gauge {
    executions: AtomicUsize,
    early: AtomicUsize,
    late: AtomicUsize,
}

impl Gauge {
    fn look(&self, late: usize) {
        match self.executions.fetch_add(1, SeqCst) {
            500 => self.early.store(resident(), SeqCst),
            n if n == late => self.late.store(resident(), SeqCst),
            _ => {}
        }
    }
    /// The growth from early to late.
    fn growth(&self) -> usize {
        let (early, late) = (self.early.load(SeqCst), self.late.load(SeqCst));
        assert!(early > 0 && late > 0, "too few executions: {}", self.executions.load(SeqCst));
        late.saturating_sub(early)
    }
}

/// 8,000 different results of 2,000 bytes each.
fn many_results(gauge: &Gauge) -> String {
    gauge.look(7_900);
    let numbers = [raddle::choose(20), raddle::choose(20), raddle::choose(20)];
    format!("{:0>2000}", format!("{numbers:?}"))
}

/// Sequential: there is one process.
#[test]
fn memory_stays_flat() {
    let few = 2_000_000;
    let gauge = Gauge::default();
    let kept = Checker::dfs().run(|| many_results(&gauge));
    assert_eq!(kept.outcomes().len(), 8_000);
    assert!(gauge.growth() > 7_000 * 2_000, "results that are kept need room: {}", gauge.growth());
    drop(kept);

    for checker in [Checker::dfs(), Checker::exhaustive(), Checker::exhaustive().preemptions(1)] {
        let gauge = Gauge::default();
        let report =
            checker.run_keeping(|result: &String| result.ends_with("[3, 3, 3]"), || many_results(&gauge));
        assert_eq!((report.executions(), report.outcomes().len()), (8_000, 2));
        assert!(gauge.growth() < few, "{}", gauge.growth());
    }

    // The reduction, with its own state.
    let gauge = Gauge::default();
    let report = Checker::exhaustive().run_keeping(
        |_| false,
        || {
            gauge.look(1_600);
            let count = raddle::sync::Arc::new(Mutex::new(Vec::new()));
            let tasks: Vec<_> = (0..3)
                .map(|task| {
                    let count = count.clone();
                    raddle::thread::spawn(move || (0..3).for_each(|_| count.lock().unwrap().push(task)))
                })
                .collect();
            tasks.into_iter().for_each(|task| task.join().unwrap());
            count.lock().unwrap().clone()
        },
    );
    assert_eq!((report.executions(), report.outcomes()[&None]), (1_680, 1_680));
    assert!(gauge.growth() < few, "{}", gauge.growth());

    // Failures: the first of each kind is kept with its record.
    let gauge = Gauge::default();
    let report = Checker::dfs().keep_going(true).run(|| {
        gauge.look(1_500);
        let numbers = [raddle::choose(40), raddle::choose(40)];
        assert_eq!(numbers, [40, 40]);
    });
    assert_eq!(report.failures(), 1_600);
    assert!(gauge.growth() < few, "{}", gauge.growth());
}
