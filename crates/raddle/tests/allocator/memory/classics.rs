//! Classics of shared memory, broken and fixed, under RC11: the broken ones fail only there, the fixed ones never.

use super::MODELS;
use raddle::cell::UnsafeCell;
use raddle::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, fence};
use raddle::{Checker, FailureKind, Memory, hint, thread};
use std::sync::Arc;
use std::sync::atomic::Ordering::{self, *};

/// Explores a program under a model. Returns how it fails, and how many executions there are.
fn explored(memory: Memory, program: impl Fn() + Send + Sync) -> (Option<FailureKind>, u64) {
    let report = Checker::exhaustive().memory(memory).spin_rounds(1).keep_going().run(program);
    assert!(report.coverage().is_exhaustive(), "{report}");
    (report.failure().map(|failure| failure.kind()), report.executions())
}

/// It fails under these models, and under no other one.
fn fails_under(models: &[Memory], program: impl Fn() + Send + Sync) {
    for memory in MODELS {
        let (failure, executions) = explored(memory, &program);
        let expected = models.contains(&memory).then_some(FailureKind::Panic);
        assert_eq!(failure, expected, "{memory}, {executions} executions");
    }
}

const WEAK: [Memory; 3] = [Memory::Tso, Memory::Pso, Memory::Rc11];

