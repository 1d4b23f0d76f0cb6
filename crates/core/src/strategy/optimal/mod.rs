//! Optimal partial-order reduction: one execution for each Mazurkiewicz trace.
//!
//! The idea is that of parsimonious optimal reduction (Abdulla, Atig, Das, Jonsson, Sagonas, CAV 2024): races
//! are reversed at once and each only once, and what other parts of the tree explore is known without a record
//! of them. The tree of executions is divided like this. At each point one step is *free*: the strategy takes
//! it, and its branch holds all traces in which nothing that conflicts with it comes first. In any other trace
//! something does. The earliest such operation and what happened before it make a *schedule*; if there are
//! several that do not depend on each other, the one of the first task counts. A trace is in the branch of its
//! schedule, and there the free step comes right behind the schedule, so that nothing is left to go wrong.
//!
//! Each schedule is found by a race of the free step in the branch below it: the operation comes second there.
//! There may be many executions in which that happens, and all but one deviate from what is free, behind the
//! free step, for the sake of something that the schedule does not contain. That one finds it
//! ([`races`]). An operation that was blocked when it could have come first is taken back to the last place at
//! which it was not; that is for the world to say.
//!
//! Operations that commute may block a third one together, as readers do a writer. Whether one of them can go on
//! without the other, and let the writer in, is not known beforehand; so a writer is the free step only where nobody
//! else can move, and then the readers are there already.
//!
//! A step that ends the run for everybody, as a panic does, does so again as long as nothing happens that conflicts with
//! it. So it is as good as blocked: once that is known, others go on, and it is tried again where something has
//! conflicted with it, or where nobody else can move. The same panic may come more than once by that, each time with
//! something else that had nothing to do with it. That cannot be left out: say that two others race while a third task is
//! about to panic, unless a fourth keeps it from that. The execution in which the panic comes right after the race was
//! reversed shows nothing new, but nobody knows that before, and "reversed, and the fourth came first" is behind it.
//!
//! Where such a step touches everything, nothing leaves it as it is, and everybody else races with it: then it is a free
//! step like others, and whoever could have moved comes before it in another execution, as with the end of the main task.
//!
//! An operation may touch more where it comes earlier than where it was seen. Then what it did not conflict with there may
//! come before it or not, and schedules with it would be others, which nobody finds. Where that happens, the search says that
//! it could not decide.
//!
//! Guarantee: every maximal trace exactly once; those that are cut short at least once, and never twice after the same
//! steps; for worlds in which operations that do not conflict commute, and what blocks an operation, or makes it end the
//! run, is among what it conflicts with.
//!
//! A schedule may lead nowhere, since all who can move belong to the schedules of others: then it is abandoned, nothing
//! is lost, and the beginning of an execution was spent. It takes two read-write locks, a writer of the one, and two
//! readers of it of which the second cannot go on without the first, as where the first reads while it writes the other
//! lock, and the second wants to read that one, too. "The second reads before the writer, and the first does not" is a
//! schedule, but the writer never gets in unless the first has read, too. Nothing that was seen when it is found can tell:
//! the writer came first there, and what the second reader does if it did not was never seen. In another program, the same
//! until then, the second reader goes on alone, and there the schedule leads to a trace that nothing else leads to.
//! A reduction with wakeup trees does without, since it tries "both read" first and reverses the first reader's race from
//! there; it pays with memory that may be exponential, where this one's is bounded (see [`work`]). Once such writers
//! were taken early here, and who comes before them was found at the end: nothing was begun in vain, but traces were missed
//! where the step of a writer ends the run, since nobody knows there whether one that has not moved would do so, too.
//!
//! What that costs: the second reader is begun once for each order of what it and others do meanwhile, and if the first one
//! were let in there, each would be the beginning of another trace. So it is never more than once for a trace and a writer
//! that is waited for. Of 30,000 random programs of four or five tasks with three such locks, 11 had such schedules: 23 of
//! them, beside 2,964,298 executions. With two locks, none of 28,000 had, and of some 9,000 random programs of the Rust world
//! two did.

