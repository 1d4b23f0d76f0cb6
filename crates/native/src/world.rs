//! The Rust world: a program, run once per execution under the search's control.

use crate::arena;
use crate::auto_memory::AutoMemory;
use crate::callers;
use crate::reuse::Reuse;
use crate::runtime::context;
use crate::runtime::execution_pool::Kept;
use crate::runtime::heap::{MOST_HELD, Order};
use crate::runtime::judge::panics;
use crate::runtime::log::{Effect, Sync};
use crate::runtime::operation::{Evaluation, Op, OperationKind};
use crate::runtime::scheduler::main_exit;
use crate::runtime::tasks::task::Came;
use crate::runtime::teardown::catch;
use crate::runtime::{abort, exit, fault};
use crate::settings::{Settings, Spins};
use crate::statics;
use crate::time;
use raddle_core::difference::Difference;
use raddle_core::fact::{Assumption, Fact, Relation};
use raddle_core::memory::{Model as Memory, PlacedGraph};
use raddle_core::operation::{Accesses, TaskId};
use raddle_core::record::ExecutionRecord;
use raddle_core::verdict::{Cause, Defect, FailureKind};
use raddle_core::world::{
    Describe, Driver, End, Ended, Ending, Explain, Finished, Pick, Point, SelfDriving, UniformDraws, World,
};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::panic::Location;
use std::rc::Rc;

/// So many places with weaker orderings are named.
const MOST_NAMED: usize = 8;

/// A Rust program as a world: `program` is the body of its main task.
pub struct NativeWorld<'a, T, F: ?Sized> {
    execution: Kept,
    // Not boxed: the main task points to it.
    main: Rc<Main<'a, T, F>>,
    /// Operations with orderings weaker than `SeqCst`, if they are to be named.
    weaker: BTreeSet<&'static Location<'static>>,
    _silenced: panics::SilencedPanics,
    memory: arena::Lease,
}

/// The state of the main task.
struct Main<'a, T, F: ?Sized> {
    program: &'a F,
    outcome: RefCell<Option<T>>,
}

impl<'a, T, F: Fn() -> T + ?Sized> NativeWorld<'a, T, F> {
    /// A world that runs `program`. Fails inside another exploration.
    pub fn new(program: &'a F, settings: Settings) -> NativeWorld<'a, T, F> {
        // Asked here for the first time, outside of an execution.
        crate::alloc::is_installed();
        crate::outside::prepare_thread();
        fault::install_handler();
        abort::install_handler();
        exit::install_handler();
        let silenced = panics::SilencedPanics::new();
        let memory = arena::Lease::new(settings.heap.is_some());
        NativeWorld {
            execution: Kept::new(settings),
            main: Rc::new(Main { program, outcome: RefCell::new(None) }),
            weaker: BTreeSet::new(),
            _silenced: silenced,
            memory,
        }
    }
}

impl<T, F: Fn() -> T + ?Sized> NativeWorld<'_, T, F> {
    /// Starts a clean execution, before its first step.
    fn prepare(&mut self) {
        *self.main.outcome.borrow_mut() = None;
        let main = Rc::as_ptr(&self.main);
        self.execution.busy(true);
        statics::put_back();
        callers::begin();
        self.memory.begin();
        // SAFETY: the main task is gone when `finish` returns, and this world lives longer.
        unsafe { self.execution.start(move || main_task(&*main)) };
    }
}

/// Whether the calling thread is inside an execution.
pub fn is_exploring() -> bool {
    context::current().is_some()
}

fn main_task<T, F: Fn() -> T + ?Sized>(main: &Main<'_, T, F>) -> Came {
    let run = || {
        choose_reuse();
        (main.program)()
    };
    match catch(run) {
        Ok(Ok(result)) => {
            *main.outcome.borrow_mut() = Some(result);
            context::current().expect("main runs inside of an execution").with(panics::handled);
            Came::ToItsEnd
        }
        Ok(Err(payload)) => {
            let message = panics::message_of(&*payload);
            let current = context::current().expect("main runs inside of an execution");
            current.with(|e| e.fail_for_main(message));
            Came::Down
        }
        Err(_) => Came::Down,
    }
}

static HEAP: OperationKind =
    OperationKind::always("heap", |_, _| Evaluation { accesses: Accesses::NONE, options: 3 });

/// Where freed memory may be used again: whether it is in this execution.
fn choose_reuse() {
    let current = context::current().expect("main runs inside of an execution");
    if current.with(|e| e.heap().explores_reuse()) {
        let option = current.perform(Op::plain(&HEAP, Location::caller()));
        let (order, words) = Order::ALL[option as usize];
        current.with(|e| e.heap().set_order(order));
        current.did(Effect::Word(words), Sync::None);
    }
}

impl<T, F: Fn() -> T + ?Sized> Describe for NativeWorld<'_, T, F> {
    fn describe(&self, task: TaskId) -> String {
        self.execution.describe(task)
    }
    fn describe_last_time(&self, index: usize) -> String {
        self.execution.describe_last_time(index)
    }
    fn differs_from_last_time(&self, steps: usize) -> Option<Difference> {
        self.execution.differs_from_last_time(steps)
    }
}

