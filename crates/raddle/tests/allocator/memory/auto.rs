//! The memory model that depends on the program: sequential consistency, and RC11 where an ordering is weaker than `SeqCst`.

use raddle::fact::{Assumption, Obstacle, StopReason};
use raddle::sync::atomic::{AtomicU64, Ordering::*};
use raddle::sync::{Condvar, Mutex};
use raddle::{Checker, Extent, FailureKind, Memory, Report, Spins, hint, thread};
use raddle_core::memory::Model;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Store buffering, with `SeqCst` or with what is weaker.
fn buffers(order: Ordering) -> (u64, u64) {
    let (store, load) = if order == SeqCst { (SeqCst, SeqCst) } else { (Release, Acquire) };
    super::buffers(store, load)
}

fn models<T: Ord + Debug>(report: &Report<T>) -> Vec<Option<Model>> {
    report.coverages().map(|coverage| coverage.memory_model()).collect()
}

/// Why it was explored under sequential consistency only.
fn obstacle<T: Ord + Debug>(report: &Report<T>) -> Option<Obstacle> {
    let found = report.coverage().assumptions.iter().find_map(|assumption| match assumption {
        Assumption::SequentiallyConsistentSince(why) => Some(why.clone()),
        _ => None,
    });
    assert_eq!(report.coverages().count(), 1, "{report}");
    found
}

#[test]
fn rc11_is_explored_where_an_ordering_is_weaker() {
    for checker in [Checker::exhaustive(), Checker::exhaustive().workers(2), Checker::iterative()] {
        let weak = checker.clone().run(|| buffers(AcqRel));
        assert_eq!((weak.outcomes().len(), models(&weak)), (4, vec![Some(Model::Rc11)]), "{weak}");
        assert!(weak.coverage().is_exhaustive(), "{weak}");
        // What was explored before is included.
        assert_eq!(weak.executions(), 4);
        let strong = checker.clone().run(|| buffers(SeqCst));
        assert_eq!((strong.outcomes().len(), models(&strong)), (3, vec![Some(Model::Sc)]), "{strong}");
        assert_eq!(obstacle(&strong), None);
        let asked = checker.memory(Memory::Sc).run(|| buffers(AcqRel));
        assert_eq!((asked.outcomes().len(), models(&asked)), (3, vec![Some(Model::Sc)]), "{asked}");
    }
}

#[test]
fn depth_first_search_stays_with_sequential_consistency_unless_asked() {
    let report = Checker::dfs().run(|| buffers(AcqRel));
    assert_eq!((report.outcomes().len(), models(&report)), (3, vec![Some(Model::Sc)]));
    let report = Checker::dfs().memory(Memory::Auto).run(|| buffers(AcqRel));
    assert_eq!((report.outcomes().len(), models(&report)), (4, vec![Some(Model::Rc11)]));
}

/// Each combination of who accesses an atomic how.
#[test]
fn an_ordering_matters_if_several_tasks_access_the_atomic() {
    let model = |program: fn()| models(&Checker::exhaustive().run(program)).pop().flatten();
    let alone = || {
        let own = AtomicU64::new(0);
        own.store(1, Relaxed);
        thread::spawn(|| AtomicU64::new(0).fetch_add(1, Relaxed)).join().unwrap();
        assert_eq!(own.load(Acquire), 1);
    };
    assert_eq!(model(alone), Some(Model::Sc));
    let first = || {
        let shared = Arc::new(AtomicU64::new(0));
        let theirs = shared.clone();
        let other = thread::spawn(move || theirs.load(SeqCst));
        shared.store(1, Relaxed);
        other.join().unwrap();
    };
    assert_eq!(model(first), Some(Model::Rc11));
    let last = || {
        let shared = Arc::new(AtomicU64::new(0));
        shared.store(1, SeqCst);
        let theirs = shared.clone();
        thread::spawn(move || theirs.store(2, SeqCst)).join().unwrap();
        assert_eq!(shared.load(Relaxed), 2);
    };
    assert_eq!(model(last), Some(Model::Rc11));
    let failing = || {
        let shared = Arc::new(AtomicU64::new(0));
        let theirs = shared.clone();
        let other = thread::spawn(move || theirs.compare_exchange(7, 8, SeqCst, Relaxed));
        shared.store(1, SeqCst);
        other.join().unwrap().unwrap_err();
    };
    assert_eq!(model(failing), Some(Model::Rc11));
    let locks = || {
        let shared = Arc::new(Mutex::new(0));
        let theirs = shared.clone();
        let other = thread::spawn(move || *theirs.lock().unwrap() += 1);
        *shared.lock().unwrap() += 1;
        other.join().unwrap();
    };
    assert_eq!(model(locks), Some(Model::Sc));
}

