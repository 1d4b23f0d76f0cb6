//! A bank account with an ordinary unit test, which passes almost every time.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// An account that several threads may use.
#[derive(Default)]
pub struct Account {
    balance: AtomicU64,
}

impl Account {
    /// Adds to the balance.
    pub fn deposit(&self, amount: u64) {
        let seen = self.balance.load(SeqCst);
        self.balance.store(seen + amount, SeqCst);
    }

    /// What is there.
    pub fn balance(&self) -> u64 {
        self.balance.load(SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::thread;

    #[test]
    fn a_deposit_is_seen() {
        let account = Account::default();
        account.deposit(100);
        assert_eq!(account.balance(), 100);
    }

    #[test]
    fn no_deposit_is_lost() {
        let account = Arc::new(Account::default());
        let theirs = account.clone();
        let friend = thread::spawn(move || theirs.deposit(100));
        account.deposit(50);
        friend.join().unwrap();
        assert_eq!(account.balance(), 150, "a deposit was lost");
    }
}
