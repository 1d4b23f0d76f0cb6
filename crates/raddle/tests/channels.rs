//! `raddle::sync::mpsc`: what each operation means, when it waits, who notices what, and exact numbers of
//! executions. `s` is a send, `r` a receive, `d` a drop, `e` the end of a task and `j` a join in the comments.

use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::sync::mpsc::{
    Receiver, RecvError, RecvTimeoutError, SendError, Sender, SyncSender, TryRecvError, TrySendError, channel,
    sync_channel,
};
use raddle::sync::{Arc, Mutex};
use raddle::{Checker, Failure, FailureKind, Report, Time, thread};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// All interleavings of a program that never fails.
fn explore<T: Ord + Debug + Send>(f: impl Fn() -> T + Send + Sync) -> Report<T> {
    passed(Checker::dfs().run(f))
}

fn passed<T: Debug>(report: Report<T>) -> Report<T> {
    assert!(report.failure().is_none(), "{:?}", report.failure());
    report
}

fn failure<T: Ord + Debug + Send>(f: impl Fn() -> T + Send + Sync) -> Failure {
    Checker::dfs().run(f).failure().expect("fails").clone()
}

/// The text of the failure's notes.
fn notes(failure: &Failure) -> Vec<&str> {
    failure.defect.notes.iter().map(|n| n.text.as_str()).collect()
}

/// The outcomes, without how often each came.
fn set<T: Ord + Clone>(report: &Report<T>) -> BTreeSet<T> {
    report.outcomes().keys().cloned().collect()
}

/// A result that can be an outcome.
fn word<T: Debug, E: Debug>(result: Result<T, E>) -> String {
    match result {
        Ok(value) => format!("{value:?}"),
        Err(error) => format!("{error:?}"),
    }
}

fn words<const N: usize>(list: [&str; N]) -> BTreeSet<String> {
    list.into_iter().map(str::to_owned).collect()
}

fn counts<const N: usize>(list: [(&str, u64); N]) -> BTreeMap<String, u64> {
    list.into_iter().map(|(w, n)| (w.to_owned(), n)).collect()
}

mod unbounded {
    use super::*;

    /// `s d e` of the sender and one `try_recv`, which has 4 places among them. Everything after it waits for
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
        assert_eq!(*report.outcomes(), counts([("1", 3), ("Empty", 1)]));
        assert_eq!(report.executions(), 4);
    }

    /// Two `try_recv` among `s d e`: 10 ways to place them, by the number of steps before the one and the
    /// other. (0,0) is empty twice; (0,1..3) empty and then 1; (1,1) 1 and then empty; in the other 5 the sender
    /// is gone when the second comes.
    #[test]
    fn messages_come_before_the_news_that_the_sender_is_gone() {
        let report = explore(|| {
            let (tx, rx) = channel();
            let sender = thread::spawn(move || tx.send(1).unwrap());
            let got = [word(rx.try_recv()), word(rx.try_recv())];
            sender.join().unwrap();
            got.join(" ")
        });
        let expected =
            counts([("Empty Empty", 1), ("Empty 1", 3), ("1 Empty", 1), ("1 Disconnected", 5)]);
        assert_eq!(*report.outcomes(), expected);
        assert_eq!(report.executions(), 10);
    }

    /// `d1<e1`, `d2<e2`, both drops before `r`, and `r<j1<j2` with `e1<j1` and `e2<j2`: 21 orders.
    #[test]
    fn recv_after_all_senders_dropped_is_an_error_and_no_deadlock() {
        let report = explore(|| {
            let (tx, rx) = channel::<i32>();
            let other = tx.clone();
            let droppers = [thread::spawn(move || drop(tx)), thread::spawn(move || drop(other))];
            let got = rx.recv();
            droppers.map(|d| d.join().unwrap());
            got == Err(RecvError)
        });
        assert_eq!(set(&report), BTreeSet::from([true]));
        assert_eq!(report.executions(), 21);
    }

    /// Only the drop that comes last is news, whoever it is by.
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
            // Whatever is seen here came after the drops.
            let dropped = order.load(SeqCst);
            let got = word(rx.try_recv());
            droppers.map(|d| d.join().unwrap());
            (dropped, got)
        });
        let both = |dropped| {
            [(dropped, "Empty".to_owned()), (dropped, "Disconnected".to_owned())]
        };
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
        let place = failure.defect.notes[0].place.as_ref().expect("a place").to_string();
        assert!(place.contains("channels.rs"), "{place}");
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
        // The send has 3 places among `d e`; the second one comes after the join.
        assert_eq!(report.executions(), 3);
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

    /// Six senders that are never preempted send in each of 6! orders; after each but the last, main may
    /// receive what is there or not.
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

    /// What waits in the channel goes when the receiver goes, on the receiver's task, and may use channels.
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
}