#[test]
fn a_failure_that_needs_weak_memory_is_found_after_sequential_consistency() {
    let report = Checker::exhaustive().run(|| assert_ne!(buffers(AcqRel), (0, 0)));
    assert_eq!(report.failure().expect("store buffering").ticket().settings["memory"], "rc11");
    assert_eq!(models(&report), [Some(Model::Sc), Some(Model::Rc11)]);
    let extents: Vec<_> = report.coverages().map(|coverage| &coverage.extent).collect();
    assert_eq!(extents, [&Extent::Exhaustive, &Extent::Partial(StopReason::FirstFailure)]);
    let words = "exhaustive under sequential consistency, then not exhaustive: stopped at the first failure under rc11";
    assert!(report.covered().starts_with(words), "{}", report.covered());
    let again = Checker::replay(report.failure().unwrap().ticket().to_string());
    assert!(again.run(|| assert_ne!(buffers(AcqRel), (0, 0))).failure().is_some());
}

#[test]
fn a_failure_that_needs_none_is_found_without_it() {
    for checker in [Checker::exhaustive(), Checker::iterative(), Checker::random(100)] {
        let report = checker.run(|| assert_ne!(buffers(AcqRel), (1, 1)));
        let ticket = report.failure().expect("one after the other").ticket().clone();
        assert!(!ticket.settings.contains_key("memory"), "{report}");
        assert_eq!(models(&report), [Some(Model::Sc)]);
    }
}

#[test]
fn all_failures_are_counted_and_shown_as_simply_as_they_are() {
    let program = || match buffers(AcqRel) {
        (0, 0) => panic!("both old"),
        (1, 1) => panic!("both new"),
        _ => {}
    };
    let report = Checker::exhaustive().keep_going().run(program);
    let groups = report.into_checked().failures;
    let group = |message: &str| {
        let group = groups.iter().find(|group| group.first.message().contains(message));
        let group = group.expect(message);
        (group.count, group.first.ticket.settings.get("memory").map(String::as_str))
    };
    assert_eq!((group("both old"), group("both new")), ((1, Some("rc11")), (1, None)));
}

#[test]
fn random_schedules_are_drawn_under_both_models() {
    let report = Checker::random(401).seed(3).run(|| buffers(AcqRel));
    let drawn = |schedules| Extent::Sampled { schedules, seed: 3 };
    let extents: Vec<_> = report.coverages().map(|coverage| coverage.extent.clone()).collect();
    assert_eq!(
        (extents, models(&report)),
        (vec![drawn(201), drawn(200)], vec![Some(Model::Sc), Some(Model::Rc11)])
    );
    assert_eq!((report.executions(), report.outcomes().len()), (401, 4));
    let report = Checker::random(400).run(|| buffers(SeqCst));
    assert_eq!((report.executions(), models(&report)), (400, vec![Some(Model::Sc)]));
    let report = Checker::random(1).run(|| buffers(AcqRel));
    assert_eq!((report.executions(), obstacle(&report)), (1, Some(Obstacle::NothingLeft)));
}

#[test]
fn searches_in_stages_explore_both() {
    let report = Checker::staged(Duration::from_secs(60)).run(|| buffers(AcqRel));
    assert_eq!((report.outcomes().len(), models(&report)), (4, vec![Some(Model::Rc11)]), "{report}");
    assert!(report.coverage().is_exhaustive(), "{report}");
    let report = Checker::staged(Duration::from_secs(60)).run(|| assert_ne!(buffers(AcqRel), (0, 0)));
    assert_eq!(report.failure().unwrap().ticket().settings["memory"], "rc11");
}

#[test]
fn a_budget_is_divided() {
    let report = Checker::exhaustive().max_executions(5).run(|| buffers(AcqRel));
    assert_eq!(models(&report), [Some(Model::Sc), Some(Model::Rc11)]);
    let extents: Vec<_> = report.coverages().map(|coverage| &coverage.extent).collect();
    let cut = Extent::Partial(StopReason::Executions { executions: 2 });
    assert_eq!(extents, [&Extent::Exhaustive, &cut]);
    let report = Checker::exhaustive().max_executions(1).run(|| buffers(AcqRel));
    assert_eq!(obstacle(&report), Some(Obstacle::NothingLeft), "{report}");
}

