//! Channels without bound: how many traces they have, and random programs that use their ends and give them up.

use crate::oracle::{self, Notes, config};
use crate::programs::mpsc_pc;
use proptest::prelude::*;
use raddle::sync::atomic::{AtomicI64, Ordering::SeqCst};
use raddle::sync::mpsc::{Receiver, Sender, channel};
use raddle::{Checker, thread};
use raddle_core::clock::Time;
use raddle_native::Settings;
use std::sync::Arc;
use std::time::Duration;

/// The order of the messages is all there is to choose: a receive depends on the send of what it receives alone.
#[test]
fn a_trace_for_each_order_of_the_messages() {
    let count = |producers, messages| {
        let report = Checker::exhaustive().run(move || mpsc_pc(producers, messages));
        assert!(report.coverage().is_exhaustive());
        report.executions()
    };
    assert_eq!(
        [count(1, 1), count(1, 5), count(2, 1), count(2, 2), count(2, 3), count(3, 1)],
        [1, 1, 2, 6, 20, 6]
    );
}

/// What a task does with its sender.
#[derive(Clone, Debug)]
enum Does {
    Send(i64),
    Clone,
    Drop,
    Load,
    Store,
}

/// What the task does that has the receiver.
#[derive(Clone, Debug)]
enum Takes {
    Recv,
    TryRecv,
    Timeout,
    /// All there is, until there are no senders.
    All,
    Drop,
    Load,
    Store,
}

#[derive(Clone, Debug)]
struct Program {
    senders: Vec<Vec<Does>>,
    receiver: Vec<Takes>,
    /// Main keeps the first sender until the others are joined.
    keeps: bool,
}

fn send(program: &[Does], sender: Sender<i64>, shared: &AtomicI64) -> Notes {
    let (mut senders, mut notes) = (vec![sender], Notes::new());
    for op in program {
        match (op, senders.last()) {
            (Does::Send(value), Some(sender)) => notes.push(sender.send(*value).is_ok() as i64),
            (Does::Clone, Some(sender)) => senders.push(sender.clone()),
            (Does::Drop, _) => drop(senders.pop()),
            (Does::Load, _) => notes.push(shared.load(SeqCst)),
            (Does::Store, _) => shared.store(1, SeqCst),
            (_, None) => {}
        }
    }
    notes
}

fn receive(program: &[Takes], receiver: Receiver<i64>, shared: &AtomicI64) -> Notes {
    let (mut receiver, mut notes) = (Some(receiver), Notes::new());
    for op in program {
        match (op, &receiver) {
            (Takes::Recv, Some(receiver)) => notes.push(receiver.recv().unwrap_or(-1)),
            (Takes::TryRecv, Some(receiver)) => {
                notes.push(receiver.try_recv().unwrap_or_else(|why| -2 - why as i64));
            }
            (Takes::Timeout, Some(receiver)) => {
                let got = receiver.recv_timeout(Duration::from_secs(1));
                notes.push(got.unwrap_or_else(|why| -4 - why as i64));
            }
            (Takes::All, Some(receiver)) => notes.extend(receiver.iter()),
            (Takes::Drop, _) => receiver = None,
            (Takes::Load, _) => notes.push(shared.load(SeqCst)),
            (Takes::Store, _) => shared.store(2, SeqCst),
            (_, None) => {}
        }
    }
    notes
}

fn body(program: &Program) -> Notes {
    let (sender, receiver) = channel();
    let shared = Arc::new(AtomicI64::new(0));
    let mut tasks = Vec::new();
    for ops in program.senders.clone() {
        let (sender, shared) = (sender.clone(), shared.clone());
        tasks.push(thread::spawn(move || send(&ops, sender, &shared)));
    }
    let sender = program.keeps.then_some(sender);
    let (ops, also) = (program.receiver.clone(), shared.clone());
    tasks.push(thread::spawn(move || receive(&ops, receiver, &also)));
    let notes = tasks.into_iter().flat_map(|task| task.join().unwrap()).collect();
    drop(sender);
    notes
}

fn programs() -> impl Strategy<Value = Program> {
    let does = prop_oneof![
        5 => (1..4i64).prop_map(Does::Send),
        1 => Just(Does::Clone),
        1 => Just(Does::Drop),
        1 => Just(Does::Load),
        1 => Just(Does::Store),
    ];
    let takes = prop_oneof![
        4 => Just(Takes::Recv),
        3 => Just(Takes::TryRecv),
        2 => Just(Takes::Timeout),
        2 => Just(Takes::All),
        1 => Just(Takes::Drop),
        1 => Just(Takes::Load),
        1 => Just(Takes::Store),
    ];
    let senders = prop::collection::vec(prop::collection::vec(does, 0..4), 1..3);
    (senders, prop::collection::vec(takes, 0..4), any::<bool>())
        .prop_map(|(senders, receiver, keeps)| Program { senders, receiver, keeps })
}

fn check(program: &Program, settings: Settings) -> Result<(), TestCaseError> {
    oracle::check(&program, &|| body(program), settings)
}

proptest! {
    #![proptest_config(config(200, 7))]

    #[test]
    fn each_trace_once(program in programs()) {
        check(&program, Settings::default())?;
    }

    #[test]
    fn where_timers_fire_at_any_point(program in programs()) {
        check(&program, Settings { time: Time::Any, ..Settings::default() })?;
    }
}
