//! Answers whether an operation would be enabled after another prefix of the present execution, and with
//! which accesses. Most answers follow from the recorded [`Standing`]s; the rest replay the prefix on a
//! snapshot. Debug builds compare both.

use crate::machine::Standing;
use crate::machine::access::{Mark, Object};
use crate::settings::Grain;
use crate::world::ErlangWorld;
use raddle_core::operation::{Accesses, Mode, TaskId};
use raddle_core::world::{Counterfactual, Pending, Pick, Variation};

/// A step of the present execution.
#[derive(Clone, Copy)]
pub(crate) struct Done {
    pub pick: Pick,
    pub accesses: Accesses,
    pub mark: Mark,
    /// After this step only one process is enabled.
    pub hurries: bool,
    /// The step before it of its task, plus 1.
    pub before: u32,
}

/// Which steps of the present execution change a process, by process, so that no question scans all steps.
#[derive(Clone, Default)]
pub(crate) struct Moves {
    /// For each task its last step, plus 1.
    last: Vec<u32>,
    /// For each process, its steps and its receives.
    of: Vec<Vec<u32>>,
    /// The other steps that may change a process: those that write anything.
    others: Vec<u32>,
}

impl Moves {
    /// Adds step `at`, of `task`, which is a step of `process` or its receive. Returns the step before it of its task, plus 1.
    pub fn add(&mut self, at: usize, task: usize, process: Option<usize>, accesses: Accesses) -> u32 {
        let at = at as u32;
        if self.last.len() <= task {
            self.last.resize(task + 1, 0);
        }
        if let Some(process) = process {
            if self.of.len() <= process {
                self.of.resize(process + 1, Vec::new());
            }
            self.of[process].push(at);
        }
        if accesses.any_write() && process.is_none_or(|process| process == task) {
            self.others.push(at);
        }
        std::mem::replace(&mut self.last[task], at + 1)
    }
    /// Removes the steps `done`, from number `from` on.
    pub fn remove(&mut self, from: usize, done: &[Done]) {
        for done in done.iter().rev() {
            self.last[done.pick.task.index()] = done.before;
        }
        for steps in self.of.iter_mut().chain([&mut self.others]) {
            steps.truncate(steps.partition_point(|at| (*at as usize) < from));
        }
    }
    /// Forgets all steps.
    pub fn clear(&mut self) {
        self.last.clear();
        self.of.iter_mut().for_each(Vec::clear);
        self.others.clear();
    }
    /// The last step of a task, plus 1.
    fn last_of(&self, task: usize) -> usize {
        self.last.get(task).map_or(0, |last| *last as usize)
    }
    fn from(steps: &[u32], before: usize) -> &[u32] {
        &steps[steps.partition_point(|at| (*at as usize) < before)..]
    }
    /// The steps and receives of a process from `before` on.
    fn of(&self, process: usize, before: usize) -> &[u32] {
        self.of.get(process).map_or(&[], |steps| Moves::from(steps, before))
    }
    /// The other steps from `before` on that write anything.
    fn others(&self, before: usize) -> &[u32] {
        Moves::from(&self.others, before)
    }
}

fn is_among(at: u32, also: &[u32]) -> bool {
    also.binary_search(&at).is_ok()
}

/// The standing of every task after each step.
#[derive(Clone, Default)]
pub(crate) struct Standings {
    /// For each task, its standings, each with the step since which it holds.
    tasks: Vec<Vec<(u32, Standing)>>,
}

impl Standings {
    /// Records the standing of a task after `steps` steps.
    pub fn note(&mut self, task: usize, steps: usize, standing: Standing) {
        if self.tasks.len() <= task {
            self.tasks.resize(task + 1, Vec::new());
        }
        let all = &mut self.tasks[task];
        if all.last().map(|(_, last)| *last) != Some(standing) {
            all.push((steps as u32, standing));
        }
    }
    /// Forgets everything after the first `steps` steps.
    pub fn truncate(&mut self, steps: usize) {
        for all in &mut self.tasks {
            while all.pop_if(|(since, _)| *since as usize > steps).is_some() {}
        }
    }
    /// The standing of a task after `steps` steps; none if it did not exist.
    fn of(&self, task: usize, steps: usize) -> Option<Standing> {
        let all = self.tasks.get(task)?;
        let at = all.partition_point(|(since, _)| *since as usize <= steps).checked_sub(1)?;
        Some(all[at].1)
    }
    /// After how many steps a task was blocked that is so after `steps` steps; none if it is not.
    fn waited_since(&self, task: usize, steps: usize) -> Option<usize> {
        let all = self.tasks.get(task)?;
        let at = all.partition_point(|(since, _)| *since as usize <= steps).checked_sub(1)?;
        let (since, standing) = all[at];
        (standing == Standing::Waits).then_some(since as usize)
    }
}

