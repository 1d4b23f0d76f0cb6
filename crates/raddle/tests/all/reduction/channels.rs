//! Channels, bounded and unbounded: their numbers of traces, and random programs that use and drop their
//! ends.

use super::oracle::{self, Notes, config};
use super::programs::mpsc_pc;
use proptest::prelude::*;
use raddle::sync::atomic::{AtomicI64, Ordering::SeqCst};
use raddle::sync::mpsc::{Receiver, Sender, SyncSender, TrySendError, channel, sync_channel};
use raddle::{Checker, thread};
use raddle_core::clock::Time;
use raddle_native::Settings;
use std::sync::Arc;
use std::time::Duration;

/// The order of the messages is the only choice: a receive conflicts only with the send of its message.
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

/// One message of another task may come anywhere between these. Without a bound there are 8 slots for
/// messages, and whether each of the last four is sent before its slot is received from or later counts as a
/// conflict.
#[test]
fn more_messages_than_places() {
    for (capacity, ways) in [(None, 1 << 4), (Some(1), 1), (Some(2), 1), (Some(7), 1)] {
        let report = Checker::exhaustive().run(move || {
            let (sender, receiver) = open(capacity);
            let other = sender.clone();
            let tasks = [
                thread::spawn(move || (0..11).for_each(|n| assert!(sender.send(n)))),
                thread::spawn(move || assert!(other.send(-1))),
            ];
            let received: Vec<i64> = receiver.iter().collect();
            tasks.into_iter().for_each(|task| task.join().unwrap());
            received
        });
        assert!(report.coverage().is_exhaustive());
        assert_eq!((report.executions(), report.outcomes().len()), (12 * ways, 12), "{capacity:?}");
    }
}

/// The same with a bound. A send waits for a slot, and for no other receive.
#[test]
fn a_bound_that_is_met_brings_sends_and_receives_in_order() {
    let count = |capacity: usize, producers: usize, messages: usize| {
        let report = Checker::exhaustive().run(move || {
            let (sender, receiver) = sync_channel(capacity);
            let tasks: Vec<_> = (0..producers)
                .map(|_| {
                    let sender = sender.clone();
                    thread::spawn(move || (0..messages).for_each(|n| sender.send(n).unwrap()))
                })
                .collect();
            drop(sender);
            assert_eq!(receiver.iter().count(), producers * messages);
            tasks.into_iter().for_each(|task| task.join().unwrap());
        });
        assert!(report.coverage().is_exhaustive());
        assert!(report.failure().is_none(), "{report}");
        report.executions()
    };
    // As many as there are orders of the messages, whether senders wait or not: waiting is not observable.
    for capacity in [1, 2, 3, 6] {
        let counts =
            [count(capacity, 1, 1), count(capacity, 1, 5), count(capacity, 2, 1), count(capacity, 2, 2)];
        assert_eq!(counts, [1, 1, 2, 6], "{capacity}");
        assert_eq!([count(capacity, 2, 3), count(capacity, 3, 1)], [20, 6], "{capacity}");
    }
}

/// A receive that finds a message conflicts with the send of that message, and not with those of later ones.
#[test]
fn a_receive_that_does_not_wait() {
    let report = Checker::exhaustive().run(|| {
        let (sender, receiver) = channel();
        sender.send(0).unwrap();
        let task = thread::spawn(move || {
            (1..5).for_each(|n| sender.send(n).unwrap());
            // The drop of a sender may be the last one.
            std::mem::forget(sender);
        });
        let first = receiver.try_recv().ok();
        task.join().unwrap();
        first
    });
    assert_eq!(report.executions(), 1);
}

/// One of the sending ends.
enum Tx {
    Free(Sender<i64>),
    Bounded(SyncSender<i64>),
}

impl Tx {
    fn send(&self, value: i64) -> bool {
        match self {
            Tx::Free(sender) => sender.send(value).is_ok(),
            Tx::Bounded(sender) => sender.send(value).is_ok(),
        }
    }
    fn try_send(&self, value: i64) -> i64 {
        match self {
            Tx::Free(sender) => sender.send(value).is_ok() as i64,
            Tx::Bounded(sender) => match sender.try_send(value) {
                Ok(()) => 2,
                Err(TrySendError::Full(_)) => 3,
                Err(TrySendError::Disconnected(_)) => 4,
            },
        }
    }
}

