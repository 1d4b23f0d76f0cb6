//! Spawning, joining, and `is_finished`: what others can see of the end of a thread.

use super::*;

#[test]
fn a_thread_with_nothing_to_do_leaves_nothing_to_choose() {
    // The exit of the thread and the join are automatic, then main exits.
    let report = Checker::dfs().run(|| thread::spawn(|| 7).join().unwrap());
    assert_eq!(outcomes(&report), [(7, 1)]);
    assert_eq!(report.steps(), 3);
}

#[test]
fn two_threads_with_an_operation_each() {
    // main.1: a1; main.2: a2. Exits and joins are automatic, and main's exit comes last: only a1 and a2 can
    // be swapped. Steps: 2 operations, 2 exits, 2 joins and the exit of main, in each.
    let report = Checker::dfs().run(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let handles = [1, 2].map(|n| {
            let x = x.clone();
            thread::spawn(move || x.fetch_add(n, SeqCst))
        });
        handles.map(|h| h.join().unwrap())
    });
    assert_eq!(outcomes(&report), [([0, 1], 1), ([2, 0], 1)]);
    assert_eq!(report.steps(), 14);
}

#[test]
fn joining_a_thread_twice_over_through_another() {
    // main.1 has no operation; main.2 joins it. This is one chain, e1 j e2 J END, and only END is a choice.
    let report = Checker::dfs().run(|| {
        let first = thread::spawn(|| 1);
        let second = thread::spawn(move || first.join().unwrap() + 1);
        second.join().unwrap()
    });
    assert_eq!(outcomes(&report), [(2, 1)]);
    assert_eq!(report.steps(), 5);
}

#[test]
fn the_end_is_a_step_but_no_choice() {
    // main.1: e. main: l j END. e is automatic before l, and no task could observe it later.
    let report = Checker::dfs().run(|| {
        let x = AtomicUsize::new(0);
        let handle = thread::spawn(|| {});
        x.load(SeqCst);
        handle.join().unwrap();
    });
    passes(&report);
    assert_eq!((report.executions(), report.steps()), (1, 4));
    // Only is_finished could, and there it is a choice.
    let report = Checker::dfs().run(|| {
        let x = AtomicUsize::new(0);
        let handle = thread::spawn(|| {});
        x.load(SeqCst);
        let finished = handle.is_finished();
        handle.join().unwrap();
        finished
    });
    assert_eq!(outcomes(&report), [(false, 1), (true, 1)]);
}

#[test]
fn is_finished_is_a_race() {
    // main: f j END; main.1: e, automatic. f has two answers.
    let report = Checker::dfs().run(|| {
        let handle = thread::spawn(|| {});
        let finished = handle.is_finished();
        handle.join().unwrap();
        finished
    });
    assert_eq!(outcomes(&report), [(false, 1), (true, 1)]);
}

#[test]
fn a_thread_is_not_finished_when_its_last_operation_is() {
    // main.1: s, and e automatic. main: l, and if it saw the flag, i; then j. l before s: 1 way (l s e j).
    // Otherwise s comes first, and i has two answers.
    let report = Checker::dfs().run(|| {
        let flag = Arc::new(AtomicUsize::new(0));
        let handle = thread::spawn({
            let flag = flag.clone();
            move || flag.store(1, SeqCst)
        });
        let seen = (flag.load(SeqCst) == 1).then(|| handle.is_finished());
        handle.join().unwrap();
        seen
    });
    assert_eq!(outcomes(&report), [(None, 1), (Some(false), 1), (Some(true), 1)]);
}

#[test]
fn a_thread_is_not_finished_before_it_has_returned_and_stays_finished() {
    // main.1: s. main: i i'. i i' s: no, no. i s i': no, then two answers. s i i': no and then two answers,
    // or yes and then no choice.
    let report = Checker::dfs().run(|| {
        let flag = Arc::new(AtomicUsize::new(0));
        let handle = thread::spawn(move || flag.store(1, SeqCst));
        let seen = [handle.is_finished(), handle.is_finished()];
        handle.join().unwrap();
        seen
    });
    let expected = [([false, false], 3), ([false, true], 2), ([true, true], 1)];
    assert_eq!(outcomes(&report), expected);
}

/// Polls `handle` twice and returns the round in which it was finished; 2 for neither.
fn polled(handle: &JoinHandle<()>) -> usize {
    for round in 0..2 {
        if handle.is_finished() {
            return round;
        }
        thread::yield_now();
    }
    2
}

#[test]
fn a_loop_that_polls_is_finished_is_explored_whoever_polls() {
    // Regression: a segmentation fault, since the counterfactual state held fewer tasks than there were.
    let by_main = || {
        let flag = Arc::new(AtomicUsize::new(0));
        let handle = thread::spawn(move || flag.store(1, SeqCst));
        let seen = polled(&handle);
        handle.join().unwrap();
        seen
    };
    let by_a_sibling = || {
        let (x, y) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let z = y.clone();
        let other = thread::spawn(move || x.store(1, SeqCst));
        let poller = thread::spawn(move || {
            let seen = polled(&other);
            z.store(1, SeqCst);
            other.join().unwrap();
            seen
        });
        y.load(SeqCst);
        poller.join().unwrap()
    };
    let by_an_elder = || {
        let (send, receive) = mpsc::channel::<JoinHandle<()>>();
        let poller = thread::spawn(move || {
            let handle = receive.recv().unwrap();
            let seen = polled(&handle);
            handle.join().unwrap();
            seen
        });
        let x = Arc::new(AtomicUsize::new(0));
        send.send(thread::spawn(move || x.store(1, SeqCst))).unwrap();
        poller.join().unwrap()
    };
    let programs: [&(dyn Fn() -> usize + Sync); 3] = [&by_main, &by_a_sibling, &by_an_elder];
    for program in programs {
        for checker in [Checker::exhaustive(), Checker::dfs()] {
            let report = checker.run(program);
            let seen: Vec<usize> = outcomes(&report).into_iter().map(|(seen, _)| seen).collect();
            assert_eq!(seen, [0, 1, 2]);
        }
    }
}

#[test]
fn a_thousand_threads() {
    let report = Checker::dfs().max_executions(1).run(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let handles: Vec<_> = (0..1_000)
            .map(|_| {
                let x = x.clone();
                thread::spawn(move || x.fetch_add(1, SeqCst))
            })
            .collect();
        for handle in handles {
            handle.join().unwrap();
        }
        x.load(SeqCst)
    });
    assert_eq!(outcomes(&report), [(1_000, 1)]);
}
