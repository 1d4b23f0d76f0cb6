//! A Treiber stack whose nodes are reused.
//!
//! Bug: the compare-exchange of a pop cannot distinguish a head from the same one after a pop and a push
//! (ABA). It needs a pop that is preempted while the other thread pops two nodes and pushes the first again.

use super::{Crew, Fixed, Form, Var};

const NODES: usize = 3;
const NONE: i64 = -1;
/// The fixed form counts pops in the head, in steps of this.
const ROUND: i64 = 1 << 8;

struct Stack {
    head: Var,
    next: [Var; NODES],
    owned: [Var; NODES],
}

fn node(head: i64) -> i64 {
    (head + 1) % ROUND - 1
}

impl Stack {
    fn pop(&self, form: Form) -> Option<usize> {
        loop {
            let head = self.head.get(); // cause
            if node(head) == NONE {
                return None;
            }
            let next = self.next[node(head) as usize].get(); // cause
            let rounds = if form == Fixed { head - node(head) + ROUND } else { 0 };
            if self.head.change(head, rounds + next).is_ok() {
                // cause
                return Some(node(head) as usize);
            }
        }
    }

    fn push(&self, element: usize) {
        loop {
            let head = self.head.get();
            self.next[element].set(node(head));
            if self.head.change(head, head - node(head) + element as i64).is_ok() {
                // cause
                return;
            }
        }
    }

    fn use_up(&self, popped: Option<usize>) {
        if let Some(element) = popped {
            assert_eq!(self.owned[element].swap(1), 0, "node {element} was popped twice");
        }
    }
}

pub fn run(form: Form) {
    let stack =
        Stack { head: Var::new(0), next: [1, 2, NONE].map(Var::new), owned: [0; NODES].map(Var::new) };
    Crew::new(stack)
        .task(move |stack| {
            stack.use_up(stack.pop(form));
            stack.use_up(stack.pop(form));
        })
        .task(move |stack| {
            let first = stack.pop(form);
            stack.use_up(stack.pop(form));
            if let Some(first) = first {
                stack.push(first);
            }
        })
        .join();
}
