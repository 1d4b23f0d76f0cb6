//! How a memory model is chosen, what is said of it, and where it is refused.

use super::{MODELS, buffers, model};
use raddle::fact::Assumption;
use raddle::sync::atomic::{AtomicU64, fence};
use raddle::{CheckError, Checker, Memory, Sampler, Simplify, Spins};
use raddle_core::memory::Model;
use std::sync::atomic::Ordering::*;

#[test]
fn the_coverage_names_the_model() {
    for memory in MODELS {
        let report = Checker::dfs().memory(memory).run(|| buffers(SeqCst, SeqCst));
        let assumed = &report.coverage().assumptions;
        let named = match memory {
            Memory::Sc => Assumption::SequentiallyConsistent,
            memory => Assumption::Memory(model(memory)),
        };
        assert!(assumed.contains(&named), "{report}");
        assert_eq!(assumed.contains(&Assumption::SequentiallyConsistent), memory == Memory::Sc);
        assert_eq!(report.outcomes().len(), 3);
    }
    let report = Checker::dfs().memory(Memory::Rc11).run(|| buffers(Release, Acquire));
    assert_eq!(report.outcomes().len(), 4);
    assert!(report.covered().contains("memory model rc11, without load buffering"), "{}", report.covered());
}

/// Only if sequential consistency was asked for: it is the default.
#[test]
fn weaker_orderings_that_were_taken_for_seqcst_are_named() {
    let first = line!() + 2;
    let program = || {
        AtomicU64::new(0).fetch_add(1, Relaxed);
        AtomicU64::new(0).fetch_add(1, SeqCst);
        fence(AcqRel);
        AtomicU64::new(0).compare_exchange(0, 1, AcqRel, Acquire).unwrap();
    };
    let named = |checker: Checker| {
        let report = checker.run(program);
        let lines = report.coverage().assumptions.iter().filter_map(|assumption| match assumption {
            Assumption::TakenForSeqCst(place) => Some(place.line),
            _ => None,
        });
        lines.collect::<Vec<_>>()
    };
    let expected = [first, first + 2, first + 3];
    for checker in [Checker::dfs(), Checker::exhaustive(), Checker::random(20), Checker::iterative()] {
        assert_eq!(named(checker.clone()), [0; 0]);
        assert_eq!(named(checker.memory(Memory::Sc)), expected);
    }
}

/// Eight of them, the first ones in the source; how many others there are is said.
#[test]
fn a_line_names_a_bounded_number_of_places() {
    #[rustfmt::skip]
    let program = || {
        let atomic = AtomicU64::new(0);
        for _ in 0..2 {
            atomic.load(Relaxed); atomic.load(Relaxed); atomic.load(Relaxed); atomic.load(Relaxed);
            atomic.load(Relaxed); atomic.load(Relaxed); atomic.load(Relaxed); atomic.load(Relaxed);
            atomic.load(Relaxed); atomic.load(Relaxed);
        }
    };
    let report = Checker::exhaustive().memory(Memory::Sc).run(program);
    let assumed = &report.coverage().assumptions;
    let named = assumed.iter().filter(|assumption| matches!(assumption, Assumption::TakenForSeqCst(_)));
    assert_eq!(named.count(), 8);
    assert!(assumed.contains(&Assumption::TakenForSeqCstElsewhere { places: 2 }), "{report}");
}

#[test]
fn each_sampler_draws_old_stores_and_no_impossible_ones() {
    for sampler in Sampler::ALL {
        let draw = |store, load| {
            let checker = Checker::random(300).seed(3).sampler(sampler).memory(Memory::Rc11);
            checker.run(move || buffers(store, load)).outcomes().len()
        };
        assert_eq!((draw(Relaxed, Relaxed), draw(SeqCst, SeqCst)), (4, 3), "{sampler}");
    }
}

#[test]
fn a_ticket_is_replayed_under_its_model() {
    let program = || assert_ne!(buffers(Release, Acquire), (0, 0));
    for (checker, simplify) in [
        (Checker::dfs(), Simplify::Yes),
        (Checker::random(1_000), Simplify::Yes),
        (Checker::random(1_000), Simplify::No),
    ] {
        let report = checker.memory(Memory::Rc11).simplify(simplify).run(program);
        let ticket = report.failure().expect("store buffering").ticket().clone();
        assert_eq!(ticket.settings["memory"], "rc11");
        let again = Checker::replay(ticket.to_string()).run(program);
        let failure = again.failure().expect("the same");
        assert_eq!(failure.defect, report.failure().unwrap().defect);
        assert!(again.coverage().assumptions.contains(&Assumption::Memory(Model::Rc11)), "{again}");
        let refused = Checker::replay(ticket.to_string()).memory(Memory::Sc).try_run(program);
        assert!(matches!(refused, Err(CheckError::Setting(_))));
    }
    assert!(Checker::dfs().run(program).failure().is_none());
}

#[test]
fn reports_name_old_stores() {
    let report = Checker::dfs().memory(Memory::Rc11).run(|| assert_ne!(buffers(Relaxed, Relaxed), (0, 0)));
    assert!(report.to_string().contains("→ 0 (stale)"), "{report}");
}

#[test]
fn searches_that_do_not_know_the_model_are_refused() {
    let refused = |checker: Checker| match checker.memory(Memory::Rc11).try_run(|| ()) {
        Err(CheckError::Memory(why)) => why,
        other => panic!("{:?}", other.map(|report| report.to_string())),
    };
    let awaits = refused(Checker::dfs().spins(Spins::Await));
    assert!(awaits.starts_with("Spins::Await does not know the memory model rc11"), "{awaits}");
    let bounding = refused(Checker::preemption_bounding());
    assert!(
        bounding.starts_with("preemption-bounding does not know the memory model rc11 yet; use "),
        "{bounding}"
    );
    let observers = refused(Checker::exhaustive().observers());
    assert!(observers.starts_with("observers do not know the memory model rc11 yet"), "{observers}");
}

#[test]
fn every_search_finds_all_outcomes() {
    for memory in MODELS {
        let second = std::time::Duration::from_secs(20);
        let all = Checker::dfs().memory(memory).run(|| buffers(Release, Acquire));
        for checker in [
            Checker::exhaustive(),
            Checker::exhaustive().workers(2),
            Checker::iterative(),
            Checker::staged(second),
            Checker::exhaustive().preemptions(3),
        ] {
            let kind = format!("{memory} {checker:?}");
            let report = checker.memory(memory).run(|| buffers(Release, Acquire));
            assert!(report.outcomes().keys().eq(all.outcomes().keys()), "{kind}");
        }
        // The first failure has the fewest preemptions: old stores are none.
        if memory != Memory::Sc {
            let report =
                Checker::iterative().memory(memory).run(|| assert_ne!(buffers(Release, Acquire), (0, 0)));
            assert!(report.to_string().contains("0 preemptions"), "{report}");
        }
    }
}
