//! Loops that wait, in the Rust world: what becomes of a task whose rounds are identical ([`raddle_core::waiting_loop`]).
//!
//! Invariant: the stage of a loop is a function of the steps of its own task, and whether it is blocked one of the state:
//! a loop that awaits a change is blocked until an object that it read is changed. So a reduction may treat a cut loop as
//! any other operation. A loop is a matter of the log; a run without one that comes to a loop demands it.
//!
//! The stages, from the round after the last fair one on: the yield that ends it is an operation that accesses all that
//! the round did ([`Stage::Last`]). When it is taken the loop goes on alone ([`alone`]). If it does not give up, the next
//! yield is blocked until a change ([`Stage::Awaiting`]). If nothing else can happen, it goes on nevertheless ([`release`]).
//!
//! Under a weak memory model the rounds may have read old stores ([`old_stores`]).

mod alone;
mod awaits;
mod old_stores;
mod release;

use super::Mode;
use crate::runtime::execution::Execution;
use crate::runtime::log::{Effect, Line, Sync};
use crate::runtime::operation::{NO_OBJECT, Op, OperationKind, ToLock};
use crate::runtime::tasks::task::{Phase, Role};
use crate::settings::Spins;
use crate::sync::mpsc;
use raddle_core::operation::{Accesses, ObjectId, TaskId};
use raddle_core::waiting_loop::{
    FairRounds, Hold, LONGEST_MARKED, Look, RoundEnd, identical_round, unlocked_turn, unmarked_round,
};
use raddle_core::world::Manner;
use std::panic::Location;

/// How often, in steps of a task, it is looked at for loops that never yield.
pub(crate) const LOOK_EVERY: u32 = 16;
/// A loop that never yields is looked for only after so many steps of its task that change nothing.
const FEWEST_LOOKS: u32 = 3;
/// This many `spin_loop`s with nothing between them are one; more of them are a loop.
const PAUSE: u32 = 1_000;

/// What a waiting loop may do next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Stage {
    /// The task is in no loop, or its rounds are steps like any other.
    #[default]
    Free,
    /// The loop is cut: its pending operation accesses all that a round does, and then it goes on alone.
    Last,
    /// It goes on alone: its operations are no steps.
    Alone,
    /// Its pending operation is blocked until something that it read changes.
    Awaiting,
    /// It was woken often enough: its pending operation is blocked until nothing else can happen, or, if it reads the
    /// clock, until that moves.
    Exhausted,
    /// It is in no loop that is cut, but it yields while one has been blocked for long: its yield is blocked until that has had
    /// a turn.
    GivesWay,
    /// Nothing else can happen, and it may go on. No step is reordered across that.
    Released,
}

/// What an operation is, and where.
type Operation = (*const OperationKind, *const Location<'static>, ObjectId);

/// Where the rounds of a loop begin: before this operation its task holds no lock that a round takes.
#[derive(Clone, Copy)]
pub(crate) struct Turn {
    operation: Operation,
    end: RoundEnd,
    /// How many steps the task had taken when it last came there.
    at: u32,
}

/// What a task looks like while it goes round in a loop that waits.
#[derive(Default)]
pub(crate) struct Spin {
    /// Rounds in a row that were identical to the one before.
    rounds: u32,
    /// Its pending operation is blocked for this reason.
    pub(super) held: bool,
    /// Its rounds were identical as often as is fair: if it goes on, its loads read the last stores, which have arrived.
    reads_latest: bool,
    stage: Stage,
    /// Its stage before it was released, and whether time passes when it goes on.
    before_release: Stage,
    passes_time: bool,
    /// How many times it has said in a row that it spins.
    pauses: u32,
    /// Where the rounds begin of a loop that never yields, or that yields while it holds a lock of the round.
    pub(super) turn: Option<Turn>,
    /// The yield at which the rounds of a loop that yields are counted.
    yields_at: Option<Operation>,
    /// The objects that a round of a cut loop accesses.
    reads: Vec<ObjectId>,
    /// The line after which a change of them wakes it. The loop went on alone from there, if it did.
    since: u32,
    /// The line of the step after which it was blocked: time that passes later wakes it.
    held_at: u32,
    /// The accesses of a round, while its last fair one is under way and after it.
    touches: Option<Accesses>,
    /// The lines of a round, in their order; while it goes on alone, which of them is next, and how many rounds are left.
    circle: Vec<u32>,
    next: usize,
    left: u32,
    /// The stage that follows when none are.
    after_alone: Stage,
    /// It has gone on alone before, and did not give up.
    was_alone: bool,
    /// Its rounds wait for time to pass or for others; how often it went on in vain after a release.
    takes_time: bool,
    releases: u32,
    /// How many changes there had been in the execution when it last went on in vain after a release, plus 1; else 0.
    in_vain: u32,
}

/// A cut loop, as it was when its task took a step.
pub(crate) struct SpinThen {
    stage: Stage,
    reads: Vec<ObjectId>,
    since: u32,
    held_at: u32,
    touches: Accesses,
    released: Vec<TaskId>,
    passes_time: bool,
}

/// The same, or a cut loop as it is.
#[derive(Clone, Copy)]
pub(crate) struct CutLoop<'a> {
    pub stage: Stage,
    pub reads: &'a [ObjectId],
    pub since: u32,
    pub held_at: u32,
    pub touches: Accesses,
    /// The loops that were released together with it, if it was, and whether time passes with it.
    pub released: &'a [TaskId],
    pub passes_time: bool,
}

