//! What a primitive may do with the execution that it is in, through [`Current::with`](super::context::Current::with):
//! look at objects, change their state, wake tasks, and say what a step did.
//!
//! Invariant: the fields of an execution are private to the runtime, so a primitive reaches no part directly. It uses what
//! is here, [`Execution::touch`] and its like in [`super::scheduler`] after it changed an object, and timers; the
//! evaluation of its operations sees a [`View`](super::objects::view::View) and nothing else.

use super::execution::Execution;
use super::heap::Heap;
use super::judge::panics::Handle;
use super::judge::race::{self, CellAccess, CellPlace};
use super::log::{Effect, Sync};
use super::memory::Memory;
use super::objects::{Identity, Known, ObjectKind, ObjectState};
use super::operation::{NO_OBJECT, OperationKind};
use super::scheduler::{AtomicStep, Mode};
use super::tasks::locals::Slot;
use super::tasks::task::Phase;
use raddle_core::operation::{ObjectId, TaskId};
use raddle_core::verdict::{Cause, Defect, PanicDuring};
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

impl Execution {
    // Objects.

    /// Tells executions apart.
    #[inline(always)]
    pub fn serial(&self) -> u64 {
        self.serial
    }
    /// What `identity` says about its object in this execution.
    #[inline]
    pub fn lookup(&self, identity: &Identity) -> Known {
        identity.lookup(self.serial)
    }
    /// What operations on an object depend on.
    #[inline(always)]
    pub fn state(&self, object: ObjectId) -> ObjectState {
        self.state.objects.state(object)
    }
    #[inline(always)]
    pub fn words(&self, object: ObjectId) -> [u64; 2] {
        self.state.objects.words(object)
    }
    /// To change the words of an object. What depends on them is evaluated again only after [`Execution::touch`].
    #[inline(always)]
    pub fn words_mut(&mut self, object: ObjectId) -> &mut [u64; 2] {
        self.state.objects.words_mut(object)
    }
    /// The tasks that the primitive keeps in the list of an object.
    #[inline(always)]
    pub fn queue(&self, object: ObjectId) -> &[TaskId] {
        self.state.objects.queue(object)
    }
    #[inline(always)]
    pub fn queue_mut(&mut self, object: ObjectId) -> &mut Vec<TaskId> {
        self.state.objects.queue_mut(object)
    }
    /// Adds an object that stands behind the one that was added last, with this number.
    pub fn add_part(&mut self, kind: ObjectKind, number: u32) -> ObjectId {
        self.state.objects.add(kind, self.tasks.current(), number, [0; 2])
    }
    /// The object that readings of the clock read and timers that fire write.
    pub fn the_clock(&mut self) -> ObjectId {
        self.state.objects.clock()
    }
    /// The time on the virtual clock.
    pub fn now(&self) -> Duration {
        self.scheduler.now()
    }
    /// The object that an operation writes that may happen spuriously; none if there are none.
    #[inline]
    pub fn spurious_object(&self) -> Option<ObjectId> {
        Some(self.state.objects.spurious()).filter(|object| *object != NO_OBJECT)
    }
    /// Names an object for reports. Returns the name that it had.
    pub fn set_label(&mut self, object: ObjectId, label: Box<str>) -> Option<Box<str>> {
        self.state.objects.set_label(object, label)
    }
    /// The object that all atomic steps of this name write.
    pub fn atomic_step(&mut self, name: &'static str) -> ObjectId {
        self.state.objects.atomic_step(name)
    }
    #[inline(always)]
    pub fn memory(&mut self) -> &mut Memory {
        &mut self.state.memory
    }

    // Tasks.

