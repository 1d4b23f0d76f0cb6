//! All that an operation may look at: the objects and the memory.
//!
//! Invariant: the evaluation of an operation sees a [`View`](super::objects::view::View) of a state and nothing else, so
//! it can be evaluated in a copy that shows the state after another prefix of the execution.

use super::memory::Memory;
use super::objects::{ObjectState, Objects};
use raddle_core::operation::ObjectId;

#[derive(Default)]
pub(crate) struct State {
    pub objects: Objects,
    pub memory: Memory,
}

impl State {
    /// Shows the facts of `present` that belong to no object, with another number of operations that may still happen
    /// spuriously, and memory in which the atomic of the operation has these bits, or those that it has now.
    pub fn show(&mut self, present: &State, spurious_left: u32, bits: Option<u64>) {
        self.objects.show_ambient(&present.objects, spurious_left);
        self.memory.show(bits);
    }
    /// Shows an object as it was.
    pub fn show_object(&mut self, object: ObjectId, state: ObjectState) {
        self.objects.show(object, state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::objects::view::View;
    use crate::runtime::operation::{Op, OperationKind};
    use raddle_core::clock::Time;
    use raddle_core::operation::TaskId;
    use std::panic::Location;

    static KIND: OperationKind = OperationKind::local("kind");

    /// An operation that is evaluated in a copy sees what the copy shows, and not what there is now.
    #[test]
    fn a_copy_shows_another_state() {
        let mut present = State::default();
        present.objects.reset(Time::Any, 2);
        let object = present.objects.add("object", TaskId::MAIN, 1, [7, 0]);
        present.objects.queue_mut(object).push(TaskId::MAIN);
        present.objects.clock();
        let atomic = 5u32;
        let args = [&raw const atomic as u64, 5];
        let op = Op::new(&KIND, object, Location::caller()).args(args);
        let mut copy = State::default();
        copy.show_object(object, ObjectState { words: [1, 2], tasks: 3 });
        copy.show(&present, 1, Some(6));
        let (now, then) = (View::new(&present, &op), View::new(&copy, &op));
        assert_eq!((now.object().words, now.object().tasks), ([7, 0], 1));
        assert_eq!((then.object().words, then.object().tasks), ([1, 2], 3));
        assert_eq!((now.spurious_left(), then.spurious_left()), (2, 1));
        assert_eq!((now.clock_object(), now.time()), (then.clock_object(), then.time()));
        assert!(now.reads_expected::<u32>() && !then.reads_expected::<u32>());
        copy.show(&present, 1, None);
        assert!(View::new(&copy, &op).reads_expected::<u32>());
    }
}
