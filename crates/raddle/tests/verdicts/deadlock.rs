//! No task is enabled, and some are blocked: which, on what, held by which task since where.

use crate::{fails, fails_under, lines, notes, passes, snapshot};
use raddle::sync::{Arc, Condvar, Mutex, mpsc};
use raddle::thread::{self, JoinHandle};
use raddle::{Checker, Detached, FailureKind};

type Account = Arc<Mutex<i64>>;

fn transfer(from: &Account, to: &Account, amount: i64) {
    let mut from = from.lock().unwrap();
    let mut to = to.lock().unwrap();
    *from -= amount;
    *to += amount;
}

/// Each transfer takes the locks in an order of its own.
fn both_ways() {
    let (a, b) = (Account::default(), Account::default());
    let task = thread::spawn({
        let (a, b) = (a.clone(), b.clone());
        move || transfer(&a, &b, 1)
    });
    transfer(&b, &a, 1);
    task.join().unwrap();
}

#[test]
fn two_locks_in_two_orders() {
    let failure = fails("deadlock_ab_ba", FailureKind::Deadlock, both_ways);
    assert_eq!(failure.message(), "nothing can move: main and main.1 wait for ever");
    let here = "since crates/raddle/tests/verdicts/deadlock.rs:11";
    let facts = notes(&failure);
    let circle = facts.last().unwrap();
    assert_eq!(circle, "a circle: main → main.1 → main, each waits for the next one");
    let facts = &facts[..2];
    assert!(
        facts[0].starts_with("main waits to lock ") && facts[0].contains(", held by main.1 "),
        "{facts:?}"
    );
    assert!(
        facts[1].starts_with("main.1 waits to lock ") && facts[1].contains(", held by main "),
        "{facts:?}"
    );
    assert!(facts.iter().all(|fact| fact.contains(here)), "{facts:?}");
    snapshot("deadlock_ab_ba_lines", &lines(&Checker::dfs().run(both_ways)));
}

#[test]
fn a_task_waits_for_itself() {
    let failure = fails("deadlock_self", FailureKind::Deadlock, || {
        let balance = Account::default();
        let guard = balance.lock().unwrap();
        // `transfer` takes it, too.
        transfer(&balance, &Account::default(), *guard);
    });
    assert_eq!(failure.message(), "nothing can move: main waits for ever");
    let fact = &notes(&failure)[0];
    assert!(fact.starts_with("main waits to lock Mutex#1, which it holds itself since "), "{fact}");
}

#[derive(Default)]
struct Mailbox {
    letters: Mutex<Vec<&'static str>>,
    arrived: Condvar,
}

impl Mailbox {
    fn put(&self, letter: &'static str) {
        self.letters.lock().unwrap().push(letter);
        self.arrived.notify_one();
    }
    /// Checks, releases the lock, and only then waits.
    fn take(&self) -> &'static str {
        if self.letters.lock().unwrap().is_empty() {
            let letters = self.letters.lock().unwrap();
            drop(self.arrived.wait(letters).unwrap());
        }
        self.letters.lock().unwrap().pop().expect("a letter has arrived")
    }
    /// Waits only while there is nothing, which is correct.
    fn take_rightly(&self) -> &'static str {
        let letters = self.letters.lock().unwrap();
        let mut letters = self.arrived.wait_while(letters, |letters| letters.is_empty()).unwrap();
        letters.pop().expect("wait_while says so")
    }
}