impl Spin {
    pub fn reset(&mut self) {
        // Field by field, which is quicker than a new one with the old lists. All are named, so that none is forgotten.
        let Spin {
            rounds,
            held,
            reads_latest,
            stage,
            before_release,
            passes_time,
            pauses,
            turn,
            yields_at,
            reads,
            since,
            held_at,
            touches,
            circle: _,
            next,
            left,
            after_alone,
            was_alone,
            takes_time,
            releases,
            in_vain,
        } = self;
        reads.clear();
        (*held, *passes_time, *was_alone, *takes_time) = (false, false, false, false);
        *reads_latest = false;
        (*stage, *before_release, *after_alone) = (Stage::Free, Stage::Free, Stage::Free);
        (*rounds, *pauses, *since, *held_at, *left, *releases, *in_vain) = (0, 0, 0, 0, 0, 0, 0);
        (*turn, *yields_at, *touches, *next) = (None, None, None, 0);
    }
    /// The loop is over, or was none.
    fn leave(&mut self) {
        debug_assert!(self.reads.is_empty() && !self.held);
        self.rounds = 0;
        self.reads_latest = false;
        self.stage = Stage::Free;
        self.touches = None;
        self.was_alone = false;
        self.takes_time = false;
        self.releases = 0;
        self.in_vain = 0;
    }
    /// Whether its loads read the last stores, under a weak memory model.
    pub fn reads_latest(&self) -> bool {
        self.reads_latest
    }
    /// Whether the loop is cut, and so its pending operation is not only what the task announced.
    #[inline(always)]
    pub fn is_cut(&self) -> bool {
        self.stage != Stage::Free
    }
    /// Whether it goes on alone.
    #[inline(always)]
    pub fn is_alone(&self) -> bool {
        self.stage == Stage::Alone
    }
    /// Whether its steps have to be looked at closely.
    pub fn goes_round(&self) -> bool {
        self.held || self.is_cut() || self.turn.is_some() || self.touches.is_some()
    }
    /// The cut loop, for a reduction.
    pub(in crate::runtime) fn cut(&self) -> CutLoop<'_> {
        let touches = self.touches.unwrap_or(Accesses::EVERYTHING_THERE_IS);
        CutLoop {
            stage: self.stage,
            reads: &self.reads,
            since: self.since,
            held_at: self.held_at,
            touches,
            released: &[],
            passes_time: self.passes_time,
        }
    }
}

impl SpinThen {
    pub(in crate::runtime) fn cut(&self) -> CutLoop<'_> {
        let SpinThen { stage, reads, since, held_at, touches, released, passes_time } = self;
        CutLoop {
            stage: *stage,
            reads,
            since: *since,
            held_at: *held_at,
            touches: *touches,
            released,
            passes_time: *passes_time,
        }
    }
}