impl<T, F: Fn() -> T + ?Sized> World for NativeWorld<'_, T, F> {
    type Outcome = T;

    fn start(&mut self) {
        self.prepare();
        self.execution.set_out();
    }

    #[inline]
    fn point(&self) -> Point<'_> {
        self.execution.point()
    }

    #[inline]
    fn step(&mut self, pick: Pick) {
        self.execution.step(pick);
    }

    fn end(&mut self, stopped: Option<Defect>) -> Ended<T> {
        if let Some(mut why) = stopped {
            if why.kind == FailureKind::NotDeterministic && self.execution.may_confuse_atomics() {
                why = why.with(Fact::new(Relation::FreedMemoryUnknown));
            }
            self.execution.stop(why.clone());
            return Ended::stopped(why);
        }
        if self.execution.is_redundant() && self.execution.failure().is_none() {
            let end = End::Failed(Defect::of(Cause::Livelock { tasks: Vec::new() }));
            return Ended { ending: Ending::Natural, is_possible: false, end };
        }
        let ending = if self.execution.failure().is_some() { Ending::Cut } else { Ending::Natural };
        Ended::new(ending, self.result())
    }

    fn finish(&mut self) -> Finished {
        if self.execution.settings.names_orderings {
            self.weaker.extend(self.execution.weaker_orderings());
        }
        self.execution.refute_destructors_under_way();
        let Settings { observers, counted, heap, stacks, auto, .. } = &self.execution.settings;
        let is_refuted = observers.as_ref().is_some_and(|observers| observers.are_refuted())
            || counted.are_refuted()
            || heap.as_ref().is_some_and(Reuse::is_refuted)
            || stacks.is_refuted()
            || auto.as_ref().is_some_and(AutoMemory::ends_search);
        self.execution.tear_down();
        self.memory.end(self.execution.heap());
        self.execution.busy(false);
        Finished { errors: self.execution.take_afterwards(), is_refuted }
    }

    fn self_driving(&mut self) -> Option<&mut dyn SelfDriving> {
        Some(self)
    }
}

impl<T, F: Fn() -> T + ?Sized> SelfDriving for NativeWorld<'_, T, F> {
    #[inline]
    fn run(&mut self, driver: &mut dyn Driver) {
        self.execution.set_out_to_retrace(driver);
        // The driver is informed of automatic steps before the first point.
        self.prepare();
        self.execution.drive(driver);
    }

    #[inline]
    fn run_unobserved(&mut self, draws: &mut UniformDraws) -> bool {
        let Settings { memory, names_orderings, .. } = self.execution.settings;
        if memory != Memory::Sc || names_orderings || self.execution.settings.plain.is_some() {
            // Options of accesses to memory are not drawn uniformly; orderings, and what they synchronise, are in the log.
            return false;
        }
        self.prepare();
        self.execution.draw(draws);
        let has_run = !self.execution.lacks_log();
        if !has_run {
            self.finish();
        }
        has_run
    }
}

impl<T, F: Fn() -> T + ?Sized> NativeWorld<'_, T, F> {
    fn result(&mut self) -> End<T> {
        let e = &mut *self.execution;
        e.judge_end();
        match e.failure().cloned() {
            Some(defect) => End::Failed(callers::with_crash(defect)),
            None => {
                // The outcome belongs to the search from now on, and may be freed at once.
                e.leave_behind();
                End::Passed(self.main.outcome.borrow_mut().take().expect("main has returned"))
            }
        }
    }
}

impl<T, F: Fn() -> T + ?Sized> Explain for NativeWorld<'_, T, F> {
    fn record(&self) -> ExecutionRecord {
        self.execution.record()
    }

    fn memory_graph(&self) -> Option<PlacedGraph> {
        self.execution.memory_graph()
    }

    fn assumptions(&self) -> Vec<Assumption> {
        let e = &*self.execution;
        let memory = match e.settings.memory {
            Memory::Sc => Assumption::SequentiallyConsistent,
            memory => Assumption::Memory(memory),
        };
        let plain = match e.was_plain_memory_judged() {
            true => Assumption::PlainMemoryWatched,
            false => Assumption::PlainMemoryNotWatched,
        };
        let mut assumed = vec![plain, memory, Assumption::Timers(e.settings.time)];
        assumed.extend(e.suppressions().map(Assumption::RaceSuppressed));
        let named = self.weaker.iter().take(MOST_NAMED);
        assumed.extend(named.map(|place| Assumption::TakenForSeqCst((*place).into())));
        let places = self.weaker.len().saturating_sub(MOST_NAMED) as u64;
        assumed.extend((places > 0).then_some(Assumption::TakenForSeqCstElsewhere { places }));
        if let Some(most) = e.settings.stale_reads.filter(|_| e.settings.memory != Memory::Sc) {
            assumed.push(Assumption::StaleReads(most));
        }
        if cfg!(not(feature = "arena")) {
            // The `Arc` of a program that uses the library is std's.
            assumed.push(Assumption::ReferenceCountsNotExplored);
        }
        if e.has_held_spins() {
            assumed.push(match e.settings.spins {
                Spins::Fair(rounds) => Assumption::FairSpins(rounds),
                Spins::Await => Assumption::SpinsAwait,
            });
        }
        if e.has_cut_short() {
            assumed.push(Assumption::DetachedSteps(main_exit::PATIENCE));
        }
        if e.has_unjudged_cells() {
            assumed.push(Assumption::HeapCellsNotJudged);
        }
        if e.has_freed_memory() {
            assumed.push(match e.explores_reuse() {
                true => Assumption::FreedMemoryUsedAgain,
                false => Assumption::FreedMemoryHeldBack,
            });
        }
        if e.has_forgotten_memory() {
            assumed.push(Assumption::FreedMemoryForgotten { mebibytes: MOST_HELD as u64 >> 20 });
        }
        if e.has_read_clock() {
            assumed.push(Assumption::ClockMoves { times: time::MOVES, readings: time::READINGS });
        }
        if e.settings.spurious > 0 {
            assumed.push(Assumption::SpuriousWakeUps(e.settings.spurious));
        }
        assumed
    }
}
