//! The tasks of the present execution: when they were created, and which were removed before their step.

use super::Path;
use crate::operation::TaskId;
use crate::world::{Birth, Pending, Point};

#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    /// Its last step, plus 1.
    pub last: u32,
    /// The step of its parent that created it, plus 1.
    pub born: u32,
    pub birth: Birth,
    /// Its place in the list of phantoms that have taken no step, plus 1; 0 if it is none of them.
    phantom: u32,
}

impl Task {
    #[inline]
    pub fn is_phantom(&self) -> bool {
        self.birth.number & Birth::PHANTOM != 0
    }
    /// Its place in the list of phantoms that have taken no step, plus 1; 0 if it is none of them.
    #[inline]
    pub fn place_in_list(&self) -> u32 {
        self.phantom
    }
    /// The step before its next one by program order or birth, plus 1.
    #[inline]
    pub fn from(&self) -> u32 {
        if self.last > 0 { self.last } else { self.born }
    }
}

/// Adds a phantom that has taken no step to their list.
pub(super) fn list_phantom(phantoms: &mut Vec<TaskId>, tasks: &mut [Task], task: TaskId) {
    phantoms.push(task);
    tasks[task.index()].phantom = phantoms.len() as u32;
}

/// Removes the phantom in this place, plus 1, from the list; nothing if it is 0.
#[inline]
pub(super) fn unlist(phantoms: &mut Vec<TaskId>, tasks: &mut [Task], place: u32) {
    let Some(at) = (place as usize).checked_sub(1) else { return };
    phantoms.swap_remove(at);
    if let Some(moved) = phantoms.get(at) {
        tasks[moved.index()].phantom = place;
    }
}

impl Path {
    /// How many steps `task` has taken.
    #[inline]
    pub fn steps_of(&self, task: TaskId) -> u32 {
        let last = (self.tasks[task.index()].last as usize).checked_sub(1);
        last.map_or(0, |last| self.events[last].time)
    }
    /// How many steps `task` had taken after the first `steps` steps.
    pub fn steps_after(&self, task: TaskId, steps: usize) -> u32 {
        let mut last = self.tasks[task.index()].last as usize;
        while last > steps {
            last = self.events[last - 1].before as usize;
        }
        last.checked_sub(1).map_or(0, |last| self.events[last].time)
    }
    /// How many tasks are in the path.
    #[inline]
    pub fn tasks_met(&self) -> usize {
        self.tasks.len()
    }
    /// Whether all tasks are in the path, and none can have been removed.
    #[inline]
    pub fn has_all_tasks(&self, point: &Point<'_>) -> bool {
        self.tasks.len() == point.all().len() && self.phantoms.is_empty()
    }
    /// Adds the tasks that were created so far.
    #[inline]
    pub fn meet(&mut self, point: &Point<'_>) {
        while self.tasks.len() < point.all().len() {
            let birth = point.birth(TaskId(self.tasks.len() as u32));
            if birth.after as usize > self.len() {
                break;
            }
            self.bear(birth);
        }
    }
    /// Adds a task, as the next one.
    pub fn bear(&mut self, birth: Birth) {
        let task = TaskId(self.tasks.len() as u32);
        self.names.bear(task, birth);
        self.add_task(birth);
        if birth.number & Birth::PHANTOM != 0 {
            list_phantom(&mut self.phantoms, &mut self.tasks, task);
        }
    }
    /// A phantom takes its first step, or was removed.
    pub(super) fn unlist_phantom(&mut self, task: TaskId) {
        let place = std::mem::take(&mut self.tasks[task.index()].phantom);
        unlist(&mut self.phantoms, &mut self.tasks, place);
    }
    fn add_task(&mut self, birth: Birth) {
        let task = self.tasks.len();
        let mut born = if birth.parent.index() == task { 0 } else { self.tasks[birth.parent.index()].last };
        // Its parent may have taken further steps before the next choice.
        while born > birth.after {
            born = self.events[born as usize - 1].before;
        }
        if born == 0 && birth.parent.index() != task {
            born = self.tasks[birth.parent.index()].born;
        }
        self.tasks.push(Task { last: 0, born, birth, phantom: 0 });
    }
    /// The births of the tasks that were created after `depth` steps.
    pub fn born_after(&self, depth: usize) -> impl Iterator<Item = Birth> + '_ {
        self.tasks.iter().map(|t| t.birth).filter(move |b| b.after as usize > depth)
    }
    /// The births of all tasks.
    pub fn births(&self) -> impl Iterator<Item = Birth> + '_ {
        self.tasks.iter().map(|t| t.birth)
    }
    /// A phantom that was removed before its step. Each of them is returned once.
    #[inline]
    pub fn next_gone(&mut self, point: &Point<'_>) -> Option<TaskId> {
        if self.phantoms.is_empty() {
            return None;
        }
        let is_gone = |t: &&TaskId| *point.pending(**t) == Pending::NOTHING;
        let task = *self.phantoms.iter().find(is_gone)?;
        self.unlist_phantom(task);
        self.gone.push((task, self.len() as u32));
        Some(task)
    }
    /// These phantoms are known to have been removed.
    pub fn forget(&mut self, gone: Vec<(TaskId, u32)>) {
        gone.iter().for_each(|(task, _)| self.unlist_phantom(*task));
        self.gone = gone;
    }
}
