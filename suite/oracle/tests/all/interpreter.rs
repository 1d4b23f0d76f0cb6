//! The oracle's own answers on programs whose outcomes are known from the literature or follow from std's documentation.

use oracle::machine::outcomes;
use oracle::outcomes::{Kind, Logs};
use oracle::program::{Destructor, Program, Stmt, Time, mark};

fn program(tasks: &[&[Stmt]]) -> Program {
    let tasks = tasks.iter().map(|body| body.to_vec()).collect();
    Program { tasks, time: Time::Idle, spurious: 0, destructor: Destructor::Nothing }
}

/// The logs of all outcomes that passed, and the kinds of failures.
fn all(program: &Program) -> (Vec<Logs>, Vec<Kind>) {
    let found = outcomes(program, 100_000).expect("it is small");
    (found.passed.into_iter().collect(), found.failed.into_iter().collect())
}

#[test]
fn store_buffering_is_sequentially_consistent() {
    let both = program(&[&[Stmt::Store(0, 1), Stmt::Load(1)], &[Stmt::Store(1, 1), Stmt::Load(0)]]);
    let (passed, failed) = all(&both);
    // Main's log ends with the join of its child.
    let logs = |main, child| vec![vec![main, mark::OK], vec![child]];
    assert_eq!(passed, [logs(0, 1), logs(1, 0), logs(1, 1)]);
    assert_eq!(failed, []);
}

#[test]
fn a_lost_wake_up_is_a_deadlock_unless_the_condition_is_checked() {
    let notifies = [Stmt::Lock(0, vec![Stmt::Set(1)]), Stmt::NotifyOne(0)];
    let once = program(&[&[Stmt::Lock(0, vec![Stmt::Wait(0)])], &notifies]);
    assert_eq!(all(&once), (vec![vec![vec![mark::OK], vec![]]], vec![Kind::Deadlock]));
    let checked = program(&[&[Stmt::Lock(0, vec![Stmt::WaitWhile(0)])], &notifies]);
    assert_eq!(all(&checked), (vec![vec![vec![mark::OK], vec![]]], vec![]));
}

#[test]
fn a_panic_poisons_what_it_held_and_is_seen_by_a_join() {
    let child = [Stmt::Lock(0, vec![Stmt::Panic])];
    let main = [Stmt::Join(1), Stmt::Lock(0, vec![])];
    assert_eq!(
        all(&program(&[&main, &child])),
        (vec![vec![vec![mark::PANICKED, mark::POISONED], vec![]]], vec![])
    );
    assert_eq!(all(&program(&[&[Stmt::Panic], &[]])), (vec![], vec![Kind::Panic]));
}

#[test]
fn timers_fire_in_order_and_when_the_policy_lets_them() {
    let main = [Stmt::RecvTimeout(0, 2)];
    let child = [Stmt::Sleep(1), Stmt::Send(0, 5)];
    let idle = program(&[&main, &child]);
    let logs = |main| vec![vec![main, mark::OK], vec![]];
    assert_eq!(all(&idle), (vec![logs(5)], vec![]));
    let mut any = idle;
    any.time = Time::Any;
    // The receiver may be gone by then.
    let gone = vec![vec![mark::TIMED_OUT, mark::OK], vec![mark::DISCONNECTED]];
    assert_eq!(all(&any), (vec![logs(5), logs(mark::TIMED_OUT), gone], vec![]));
}

#[test]
fn the_last_reference_that_is_dropped_runs_the_destructor() {
    // The task that drops the last one sees what the destructor did.
    let mut dropped = program(&[&[Stmt::DropArc, Stmt::Load(0)], &[Stmt::DropArc, Stmt::Load(0)]]);
    dropped.destructor = Destructor::Store(0, 3);
    let logs = |main, child| vec![vec![main, mark::OK], vec![child]];
    assert_eq!(all(&dropped), (vec![logs(0, 3), logs(3, 0), logs(3, 3)], vec![]));
    // The destructor needs the mutex that its task holds.
    let mut locked = program(&[&[Stmt::Lock(0, vec![Stmt::DropArc])], &[Stmt::StrongCount]]);
    locked.destructor = Destructor::Lock(0, 3);
    let counted = |count| vec![vec![mark::OK], vec![count]];
    assert_eq!(all(&locked), (vec![counted(1), counted(2)], vec![Kind::Deadlock]));
    // An upgrade keeps the value alive, or comes too late.
    let upgraded = program(&[&[Stmt::IntoInner], &[Stmt::Upgrade]]);
    let logs = |main, child| vec![vec![main, mark::OK], vec![child]];
    let passed = vec![logs(mark::OK, mark::OK), logs(mark::OK, mark::EMPTY), logs(mark::EMPTY, mark::OK)];
    assert_eq!(all(&upgraded), (passed, vec![]));
}

#[test]
fn every_round_of_a_counting_loop_is_an_outcome() {
    let counts = program(&[&[Stmt::Spin(0, 8, oracle::program::Hint::Spin)], &[Stmt::Store(0, 1)]]);
    let rounds: Vec<Logs> = (0..=8).map(|round| vec![vec![round, mark::OK], vec![]]).collect();
    assert_eq!(all(&counts), (rounds, vec![]));
}
