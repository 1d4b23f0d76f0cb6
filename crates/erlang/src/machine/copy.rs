//! Snapshots of states. A search takes one for nearly each step, usually over an old state that shares almost
//! everything with the new one; so memory is reused, and equal parts are not copied.

use super::{Machine, Task};
use std::rc::Rc;

impl Task {
    /// Whether both are known to be equal; false if unsure.
    #[inline]
    fn is_same(&self, other: &Task) -> bool {
        match (self, other) {
            (Task::Process(a), Task::Process(b)) => Rc::ptr_eq(a, b),
            (Task::Pair(a), Task::Pair(b)) => Rc::ptr_eq(a, b),
            (Task::Timer(a), Task::Timer(b)) | (Task::Spent(a), Task::Spent(b)) => Rc::ptr_eq(a, b),
            (Task::UnorderedMessage(a), Task::UnorderedMessage(b)) => Rc::ptr_eq(a, b),
            (Task::Received(a), Task::Received(b)) | (Task::End(a), Task::End(b)) => a == b,
            (Task::Faults, Task::Faults) => true,
            _ => false,
        }
    }
}

#[inline]
fn copy_tasks(to: &mut Vec<Task>, from: &[Task]) {
    to.truncate(from.len());
    let (both, more) = from.split_at(to.len());
    for (to, from) in to.iter_mut().zip(both) {
        if !to.is_same(from) {
            *to = from.clone();
        }
    }
    to.extend(more.iter().cloned());
}

#[inline]
fn copy_shared<T>(to: &mut Rc<T>, from: &Rc<T>) {
    if !Rc::ptr_eq(to, from) {
        *to = from.clone();
    }
}

impl Clone for Machine {
    fn clone(&self) -> Machine {
        Machine {
            env: self.env.clone(),
            tasks: self.tasks.clone(),
            births: self.births.clone(),
            steps: self.steps,
            index: self.index.clone(),
            pairs: self.pairs.clone(),
            names: self.names.clone(),
            once_named: self.once_named.clone(),
            tables: self.tables.clone(),
            persistent: self.persistent.clone(),
            numbers: self.numbers.clone(),
            environment: self.environment.clone(),
            files: self.files.clone(),
            versions: self.versions.clone(),
            now: self.now,
            monotonic: self.monotonic,
            kills_left: self.kills_left,
            ticking: self.ticking,
            late_firings: self.late_firings.clone(),
            result: self.result.clone(),
            over: self.over.clone(),
            failed: self.failed.clone(),
            halted: self.halted,
            unordered_mailbox: self.unordered_mailbox.clone(),
            current: self.current,
            hurried: self.hurried,
            objects: self.objects.clone(),
            pending: self.pending.clone(),
            marks: self.marks.clone(),
            moved: self.moved,
            stale: self.stale.clone(),
            fresh: self.fresh.clone(),
            enabled: self.enabled.clone(),
            log: self.log.clone(),
        }
    }

    fn clone_from(&mut self, other: &Machine) {
        // The fields are listed, so that a new one cannot be forgotten.
        let Machine {
            env,
            tasks,
            births,
            steps,
            index,
            pairs,
            names,
            once_named,
            tables,
            persistent,
            numbers,
            environment,
            files,
            versions,
            now,
            monotonic,
            kills_left,
            ticking,
            late_firings,
            result,
            over,
            failed,
            halted,
            unordered_mailbox,
            current,
            hurried,
            objects,
            pending,
            marks,
            moved,
            stale,
            fresh,
            enabled,
            log,
        } = other;
        copy_shared(&mut self.env, env);
        copy_tasks(&mut self.tasks, tasks);
        copy_shared(&mut self.births, births);
        copy_shared(&mut self.index, index);
        copy_shared(&mut self.pairs, pairs);
        copy_shared(&mut self.names, names);
        copy_shared(&mut self.once_named, once_named);
        copy_shared(&mut self.tables, tables);
        copy_shared(&mut self.persistent, persistent);
        copy_shared(&mut self.numbers, numbers);
        copy_shared(&mut self.environment, environment);
        copy_shared(&mut self.files, files);
        copy_shared(&mut self.versions, versions);
        copy_shared(&mut self.late_firings, late_firings);
        self.result.clone_from(result);
        self.over.clone_from(over);
        self.failed.clone_from(failed);
        self.unordered_mailbox.clone_from(unordered_mailbox);
        self.objects.clone_from(objects);
        self.pending.clone_from(pending);
        self.marks.clone_from(marks);
        self.enabled.clone_from(enabled);
        self.log.clone_from(log);
        (self.steps, self.now, self.monotonic) = (*steps, *now, *monotonic);
        (self.kills_left, self.ticking, self.halted) = (*kills_left, *ticking, *halted);
        (self.current, self.hurried) = (*current, *hurried);
        self.stale.clone_from(stale);
        self.fresh.clone_from(fresh);
        self.moved = *moved;
    }
}