/// Where a process is after another prefix.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In its present state.
    AsNow,
    /// In its state before the steps in question.
    AsBefore,
    Between,
}

impl Counterfactual for ErlangWorld {
    fn pending_then(&self, task: TaskId, prefix: usize, also: &[u32]) -> Pending {
        if self.is_left_out(task.index(), prefix, also) {
            // It has done something else since.
            return self.pending_by_trying(task, prefix, also).unwrap_or(Pending::NOTHING);
        }
        let enabled = self.is_plain_to_see(task.index(), prefix, also);
        let accesses = match enabled {
            // A process is blocked where it waits for a message, without a timeout: that is a step of the message.
            Some(false) if self.machine().is_process(task.index()) => Some(Accesses::NONE),
            _ => self.same_accesses(task, prefix, also),
        };
        let by_trying = || {
            let now =
                || Pending { accesses: self.machine().point().pending(task).accesses, ..Pending::NOTHING };
            self.pending_by_trying(task, prefix, also).unwrap_or_else(now)
        };
        if let (Some(enabled), Some(accesses)) = (enabled, accesses) {
            let then = Pending { accesses, options: enabled as u32, ..Pending::NOTHING };
            debug_assert!(
                {
                    let tried = by_trying();
                    (then.options > 0) == (tried.options > 0) && then.accesses == tried.accesses
                } || self.machine().are_ends_observed()
            );
            return then;
        }
        let tried = by_trying();
        let options = enabled.map_or(tried.options, |enabled| enabled as u32);
        Pending { accesses: accesses.unwrap_or(tried.accesses), options, ..Pending::NOTHING }
    }

    /// A message always changes its receiver, and nothing else. It is blocked until that waits for it.
    fn variation(&self, task: TaskId) -> Variation {
        let now = self.machine();
        match now.is_mail(task.index()) && now.settings().grain == Grain::Full {
            true => Variation::Enabledness,
            false => Variation::State,
        }
    }

    fn blocked_since(&self, task: TaskId, prefix: usize) -> usize {
        match self.machine().is_mail(task.index()) {
            true => self.standings.waited_since(task.index(), prefix).unwrap_or(prefix),
            false => prefix,
        }
    }
}

impl ErlangWorld {
    /// Whether a step of `task` from number `before` on is not among the steps `also`.
    fn is_left_out(&self, task: usize, before: usize, also: &[u32]) -> bool {
        let mut last = self.moves.last_of(task);
        while last > before {
            if !is_among(last as u32 - 1, also) {
                return true;
            }
            last = self.done[last - 1].before as usize;
        }
        false
    }

    /// The accesses of an operation there, if they follow from its present ones without replay.
    fn same_accesses(&self, task: TaskId, before: usize, also: &[u32]) -> Option<Accesses> {
        let now = self.machine();
        self.touched_the_same(task.index(), before, also).then(|| {
            match now.is_mail(task.index()) || before == self.done.len() {
                true => now.accesses_in(task.index(), now),
                false => now.point().pending(task).accesses,
            }
        })
    }

    /// Where a process is after the first `before` steps and then the steps `also`.
    fn place_of(&self, process: usize, before: usize, also: &[u32]) -> Place {
        let now = self.machine();
        let Some(itself) = now.objects().find(Object::Itself(now.process(process).pid)) else {
            return Place::Between;
        };
        let itself = Accesses::read(itself);
        let mark = Mark::of(itself);
        let own = self.moves.of(process, before);
        let (mut taken, mut left_out) = match also.is_empty() {
            true => (false, !own.is_empty()),
            false => {
                let first = also.partition_point(|at| (*at as usize) < before);
                let taken = also[first..].iter().filter(|at| is_among(**at, own)).count();
                (taken > 0, taken < own.len())
            }
        };
        for at in self.moves.others(before) {
            if taken && left_out {
                break;
            }
            let done = &self.done[*at as usize];
            if done.mark.may_conflict(mark) && done.accesses.conflict(itself) {
                match is_among(*at, also) {
                    true => taken = true,
                    false => left_out = true,
                }
            }
        }
        match (taken, left_out) {
            (_, false) => Place::AsNow,
            (false, true) => Place::AsBefore,
            (true, true) => Place::Between,
        }
    }

