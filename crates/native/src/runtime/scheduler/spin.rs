//! Loops that wait. `spin_loop` and `yield_now` end a round; a round is identical to the one before when it
//! ran the same operations on the same objects with the same values and wrote nothing.
//!
//! A task may take a few identical rounds in a row while others could run: bounded spins are real code, and what
//! comes after them must be explored. The last of these is a long one, in which no other task gets a turn: it goes
//! round until it gives up by itself, as those do that spin a hundred times before they go to sleep. If it does
//! not, it waits until something it read changes, or goes on when nothing else can run. A thousand identical
//! rounds with nothing else able to run are a livelock. Loops without a hint are found by looking back now and
//! then, and are given more rounds.

use crate::runtime::execution::Execution;
use crate::runtime::log::Line;
use crate::runtime::operation::{NO_OBJECT, OperationKind};
use crate::runtime::tasks::task::Phase;
use crate::settings::Spins;
use raddle_core::operation::{ObjectId, TaskId};
use raddle_core::world::{Manner, Pending};
use std::panic::Location;

/// How often, in steps of a task, it is looked at for loops without a hint.
pub(crate) const LOOK_EVERY: u32 = 16;
/// The longest round of a loop without a hint.
const LONGEST_ROUND: usize = 16;
/// A loop without a hint is found after so many steps of its task that only look.
const FEWEST_LOOKS: u32 = 3;
/// How many times more rounds a loop without a hint may take.
const WITHOUT_A_HINT: u32 = 4;
/// How many rounds the last one of a loop takes at most.
const LONG_ROUND: u32 = 128;
/// This many `spin_loop`s with nothing between them are one; more of them are a loop.
const PAUSE: u32 = 1_000;
/// This many rounds in vain are a livelock.
const LIVELOCK: u32 = 1_000;
/// How many times more rounds loops may take that read nothing: they may be loops of so many rounds.
const LIVELOCK_WITHOUT_A_READ: u32 = 8;
/// The same for those that have no hint.
const LIVELOCK_WITHOUT_A_HINT: u32 = 32;
/// For so many rounds in vain every waiting task may be the one that goes on; then they take turns.
const CHOICES: u32 = 8;

/// What a task looks like while it goes round in a loop that waits.
#[derive(Default)]
pub(crate) struct Spin {
    /// Rounds in a row that were identical to the one before.
    pub(super) rounds: u32,
    /// It waits until something it read changes.
    pub(super) held: bool,
    /// How many operations there are in one of its rounds, while it is in its long one; else 0.
    pub(super) circle: usize,
    /// How many times it has said in a row that it spins.
    pauses: u32,
    /// A loop without a hint: the operation at which its rounds begin.
    pub(super) turn: Option<(&'static OperationKind, &'static Location<'static>)>,
    /// Objects that its loop read, while it is held.
    pub(super) reads: Vec<ObjectId>,
}

impl Spin {
    pub fn reset(&mut self) {
        self.rounds = 0;
        self.held = false;
        self.circle = 0;
        self.pauses = 0;
        self.turn = None;
        self.reads.clear();
    }
    /// Whether it watches what its loop read.
    #[inline(always)]
    pub fn is_watching(&self) -> bool {
        !self.reads.is_empty()
    }
    /// Whether its steps have to be looked at closely.
    pub fn goes_round(&self) -> bool {
        self.held || self.circle > 0 || self.turn.is_some() || self.is_watching()
    }
}

impl Execution {
    /// The task announces an operation that may be the beginning of another round.
    #[cold]
    pub fn consider_spin(&mut self, id: TaskId) {
        let task = &self.tasks[id];
        let op = task.op;
        let hint = op.kind.manner == Manner::Yielding;
        let asks_counterfactuals = !hint && task.spin.turn.is_none();
        if asks_counterfactuals && !self.log.is_kept() && task.progress.has_changed_something_in(FEWEST_LOOKS)
        {
            return;
        }
        if !self.has_log() {
            return;
        }
        let task = &self.tasks[id];
        if asks_counterfactuals {
            if task.progress.steps > 0 {
                self.look_for_a_loop(id);
            }
            return;
        }
        if let (false, Some((kind, place))) = (hint, task.spin.turn)
            && !(std::ptr::eq(kind, op.kind) && std::ptr::eq(place, op.place))
        {
            return;
        }
        let is_turn = |line: u32| {
            let line = &self.log.lines()[line as usize];
            std::ptr::eq(line.kind, op.kind) && std::ptr::eq(line.place, op.place) && line.object == op.object
        };
        let Some(length) = self.identical_round(task.progress.last_line, &is_turn) else {
            let task = &mut self.tasks[id];
            task.spin.rounds = 0;
            task.spin.circle = 0;
            if !hint {
                task.spin.turn = None;
            }
            return;
        };
        let rounds = task.spin.rounds + 1;
        let mut reads = std::mem::take(&mut self.tasks[id].spin.reads);
        reads.clear();
        let mut line = self.tasks[id].progress.last_line;
        for _ in 0..length {
            let l = &self.log.lines()[line as usize - 1];
            if l.object != NO_OBJECT && !reads.contains(&l.object) {
                reads.push(l.object);
            }
            line = l.before;
        }
        let fair = match self.settings.spins {
            Spins::Fair(rounds) => rounds,
            // Those with a hint have waited already.
            Spins::Await => 0,
        };
        let bound = fair.saturating_mul(if hint { 1 } else { WITHOUT_A_HINT });
        let held = rounds >= bound.saturating_add(LONG_ROUND);
        if held {
            for object in &reads {
                self.state.objects.add_spinner(*object, id);
            }
            self.scheduler.held_spins = true;
        } else {
            reads.clear();
        }
        let task = &mut self.tasks[id];
        task.spin.rounds = rounds;
        task.spin.circle = if !held && rounds.saturating_add(1) >= bound { length } else { 0 };
        task.spin.held = held;
        task.spin.reads = reads;
    }