impl CutLoop<'_> {
    /// A copy that outlives the loop.
    fn keep(self) -> SpinThen {
        let CutLoop { stage, reads, since, held_at, touches, released, passes_time } = self;
        let (reads, released) = (reads.to_vec(), released.to_vec());
        SpinThen { stage, reads, since, held_at, touches, released, passes_time }
    }
    /// The accesses of the pending operation of the loop, which accesses these by itself.
    pub fn accesses(&self, own: Accesses, counted: impl Fn(ObjectId) -> Accesses) -> Accesses {
        match self.stage {
            Stage::Free | Stage::Alone => own,
            Stage::Last => own.union(self.touches),
            Stage::Released => Accesses::EVERYTHING_THERE_IS,
            Stage::Awaiting | Stage::Exhausted | Stage::GivesWay => self
                .reads
                .iter()
                .fold(own, |all, object| all.union(Accesses::read(*object)).union(counted(*object))),
        }
    }
}

/// What the step of a line does to a lock.
fn hold(line: &Line) -> Hold {
    let lock = line.object.0;
    match (line.sync, line.kind.to_lock) {
        (Sync::Acquire, ToLock::Takes) | (Sync::AcquireShared, _) => Hold::Takes(lock),
        (Sync::Release, ToLock::GivesBack) | (Sync::ReleaseShared, _) => Hold::GivesBack(lock),
        _ => Hold::Unchanged,
    }
}

impl Execution {
    /// The accesses of the pending operation of a cut loop.
    #[cold]
    pub(super) fn accesses_of_cut_loop(&self, id: TaskId, own: Accesses) -> Accesses {
        self.tasks[id].spin.cut().accesses(own, |object| self.counted_beside(object))
    }

    /// What an object of a channel stands for beside itself.
    pub(in crate::runtime) fn counted_beside(&self, object: ObjectId) -> Accesses {
        let counted = mpsc::counted(&self.state.objects, object);
        counted.fold(Accesses::NONE, |all, access| all.and(access.object, access.mode))
    }

    /// The steps of a task, newest first. That time has passed makes no other round.
    fn looks(&self, id: TaskId) -> impl Iterator<Item = Look<Operation, Effect>> + Clone {
        let lines = self.log.lines();
        let clock = self.state.objects.known_clock();
        let mut next = self.tasks[id].progress.last_line;
        std::iter::from_fn(move || {
            let line = &lines[next.checked_sub(1)? as usize];
            next = line.before;
            Some(Look {
                operation: (line.kind as _, line.place as _, line.object),
                result: if Some(line.object) == clock { Effect::None } else { line.effect },
                only_looks: !line.wrote || line.kind.to_lock == ToLock::Takes,
                yields: line.kind.manner == Manner::Yielding,
                hold: hold(line),
            })
        })
    }

    /// The task announces an operation that may be the beginning of another round.
    #[cold]
    pub fn consider_spin(&mut self, id: TaskId) {
        let task = &self.tasks[id];
        let Op { kind, place, object, .. } = task.op;
        let here: Operation = (kind, place, object);
        let own_end = match kind.manner {
            Manner::Yielding => RoundEnd::Yield,
            _ => RoundEnd::Return,
        };
        if own_end == RoundEnd::Yield && self.gives_way(id) {
            return;
        }
        let Some(end) = self.returns_to_turn(id, here, own_end) else { return };
        let is_unknown = end == RoundEnd::Return && self.tasks[id].spin.turn.is_none();
        let progress = &self.tasks[id].progress;
        if is_unknown && !self.log.is_kept() && progress.has_changed_something_in(FEWEST_LOOKS) {
            return;
        }
        if !self.has_log() {
            return;
        }
        if is_unknown {
            if let Some(length) = unmarked_round(&here, self.looks(id)) {
                self.begin_rounds(id, length, end);
            }
            return;
        }
        let is_at_a_yield = self.tasks[id].spin.turn.is_none();
        if is_at_a_yield && self.is_counted_elsewhere(id, here) {
            return;
        }
        let fair = self.fair_rounds();
        let Some(length) = identical_round(&here, self.looks(id)) else {
            let spin = &mut self.tasks[id].spin;
            spin.leave();
            spin.turn = None;
            spin.touches = (fair.until_cut(end) <= 1).then_some(Accesses::NONE);
            return;
        };
        if is_at_a_yield && unlocked_turn(self.looks(id), length) != Some(here) {
            self.tasks[id].spin.leave();
            self.begin_rounds(id, length, end);
            return;
        }
        let spin = &mut self.tasks[id].spin;
        spin.rounds = spin.rounds.saturating_add(1);
        if spin.rounds < fair.until_cut(end) {
            spin.touches = (spin.rounds + 1 >= fair.until_cut(end)).then_some(Accesses::NONE);
            return;
        }
        let is_last = spin.rounds >= fair.until_last(end);
        self.note_circle(id, length);
        // Tasks that take locks in their rounds keep waking each other.
        if is_last || self.locks_of_round(id).any(|line| line.wrote) {
            self.hold(id, Stage::Exhausted);
        } else {
            self.tasks[id].spin.stage = Stage::Last;
        }
    }

