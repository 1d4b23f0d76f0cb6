//! Loops that wait. `spin_loop` and `yield_now` end a round; a round is identical to the one before when it
//! ran the same operations on the same objects with the same values and wrote nothing.
//!
//! A task may take a few identical rounds in a row while others could run: bounded spins are real code, and
//! what comes after them must be explored. Then it waits until something it read changes, or goes on when
//! nothing else can run. A thousand identical rounds with nothing else able to run are a livelock. Loops
//! without a hint are found by looking back now and then, and are given many more rounds.

use super::execution::Execution;
use super::operation::NO_OBJECT;
use super::task::{Phase, Role};
use raddle_core::operation::TaskId;
use raddle_core::verdict::{Defect, FailureKind};
use raddle_core::world::Manner;

/// How often, in steps of a task, it is looked at for loops without a hint.
pub(crate) const LOOK_EVERY: u32 = 64;
/// The longest round of a loop without a hint.
const LONGEST_ROUND: usize = 16;
/// How many times more rounds a loop without a hint may take.
const WITHOUT_A_HINT: u32 = 32;
/// This many rounds in vain are a livelock.
const LIVELOCK: u32 = 1_000;
/// For so many rounds in vain every waiting task may be the one that goes on; then they take turns.
const CHOICES: u32 = 8;

impl Execution {
    /// The task announces an operation that may be the beginning of another round.
    #[cold]
    pub fn consider_spin(&mut self, id: TaskId) {
        let task = self.task(id);
        let op = task.op;
        let hint = op.verb.manner == Manner::Yielding;
        if !hint && task.spin.turn.is_none() {
            if task.steps > 0 {
                self.look_for_a_loop(id);
            }
            return;
        }
        if let (false, Some((verb, place))) = (hint, task.spin.turn)
            && !(std::ptr::eq(verb, op.verb) && std::ptr::eq(place, op.place))
        {
            return;
        }
        let is_turn = |line: u32| {
            let line = &self.log.lines[line as usize];
            std::ptr::eq(line.verb, op.verb)
                && std::ptr::eq(line.place, op.place)
                && line.object == op.object
        };
        let Some(length) = self.identical_round(task.last_line, &is_turn) else {
            let task = self.task_mut(id);
            task.spin.rounds = 0;
            if !hint {
                task.spin.turn = None;
            }
            return;
        };
        let rounds = task.spin.rounds + 1;
        let bound = self.settings.spin_rounds.saturating_mul(if hint { 1 } else { WITHOUT_A_HINT });
        let mut reads = std::mem::take(&mut self.task_mut(id).spin_reads);
        reads.clear();
        if rounds >= bound {
            let mut line = self.task(id).last_line;
            for _ in 0..length {
                let l = &self.log.lines[line as usize - 1];
                if l.object != NO_OBJECT && !reads.contains(&l.object) {
                    reads.push(l.object);
                }
                line = l.before;
            }
            for object in &reads {
                self.objects[*object].spinners.push(id);
            }
            self.held_spins = true;
        }
        let task = self.task_mut(id);
        task.spin.rounds = rounds;
        task.spin.held = rounds >= bound;
        task.spin_reads = reads;
    }

    /// The number of operations in the last round, if it is identical to the one before it. Rounds are
    /// separated by lines for which `is_turn` holds; `last` is the task's last line, plus 1.
    fn identical_round(&self, last: u32, is_turn: &dyn Fn(u32) -> bool) -> Option<usize> {
        let lines = &self.log.lines;
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
            let same = std::ptr::eq(l.verb, e.verb) && l.object == e.object && l.effect == e.effect;
            if !same || l.wrote || e.wrote {
                return None;
            }
            (late, early) = (l.before, e.before);
        }
        Some(length)
    }

    /// Looks for a loop without a hint in what the task did last.
    fn look_for_a_loop(&mut self, id: TaskId) {
        let task = self.task(id);
        let op = task.op;
        let mut line = task.last_line;
        let mut recent = Vec::with_capacity(3 * LONGEST_ROUND);
        while line != 0 && recent.len() < 3 * LONGEST_ROUND {
            let l = &self.log.lines[line as usize - 1];
            if l.wrote {
                break;
            }
            recent.push(l);
            line = l.before;
        }
        let looping = (1..=LONGEST_ROUND).any(|period| {
            recent.len() >= 3 * period
                && (0..2 * period).all(|i| {
                    let (a, b) = (recent[i], recent[i + period]);
                    std::ptr::eq(a.verb, b.verb)
                        && std::ptr::eq(a.place, b.place)
                        && a.object == b.object
                        && a.effect == b.effect
                })
        });
        let begins_round = looping && recent.iter().any(|l| std::ptr::eq(l.place, op.place));
        if begins_round {
            self.task_mut(id).spin.turn = Some((op.verb, op.place));
        }
    }

    /// A held task goes on; it no longer watches what its loop read.
    pub(super) fn stop_watching_spin(&mut self, id: TaskId) {
        let reads = std::mem::take(&mut self.task_mut(id).spin_reads);
        for object in &reads {
            self.objects[*object].spinners.retain(|t| *t != id);
        }
        self.task_mut(id).spin_reads = reads;
        self.task_mut(id).spin_reads.clear();
    }

    /// Only loops that wait are left, and no timer: they go round once more, or it is a livelock.
    pub(super) fn release_spins(&mut self) {
        let held: Vec<TaskId> = self
            .task_ids()
            .filter(|t| self.task(*t).spin.held && self.task(*t).phase == Phase::Alive)
            .collect();
        if held.is_empty() {
            return;
        }
        self.futile += 1;
        if self.futile > LIVELOCK {
            let defect = self.livelock(&held);
            self.fail(defect);
            return;
        }
        self.clock.stroll();
        let turn = self.futile as usize % held.len();
        for (at, id) in held.into_iter().enumerate() {
            if self.futile <= CHOICES || at == turn {
                self.task_mut(id).spin.held = false;
                self.evaluate(id);
            }
        }
    }

    fn livelock(&self, held: &[TaskId]) -> Defect {
        let names: Vec<String> = held.iter().map(|t| self.task_name(*t)).collect();
        let mut defect = Defect::new(
            FailureKind::Livelock,
            format!("only waiting loops are left, and nothing they read ever changes: {}", names.join(", ")),
        );
        for id in held {
            let task = self.task(*id);
            let waits: Vec<String> = task.spin_reads.iter().map(|o| self.object_name(*o)).collect();
            let what =
                if waits.is_empty() { "nothing that raddle sees".to_owned() } else { waits.join(", ") };
            defect = defect.note(
                format!("{} goes round and round here, waiting for {what}", self.task_name(*id)),
                Some(task.op.place.into()),
            );
        }
        for id in self.task_ids() {
            let task = self.task(id);
            if task.role == Role::Thread && task.phase == Phase::Alive && !held.contains(&id) {
                let object = match task.op.object {
                    NO_OBJECT => String::new(),
                    object => format!(" {}", self.object_name(object)),
                };
                let text = format!("{} waits to {}{object}", self.task_name(id), task.op.verb.name);
                defect = defect.note(text, Some(task.op.place.into()));
            }
        }
        defect
    }
}
