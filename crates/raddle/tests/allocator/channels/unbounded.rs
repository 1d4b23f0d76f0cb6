//! Unbounded channels.

use super::*;

/// `s d` of the sender and one `try_recv`, which has 3 positions among them. Everything after it waits for
/// the join.
#[test]
fn try_recv_races_with_a_send() {
    let report = explore(|| {
        let (tx, rx) = channel();
        let sender = thread::spawn(move || tx.send(1).unwrap());
        let got = rx.try_recv();
        sender.join().unwrap();
        word(got)
    });
    assert_eq!(*report.outcomes(), counts([("1", 2), ("Empty", 1)]));
    assert_eq!(report.executions(), 3);
}

/// Two `try_recv` among `s d`: 6 ways to place them, by the number of steps before the one and the other.
/// (0,0) is empty twice; (0,1) and (0,2) empty and then 1; (1,1) 1 and then empty; in (1,2) and (2,2) the
/// sender is dropped when the second comes.
#[test]
fn messages_come_before_the_news_that_the_sender_is_gone() {
    let report = explore(|| {
        let (tx, rx) = channel();
        let sender = thread::spawn(move || tx.send(1).unwrap());
        let got = [word(rx.try_recv()), word(rx.try_recv())];
        sender.join().unwrap();
        got.join(" ")
    });
    let expected = counts([("Empty Empty", 1), ("Empty 1", 2), ("1 Empty", 1), ("1 Disconnected", 2)]);
    assert_eq!(*report.outcomes(), expected);
    assert_eq!(report.executions(), 6);
}

/// The two drops come in 2 orders, and `r` waits for both.
#[test]
fn recv_after_all_senders_dropped_is_an_error_and_no_deadlock() {
    let report = explore(|| {
        let (tx, rx) = channel::<i32>();
        let other = tx.clone();
        let droppers = [thread::spawn(move || drop(tx)), thread::spawn(move || drop(other))];
        let got = rx.recv();
        droppers.into_iter().for_each(|d| d.join().unwrap());
        got == Err(RecvError)
    });
    assert_eq!(set(&report), BTreeSet::from([true]));
    assert_eq!(report.executions(), 2);
}

/// Only the last drop is observed, by whichever task.
#[test]
fn the_last_drop_is_the_one_that_is_noticed() {
    let report = explore(|| {
        let (tx, rx) = channel::<i32>();
        let other = tx.clone();
        let order = Arc::new(AtomicUsize::new(0));
        let (one, two) = (order.clone(), order.clone());
        let droppers = [
            thread::spawn(move || {
                drop(tx);
                one.fetch_add(1, SeqCst);
            }),
            thread::spawn(move || {
                drop(other);
                two.fetch_add(10, SeqCst);
            }),
        ];
        // Values that are seen here come after the drops.
        let dropped = order.load(SeqCst);
        let got = word(rx.try_recv());
        droppers.into_iter().for_each(|d| d.join().unwrap());
        (dropped, got)
    });
    let both = |dropped| [(dropped, "Empty".to_owned()), (dropped, "Disconnected".to_owned())];
    let mut expected = BTreeSet::from([(11, "Disconnected".to_owned())]);
    expected.extend([both(0), both(1), both(10)].concat());
    assert_eq!(set(&report), expected);
}

#[test]
fn a_receiver_that_keeps_a_sender_waits_for_ever() {
    let failure = failure(|| {
        let (tx, rx) = channel::<i32>();
        let _kept = tx.clone();
        thread::spawn(move || tx.send(1).unwrap());
        for _ in &rx {}
    });
    assert_eq!(failure.kind(), FailureKind::Deadlock);
    assert_eq!(failure.message(), "nothing can move: main waits for ever");
    assert_eq!(notes(&failure), ["main waits to recv Channel#1"]);
    let place = failure.defect.facts[0].place.as_ref().expect("a place").to_string();
    assert!(place.contains(file!()), "{place}");
}

#[test]
fn receivers_that_wait_for_each_other_are_named() {
    let failure = failure(|| {
        let (to_child, from_main) = channel::<i32>();
        let (to_main, from_child) = channel::<i32>();
        thread::spawn(move || {
            let got = from_main.recv().unwrap();
            to_main.send(got).unwrap();
        });
        let got = from_child.recv().unwrap();
        to_child.send(got).unwrap();
    });
    assert_eq!(failure.kind(), FailureKind::Deadlock);
    assert_eq!(failure.message(), "nothing can move: main and main.1 wait for ever");
    assert_eq!(notes(&failure), ["main waits to recv Channel#2", "main.1 waits to recv Channel#1"]);
}

