//! The short way through a run that is drawn: nobody will read its log, so it has none, and as long as nothing comes
//! up but operations of a few tasks, what can happen next need not be settled anew at every step.
//!
//! A run is fast_path if draws decide, there is no log, it is known who can move, and nothing has happened since that could
//! change it but what tasks announced and objects that changed. Whatever does more than that ends the fast_path;
//! [`Execution::settle`] finds out what it was, and when it is fast_path again.
//!
//! A program that does what can only be judged by the log, as loops that may wait and cells do, says so by asking for
//! it. Its run is of no use then: it begins anew with a log, and so do all after it.

use crate::runtime::execution::{By, Execution, Turn};
use crate::runtime::scheduler::spin::LOOK_EVERY;
use crate::runtime::scheduler::task_set::{Few, Members};
use raddle_core::operation::{ObjectId, TaskId};
use raddle_core::world::{Decision, Pick};

impl Execution {
    /// Whether there is a log to look at. If not, the run that asks for it comes to its end.
    pub(in crate::runtime) fn has_log(&mut self) -> bool {
        if !self.log.is_kept() {
            self.log_wanted = true;
            self.stop_driving();
        }
        self.log.is_kept()
    }

    /// Whether this run asked for a log in vain.
    pub fn lacks_log(&self) -> bool {
        self.log_wanted && !self.log.is_kept()
    }

    /// Nothing is left to settle: is it fast_path until something comes up?
    #[inline(always)]
    pub(in crate::runtime) fn allows_fast_path(&self) -> bool {
        !self.log.is_kept() && self.used <= Few::MOST
    }

    /// The running task announces its operation in a fast_path run. None if that is not all there is to see to.
    #[inline(always)]
    pub(in crate::runtime) fn announce_calmly(&mut self) -> Option<Turn> {
        let id = self.current;
        let Some(By::UniformDraws(dice)) = self.driver else { return None };
        let task = self.task(id);
        let (kind, place) = (task.op.kind, task.op.place);
        if task.slow_path | kind.slow_path | (task.steps % LOOK_EVERY == LOOK_EVERY - 1) {
            return None;
        }
        self.look_if_can_go_on(id);
        while let Some(object) = self.changed.pop() {
            self.look_who_can_go_on(object);
        }
        if !self.auto_run.is_empty() {
            return None;
        }
        let few = self.ready.few();
        if few.is_empty() {
            return None;
        }
        #[cfg(debug_assertions)]
        {
            assert!(self.allows_fast_path() && !self.halted);
            self.enabled.list(&self.ready);
            self.check_against_full_evaluation();
        }
        // SAFETY: as in `decide`.
        let dice = unsafe { &mut *dice };
        if !dice.note() {
            self.stop_driving();
            return Some(Turn::Wait);
        }
        let next = few.get(dice.below(few.len()));
        let option = dice.below(self.pending_mut(next).options);
        if next == id {
            self.option = option;
            self.watch.moved(id, place);
            self.task_mut(id).steps_on();
            return Some(Turn::Go);
        }
        self.decided = Decision::take(Pick { task: next, option });
        if kind.is_watched(false) {
            self.watch_objects(id);
        }
        Some(Turn::Wait)
    }

    /// The running task waits for nothing, or until what it waits for is there, in a run without a log.
    #[inline(always)]
    pub(in crate::runtime) fn happen_unseen(&mut self, id: TaskId) -> Turn {
        self.set_idle(id);
        let op = &self.task(id).op;
        if op.kind.options(self, op) == 0 {
            self.watch_objects(id);
            return Turn::Wait;
        }
        self.note_unseen(id);
        Turn::Go
    }

    /// A step of `id`, which is not ready, happens by itself in a run without a log.
    #[inline(always)]
    pub(in crate::runtime) fn note_unseen(&mut self, id: TaskId) {
        self.option = 0;
        let task = self.task_mut(id);
        task.steps_on();
        let place = task.op.place;
        self.watch.moved(id, place);
        // SAFETY: as in `decide`.
        if let Some(By::UniformDraws(dice)) = self.driver
            && !unsafe { &mut *dice }.note()
        {
            self.stop_driving();
        }
    }

    /// `id` has nothing that it could be picked for.
    #[inline(always)]
    pub(in crate::runtime) fn set_idle(&mut self, id: TaskId) {
        self.set_options(id, 0);
    }

    /// Looks whether `id` can go on with what it has announced, in a run without a log.
    #[inline(always)]
    pub(in crate::runtime) fn look_if_can_go_on(&mut self, id: TaskId) {
        let op = &self.task(id).op;
        let options = op.kind.options(self, op);
        self.set_options(id, options);
    }

    /// In so many ways `id` can go on.
    #[inline(always)]
    fn set_options(&mut self, id: TaskId, options: u32) {
        self.pending_mut(id).options = options;
        self.ready.set(id, options > 0);
    }

    /// Looks again which of those can go on that depend on `object`, in a run without a log.
    pub(in crate::runtime) fn look_who_can_go_on(&mut self, object: ObjectId) {
        for at in 0..self.objects[object].watchers.words() {
            for id in Members::new(self.objects[object].watchers.word(at), at) {
                let op = &self.task(id).op;
                let kind = op.kind;
                let options = kind.options(self, op);
                if !kind.by_itself {
                    self.set_options(id, options);
                } else if options > 0 && !self.auto_run.contains(&id) {
                    // An object may have been touched twice, but a wait is over only once.
                    self.auto_run.push(id);
                }
            }
        }
    }
}
