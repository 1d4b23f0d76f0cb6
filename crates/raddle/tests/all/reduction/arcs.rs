//! Reference counts as operations: clones and drops commute, except the drop of the last reference, and which task
//! drops that is explored. Random programs are compared with depth-first search.

use super::oracle::{self, Notes, config};
use proptest::prelude::*;
use raddle::sync::atomic::{AtomicI64, Ordering::SeqCst};
use raddle::sync::counts::{What, turn};
use raddle::{Checker, thread};
use raddle_native::Settings;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A count and a variable that the last reference writes.
struct Counted {
    count: AtomicUsize,
    destroyed: AtomicI64,
}

/// A reference, counted as that of an `Arc` is.
struct Reference(Arc<Counted>);

impl Reference {
    fn turn(&self, what: What) {
        turn(what, Arc::as_ptr(&self.0) as usize, || self.count());
    }
    fn count(&self) -> usize {
        self.0.count.load(Relaxed)
    }
    fn first() -> Reference {
        Reference(Arc::new(Counted { count: AtomicUsize::new(1), destroyed: AtomicI64::new(0) }))
    }
    fn share(&self) -> Reference {
        self.turn(What::Clone);
        self.0.count.fetch_add(1, Relaxed);
        Reference(self.0.clone())
    }
    /// Returns whether it was the last one.
    fn release(self) -> bool {
        self.turn(What::Drop);
        let is_last = self.0.count.fetch_sub(1, Relaxed) == 1;
        if is_last {
            self.0.destroyed.store(1, SeqCst);
        }
        is_last
    }
}

/// The drops of so many tasks, and which of them was the last.
fn drops(tasks: usize) -> Vec<bool> {
    let first = Reference::first();
    let all: Vec<_> = (0..tasks).map(|_| first.share()).collect();
    let tasks: Vec<_> = all.into_iter().map(|reference| thread::spawn(move || reference.release())).collect();
    let own = first.release();
    tasks.into_iter().map(|task| task.join().unwrap()).chain([own]).collect()
}

/// One trace for each task that may be the last.
#[test]
fn a_trace_for_each_last_drop() {
    for tasks in 1..5 {
        let report = Checker::exhaustive().run(move || drops(tasks));
        assert!(report.coverage().is_exhaustive());
        assert_eq!((report.executions(), report.outcomes().len()), (tasks as u64 + 1, tasks + 1));
        assert_eq!(report.abandoned(), 0);
    }
}

#[derive(Clone, Debug)]
enum Act {
    Share,
    Release,
    Count,
    Look,
}

/// What one task does with its reference; at the end it releases the rest.
fn act(acts: &[Act], reference: Reference) -> Notes {
    let counted = reference.0.clone();
    let (mut own, mut notes) = (vec![reference], Notes::new());
    for act in acts {
        match (act, own.last()) {
            (Act::Share, Some(reference)) => own.push(reference.share()),
            (Act::Release, Some(_)) => notes.extend(own.pop().map(|reference| reference.release() as i64)),
            (Act::Count, Some(reference)) => {
                reference.turn(What::Count);
                notes.push(reference.count() as i64);
            }
            (Act::Look, _) => notes.push(counted.destroyed.load(SeqCst)),
            (_, None) => {}
        }
    }
    notes.extend(own.into_iter().map(|reference| reference.release() as i64));
    notes
}

fn body(program: &[Vec<Act>]) -> Notes {
    let first = Reference::first();
    let references: Vec<_> = program.iter().skip(1).map(|_| first.share()).collect();
    let tasks: Vec<_> = program[1..]
        .iter()
        .cloned()
        .zip(references)
        .map(|(acts, reference)| thread::spawn(move || act(&acts, reference)))
        .collect();
    let own = act(&program[0], first);
    tasks.into_iter().flat_map(|task| task.join().unwrap()).chain(own).collect()
}

fn acts() -> impl Strategy<Value = Vec<Vec<Act>>> {
    let act = prop_oneof![
        3 => Just(Act::Share),
        3 => Just(Act::Release),
        1 => Just(Act::Count),
        2 => Just(Act::Look),
    ];
    prop::collection::vec(prop::collection::vec(act, 0..3), 2..5)
}

proptest! {
    #![proptest_config(config(150, 7))]

    #[test]
    fn each_trace_of_references_once(program in acts()) {
        oracle::check(&program, &|| body(&program), Settings::default())?;
    }
}
