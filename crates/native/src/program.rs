//! A Rust program under test: a closure, and what shapes its executions.

use crate::auto_memory::AutoMemory;
use crate::counted::Counted;
use crate::outcome::Outcome;
use crate::reuse::Reuse;
use crate::settings::{Drops, Settings, Spins};
use crate::world::NativeWorld;
use raddle_core::check::{
    Check, Checked, Orderings, Program, Reducible, Refinable, Variant, Variants, Weaker, check,
};
use raddle_core::checksum::Checksum;
use raddle_core::fact::Obstacle;
use raddle_core::memory::Model;
use raddle_core::search::{LazyMap, Listener};
use raddle_core::verdict::FailureKind;
use std::fs::File;
use std::io::Read;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The body of a program's main task. Its result is hidden, so that the whole pipeline is compiled once and not for each
/// closure.
pub type Body<'f> = dyn Fn() -> Outcome<'f> + Send + Sync + 'f;

/// Begins what is assumed if accesses of tasks to their own stacks are judged.
const STACKS: &str = "stacks;";
/// Begins what is assumed if freed memory is used again.
const REUSE: &str = "reuse;";
/// Ends the reference counts in what is assumed, before the observers.
const COUNTS: char = '#';

/// A closure with its settings.
pub struct RustProgram<'f> {
    body: &'f Body<'f>,
    settings: Settings,
    variant: Mutex<Option<Variant>>,
}

impl<'f> RustProgram<'f> {
    /// A program with this body.
    pub fn new(body: &'f Body<'f>, mut settings: Settings) -> RustProgram<'f> {
        // Clones of the checker that are in use at the same time learn separately.
        settings.observers = settings.observers.map(|observers| observers.fork());
        settings.counted = settings.counted.fork();
        settings.heap = settings.heap.map(|reuse| reuse.fork());
        settings.stacks = settings.stacks.fork();
        settings.auto = settings.auto.map(|_| AutoMemory::default());
        RustProgram { body, settings, variant: Mutex::default() }
    }

    /// The settings of executions that begin now.
    fn present_settings(&self) -> Settings {
        let mut settings = self.settings.clone();
        if let Some(auto) = &settings.auto {
            settings.memory = auto.model();
        }
        if let Some(variant) = &*self.variant.lock().unwrap_or_else(PoisonError::into_inner) {
            settings.memory = variant.model.unwrap_or(settings.memory);
            settings.strengthened = Some(variant.orderings.as_slice().into());
        }
        if cfg!(feature = "arena") && settings.memory != Model::Sc && self.settings.auto.is_some() {
            // A destructor that loads atomics synchronises with what dropped the other references. A failure that is found
            // before that is known would be none.
            settings.counted = Counted::all();
        }
        settings
    }

    /// Checks the program. The pipeline is compiled here once, and not in each program that uses it.
    ///
    /// # Errors
    /// As [`check`].
    pub fn check(
        &self,
        settings: &Check,
        listener: Arc<dyn Listener>,
    ) -> Result<Checked<Outcome<'f>>, String> {
        check(self, settings, listener)
    }
}

impl<'f> Program for RustProgram<'f> {
    type World = NativeWorld<'f, Outcome<'f>, Body<'f>>;

    fn world(&self) -> Self::World {
        NativeWorld::new(self.body, Settings { observers: None, ..self.present_settings() })
    }

    /// Where blocks were allocated and freed; and whether destructors behind std's `Arc` have read old stores.
    fn noting_world(&self, kind: FailureKind) -> Option<Self::World> {
        let settings = self.present_settings();
        let is_of_heap = settings.heap.is_some() && kind.is_of_the_heap();
        let is_weak = settings.auto.is_some() && settings.memory != Model::Sc && cfg!(not(feature = "arena"));
        let notes = (is_of_heap || is_weak) && !settings.gathers_stacks;
        let settings = Settings { observers: None, gathers_stacks: true, ..settings };
        notes.then(|| NativeWorld::new(self.body, settings))
    }

    fn reducible(&self) -> Option<&dyn Reducible<Self::World>> {
        Some(self)
    }

    fn refinable(&self) -> Option<&dyn Refinable> {
        Some(self)
    }

    fn orderings(&self) -> Option<&dyn Orderings> {
        self.settings.auto.is_some().then_some(self)
    }

    fn variants(&self) -> Option<&dyn Variants> {
        Some(self)
    }

    /// One: the executable, with all that is linked into it.
    fn parts(&self) -> LazyMap {
        LazyMap::found_by(|| {
            static EXECUTABLE: OnceLock<Option<Checksum>> = OnceLock::new();
            let sum = EXECUTABLE.get_or_init(|| checksum_of_executable().ok());
            sum.iter().map(|sum| ("the executable".to_owned(), sum.to_string())).collect()
        })
    }

    fn settings(&self) -> LazyMap {
        let settings = self.present_settings();
        LazyMap::found_by(move || settings.to_words())
    }
}

