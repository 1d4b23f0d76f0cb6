//! Searches that were stopped, and the Erlang program of which they and some tickets are: its code is a file, the same on every
//! machine.

use super::{Seen, as_original, corpora};
use raddle_core::check::{Check, SearchKind, check};
use raddle_core::search::{Listener, NoListener, OnFailure, Saved};
use raddle_core::ticket::Ticket;
use raddle_erlang::beam;
use raddle_erlang::check::Checkable;
use raddle_erlang::code::SearchPath;
use raddle_erlang::settings::Settings;
use raddle_erlang::world::Program;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// A search file.
pub fn search(bytes: &[u8], original: Option<&[u8]>) -> Result<Seen, String> {
    let read = |bytes: &[u8]| Saved::parse(std::str::from_utf8(bytes).map_err(|e| e.to_string())?);
    as_original(read, bytes, original)
}

/// The same with a valid checksum, resumed for a few executions.
pub fn resealed(bytes: &[u8], _: Option<&[u8]>) -> Result<Seen, String> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(Seen::Refused) };
    let content = text.split_once('\n').map_or(text, |(_, content)| content);
    let Ok(saved) = Saved::parse(&Saved::seal(content)) else { return Ok(Seen::Refused) };
    let mut check = settings(SearchKind::Dfs);
    check.budget.executions = Some(saved.found.executions.saturating_add(5));
    check.resume = Some(Box::new(saved));
    match self::check(&Checkable::new(program()), &check, Arc::new(NoListener)) {
        Ok(_) => Ok(Seen::Read),
        Err(_) => Ok(Seen::Refused),
    }
}

/// Replays a ticket of the program, under the settings that it has.
pub(crate) fn replay(ticket: Ticket) -> Result<(), String> {
    let mut check = settings(SearchKind::Exhaustive);
    check.test = None;
    check.follow(ticket)?;
    check.budget.steps = check.budget.steps.min(2_000);
    self::check(&Checkable::new(program()), &check, Arc::new(NoListener)).map(|_| ())
}

fn settings(kind: SearchKind) -> Check {
    let mut check = Check::new(kind);
    check.test = Some("lost:update_test".to_owned());
    check.budget.time = Some(Duration::from_secs(2));
    check.budget.steps = 2_000;
    check
}

/// A search of the program that was stopped, as the content of a file.
pub fn stopped() -> String {
    /// Keeps the first checkpoint that has found something.
    #[derive(Default)]
    struct First(Mutex<Option<Saved>>);
    impl Listener for First {
        fn checkpoint(&self, saved: &Saved) {
            let mut first = self.0.lock().unwrap_or_else(|e| e.into_inner());
            if first.is_none() && saved.found.executions > 2 {
                *first = Some(saved.clone());
            }
        }
        fn wants_to_stop(&self) -> bool {
            self.0.lock().unwrap_or_else(|e| e.into_inner()).is_some()
        }
    }
    let mut check = settings(SearchKind::Dfs);
    (check.checkpoint, check.on_failure) = (Some(Duration::from_nanos(1)), OnFailure::KeepGoing);
    let first = Arc::new(First::default());
    self::check(&Checkable::new(program()), &check, first.clone()).expect("it can be searched");
    let saved = first.0.lock().unwrap_or_else(|e| e.into_inner()).take();
    saved.expect("it saves itself").to_json()
}

/// A ticket of a failure of the program.
pub fn failing() -> Ticket {
    let checked =
        self::check(&Checkable::new(program()), &settings(SearchKind::Exhaustive), Arc::new(NoListener));
    checked.expect("it can be searched").failure().expect("an update is lost").ticket.clone()
}

/// A compiled module in which any instruction may be another, executed.
pub fn beam_run(bytes: &[u8], _: Option<&[u8]>) -> Result<Seen, String> {
    if beam::load(bytes).is_err() {
        return Ok(Seen::Refused);
    }
    let mut check = settings(SearchKind::Exhaustive);
    check.budget.executions = Some(5);
    match self::check(&Checkable::new(program_of(bytes.into())), &check, Arc::new(NoListener)) {
        Ok(_) => Ok(Seen::Read),
        Err(_) => Ok(Seen::Refused),
    }
}

/// `lost.erl`, compiled.
fn program() -> Program {
    static CODE: OnceLock<Arc<[u8]>> = OnceLock::new();
    let code = CODE.get_or_init(|| {
        let file = corpora().join("beam/valid-lost.beam");
        std::fs::read(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display())).into()
    });
    program_of(code.clone())
}

fn program_of(code: Arc<[u8]>) -> Program {
    let path = SearchPath { directories: Vec::new(), given: vec![("lost".to_owned(), code)] };
    Program {
        path,
        module: "lost".to_owned(),
        function: "update_test".to_owned(),
        settings: Settings::default(),
    }
}
