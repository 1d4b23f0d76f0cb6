//! Names of tasks that do not depend on the schedule: `main.1.2`, the parent's name and the number of the child there.
//!
//! Invariant: a name is the same in every execution in which the task is created by the same parent as the same child
//! (the logical ids of Concuerror).

use super::Tasks;
use super::task::Role;
use raddle_core::operation::TaskId;

impl Tasks {
    /// `main.1.2`, or `main.1~timer2` for a phantom.
    pub fn name(&self, id: TaskId) -> String {
        let task = &self[id];
        match task.role {
            _ if id == TaskId::MAIN => "main".to_owned(),
            Role::Janitor => "the end of the execution".to_owned(),
            Role::Thread => format!("{}.{}", self.name(task.parent), task.number),
            Role::Timer { of, number } => format!("{}~timer{number}", self.name(of)),
        }
    }
}