    /// The task that runs.
    #[inline(always)]
    pub fn me(&self) -> TaskId {
        self.tasks.current()
    }
    /// The name of the task that runs.
    pub fn my_name(&self) -> String {
        self.tasks.name(self.tasks.current())
    }
    /// The name that the program gave a task.
    pub fn task_label(&self, id: TaskId) -> Option<Arc<str>> {
        self.tasks[id].label().cloned()
    }
    /// How many steps the running task has taken and how many children it has: while these stay the same, others see
    /// nothing of what it does.
    pub fn progress(&self) -> (u32, u32) {
        let task = self.tasks.running();
        (task.progress.steps(), task.children())
    }
    /// A number that the running task has not had before, from 1.
    pub fn next_random(&mut self) -> u32 {
        self.tasks.running_mut().count_random()
    }
    /// A task that waits is notified by the step that is being taken, which leaves a message for it.
    pub fn notify(&mut self, id: TaskId, message: u32) {
        let step = self.history.len();
        self.tasks[id].op.wake.notify(step, message);
    }
    /// The running task goes on: says whether it was notified, and with which message.
    pub fn take_notified(&mut self) -> Option<u32> {
        self.tasks.running_mut().op.wake.take_notified()
    }
    /// The running task goes on or begins to wait: says whether it had to decide if it wakes for no reason.
    pub fn take_stirred(&mut self) -> bool {
        self.tasks.running_mut().op.wake.take_stirred()
    }
    /// Whether the time of the running task is up.
    pub fn is_timed_out(&self) -> bool {
        self.tasks.running().op.wake.is_timed_out()
    }
    /// Whether the running task was notified, or its time is up.
    pub fn is_woken(&self) -> bool {
        let wake = self.tasks.running().op.wake;
        wake.is_notified() || wake.is_timed_out()
    }
    /// The object that the end of a task writes.
    pub fn end_of(&self, id: TaskId) -> ObjectId {
        self.tasks[id].end()
    }
    /// A new task is one of the threads of a scope.
    pub fn join_scope(&mut self, id: TaskId, scope: ObjectId) {
        self.tasks[id].set_scope(scope);
        self.state.objects.words_mut(scope)[0] += 1;
        self.state.objects.queue_mut(scope).push(id);
    }
    /// The threads of a scope.
    pub fn threads_of(&self, scope: ObjectId) -> impl Iterator<Item = TaskId> {
        self.tasks.ids().filter(move |t| self.tasks[*t].scope() == scope)
    }
    /// Whether a task was joined.
    pub fn is_joined(&self, id: TaskId) -> bool {
        self.tasks[id].fate.handle() == Handle::Joined
    }
    /// A task is joined: the task that joins it learns of its panic. Says whether there was one.
    pub fn set_joined(&mut self, id: TaskId) -> bool {
        let fate = &mut self.tasks[id].fate;
        fate.set_handle(Handle::Joined);
        fate.panic().is_some()
    }
    /// The handle of a task is dropped: its panic, if there was one, is the execution's.
    pub fn detach(&mut self, id: TaskId) {
        if self.tasks[id].fate.handle() == Handle::Held {
            self.tasks[id].fate.set_handle(Handle::Dropped);
            if self.tasks[id].phase() == Phase::Ended {
                self.fail_for_panic(id);
            }
        }
    }
    /// The panic that ended the running task is what it is known for.
    pub fn note_panic(&mut self, message: String) {
        self.tasks.running_mut().fate.end_with(message);
    }
    /// The running task dies of a panic after which the process would abort.
    pub fn fail_for_abort(&mut self, during: PanicDuring, message: String) {
        let task = self.tasks.name(self.tasks.current());
        self.fail(Defect::of(Cause::PanicAborts { task, during, message: Some(message) }));
    }
    /// What the running task has for a key of thread-locals.
    pub fn local(&mut self, key: usize) -> Option<&mut Slot> {
        self.tasks.local(key)
    }
    /// The running task has a value for `key`. Returns what it had before.
    pub fn set_local(&mut self, key: usize, value: Slot) -> Option<Slot> {
        self.tasks.set_local(key, value)
    }

    // Steps, and what the judge is told of them.

