//! Two deposits into one account, and the interleaving that loses one of them.
//!
//! `cargo run --example bank` finds it, shows it, and writes a ticket that replays it.

use raddle::sync::Arc;
use raddle::sync::atomic::{AtomicU64, Ordering::SeqCst};
use raddle::thread;

fn deposit(balance: &AtomicU64, amount: u64) {
    let seen = balance.load(SeqCst);
    balance.store(seen + amount, SeqCst);
}

fn no_deposit_is_lost() {
    let balance = Arc::new(AtomicU64::new(0));
    let theirs = balance.clone();
    let friend = thread::spawn(move || deposit(&theirs, 100));
    deposit(&balance, 50);
    friend.join().unwrap();
    assert_eq!(balance.load(SeqCst), 150, "a deposit was lost");
}

fn main() {
    let report = raddle::Checker::exhaustive().name("bank").run(no_deposit_is_lost);
    print!("{}", report.for_terminal());
}
