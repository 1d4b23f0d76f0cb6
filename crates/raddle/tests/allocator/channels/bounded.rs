//! Bounded channels.

use super::*;

/// `try_send` comes before `r`, and finds the channel full, or after it. Everything later waits for the
/// join.
#[test]
fn full() {
    let report = explore(|| {
        let (tx, rx) = sync_channel(1);
        tx.try_send(1).unwrap();
        let receiver = thread::spawn(move || (rx.recv().unwrap(), rx));
        let tried = tx.try_send(2);
        let (got, rx) = receiver.join().unwrap();
        assert_eq!(got, 1);
        drop(rx);
        assert_eq!(tx.try_send(3), Err(TrySendError::Disconnected(3)));
        tried == Err(TrySendError::Full(2))
    });
    assert_eq!(*report.outcomes(), BTreeMap::from([(true, 1), (false, 1)]));
    assert_eq!(report.executions(), 2);
}

/// The second send waits for the receive, and the second receive for that send: only `r` is enabled first;
/// then `s`; then `r2` comes before or after `d`.
#[test]
fn a_send_waits_for_a_free_place() {
    let report = explore(|| {
        let (tx, rx) = sync_channel(1);
        tx.send(1).unwrap();
        let sender = thread::spawn(move || tx.send(2).unwrap());
        let got = [rx.recv().unwrap(), rx.recv().unwrap()];
        sender.join().unwrap();
        got
    });
    assert_eq!(set(&report), BTreeSet::from([[1, 2]]));
    assert_eq!(report.executions(), 2);
}

/// Any of the waiting senders may get the free slot.
#[test]
fn any_waiting_sender_may_go_next() {
    let report = explore(|| {
        let (tx, rx) = sync_channel(1);
        tx.send(0).unwrap();
        let senders = [1, 2].map(|n| {
            let tx = tx.clone();
            thread::spawn(move || tx.send(n).unwrap())
        });
        drop(tx);
        let got = rx.iter().collect::<Vec<_>>();
        senders.into_iter().for_each(|s| s.join().unwrap());
        got
    });
    assert_eq!(set(&report), BTreeSet::from([vec![0, 1, 2], vec![0, 2, 1]]));
}

#[test]
fn waiting_senders_are_named() {
    let failure = failure(|| {
        let (tx, rx) = sync_channel(1);
        let other = tx.clone();
        let senders = [
            thread::spawn(move || [tx.send(1), tx.send(2)]),
            thread::spawn(move || [other.send(3), other.send(4)]),
        ];
        senders.into_iter().for_each(|s| _ = s.join().unwrap());
        drop(rx);
    });
    assert_eq!(failure.kind(), FailureKind::Deadlock);
    assert_eq!(failure.message(), "nothing can move: main, main.1 and main.2 wait for ever");
    let waits = [
        "main waits to join main.1",
        "main.1 waits to send SyncChannel#1",
        "main.2 waits to send SyncChannel#1",
    ];
    assert_eq!(notes(&failure), waits);
}

/// A sender that waits for a slot gets its value back when the receiver is dropped.
#[test]
fn a_waiting_sender_learns_that_the_receiver_is_gone() {
    let report = explore(|| {
        let (tx, rx) = sync_channel(1);
        tx.send(1).unwrap();
        let sender = thread::spawn(move || tx.send(2));
        drop(rx);
        sender.join().unwrap() == Err(SendError(2))
    });
    assert_eq!(set(&report), BTreeSet::from([true]));
    // Only the drop is enabled at first; then the send and the drop of the sender, for which the join waits.
    assert_eq!(report.executions(), 1);
}

#[test]
fn all_there_is_to_receive() {
    let report = explore(|| {
        let (tx, rx) = sync_channel(2);
        let sender = thread::spawn(move || (0..5).for_each(|n| tx.send(n).unwrap()));
        let got = rx.into_iter().collect::<Vec<_>>();
        sender.join().unwrap();
        got
    });
    assert_eq!(set(&report), BTreeSet::from([vec![0, 1, 2, 3, 4]]));
}
