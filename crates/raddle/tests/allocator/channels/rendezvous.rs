//! Rendezvous channels.

use super::*;

/// The flag is set after the send, so it is never set before the receive.
#[test]
fn a_send_is_over_when_the_message_is_taken() {
    let report = explore(|| {
        let flag = Arc::new(AtomicUsize::new(0));
        let (tx, rx) = sync_channel(0);
        let raised = flag.clone();
        let sender = thread::spawn(move || {
            tx.send(()).unwrap();
            raised.store(1, SeqCst);
        });
        let before = flag.load(SeqCst);
        rx.recv().unwrap();
        let after = flag.load(SeqCst);
        sender.join().unwrap();
        (before, after)
    });
    assert_eq!(set(&report), BTreeSet::from([(0, 0), (0, 1)]));
}

/// The first to come announces itself (`s` or `r`) and then waits (`S` or `R`). If it is the sender, `r`
/// takes its message and `S d` follow alone, since main waits in the join: 1 way. If it is the receiver, `s`
/// hands over and `R` comes before or after `d`: 2 ways.
#[test]
fn either_may_come_first() {
    let report = explore(|| {
        let (tx, rx) = sync_channel(0);
        let sender = thread::spawn(move || tx.send(5).unwrap());
        let got = rx.recv().unwrap();
        sender.join().unwrap();
        got
    });
    assert_eq!(*report.outcomes(), BTreeMap::from([(5, 1 + 2)]));
}

/// `try_send` succeeds only if the receiver has announced that it waits. Otherwise the receiver observes that
/// there is no sender any more.
#[test]
fn try_send_needs_a_waiting_receiver() {
    let report = explore(|| {
        let (tx, rx) = sync_channel(0);
        let receiver = thread::spawn(move || rx.recv());
        let sent = tx.try_send(1);
        drop(tx);
        let got = receiver.join().unwrap();
        assert_eq!(sent.is_ok(), got.is_ok());
        word(sent)
    });
    assert_eq!(set(&report), words(["()", "TrySendError::Full(..)"]));
}

#[test]
fn try_send_without_a_receiver_is_disconnected() {
    let report = explore(|| {
        let (tx, rx) = sync_channel(0);
        let full = tx.try_send(1) == Err(TrySendError::Full(1));
        drop(rx);
        full && tx.try_send(2) == Err(TrySendError::Disconnected(2)) && tx.send(3) == Err(SendError(3))
    });
    assert_eq!(set(&report), BTreeSet::from([true]));
    assert_eq!(report.executions(), 1);
}

/// `try_recv` takes only from a sender that already waits.
#[test]
fn try_recv_needs_a_waiting_sender() {
    let report = explore(|| {
        let (tx, rx) = sync_channel(0);
        let sender = thread::spawn(move || tx.send(1));
        let got = rx.try_recv();
        drop(rx);
        let sent = sender.join().unwrap();
        assert_eq!(sent.is_ok(), got.is_ok());
        if let Err(SendError(value)) = sent {
            assert_eq!(value, 1);
        }
        word(got)
    });
    assert_eq!(set(&report), words(["1", "Empty"]));
}

#[test]
fn without_senders_there_is_nothing_to_receive() {
    let report = explore(|| {
        let (tx, rx) = sync_channel::<i32>(0);
        let dropper = thread::spawn(move || drop(tx));
        let got = [word(rx.try_recv()), word(rx.recv()), word(rx.try_recv()), word(rx.recv_timeout(SECOND))];
        dropper.join().unwrap();
        got.join(" ")
    });
    let rest = "RecvError Disconnected Disconnected";
    assert_eq!(set(&report), words([&format!("Empty {rest}"), &format!("Disconnected {rest}")]));
}

/// Waiting senders are served in order; either of them may be first.
#[test]
fn two_senders() {
    let report = explore(|| {
        let (tx, rx) = sync_channel(0);
        let senders = [1, 2].map(|n| {
            let tx = tx.clone();
            thread::spawn(move || tx.send(n).unwrap())
        });
        drop(tx);
        let got = rx.iter().collect::<Vec<_>>();
        senders.into_iter().for_each(|s| s.join().unwrap());
        got
    });
    assert_eq!(set(&report), BTreeSet::from([vec![1, 2], vec![2, 1]]));
}

#[test]
fn one_message_needs_only_one_of_two_senders() {
    let failure = failure(|| {
        let (tx, rx) = sync_channel(0);
        let senders = [1, 2].map(|n| {
            let tx = tx.clone();
            thread::spawn(move || tx.send(n).unwrap())
        });
        rx.recv().unwrap();
        senders.into_iter().for_each(|s| s.join().unwrap());
    });
    assert_eq!(failure.kind(), FailureKind::Deadlock);
    let named = notes(&failure);
    assert_eq!(named.len(), 2);
    assert!(named[0].starts_with("main waits to join main."), "{named:?}");
    assert!(named[1].ends_with("waits to send SyncChannel#1"), "{named:?}");
}

#[test]
fn a_waiting_receiver_is_named() {
    let failure = failure(|| {
        let (_tx, rx) = sync_channel::<i32>(0);
        let _ = rx.recv();
    });
    assert_eq!(failure.kind(), FailureKind::Deadlock);
    assert_eq!(notes(&failure), ["main waits to recv SyncChannel#1"]);
}

/// The trace shows which side waited and what was handed over.
#[test]
fn the_story_of_a_meeting() {
    let failure = failure(|| {
        let (tx, rx) = sync_channel(0);
        let receiver = thread::spawn(move || rx.recv().unwrap());
        tx.send(1).unwrap();
        assert_eq!(receiver.join().unwrap(), 2);
    });
    let lines: Vec<_> = (failure.trace().lines.iter())
        .filter(|l| l.object.as_deref() == Some("SyncChannel#1") && !l.operation.starts_with("drop"))
        .map(|l| format!("{} {} {}", failure.trace().tasks[l.task].name, l.operation, l.result))
        .collect();
    let expected = ["main send message 1", "main.1 recv → message 1", "main send taken"];
    assert_eq!(lines, expected);
    let received = failure.trace().lines.iter().find(|l| l.operation == "recv").unwrap();
    let sent = &failure.trace().lines[received.reads_from.unwrap()];
    assert_eq!((sent.operation.as_str(), sent.result.as_str()), ("send", "message 1"));
}

#[test]
fn six_senders_and_one_receiver() {
    let report = passed(Checker::random(2_000).seed(7).run(|| {
        let (tx, rx) = sync_channel(0);
        let senders: Vec<_> = (0..6)
            .map(|n| {
                let tx = tx.clone();
                thread::spawn(move || tx.send(n).unwrap())
            })
            .collect();
        drop(tx);
        let got: BTreeSet<i32> = rx.iter().collect();
        senders.into_iter().for_each(|s| s.join().unwrap());
        got
    }));
    assert_eq!(set(&report), BTreeSet::from([(0..6).collect()]));
}
