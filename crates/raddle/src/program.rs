//! A Rust program under test: a closure, and what shapes its executions.

use raddle_core::check::Program;
use raddle_core::search::LazySettings;
use raddle_native::{NativeWorld, Settings};

/// A closure with its settings.
pub(crate) struct RustProgram<'f, F> {
    body: &'f F,
    settings: Settings,
}

impl<'f, F> RustProgram<'f, F> {
    pub fn new(body: &'f F, mut settings: Settings) -> RustProgram<'f, F> {
        // Clones of the checker that are in use at the same time learn separately.
        settings.observers = settings.observers.map(|observers| observers.fork());
        RustProgram { body, settings }
    }
}

impl<'f, T, F> Program for RustProgram<'f, F>
where
    F: Fn() -> T + Send + Sync,
    T: Ord + Send,
{
    type World = NativeWorld<'f, T, F>;

    fn world(&self) -> Self::World {
        NativeWorld::new(self.body, Settings { observers: None, ..self.settings.clone() })
    }

    /// The order of messages that are not received is open, as far as the observers know.
    fn reduced_world(&self) -> Self::World {
        NativeWorld::new(self.body, self.settings.clone())
    }

    fn refine(&self) -> bool {
        self.settings.observers.as_ref().is_some_and(|observers| observers.learn())
    }

    fn assumed(&self) -> Option<String> {
        self.settings.observers.as_ref().map(|observers| observers.to_word())
    }

    fn assume(&self, assumed: &str) -> Result<(), String> {
        self.settings.observers.as_ref().map_or(Ok(()), |observers| observers.apply(assumed))
    }

    fn settings(&self) -> LazySettings {
        let settings = self.settings.clone();
        LazySettings::found_by(move || settings.to_words())
    }
}
