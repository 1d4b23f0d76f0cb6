//! Compare-exchange and its derived methods: which one succeeds, what a failure is, and spurious failures.

use super::*;

/// Exactly one of two compare-exchanges succeeds, for any width and sign; the other one reads the new value.
/// A success is a write in the trace and a failure is none.
macro_rules! one_succeeds {
    ($($name:ident $atomic:ident $from:expr, $one:expr, $two:expr;)*) => {$(
        #[test]
        fn $name() {
            for weak in [false, true] {
                let report = passed(Checker::dfs().run(move || {
                    let x = Arc::new($atomic::new($from));
                    let tasks = [$one, $two].map(|new| {
                        let x = x.clone();
                        thread::spawn(move || match weak {
                            false => x.compare_exchange($from, new, AcqRel, Acquire),
                            true => x.compare_exchange_weak($from, new, AcqRel, Acquire),
                        })
                    });
                    let results = tasks.map(|t| t.join().unwrap());
                    (results, x.load(SeqCst))
                }));
                let expected = BTreeSet::from([
                    ([Ok($from), Err($one)], $one),
                    ([Err($two), Ok($from)], $two),
                ]);
                assert_eq!(set(&report), expected);
                // Either of the two is first; exits and joins are automatic.
                assert_eq!(report.executions(), 2);
            }
            let failure = failure(|| {
                let x = $atomic::new($from);
                x.store($from, SeqCst);
                _ = x.compare_exchange($one, $two, SeqCst, SeqCst);
                x.load(SeqCst);
                _ = x.compare_exchange($from, $one, SeqCst, SeqCst);
                x.load(SeqCst);
                _ = x.compare_exchange_weak($one, $two, SeqCst, SeqCst);
                x.load(SeqCst);
                panic!("show me");
            });
            // store, fails, load, succeeds, load, succeeds, load: each reads from the last write.
            let reads: Vec<_> = failure.trace().lines.iter().take(7).map(|l| l.reads_from).collect();
            assert_eq!(reads, [None, Some(0), Some(0), Some(0), Some(3), Some(3), Some(5)]);
        }
    )*};
}

one_succeeds! {
    u8s AtomicU8 200, 255, 0;
    u16s AtomicU16 50_000, u16::MAX, 0;
    u32s AtomicU32 4_000_000_000, u32::MAX, 0;
    u64s AtomicU64 u64::MAX, u64::MAX - 1, 0;
    usizes AtomicUsize usize::MAX, 1, 0;
    i8s AtomicI8 -1, i8::MIN, -2;
    i16s AtomicI16 -1, i16::MIN, -2;
    i32s AtomicI32 -1, i32::MIN, -2;
    i64s AtomicI64 -1, i64::MIN, -2;
    isizes AtomicIsize -1, isize::MIN, -2;
}

#[test]
fn booleans() {
    let report = explore(|| {
        let x = Arc::new(AtomicBool::new(false));
        let tasks = [(); 2].map(|()| {
            let x = x.clone();
            thread::spawn(move || x.compare_exchange(false, true, SeqCst, Relaxed))
        });
        tasks.map(|t| t.join().unwrap())
    });
    assert_eq!(set(&report), BTreeSet::from([[Ok(false), Err(true)], [Err(true), Ok(false)]]));
}

/// Two tasks push onto a list whose head is an `AtomicPtr`.
#[test]
fn pointers() {
    struct Node(u32, *mut Node);
    fn push(head: &AtomicPtr<Node>, value: u32) {
        let node = Box::into_raw(Box::new(Node(value, std::ptr::null_mut())));
        let mut seen = head.load(Acquire);
        loop {
            // SAFETY: no other task has the node before it is pushed.
            unsafe { (*node).1 = seen };
            match head.compare_exchange_weak(seen, node, Release, Relaxed) {
                Ok(_) => return,
                Err(found) => seen = found,
            }
        }
    }
    let report = explore(|| {
        let (_, _, head) = two(AtomicPtr::<Node>::default(), |h| push(h, 1), |h| push(h, 2));
        let mut values = Vec::new();
        let mut next = head.swap(std::ptr::null_mut(), Acquire);
        while !next.is_null() {
            // SAFETY: pushed once, and taken only here.
            let node = unsafe { Box::from_raw(next) };
            values.push(node.0);
            next = node.1;
        }
        values
    });
    assert_eq!(set(&report), BTreeSet::from([vec![1, 2], vec![2, 1]]));
}

