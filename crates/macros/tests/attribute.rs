//! The attribute as the compiler and the harness see it, with this file as a minimal `raddle` crate: its
//! `Checker` only records its settings.

#![allow(missing_docs)]

extern crate self as raddle;

pub use raddle_macros::test;

use std::time::Duration;

/// The settings of the checker, as text.
#[derive(Default)]
pub struct Checker(Vec<String>);

#[derive(Debug)]
pub enum Time {
    Any,
    Idle,
}

#[derive(Debug)]
pub enum Detached {
    Allowed,
    MustFinish,
}

#[derive(Debug)]
pub enum Memory {
    Rc11,
}

pub struct Sampler(&'static str);

impl Checker {
    pub fn exhaustive() -> Checker {
        Checker::default().note("exhaustive")
    }
    pub fn dfs() -> Checker {
        Checker::default().note("dfs")
    }
    pub fn random(schedules: u64) -> Checker {
        Checker::default().note(format!("random {schedules}"))
    }
    pub fn replay(ticket: &str) -> Checker {
        Checker::default().note(format!("replay {ticket}"))
    }
    pub fn seed(self, seed: u64) -> Checker {
        self.note(format!("seed {seed}"))
    }
    pub fn sampler(self, sampler: Sampler) -> Checker {
        self.note(format!("sampler {}", sampler.0))
    }
    pub fn workers(self, workers: usize) -> Checker {
        self.note(format!("workers {workers}"))
    }
    pub fn preemptions(self, preemptions: u32) -> Checker {
        self.note(format!("preemptions {preemptions}"))
    }
    pub fn max_steps(self, steps: usize) -> Checker {
        self.note(format!("max_steps {steps}"))
    }
    pub fn spurious(self, wakeups: u32) -> Checker {
        self.note(format!("spurious {wakeups}"))
    }
    pub fn time(self, time: Time) -> Checker {
        self.note(format!("time {time:?}"))
    }
    pub fn time_limit(self, limit: Duration) -> Checker {
        self.note(format!("time_limit {limit:?}"))
    }
    pub fn stack_size(self, bytes: usize) -> Checker {
        self.note(format!("stack_size {bytes}"))
    }
    pub fn keep_going(self) -> Checker {
        self.note("keep_going".to_owned())
    }
    pub fn memory(self, memory: Memory) -> Checker {
        self.note(format!("memory {memory:?}"))
    }
    pub fn detached(self, detached: Detached) -> Checker {
        self.note(format!("detached {detached:?}"))
    }
    pub fn name(self, name: &str) -> Checker {
        self.note(format!("name {name}"))
    }
    fn note(mut self, line: impl Into<String>) -> Checker {
        self.0.push(line.into());
        self
    }
}

pub mod __private {
    use std::cell::RefCell;

    thread_local! {
        /// The settings of the checker of the running test.
        pub static TOLD: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    }

    pub const fn sampler(name: &'static str) -> crate::Sampler {
        crate::Sampler(name)
    }

    pub trait TestResult {}
    impl TestResult for () {}
    impl<E> TestResult for Result<(), E> {}

    pub fn run_test<T: TestResult>(checker: crate::Checker, body: fn() -> T) -> T {
        TOLD.set(checker.0);
        body()
    }
}

/// Asserts the settings of the checker of the running test.
#[track_caller]
fn told(expected: &[&str]) {
    __private::TOLD.with_borrow(|told| assert_eq!(told, expected));
}

mod nested {
    use super::told;

    #[raddle::test]
    fn the_name_has_its_module() {
        told(&["exhaustive", "name attribute::nested::the_name_has_its_module"]);
    }
}

#[raddle::test(
    random = 10_000, seed = 7, sampler = "pct:4", workers = 2, preemptions = 2, max_steps = 500, spurious = 1, time = any,
    time_limit = "5s", stack_size = 65_536, keep_going, detached = finished, memory = "rc11",
)]
fn every_setting() {
    told(&[
        "random 10000",
        "seed 7",
        "sampler pct:4",
        "workers 2",
        "preemptions 2",
        "max_steps 500",
        "spurious 1",
        "time Any",
        "time_limit 5s",
        "stack_size 65536",
        "keep_going",
        "detached MustFinish",
        "memory Rc11",
        "name attribute::every_setting",
    ]);
}

#[raddle::test(dfs, time = idle, detached = allowed, time_limit = 90)]
fn the_other_words() {
    told(&["dfs", "time Idle", "detached Allowed", "time_limit 90s", "name attribute::the_other_words"]);
}

#[raddle::test(replay = "a ticket")]
fn replaying() {
    told(&["replay a ticket", "name attribute::replaying"]);
}

#[raddle::test]
#[should_panic(expected = "as it should")]
fn panics() {
    panic!("as it should");
}

#[raddle::test]
#[ignore = "it would fail"]
fn ignored() {
    panic!("ignored tests do not run");
}

#[raddle::test]
#[cfg(any())]
fn not_compiled() {
    this_does_not_exist();
}

#[raddle::test]
fn returns_a_result() -> Result<(), std::num::ParseIntError> {
    let seven: u8 = "7".parse()?;
    assert_eq!(seven, 7);
    Ok(())
}

/// A name that a careless expansion would shadow in the test below.
fn body() -> u8 {
    7
}

#[raddle::test]
fn names_outside_stay_visible() {
    let checker = body();
    assert_eq!(checker, 7);
}

macro_rules! sampled {
    ($name:ident, $schedules:literal, $output:ty, $body:block) => {
        #[raddle::test(random = $schedules)]
        fn $name() -> $output $body
    };
}

sampled!(written_by_a_macro, 3, Result<(), String>, {
    told(&["random 3", "name attribute::written_by_a_macro"]);
    Ok(())
});
