//! The contract of a system whose behaviour is decided one pick at a time.
//!
//! A world never sees a search. It shows what could happen next, lets one of those things happen, and says
//! how the run ended. Worlds are machines that are used again: [`World::start`] begins a clean execution.

use crate::operation::{Accesses, TaskId};
use crate::random::Rng;
use crate::record::ExecutionRecord;
use crate::trace::Step;
use crate::verdict::Defect;

/// Which task takes its pending operation, and with which option.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pick {
    /// The task that moves.
    pub task: TaskId,
    /// Which of its operation's options it takes, from 0.
    pub option: u32,
}

/// What kind of mover a task is at this point: what counts as a preemption depends on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Manner {
    /// An ordinary operation; switching away from it while it is enabled is a preemption.
    #[default]
    Ordinary,
    /// The task gives way by itself: switching away from it is not a preemption.
    Yielding,
    /// A timer, a delivery, a flush: no thread of the program; neither preempts nor is preempted.
    Phantom,
}

/// The operation that a task will take next, evaluated in the present state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pending {
    /// What it touches.
    pub accesses: Accesses,
    /// In how many ways it can go; 0 while it is blocked.
    pub options: u32,
    /// Tells operations apart cheaply: equal in equal executions. Worlds whose operations stand in a source
    /// make the upper half depend on the place alone, and equal in every process.
    pub signature: u32,
    /// How it moves.
    pub manner: Manner,
}

impl Pending {
    /// A task that has nothing left to do.
    pub const NOTHING: Pending =
        Pending { accesses: Accesses::NONE, options: 0, signature: 0, manner: Manner::Ordinary };

    /// What is done where in the program, whatever it is done to: the upper half of the signature.
    #[inline]
    pub fn site(&self) -> u16 {
        (self.signature >> 16) as u16
    }
}

/// Where a task came from. Unlike its number in the order of creation, its parent and its number there are
/// the same in every execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Birth {
    /// Who created it; itself, if it was there from the start.
    pub parent: TaskId,
    /// Its number there. Phantoms are numbered apart from children: see [`Birth::PHANTOM`].
    pub number: u32,
    /// How many steps had happened when it was created.
    pub after: u32,
}

impl Birth {
    /// Set in the numbers of phantoms.
    pub const PHANTOM: u32 = 1 << 31;
}

/// What a step means to an operation that may be blocked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockingEffect {
    /// It blocks it until a later step, which conflicts with it, gives back what it took.
    Acquires,
    /// It may let it happen and never blocks it.
    Releases,
    /// Nothing is known.
    Unknown,
}

/// How an operation that touches everything, and so depends on all that came before it, may have come to be blocked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blockers {
    /// By all of it or by none.
    All,
    /// By some of it and not by the rest.
    Several,
    /// By one step, for good. Of the rest, some may have let it happen, but none would have kept it from that.
    One,
}

/// How the pending operation of a task depends on the state. A hint: the later variants are always right.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Variation {
    /// It is the same in all states: never blocked, always the same accesses and options.
    Steady,
    /// It is blocked in some states. Its accesses are the same in all of them.
    Enabledness,
    /// Its accesses differ, by the state of one object or one channel that it always touches.
    Local,
    /// Its accesses differ in any way.
    State,
}