fn post(take: impl FnOnce(&Mailbox) -> &'static str) -> &'static str {
    let mailbox = Arc::new(Mailbox::default());
    let postman = thread::spawn({
        let mailbox = mailbox.clone();
        move || mailbox.put("a letter")
    });
    let letter = take(&mailbox);
    postman.join().unwrap();
    letter
}

#[test]
fn a_lost_wake_up() {
    let failure = fails("deadlock_lost_wake_up", FailureKind::Deadlock, || post(Mailbox::take));
    assert_eq!(failure.message(), "nothing can move: main waits for ever");
    assert_eq!(passes(|| post(Mailbox::take_rightly)).into_iter().collect::<Vec<_>>(), ["a letter"]);
}

#[test]
fn the_receiver_waits() {
    let failure = fails("deadlock_receiver_waits", FailureKind::Deadlock, || {
        let (jobs, queue) = mpsc::channel::<u32>();
        let worker = thread::spawn(move || queue.iter().sum::<u32>());
        jobs.send(1).unwrap();
        // The worker returns when there can be no more jobs, but `jobs` still exists.
        let sum = worker.join().unwrap();
        drop(jobs);
        sum
    });
    assert_eq!(failure.message(), "nothing can move: main and main.1 wait for ever");
    let facts = notes(&failure);
    assert_eq!(facts[0], "main waits to join main.1");
    assert!(facts[1].starts_with("main.1 waits to recv "), "{facts:?}");
}

#[test]
fn all_senders_wait() {
    let failure = fails("deadlock_senders_wait", FailureKind::Deadlock, || {
        let (results, inbox) = mpsc::sync_channel(1);
        let workers = [1, 2].map(|n| {
            let results = results.clone();
            thread::spawn(move || results.send(n).unwrap())
        });
        // There is room for one result, and it is not taken before all workers have returned.
        for worker in workers {
            worker.join().unwrap();
        }
        inbox.iter().take(2).sum::<u32>()
    });
    let facts = notes(&failure);
    assert!(facts.iter().any(|fact| fact.contains(" waits to send ")), "{facts:?}");
}

#[test]
fn a_rendezvous_that_both_send_to() {
    let failure = fails("deadlock_rendezvous", FailureKind::Deadlock, || {
        let ((to_main, from_task), (to_task, from_main)) = (mpsc::sync_channel(0), mpsc::sync_channel(0));
        let task = thread::spawn(move || {
            to_main.send(1).unwrap();
            from_main.recv().unwrap()
        });
        to_task.send(2).unwrap();
        from_task.recv().unwrap() + task.join().unwrap()
    });
    let facts = notes(&failure);
    assert!(facts.iter().all(|fact| fact.contains(" waits to send ")), "{facts:?}");
}

#[test]
fn two_that_join_each_other() {
    let failure = fails("deadlock_join_cycle", FailureKind::Deadlock, || {
        let (done, all_done) = mpsc::channel();
        let [first, second] = [(); 2].map(|()| {
            let (give, take) = mpsc::channel::<JoinHandle<()>>();
            let done = done.clone();
            let task = thread::spawn(move || {
                take.recv().unwrap().join().unwrap();
                done.send(()).unwrap();
            });
            (give, task)
        });
        first.0.send(second.1).unwrap();
        second.0.send(first.1).unwrap();
        all_done.recv().unwrap();
    });
    let facts = notes(&failure);
    let circle = "a circle: main.1 → main.2 → main.1, each waits for the next one";
    assert_eq!(facts[1..], ["main.1 waits to join main.2", "main.2 waits to join main.1", circle]);
    assert!(facts[0].starts_with("main waits to recv "), "{facts:?}");
}

#[test]
fn a_scope_that_waits_for_its_threads() {
    let failure = fails("deadlock_scope", FailureKind::Deadlock, || {
        let (left, right) = (Mutex::new(1), Mutex::new(2));
        thread::scope(|scope| {
            scope.spawn(|| *left.lock().unwrap() + *right.lock().unwrap());
            scope.spawn(|| *right.lock().unwrap() + *left.lock().unwrap());
        });
    });
    let facts = notes(&failure);
    assert_eq!(facts[3], "a circle: main.1 → main.2 → main.1, each waits for the next one");
    assert!(facts[1].contains("main.1 waits to lock ") && facts[1].contains("held by main.2"), "{facts:?}");
    assert!(facts[2].contains("main.2 waits to lock ") && facts[2].contains("held by main.1"), "{facts:?}");
}

/// Main returns without its worker, which is asked to stop but not joined.
#[test]
fn a_task_that_must_come_to_its_end() {
    let program = || {
        let (stop, stopped) = mpsc::channel::<()>();
        thread::spawn(move || stopped.recv());
        stop.send(()).unwrap();
    };
    passes(program);
    let checker = Checker::dfs().detached(Detached::MustFinish);
    let failure = fails_under(checker, "deadlock_must_finish", FailureKind::Deadlock, program);
    assert_eq!(failure.message(), "main has returned, but main.1 did not come to an end");
    assert!(notes(&failure)[0].starts_with("next: main.1 "), "{failure:?}");
}