/// Two tasks enter a section with `enter` and leave it with `leave`. There a count is read and written.
fn exclude<S: Default + Send + Sync + 'static>(
    enter: impl Fn(&S, usize) + Send + Sync + Clone + 'static,
    leave: impl Fn(&S, usize) + Send + Sync + Clone + 'static,
) -> impl Fn() + Send + Sync {
    move || {
        let shared = Arc::new((S::default(), AtomicU64::new(0)));
        let threads = [0, 1].map(|own| {
            let (shared, enter, leave) = (shared.clone(), enter.clone(), leave.clone());
            thread::spawn(move || {
                enter(&shared.0, own);
                shared.1.store(shared.1.load(Relaxed) + 1, Relaxed);
                leave(&shared.0, own);
            })
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(shared.1.load(Relaxed), 2);
    }
}

#[derive(Default)]
struct Flags {
    wants: [AtomicBool; 2],
    turn: AtomicUsize,
}

fn peterson(store: Ordering, load: Ordering) -> impl Fn() + Send + Sync {
    exclude(
        move |flags: &Flags, own| {
            flags.wants[own].store(true, store);
            flags.turn.store(1 - own, store);
            while flags.wants[1 - own].load(load) && flags.turn.load(load) == 1 - own {
                hint::spin_loop();
            }
        },
        move |flags, own| flags.wants[own].store(false, store),
    )
}

#[test]
fn petersons_lock() {
    fails_under(&WEAK, peterson(Release, Acquire));
    fails_under(&[], peterson(SeqCst, SeqCst));
}

/// Each says that it wants to enter, and enters if the other one does not.
fn dekker(between: fn()) -> impl Fn() + Send + Sync {
    move || {
        let flags = Arc::new((Flags::default(), AtomicU64::new(0)));
        let threads = [0, 1].map(|own| {
            let flags = flags.clone();
            thread::spawn(move || {
                flags.0.wants[own].store(true, Relaxed);
                between();
                if !flags.0.wants[1 - own].load(Relaxed) {
                    assert_eq!(flags.1.fetch_add(1, Relaxed), 0);
                }
            })
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    }
}

#[test]
fn dekkers_idea() {
    fails_under(&WEAK, dekker(|| ()));
    fails_under(&WEAK, dekker(|| fence(AcqRel)));
    fails_under(&[], dekker(|| fence(SeqCst)));
}

fn message(store: Ordering, load: Ordering) -> impl Fn() + Send + Sync {
    move || {
        let shared = Arc::new((AtomicU64::new(0), AtomicBool::new(false)));
        let theirs = shared.clone();
        let sender = thread::spawn(move || {
            theirs.0.store(42, Relaxed);
            theirs.1.store(true, store);
        });
        while !shared.1.load(load) {
            hint::spin_loop();
        }
        assert_eq!(shared.0.load(Relaxed), 42);
        sender.join().unwrap();
    }
}

#[test]
fn a_message_with_a_flag() {
    fails_under(&[Memory::Pso, Memory::Rc11], message(Relaxed, Acquire));
    fails_under(&[Memory::Rc11], message(Release, Relaxed));
    fails_under(&[], message(Release, Acquire));
}

/// A writer makes the number odd, writes both halves, and makes it even again. A reader that sees the same even number before
/// and after must not see halves of two writes.
fn seqlock(begins: fn(&AtomicU64), looks_again: fn(&AtomicU64) -> u64) -> impl Fn() + Send + Sync {
    move || {
        let shared = Arc::new((AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0)));
        let theirs = shared.clone();
        let writer = thread::spawn(move || {
            begins(&theirs.0);
            theirs.1.store(1, Relaxed);
            theirs.2.store(1, Relaxed);
            theirs.0.store(2, Release);
        });
        let first = shared.0.load(Acquire);
        if first.is_multiple_of(2) {
            let halves = (shared.1.load(Relaxed), shared.2.load(Relaxed));
            if looks_again(&shared.0) == first {
                assert_eq!(halves.0, halves.1);
            }
        }
        writer.join().unwrap();
    }
}

#[test]
fn a_seqlock() {
    let begins = |sequence: &AtomicU64| {
        sequence.store(1, Relaxed);
        fence(Release);
    };
    let looks_again = |sequence: &AtomicU64| {
        fence(Acquire);
        sequence.load(Relaxed)
    };
    fails_under(&[], seqlock(begins, looks_again));
    fails_under(&[Memory::Rc11], seqlock(begins, |sequence| sequence.load(Acquire)));
    fails_under(&[Memory::Pso, Memory::Rc11], seqlock(|sequence| sequence.store(1, Release), looks_again));
}

#[test]
fn spin_locks() {
    let lock = |acquire: Ordering, release: Ordering| {
        exclude(
            move |lock: &AtomicBool, _| {
                while lock.swap(true, acquire) {
                    hint::spin_loop();
                }
            },
            move |lock, _| lock.store(false, release),
        )
    };
    fails_under(&[], lock(Acquire, Release));
    fails_under(&[Memory::Pso, Memory::Rc11], lock(Acquire, Relaxed));
    fails_under(&[Memory::Rc11], lock(Relaxed, Release));
    let tickets = |load: Ordering, store: Ordering| {
        exclude(
            move |lock: &(AtomicU64, AtomicU64), _| {
                let mine = lock.0.fetch_add(1, Relaxed);
                while lock.1.load(load) != mine {
                    hint::spin_loop();
                }
            },
            move |lock, _| lock.1.store(lock.1.load(Relaxed) + 1, store),
        )
    };
    fails_under(&[], tickets(Acquire, Release));
    fails_under(&[Memory::Rc11], tickets(Relaxed, Release));
    fails_under(&[Memory::Pso, Memory::Rc11], tickets(Acquire, Relaxed));
}

struct Counted {
    references: AtomicUsize,
    value: UnsafeCell<u64>,
}
// SAFETY: what this test is about.
unsafe impl Sync for Counted {}

/// What the last reference does with the value comes after what others did with it.
fn counted(drop: Ordering, last: fn()) -> (Option<FailureKind>, u64) {
    explored(Memory::Rc11, move || {
        let shared = Arc::new(Counted { references: AtomicUsize::new(2), value: UnsafeCell::new(1) });
        let release = move |shared: &Counted| {
            // SAFETY: it has a reference.
            shared.value.with(|value| unsafe { *value });
            if shared.references.fetch_sub(1, drop) == 1 {
                last();
                // SAFETY: it had the last reference.
                shared.value.with_mut(|value| unsafe { *value = 0 });
            }
        };
        let theirs = shared.clone();
        let other = thread::spawn(move || release(&theirs));
        release(&shared);
        other.join().unwrap();
    })
}

#[test]
fn reference_counts() {
    assert_eq!(counted(Release, || fence(Acquire)).0, None);
    assert_eq!(counted(AcqRel, || ()).0, None);
    assert_eq!(counted(Release, || ()).0, Some(FailureKind::DataRace));
    assert_eq!(counted(Relaxed, || fence(Acquire)).0, Some(FailureKind::DataRace));
}

#[derive(Default)]
struct Node {
    value: AtomicU64,
    next: AtomicPtr<Node>,
}

/// Treiber's stack. Its nodes are there from the start.
fn treiber(push: Ordering, pop: Ordering) -> impl Fn() + Send + Sync {
    move || {
        let shared = Arc::new((AtomicPtr::<Node>::default(), [Node::default(), Node::default()]));
        let theirs = shared.clone();
        let pusher = thread::spawn(move || {
            let (head, nodes) = &*theirs;
            for node in nodes {
                node.value.store(1, Relaxed);
                let mut old = head.load(Relaxed);
                loop {
                    node.next.store(old, Relaxed);
                    match head.compare_exchange(old, std::ptr::from_ref(node).cast_mut(), push, Relaxed) {
                        Ok(_) => break,
                        Err(newer) => old = newer,
                    }
                }
            }
        });
        let head = &shared.0;
        let mut top = head.load(pop);
        // SAFETY: the nodes are there to the end.
        while let Some(node) = unsafe { top.as_ref() } {
            match head.compare_exchange(top, node.next.load(Relaxed), pop, pop) {
                Ok(_) => {
                    assert_ne!(node.value.load(Relaxed), 0, "a node that was not initialised");
                    top = head.load(pop);
                }
                Err(newer) => top = newer,
            }
        }
        pusher.join().unwrap();
    }
}

#[test]
fn treibers_stack() {
    fails_under(&[], treiber(Release, Acquire));
    fails_under(&[Memory::Rc11], treiber(Release, Relaxed));
    fails_under(&[Memory::Rc11], treiber(Relaxed, Acquire));
}
