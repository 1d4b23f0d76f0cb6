//! stack: one thread pushes, the other pops after a push was signalled.
//!
//! Bug: a past push does not imply that an element is there. It needs more pops than pushes so far.

use super::rt::sync::Mutex;
use super::{Crew, Fixed, Form};

const N: usize = 5;

pub fn run(form: Form) {
    Crew::new(Mutex::new((Vec::new(), false)))
        .task(|stack| {
            for i in 0..N {
                let (elements, pushed) = &mut *stack.lock().unwrap(); // cause
                elements.push(i);
                *pushed = true;
            }
        })
        .task(move |stack| {
            for _ in 0..N {
                let (elements, pushed) = &mut *stack.lock().unwrap(); // cause
                let there = if form == Fixed { !elements.is_empty() } else { *pushed };
                if there {
                    assert!(elements.pop().is_some(), "the stack is empty");
                }
            }
        })
        .join();
}
