//! `test` as explored programs see it: the real one, except that the tests of a program can be listed and explored one
//! by one. A program that nobody asks for that runs its tests as ever.
#![feature(test)]

extern crate test as real;

mod explore;
mod long;
mod memory;
mod protocol;
mod statics;
mod symbols;
mod talk;
mod verdict;

pub use real::*;

/// What the harness that the compiler makes calls.
pub fn test_main_static(tests: &[&TestDescAndFn]) {
    match std::env::var(protocol::WISH).ok().as_deref() {
        Some(protocol::LIST) => list(tests),
        Some(protocol::EXPLORE) => explore::explore(tests),
        Some(other) => {
            eprintln!("raddle: {} is `{other}`, which this build does not know", protocol::WISH);
            std::process::exit(2);
        }
        None => real::test_main_static(tests),
    }
}

fn list(tests: &[&TestDescAndFn]) {
    for test in tests.iter().filter(|t| matches!(t.testfn, TestFn::StaticTestFn(_))) {
        let ignored = test.desc.ignore.then(|| test.desc.ignore_message.unwrap_or_default().to_owned());
        talk::say(&protocol::Listed { name: test.desc.name.as_slice().to_owned(), ignored });
    }
}