mod bounded {
    use super::*;

    /// `try_send` finds the channel full unless the receive came first: 3 places among `r e`, and then the
    /// receiver is dropped by main.
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
        assert_eq!(*report.outcomes(), BTreeMap::from([(true, 1), (false, 2)]));
        assert_eq!(report.executions(), 3);
    }

    /// The second send waits for the receive: `r<s`, `s<d<e` of the sender, after main's `r` it receives
    /// again (`r2`, after `s`) and joins. `r` is the only thing that can move first; then `s`; then `r2` has 3
    /// places among `d e`.
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
        assert_eq!(report.executions(), 3);
    }

    /// Which of the waiting senders gets the free place is open.
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
            senders.map(|s| s.join().unwrap());
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
            senders.map(|s| s.join().unwrap());
            drop(rx);
        });
        assert_eq!(failure.kind(), FailureKind::Deadlock);
        assert_eq!(failure.message(), "nothing can move: main, main.1 and main.2 wait for ever");
        let waits = ["main waits to join main.1", "main.1 waits to send SyncChannel#1", "main.2 waits to send SyncChannel#1"];
        assert_eq!(notes(&failure), waits);
    }

    /// A sender that waits for a place gets its value back when the receiver goes.
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
        // Only the drop can move at first; then the send, the drop of the sender and the end; then the join.
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
}

mod rendezvous {
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

    /// Sender first: `s r`, and then `r2`... the sender's second step `S` and its `d e` are among main's joins.
    /// If `s` comes first, main's `r` takes the message, and what is left is `S d e` before the join: 1 way,
    /// and main cannot move; `r` itself directly follows, since the sender waits. If `r` comes first, `s` hands
    /// over, and main's `R` has 3 places among `d e`.
    #[test]
    fn either_may_come_first() {
        let report = explore(|| {
            let (tx, rx) = sync_channel(0);
            let sender = thread::spawn(move || tx.send(5).unwrap());
            let got = rx.recv().unwrap();
            sender.join().unwrap();
            got
        });
        assert_eq!(*report.outcomes(), BTreeMap::from([(5, 4)]));
    }

    /// `try_send` succeeds only if the receiver already waits. The receiver's first step `r` says that it does;
    /// if main's `try_send` comes before it, the receiver would wait for ever, but main drops its sender: `t d`
    /// of main, `r R e` of the receiver.
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

    /// Waiting senders are met in the order in which they came; which one came first is open.
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
            senders.map(|s| s.join().unwrap());
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
            senders.map(|s| s.join().unwrap());
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

    /// The trace says who waited and what was handed over.
    #[test]
    fn the_story_of_a_meeting() {
        let failure = failure(|| {
            let (tx, rx) = sync_channel(0);
            let receiver = thread::spawn(move || rx.recv().unwrap());
            tx.send(1).unwrap();
            assert_eq!(receiver.join().unwrap(), 2);
        });
        let lines: Vec<_> = (failure.trace().lines.iter())
            .filter(|l| l.object.as_deref() == Some("SyncChannel#1") && !l.verb.starts_with("drop"))
            .map(|l| format!("{} {} {}", failure.trace().actors[l.actor].name, l.verb, l.detail))
            .collect();
        let expected = [
            "main send message 1",
            "main.1 recv → message 1",
            "main send taken",
        ];
        assert_eq!(lines, expected);
        let received = failure.trace().lines.iter().find(|l| l.verb == "recv").unwrap();
        let sent = &failure.trace().lines[received.reads_from.unwrap()];
        assert_eq!((sent.verb.as_str(), sent.detail.as_str()), ("send", "message 1"));
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
}

mod timeouts {
    use super::*;

