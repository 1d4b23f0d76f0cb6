//! Reports progress and polls for Ctrl-C during searches: one thread for the whole process.
//!
//! A search explores on the thread that started it; another thread would cost more than a small search takes. The
//! watcher thread is started by the first search and sleeps while there is none.

use super::estimate::Estimates;
use super::pool::Pool;
use super::{Listener, Plan, Progress};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The polling interval.
const NAP: Duration = Duration::from_millis(100);

/// The polling interval of a search with a checkpoint so often.
fn nap(checkpoints: Option<Duration>) -> Duration {
    checkpoints.map_or(NAP, |every| every.clamp(Duration::from_millis(1), NAP))
}

/// Why a search was stopped before it was complete.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Stopped {
    Failure,
    NotDeterministic,
    Refuted,
    Interrupted,
    Time,
    Executions,
}

/// The state of a search that is under way or over.
#[derive(Default)]
pub(super) struct Known {
    /// The fraction of the tree that is explored; none if it cannot be estimated.
    pub explored: Option<f64>,
    pub stopped: Option<Stopped>,
    /// The first panic that is not the program's.
    panic: Option<Box<dyn Any + Send>>,
}

/// The state of a search that the watcher reads.
pub(super) struct Watched {
    pub pool: Pool,
    pub executions: AtomicU64,
    /// How many of them an earlier stage of the same search has made.
    earlier: u64,
    pub failures: AtomicU64,
    /// The largest size of a strategy so far.
    pub peak: AtomicU64,
    state: Mutex<Known>,
    estimates: Mutex<Estimates>,
    listener: Arc<dyn Listener>,
    begun: Instant,
    /// When the watcher looks at the search next; none when it is over. Locked while the watcher looks.
    due: Mutex<Option<Instant>>,
    /// The time between two checkpoints, if there are any, and when the next one is due.
    every: Option<Duration>,
    checkpoint: Mutex<Instant>,
}

impl Watched {
    pub fn new(plan: &Plan, pool: Pool, listener: Arc<dyn Listener>) -> Watched {
        let begun = Instant::now();
        let every = plan.checkpoints.as_ref().map(|checkpoints| checkpoints.every);
        if every.is_some_and(|every| every.is_zero()) {
            pool.demand_checkpoint();
        }
        Watched {
            pool,
            executions: AtomicU64::new(plan.counted),
            earlier: plan.counted,
            failures: AtomicU64::new(0),
            peak: AtomicU64::new(0),
            state: Mutex::new(Known { explored: Some(plan.explored), ..Known::default() }),
            estimates: Mutex::default(),
            listener,
            begun,
            due: Mutex::new(Some(begun + nap(every))),
            checkpoint: Mutex::new(begun + every.unwrap_or_default()),
            every,
        }
    }

    /// Ends the search.
    pub fn stop(&self, why: Stopped) {
        self.note_stop(why);
        self.pool.close();
    }

    /// Keeps the first reason in the order of [`Stopped`].
    pub fn note_stop(&self, why: Stopped) {
        let stopped = &mut self.state.lock().unwrap().stopped;
        *stopped = Some(stopped.map_or(why, |old| old.min(why)));
    }

    /// Adds to the explored fraction; none if it cannot be estimated.
    pub fn note_explored(&self, more: Option<f64>) {
        let explored = &mut self.state.lock().unwrap().explored;
        *explored = explored.zip(more).map(|(explored, more)| explored + more);
    }

    /// The explored fraction; none if it cannot be estimated.
    pub fn explored(&self) -> Option<f64> {
        self.state.lock().unwrap().explored
    }

    /// The search is over. Resumes a panic that is not the program's.
    pub fn end(&self) -> Known {
        let mut known = std::mem::take(&mut *self.state.lock().unwrap());
        match known.panic.take() {
            Some(payload) => std::panic::resume_unwind(payload),
            None => known,
        }
    }