/// What a world knows of the states that the present execution went through.
pub trait Counterfactual {
    /// The pending operation of `task` after the first `prefix` steps of this execution and then its steps `also`, in
    /// ascending order, which lie behind those. Together they are a *closed subset* of the execution: whatever happened
    /// before one of them is among them, and so is all that happened before the operation by program order. If `task` took
    /// further steps in this execution, the operation is that of the first of them. It has no options where it is blocked.
    fn pending_then(&self, task: TaskId, prefix: usize, also: &[u32]) -> Pending {
        let options = self.could_happen(task, prefix, also) as u32;
        Pending { accesses: self.accesses_then(task, prefix, also), options, ..Pending::NOTHING }
    }
    /// How the pending operation of `task` depends on the state.
    fn variation(&self, task: TaskId) -> Variation {
        let _ = task;
        Variation::State
    }
    /// Whether step `step` blocks the pending operation of `task`, which conflicts with it, in every state that the step led
    /// to, until a later step that conflicts with both. A hint: `false` is always right.
    fn blocks(&self, step: usize, task: TaskId) -> bool {
        let _ = (step, task);
        false
    }
    /// Whether there are states in which the pending operation of `task` would be blocked.
    fn can_block(&self, task: TaskId) -> bool;
    /// Whether operations that commute with each other can block the pending operation of `task` together, as
    /// readers do a writer.
    fn has_blockers_that_commute(&self, task: TaskId) -> bool {
        let _ = task;
        false
    }
    /// Whether what the pending operation of `task` touches depends on how many others have happened, as the place of a
    /// message does: earlier it would depend on less.
    fn is_numbered(&self, task: TaskId) -> bool {
        let _ = task;
        false
    }
    /// Whether the pending operation of `task` may touch less if it comes earlier, as what goes by a name does that nobody
    /// has yet.
    fn may_touch_less(&self, task: TaskId) -> bool {
        let _ = task;
        false
    }
    /// Whether operations may touch more if they come earlier, as what is done to a table does while that is there.
    fn may_touch_more(&self) -> bool {
        false
    }
    /// What step `step` means to the pending operation of `task`.
    fn blocking_effect(&self, step: usize, task: TaskId) -> BlockingEffect {
        let _ = (step, task);
        BlockingEffect::Unknown
    }
    /// Whether the pending operation of `task` could happen, and not be blocked, after the first `before` steps
    /// of this execution and then its steps `also`, which lie behind those and depend on nothing that is left
    /// out.
    fn could_happen(&self, task: TaskId, before: usize, also: &[u32]) -> bool;
    /// What the pending operation of `task` would have touched there.
    fn accesses_then(&self, task: TaskId, before: usize, also: &[u32]) -> Accesses;
    /// How the pending operation of `task`, which touches everything, may have come to be blocked.
    fn blockers(&self, task: TaskId) -> Blockers {
        let _ = task;
        Blockers::All
    }
}

/// What could happen next. Borrowed from the world, which keeps it up to date.
#[derive(Clone, Copy)]
pub struct Point<'a> {
    enabled: &'a [TaskId],
    pending: &'a [Pending],
    births: &'a [Birth],
    past: Option<&'a dyn Counterfactual>,
    /// `enabled` holds only some of those that have options.
    restricted: bool,
}