    fn receives_in_time(rx: Receiver<i32>, tx: impl FnOnce() + Send + 'static) -> String {
        let sender = thread::spawn(tx);
        let got = rx.recv_timeout(SECOND);
        sender.join().unwrap();
        word(got)
    }

    /// Timers fire only when nothing else can run, and the sender can.
    #[test]
    fn idle_timers_are_no_false_alarm() {
        let report = explore(|| {
            let (tx, rx) = channel();
            receives_in_time(rx, move || tx.send(1).unwrap())
        });
        assert_eq!(set(&report), words(["1"]));
        let report = explore(|| {
            let (tx, rx) = sync_channel(0);
            receives_in_time(rx, move || _ = tx.send(1))
        });
        assert_eq!(set(&report), words(["1"]));
    }

    /// With `Time::Any` the timer may fire at any point; a message that came in the meantime is still taken.
    #[test]
    fn any_timers_may_fire_first() {
        let report = passed(Checker::dfs().time(Time::Any).run(|| {
            let (tx, rx) = channel();
            let kept = tx.clone();
            let got = receives_in_time(rx, move || _ = tx.send(1));
            drop(kept);
            got
        }));
        assert_eq!(set(&report), words(["1", "Timeout"]));
        let report = passed(Checker::dfs().time(Time::Any).run(|| {
            let (tx, rx) = sync_channel(0);
            let kept = tx.clone();
            let got = receives_in_time(rx, move || _ = tx.try_send(1));
            drop(kept);
            got
        }));
        assert_eq!(set(&report), words(["1", "Timeout"]));
    }

    /// `f` is the timer. Main's `r` is enabled by `s` or `f`; the sender does `s d e`.
    /// A timeout needs `f r` before `s`: then `s d e` follow alone: 1 way, if nothing is in between.
    /// Otherwise `s` comes before `r`, and `f` comes before `r` or not at all.
    /// Without `f`: `r` has 3 places among `d e`. With `f` before `r`: pairs of places for `f` and `r` in
    /// `s d e` with `f` not after `r` and `r` after `s`: `f` in 0..=r for `r` in 1..=3: 2+3+4 = 9.
    #[test]
    fn the_number_of_ways() {
        let report = passed(Checker::dfs().time(Time::Any).run(|| {
            let (tx, rx) = channel();
            let sender = thread::spawn(move || tx.send(1).unwrap_or(()));
            let got = rx.recv_timeout(SECOND);
            sender.join().unwrap();
            word(got)
        }));
        assert_eq!(*report.outcomes(), counts([("1", 12), ("Timeout", 1)]));
    }

    #[test]
    fn nobody_sends() {
        for time in [Time::Idle, Time::Any] {
            for capacity in [0, 1] {
                let report = passed(Checker::dfs().time(time).run(move || {
                    let (tx, rx) = sync_channel::<i32>(capacity);
                    let got = rx.recv_timeout(Duration::from_secs(3600));
                    drop(tx);
                    (got, rx.recv_timeout(SECOND))
                        == (Err(RecvTimeoutError::Timeout), Err(RecvTimeoutError::Disconnected))
                }));
                assert_eq!(set(&report), BTreeSet::from([true]));
            }
        }
    }

    /// The earlier deadline fires first.
    #[test]
    fn deadlines_come_in_order() {
        let report = explore(|| {
            let (tx, rx) = channel::<i32>();
            let (told, hears) = channel();
            let other = told.clone();
            let kept = tx.clone();
            let late = thread::spawn(move || {
                let _ = rx.recv_timeout(2 * SECOND);
                told.send("late").unwrap();
            });
            let (_tx, rx) = channel::<i32>();
            let _ = rx.recv_timeout(SECOND);
            other.send("early").unwrap();
            late.join().unwrap();
            drop((kept, other));
            hears.into_iter().collect::<Vec<_>>()
        });
        assert_eq!(set(&report), BTreeSet::from([vec!["early", "late"]]));
    }

