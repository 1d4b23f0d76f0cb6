//! A cache of steps that only read tables. Such a step changes nothing but its process, and its outcome
//! depends on the process and the tables alone, which are compared by address. Debug builds take the step as
//! well and compare.

use super::access::{Mark, Objects, Stale};
use super::pending::note_enabled;
use super::{Machine, Task};
use crate::ets::Tables;
use crate::native::visible::{self, Look};
use crate::process::{Next, Process};
use crate::term::Pid;
use raddle_core::operation::Accesses;
use raddle_core::world::Pending;
use std::cell::RefCell;
use std::rc::Rc;

struct Step {
    before: Rc<Process>,
    tables: Rc<Tables>,
    objects: Objects,
    now: u64,
    after: Rc<Process>,
    pending: Pending,
}

/// The tables after a change by a process.
struct Change {
    by: Rc<Process>,
    before: Rc<Tables>,
    after: Rc<Tables>,
}

const SETS: usize = 1 << 10;
const WAYS: usize = 2;

/// The cache, of fixed size.
#[derive(Default)]
pub struct EtsStepCache {
    steps: RefCell<Vec<[Option<Step>; WAYS]>>,
    changes: RefCell<Vec<[Option<Change>; WAYS]>>,
}

fn set_of(process: &Rc<Process>, tables: &Rc<Tables>) -> usize {
    let address = Rc::as_ptr(process).addr() ^ Rc::as_ptr(tables).addr().rotate_left(20);
    ((address >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) % SETS
}

fn keep<T>(sets: &RefCell<Vec<[Option<T>; WAYS]>>, set: usize, new: T) {
    let mut sets = sets.borrow_mut();
    if sets.is_empty() {
        sets.resize_with(SETS, Default::default);
    }
    let ways = &mut sets[set];
    ways.rotate_right(1);
    ways[0] = Some(new);
}

impl EtsStepCache {
    fn find(&self, machine: &Machine, before: &Rc<Process>) -> Option<(Rc<Process>, Pending)> {
        let sets = self.steps.borrow();
        let ways = sets.get(set_of(before, &machine.tables))?;
        let is_it = |step: &&Step| {
            Rc::ptr_eq(&step.before, before)
                && Rc::ptr_eq(&step.tables, &machine.tables)
                && step.now == machine.now
                && step.objects.is_same(&machine.objects)
        };
        ways.iter().flatten().find(is_it).map(|step| (step.after.clone(), step.pending))
    }
}

/// The state before a step that may be cached.
pub(super) struct Before {
    process: Rc<Process>,
    tables: Rc<Tables>,
    objects: Objects,
}

impl Machine {
    /// Whether the next operation of a process depends on its own state and the tables alone.
    fn depends_on_tables(&self, p: &Process) -> bool {
        match &p.next {
            _ if p.round > 0 => false,
            Next::Call(native, _) => {
                visible::basis(native, &Look { machine: self, me: p, args: &p.x }).is_some()
            }
            Next::Gone => true,
            _ => false,
        }
    }

    /// Whether the next step of a process is known to change only the process itself.
    #[inline]
    fn is_quiet(&self, p: &Process, accesses: Accesses) -> bool {
        !accesses.any_write()
            && p.round == 0
            && matches!(p.next, Next::Call(native, _) if native.module == "ets")
            && self.log.is_none()
            && self.over.is_none()
            && self.versions.is_empty()
            && self.ticking == 0
            && self.kills_left == 0
            && self.hurried.is_none()
            && self.stale.is_empty()
    }

    /// Takes the pending step of `task` from the cache. On a miss, returns the key to cache it by.
    #[inline]
    pub(super) fn step_quietly(&mut self, task: usize, accesses: Accesses) -> Result<(), Option<Before>> {
        let Task::Process(before) = &self.tasks[task] else { return Err(None) };
        if !self.is_quiet(before, accesses) {
            return Err(None);
        }
        let Some((after, pending)) = self.env.ets_cache.find(self, before) else {
            return Err(self.depends_on_tables(before).then(|| Before {
                process: before.clone(),
                tables: self.tables.clone(),
                objects: self.objects.clone(),
            }));
        };
        #[cfg(debug_assertions)]
        let real = self.compare_quiet(task, &after, pending);
        self.steps += 1;
        self.current = task;
        self.step_begins(task, accesses);
        self.tasks[task] = Task::Process(after);
        self.step_ends(accesses, self.tasks.len());
        note_enabled(&mut self.enabled, task, self.pending[task].options > 0, pending.options > 0);
        self.pending[task] = pending;
        self.marks.set(task, Mark::of(pending.accesses));
        self.moved = Mark::of(accesses);
        self.fresh = Stale::default();
        self.fresh.add(task);
        if self.enabled.is_empty() {
            let mut pending = std::mem::take(&mut self.pending);
            self.let_timers_fire(&mut pending);
            self.pending = pending;
        }
        #[cfg(debug_assertions)]
        assert!(real.is_none_or(|real| real.pending == self.pending && real.enabled == self.enabled));
        Ok(())
    }

    /// The step of `task` is over: it is cached if nothing else has changed.
    pub(super) fn remember_quiet(&self, task: usize, before: Before) {
        let after = self.process(task);
        let ends_test = after.pid == Pid::root() && after.is_gone();
        let is_alone = self.over.is_none()
            && !ends_test
            && self.hurried.is_none()
            && self.stale.is_empty()
            && Rc::ptr_eq(&self.tables, &before.tables)
            && self.objects.is_same(&before.objects)
            && self.pending.len() == self.tasks.len()
            && self.depends_on_tables(after);
        if is_alone {
            let Before { process, tables, objects } = before;
            let set = set_of(&process, &tables);
            let (after, pending) = (after.clone(), self.pending[task]);
            let step = Step { before: process, tables, objects, now: self.now, after, pending };
            keep(&self.env.ets_cache.steps, set, step);
        }
    }

    /// A process changed the tables, which were `before`: the result of the same change is shared.
    pub(super) fn share_tables(&mut self, by: &Rc<Process>, before: Rc<Tables>) {
        if Rc::ptr_eq(&before, &self.tables) {
            return;
        }
        let set = set_of(by, &before);
        let known = self.env.ets_cache.changes.borrow().get(set).and_then(|ways| {
            let is_it = |c: &&Change| Rc::ptr_eq(&c.by, by) && Rc::ptr_eq(&c.before, &before);
            ways.iter().flatten().find(is_it).map(|change| change.after.clone())
        });
        match known {
            Some(after) => {
                debug_assert!(after.is_same(&self.tables));
                self.tables = after;
            }
            None => {
                let change = Change { by: by.clone(), before, after: self.tables.clone() };
                keep(&self.env.ets_cache.changes, set, change);
            }
        }
    }

    /// The cached step must equal the real one. Now and then the step is taken on a copy, which is returned.
    #[cfg(debug_assertions)]
    fn compare_quiet(&self, task: usize, remembered: &Rc<Process>, pending: Pending) -> Option<Machine> {
        use raddle_core::{operation::TaskId, world::Pick};
        if !self.steps.is_multiple_of(3) {
            return None;
        }
        let mut copy = self.clone();
        copy.take_step(Pick { task: TaskId(task as u32), option: 0 });
        let mark = |p: &Process| {
            let mut f = crate::term::hash::Fingerprint::default();
            p.fingerprint(&mut f, &|n| n as u64);
            f.value()
        };
        let is_same = mark(copy.process(task)) == mark(remembered) && copy.pending[task] == pending;
        assert!(is_same, "{} is remembered otherwise than it goes", self.name_of(task));
        Some(copy)
    }
}
