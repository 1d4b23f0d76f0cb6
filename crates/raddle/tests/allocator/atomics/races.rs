//! Orderings decide what synchronises, also where they do not change the values.

use super::*;
use raddle::cell::UnsafeCell;

/// A cell that the test promises to synchronise, or not.
#[derive(Default)]
struct Shared {
    cell: UnsafeCell<u32>,
    flag: AtomicBool,
    pointer: AtomicPtr<u32>,
}
// SAFETY: accesses go through `with` and `with_mut`, and the execution stops before two of them race.
unsafe impl Sync for Shared {}
// SAFETY: as above.
unsafe impl Send for Shared {}

impl Shared {
    #[track_caller]
    fn write(&self) {
        // SAFETY: see above.
        self.cell.with_mut(|p| unsafe { *p += 1 });
    }
    /// The first task writes the cell and then sets a flag; the second accesses it if it reads the flag.
    fn races(say: fn(&Shared), is_told: fn(&Shared) -> bool) -> bool {
        let report = Checker::dfs().run(move || {
            let shared = Arc::new(Shared::default());
            let own = shared.clone();
            let task = thread::spawn(move || {
                own.write();
                say(&own);
            });
            if is_told(&shared) {
                shared.write();
            }
            task.join().unwrap();
        });
        match report.failure() {
            None => false,
            Some(failure) => {
                assert_eq!(failure.kind(), FailureKind::DataRace, "{}", failure.message());
                true
            }
        }
    }
}

#[test]
fn flags() {
    let races = Shared::races;
    assert!(!races(|s| s.flag.store(true, Release), |s| s.flag.load(Acquire)));
    assert!(races(|s| s.flag.store(true, Relaxed), |s| s.flag.load(Acquire)));
    assert!(races(|s| s.flag.store(true, Release), |s| s.flag.load(Relaxed)));
    assert!(!races(|s| _ = s.flag.fetch_not(Release), |s| s.flag.swap(false, Acquire)));
    assert!(races(|s| _ = s.flag.fetch_not(Acquire), |s| s.flag.swap(false, Release)));
    assert!(!races(
        |s| s.flag.store(true, Release),
        |s| s.flag.compare_exchange(true, false, Acquire, Relaxed).is_ok()
    ));
    assert!(races(
        |s| s.flag.store(true, Release),
        |s| s.flag.compare_exchange(true, false, Relaxed, Acquire).is_ok()
    ));
    assert!(!races(
        |s| s.flag.store(true, Release),
        |s| s.flag.compare_exchange(false, true, Relaxed, Acquire).is_err()
    ));
    assert!(!races(
        |s| _ = s.flag.fetch_update(Release, Relaxed, |_| Some(true)),
        |s| s.flag.try_update(Relaxed, Acquire, |told| told.then_some(false)).is_ok()
    ));
}

#[test]
fn pointers() {
    let races = Shared::races;
    assert!(!races(
        |s| s.pointer.store(std::ptr::dangling_mut(), Release),
        |s| !s.pointer.load(Acquire).is_null()
    ));
    assert!(races(|s| _ = s.pointer.fetch_or(1, Relaxed), |s| !s.pointer.load(Acquire).is_null()));
}

#[test]
fn fences() {
    let races = Shared::races;
    fn say(s: &Shared) {
        fence(Release);
        s.flag.store(true, Relaxed);
    }
    fn is_told(s: &Shared) -> bool {
        let told = s.flag.load(Relaxed);
        fence(Acquire);
        told
    }
    assert!(!races(say, is_told));
    assert!(!races(say, |s| s.flag.load(Acquire)));
    assert!(!races(|s| s.flag.store(true, Release), is_told));
    assert!(races(|s| s.flag.store(true, Relaxed), is_told));
    assert!(races(say, |s| s.flag.load(Relaxed)));
    // A compiler fence concerns the compiler alone.
    assert!(races(
        |s| {
            compiler_fence(SeqCst);
            s.flag.store(true, Relaxed);
        },
        is_told
    ));
}