    /// Whether the task, which is in its long round, announces what it did in the round before, and it only
    /// looks at what has not changed. Then that happens at once.
    #[cold]
    pub(in crate::runtime) fn goes_round(&mut self, id: TaskId) -> bool {
        let task = &self.tasks[id];
        let (op, length) = (&task.op, task.spin.circle);
        let back =
            |line: u32, by: usize| (0..by).fold(line, |line, _| self.log.lines()[line as usize - 1].before);
        let line = |line: u32| &self.log.lines()[line as usize - 1];
        let last = line(task.progress.last_line);
        let (last_before, op_before) =
            (back(task.progress.last_line, length), back(task.progress.last_line, length - 1));
        let same = std::ptr::eq(line(op_before).kind, op.kind)
            && std::ptr::eq(line(op_before).place, op.place)
            && line(op_before).object == op.object
            && line(last_before).effect == last.effect;
        let pending = self.evaluation(id);
        if same && pending.options == 1 && !pending.accesses.any_write() && self.scheduler.auto_run.is_empty()
        {
            self.scheduler.set_pending(id, Pending { options: 0, ..pending });
            self.note_step(id, pending);
            return true;
        }
        let spin = &mut self.tasks[id].spin;
        spin.circle = 0;
        if pending.options == 0 {
            // Its rounds take turns of others, as those of one that sleeps do: there is no long one.
            spin.rounds = spin.rounds.saturating_add(LONG_ROUND);
        }
        false
    }

    /// Whether the running task has just done `kind` and nothing since: doing it once more makes no difference. A loop of nothing else comes through now and then, so that it is noticed.
    pub fn pauses_already(&mut self, kind: &'static OperationKind) -> bool {
        let me = self.tasks.current();
        let last = self.tasks[me].progress.last_line;
        let again =
            self.is_exploring() && last > 0 && std::ptr::eq(self.log.lines()[last as usize - 1].kind, kind);
        let spin = &mut self.tasks[me].spin;
        spin.pauses = if again { (spin.pauses + 1) % PAUSE } else { 0 };
        spin.pauses > 0
    }

