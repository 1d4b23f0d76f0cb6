//! Steps under a weak memory model: each is an event of the execution graph, and after each of them the options of all
//! pending accesses are found anew, since a store is an option of every load of its place, and an event of one place may
//! decide which stores of another one are consistent.
//!
//! Invariant: between steps the graph has an event for each step, and the pending accesses have the options of that graph.

use super::Mode;
use crate::runtime::execution::Execution;
use crate::runtime::memory::weak::{Access, Offer, Taken};
use raddle_core::memory::{StrongerOrdering, WeakMemory};
use raddle_core::operation::{ObjectId, TaskId};
use std::panic::Location;
use std::sync::atomic::Ordering;

impl Execution {
    /// The access to memory there with the ordering that it has in this execution.
    pub fn strengthened(&self, access: Access, place: &'static Location<'static>) -> Access {
        let Some(stronger) = &self.settings.strengthened else { return access };
        let is_there = |one: &&StrongerOrdering| {
            let at = &one.place;
            (at.line, at.column, at.file.as_str()) == (place.line(), place.column(), place.file())
        };
        stronger.iter().find(is_there).map_or(access, |one| access.with(one.order))
    }

    /// An atomic is touched for the first time, and holds these bits.
    pub fn add_atomic(&mut self, object: ObjectId, address: usize, size: usize, bits: u64) {
        if let Some(weak) = self.state.memory.weak_mut() {
            weak.add_atomic(address, size, object, bits);
        }
    }

    /// The running task is about to access an atomic: others that share memory with it are gone. Returns false if nothing
    /// orders what was done to them before.
    pub fn forget_other_atomics(&mut self, address: usize, size: usize) -> bool {
        let me = self.tasks.current();
        let Execution { state, log, tasks, scheduler, .. } = self;
        let Some(weak) = state.memory.weak_mut().filter(|_| scheduler.mode() != Mode::Teardown) else {
            return true;
        };
        if !tasks[me].spin.is_alone() {
            // What the last step did is known now.
            weak.learn(log, log.len() as u32);
        }
        weak.forget_others(me, address, size)
    }

    /// The running task is about to announce an access to an atomic that holds these bits.
    pub fn announce_access(&mut self, object: ObjectId, access: Access, bits: u64) {
        let (me, alone) = (self.tasks.current(), self.will_read_alone());
        if let Some(weak) = self.state.memory.weak_mut() {
            weak.announce(me, (object, access), bits, alone);
        }
    }

    /// The ordering that a fence there has in this execution.
    pub fn fence_order(&self, order: Ordering, place: &'static Location<'static>) -> Ordering {
        match self.strengthened(Access::Fence(order), place) {
            Access::Fence(order) => order,
            _ => order,
        }
    }

    /// The running task is about to announce a fence.
    pub fn announce_fence(&mut self, order: Ordering) {
        let me = self.tasks.current();
        if let Some(weak) = self.state.memory.weak_mut() {
            weak.announce_fence(me, order);
        }
    }

    /// The fence of the running task is over.
    pub fn end_fence(&mut self) {
        let me = self.tasks.current();
        if let Some(weak) = self.state.memory.weak_mut() {
            weak.withdraw(me);
        }
    }

    /// A step of `id` begins that has its line.
    #[cold]
    pub(super) fn begin_event(&mut self, id: TaskId) {
        let (line, option) = (self.log.present(), self.scheduler.option);
        let Execution { tasks, state, log, history, .. } = self;
        history.note(&tasks[id].op, option, line, &state.objects);
        let accesses = tasks[id].evaluation(state).accesses;
        if let Some(weak) = state.memory.weak_mut() {
            // What the step before it did is known now.
            weak.learn(log, line);
            weak.begin_step(id, line, accesses);
        }
    }

    /// The access of the running task takes this option, if it is a step. Returns it with the bits of the last store, which
    /// the memory of the program holds from now on.
    pub fn take_access(
        &mut self,
        object: ObjectId,
        option: u32,
        new: &mut dyn FnMut(u64) -> u64,
    ) -> Option<(Taken, u64)> {
        let (me, line) = (self.tasks.current(), self.log.present());
        let weak = self.state.memory.weak_mut()?;
        if !weak.is_due(me) {
            weak.withdraw(me);
            return None;
        }
        let taken = weak.take(me, option, new);
        let latest = weak.latest(object);
        self.log.note_source(line, taken.source, taken.is_stale);
        Some((taken, latest))
    }

    /// What the access of the running task reads and does if it is no step. In a waiting loop that goes on alone it reads
    /// what it read in the round before, and otherwise the last store, which has these bits.
    pub fn access_alone(&self, access: Access, bits: u64, new: &mut dyn FnMut(u64) -> u64) -> Taken {
        access.on(self.reads_alone().unwrap_or(bits), new)
    }

    /// Finds the options of all pending accesses in the present graph.
    pub(super) fn find_stores(&mut self) {
        let Execution { state, log, tasks, .. } = self;
        let fails_spuriously = state.objects.spurious_left() > 0;
        let Some(weak) = state.memory.weak_mut() else { return };
        weak.learn(log, log.len() as u32);
        for id in tasks.ids().filter(|id| tasks[*id].is_waiting_thread()) {
            let task = &tasks[id];
            let offer = Offer {
                only_latest: task.spin.reads_latest(),
                fails_spuriously: fails_spuriously && task.op.kind.may_fail,
            };
            weak.refresh(id, offer);
        }
        self.wake_loops_behind();
        self.look_beyond_reduction();
        for id in self.tasks.ids() {
            let is_access = self.state.memory.weak().is_some_and(|weak| weak.place(id).is_some());
            if is_access && self.tasks[id].is_waiting_thread() {
                self.evaluate(id);
            }
        }
    }

    /// Finds out whether a task is about to do what a reduction that follows the graph does not know: an operation on an
    /// atomic that is no access to memory, what may happen spuriously, a loop that waits for more than atomics.
    fn look_beyond_reduction(&mut self) {
        let Some(weak) = self.state.memory.weak().filter(|_| self.scheduler.follows_graph) else { return };
        let is_beyond = |id: TaskId| {
            let task = &self.tasks[id];
            let is_other = weak.is_atomic(task.op.object) && weak.place(id).is_none();
            task.is_waiting_thread() && (is_other || self.looks_beyond_atomics(id))
        };
        let is_bounded = self.settings.spurious > 0 || self.settings.stale_reads.is_some();
        let is_beyond = is_bounded || self.tasks.ids().any(is_beyond);
        if is_beyond && let Some(weak) = self.state.memory.weak_mut() {
            weak.go_beyond();
        }
    }

    /// Time passes, and nothing else happens meanwhile: all stores arrive.
    pub(super) fn let_stores_arrive(&mut self) {
        if let Some(weak) = self.state.memory.weak_mut() {
            weak.pass_time();
        }
    }
}
