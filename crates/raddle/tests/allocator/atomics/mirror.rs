//! Every stable method of std's atomics exists and behaves the same, outside executions and inside.

use super::*;
use std::panic::{RefUnwindSafe, UnwindSafe};

const ALL: [Ordering; 5] = [Relaxed, Release, Acquire, AcqRel, SeqCst];

mod real {
    use super::ALL;
    use std::sync::atomic::Ordering::*;
    use std::sync::atomic::*;
    include!("transcript.rs");
}

mod ours {
    use super::ALL;
    use raddle::sync::atomic::Ordering::*;
    use raddle::sync::atomic::*;
    include!("transcript.rs");
}

#[track_caller]
fn assert_same(expected: Vec<String>, found: &[String]) {
    assert_eq!(expected.len(), found.len());
    for (expected, found) in expected.iter().zip(found) {
        assert_eq!(expected, found);
    }
}

#[test]
fn every_method_does_the_same() {
    assert_same(real::transcript(), &ours::transcript());
    let report = explore(ours::transcript);
    assert_eq!(report.executions(), 1);
    assert_same(real::transcript(), report.outcomes().keys().next().unwrap());
}

/// An invalid ordering panics as in std, before an operation is announced or a value is changed.
#[test]
fn every_complaint_is_the_same() {
    // These panics are not silenced: the hook belongs to the process, and other tests check locations.
    let expected = real::complaints();
    assert_same(expected.clone(), &ours::complaints());
    let report = explore(|| {
        // The other task would observe steps.
        let other = thread::spawn(thread::yield_now);
        let said = ours::complaints();
        other.join().unwrap();
        said
    });
    assert_same(expected, report.outcomes().keys().next().unwrap());
    assert_eq!(report.outcomes().len(), 1);
    // The other task's yield comes before, between or after the three loads of main at the end, for `Debug`.
    // Those of `fetch_update`, `try_update` and `update` panic before their operation.
    assert_eq!(report.executions(), 4);
}

#[test]
fn a_complaint_names_the_callers_line() {
    let failure = failure(|| _ = AtomicU8::new(0).load(Release));
    let place = failure.defect.facts[0].place.as_ref().unwrap();
    assert!(place.file.ends_with("mirror.rs"), "{place}");
}

#[test]
fn bounds_are_stds() {
    fn is<T: Send + Sync + UnwindSafe + RefUnwindSafe + Unpin>() {}
    is::<AtomicBool>();
    is::<AtomicU8>();
    is::<AtomicI8>();
    is::<AtomicU16>();
    is::<AtomicI16>();
    is::<AtomicU32>();
    is::<AtomicI32>();
    is::<AtomicU64>();
    is::<AtomicI64>();
    is::<AtomicUsize>();
    is::<AtomicIsize>();
    is::<AtomicPtr<u8>>();
    fn is_shared<T: Send + Sync + RefUnwindSafe>() {}
    is_shared::<AtomicPtr<std::cell::Cell<*const u8>>>();
}