    /// Whether only one process was enabled after one of these steps.
    fn was_hurried(&self, before: usize, also: &[u32]) -> bool {
        let hurries = |at: usize| self.done[at].hurries;
        before.checked_sub(1).is_some_and(hurries) || also.iter().any(|at| hurries(*at as usize))
    }

    /// Whether an operation is enabled there, if that follows from the state of its process without replay;
    /// only with unordered mailboxes.
    fn is_plain_to_see(&self, task: usize, before: usize, also: &[u32]) -> Option<bool> {
        let now = self.machine();
        if !now.is_order_open()
            || now.depends_on_others(task)
            || now.is_hurried()
            || self.was_hurried(before, also)
        {
            return None;
        }
        let process = now.receiver_of(task)?;
        match self.place_of(process, before, also) {
            Place::Between => None,
            // No operation of a process is ever blocked except one that says so itself.
            Place::AsNow if task == process => match now.standing(process) {
                Standing::Waits => Some(false),
                Standing::Goes => Some(true),
                _ => None,
            },
            Place::AsNow => {
                let born = now.point().birth(TaskId(task as u32)).after as usize;
                let was_there = born <= before || is_among(born as u32 - 1, also);
                match now.standing(task) {
                    Standing::Goes if was_there => Some(true),
                    Standing::Waits if was_there => Some(false),
                    _ => None,
                }
            }
            Place::AsBefore if task == process => match self.standings.of(process, before)? {
                // Its timeout could have fired in place of the timeout that did.
                Standing::Waits if self.done[before].accesses.is_everything() => None,
                Standing::Waits => Some(false),
                Standing::Goes => Some(true),
                Standing::Other => None,
            },
            Place::AsBefore => {
                if self.standings.of(process, before)? != Standing::Waits {
                    return Some(false);
                }
                match self.standings.of(task, before)? {
                    Standing::Goes => Some(true),
                    Standing::Waits => Some(false),
                    Standing::Other => None,
                }
            }
        }
    }

    /// Whether an operation has the same accesses there as now, as far as that follows without replay.
    fn touched_the_same(&self, task: usize, before: usize, also: &[u32]) -> bool {
        if before == self.done.len() && also.is_empty() {
            return true;
        }
        let now = self.machine();
        if !now.is_order_open() || now.is_hurried() || self.was_hurried(before, also) {
            return false;
        }
        if now.receiver_of(task) != Some(task) {
            return now.is_mail(task) && now.settings().grain == Grain::Full;
        }
        let Some(basis) = now.basis_of(task) else { return false };
        let Some(itself) = now.objects().find(Object::Itself(now.process(task).pid)) else { return false };
        let mark = Mark::of(basis.and(itself, Mode::Read));
        // The usual case: no omitted step conflicts with it.
        let matters = |done: &Done| done.pick.task.index() == task || done.mark.may_conflict(mark);
        let is_left_out = |at: usize| !is_among(at as u32, also);
        if !(before..self.done.len()).any(|at| matters(&self.done[at]) && is_left_out(at)) {
            return true;
        }
        let mark = Mark::of(basis);
        let changes = |(at, done): (usize, &crate::counterfactual::Done)| {
            done.mark.may_conflict(mark) && done.accesses.conflict(basis) && !is_among(at as u32, also)
        };
        self.place_of(task, before, also) == Place::AsNow
            && !self.done.iter().enumerate().skip(before).any(changes)
    }

    /// The operation there, by replay; none if its task does not exist there.
    fn pending_by_trying(&self, task: TaskId, before: usize, also: &[u32]) -> Option<Pending> {
        let key = self.machine().key_of(task.index());
        let machine = self.then(before, also)?;
        let then = machine.with_key(key)?;
        let accesses = machine.accesses_in(then, self.machine());
        Some(Pending { accesses, ..*machine.point().pending(TaskId(then as u32)) })
    }
}
