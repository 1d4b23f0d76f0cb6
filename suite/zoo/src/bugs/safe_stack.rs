//! SafeStack: a lock-free stack of indices that marks the element which is being popped (posted by Vyukov as
//! a challenge for checkers; no tool of the SCTBench study found its bug).
//!
//! Bug: the mark does not distinguish one round from the next, so an old head may be restored. It needs three
//! threads, two rounds each, and at least five preemptions in the right places.

use super::rt::sync::Mutex;
use super::rt::{hint, thread};
use super::{Crew, Fixed, Form, Var};

const ELEMENTS: usize = 3;
const NONE: i64 = -1;

struct SafeStack {
    lock: Mutex<()>,
    head: Var,
    count: Var,
    next: [Var; ELEMENTS],
    owner: [Var; ELEMENTS],
}

impl SafeStack {
    fn new() -> SafeStack {
        let next = [1, 2, NONE].map(Var::new);
        let owner = [NONE; ELEMENTS].map(Var::new);
        let (head, count) = (Var::new(0), Var::new(ELEMENTS as i64));
        SafeStack { lock: Mutex::new(()), head, count, next, owner }
    }

    fn pop(&self) -> Option<usize> {
        while self.count.get() > 1 {
            let head = self.head.get(); // cause
            let element = head as usize;
            let next = self.next[element].swap(NONE); // cause
            if next != NONE {
                if self.head.change(head, next).is_ok() {
                    // cause
                    self.count.fetch_add(-1);
                    return Some(element);
                }
                self.next[element].swap(next); // cause
            }
            hint::spin_loop();
        }
        None
    }

    fn push(&self, element: usize) {
        let mut head = self.head.get();
        loop {
            self.next[element].set(head);
            match self.head.change(head, element as i64) {
                Ok(()) => break,
                Err(other) => head = other,
            }
        }
        self.count.fetch_add(1);
    }
}

fn user(stack: &SafeStack, me: i64, form: Form) {
    for _ in 0..2 {
        let element = loop {
            let guard = (form == Fixed).then(|| stack.lock.lock().unwrap());
            if let Some(element) = stack.pop() {
                break element;
            }
            drop(guard);
            thread::yield_now();
        };
        stack.owner[element].set(me);
        assert_eq!(stack.owner[element].get(), me, "two threads have one element");
        let _guard = (form == Fixed).then(|| stack.lock.lock().unwrap());
        stack.push(element);
    }
}

pub fn run(form: Form) {
    let mut crew = Crew::new(SafeStack::new());
    for me in 0..3 {
        crew = crew.task(move |stack| user(stack, me, form));
    }
    crew.join();
}