    /// A deadline that is over does not wait, whatever the policy.
    #[test]
    fn no_time_at_all() {
        let report = explore(|| {
            let (tx, rx) = channel();
            let sender = thread::spawn(move || tx.send(1).unwrap());
            let got = rx.recv_timeout(Duration::ZERO);
            sender.join().unwrap();
            word(got)
        });
        assert_eq!(*report.outcomes(), counts([("1", 3), ("Timeout", 1)]));
        let report = explore(|| {
            let (tx, rx) = sync_channel(0);
            let sender = thread::spawn(move || tx.try_send(1).is_ok());
            let got = rx.recv_timeout(Duration::ZERO);
            let sent = sender.join().unwrap();
            assert_eq!(got.is_ok(), sent);
            word(got)
        });
        assert_eq!(set(&report), words(["1", "Timeout", "Disconnected"]));
    }

    /// Longer than the clock can say is for ever.
    #[test]
    fn all_the_time_there_is() {
        let failure = failure(|| {
            let (_tx, rx) = channel::<i32>();
            let _ = rx.recv_timeout(Duration::MAX);
        });
        assert_eq!(failure.kind(), FailureKind::Deadlock);
        assert_eq!(notes(&failure), ["main waits to recv_timeout Channel#1"]);
    }

    /// One who has given up no longer waits: `try_send` finds nobody.
    #[test]
    fn a_receiver_that_gave_up_does_not_wait() {
        let report = explore(|| {
            let (tx, rx) = sync_channel(0);
            assert_eq!(rx.recv_timeout(SECOND), Err(RecvTimeoutError::Timeout));
            tx.try_send(1) == Err(TrySendError::Full(1))
        });
        assert_eq!(set(&report), BTreeSet::from([true]));
    }
}

mod worlds {
    use super::*;

    #[test]
    fn outside_it_is_std() {
        let (tx, rx) = channel();
        let other = tx.clone();
        let sender = std::thread::spawn(move || other.send(1).unwrap());
        assert_eq!(rx.recv(), Ok(1));
        sender.join().unwrap();
        assert_eq!(rx.try_recv(), Err(TryRecvError::Empty));
        assert_eq!(rx.recv_timeout(Duration::from_millis(1)), Err(RecvTimeoutError::Timeout));
        tx.send(2).unwrap();
        tx.send(3).unwrap();
        assert_eq!(rx.try_iter().collect::<Vec<_>>(), [2, 3]);
        tx.send(4).unwrap();
        drop(tx);
        assert_eq!(rx.iter().collect::<Vec<_>>(), [4]);
        assert_eq!(rx.try_recv(), Err(TryRecvError::Disconnected));
        assert_eq!(rx.into_iter().next(), None);

        let (tx, rx) = sync_channel(1);
        let tx = tx.clone();
        tx.send(1).unwrap();
        assert_eq!(tx.try_send(2), Err(TrySendError::Full(2)));
        assert_eq!((&rx).into_iter().next(), Some(1));
        drop(rx);
        assert_eq!(tx.send(3), Err(SendError(3)));

        let (tx, rx) = sync_channel(0);
        assert_eq!(tx.try_send(1), Err(TrySendError::Full(1)));
        let sender = std::thread::spawn(move || tx.send(5));
        assert_eq!(rx.recv(), Ok(5));
        assert_eq!(sender.join().unwrap(), Ok(()));
    }

