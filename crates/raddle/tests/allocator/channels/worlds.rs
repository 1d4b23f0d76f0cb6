//! Inside and outside of executions: std's own behaviour, misuse, statics, names and bounds.

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
        for note in &failure.defect.facts {
            assert!(note.place.as_ref().unwrap().to_string().contains(file!()), "{note:?}");
        }
    }
    // It is still valid outside.
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
    // Which is made twice.
    assert_eq!(failure.execution(), 1);
    assert!(failure.message().starts_with("a Channel of another execution is used outside of it"));
    // Outside all executions the error is reported to the caller alone.
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

#[test]
fn labels() {
    let failure = failure(|| {
        let (tx, rx) = channel::<i32>();
        let (sync_tx, sync_rx) = sync_channel::<i32>(0);
        raddle::label(&tx, "orders");
        raddle::label(&sync_rx, "hand-over");
        raddle::label(&rx, "bills");
        thread::spawn(move || sync_tx.send(1));
        let _ = rx.recv();
        drop(sync_rx);
    });
    let named =
        ["main waits to recv Channel#1 \"bills\"", "main.1 waits to send SyncChannel#1 \"hand-over\""];
    assert_eq!(notes(&failure), named);
    // Outside there is no object to label.
    raddle::label(&channel::<i32>().0, "nothing");
}

/// A failure is reproduced by its ticket.
#[test]
fn a_deadlock_replays() {
    let program = || {
        let (tx, rx) = sync_channel(0);
        let other = tx.clone();
        let tasks = [thread::spawn(move || tx.send(1)), thread::spawn(move || other.try_send(2).or(Ok(())))];
        let got = [rx.recv().is_ok(), rx.recv_timeout(SECOND).is_ok(), rx.recv().is_ok()];
        tasks.into_iter().for_each(|t| _ = t.join().unwrap().is_ok());
        assert_eq!(got, [true, false, false]);
    };
    let found = failure(program);
    let again = Checker::replay(found.ticket().to_string()).run(program);
    let again = again.failure().expect("fails again");
    assert_eq!((again.kind(), again.message().as_str()), (found.kind(), found.message().as_str()));
    assert_eq!(again.trace(), found.trace());
}

/// Ends are counted by the thread of their execution. An end that is dropped on another thread is not
/// counted, without further effect.
#[test]
fn an_end_may_get_lost_on_another_thread() {
    let report = explore(|| {
        let (tx, rx) = channel();
        let lost = tx.clone();
        tx.send(1).unwrap();
        std::thread::spawn(move || drop(lost)).join().unwrap();
        drop(tx);
        (rx.recv().ok(), word(rx.try_recv()))
    });
    assert_eq!(set(&report), BTreeSet::from([(Some(1), "Empty".to_owned())]));
}