impl<'f> Reducible<NativeWorld<'f, Outcome<'f>, Body<'f>>> for RustProgram<'f> {
    /// The order of messages that are not received is open, as far as the observers know.
    fn reduced_world(&self) -> NativeWorld<'f, Outcome<'f>, Body<'f>> {
        NativeWorld::new(self.body, self.present_settings())
    }

    fn reduces_within_bounds(&self) -> bool {
        // Stores shift the numbers of options.
        self.present_settings().memory == Model::Sc
    }

    fn bounded_world(&self) -> NativeWorld<'f, Outcome<'f>, Body<'f>> {
        let drops = Drops::Conflict;
        NativeWorld::new(self.body, Settings { drops, ..self.present_settings() })
    }
}

impl Variants for RustProgram<'_> {
    fn vary(&self, variant: Option<Variant>) {
        *self.variant.lock().unwrap_or_else(PoisonError::into_inner) = variant;
    }
}

impl Orderings for RustProgram<'_> {
    fn follow(&self, model: Model, weaker: Weaker) {
        if let Some(auto) = &self.settings.auto {
            auto.follow(model, weaker);
        }
    }

    fn are_weaker(&self) -> bool {
        self.settings.auto.as_ref().is_some_and(AutoMemory::is_found)
    }

    fn ends_search(&self) -> bool {
        self.settings.auto.as_ref().is_some_and(AutoMemory::ends_search)
    }

    /// The counts of std's `Arc`, in a program that uses the library.
    fn may_hide_synchronisation(&self) -> bool {
        cfg!(not(feature = "arena"))
    }

    fn hides_synchronisation(&self) -> bool {
        self.settings.auto.as_ref().is_some_and(AutoMemory::hides)
    }

    fn are_stale_reads_bounded(&self) -> bool {
        self.settings.stale_reads.is_some()
    }

    fn obstacle(&self, is_reduced: bool) -> Option<Obstacle> {
        let Settings { spins, spurious, observers, .. } = &self.settings;
        if !crate::alloc::is_installed() {
            return Some(Obstacle::AllocatorNotInstalled);
        }
        if *spins == Spins::Await {
            return Some(Obstacle::SpinsAwait);
        }
        if observers.is_some() {
            return Some(Obstacle::Observers);
        }
        (is_reduced && *spurious > 0).then_some(Obstacle::SpuriousWakeUps)
    }
}

/// The observers of messages and the reference counts.
impl Refinable for RustProgram<'_> {
    fn is_refuted(&self) -> bool {
        let observers = self.settings.observers.as_ref();
        observers.is_some_and(|observers| observers.are_refuted())
            || self.settings.counted.are_refuted()
            || self.settings.heap.as_ref().is_some_and(Reuse::is_refuted)
            || self.settings.stacks.is_refuted()
    }

    fn refine(&self) -> bool {
        let observers = self.settings.observers.as_ref().is_some_and(|observers| observers.learn());
        let heap = self.settings.heap.as_ref().is_some_and(Reuse::learn);
        let stacks = self.settings.stacks.learn();
        self.settings.counted.learn() || observers || heap || stacks
    }

    fn assumed(&self) -> Option<String> {
        let observers = self.settings.observers.as_ref().map(|observers| observers.to_word());
        let reuse = self.settings.heap.as_ref().is_some_and(Reuse::is_explored);
        let reuse = if reuse { REUSE } else { "" };
        let stacks = if self.settings.stacks.is_explored() { STACKS } else { "" };
        match (self.settings.counted.to_word(), observers) {
            (counts, None) if counts.is_empty() && reuse.is_empty() && stacks.is_empty() => None,
            (counts, observers) => {
                Some(format!("{stacks}{reuse}{counts}{COUNTS}{}", observers.unwrap_or_default()))
            }
        }
    }

    fn assume(&self, assumed: &str) -> Result<(), String> {
        let assumed = match assumed.strip_prefix(STACKS) {
            None => assumed,
            Some(rest) => {
                self.settings.stacks.refute();
                self.settings.stacks.learn();
                rest
            }
        };
        let assumed = match (assumed.strip_prefix(REUSE), &self.settings.heap) {
            (None, _) => assumed,
            (Some(rest), Some(reuse)) => {
                reuse.refute();
                reuse.learn();
                rest
            }
            (Some(_), None) => return Err("it judges the heap, and this check does not".to_owned()),
        };
        let (counts, observers) = assumed.split_once(COUNTS).unwrap_or(("", assumed));
        self.settings.counted.apply(counts)?;
        self.settings.observers.as_ref().map_or(Ok(()), |known| known.apply(observers))
    }
}

fn checksum_of_executable() -> std::io::Result<Checksum> {
    // The program that is running, also if another one has taken its place, where the system has that.
    let running = File::open("/proc/self/exe");
    let mut file = running.or_else(|_| File::open(std::env::current_exe()?))?;
    let (mut sum, mut buffer) = (Checksum::default(), vec![0; 1 << 20]);
    loop {
        let mut filled = 0;
        while filled < buffer.len() {
            match file.read(&mut buffer[filled..])? {
                0 => return Ok(sum.with_words(&buffer[..filled])),
                n => filled += n,
            }
        }
        sum = sum.with_words(&buffer);
    }
}