    #[test]
    fn a_channel_from_outside_is_a_misuse() {
        let (tx, rx) = channel();
        let rx = std::sync::Mutex::new(rx);
        let uses: [&(dyn Fn() + Sync); 4] = [
            &|| _ = tx.send(1),
            &|| drop(tx.clone()),
            &|| _ = rx.lock().unwrap_or_else(|e| e.into_inner()).recv(),
            &|| _ = rx.lock().unwrap_or_else(|e| e.into_inner()).recv_timeout(SECOND),
        ];
        for f in uses {
            let failure = failure(f);
            assert_eq!(failure.kind(), FailureKind::Misuse);
            assert!(failure.message().starts_with("a channel that was made outside of this execution"));
            assert_eq!(notes(&failure), ["the channel was made here", "it is used here"]);
            for note in &failure.defect.notes {
                assert!(note.place.as_ref().unwrap().to_string().contains("channels.rs"), "{note:?}");
            }
        }
        // It is still good outside.
        tx.send(2).unwrap();
        assert_eq!(rx.into_inner().unwrap_or_else(|e| e.into_inner()).recv(), Ok(2));
    }

    #[test]
    fn a_channel_of_another_execution_is_a_misuse() {
        let kept: std::sync::Mutex<Option<Sender<i32>>> = std::sync::Mutex::new(None);
        let report = Checker::random(2).run(|| {
            let (tx, _rx) = channel();
            let mut kept = kept.lock().unwrap_or_else(|e| e.into_inner());
            let before = kept.replace(tx);
            drop(kept);
            thread::yield_now();
            if let Some(before) = before {
                let _ = before.send(1);
            }
        });
        let failure = report.failure().expect("fails");
        assert_eq!(failure.kind(), FailureKind::Misuse);
        assert_eq!(failure.execution(), 2);
        assert!(failure.message().starts_with("a Channel of another execution is used outside of it"));
        // Outside of all executions there is nobody to tell but the caller.
        let tx = kept.into_inner().unwrap_or_else(|e| e.into_inner()).unwrap();
        let panic = std::panic::catch_unwind(|| tx.send(2)).unwrap_err();
        let message = panic.downcast_ref::<String>().unwrap();
        assert!(message.starts_with("raddle: a Channel of an execution is used outside of it"), "{message}");
        drop(tx);
    }

    /// Each execution has its own, in every worker.
    #[test]
    fn statics_start_clean() {
        static TX: Mutex<Option<Sender<i32>>> = Mutex::new(None);
        static RX: Mutex<Option<Receiver<i32>>> = Mutex::new(None);
        for workers in [1, 2] {
            let report = passed(Checker::dfs().workers(workers).run(|| {
                assert!(TX.lock().unwrap().is_none() && RX.lock().unwrap().is_none());
                let (tx, rx) = channel();
                *TX.lock().unwrap() = Some(tx);
                *RX.lock().unwrap() = Some(rx);
                let sender = thread::spawn(|| TX.lock().unwrap().as_ref().unwrap().send(1).unwrap());
                let got = RX.lock().unwrap().as_ref().unwrap().recv().unwrap();
                sender.join().unwrap();
                got
            }));
            assert_eq!(set(&report), BTreeSet::from([1]));
        }
        assert!(TX.lock().unwrap().is_none());
    }

    #[test]
    fn names_and_bounds_are_stds() {
        fn is<T: Send + UnwindSafe + RefUnwindSafe>() {}
        fn is_sync<T: Sync>() {}
        is::<Sender<std::cell::Cell<i32>>>();
        is::<SyncSender<std::cell::Cell<i32>>>();
        is::<Receiver<std::cell::Cell<i32>>>();
        is_sync::<Sender<std::cell::Cell<i32>>>();
        is_sync::<SyncSender<std::cell::Cell<i32>>>();
        let shown = || {
            let (tx, rx) = channel::<i32>();
            let (sync_tx, _rx) = sync_channel::<i32>(1);
            format!("{tx:?} {sync_tx:?} {rx:?} {:?} {:?}", rx.iter(), rx.try_iter())
        };
        let expected = {
            let (tx, rx) = std::sync::mpsc::channel::<i32>();
            let (sync_tx, _rx) = std::sync::mpsc::sync_channel::<i32>(1);
            format!("{tx:?} {sync_tx:?} {rx:?} {:?} {:?}", rx.iter(), rx.try_iter())
        };
        assert_eq!(shown(), expected);
        assert_eq!(set(&explore(shown)), BTreeSet::from([expected]));
        let iterator = explore(|| format!("{:?}", channel::<i32>().1.into_iter()));
        assert_eq!(set(&iterator), words(["IntoIter { rx: Receiver { .. } }"]));
    }
}

mod endings {
    use super::*;
    use std::sync::atomic::AtomicIsize;

