//! The execution that a worker is in: it owns the parts and connects them.
//!
//! Invariant: each part keeps its own state to itself, and what several parts have to do with each other is a method
//! here or in the folder of the part that it is about. Memory is kept from one execution to the next.

use super::counts::Counts;
use super::heap::Heap;
use super::history::History;
use super::host::Host;
use super::judge::Judge;
use super::judge::evidence::Evidence;
use super::judge::panics::Panic;
use super::leftovers::Leftovers;
use super::log::{Effect, Log, Sync};
use super::memory::stale_addresses;
use super::objects::{Identity, Known, ObjectKind};
use super::operation::{NO_OBJECT, OperationKind};
use super::plain::Plain;
use super::scheduler::{Mode, Scheduler};
use super::state::State;
use super::tasks::Tasks;
use super::tasks::task::{Came, Role};
use crate::settings::{Detached, Settings};
use raddle_core::fact::TeardownError;
use raddle_core::operation::{ObjectId, TaskId};
use raddle_core::record::ExecutionRecord;
use raddle_core::verdict::{Cause, Defect, Elsewhere};
use std::panic::Location;
use std::sync::Arc;

pub(crate) struct Execution {
    pub(super) serial: u64,
    pub(crate) settings: Settings,
    pub(super) tasks: Tasks,
    pub(super) state: State,
    pub(super) scheduler: Scheduler,
    pub(super) history: History,
    pub(super) judge: Judge,
    pub(super) heap: Heap,
    pub(super) plain: Plain,
    pub(super) log: Log,
    pub(super) host: Host,
    pub(super) counts: Counts,
    pub(crate) leftovers: Leftovers,
}

static SPAWN: OperationKind = OperationKind::local("spawn");

impl Execution {
    pub fn new(settings: Settings) -> Execution {
        let mut state = State::default();
        state.memory.follow(settings.memory, settings.stale_reads);
        Execution {
            serial: 0,
            tasks: Tasks::new(settings.stack_size),
            state,
            scheduler: Scheduler::new(&settings),
            history: History::default(),
            judge: Judge::default(),
            heap: Heap::of(&settings),
            plain: Plain::of(&settings),
            log: Log::default(),
            host: Host::of_this_thread(),
            counts: Counts::new(&settings),
            leftovers: Leftovers::default(),
            settings,
        }
    }

    /// Is as good as new, for executions with these settings.
    pub fn renew(&mut self, settings: Settings) {
        self.tasks.renew(settings.stack_size);
        self.scheduler.renew(&settings);
        self.state.memory.follow(settings.memory, settings.stale_reads);
        self.judge.renew();
        self.heap = Heap::of(&settings);
        self.plain = Plain::of(&settings);
        self.log.renew();
        self.host.take_hash_keys_again();
        self.counts = Counts::new(&settings);
        self.settings = settings;
    }

    /// Whether no task is on a stack and no thread-local is left. Those that are made while others are destroyed are
    /// destroyed with the execution.
    pub fn is_clean(&self) -> bool {
        self.tasks.fibers() == 0 && !self.tasks.has_locals()
    }

    /// Whether it has memory for at most so many tasks and lines.
    pub fn fits_into(&self, (tasks, lines): (usize, usize)) -> bool {
        self.tasks.capacity() <= tasks && self.log.capacity() <= lines
    }

    /// Begins a clean execution; its main task runs `body`.
    ///
    /// # Safety
    /// What `body` borrows outlives the execution.
    pub unsafe fn start(&mut self, body: impl FnOnce() -> Came) {
        self.serial = super::serial::next();
        self.tasks.reset();
        self.state.objects.reset(self.settings.time, self.settings.spurious);
        self.state.objects.set_drops(self.settings.drops);
        self.state.memory.reset();
        self.scheduler.reset();
        if self.scheduler.mode() != Mode::Retracing {
            self.history.reset();
        }
        self.judge.reset();
        self.heap.reset();
        self.plain.begin(crate::arena::region());
        self.tasks.watch(self.plain.is_judged());
        self.log.reset();
        self.host.reset_hash_keys();
        self.counts.reset();
        let main = self.add_task(Role::Thread, TaskId::MAIN, 0);
        // SAFETY: the caller's.
        unsafe { self.tasks.equip(main, None, body) };
        self.scheduler.run_without_pick(main);
    }

