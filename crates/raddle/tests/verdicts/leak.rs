//! Tracked values must be dropped.

use crate::{fails, notes, passes};
use raddle::FailureKind;
use raddle::alloc::Track;
use raddle::sync::atomic::{AtomicPtr, Ordering::*};
use raddle::sync::{Arc, Mutex, Weak};
use raddle::thread;
use std::ptr::null_mut;

/// A node of a tree whose children refer to their parent.
struct Node<P> {
    parent: Mutex<Option<P>>,
    child: Mutex<Option<Arc<Track<Node<P>>>>>,
}

fn node<P>() -> Arc<Track<Node<P>>> {
    Arc::new(Track::new(Node { parent: Mutex::new(None), child: Mutex::new(None) }))
}

struct Strong(#[allow(dead_code)] Arc<Track<Node<Strong>>>);

#[test]
fn a_cycle_of_arcs() {
    let failure = fails("leak_cycle", FailureKind::Leak, || {
        let (parent, child) = (node(), node());
        *child.parent.lock().unwrap() = Some(Strong(parent.clone()));
        *parent.child.lock().unwrap() = Some(child);
    });
    assert!(failure.message().starts_with("2 tracked values were never dropped"), "{}", failure.message());
    assert_eq!(notes(&failure).len(), 2);
}

#[test]
fn a_weak_reference_makes_no_cycle() {
    struct Feeble(#[allow(dead_code)] Weak<Track<Node<Feeble>>>);
    passes(|| {
        let (parent, child) = (node(), node());
        *child.parent.lock().unwrap() = Some(Feeble(Arc::downgrade(&parent)));
        *parent.child.lock().unwrap() = Some(child);
    });
}

/// Fills an empty slot. A compare-exchange would have detected that another task was faster.
fn fill(slot: &AtomicPtr<Track<u8>>, value: u8) {
    if slot.load(Acquire).is_null() {
        slot.store(Box::into_raw(Box::new(Track::new(value))), Release);
    }
}

#[test]
fn an_allocation_that_a_race_loses() {
    let failure = fails("leak_lost_allocation", FailureKind::Leak, || {
        let slot = Arc::new(AtomicPtr::new(null_mut()));
        let its = slot.clone();
        let other = thread::spawn(move || fill(&its, 1));
        fill(&slot, 2);
        other.join().unwrap();
        // SAFETY: made by `into_raw`, and no other task has it any more.
        drop(unsafe { Box::from_raw(slot.load(Acquire)) });
    });
    assert_eq!(failure.message(), "a tracked u8 was never dropped");
    assert_eq!(notes(&failure), ["this u8 was made here"]);
}