mod ends;
mod free;
mod memory;
mod movers;
mod races;
mod saved;

use super::dpor::{SavedReduction, clock, conflicts, path, work};
use super::{Decision, Divisible, Estimating, Next, SavedSubtree, Standing, Strategy};
use crate::operation::{Accesses, TaskId};
use crate::trace::{Step, Trace};
use crate::verdict::{Extent, Verdict};
use crate::world::{Blockers, Ending, Pick, Point};
use path::{Deferred, Origin, Path};
use races::{Blocking, Finder, Scratch, Second};
use work::{Item, Move, Picks, Work};

/// One execution for each Mazurkiewicz trace.
#[derive(Clone, Debug)]
pub struct Optimal {
    /// The present execution, or the part of the last one that the next begins with.
    path: Path,
    work: Work,
    /// The picks that lead from `path` to where the strategy is free, and how many of them were made.
    schedule: Picks,
    taken: usize,
    /// The race that the schedule reverses.
    deferred: Option<Deferred>,
    /// Who must not move first, since that ended the run: there is no schedule then.
    fatal: Option<work::Foreseen>,
    /// The last step of the schedule is its task's how-manieth.
    time: u32,
    /// How many steps of `path` are those of the last trace.
    same: usize,
    /// Who could move at the last point where the strategy was free, and what they would have touched.
    movers: Vec<(TaskId, Accesses)>,
    started: bool,
    /// An execution was begun and is not over.
    begun: bool,
    /// How much of the whole tree it is taken to be, and how much of that it has called explored.
    share: f64,
    told: f64,
    /// The picks that lead to this part of the tree, if it was split off.
    inherited: Vec<Pick>,
    scratch: Scratch,
    /// The most that it held at once, in steps and picks.
    peak: usize,
}

impl Default for Optimal {
    fn default() -> Optimal {
        Optimal::new()
    }
}

impl Optimal {
    /// A search of the whole tree.
    pub fn new() -> Optimal {
        let mut new = Optimal::without_memory();
        new.path = Path::with_room();
        new.work.begin();
        new
    }

    /// Holds nothing that was allocated.
    fn without_memory() -> Optimal {
        Optimal {
            path: Path::default(),
            work: Work::default(),
            schedule: Picks::new(),
            taken: 0,
            deferred: None,
            fatal: None,
            time: 0,
            same: 0,
            movers: Vec::new(),
            started: false,
            begun: false,
            share: 1.0,
            told: 0.0,
            inherited: Vec::new(),
            scratch: Scratch::default(),
            peak: 0,
        }
    }

    /// A search of the part of the tree that `item` stands for.
    fn of(item: Item, path: Path, picks: Picks) -> Optimal {
        let mut part = Optimal::new();
        part.inherited = path.events.iter().map(|e| Pick { task: e.task, option: e.option }).collect();
        part.path = path;
        part.work.begin_with(item, picks);
        part.started = true;
        part
    }

    /// Whether there is nothing to catch up with.
    #[inline]
    fn is_up_to_date(&self, steps: &[Step], point: &Point<'_>) -> bool {
        self.path.len() == steps.len() && self.path.knows_all(point)
    }