impl<'a> Point<'a> {
    /// A point at which all of `pending` that have options are enabled; `enabled` lists them in ascending
    /// order.
    #[inline]
    pub fn new(enabled: &'a [TaskId], pending: &'a [Pending]) -> Point<'a> {
        Point { enabled, pending, births: &[], past: None, restricted: false }
    }
    /// The same point of a world whose tasks are not all there from the start.
    #[inline]
    #[must_use]
    pub fn with_births(self, births: &'a [Birth]) -> Point<'a> {
        Point { births, ..self }
    }
    /// The same point of a world in which operations may be blocked, for strategies that have to know since
    /// when.
    #[inline]
    #[must_use]
    pub fn with_counterfactual(self, past: &'a dyn Counterfactual) -> Point<'a> {
        Point { past: Some(past), ..self }
    }
    /// Where `task` came from. Tasks that are there from the start are their own parents.
    #[inline]
    pub fn birth(&self, task: TaskId) -> Birth {
        let first = Birth { parent: task, number: task.0, after: 0 };
        self.births.get(task.index()).copied().unwrap_or(first)
    }
    /// See [`Counterfactual::pending_then`]. In worlds that do not know their past nothing depends on the state.
    #[inline]
    pub fn pending_then(&self, task: TaskId, prefix: usize, also: &[u32]) -> Pending {
        match self.past {
            Some(past) => past.pending_then(task, prefix, also),
            None => Pending { options: self.pending(task).options.max(1), ..*self.pending(task) },
        }
    }
    /// See [`Counterfactual::variation`].
    #[inline]
    pub fn variation(&self, task: TaskId) -> Variation {
        self.past.map_or(Variation::Steady, |past| past.variation(task))
    }
    /// See [`Counterfactual::blocks`].
    #[inline]
    pub fn blocks(&self, step: usize, task: TaskId) -> bool {
        self.past.is_some_and(|past| past.blocks(step, task))
    }
    /// See [`Counterfactual::can_block`].
    #[inline]
    pub fn can_block(&self, task: TaskId) -> bool {
        self.past.is_some_and(|past| past.can_block(task))
    }
    /// See [`Counterfactual::has_blockers_that_commute`].
    #[inline]
    pub fn has_blockers_that_commute(&self, task: TaskId) -> bool {
        self.past.is_some_and(|past| past.has_blockers_that_commute(task))
    }
    /// See [`Counterfactual::is_numbered`].
    #[inline]
    pub fn is_numbered(&self, task: TaskId) -> bool {
        self.past.is_some_and(|past| past.is_numbered(task))
    }
    /// See [`Counterfactual::may_touch_less`].
    #[inline]
    pub fn may_touch_less(&self, task: TaskId) -> bool {
        self.past.is_some_and(|past| past.may_touch_less(task))
    }
    /// See [`Counterfactual::may_touch_more`].
    pub fn may_touch_more(&self) -> bool {
        self.past.is_some_and(|past| past.may_touch_more())
    }
    /// See [`Counterfactual::blocking_effect`].
    #[inline]
    pub fn blocking_effect(&self, step: usize, task: TaskId) -> BlockingEffect {
        self.past.map_or(BlockingEffect::Unknown, |past| past.blocking_effect(step, task))
    }
    /// See [`Counterfactual::could_happen`]. Nothing is ever blocked in worlds that do not know their past.
    #[inline]
    pub fn could_happen(&self, task: TaskId, before: usize, also: &[u32]) -> bool {
        self.past.is_none_or(|past| past.could_happen(task, before, also))
    }
    /// The tasks that can move, in ascending order.
    #[inline]
    pub fn enabled(&self) -> &'a [TaskId] {
        self.enabled
    }
    /// The pending operation of a task, enabled or not.
    #[inline]
    pub fn pending(&self, task: TaskId) -> &'a Pending {
        &self.pending[task.index()]
    }
    /// The pending operations of all tasks, by task.
    #[inline]
    pub fn all(&self) -> &'a [Pending] {
        self.pending
    }
    /// Nothing can move: the run is over.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.enabled.is_empty()
    }
    /// Whether `task` can move.
    #[inline]
    pub fn is_enabled(&self, task: TaskId) -> bool {
        self.pending.get(task.index()).is_some_and(|p| p.options > 0)
            && (!self.restricted || self.enabled.binary_search(&task).is_ok())
    }
    /// See [`Counterfactual::accesses_then`]. Without a past, what it touches now.
    #[inline]
    pub fn accesses_then(&self, task: TaskId, before: usize, also: &[u32]) -> Accesses {
        self.past.map_or_else(|| self.pending(task).accesses, |past| past.accesses_then(task, before, also))
    }
    /// See [`Counterfactual::blockers`].
    #[inline]
    pub fn blockers(&self, task: TaskId) -> Blockers {
        self.past.map_or(Blockers::All, |past| past.blockers(task))
    }
    /// The only thing that can happen, if there is only one.
    #[inline]
    pub fn only(&self) -> Option<Pick> {
        match self.enabled {
            [task] if self.pending(*task).options == 1 => Some(Pick { task: *task, option: 0 }),
            _ => None,
        }
    }
    /// The same point with fewer tasks to choose from.
    #[inline]
    pub fn restricted(&self, enabled: &'a [TaskId]) -> Point<'a> {
        Point { enabled, restricted: true, ..*self }
    }
    /// Whether letting `task` move after `last` takes the turn from a task that could have gone on.
    #[inline]
    pub fn is_preemption(&self, last: Option<TaskId>, task: TaskId) -> bool {
        let Some(last) = last else { return false };
        let (before, next) = (self.pending(last), self.pending(task));
        // Without branches: it differs from step to step.
        (last != task)
            & (before.options > 0)
            & (before.manner == Manner::Ordinary)
            & (next.manner != Manner::Phantom)
    }
}

impl std::fmt::Debug for Point<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Point").field("enabled", &self.enabled).field("pending", &self.pending).finish()
    }
}

