//! account: a check with a wrong sum, which runs only when both transfers are done.
//!
//! Bug: the expected balance has the wrong sign. It needs a schedule in which the check comes last.

use super::rt::sync::Mutex;
use super::{Crew, Fixed, Form};

struct Account {
    balance: i64,
    deposited: bool,
    withdrawn: bool,
}

const START: i64 = 1;
const DEPOSIT: i64 = 2;
const WITHDRAWAL: i64 = 4;

pub fn run(form: Form) {
    let account = Account { balance: START, deposited: false, withdrawn: false };
    Crew::new(Mutex::new(account))
        .task(|account| {
            let mut account = account.lock().unwrap(); // cause
            account.balance += DEPOSIT;
            account.deposited = true;
        })
        .task(|account| {
            let mut account = account.lock().unwrap(); // cause
            account.balance -= WITHDRAWAL;
            account.withdrawn = true;
        })
        .task(move |account| {
            let account = account.lock().unwrap(); // cause
            if account.deposited && account.withdrawn {
                let deposit = if form == Fixed { DEPOSIT } else { -DEPOSIT };
                assert_eq!(account.balance, START + deposit - WITHDRAWAL, "the balance is wrong");
            }
        })
        .join();
}