    /// How the round ends that may end `here`, where one of a loop whose turn is known may end only at that turn. A loop
    /// that does not come back to its turn is over.
    fn returns_to_turn(&mut self, id: TaskId, here: Operation, own_end: RoundEnd) -> Option<RoundEnd> {
        let steps = self.tasks[id].progress.steps();
        let spin = &mut self.tasks[id].spin;
        let Some(turn) = &mut spin.turn else { return Some(own_end) };
        if turn.operation == here {
            turn.at = steps;
            return Some(turn.end);
        }
        let is_another_loop = turn.end == RoundEnd::Return && own_end == RoundEnd::Yield;
        if !is_another_loop && steps - turn.at <= LONGEST_MARKED as u32 {
            return None;
        }
        spin.leave();
        spin.turn = None;
        Some(own_end)
    }

    /// The last `length` steps of a task are a round: from now on rounds begin where no lock of it is held.
    fn begin_rounds(&mut self, id: TaskId, length: usize, end: RoundEnd) {
        let Some(operation) = unlocked_turn(self.looks(id), length) else { return };
        let at = self.tasks[id].progress.steps();
        self.tasks[id].spin.turn = Some(Turn { operation, end, at });
    }

    /// Whether a loop yields several times in a round, and its rounds are counted at another one of its yields.
    fn is_counted_elsewhere(&mut self, id: TaskId, turn: Operation) -> bool {
        let counted = self.tasks[id].spin.yields_at.filter(|at| *at != turn);
        let is_within = |at: Operation| {
            let mut since = self.looks(id).take_while(|look| look.operation != turn);
            since.any(|look| look.operation == at)
        };
        if counted.is_some_and(is_within) {
            return true;
        }
        let spin = &mut self.tasks[id].spin;
        if counted.is_some() {
            spin.leave();
        }
        spin.yields_at = Some(turn);
        false
    }

    fn fair_rounds(&self) -> FairRounds {
        match self.settings.spins {
            Spins::Fair(rounds) => FairRounds(rounds),
            // Those that yield have waited already.
            Spins::Await => FairRounds(0),
        }
    }

    /// Whether the loop of `id` has taken all rounds that are steps like any other.
    pub(super) fn is_cut_after_this(&self, id: TaskId) -> bool {
        self.tasks[id].spin.rounds >= self.fair_rounds().until_cut(RoundEnd::Yield)
    }

    /// The loop of `id` was told often enough that something has not happened yet which has.
    pub(super) fn say_no_more(&mut self, id: TaskId) {
        self.scheduler.held_spins |= self.tasks[id].options(&self.state) > 1;
        self.tasks[id].op.args[0] = 1;
    }

    /// The last `length` steps of a task are a round of a loop that is cut.
    fn note_circle(&mut self, id: TaskId, length: usize) {
        let Execution { tasks, log, .. } = self;
        let task = &mut tasks[id];
        let spin = &mut task.spin;
        spin.circle.clear();
        spin.reads.clear();
        let mut line = task.progress.last_line;
        for _ in 0..length {
            spin.circle.push(line - 1);
            let Line { object, before, .. } = log.lines()[line as usize - 1];
            if object != NO_OBJECT && !spin.reads.contains(&object) {
                spin.reads.push(object);
            }
            line = before;
        }
        spin.circle.reverse();
        for access in spin.touches.into_iter().flat_map(Accesses::iter) {
            if !spin.reads.contains(&access.object) {
                spin.reads.push(access.object);
            }
        }
    }

    /// The lines of a round of the cut loop that take locks, or try to.
    fn locks_of_round(&self, id: TaskId) -> impl Iterator<Item = &Line> {
        let lines = self.tasks[id].spin.circle.iter().map(|at| &self.log.lines()[*at as usize]);
        lines.filter(|line| line.kind.to_lock == ToLock::Takes)
    }