    /// Does `work`. A panic in it is a bug of the world, the strategy or the listener: the search ends, no worker waits
    /// for the panicked one, and [`Watched::end`] resumes the panic.
    pub fn guard(&self, work: impl FnOnce()) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(work)) {
            self.state.lock().unwrap().panic.get_or_insert(payload);
            self.pool.close();
        }
    }

    /// When due, polls the listener and reports to it. Returns when to look again.
    fn look(&self) -> Option<Instant> {
        let mut due = self.due.lock().unwrap_or_else(PoisonError::into_inner);
        let (now, mut next) = (Instant::now(), (*due)?);
        if next <= now {
            self.guard(|| self.ask_and_tell(now));
            next = now + nap(self.every);
            *due = Some(next);
        }
        Some(next)
    }

    fn ask_and_tell(&self, now: Instant) {
        if self.listener.wants_to_stop() {
            self.stop(Stopped::Interrupted);
        }
        if let Some(every) = self.every {
            let mut checkpoint = self.checkpoint.lock().unwrap();
            if *checkpoint <= now {
                *checkpoint = now + every;
                self.pool.demand_checkpoint();
            }
        }
        let executions = self.executions.load(Ordering::Relaxed);
        let add = |explored| self.estimates.lock().unwrap().add(executions, explored);
        // The lock is not held during the call of the listener, which may take long or panic.
        let explored = self.state.lock().unwrap().explored;
        self.listener.tick(&Progress {
            executions,
            earlier: self.earlier,
            failures: self.failures.load(Ordering::Relaxed),
            elapsed: now - self.begun,
            finished_bound: None,
            peak: self.peak.load(Ordering::Relaxed),
            estimate: explored.and_then(add),
        });
    }
}

/// The searches under way.
struct Watcher {
    searches: Mutex<Searches>,
    called: Condvar,
}

struct Searches {
    list: Vec<Arc<Watched>>,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// The thread is not started.
    Unborn,
    /// It waits for a notification.
    Asleep,
    /// It polls.
    Awake,
}

static WATCHER: Watcher = Watcher {
    searches: Mutex::new(Searches { list: Vec::new(), state: State::Unborn }),
    called: Condvar::new(),
};

/// The search is watched during the lifetime of this value.
pub(super) struct Watching<'a>(&'a Arc<Watched>);

impl<'a> Watching<'a> {
    pub fn begin(search: &'a Arc<Watched>) -> Watching<'a> {
        let mut searches = WATCHER.searches.lock().unwrap_or_else(PoisonError::into_inner);
        searches.list.push(search.clone());
        let before = std::mem::replace(&mut searches.state, State::Awake);
        drop(searches);
        match before {
            State::Unborn => {
                let thread = std::thread::Builder::new().name("raddle's watcher".to_owned());
                thread
                    .spawn(|| WATCHER.watch())
                    .expect("raddle: no thread can be started to watch the search");
            }
            State::Awake => {}
            State::Asleep => WATCHER.called.notify_one(),
        }
        Watching(search)
    }
}

impl Drop for Watching<'_> {
    fn drop(&mut self) {
        let mut searches = WATCHER.searches.lock().unwrap_or_else(PoisonError::into_inner);
        searches.list.retain(|search| !Arc::ptr_eq(search, self.0));
        drop(searches);
        // Waits until the watcher no longer looks at it.
        *self.0.due.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Watcher {
    fn watch(&self) -> ! {
        let mut searches = self.searches.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let list = searches.list.clone();
            drop(searches);
            let next = list.iter().filter_map(|search| search.look()).min();
            let was_idle = list.is_empty();
            drop(list);
            searches = self.searches.lock().unwrap_or_else(PoisonError::into_inner);
            if was_idle && searches.list.is_empty() {
                searches.state = State::Asleep;
                searches = self.called.wait(searches).unwrap_or_else(PoisonError::into_inner);
            } else {
                let nap = next.map_or(NAP, |next| next.saturating_duration_since(Instant::now()));
                searches = self
                    .called
                    .wait_timeout(searches, nap.min(NAP))
                    .unwrap_or_else(PoisonError::into_inner)
                    .0;
            }
        }
    }
}