fn open(capacity: Option<usize>) -> (Tx, Receiver<i64>) {
    match capacity {
        None => {
            let (sender, receiver) = channel();
            (Tx::Free(sender), receiver)
        }
        Some(capacity) => {
            let (sender, receiver) = sync_channel(capacity);
            (Tx::Bounded(sender), receiver)
        }
    }
}

impl Clone for Tx {
    fn clone(&self) -> Tx {
        match self {
            Tx::Free(sender) => Tx::Free(sender.clone()),
            Tx::Bounded(sender) => Tx::Bounded(sender.clone()),
        }
    }
}

/// An operation of a task on its sender.
#[derive(Clone, Debug)]
enum Does {
    Send(i64),
    TrySend(i64),
    Clone,
    Drop,
    Load,
    Store,
}

/// An operation of the task with the receiver.
#[derive(Clone, Debug)]
enum Takes {
    Recv,
    TryRecv,
    Timeout,
    /// All messages, until there are no senders.
    All,
    Drop,
    Load,
    Store,
}

#[derive(Clone, Debug)]
pub struct Program {
    /// None for an unbounded channel.
    capacity: Option<usize>,
    senders: Vec<Vec<Does>>,
    receiver: Vec<Takes>,
    /// Main keeps the first sender until the others are joined.
    keeps: bool,
}

fn send(program: &[Does], sender: Tx, shared: &AtomicI64) -> Notes {
    let (mut senders, mut notes) = (vec![sender], Notes::new());
    for op in program {
        match (op, senders.last()) {
            (Does::Send(value), Some(sender)) => notes.push(sender.send(*value) as i64),
            (Does::TrySend(value), Some(sender)) => notes.push(sender.try_send(*value)),
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

pub fn body(program: &Program) -> Notes {
    let (sender, receiver) = open(program.capacity);
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

/// Programs on a channel with one of these capacities, and this many sending tasks.
pub fn programs(
    capacities: &'static [Option<usize>],
    senders: std::ops::Range<usize>,
) -> impl Strategy<Value = Program> {
    let does = prop_oneof![
        5 => (1..4i64).prop_map(Does::Send),
        2 => (1..4i64).prop_map(Does::TrySend),
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
    let senders = prop::collection::vec(prop::collection::vec(does, 0..4), senders);
    let capacity = prop::sample::select(capacities);
    (capacity, senders, prop::collection::vec(takes, 0..4), any::<bool>())
        .prop_map(|(capacity, senders, receiver, keeps)| Program { capacity, senders, receiver, keeps })
}

pub const WITHOUT: &[Option<usize>] = &[None];
const BOUNDED: &[Option<usize>] = &[Some(1), Some(1), Some(2), Some(3), Some(11)];
const RENDEZVOUS: &[Option<usize>] = &[Some(0)];
const ANY: &[Option<usize>] = &[None, Some(0), Some(0), Some(1), Some(1), Some(2)];

fn check(program: &Program, settings: Settings) -> Result<(), TestCaseError> {
    oracle::check(&program, &|| body(program), settings)
}

proptest! {
    #![proptest_config(config(200, 7))]

    #[test]
    fn each_trace_once(program in programs(WITHOUT, 1..3)) {
        check(&program, Settings::default())?;
    }

    #[test]
    fn each_trace_once_where_there_is_a_bound(program in programs(BOUNDED, 1..3)) {
        check(&program, Settings::default())?;
    }

    #[test]
    fn each_trace_once_where_messages_are_handed_over(program in programs(RENDEZVOUS, 1..3)) {
        check(&program, Settings::default())?;
    }

    #[test]
    fn where_timers_fire_at_any_point(program in programs(ANY, 1..3)) {
        check(&program, Settings { time: Time::Any, ..Settings::default() })?;
    }
}

/// Where the third message comes earlier it takes another place, and no longer waits for the first to be received: that was
/// once found twice.
#[test]
fn a_place_that_is_used_again() {
    let senders = vec![vec![Does::Send(1)], vec![Does::Send(1), Does::Send(1)]];
    let program = Program { capacity: Some(2), senders, receiver: vec![Takes::Recv], keeps: false };
    check(&program, Settings::default()).unwrap();
}