/// Why nothing more can happen in a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Nobody can move.
    Natural,
    /// The last step ended the run for everybody, as a panic does: it conflicts with whatever else there was.
    Cut,
}

/// How one execution ended.
#[derive(Debug)]
pub enum End<T> {
    /// The program came to its end with this result.
    Passed(T),
    /// Something went wrong. The record is told by [`World::record`].
    Failed(Defect),
}

/// Says what tasks do, for messages about picks that do not fit.
pub trait Describe {
    /// What `task` would do next.
    fn describe(&self, task: TaskId) -> String;
    /// What step `index` of the execution before this one was.
    fn describe_last_time(&self, index: usize) -> String;
}

/// What is to happen at a point. One word, since it is handed on at every step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Decision(u64);

impl Decision {
    /// The rest of this execution is redundant.
    pub const ABANDON: Decision = Decision(u64::MAX);
    /// The strategy cannot tell how to go on: behaviours may be missing from the search.
    pub const UNDECIDED: Decision = Decision(u64::MAX - 3);
    /// The prescribed pick is not possible here.
    pub const DIVERGED: Decision = Decision(u64::MAX - 1);
    /// The run stops here.
    pub const STOP: Decision = Decision(u64::MAX - 2);

    /// This happens next.
    #[inline]
    pub fn take(pick: Pick) -> Decision {
        Decision((pick.task.0 as u64) << 32 | pick.option as u64)
    }
    /// What happens next; nothing if the run does not go on.
    #[inline]
    pub fn pick(self) -> Option<Pick> {
        let task = (self.0 >> 32) as u32;
        (task != u32::MAX).then_some(Pick { task: TaskId(task), option: self.0 as u32 })
    }
}

impl std::fmt::Debug for Decision {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (*self, self.pick()) {
            (_, Some(pick)) => write!(f, "Take({pick:?})"),
            (Decision::ABANDON, _) => f.write_str("Abandon"),
            (Decision::UNDECIDED, _) => f.write_str("Undecided"),
            (Decision::DIVERGED, _) => f.write_str("Diverged"),
            _ => f.write_str("Stop"),
        }
    }
}

/// Draws what happens at each point, every task with the same chance and then every option of it, without looking at
/// what they are about to do.
#[derive(Clone, Debug)]
pub struct UniformDraws {
    rng: Rng,
    steps: usize,
    most: usize,
    used_up: bool,
}

impl UniformDraws {
    /// UniformDraws for a run of at most so many steps.
    pub fn new(rng: Rng, most: usize) -> UniformDraws {
        UniformDraws { rng, steps: 0, most, used_up: false }
    }
    /// One of the picks that are possible at a point.
    #[inline(always)]
    pub fn pick(rng: &mut Rng, enabled: &[TaskId], pending: &[Pending]) -> Pick {
        let task = enabled[UniformDraws::one_of(rng, enabled.len() as u32) as usize];
        Pick { task, option: UniformDraws::one_of(rng, pending[task.index()].options) }
    }
    #[inline(always)]
    fn one_of(rng: &mut Rng, n: u32) -> u32 {
        if n > 1 { rng.below(n) } else { 0 }
    }
    /// Which of so many tasks moves next, or which of so many options of an operation it takes.
    #[inline(always)]
    pub fn below(&mut self, n: u32) -> u32 {
        UniformDraws::one_of(&mut self.rng, n)
    }
    /// What happens next, where `enabled` can move. Nothing if that were too many steps.
    #[inline]
    pub fn draw(&mut self, enabled: &[TaskId], pending: &[Pending]) -> Decision {
        match self.note() {
            true => Decision::take(UniformDraws::pick(&mut self.rng, enabled, pending)),
            false => Decision::STOP,
        }
    }
    /// A step happens by itself. Says whether the run goes on.
    #[inline]
    pub fn note(&mut self) -> bool {
        self.used_up = self.steps >= self.most;
        self.steps += 1;
        !self.used_up
    }
    /// Whether the run was to take more steps than it may.
    pub fn are_used_up(&self) -> bool {
        self.used_up
    }
    /// How many steps there were.
    pub fn steps(&self) -> usize {
        self.steps
    }
}