    static ALIVE: AtomicIsize = AtomicIsize::new(0);

    struct Counted(#[allow(dead_code)] i32);
    impl Counted {
        fn new(n: i32) -> Counted {
            ALIVE.fetch_add(1, SeqCst);
            Counted(n)
        }
    }
    impl Drop for Counted {
        fn drop(&mut self) {
            ALIVE.fetch_sub(1, SeqCst);
        }
    }

    /// Whatever is in a channel, offered or waited for when an execution fails, is dropped and nothing hangs.
    #[test]
    fn an_execution_that_fails_leaves_nothing_behind() {
        let program = || {
            let (tx, rx) = channel();
            let (full, _held) = sync_channel(1);
            let (meet, _nobody) = sync_channel(0);
            tx.send(Counted::new(1)).unwrap();
            full.send(Counted::new(2)).unwrap();
            thread::spawn(move || full.send(Counted::new(3)));
            thread::spawn(move || meet.send(Counted::new(4)));
            thread::spawn(move || {
                let first = rx.recv();
                let second = rx.recv();
                (first.is_ok(), second.is_ok())
            });
            let (_tx, never) = channel::<()>();
            thread::spawn(move || never.recv());
            thread::yield_now();
            panic!("on purpose");
        };
        let report = Checker::random(200).keep_going(true).run::<(), _>(program);
        assert_eq!(report.failures(), 200);
        assert_eq!(report.failure().unwrap().message(), "main panicked: on purpose");
        assert_eq!(report.failure().unwrap().afterwards, Vec::<String>::new());
        assert_eq!(ALIVE.load(SeqCst), 0);
    }

    /// Destructors that use channels while their execution is put away neither wait nor hide the failure.
    #[test]
    fn destructors_that_use_channels() {
        struct Says(SyncSender<i32>);
        impl Drop for Says {
            fn drop(&mut self) {
                let _ = self.0.send(1);
                let _ = self.0.try_send(2);
                let _ = self.0.clone().send(3);
            }
        }
        struct Asks(Receiver<i32>);
        impl Drop for Asks {
            fn drop(&mut self) {
                let _ = self.0.try_recv();
                let _ = self.0.recv_timeout(SECOND);
                let _ = self.0.recv();
            }
        }
        for capacity in [0, 1, 8] {
            let report = Checker::random(100).keep_going(true).run::<(), _>(move || {
                let (tx, rx) = sync_channel(capacity);
                let (tx, rx) = (Says(tx), Asks(rx));
                thread::spawn(move || {
                    let _says = tx;
                    thread::yield_now();
                });
                let _asks = rx;
                thread::yield_now();
                panic!("on purpose");
            });
            assert!(report.failures() > 0);
            assert_eq!(report.failure().unwrap().kind(), FailureKind::Panic);
        }
    }

    /// The other end learns when a task panics and drops its own.
    #[test]
    fn a_panic_disconnects() {
        let report = explore(|| {
            let (tx, rx) = channel::<i32>();
            let sender = thread::spawn(move || {
                let _tx = tx;
                if true {
                    panic!("on purpose");
                }
            });
            let got = rx.recv();
            assert!(sender.join().is_err());
            got == Err(RecvError)
        });
        assert_eq!(set(&report), BTreeSet::from([true]));
    }

    /// A detached receiver still waits when main ends.
    #[test]
    fn a_detached_receiver_may_wait() {
        let report = explore(|| {
            let (tx, rx) = channel::<i32>();
            thread::spawn(move || rx.recv());
            std::mem::forget(tx);
        });
        assert_eq!(report.executions(), 1);
    }
}
