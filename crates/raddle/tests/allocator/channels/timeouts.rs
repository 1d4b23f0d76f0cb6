//! Receives with a timeout, under both time policies.

use super::*;

fn receives_in_time(rx: Receiver<i32>, tx: impl FnOnce() + Send + 'static) -> String {
    let sender = thread::spawn(tx);
    let got = rx.recv_timeout(SECOND);
    sender.join().unwrap();
    word(got)
}

/// Timers fire only when no task is enabled, and the sender is.
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

/// Main has `b`, which arms the timer, and `r`, which `s` or the timer's `f` enables; the sender has `s d`. A
/// timeout needs `b f r` before `s`: then `s d` follow alone: 1 way. Otherwise `s` comes before `r`. Without
/// `f`: pairs of positions for `b` and `r` in `s d` with `b` not after `r` and `r` after `s`: 2 + 3. With `f`
/// in between: 3 + 6.
#[test]
fn the_number_of_ways() {
    let report = passed(Checker::dfs().time(Time::Any).run(|| {
        let (tx, rx) = channel();
        let sender = thread::spawn(move || tx.send(1).unwrap_or(()));
        let got = rx.recv_timeout(SECOND);
        sender.join().unwrap();
        word(got)
    }));
    assert_eq!(*report.outcomes(), counts([("1", 5 + 9), ("Timeout", 1)]));
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

/// A deadline that has passed does not wait, under any policy. In the first program the receive comes before
/// `s d`, between them or after them.
#[test]
fn no_time_at_all() {
    let report = explore(|| {
        let (tx, rx) = channel();
        let sender = thread::spawn(move || tx.send(1).unwrap());
        let got = rx.recv_timeout(Duration::ZERO);
        sender.join().unwrap();
        word(got)
    });
    assert_eq!(*report.outcomes(), counts([("1", 2), ("Timeout", 1)]));
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

/// A timeout beyond the range of the clock is infinite.
#[test]
fn all_the_time_there_is() {
    let failure = failure(|| {
        let (_tx, rx) = channel::<i32>();
        let _ = rx.recv_timeout(Duration::MAX);
    });
    assert_eq!(failure.kind(), FailureKind::Deadlock);
    assert_eq!(notes(&failure), ["main waits to recv_timeout Channel#1"]);
}

/// A receiver that has given up no longer waits: `try_send` finds none.
#[test]
fn a_receiver_that_gave_up_does_not_wait() {
    let report = explore(|| {
        let (tx, rx) = sync_channel(0);
        assert_eq!(rx.recv_timeout(SECOND), Err(RecvTimeoutError::Timeout));
        tx.try_send(1) == Err(TrySendError::Full(1))
    });
    assert_eq!(set(&report), BTreeSet::from([true]));
}