    /// The pending operation of a loop is blocked from now on.
    fn hold(&mut self, id: TaskId, stage: Stage) {
        let held_at = self.log.present();
        let Execution { tasks, state, .. } = self;
        let spin = &mut tasks[id].spin;
        let clock = state.objects.known_clock();
        for object in &spin.reads {
            if stage == Stage::Awaiting || Some(*object) == clock {
                state.objects.add_spinner(*object, id);
            }
        }
        spin.stage = stage;
        spin.held = true;
        spin.held_at = held_at;
        spin.reads_latest = stage != Stage::GivesWay;
        self.scheduler.held_spins = true;
    }

    /// Something that a loop read has changed.
    pub(super) fn wake_spinner(&mut self, id: TaskId) {
        if self.scheduler.follows_graph {
            return;
        }
        self.tasks[id].spin.held = false;
        self.evaluate(id);
    }

    /// The task takes a step, and its loop is cut or about to be.
    #[cold]
    pub(super) fn step_in_loop(&mut self, id: TaskId) {
        let accesses = self.scheduler.pending(id).accesses;
        let spin = &mut self.tasks[id].spin;
        if let (Stage::Free, Some(touches)) = (spin.stage, &mut spin.touches) {
            *touches = touches.union(accesses);
        }
        if !spin.is_cut() {
            return;
        }
        self.note_own_accesses(id);
        if self.tasks[id].spin.stage != Stage::Last {
            self.log.skip_before_present(self.tasks[id].spin.since);
        }
        if matches!(self.scheduler.mode, Mode::Observed | Mode::Weak) {
            let task = &self.tasks[id];
            let released: &[TaskId] = match task.spin.stage {
                Stage::Released => &self.scheduler.released,
                _ => &[],
            };
            self.history.note_spin(task.op, CutLoop { released, ..task.spin.cut() }.keep());
        }
        match self.tasks[id].spin.stage {
            Stage::Last => self.go_on_alone(id),
            Stage::Released => self.go_on_released(id),
            Stage::Awaiting | Stage::Exhausted | Stage::GivesWay => self.stop_watching_spin(id),
            Stage::Free | Stage::Alone => {}
        }
    }

    /// The line of the step with which a cut loop goes on says what the operation itself does.
    fn note_own_accesses(&mut self, id: TaskId) {
        let task = &self.tasks[id];
        let accesses = task.evaluation(&self.state).accesses;
        let wrote = accesses.any_write() & !task.op.kind.looks;
        if std::mem::replace(&mut self.log.present_line().wrote, wrote) && !wrote {
            self.scheduler.changes -= 1;
        }
    }

    /// A blocked loop goes on with steps like any other.
    pub(in crate::runtime) fn stop_watching_spin(&mut self, id: TaskId) {
        self.leave_spinners(id);
        let spin = &mut self.tasks[id].spin;
        spin.reads.clear();
        spin.stage = Stage::Free;
        spin.held = false;
    }

    /// A loop no longer watches what it read.
    fn leave_spinners(&mut self, id: TaskId) {
        let Execution { tasks, state, .. } = self;
        for object in &tasks[id].spin.reads {
            state.objects.remove_spinner(*object, id);
        }
    }

    /// Whether `id` is the only task that could ever do something.
    fn is_the_only_task(&self, id: TaskId) -> bool {
        let lives = |other: TaskId| {
            let task = &self.tasks[other];
            task.role() == Role::Thread && matches!(task.phase(), Phase::New | Phase::Alive)
        };
        self.scheduler.clock.is_quiet() && !self.tasks.ids().any(|other| other != id && lives(other))
    }

    /// Whether the running task has just done `kind` and nothing since: doing it once more makes no difference. A loop of
    /// nothing else comes through now and then, so that it is noticed.
    pub fn pauses_already(&mut self, kind: &'static OperationKind) -> bool {
        let me = self.tasks.current();
        let last = match self.tasks[me].spin.stage {
            Stage::Alone => self.last_done_alone(me),
            _ => self.tasks[me].progress.last_line,
        };
        let again =
            self.is_exploring() && last > 0 && std::ptr::eq(self.log.lines()[last as usize - 1].kind, kind);
        let spin = &mut self.tasks[me].spin;
        spin.pauses = if again { (spin.pauses + 1) % PAUSE } else { 0 };
        spin.pauses > 0
    }
}
