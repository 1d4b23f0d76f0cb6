//! The watchdog: names a task that runs for long without any operation, instead of hanging silently.
//!
//! Invariant: only the worker writes its own word, so that a step costs no locked instruction. Workers publish each step; the thread that waits for the search reads it from time to time.

use raddle_core::operation::TaskId;
use std::panic::Location;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

/// Where one worker is.
pub(crate) struct Watch {
    /// The number of steps, and the task of the last one.
    steps: AtomicU64,
    task: AtomicU32,
    place: AtomicPtr<Location<'static>>,
    /// Whether an execution is under way.
    busy: AtomicU32,
    /// How often the strategy has looked back: it is at work then, and not the program.
    looks: AtomicU64,
}

static ALL: Mutex<Vec<Weak<Watch>>> = Mutex::new(Vec::new());

impl Watch {
    pub fn register() -> Arc<Watch> {
        let watch = Arc::new(Watch {
            steps: AtomicU64::new(0),
            task: AtomicU32::new(0),
            place: AtomicPtr::new(std::ptr::null_mut()),
            busy: AtomicU32::new(0),
            looks: AtomicU64::new(0),
        });
        let mut all = ALL.lock().unwrap_or_else(|e| e.into_inner());
        all.retain(|w| w.strong_count() > 0);
        all.push(Arc::downgrade(&watch));
        watch
    }
    /// A task goes on from `place`.
    #[inline]
    pub fn moved(&self, task: TaskId, place: &'static Location<'static>) {
        self.place.store(place as *const _ as *mut _, Ordering::Relaxed);
        self.task.store(task.0, Ordering::Relaxed);
        // Only this thread writes it.
        self.steps.store(self.steps.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }
    /// The strategy looks back.
    #[inline]
    pub fn looked_back(&self) {
        // Only this thread writes it.
        self.looks.store(self.looks.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }
    /// Whether an execution is under way.
    #[inline]
    pub fn busy(&self, yes: bool) {
        self.busy.store(yes as u32, Ordering::Relaxed);
    }
}

/// Looks at all workers of the process from time to time.
pub struct Watchdog {
    seen: Mutex<Vec<Seen>>,
    patience: Duration,
}

struct Seen {
    watch: Weak<Watch>,
    steps: u64,
    looks: u64,
    since: Instant,
    told: bool,
}

impl Watchdog {
    /// A watchdog that barks when a task runs for `patience` without an operation.
    pub fn new(patience: Duration) -> Watchdog {
        Watchdog { seen: Mutex::new(Vec::new()), patience }
    }
    /// What there is to say now, if anything: once for each time a task gets stuck.
    pub fn look(&self) -> Vec<String> {
        let mut seen = self.seen.lock().unwrap_or_else(|e| e.into_inner());
        for watch in ALL.lock().unwrap_or_else(|e| e.into_inner()).iter() {
            if !seen.iter().any(|s| s.watch.ptr_eq(watch)) {
                let (watch, since) = (watch.clone(), Instant::now());
                seen.push(Seen { watch, steps: 0, looks: 0, since, told: false });
            }
        }
        seen.retain(|s| s.watch.strong_count() > 0);
        let mut words = Vec::new();
        for s in seen.iter_mut() {
            let Some(watch) = s.watch.upgrade() else { continue };
            let steps = watch.steps.load(Ordering::Relaxed);
            let looks = watch.looks.load(Ordering::Relaxed);
            if (steps, looks) != (s.steps, s.looks) || watch.busy.load(Ordering::Relaxed) == 0 {
                (s.steps, s.looks) = (steps, looks);
                s.since = Instant::now();
                s.told = false;
            } else if s.since.elapsed() >= self.patience && !s.told {
                s.told = true;
                words.push(watch.words(s.since.elapsed()));
            }
        }
        words
    }
}

impl Watch {
    fn words(&self, time: Duration) -> String {
        let task = match self.task.load(Ordering::Relaxed) {
            0 => "the main task".to_owned(),
            n => format!("task number {n} (in the order of creation)"),
        };
        // SAFETY: the pointer is null or came from a reference with static lifetime.
        let place = unsafe { self.place.load(Ordering::Relaxed).as_ref() };
        let place = match place {
            // The compiler says that the standard library drops it.
            Some(place) if place.file().starts_with("/rustc/") => {
                ", after a guard went out of scope".to_owned()
            }
            // It has not announced any.
            Some(place) if place.file() == crate::runtime::operation::HERE => String::new(),
            Some(place) => format!(", after the operation at {place}"),
            None => String::new(),
        };
        format!("{task} has been running for {} s without any operation{place}", time.as_secs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_barks_at_the_program_and_not_at_the_strategy() {
        let watch = Watch::register();
        let dog = Watchdog::new(Duration::ZERO);
        // Other tests have watches of their own.
        let place = Location::caller();
        let barks = || dog.look().iter().any(|words| words.contains(&place.to_string()));
        watch.moved(TaskId(7), place);
        assert!(!barks(), "it has just moved");
        watch.busy(true);
        watch.looked_back();
        assert!(!barks(), "the strategy is at work");
        watch.looked_back();
        assert!(!barks(), "the strategy is still at work");
        assert!(barks(), "no task does anything");
        assert!(!barks(), "it says so once");
    }
}
