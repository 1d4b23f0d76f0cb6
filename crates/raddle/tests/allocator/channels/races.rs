//! What a message synchronises: a receive acquires what its send released, and nothing else does.

use super::*;
use raddle::cell::UnsafeCell;

/// A cell that the test promises to synchronise, or not.
#[derive(Default)]
struct Shared(UnsafeCell<u32>);
// SAFETY: accesses go through `with` and `with_mut`, and the execution stops before two of them race.
unsafe impl Sync for Shared {}

impl Shared {
    #[track_caller]
    fn look(&self) {
        // SAFETY: see above.
        self.0.with(|p| _ = unsafe { *p });
    }
    #[track_caller]
    fn write(&self) {
        // SAFETY: see above.
        self.0.with_mut(|p| unsafe { *p += 1 });
    }
}

/// Whether the program's use of a shared cell is a race.
fn races(program: impl Fn(Arc<Shared>) + Send + Sync) -> bool {
    let report = Checker::dfs().run(|| program(Arc::default()));
    match report.failure() {
        None => false,
        Some(failure) => {
            assert_eq!(failure.kind(), FailureKind::DataRace, "{}", failure.message());
            true
        }
    }
}

/// The receiver may access what the sender accessed before the send.
#[test]
fn a_message_brings_along_what_its_sender_knew() {
    for capacity in [None, Some(0), Some(1)] {
        assert!(!races(move |cell| {
            let (tx, rx) = any_channel(capacity);
            let own = cell.clone();
            let sender = thread::spawn(move || {
                own.write();
                tx(());
            });
            rx.recv().unwrap();
            cell.write();
            sender.join().unwrap();
        }));
    }
}

/// But not what it accesses afterwards.
#[test]
fn what_comes_after_the_send_is_not_in_the_message() {
    for capacity in [None, Some(0), Some(1)] {
        assert!(races(move |cell| {
            let (tx, rx) = any_channel(capacity);
            let own = cell.clone();
            let sender = thread::spawn(move || {
                tx(());
                own.write();
            });
            rx.recv().unwrap();
            cell.look();
            sender.join().unwrap();
        }));
    }
}

/// A message does not synchronise with other senders, even if their messages came before it.
#[test]
fn a_message_does_not_speak_for_others() {
    for capacity in [None, Some(0), Some(2)] {
        assert!(races(move |cell| {
            let (tx, rx) = any_channel::<u32>(capacity);
            let tx = Arc::new(tx);
            let (one, two, own) = (tx.clone(), tx.clone(), cell.clone());
            thread::spawn(move || {
                own.write();
                one(1);
            });
            thread::spawn(move || two(2));
            if rx.recv().unwrap() == 2 {
                cell.look();
            }
            rx.recv().unwrap();
        }));
    }
}

/// A channel with one slot is a lock: a send acquires it, a receive releases it.
#[test]
fn a_free_place_brings_along_what_its_receiver_knew() {
    let lock = |capacity: usize| {
        races(move |cell| {
            let (tx, rx) = sync_channel(capacity);
            let rx = Arc::new(std::sync::Mutex::new(rx));
            let tasks = [1, 2].map(|_| {
                let (tx, rx, cell) = (tx.clone(), rx.clone(), cell.clone());
                thread::spawn(move || {
                    tx.send(()).unwrap();
                    cell.write();
                    rx.try_lock().unwrap().try_recv().unwrap();
                })
            });
            tasks.into_iter().for_each(|t| t.join().unwrap());
        })
    };
    assert!(!lock(1));
    assert!(lock(2));
}

/// Both sides of a rendezvous synchronise with each other, in either order.
#[test]
fn a_meeting_goes_both_ways() {
    assert!(!races(|cell| {
        let (tx, rx) = sync_channel(0);
        let own = cell.clone();
        let receiver = thread::spawn(move || {
            own.write();
            rx.recv().unwrap();
        });
        tx.send(()).unwrap();
        cell.write();
        receiver.join().unwrap();
    }));
    // An unbounded channel does not synchronise the sender.
    assert!(races(|cell| {
        let (tx, rx) = channel();
        let own = cell.clone();
        let receiver = thread::spawn(move || {
            own.write();
            rx.recv().unwrap();
        });
        tx.send(()).unwrap();
        cell.write();
        receiver.join().unwrap();
    }));
}

/// That the other end is dropped is no message: std reads that with a relaxed load.
#[test]
fn a_dropped_end_brings_nothing_along() {
    assert!(races(|cell| {
        let (tx, rx) = channel::<()>();
        let own = cell.clone();
        thread::spawn(move || {
            own.write();
            drop(tx);
        });
        assert_eq!(rx.recv(), Err(RecvError));
        cell.look();
    }));
}

/// A channel of any kind, whose sending end is a function.
fn any_channel<T: Send + 'static>(capacity: Option<usize>) -> (Box<dyn Fn(T) + Send + Sync>, Receiver<T>) {
    match capacity {
        None => {
            let (tx, rx) = channel();
            (Box::new(move |value| tx.send(value).unwrap()), rx)
        }
        Some(capacity) => {
            let (tx, rx) = sync_channel(capacity);
            (Box::new(move |value| tx.send(value).unwrap()), rx)
        }
    }
}
