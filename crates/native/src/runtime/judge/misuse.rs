//! Uses of the library that it does not support.
//!
//! Invariant: a misuse fails the execution at once and names the operation that is not supported.

use super::evidence::Evidence;
use crate::runtime::operation::NO_OBJECT;
use crate::runtime::scheduler::AtomicStep;
use raddle_core::fact::{Fact, Relation};
use raddle_core::verdict::{Cause, Defect};

impl Evidence<'_> {
    /// The running task announces an operation in the middle of an atomic step.
    #[cold]
    pub fn operation_in_atomic_step(&self, (step, place): AtomicStep) -> Defect {
        let me = self.task_name(self.tasks.current());
        let op = &self.tasks.running().op;
        let name = self.object_name(step);
        let what = match op.object {
            NO_OBJECT => op.kind.name.to_owned(),
            object => format!("{} {}", op.kind.name, self.object_name(object)),
        };
        let cause = Cause::InAtomicStep { task: me.clone(), operation: what.clone(), step: name.clone() };
        Defect::of(cause)
            .with(Fact::new(Relation::AtomicStepBegan).object(name).at(Some(place.into())))
            .with(Fact::of(me, Relation::WantsTo { operation: what }).at(Some(op.place.into())))
    }
}
