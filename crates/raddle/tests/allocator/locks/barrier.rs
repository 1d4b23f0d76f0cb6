use super::{executions, failure, notes, outcomes, passes};
use raddle::sync::{Arc, Barrier, Mutex};
use raddle::{Checker, FailureKind, thread};

#[test]
fn either_of_two_can_be_the_last() {
    let program = || {
        let barrier = Arc::new(Barrier::new(2));
        let its = barrier.clone();
        let task = thread::spawn(move || its.wait().is_leader());
        (barrier.wait().is_leader(), task.join().unwrap())
    };
    assert_eq!(outcomes(program), [(false, true), (true, false)].into());
    // They arrive in one order or the other; then only the first has operations left.
    assert_eq!(executions(program), 2);
}

#[test]
fn nobody_passes_before_all_have_arrived() {
    let results = outcomes(|| {
        let barrier = Arc::new((Barrier::new(3), Mutex::new(0)));
        let tasks = [0, 1].map(|_| {
            let barrier = barrier.clone();
            thread::spawn(move || {
                *barrier.1.lock().unwrap() += 1;
                barrier.0.wait();
            })
        });
        barrier.0.wait();
        let arrived = *barrier.1.lock().unwrap();
        super::join(tasks);
        arrived
    });
    assert_eq!(results, [2].into());
}

#[test]
fn one_is_enough_for_a_barrier_of_one_or_none() {
    let results = outcomes(|| {
        let leads = |n| Barrier::new(n).wait().is_leader();
        (leads(0), leads(1))
    });
    assert_eq!(results, [(true, true)].into());
}

#[test]
fn a_barrier_can_be_used_again() {
    let results = outcomes(|| {
        let barrier = Arc::new(Barrier::new(2));
        let its = barrier.clone();
        let task = thread::spawn(move || (0..2).filter(|_| its.wait().is_leader()).count());
        let mine = (0..2).filter(|_| barrier.wait().is_leader()).count();
        (mine, task.join().unwrap())
    });
    assert_eq!(results, [(0, 2), (1, 1), (2, 0)].into());
}

#[test]
fn two_of_three_wait_for_ever() {
    let failed = failure(|| {
        let barrier = Arc::new(Barrier::new(3));
        let its = barrier.clone();
        let task = thread::spawn(move || its.wait().is_leader());
        barrier.wait();
        task.join().unwrap();
    });
    assert_eq!(failed.kind(), FailureKind::Deadlock);
    assert_eq!(notes(&failed), ["main waits to pass Barrier#1", "main.1 waits to pass Barrier#1"]);
}

#[test]
fn outside_it_is_the_real_one() {
    let barrier = Arc::new(Barrier::new(3));
    let tasks = [0, 1].map(|_| {
        let barrier = barrier.clone();
        std::thread::spawn(move || barrier.wait().is_leader())
    });
    let mine = barrier.wait();
    let leaders =
        tasks.map(|t| t.join().unwrap()).into_iter().chain([mine.is_leader()]).filter(|l| *l).count();
    assert_eq!(leaders, 1);
    assert_eq!(format!("{barrier:?}"), "Barrier { .. }");
    assert_eq!(format!("{:?}", Barrier::new(1).wait()), "BarrierWaitResult { is_leader: true }");
    let failed = failure(|| barrier.wait().is_leader());
    assert_eq!(failed.kind(), FailureKind::Misuse);
}

#[test]
fn the_last_of_many() {
    let report = passes(Checker::dfs().preemptions(0).workers(2), || {
        let barrier = Arc::new(Barrier::new(4));
        let tasks: Vec<_> = (0..3)
            .map(|_| {
                let barrier = barrier.clone();
                thread::spawn(move || barrier.wait().is_leader())
            })
            .collect();
        let mine = barrier.wait().is_leader();
        mine as usize + tasks.into_iter().map(|t| t.join().unwrap() as usize).sum::<usize>()
    });
    assert_eq!(report.outcomes().keys().copied().collect::<Vec<_>>(), [1]);
}
