//! Nothing can move, and somebody waits: who, for what, held by whom since where.

use crate::{fails, lines, notes, passes, snapshot};
use raddle::sync::{Arc, Condvar, Mutex};
use raddle::{Checker, FailureKind, thread};

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
    let here = "since crates/raddle/tests/verdicts/deadlock.rs:10";
    let facts = notes(&failure);
    assert_eq!(facts.len(), 2);
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
    let fact = notes(&failure)[0];
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
    /// Looks, lets go of the lock, and only then waits.
    fn take(&self) -> &'static str {
        if self.letters.lock().unwrap().is_empty() {
            let letters = self.letters.lock().unwrap();
            drop(self.arrived.wait(letters).unwrap());
        }
        self.letters.lock().unwrap().pop().expect("a letter has arrived")
    }
    /// Waits only while there is nothing, as one should.
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