    /// Steps that happened by themselves since the last choice, and tasks that were born, become part of the
    /// execution.
    fn catch_up(&mut self, steps: &[Step], point: &Point<'_>) {
        while self.path.len() < steps.len() {
            self.path.meet(point);
            let Step { task, accesses, by_itself, waited, .. } = steps[self.path.len()];
            debug_assert!(by_itself);
            let is_last = self.taken + 1 == self.schedule.len()
                && self.path.names.task(self.schedule[self.taken].name) == Some(task)
                && self.path.steps_of(task) + 1 == self.time;
            let learns = self.path.learns(task, accesses);
            let is_free = self.taken == self.schedule.len();
            if learns && !waited && (is_last || is_free) {
                self.find_races(task, accesses, Blocking::Never, point);
            }
            self.path.push(task, 0, accesses, Origin::ByItself, 0);
            if is_last {
                self.taken += 1;
                if let Some(deferred) = self.deferred {
                    self.path.reverse(deferred);
                }
            }
        }
        self.path.meet(point);
        while let Some(task) = self.path.next_gone(point) {
            // It could have moved before it was taken away. What else might have come first is known in the end only.
            if self.taken == self.schedule.len() && point.blockers(task) == Blockers::All {
                let accesses = point.accesses_then(task, self.path.len(), &[]);
                self.look_for_races(task, accesses, point);
            }
        }
    }

    /// A task that was there last time, after the same steps, and is not there now.
    #[inline]
    fn missing(&self, point: &Point<'_>) -> Option<TaskId> {
        let known = self.path.tasks_met();
        (known > point.all().len()).then(|| TaskId(known as u32 - 1))
    }

    /// The pick that the schedule prescribes next.
    fn follow(&mut self, point: &Point<'_>) -> Decision {
        let Move { name, option, odd } = self.schedule[self.taken];
        self.taken += 1;
        let Some(task) = self.path.names.task(name) else { return Decision::UNDECIDED };
        let pending = point.pending(task);
        if !point.is_enabled(task) || option >= pending.options {
            return Decision::UNDECIDED;
        }
        let is_last = self.taken == self.schedule.len();
        if is_last {
            self.note_movers(task, point);
        }
        let origin = if self.deferred.is_some() { Origin::Scheduled } else { Origin::Free };
        let learns = self.path.learns(task, pending.accesses);
        if is_last && option == 0 {
            if learns {
                self.find_races(task, pending.accesses, Blocking::Possible, point);
            }
            self.try_other_options(task, pending.options, self.deferred);
        }
        self.path.push(task, option, pending.accesses, origin, self.movers(point));
        if odd {
            self.path.mark_odd();
        }
        if is_last && let Some(deferred) = self.deferred {
            self.path.reverse(deferred);
        }
        Decision::take(Pick { task, option })
    }

    /// Looks for races of an operation that never comes.
    fn look_for_races(&mut self, task: TaskId, accesses: Accesses, point: &Point<'_>) {
        if self.path.learns(task, accesses) {
            self.find_races(task, accesses, Blocking::Possible, point);
        }
    }

    /// Looks for races of an operation that learns of steps which its task does not know.
    fn find_races(&mut self, task: TaskId, accesses: Accesses, blocking: Blocking, point: &Point<'_>) {
        let Optimal { path, work, scratch, .. } = self;
        Finder { path, work, scratch, point }.find_races(&Second { task, accesses, blocking });
    }

    #[inline]
    fn try_other_options(&mut self, task: TaskId, options: u32, deferred: Option<Deferred>) {
        if options > 1 {
            self.try_each_option(task, options, deferred);
        }
    }

    fn try_each_option(&mut self, task: TaskId, options: u32, deferred: Option<Deferred>) {
        for option in 1..options {
            let last = Move { name: self.path.names.of(task), option, odd: false };
            let item = Item::new(self.path.len(), deferred, self.path.steps_of(task) + 1);
            self.work.add(item, &[], last, 0);
        }
    }
}

impl Strategy for Optimal {
    fn begin(&mut self, _execution: u64) -> Next {
        if self.same > 0 {
            // Later executions may lead out of the part that was split off.
            self.inherited.clear();
        }
        if !self.started {
            (self.started, self.begun) = (true, true);
            return Next::From(0);
        }
        match self.work.next(&mut self.path, &mut self.schedule, &mut self.same) {
            Some(item) => {
                self.taken = 0;
                self.deferred = item.deferred;
                self.fatal = item.fatal;
                if self.path.any_fatal() && (item.deferred.is_none() || item.fatal.is_some()) {
                    self.forget_what_came_later();
                }
                if let Some((task, accesses, variation)) = item.fatal {
                    self.path.foresee(task, accesses, variation);
                }
                self.time = item.time;
                self.begun = true;
                Next::From(self.same)
            }
            None => Next::Exhausted,
        }
    }

