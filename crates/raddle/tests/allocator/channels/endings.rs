//! Exits of executions and tasks while channels are in use.

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

/// All messages in a channel, offered or awaited when an execution fails, are dropped and nothing hangs.
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
    let report = Checker::random(200).keep_going().run::<(), _>(program);
    assert_eq!(report.failures(), 200);
    assert_eq!(report.failure().unwrap().message(), "main panicked: on purpose");
    assert!(report.failure().unwrap().afterwards.is_empty());
    assert_eq!(ALIVE.load(SeqCst), 0);
}

/// Destructors that use channels during teardown neither wait nor hide the failure.
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
        let report = Checker::random(100).keep_going().run::<(), _>(move || {
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

/// The other end observes that a task panics and drops its own end.
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

/// A detached receiver still waits when main exits.
#[test]
fn a_detached_receiver_may_wait() {
    let report = explore(|| {
        let (tx, rx) = channel::<i32>();
        thread::spawn(move || rx.recv());
        std::mem::forget(tx);
    });
    assert_eq!(report.executions(), 1);
}
