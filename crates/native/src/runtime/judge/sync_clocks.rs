//! Who knows of what: *synchronises-with* by the orderings that the program declared, as vector clocks.
//!
//! This is never the order in which steps were taken: a relaxed flag orders steps and synchronises nothing. The
//! clocks are computed from the log on demand, so programs without cells pay nothing.
//!
//! A task's own time moves on whenever it releases something. So a task that learned of time `t` of another knows
//! all that it did up to that release, and nothing that it did later.

use crate::runtime::log::{Line, Log, Sync};
use crate::runtime::operation::NO_OBJECT;
use raddle_core::operation::{ObjectId, TaskId};
use raddle_core::order::VectorClock;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

/// What a task has learned.
#[derive(Default, Clone)]
struct TaskSyncClocks {
    clock: VectorClock,
    /// What relaxed loads have seen; a later acquire fence learns it.
    seen: VectorClock,
    /// What it knew at its last release fence; later relaxed stores release that.
    fenced: VectorClock,
}

/// What can be learned from an object.
#[derive(Default, Clone)]
struct Released {
    /// By all who acquire it: what its holders left, or the release sequences that its value belongs to.
    to_all: VectorClock,
    /// By tasks that acquire it exclusively: what readers left.
    to_exclusive: VectorClock,
}

/// The clocks of one execution. Memory is kept from one execution to the next.
#[derive(Default)]
pub(in crate::runtime) struct Clocks {
    /// Lines of the log that the clocks know of.
    done: usize,
    tasks: Vec<TaskSyncClocks>,
    objects: Vec<Released>,
    /// What went with the messages that were sent, by the line that sent them.
    sent: BTreeMap<u32, VectorClock>,
    /// What can be learned from real atomics, by their addresses.
    real: BTreeMap<usize, Released>,
}

fn acquires(ordering: Ordering) -> bool {
    matches!(ordering, Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst)
}

fn releases(ordering: Ordering) -> bool {
    matches!(ordering, Ordering::Release | Ordering::AcqRel | Ordering::SeqCst)
}

impl TaskSyncClocks {
    /// A load of a value that belongs to these release sequences.
    fn load(&mut self, released: &VectorClock, ordering: Ordering) {
        if acquires(ordering) {
            self.clock.join(released);
        } else {
            self.seen.join(released);
        }
    }
    /// What a store with this ordering releases.
    fn stores(&self, ordering: Ordering) -> &VectorClock {
        if releases(ordering) { &self.clock } else { &self.fenced }
    }
    /// A store, which ends the release sequences of those before it.
    fn store(&mut self, me: TaskId, object: &mut Released, ordering: Ordering) {
        object.to_all.copy_from(self.stores(ordering));
        self.clock.tick(me);
    }
    /// A read-modify-write, which goes on with them.
    fn update(&mut self, me: TaskId, object: &mut Released, ordering: Ordering) {
        self.load(&object.to_all, ordering);
        object.to_all.join(self.stores(ordering));
        self.clock.tick(me);
    }
    fn fence(&mut self, me: TaskId, ordering: Ordering) {
        let TaskSyncClocks { clock, seen, fenced } = self;
        if acquires(ordering) {
            clock.join(seen);
        }
        if releases(ordering) {
            fenced.copy_from(clock);
            clock.tick(me);
        }
    }
}

impl Clocks {
    pub fn reset(&mut self) {
        self.done = 0;
        for TaskSyncClocks { clock, seen, fenced } in &mut self.tasks {
            clock.clear();
            seen.clear();
            fenced.clear();
        }
        for Released { to_all, to_exclusive } in &mut self.objects {
            to_all.clear();
            to_exclusive.clear();
        }
        self.sent.clear();
        self.real.clear();
    }

    /// Whether the line of this number was learned of already.
    pub fn is_beyond(&self, line: usize) -> bool {
        line < self.done
    }

    /// The present line, which was learned of already, has only now said what it did, or has become another operation.
    pub fn learn_again(&mut self, log: &Log) {
        let at = log.present();
        self.learn_at(log, at);
    }

    /// What `task` knows after all that was learned of.
    pub fn present(&self, task: TaskId) -> &VectorClock {
        &self.tasks[task.index()].clock
    }

    /// A real atomic, which is no object, or a fence.
    #[cfg_attr(not(feature = "arena"), allow(dead_code))]
    pub fn learn_of_atomic(&mut self, me: TaskId, address: usize, sync: Sync) {
        self.task(me);
        let task = &mut self.tasks[me.index()];
        match sync {
            Sync::Fence(ordering) => task.fence(me, ordering),
            Sync::Load(ordering) => {
                // What was never stored to is not in the list.
                if let Some(atomic) = self.real.get(&address) {
                    task.load(&atomic.to_all, ordering);
                }
            }
            Sync::Store(ordering) => task.store(me, self.real.entry(address).or_default(), ordering),
            Sync::Update(ordering) => task.update(me, self.real.entry(address).or_default(), ordering),
            _ => unreachable!("an atomic is loaded, stored or updated"),
        }
    }

    /// The real atomics in this range are gone.
    pub fn forget(&mut self, range: std::ops::Range<usize>) {
        if !self.real.is_empty() {
            while let Some((address, _)) = self.real.range(range.clone()).next() {
                let address = *address;
                self.real.remove(&address);
            }
        }
    }

