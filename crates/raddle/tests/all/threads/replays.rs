//! Several workers find what one finds, and failures replay.

use super::*;

#[test]
fn several_workers_find_the_same() {
    let program = || {
        let x = Arc::new(AtomicUsize::new(0));
        let handles = [1, 2].map(|n| {
            let x = x.clone();
            thread::spawn(move || x.swap(n, SeqCst))
        });
        handles.map(|h| h.join().unwrap())
    };
    let one = Checker::dfs().run(program);
    let two = Checker::dfs().workers(2).run(program);
    assert_eq!(outcomes(&one), outcomes(&two));
}

#[test]
fn failures_replay() {
    let programs: [fn(); 5] = [
        || {
            let handle = thread::spawn(|| {
                thread::park();
                thread::park();
            });
            handle.thread().unpark();
            handle.thread().unpark();
            handle.join().unwrap();
        },
        || {
            let other = thread::spawn(|| thread::sleep(Duration::from_secs(1)));
            thread::sleep(Duration::from_secs(1));
            assert!(!other.is_finished(), "too late");
            other.join().unwrap();
        },
        || {
            let x = AtomicUsize::new(0);
            thread::scope(|s| {
                s.spawn(|| x.store(1, SeqCst));
                s.spawn(|| assert_eq!(x.load(SeqCst), 0, "too late"));
            });
        },
        || {
            let start = raddle::time::Instant::now();
            let waiter = thread::spawn(|| thread::park_timeout(Duration::from_secs(1)));
            waiter.thread().unpark();
            waiter.join().unwrap();
            assert!(start.elapsed().is_zero(), "timed out");
        },
        || {
            let waiter = thread::spawn(move || {
                thread::park();
                panic!("boom");
            });
            waiter.thread().unpark();
            waiter.join().unwrap();
        },
    ];
    for program in programs {
        let checker = || Checker::dfs().time(raddle::Time::Any).spurious(1);
        let found = checker().run(program);
        let failure = found.failure().expect("it fails");
        let again = Checker::replay(failure.ticket().to_string()).run(program);
        let replayed = again.failure().expect("it fails again");
        assert_eq!(
            (replayed.kind(), replayed.message().as_str()),
            (failure.kind(), failure.message().as_str())
        );
        assert_eq!(replayed.trace(), failure.trace());
    }
}
