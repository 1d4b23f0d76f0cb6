//! Names of tasks that are the same in every execution: the parent's name and the number there.
//!
//! Tasks are numbered in the order of creation, which depends on the schedule as soon as two tasks create tasks. A
//! schedule that is transferred from one execution to another therefore uses names.

use crate::operation::TaskId;
use crate::world::Birth;
use std::cmp::Ordering;

/// A task's name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::strategy::dpor) struct Name(pub u32);

/// The parent of tasks that exist from the start.
const NO_PARENT: u32 = u32::MAX;

/// All names so far, and their tasks in the present execution.
#[derive(Clone, Debug, Default)]
pub(in crate::strategy::dpor) struct Names {
    /// Parent and number there, by name.
    all: Vec<(u32, u32)>,
    /// The same in ascending order, each with its name. Children mostly appear in their order.
    known: Vec<((u32, u32), u32)>,
    /// The names of the tasks of the present execution.
    bearers: Vec<Name>,
    /// The last task of each name.
    tasks: Vec<TaskId>,
}

impl Names {
    /// Parent and number there of each name.
    pub fn table(&self) -> &[(u32, u32)] {
        &self.all
    }
    /// Names without tasks.
    pub fn of_table(all: Vec<(u32, u32)>) -> Names {
        let mut known: Vec<_> = all.iter().enumerate().map(|(name, birth)| (*birth, name as u32)).collect();
        known.sort_unstable();
        Names { tasks: vec![TaskId(u32::MAX); all.len()], known, bearers: Vec::new(), all }
    }
    /// Removes all names.
    pub fn clear(&mut self) {
        self.all.clear();
        self.known.clear();
        self.bearers.clear();
        self.tasks.clear();
    }
    /// Keeps the first `tasks` tasks.
    #[inline]
    pub fn truncate(&mut self, tasks: usize) {
        self.bearers.truncate(tasks);
    }
    /// Adds `task`, the next one, with this birth.
    pub fn bear(&mut self, task: TaskId, birth: Birth) {
        let parent = if birth.parent == task { NO_PARENT } else { self.of(birth.parent).0 };
        let next = self.all.len() as u32;
        let known = (parent, birth.number);
        // Tasks are mostly created in the same order as in the previous execution.
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
    /// The task of `name` in the present execution.
    #[inline]
    pub fn task(&self, name: Name) -> Option<TaskId> {
        let task = *self.tasks.get(name.0 as usize)?;
        (self.bearers.get(task.index()) == Some(&name)).then_some(task)
    }
    /// An order of tasks that is the same in every execution.
    pub fn order(&self, one: TaskId, two: TaskId) -> Ordering {
        let (one, two) = (self.of(one), self.of(two));
        let ((above, a), (beside, b)) = (self.all[one.0 as usize], self.all[two.0 as usize]);
        if above == beside { a.cmp(&b) } else { self.order_of_cousins(one, two) }
    }
    /// The same for children of different parents: by the first numbers of their paths that differ.
    #[cold]
    fn order_of_cousins(&self, one: Name, two: Name) -> Ordering {
        let (mut a, mut b) = (one.0, two.0);
        let (deep, shallow) = (self.depth(a), self.depth(b));
        for _ in shallow..deep {
            a = self.all[a as usize].0;
        }
        for _ in deep..shallow {
            b = self.all[b as usize].0;
        }
        if a == b {
            return deep.cmp(&shallow);
        }
        loop {
            let ((above, one), (beside, two)) = (self.all[a as usize], self.all[b as usize]);
            if above == beside {
                return one.cmp(&two);
            }
            (a, b) = (above, beside);
        }
    }
    /// The length of the path from the start to `name`, inclusive.
    fn depth(&self, name: u32) -> u32 {
        let (mut at, mut depth) = (name, 0);
        while at != NO_PARENT {
            at = self.all[at as usize].0;
            depth += 1;
        }
        depth
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_ordered_by_the_numbers_on_the_way() {
        let mut names = Names::default();
        let births = [(0, 0), (0, 1), (0, 2), (1, 1), (2, 1), (3, 1), (1, 2)];
        for (task, (parent, number)) in births.into_iter().enumerate() {
            names.bear(TaskId(task as u32), Birth { parent: TaskId(parent), number, after: 0 });
        }
        // In the order of their paths: 0, 0.1, 0.1.1, 0.1.1.1, 0.1.2, 0.2, 0.2.1.
        let expected = [0, 1, 3, 5, 6, 2, 4].map(TaskId);
        for (i, one) in expected.iter().enumerate() {
            for (j, two) in expected.iter().enumerate() {
                assert_eq!(names.order(*one, *two), i.cmp(&j), "{one:?} {two:?}");
            }
        }
    }
}
