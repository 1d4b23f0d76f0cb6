//! Who there is in an execution: its tasks, the stacks that they run on, and which of them runs.
//!
//! Invariant: a task stands at the index of its id, and its box, and so its fiber, stays where it is until the execution
//! is put away. Tasks are stackful coroutines on pooled stacks, as those of corosensei are.

pub(in crate::runtime) mod end;
pub(in crate::runtime) mod fiber;
pub(crate) mod locals;
mod names;
pub(crate) mod stack;
pub(crate) mod task;

use crate::runtime::context::Switch;
use crate::runtime::plain::watch;
use corosensei::stack::Stack;
use fiber::{At, Fiber};
use raddle_core::operation::TaskId;
use stack::Stacks;
use std::ops::{Index, IndexMut, Range};
use std::sync::Arc;
use task::{Came, Phase, Role, Task};

/// The tasks of one execution. Memory is kept from one execution to the next.
pub(crate) struct Tasks {
    // Boxed so that a running fiber stays where it is when tasks are added.
    #[allow(clippy::vec_box)]
    list: Vec<Box<Task>>,
    /// How many of `list` belong to this execution.
    used: usize,
    /// The task that runs, or ran last.
    current: TaskId,
    stacks: Stacks,
    stack_size: usize,
    /// How many fibers have not returned yet.
    fibers: usize,
    /// Where the driver goes on, while a task runs.
    driver: At,
    /// The task that ran has come to its end, and will not go on where it was suspended.
    is_done: bool,
    /// A task has made a thread-local.
    has_locals: bool,
    /// A task has a name of its own, which is in the program's memory.
    has_labels: bool,
    /// Accesses of tasks to plain memory are watched.
    is_watched: bool,
}

impl Tasks {
    pub fn new(stack_size: usize) -> Tasks {
        Tasks {
            list: Vec::new(),
            used: 0,
            current: TaskId::MAIN,
            stacks: Stacks::new(stack_size),
            stack_size,
            fibers: 0,
            driver: At::NOWHERE,
            is_done: false,
            has_locals: false,
            has_labels: false,
            is_watched: false,
        }
    }

    /// There are no tasks. What they have made in the program's memory is gone.
    pub fn reset(&mut self) {
        self.used = 0;
    }

    /// Is as good as new, with stacks of this size.
    pub fn renew(&mut self, stack_size: usize) {
        if stack_size != self.stack_size {
            self.stacks = Stacks::new(stack_size);
            self.stack_size = stack_size;
        }
        self.current = TaskId::MAIN;
        self.has_labels = false;
    }