    /// Whether the execution is put away: operations happen at once and mean nothing.
    #[inline]
    pub fn is_teardown(&self) -> bool {
        self.scheduler.mode() == Mode::Teardown
    }
    /// Whether steps are logged.
    #[inline]
    pub fn is_logged(&self) -> bool {
        self.log.is_kept()
    }
    /// The number of the line of the step that is being taken.
    #[inline]
    pub fn present_line(&self) -> u32 {
        self.log.present()
    }
    /// How many lines there are.
    pub fn lines(&self) -> usize {
        self.log.len()
    }
    /// Adds a line about `object` that is no step for the running task.
    pub fn note_on(
        &mut self,
        object: ObjectId,
        kind: &'static OperationKind,
        place: &'static Location<'static>,
        effect: Effect,
        sync: Sync,
    ) {
        if self.is_exploring() {
            let line = self.log.note(self.tasks.current(), kind, place);
            line.object = object;
            line.effect = effect;
            line.sync = sync;
        }
    }
    /// From now on nothing but the running task may do anything.
    pub fn begin_atomic_step(&mut self, step: AtomicStep) {
        self.scheduler.begin_atomic_step(step);
    }
    pub fn end_atomic_step(&mut self) {
        self.scheduler.end_atomic_step();
    }
    /// A value that must be dropped before the execution ends. Returns its number, from 1.
    pub fn track(&mut self, name: &'static str, place: &'static Location<'static>) -> u64 {
        self.judge.tracked().add(name, place)
    }
    /// It is dropped.
    pub fn untrack(&mut self, number: u64) {
        self.judge.tracked().remove(number);
    }
    /// The step that is being taken reads `lock`, which the running task reads already.
    #[cold]
    pub fn note_reread(&mut self, lock: ObjectId) {
        if !self.is_exploring() || !self.has_log() {
            return;
        }
        let looked_away = self.ignores_accesses();
        let (task, line) = (self.tasks.current(), self.log.present());
        let accesses = self.scheduler.pending(task).accesses;
        self.judge.rereads_mut().add(lock, task, line, accesses);
        if looked_away {
            // From here on it must be known what operations touch.
            self.evaluate_all();
        }
    }
    /// The step that is being taken writes `lock`: how that may end if the running task waited for it when another task
    /// read it again.
    pub fn deadlock_by_reread(&self, lock: ObjectId) -> Option<Defect> {
        let (me, now) = (self.tasks.current(), self.log.present());
        let reread = self.judge.rereads().before_write(lock, me, now).filter(|_| self.is_exploring())?;
        Some(self.evidence().deadlock_by_reread(reread, me))
    }
    /// The blocks of the program's heap.
    #[inline]
    pub fn heap(&mut self) -> &mut Heap {
        &mut self.heap
    }
    /// An operation on an object that lives at this address is about to be announced.
    #[inline]
    pub fn note_home(&mut self, object: ObjectId, address: usize) {
        if self.heap.is_judged() {
            self.heap.note_home(object, address);
        }
    }
    /// The running task accesses an atomic with these orderings; in a step, or alone.
    #[inline(always)]
    pub fn note_ordering(&mut self, object: ObjectId, (success, failure): (Ordering, Ordering)) {
        let (me, is_weaker) =
            (self.tasks.current(), success != Ordering::SeqCst || failure != Ordering::SeqCst);
        if self.state.objects.note_ordering(object, me, is_weaker) {
            self.found_weaker_ordering();
        }
    }
    #[cold]
    fn found_weaker_ordering(&mut self) {
        if let Some(auto) = self.settings.auto.as_ref().filter(|_| !self.is_teardown()) {
            auto.find();
        }
    }
    /// The object of a cell, named now if it is new. One that was there before the execution is a misuse. None if its
    /// memory may be used again unnoticed: then an access to another cell there would be taken for one to this one.
    pub fn cell_object(&mut self, place: CellPlace) -> Result<Option<ObjectId>, Defect> {
        if let Some(object) = self.judge.races().object_of(&place) {
            return Ok(Some(object));
        }
        if !crate::alloc::is_installed() && !self.is_known_memory(place.address) {
            self.judge.leave_cell_unjudged();
            return Ok(None);
        }
        self.demand_new(place.address, race::KIND)?;
        let object = self.new_object(race::KIND, [self.judge.races().next_cell(), 0]);
        self.judge.with_races(|races| races.add(place, object));
        Ok(Some(object))
    }
    /// The running task begins to touch a cell. An access that nothing orders with this one is a data race.
    pub fn begin_access(
        &mut self,
        cell: ObjectId,
        how: CellAccess,
        place: &'static Location<'static>,
    ) -> Result<(), Defect> {
        debug_assert!(!self.is_teardown());
        if !self.has_log() {
            return Ok(());
        }
        let me = self.tasks.current();
        self.log.note_access(me, cell, how.kind(), place);
        let (number, log) = (self.state.objects.words(cell)[0], &self.log);
        match self.judge.with_races(|races| races.begin(number, me, (how, place), log)) {
            None => Ok(()),
            Some(conflict) => Err(self.evidence().data_race(cell, conflict, me, (how, place))),
        }
    }
    /// The running task has touched a cell.
    pub fn end_access(&mut self, cell: ObjectId, how: CellAccess) {
        if self.is_teardown() || !self.has_log() {
            return;
        }
        let me = self.tasks.current();
        let (number, log) = (self.state.objects.words(cell)[0], &self.log);
        let place = self.judge.with_races(|races| races.end(number, me, how, log));
        let last = self.log.lines().last().expect("its beginning has a line");
        let at_once = last.task == me && last.object == cell && std::ptr::eq(last.kind, how.kind());
        if !at_once {
            self.log.note_access(me, cell, how.kind(), place);
            self.log.last_line().expect("just added").effect = Effect::Word("ends");
        }
    }
}