/// The trace numbers pointers and shows the value that a failure found.
#[test]
fn what_the_trace_says() {
    let failure = failure(|| {
        let (mut one, mut two) = (1, 2);
        let x = AtomicPtr::new(&raw mut one);
        let _ = x.compare_exchange(&raw mut two, &raw mut two, SeqCst, SeqCst);
        x.store(&raw mut two, SeqCst);
        x.swap(std::ptr::null_mut(), SeqCst);
        let b = AtomicBool::new(false);
        b.fetch_not(SeqCst);
        let i = AtomicI16::new(-5);
        i.fetch_sub(1, SeqCst);
        let _ = i.compare_exchange(0, 1, SeqCst, SeqCst);
        panic!("show me");
    });
    let lines: Vec<_> = (failure.trace().lines.iter().filter(|l| l.object.is_some()))
        .map(|l| format!("{} {} {}", l.operation, l.object.as_deref().unwrap(), l.result))
        .collect();
    let expected = [
        "compare_exchange AtomicPtr#1 fails: finds ptr1",
        "store AtomicPtr#1 ptr2",
        "swap AtomicPtr#1 ptr2 → null",
        "fetch_not AtomicBool#1 false → true",
        "fetch_sub AtomicI16#1 -5 → -6",
        "compare_exchange AtomicI16#1 fails: finds -6",
    ];
    assert_eq!(lines, expected);
}

/// `fetch_update` is a load and compare-exchanges, so another task may run in between, and the closure is
/// called again.
#[test]
fn fetch_update_tries_again() {
    fn add(x: &AtomicU8) -> u32 {
        let mut asked = 0;
        let result = x.fetch_update(AcqRel, Acquire, |old| {
            asked += 1;
            Some(old + 1)
        });
        assert!(result.is_ok());
        asked
    }
    let report = explore(|| {
        let (one, two, x) = two(AtomicU8::new(0), add, add);
        (one, two, x.load(SeqCst))
    });
    assert_eq!(set(&report), BTreeSet::from([(1, 1, 2), (1, 2, 2), (2, 1, 2)]));
    let report = explore(|| {
        let (one, _, x) = two(
            AtomicU8::new(0),
            |x| x.try_update(SeqCst, SeqCst, |old| (old == 0).then_some(7)),
            |x| x.update(SeqCst, SeqCst, |old| old + 1),
        );
        (one, x.load(SeqCst))
    });
    assert_eq!(set(&report), BTreeSet::from([(Ok(0), 8), (Err(1), 1)]));
}

/// Alone, a weak compare-exchange fails spuriously only if that is allowed.
#[test]
fn weak_ones_may_fail_for_no_reason() {
    let program = || {
        let x = AtomicI32::new(-1);
        let tries = (1..).find(|_| x.compare_exchange_weak(-1, 5, SeqCst, SeqCst).is_ok());
        assert_eq!(x.load(SeqCst), 5);
        tries
    };
    for allowed in 0..4 {
        let report = passed(Checker::dfs().spurious(allowed).run(program));
        assert_eq!(set(&report), (1..=allowed + 1).map(|n| Some(n as i32)).collect());
        assert_eq!(report.executions(), allowed as u64 + 1);
    }
}

/// A strong one never does, and neither does one that fails anyway.
#[test]
fn strong_ones_do_not() {
    let report = passed(Checker::dfs().spurious(3).run(|| {
        let x = AtomicU64::new(1);
        let failed =
            [x.compare_exchange_weak(2, 3, SeqCst, SeqCst), x.compare_exchange(2, 3, SeqCst, SeqCst)];
        assert_eq!(failed, [Err(1); 2]);
        x.compare_exchange(1, 2, SeqCst, SeqCst)
    }));
    assert_eq!(*report.outcomes(), BTreeMap::from([(Ok(1), 1)]));
}

/// One spurious failure is allowed for all tasks together.
#[test]
fn what_is_allowed_is_shared() {
    let report = passed(Checker::dfs().spurious(1).run(|| {
        let (one, two, _) = two(
            (AtomicU8::new(0), AtomicU8::new(0)),
            |(x, _)| x.compare_exchange_weak(0, 1, SeqCst, SeqCst).is_ok(),
            |(_, y)| y.compare_exchange_weak(0, 1, SeqCst, SeqCst).is_ok(),
        );
        (one, two)
    }));
    assert_eq!(set(&report), BTreeSet::from([(true, true), (false, true), (true, false)]));
}

/// A spurious failure writes nothing.
#[test]
fn a_failure_for_no_reason_is_no_write() {
    let report = Checker::dfs().spurious(1).run(|| {
        let x = AtomicU8::new(0);
        x.store(1, SeqCst);
        let failed = x.compare_exchange_weak(1, 2, SeqCst, SeqCst).is_err();
        x.load(SeqCst);
        assert!(!failed);
    });
    let failure = report.failure().expect("fails");
    let lines = &failure.trace().lines;
    assert_eq!(lines[1].result, "fails for no reason");
    assert_eq!((lines[2].operation.as_str(), lines[2].reads_from), ("load", Some(0)));
}