    /// The number of operations in the last round, if it is identical to the one before it. Rounds are
    /// separated by lines for which `is_turn` holds; `last` is the task's last line, plus 1.
    fn identical_round(&self, last: u32, is_turn: &dyn Fn(u32) -> bool) -> Option<usize> {
        let lines = self.log.lines();
        let back = |line: u32| lines[line as usize - 1].before;
        // The turn itself belongs to the round that it begins.
        let mut length = 0;
        let mut end_of_earlier = last;
        loop {
            if end_of_earlier == 0 || length > 4 * LONGEST_ROUND {
                return None;
            }
            length += 1;
            let was_turn = is_turn(end_of_earlier - 1);
            end_of_earlier = back(end_of_earlier);
            if was_turn {
                break;
            }
        }
        let (mut late, mut early) = (last, end_of_earlier);
        for _ in 0..length {
            if early == 0 {
                return None;
            }
            let (l, e) = (&lines[late as usize - 1], &lines[early as usize - 1]);
            let same = std::ptr::eq(l.kind, e.kind) && l.object == e.object && l.effect == e.effect;
            if !same || l.wrote || e.wrote {
                return None;
            }
            (late, early) = (l.before, e.before);
        }
        Some(length)
    }

    /// Looks for a loop without a hint: the task has gone round three times since what it is about to do.
    fn look_for_a_loop(&mut self, id: TaskId) {
        let task = &self.tasks[id];
        let op = &task.op;
        let lines = self.log.lines();
        let back = |line: u32| (line > 0).then(|| &lines[line as usize - 1]).filter(|l| only_looks(l));
        let mut line = task.progress.last_line;
        let mut length = 0;
        let begins_round = loop {
            let Some(l) = back(line) else { break false };
            length += 1;
            if std::ptr::eq(l.kind, op.kind) && std::ptr::eq(l.place, op.place) && l.object == op.object {
                break true;
            }
            if length == LONGEST_ROUND {
                break false;
            }
            line = l.before;
        };
        if !begins_round {
            return;
        }
        let (mut late, mut early) = (task.progress.last_line, lines[line as usize - 1].before);
        for _ in 0..2 * length {
            let (Some(l), Some(e)) = (back(late), back(early)) else { return };
            let same = std::ptr::eq(l.kind, e.kind)
                && std::ptr::eq(l.place, e.place)
                && l.object == e.object
                && l.effect == e.effect;
            if !same {
                return;
            }
            (late, early) = (l.before, e.before);
        }
        let turn = Some((op.kind, op.place));
        self.tasks[id].spin.turn = turn;
    }

    /// A held task goes on; it no longer watches what its loop read.
    pub(in crate::runtime) fn stop_watching_spin(&mut self, id: TaskId) {
        let reads = std::mem::take(&mut self.tasks[id].spin.reads);
        for object in &reads {
            self.state.objects.remove_spinner(*object, id);
        }
        self.tasks[id].spin.reads = reads;
        self.tasks[id].spin.reads.clear();
    }

    /// Only loops that wait are left, and no timer: they go round once more, or it is a livelock.
    pub(in crate::runtime) fn release_spins(&mut self) {
        let held: Vec<TaskId> = self
            .tasks
            .ids()
            .filter(|t| self.tasks[*t].spin.held && self.tasks[*t].phase() == Phase::Alive)
            .collect();
        if held.is_empty() {
            return;
        }
        self.scheduler.futile += 1;
        let patience = held.iter().map(|t| &self.tasks[*t]).map(|task| match task.spin.turn {
            Some(_) => LIVELOCK_WITHOUT_A_HINT,
            None if task.spin.reads.is_empty() => LIVELOCK_WITHOUT_A_READ,
            None => 1,
        });
        if self.scheduler.futile > LIVELOCK * patience.max().unwrap_or(1) {
            let tasks = &self.tasks;
            let defect = self.evidence().livelock(&held, |id| &tasks[id].spin.reads);
            self.fail(defect);
            return;
        }
        self.scheduler.clock.stroll();
        let turn = self.scheduler.futile as usize % held.len();
        for (at, id) in held.into_iter().enumerate() {
            if self.scheduler.futile <= CHOICES || at == turn {
                self.tasks[id].spin.held = false;
                self.evaluate(id);
            }
        }
    }
}

/// Whether a line is no more than a look at something.
fn only_looks(line: &Line) -> bool {
    !line.wrote && line.kind.manner == Manner::Ordinary
}
