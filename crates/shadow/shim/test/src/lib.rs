//! `test` as explored programs see it: the real one, except that the tests of a program can be listed and explored one
//! by one. Without such a request a program executes its tests as usual.
#![feature(test)]

extern crate test as real;

mod explore;
mod long;
mod memory;
mod protocol;
mod statics;
mod symbols;
mod answer_file;
mod determinism_probe;
mod verdict;

pub use real::*;

/// What the harness that the compiler makes calls.
pub fn test_main_static(tests: &[&TestDescAndFn]) {
    let wish = answer_file::wish();
    match wish.as_ref().map(|(wish, order)| (wish.as_str(), order)) {
        Some((protocol::LIST, _)) => list(tests),
        Some((protocol::EXPLORE, order)) => explore::explore(tests, order),
        Some((other, _)) => {
            eprintln!("raddle: {} is `{other}`, which this build does not know", protocol::WISH);
            std::process::exit(2);
        }
        None => real::test_main_static(tests),
    }
}

fn list(tests: &[&TestDescAndFn]) {
    for test in tests.iter().filter(|t| matches!(t.testfn, TestFn::StaticTestFn(_))) {
        let ignored = test.desc.ignore.then(|| test.desc.ignore_message.unwrap_or_default().to_owned());
        answer_file::say(&protocol::Listed { name: test.desc.name.as_slice().to_owned(), ignored });
    }
}