/// The receiver is dropped before or after the send.
#[test]
fn a_send_without_a_receiver_gives_the_value_back() {
    let report = explore(|| {
        let (tx, rx) = channel();
        let dropper = thread::spawn(move || drop(rx));
        let sent = tx.send(7);
        dropper.join().unwrap();
        (sent, tx.send(8)) == (Err(SendError(7)), Err(SendError(8)))
    });
    assert_eq!(set(&report), BTreeSet::from([false, true]));
    // The first send comes before or after the drop; the second one comes after the join.
    assert_eq!(report.executions(), 2);
}

/// 6 ways to merge two messages of each of two senders.
#[test]
fn each_senders_order_is_kept() {
    let report = passed(Checker::dfs().preemptions(2).run(|| {
        let (tx, rx) = channel();
        let other = tx.clone();
        thread::spawn(move || {
            tx.send('a').unwrap();
            tx.send('b').unwrap();
        });
        thread::spawn(move || {
            other.send('1').unwrap();
            other.send('2').unwrap();
        });
        rx.into_iter().collect::<String>()
    }));
    assert_eq!(set(&report), words(["ab12", "a1b2", "a12b", "1ab2", "1a2b", "12ab"]));
}

/// Six senders without preemptions take their `s d` in each of 6! orders; after each but the last, main may
/// receive what is there or not: 2^5.
#[test]
fn six_senders() {
    let report = passed(Checker::dfs().preemptions(0).run(|| {
        let (tx, rx) = channel();
        let senders: Vec<_> = (0..6)
            .map(|n| {
                let tx = tx.clone();
                thread::spawn(move || tx.send(n).unwrap())
            })
            .collect();
        let got: Vec<i32> = rx.iter().take(6).collect();
        senders.into_iter().for_each(|s| s.join().unwrap());
        got
    }));
    assert_eq!(report.outcomes().len(), 720);
    assert_eq!(report.executions(), 720 * 32);
}

#[test]
fn all_kinds_of_iterators() {
    let report = explore(|| {
        let (tx, rx) = channel();
        for n in 1..=8 {
            tx.send(n).unwrap();
        }
        let mut got = vec![rx.iter().next(), (&rx).into_iter().next()];
        got.extend(rx.try_iter().take(2).map(Some));
        got.extend(rx.try_iter().map(Some));
        got.push(rx.try_iter().next());
        drop(tx);
        got.push(rx.iter().next());
        got.extend(rx.into_iter().map(Some));
        got
    });
    let expected = (1..=8).map(Some).chain([None, None]).collect::<Vec<_>>();
    assert_eq!(set(&report), BTreeSet::from([expected]));
    assert_eq!(report.executions(), 1);
}

#[test]
fn a_sender_can_be_shared() {
    let report = explore(|| {
        let (tx, rx) = channel();
        let tx = Arc::new(tx);
        let other = tx.clone();
        let sender = thread::spawn(move || other.send(1).unwrap());
        tx.send(2).unwrap();
        sender.join().unwrap();
        drop(tx);
        rx.into_iter().collect::<Vec<_>>()
    });
    assert_eq!(set(&report), BTreeSet::from([vec![1, 2], vec![2, 1]]));
}

/// Messages in the channel are dropped with the receiver, on the receiver's task, and may use channels.
#[test]
fn messages_are_dropped_with_the_receiver() {
    struct Tells(i32, Sender<i32>);
    impl Drop for Tells {
        fn drop(&mut self) {
            self.1.send(self.0).unwrap();
        }
    }
    let report = explore(|| {
        let (told, hears) = channel();
        let (tx, rx) = channel();
        tx.send(Tells(1, told.clone())).unwrap();
        tx.send(Tells(2, told.clone())).unwrap();
        drop(rx);
        told.send(3).unwrap();
        assert_eq!(tx.send(Tells(4, told.clone())).unwrap_err().0.0, 4);
        drop(told);
        hears.iter().collect::<Vec<_>>()
    });
    assert_eq!(set(&report), BTreeSet::from([vec![1, 2, 3, 4]]));
}

#[test]
fn a_channel_may_carry_its_own_sender() {
    let report = explore(|| {
        let (tx, rx) = channel::<Option<Sender<()>>>();
        struct Carrier(Sender<Carrier>);
        let (carrier, receiver) = channel::<Carrier>();
        carrier.send(Carrier(carrier.clone())).unwrap();
        drop(carrier);
        let again = receiver.recv().unwrap();
        again.0.send(Carrier(again.0.clone())).unwrap();
        drop(again);
        drop(receiver);
        drop(tx);
        rx.recv().is_err()
    });
    assert_eq!(set(&report), BTreeSet::from([true]));
}