    fn choose(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision {
        if let Some(event) = self.path.events.get(so_far.len()) {
            return Decision::take(Pick { task: event.task, option: event.option });
        }
        if !self.is_up_to_date(so_far.steps(), point) {
            if let Some(missing) = self.missing(point) {
                // The program is not deterministic, as is said of a pick that cannot happen.
                return Decision::take(Pick { task: missing, option: 0 });
            }
            self.catch_up(so_far.steps(), point);
        }
        if self.taken < self.schedule.len() {
            return self.follow(point);
        }
        let Some(task) = self.free(so_far, point) else {
            self.stuck(point);
            return Decision::ABANDON;
        };
        self.note_movers(task, point);
        let pending = point.pending(task);
        if self.path.learns(task, pending.accesses) {
            self.find_races(task, pending.accesses, Blocking::Possible, point);
        }
        // Where it is known to be fatal, its other options have been tried where that was found.
        if !self.path.is_fatal(task) {
            self.try_other_options(task, pending.options, None);
        }
        self.path.push(task, 0, pending.accesses, Origin::Free, self.movers(point));
        Decision::take(Pick { task, option: 0 })
    }

    fn over(&mut self, so_far: &Trace, point: &Point<'_>, ending: Ending) -> Standing {
        let is_left = ending == Ending::Stopped || self.path.len() > so_far.len();
        if !is_left && self.missing(point).is_none() {
            let found = self.work.len();
            self.catch_up(so_far.steps(), point);
            if self.taken >= self.schedule.len() {
                self.find_end(found, point, ending);
            }
        }
        Standing::Counts
    }

    fn finish(&mut self, trace: &Trace, _verdict: Verdict) {
        self.same = self.path.len().min(trace.len());
        self.work.close_batch(&self.path);
        self.begun = false;
        self.peak = self.peak.max(self.path.len() + self.work.size());
    }

    fn extent(&self, _executions: u64) -> Extent {
        Extent::Exhaustive
    }

    fn divisible(&mut self) -> Option<&mut dyn Divisible> {
        Some(self)
    }

    fn estimating(&mut self) -> Option<&mut dyn Estimating> {
        Some(self)
    }
}

impl Divisible for Optimal {
    fn split(&mut self) -> Option<Box<dyn Strategy>> {
        let left = self.work.left();
        let (item, path, picks) = self.work.split(&self.path)?;
        let mut part = Optimal::of(item, path, picks);
        part.share = (self.share - self.told) * left.first / left.all;
        self.share -= part.share;
        part.work.learn(&self.work);
        Some(Box::new(part))
    }

    fn prefix(&mut self) -> &[Pick] {
        &self.inherited
    }

    fn save(&mut self) -> Option<Vec<SavedSubtree>> {
        let saved = self.clone().into_saved();
        Some(saved.into_iter().map(|part| SavedSubtree::Optimal(Box::new(part))).collect())
    }

    fn resume(&mut self, subtree: &SavedSubtree) -> Result<Box<dyn Strategy>, String> {
        match subtree {
            SavedSubtree::Optimal(part) => Ok(Box::new(Optimal::from_saved(part)?)),
            SavedSubtree::Picks { .. } => Err("it was saved by a search without this reduction".to_owned()),
        }
    }
}

impl Estimating for Optimal {
    fn explored(&mut self) -> f64 {
        let executions = self.work.executions() as f64;
        let begun = if self.begun { self.work.expected() } else { 0.0 };
        let explored = match executions + self.work.left().all + begun {
            0.0 => 0.0,
            all => self.share * executions / all,
        };
        explored - std::mem::replace(&mut self.told, explored)
    }

    fn peak(&self) -> u64 {
        self.peak as u64
    }
}