/// A loop that counts its rounds: the long one has another number of rounds.
#[test]
fn what_rc11_does_not_include_is_counted_beside_it() {
    let program = || {
        let flag = Arc::new(AtomicU64::new(0));
        let theirs = flag.clone();
        let other = thread::spawn(move || theirs.store(1, Relaxed));
        let mut rounds = 0;
        while flag.load(Relaxed) == 0 {
            hint::spin_loop();
            rounds += 1;
        }
        other.join().unwrap();
        rounds
    };
    let under = |memory| Checker::exhaustive().memory(memory).run(program);
    let outcomes = |report: &Report<u64>| report.outcomes().keys().copied().collect::<BTreeSet<u64>>();
    let (sequential, weak, both) = (under(Memory::Sc), under(Memory::Rc11), under(Memory::Auto));
    assert_ne!(outcomes(&sequential), outcomes(&weak));
    assert_eq!(outcomes(&both), &outcomes(&sequential) | &outcomes(&weak));
    assert_eq!(models(&both), [Some(Model::Sc), Some(Model::Rc11)]);
    assert_eq!(both.executions(), sequential.executions() + weak.executions());
    let words = "exhaustive under sequential consistency, then exhaustive under rc11 · ";
    assert!(both.covered().starts_with(words), "{}", both.covered());
}

#[test]
fn where_rc11_cannot_be_explored_the_line_says_why() {
    let program = || buffers(AcqRel);
    let exhaustive = Checker::exhaustive;
    for (checker, why) in [
        (exhaustive().spins(Spins::Await), Obstacle::SpinsAwait),
        (exhaustive().observers(), Obstacle::Observers),
        (exhaustive().spurious(1), Obstacle::SpuriousWakeUps),
        (exhaustive().preemptions(2), Obstacle::Bounds),
        (Checker::iterative().preemptions(2), Obstacle::Bounds),
        (Checker::preemption_bounding().memory(Memory::Auto), Obstacle::Strategy),
    ] {
        let report = checker.run(program);
        assert_eq!((report.outcomes().len(), obstacle(&report)), (3, Some(why)), "{report}");
    }
    // A sampler may draw spurious failures beside old stores.
    assert_eq!(Checker::random(400).spurious(1).run(program).outcomes().len(), 4);
}

#[test]
fn beside_timers_the_verdict_is_that_of_sequential_consistency() {
    let program = || {
        let pair = (Mutex::new(()), Condvar::new());
        let guard = pair.0.lock().unwrap();
        drop(pair.1.wait_timeout(guard, Duration::from_millis(1)));
        buffers(AcqRel)
    };
    let report = Checker::exhaustive().run(program);
    assert!(report.coverage().is_exhaustive(), "{report}");
    assert_eq!(obstacle(&report), Some(Obstacle::NotReduced { executions: 1 }), "{report}");
}

/// An atomic that is accessed with two sizes by tasks that nothing orders is not supported under RC11.
#[test]
fn what_rc11_does_not_support_fails_no_check() {
    let program = || {
        let bytes = Arc::new(AtomicU64::new(0));
        let theirs = bytes.clone();
        let other = thread::spawn(move || {
            // SAFETY: it is aligned, and the memory is that of an atomic which lives as long.
            let half = unsafe { raddle::sync::atomic::AtomicU32::from_ptr(theirs.as_ptr().cast()) };
            half.load(Relaxed)
        });
        bytes.store(1, Relaxed);
        other.join().unwrap();
    };
    let asked = Checker::exhaustive().memory(Memory::Rc11).run(program);
    let kind = asked.failure().expect("it is not supported").kind();
    assert!(kind.is_limit_of_exploring(), "{asked}");
    let report = Checker::exhaustive().run(program);
    assert!(report.failure().is_none() && report.coverage().is_exhaustive(), "{report}");
    assert_eq!(obstacle(&report), Some(Obstacle::EndedIn(kind)), "{report}");
    assert_ne!(kind, FailureKind::Panic);
}

/// Three times store buffering: how often both tasks read the old value.
fn buffers_three_times() -> usize {
    let shared: Arc<[(AtomicU64, AtomicU64); 3]> = Arc::default();
    let theirs = shared.clone();
    let other = thread::spawn(move || {
        theirs.each_ref().map(|(one, other)| {
            one.store(1, Relaxed);
            other.load(Relaxed)
        })
    });
    let read = shared.each_ref().map(|(one, other)| {
        other.store(1, Relaxed);
        one.load(Relaxed)
    });
    other.join().unwrap().into_iter().zip(read).filter(|both| *both == (0, 0)).count()
}