    /// What `task` knows after all that is in the log.
    pub fn of(&mut self, task: TaskId, log: &Log) -> &VectorClock {
        for at in self.done..log.len() {
            self.learn_at(log, at as u32);
        }
        self.done = log.len();
        &self.task(task).clock
    }

    fn learn_at(&mut self, log: &Log, at: u32) {
        let line = &log.lines()[at as usize];
        match log.source(at) {
            None => self.learn(line, at),
            Some(source) => self.learn_message(line, at, source.line),
        }
    }

    fn task(&mut self, id: TaskId) -> &mut TaskSyncClocks {
        if self.tasks.len() <= id.index() {
            self.tasks.resize(id.index() + 1, TaskSyncClocks::default());
        }
        let task = &mut self.tasks[id.index()];
        if task.clock.get(id) == 0 {
            task.clock.set(id, 1);
        }
        task
    }

    fn both(&mut self, task: TaskId, object: ObjectId) -> (&mut TaskSyncClocks, &mut Released) {
        debug_assert!(object != NO_OBJECT, "what synchronises through an object has one");
        if self.objects.len() <= object.index() {
            self.objects.resize(object.index() + 1, Released::default());
        }
        self.task(task);
        (&mut self.tasks[task.index()], &mut self.objects[object.index()])
    }

    fn learn(&mut self, line: &Line, at: u32) {
        let me = line.task;
        match line.sync {
            Sync::None => {}
            Sync::Acquire => self.acquire(me, line.object),
            Sync::Release => self.release(me, line.object),
            Sync::AcquireRelease => {
                self.acquire(me, line.object);
                self.release(me, line.object);
            }
            Sync::AcquireOf(object) => self.acquire(me, object),
            Sync::ReleaseOf(object) => self.release(me, object),
            Sync::AcquireShared => {
                let (task, object) = self.both(me, line.object);
                task.clock.join(&object.to_all);
            }
            Sync::ReleaseShared => {
                let (task, object) = self.both(me, line.object);
                object.to_exclusive.join(&task.clock);
                task.clock.tick(me);
            }
            Sync::Meet => {
                self.acquire(me, line.object);
                let (_, object) = self.both(me, line.object);
                object.to_all.clear();
                object.to_exclusive.clear();
                self.send(me, at);
            }
            Sync::Load(ordering) => {
                let (task, object) = self.both(me, line.object);
                task.load(&object.to_all, ordering);
            }
            Sync::Store(ordering) => {
                let (task, object) = self.both(me, line.object);
                task.store(me, object, ordering);
            }
            Sync::Update(ordering) => {
                let (task, object) = self.both(me, line.object);
                task.update(me, object, ordering);
            }
            Sync::Fence(ordering) => self.task(me).fence(me, ordering),
            Sync::Send => self.send(me, at),
            Sync::Receive(sent) | Sync::Learn(sent) => self.receive(me, sent),
            Sync::Exchange(sent) => {
                self.receive(me, sent);
                self.send(me, at);
            }
            Sync::Spawn(child) => {
                let clock = self.task(me).clock.clone();
                self.task(child).clock.join(&clock);
                self.task(me).clock.tick(me);
            }
            Sync::Join(child) => {
                let clock = self.task(child).clock.clone();
                self.task(me).clock.join(&clock);
            }
        }
    }

    /// An access to an atomic under a weak memory model, which read what was stored in line `source`, or stands behind it:
    /// each store has a clock of its own.
    fn learn_message(&mut self, line: &Line, at: u32, source: Option<u32>) {
        let me = line.task;
        let released = source.and_then(|line| self.sent.get(&line)).cloned().unwrap_or_default();
        let task = self.task(me);
        let stored = match line.sync {
            // It has not said yet what it did: see `learn_again`.
            Sync::None => return,
            Sync::Load(ordering) => {
                task.load(&released, ordering);
                return;
            }
            Sync::Update(ordering) => {
                task.load(&released, ordering);
                let mut stored = released;
                stored.join(task.stores(ordering));
                stored
            }
            Sync::Store(ordering) => task.stores(ordering).clone(),
            _ => unreachable!("an atomic is loaded, stored or updated"),
        };
        task.clock.tick(me);
        self.sent.insert(at, stored);
    }

    fn acquire(&mut self, me: TaskId, object: ObjectId) {
        let (task, object) = self.both(me, object);
        task.clock.join(&object.to_all);
        task.clock.join(&object.to_exclusive);
    }

    fn release(&mut self, me: TaskId, object: ObjectId) {
        let (task, object) = self.both(me, object);
        object.to_all.join(&task.clock);
        task.clock.tick(me);
    }

    fn send(&mut self, me: TaskId, at: u32) {
        let clock = &mut self.task(me).clock;
        let sent = clock.clone();
        clock.tick(me);
        self.sent.insert(at, sent);
    }

    /// Learns what the line of this number has sent.
    pub fn receive(&mut self, me: TaskId, sent: u32) {
        self.task(me);
        let clock = self.sent.get(&sent);
        debug_assert!(clock.is_some(), "what is received was sent");
        if let Some(clock) = clock {
            self.tasks[me.index()].clock.join(clock);
        }
    }
}

#[cfg(test)]
mod tests;
