//! Names of tasks that are the same in every execution: the parent's name and the number there.
//!
//! Tasks are numbered in the order of creation, which depends on the schedule as soon as two tasks create
//! tasks. A schedule that is carried over from one execution to another therefore speaks of names.

use crate::operation::TaskId;
use crate::world::Birth;
use std::cmp::Ordering;

/// A task's name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::strategy) struct Name(pub u32);

/// The parent of those that were there from the start.
const NOBODY: u32 = u32::MAX;

/// All names that were ever met, and who bears them in the present execution.
#[derive(Clone, Debug, Default)]
pub(in crate::strategy) struct Names {
    /// Parent and number there, by name.
    all: Vec<(u32, u32)>,
    /// The same in ascending order, each with its name. Children are mostly met in their order.
    known: Vec<((u32, u32), u32)>,
    /// The names of the tasks of the present execution.
    bearers: Vec<Name>,
    /// The last task that bore a name, by name.
    tasks: Vec<TaskId>,
}

impl Names {
    /// Parent and number there of each name.
    pub fn table(&self) -> &[(u32, u32)] {
        &self.all
    }
    /// Nobody bears these names yet.
    pub fn of_table(all: Vec<(u32, u32)>) -> Names {
        let mut known: Vec<_> = all.iter().enumerate().map(|(name, birth)| (*birth, name as u32)).collect();
        known.sort_unstable();
        Names { tasks: vec![TaskId(u32::MAX); all.len()], known, bearers: Vec::new(), all }
    }
    /// No name was ever met.
    pub fn clear(&mut self) {
        self.all.clear();
        self.known.clear();
        self.bearers.clear();
        self.tasks.clear();
    }
    /// Only the first `tasks` tasks are left.
    #[inline]
    pub fn truncate(&mut self, tasks: usize) {
        self.bearers.truncate(tasks);
    }
    /// `task`, the next one, has this birth.
    pub fn bear(&mut self, task: TaskId, birth: Birth) {
        let parent = if birth.parent == task { NOBODY } else { self.of(birth.parent).0 };
        let next = self.all.len() as u32;
        let known = (parent, birth.number);
        // Mostly tasks are created in the same order as in the execution before.
        let name = match self.all.get(task.index()) {
            Some(same) if *same == known => task.0,
            _ => match self.known.binary_search_by_key(&known, |(birth, _)| *birth) {
                Ok(at) => self.known[at].1,
                Err(at) => {
                    self.known.insert(at, (known, next));
                    next
                }
            },
        };
        if name == next {
            self.all.push(known);
            self.tasks.push(task);
        }
        self.tasks[name as usize] = task;
        self.bearers.push(Name(name));
    }
    #[inline]
    pub fn of(&self, task: TaskId) -> Name {
        self.bearers[task.index()]
    }
    /// Who bears `name` in the present execution.
    #[inline]
    pub fn task(&self, name: Name) -> Option<TaskId> {
        let task = *self.tasks.get(name.0 as usize)?;
        (self.bearers.get(task.index()) == Some(&name)).then_some(task)
    }
    /// An order of tasks that is the same in every execution.
    pub fn order(&self, one: TaskId, two: TaskId) -> Ordering {
        let (one, two) = (self.of(one), self.of(two));
        let ((above, a), (beside, b)) = (self.all[one.0 as usize], self.all[two.0 as usize]);
        if above == beside { a.cmp(&b) } else { self.path(one).cmp(&self.path(two)) }
    }
    /// The numbers on the way from the start to `name`.
    fn path(&self, name: Name) -> Vec<u32> {
        let mut path = Vec::new();
        let mut at = name.0;
        while at != NOBODY {
            let (parent, number) = self.all[at as usize];
            path.push(number);
            at = parent;
        }
        path.reverse();
        path
    }
}