#[test]
fn stale_reads_are_bounded() {
    for most in 0..=3 {
        let within = |checker: Checker| {
            let report = checker.stale_reads(most).run(buffers_three_times);
            assert!(report.outcomes().keys().copied().eq(0..=most as usize), "{most}: {report}");
            assert!(report.covered().contains(&format!("stale reads: at most {most}")), "{report}");
            report
        };
        let all = within(Checker::dfs().memory(Memory::Rc11));
        assert!(all.coverage().is_exhaustive());
        let reduced = within(Checker::exhaustive().memory(Memory::Rc11));
        assert!(reduced.coverage().is_exhaustive());
        within(Checker::random(3_000).memory(Memory::Rc11));
        let auto = Checker::exhaustive().stale_reads(most).run(buffers_three_times);
        assert!(auto.outcomes().keys().copied().eq(0..=most as usize), "{most}: {auto}");
    }
}

/// However often it is stopped: what is saved is the search under one of both models.
#[test]
fn a_search_is_resumed_under_its_model() {
    let program = || {
        let shared: Arc<[AtomicU64; 4]> = Arc::default();
        let tasks = [0, 1, 2, 3].map(|own| {
            let shared = shared.clone();
            thread::spawn(move || {
                shared[own].store(1, Relaxed);
                (1..4).map(|n| shared[(own + n) % 4].load(Relaxed)).collect::<Vec<_>>()
            })
        });
        tasks.map(|task| task.join().unwrap())
    };
    let whole = Checker::exhaustive().memory(Memory::Rc11).run(program);
    let checker = || Checker::exhaustive().time_limit(Duration::from_millis(100));
    let mut report = checker().run(program);
    while let Some(file) = report.search_file().map(|file| file.display().to_string()) {
        report = checker().resume(file).run(program);
    }
    assert_eq!(
        (report.executions(), models(&report)),
        (whole.executions(), vec![Some(Model::Rc11)]),
        "{report}"
    );
    assert!(report.coverage().is_exhaustive(), "{report}");
}

/// Two tasks count up, and the one that drops the last reference looks at the count.
struct Looks(AtomicU64, AtomicU64);

impl Drop for Looks {
    fn drop(&mut self) {
        assert_eq!(self.0.load(Relaxed), 2, "one is missing");
    }
}

/// The counts of std's `Arc` order the destructor behind what the other task did, and are not seen: what the destructor reads
/// under RC11 may be older than it can be. It is no failure.
#[test]
fn what_destructors_behind_stds_arc_read_is_no_failure() {
    let program = || {
        let looks = Arc::new(Looks(AtomicU64::new(0), AtomicU64::new(0)));
        let tasks = [looks.clone(), looks].map(|looks| {
            thread::spawn(move || {
                looks.0.fetch_add(1, Relaxed);
                // Which task comes to its end last.
                looks.1.fetch_add(1, Relaxed);
            })
        });
        tasks.into_iter().for_each(|task| task.join().unwrap());
    };
    let named = Checker::exhaustive().memory(Memory::Rc11).run(program);
    assert_eq!(named.failure().map(|failure| failure.kind()), Some(FailureKind::Panic), "{named}");
    for checker in [Checker::exhaustive(), Checker::random(400), Checker::exhaustive().keep_going()] {
        let report = checker.run(program);
        assert!(report.failure().is_none() && report.ticket_file().is_none(), "{report}");
        assert_eq!(obstacle(&report), Some(Obstacle::HiddenSynchronisation), "{report}");
    }
}

/// A count of the program's own is seen, with its orderings.
#[test]
fn destructors_behind_counts_of_the_program_are_judged() {
    struct Shared(*const (Looks, AtomicU64));
    unsafe impl Send for Shared {}
    impl Shared {
        fn release(self, last: Ordering) {
            let (_, count) = unsafe { &*self.0 };
            if count.fetch_sub(1, last) == 1 {
                drop(unsafe { Box::from_raw(self.0.cast_mut()) });
            }
        }
    }
    let program = |last| {
        move || {
            let both =
                Box::into_raw(Box::new((Looks(AtomicU64::new(0), AtomicU64::new(0)), AtomicU64::new(2))))
                    .cast_const();
            let tasks = [Shared(both), Shared(both)].map(|shared| {
                thread::spawn(move || {
                    unsafe { &(*shared.0).0 }.0.fetch_add(1, Relaxed);
                    shared.release(last);
                })
            });
            tasks.into_iter().for_each(|task| task.join().unwrap());
        }
    };
    let right = Checker::exhaustive().run(program(AcqRel));
    assert!(right.failure().is_none(), "{right}");
    assert_eq!(models(&right), [Some(Model::Rc11)], "{right}");
    let broken = Checker::exhaustive().run(program(Relaxed));
    assert_eq!(broken.failure().unwrap().ticket().settings["memory"], "rc11", "{broken}");
}