    /// How many tasks there are.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.used
    }

    /// For how many tasks there is memory.
    pub fn capacity(&self) -> usize {
        self.list.len()
    }

    pub fn ids(&self) -> impl DoubleEndedIterator<Item = TaskId> + ExactSizeIterator + use<> {
        (0..self.used as u32).map(TaskId)
    }

    /// The task that runs, or ran last.
    #[inline(always)]
    pub fn current(&self) -> TaskId {
        self.current
    }

    #[inline(always)]
    pub fn set_current(&mut self, id: TaskId) {
        self.current = id;
        if self.is_watched() {
            let task = &self[id];
            watch::skip(task.stack.start..task.known_stack.min(task.stack.end));
        }
    }

    /// Whether accesses of tasks to plain memory are watched from here on.
    pub fn watch(&mut self, yes: bool) {
        self.is_watched = yes;
    }
    #[inline(always)]
    pub fn is_watched(&self) -> bool {
        cfg!(feature = "arena") && self.is_watched
    }

    /// The task that runs.
    #[inline(always)]
    pub fn running(&self) -> &Task {
        &self[self.current]
    }

    #[inline(always)]
    pub fn running_mut(&mut self) -> &mut Task {
        let id = self.current;
        &mut self[id]
    }

    /// A new task.
    #[inline(always)]
    pub fn add(&mut self, role: Role, parent: TaskId, number: u32) -> TaskId {
        let id = TaskId(self.used as u32);
        if self.used == self.list.len() {
            self.list.push(Box::new(Task::new()));
        }
        self.used += 1;
        self[id].renew(role, parent, number);
        id
    }

    /// Gives a task a name of the program's own.
    #[inline(always)]
    pub fn label(&mut self, id: TaskId, label: Option<Arc<str>>) {
        self.has_labels |= label.is_some();
        self[id].label = label;
    }

    /// Gives a task a stack and something to do.
    ///
    /// # Safety
    /// What `body` borrows outlives the task.
    #[inline(always)]
    pub unsafe fn equip(&mut self, id: TaskId, stack_size: Option<usize>, body: impl FnOnce() -> Came) {
        let stack = self.stacks.take(stack_size);
        self[id].stack = stack.limit().get()..stack.base().get();
        // SAFETY: the caller's.
        let fiber = unsafe { Fiber::new(stack, move || super::context::enter(body)) };
        self[id].fiber = Some(fiber);
        self.fibers += 1;
    }

    /// How many tasks have begun, or may still begin, and have not come to their end.
    #[inline]
    pub fn fibers(&self) -> usize {
        self.fibers
    }

    /// From the running task to the driver.
    #[inline(always)]
    pub fn switch_to_driver(&mut self) -> Switch {
        let to = self.driver;
        let from: *mut Fiber = self.running_mut().fiber.as_mut().expect("a task that runs has a fiber");
        Switch { from, to }
    }

    /// Where a task that was suspended goes on.
    #[inline(always)]
    pub fn at(&self, id: TaskId) -> At {
        self[id].fiber.as_ref().expect("a task that runs has a fiber").at()
    }

    /// The fiber of a task, and where to put the place at which the driver goes on.
    #[inline(always)]
    pub fn fiber_and_driver(&mut self, id: TaskId) -> (*mut Fiber, *mut At) {
        let fiber: *mut Fiber = self[id].fiber.as_mut().expect("a task that runs has a fiber");
        (fiber, &raw mut self.driver)
    }

    /// The running task has come to its end, and leaves its stack for good.
    #[inline(always)]
    pub fn leave_for_good(&mut self) -> Switch {
        self.is_done = true;
        self.switch_to_driver()
    }

    /// Whether the task that ran has come to its end. Its stack can be used again then.
    #[inline(always)]
    pub fn has_left_for_good(&mut self) -> bool {
        self.is_done
    }

    /// The function of the running task's fiber has come to its end.
    #[inline(always)]
    pub fn reset_fiber(&mut self) {
        self.is_done = false;
        let fiber = self.running_mut().fiber.as_mut().expect("a task that ran has a fiber");
        // SAFETY: it was left where nothing is left to be dropped: see `context::enter`.
        unsafe { fiber.force_reset() };
    }

    /// The task on whose stack this address is.
    pub fn stacked_at(&self, address: usize) -> Option<TaskId> {
        self.ids().find(|id| self[*id].fiber.is_some() && self[*id].stack.contains(&address))
    }

    /// The running task has done an operation with its stack as large as it is at this address. Other tasks may know of what is
    /// on it; of frames that come from now on they do not, up to its next operation.
    #[inline]
    pub fn show_stack(&mut self, from: usize) {
        let task = self.running_mut();
        if task.stack.contains(&from) {
            task.known_stack = from;
            watch::skip(task.stack.start..from);
        }
    }

    /// The stack of a task.
    pub fn stack(&self, id: TaskId) -> &Range<usize> {
        &self[id].stack
    }

    /// Whether `address` belongs to the stack of one of the tasks.
    pub fn are_stacked_at(&self, address: usize) -> bool {
        let has = |id: TaskId| self[id].fiber.is_some() && self[id].stack.contains(&address);
        has(self.current()) || self.ids().any(has)
    }

    /// A task's fiber has returned: its stack is given back. Returns the memory that it was.
    #[inline(always)]
    pub fn retire(&mut self, id: TaskId) -> Option<Range<usize>> {
        self[id].progress.look_closely();
        let stack = self[id].fiber.take()?.into_stack();
        self.fibers -= 1;
        let range = stack.limit().get()..stack.base().get();
        self.stacks.give_back(stack);
        Some(range)
    }

    /// Takes the fiber of a task that will never go on, without unwinding it. Says whether its stack is to be retired.
    pub fn abandon(&mut self, id: TaskId) -> bool {
        let task = &mut self[id];
        let Some(fiber) = &mut task.fiber else { return false };
        if !fiber.started() {
            // Never ran: dropping it destroys its closure.
            task.fiber = None;
            self.fibers -= 1;
            return false;
        }
        // SAFETY: nothing refers to the stack any more: all other tasks are gone. What its frames own is leaked, as at
        // the exit of a process.
        unsafe { fiber.force_reset() };
        true
    }

    /// What is in the program's memory, and does not outlive its execution, is dropped.
    pub fn drop_labels(&mut self) {
        if std::mem::take(&mut self.has_labels) {
            for id in self.ids() {
                self[id].label = None;
            }
        }
    }

    /// Whether main has come to its end.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.used > 0 && self[TaskId::MAIN].phase == Phase::Ended
    }

    /// Whether all other tasks of the program have come to their end.
    pub fn is_main_alone(&self) -> bool {
        self.ids().skip(1).all(|t| self[t].role != Role::Thread || self[t].phase == Phase::Ended)
    }
}

impl Index<TaskId> for Tasks {
    type Output = Task;
    #[inline(always)]
    fn index(&self, id: TaskId) -> &Task {
        debug_assert!(id.index() < self.used);
        // SAFETY: ids are only made by `add`, and the list never gets shorter.
        unsafe { self.list.get_unchecked(id.index()) }
    }
}

impl IndexMut<TaskId> for Tasks {
    #[inline(always)]
    fn index_mut(&mut self, id: TaskId) -> &mut Task {
        debug_assert!(id.index() < self.used);
        // SAFETY: as above.
        unsafe { self.list.get_unchecked_mut(id.index()) }
    }
}