/// Decides what happens at each point of a run.
pub trait Driver {
    /// Whether it asks a [point](Point) about the past. Worlds need not keep it otherwise.
    fn asks_counterfactuals(&self) -> bool {
        true
    }
    /// The steps that a run begins with, before anything is decided: the first ones of the run before it. A world may
    /// take some of them, or all, without asking.
    fn kept(&self) -> &[Step] {
        &[]
    }
    /// The first so many of those have been taken.
    fn retraced(&mut self, steps: usize) {
        let _ = steps;
    }
    /// What happens at this point, which is not over.
    fn next(&mut self, point: &Point<'_>, world: &dyn Describe) -> Decision;
    /// A step of `task` happens by itself, at once and without a choice, because it would commute with
    /// whatever else could happen: the end of a task, the return of a join. Says whether the run goes on. The
    /// operation has no options if it waited for what it conflicts with, as a join does.
    fn note(&mut self, task: TaskId, pending: &Pending, world: &dyn Describe) -> bool {
        let _ = (task, pending, world);
        true
    }
}

/// A system whose behaviour is decided one pick at a time.
pub trait World: Describe {
    /// What an execution that passes results in.
    type Outcome;

    /// Begins a clean execution.
    fn start(&mut self);
    /// Begins an execution with these first steps of the one before it, from a copy of the state behind them, and
    /// says so; worlds that cannot do nothing.
    fn recall(&mut self, steps: &[Step]) -> bool {
        let _ = steps;
        false
    }
    /// What could happen next; nothing enabled means that the run is over.
    fn point(&self) -> Point<'_>;
    /// Lets `pick` happen.
    fn step(&mut self, pick: Pick);
    /// Lets the driver decide until the run is over, or until it stops the run. Worlds that can ask it
    /// without leaving the task that just moved do so.
    fn drive(&mut self, driver: &mut dyn Driver)
    where
        Self: Sized,
    {
        while !self.point().is_over()
            && let Some(pick) = driver.next(&self.point(), self).pick()
        {
            self.step(pick);
        }
    }
    /// Begins a clean execution and lets the driver decide until it is over.
    fn run(&mut self, driver: &mut dyn Driver)
    where
        Self: Sized,
    {
        self.start();
        self.drive(driver);
    }
    /// Begins a clean execution and draws what happens until it is over or the dice are used up, without showing it to
    /// anybody: the same as [`World::run`] with a driver that draws the same, but faster. Worlds that would not be
    /// faster, or that find out on the way that somebody has to look, say so by `false`: then nothing has happened.
    fn run_unobserved(&mut self, dice: &mut UniformDraws) -> bool {
        let _ = dice;
        false
    }
    /// Why nothing more can happen; asked when the point is over.
    fn ending(&self) -> Ending {
        Ending::Natural
    }
    /// Whether the run, which is over, stands for something that can happen. A world that leaves the order of
    /// some things open may find that no order fits what was seen of them; such a run counts as redundant.
    fn is_possible(&self) -> bool {
        true
    }
    /// Whether something that was taken for granted of the program has turned out not to hold: the search has to begin
    /// anew. Asked when a run is over.
    fn is_refuted(&self) -> bool {
        false
    }
    /// How the run ended; asked once, when the point is over. Tears down nothing that [`World::record`] needs.
    fn end(&mut self) -> End<Self::Outcome>;
    /// The search stops this run here, for this reason. Follows the last step instead of [`World::end`].
    fn stop(&mut self, why: Defect) -> Defect {
        why
    }
    /// The execution so far, told for people.
    fn record(&self) -> ExecutionRecord;
    /// Puts away whatever is left of the execution. Follows [`World::end`] or [`World::stop`].
    /// Returns what went wrong on the way, which never replaces the verdict.
    fn finish(&mut self) -> Vec<String> {
        Vec::new()
    }
    /// What the executions so far took for granted ("fair spins"), for the coverage line.
    fn assumptions(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A world that can be copied and compared: stateful search, no re-execution.
pub trait Snapshot: World + Clone {
    /// Equal for equal states.
    fn fingerprint(&self) -> u128;
}