    /// What the judge and reports look at.
    pub(crate) fn evidence(&self) -> Evidence<'_> {
        Evidence { tasks: &self.tasks, state: &self.state, log: &self.log }
    }

    /// The execution so far.
    pub fn record(&self) -> ExecutionRecord {
        let mut record = self.evidence().record();
        self.show_accesses(&mut record);
        record
    }

    /// Whether an execution is under way, for the watchdog.
    pub fn busy(&self, yes: bool) {
        self.host.busy(yes);
    }

    /// How the run ended, if it failed.
    pub fn failure(&self) -> Option<&Defect> {
        self.judge.failure()
    }

    /// This is the verdict, even if there was another one.
    pub fn stop(&mut self, why: Defect) {
        self.judge.stop(why);
    }

    /// What went wrong in teardown.
    pub fn take_afterwards(&mut self) -> Vec<TeardownError> {
        self.judge.take_afterwards()
    }

    /// Whether a waiting loop was held back, in any execution with these settings.
    pub fn has_held_spins(&self) -> bool {
        self.scheduler.has_held_spins()
    }

    /// Whether main did not wait for the others to the end, in any execution with these settings.
    pub fn has_cut_short(&self) -> bool {
        self.scheduler.has_cut_short()
    }

    /// Whether the clock was read where it may move by itself, in any execution with these settings.
    pub fn has_read_clock(&self) -> bool {
        self.scheduler.has_read_clock()
    }

    /// Whether a block of the heap was freed in some execution with these settings, and the heap is judged.
    pub fn has_freed_memory(&self) -> bool {
        self.heap.has_freed_any()
    }

    /// Whether some executions use freed memory again.
    pub fn explores_reuse(&self) -> bool {
        self.heap.explores_reuse()
    }

    /// Whether an execution with these settings freed more memory than is held back.
    pub fn has_forgotten_memory(&self) -> bool {
        self.heap.has_reached_limit()
    }

    /// Whether accesses to plain memory were judged in all executions with these settings.
    pub fn was_plain_memory_judged(&self) -> bool {
        self.plain.was_judged()
    }

    /// The suppressions of races that were used.
    pub fn suppressions(&self) -> impl Iterator<Item = String> {
        self.plain.suppressions()
    }

    /// Whether a cell was not judged for races, in any execution with these settings.
    pub fn has_unjudged_cells(&self) -> bool {
        self.judge.has_unjudged_cells()
    }

    /// Whether `address` belongs to the stack of a task or to the copy of a static: it is known when that is gone. Other
    /// memory is the heap, or was there before the execution.
    pub fn is_known_memory(&self, address: usize) -> bool {
        self.tasks.are_stacked_at(address) || self.state.memory.is_overlay(address)
    }

    /// Whether it is not known of some atomic when its memory is freed.
    pub fn may_confuse_atomics(&self) -> bool {
        !crate::alloc::is_installed()
            && self.state.memory.addresses().any(|address| !self.is_known_memory(address))
    }

    /// Whether another execution goes on where this one ends.
    pub fn is_redundant(&self) -> bool {
        self.scheduler.is_redundant()
    }

    /// Whether this run demanded a log in vain.
    pub fn lacks_log(&self) -> bool {
        self.log.is_missing()
    }

    /// Nothing can happen any more: finds what is wrong, if nothing has failed yet.
    pub fn judge_end(&mut self) {
        if self.judge.failure().is_some() {
            return;
        }
        let evidence = self.evidence();
        if let Some(id) = evidence.unnoticed_panic() {
            self.fail_for_panic(id);
        } else if !self.tasks.is_over() {
            let defect = evidence.deadlock();
            self.fail(defect);
        } else if self.settings.detached == Detached::MustFinish
            && let Some(defect) = evidence.unfinished()
        {
            self.fail(defect);
        }
        if self.judge.failure().is_none()
            && let Some(damage) = self.damage_of_heap()
        {
            self.fail(damage);
        }
        // Detached tasks that are still alive own what they own, as at the exit of a process.
        if self.judge.failure().is_none()
            && self.tasks.fibers() == 0
            && let Some(leak) = self.judge.leak()
        {
            self.fail(leak);
        }
    }

    #[inline(always)]
    pub(super) fn add_task(&mut self, role: Role, parent: TaskId, number: u32) -> TaskId {
        let id = self.tasks.add(role, parent, number);
        self.scheduler.add_task();
        self.history.bear(id.index(), role, parent, number);
        if let Some(weak) = self.state.memory.weak_mut() {
            weak.add_task((id != TaskId::MAIN).then_some(parent));
        }
        if self.judge.follows_accesses() {
            self.judge.rereads_mut().bear(parent, id, self.log.len() as u32);
        }
        id
    }

    /// A new task of the program, a child of the one that runs. It runs up to its first operation before
    /// anything else happens.
    ///
    /// # Safety
    /// What `body` borrows outlives the task.
    pub unsafe fn spawn(
        &mut self,
        label: Option<Arc<str>>,
        stack_size: Option<usize>,
        place: &'static Location<'static>,
        body: impl FnOnce() -> Came,
    ) -> TaskId {
        let parent = self.tasks.current();
        let number = self.tasks[parent].count_child();
        let id = self.add_task(Role::Thread, parent, number);
        let end = self.state.objects.add("end", id, 0, [0; 2]);
        self.tasks.label(id, label);
        self.tasks[id].begin(end, place);
        // SAFETY: the caller's.
        unsafe { self.tasks.equip(id, stack_size, body) };
        self.scheduler.run_without_pick(id);
        self.show_stack();
        let line = self.log.note(parent, &SPAWN, place);
        line.effect = Effect::Task(id);
        line.sync = Sync::Spawn(id);
        id
    }

    /// The object that `identity` belongs to, named now if it is new. An object of another execution or of
    /// the outside world is a misuse.
    #[inline(always)]
    pub fn object(
        &mut self,
        identity: &Identity,
        kind: ObjectKind,
        words: [u64; 2],
    ) -> Result<ObjectId, Defect> {
        match identity.lookup(self.serial) {
            Known::Here(id) => Ok(id),
            Known::New => {
                let id = self.new_object(kind, words);
                identity.settle(self.serial, id);
                Ok(id)
            }
            Known::Elsewhere => Err(from_elsewhere(Elsewhere::Object(kind.to_owned()))),
            Known::Outside => Err(from_elsewhere(Elsewhere::ObjectUsedOutside(kind.to_owned()))),
        }
    }

    /// What lives at this address was there before this execution began: that is a misuse.
    #[inline]
    pub fn demand_new(&self, address: usize, kind: ObjectKind) -> Result<(), Defect> {
        if stale_addresses::contains(address) && self.scheduler.mode() != Mode::Teardown {
            return Err(from_elsewhere(Elsewhere::Object(kind.to_owned())));
        }
        Ok(())
    }

    /// A new object, named by the task that runs.
    #[inline(always)]
    pub fn new_object(&mut self, kind: ObjectKind, words: [u64; 2]) -> ObjectId {
        let creator = self.tasks.current();
        // Without a log its name is never told.
        let number = if self.log.is_kept() { self.tasks[creator].count_object(kind) } else { 0 };
        self.state.objects.add(kind, creator, number, words)
    }

    /// The present execution has failed: nothing moves any more.
    pub fn fail(&mut self, defect: Defect) {
        if self.scheduler.mode() != Mode::Teardown && self.judge.fail(&defect) {
            self.scheduler.halt();
        }
    }

    /// The program will not learn of this task's panic, if it had one.
    pub(super) fn fail_for_panic(&mut self, id: TaskId) {
        if let Some(panic) = self.tasks[id].fate.panic()
            && !(id != TaskId::MAIN && crate::expected::are_panics_of_threads())
        {
            let defect = self.evidence().panicked(id, panic);
            self.fail(defect);
        }
    }

    /// Main panicked with this message; where, if the hook saw it last.
    pub fn fail_for_main(&mut self, message: String) {
        let noted = self.tasks[TaskId::MAIN].fate.panic().filter(|p| p.message == message);
        let place = noted.and_then(|p| p.place.clone());
        let defect = self.evidence().panicked(TaskId::MAIN, &Panic { message, place });
        self.fail(defect);
    }

    /// The object that holds the token of a task's park.
    pub fn token_of(&mut self, id: TaskId) -> ObjectId {
        if self.tasks[id].token() == NO_OBJECT {
            let token = self.state.objects.add("token", id, 0, [0; 2]);
            self.tasks[id].set_token(token);
        }
        self.tasks[id].token()
    }

    /// Whether the search decides what happens.
    #[inline]
    pub fn is_exploring(&self) -> bool {
        self.scheduler.mode() != Mode::Teardown && self.scheduler.atomic_step().is_none()
    }

    /// Whether it need only be known of operations which of them can happen, and not what they touch.
    #[inline]
    pub fn ignores_accesses(&self) -> bool {
        self.scheduler.mode().is_drawn() && !self.judge.follows_accesses()
    }

    /// Says what the step that is being taken did.
    #[inline]
    pub fn did(&mut self, effect: Effect, sync: Sync) {
        if self.scheduler.mode().is_logged() {
            let line = self.log.present_line();
            line.effect = effect;
            line.sync = sync;
            self.show_to_plain();
        }
    }

    /// The step that is being taken may go differently the next time: a loop around it does not wait.
    #[inline]
    pub fn made_progress(&mut self) {
        let mode = self.scheduler.mode();
        if mode != Mode::Teardown {
            self.tasks.running_mut().progress.has_changed_something();
            if mode.is_logged() {
                self.log.present_line().wrote = true;
                self.scheduler.note_progress();
            }
        }
    }

    /// The step that is being taken changes nothing, even if its accesses are writes.
    #[cold]
    pub fn only_looked(&mut self) {
        if self.scheduler.mode() != Mode::Teardown {
            self.tasks.running_mut().progress.has_changed_nothing();
        }
        if self.scheduler.mode().is_logged() {
            let line = self.log.present_line();
            if std::mem::replace(&mut line.wrote, false) {
                self.scheduler.undo_progress();
            }
        }
    }

    /// Adds a line that is no step for the running task.
    pub fn note(&mut self, kind: &'static OperationKind, place: &'static Location<'static>, effect: Effect) {
        if self.scheduler.mode() != Mode::Teardown {
            let line = self.log.note(self.tasks.current(), kind, place);
            line.effect = effect;
        }
    }

    /// The running task is about to change `object` in a way that is no step of its own.
    pub fn note_aside(&mut self, object: ObjectId) {
        match self.scheduler.mode() {
            Mode::Observed | Mode::Weak => self.history.note_aside(object, &self.state.objects),
            Mode::Retracing => self.history.note_aside_again(),
            _ => {}
        }
    }

    /// What lived in this range is gone.
    #[inline]
    pub fn forget(&mut self, from: usize, size: usize) {
        self.state.memory.forget(from, size);
        self.judge.forget(from, size);
    }

    /// The run is over: what is still there and is not freed from now on was not made by the next execution.
    pub fn leave_behind(&self) {
        let all = self.state.memory.addresses().chain(self.judge.cell_addresses());
        // A block that was used after it was freed is the next execution's to allocate.
        stale_addresses::remember(all.filter(|address| !self.heap.has_freed_around(*address)));
    }
}

#[cold]
fn from_elsewhere(what: Elsewhere) -> Defect {
    Defect::of(Cause::Elsewhere(what))
}
