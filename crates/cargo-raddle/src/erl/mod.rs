//! `raddle erl`: compiles, finds the tests, checks each, and reports the results.

mod arguments;
mod memory;
mod project;
mod report;
mod sources;
mod weakest;

pub use arguments::{Erl, spread_pa};

use crate::suite_report::SuiteReport;
use crate::{COULD_NOT, FAILED, PASSED, json, workflow_commands};
use raddle_core::check::{Check, Checked, check};
use raddle_core::search::{Listener, NoListener, Progress, Saved};
use raddle_core::ticket::Ticket;
use raddle_core::verdict::Failure;
use raddle_erlang::check::Checkable;
use raddle_erlang::settings::Settings;
use raddle_erlang::watch::{Halt, Watch};
use raddle_erlang::world::Program;
use raddle_terminal::{Interrupt, ProgressLine, SearchKeeper, file_name, output, read_ticket, write_ticket};
use report::Found;
use sources::Sources;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Once};
use std::time::Duration;

/// The stacks of searches, in bytes: terms may be nested deeply, and are compared, printed and dropped recursively. Only
/// what is used takes memory. Where there is not so much, less is tried.
const STACKS: [usize; 3] = [4 << 30, 1 << 30, 64 << 20];

/// Runs `raddle erl` on a large stack.
pub fn run(erl: &Erl) -> Result<u8, String> {
    std::thread::scope(|scope| {
        let with = |stack: usize| {
            let thread = std::thread::Builder::new().name("main".to_owned()).stack_size(stack);
            thread.spawn_scoped(scope, move || run_all(erl, stack)).ok()
        };
        let thread = STACKS.into_iter().find_map(with);
        let thread = thread.ok_or_else(|| "there is no memory for a thread".to_owned())?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn run_all(erl: &Erl, stack: usize) -> Result<u8, String> {
    erl.search.color.choose();
    if erl.reports.github {
        workflow_commands::stop();
    }
    if erl.replay.is_some() {
        erl.search.contradict_replay()?;
    }
    let ticket = erl.replay.as_deref().map(read_ticket).transpose()?;
    let mut check = erl.search.check()?;
    check.stack = Some(stack);
    let mut erl = match &ticket {
        Some(ticket) => erl.for_ticket(ticket)?,
        None => erl.clone(),
    };
    erl.only("--resume", check.resume.as_ref().and_then(|saved| saved.test.as_deref()))?;
    if let Some(ticket) = &ticket {
        check.follow(ticket.clone())?;
    }
    let settings = erl.settings()?;
    let sources = Sources::prepare(&erl)?;
    let tests = sources.tests(&erl)?;
    let mut code = PASSED;
    let mut report = SuiteReport::new(&erl.reports);
    for (module, function) in &tests {
        let (module, function) = (module.clone(), function.clone());
        let settings = Settings { watch: Watch::default(), ..settings.clone() };
        let program = Program { path: sources.path.clone(), module, function, settings };
        check.test = Some(format!("{}:{}", program.module, program.function));
        let listening = Arc::new(Listening::new(&program, &erl, ticket.is_none()));
        let program = Checkable::new(program);
        let checked = self::check(&program, &check, listening.clone())?;
        let found = Found {
            erl: &erl,
            check: &check,
            program: &program.program(),
            sources: &sources,
            search_file: listening.search.finish(checked.left.as_deref()),
            ticket_file: listening.ticket(),
            checked: &checked,
        };
        match erl.search.is_json() {
            true => found.tell_as_json(),
            false => found.tell(),
        }
        let printed = if erl.reports.html.is_some() { found.output() } else { String::new() };
        found.add_to(&mut report, &printed)?;
        code = worse(code, checked.verdict().exit_code());
        if checked.interrupted {
            code = worse(code, COULD_NOT);
            break;
        }
    }
    match erl.search.is_json() {
        true => json::finished(code),
        false if tests.len() > 1 => {
            let verdict = if code == PASSED { "all passed" } else { "not all passed" };
            output::line(format_args!("{} tests, {verdict}", tests.len()));
        }
        false => {}
    }
    report.finish("raddle erl", erl.search.is_json())?;
    Ok(code)
}

/// A failure has precedence over what could not be explored.
fn worse(one: u8, other: u8) -> u8 {
    if one == FAILED || other == FAILED { FAILED } else { one.max(other) }
}

/// Checks a program without any report.
fn silently(program: Program, check: &Check) -> Option<Checked<String>> {
    self::check(&Checkable::new(program), check, Arc::new(NoListener)).ok()
}

/// Where tickets and searches are kept: with what rebar3 builds, if there is that.
fn path_for(test: Option<&str>, extension: &str) -> PathBuf {
    let built = Path::new("_build");
    let folder = if built.is_dir() { built.join("raddle") } else { PathBuf::from(".raddle") };
    folder.join(format!("{}.{extension}", file_name(test.unwrap_or("check"))))
}

/// Handles the events of a search.
struct Listening {
    name: Option<String>,
    watch: Watch,
    /// The process may not take more, in bytes.
    most: Option<u64>,
    line: ProgressLine,
    interrupt: Interrupt,
    /// Ctrl-C was noticed.
    interrupted: Once,
    writes: bool,
    search: SearchKeeper,
    ticket: Mutex<Option<Result<PathBuf, String>>>,
}

impl Listening {
    fn new(program: &Program, erl: &Erl, writes: bool) -> Listening {
        let line = crate::screen::progress(!erl.search.is_json());
        let name = Some(format!("{}:{}", program.module, program.function));
        let watch = program.settings.watch.clone();
        let test = name.clone();
        let search = SearchKeeper::new(move || Ok(path_for(test.as_deref(), "search.json")));
        // What an earlier test took may not have been returned.
        let most = program
            .settings
            .memory_limit
            .map(|limit| memory::taken().map_or(limit, |taken| limit.max(taken + (64 << 20))));
        Listening {
            name,
            watch,
            most,
            line,
            interrupt: Interrupt::new(),
            interrupted: Once::new(),
            writes,
            search,
            ticket: Mutex::new(None),
        }
    }
    fn ticket(&self) -> Option<Result<PathBuf, String>> {
        self.line.clear();
        self.ticket.lock().unwrap_or_else(|e| e.into_inner()).take()
    }
    fn write(&self, ticket: &Ticket) {
        *self.ticket.lock().unwrap_or_else(|e| e.into_inner()) =
            Some(write_ticket(&path_for(ticket.test.as_deref(), "json"), ticket));
    }
}

/// So long an execution may go on after Ctrl-C.
const GRACE: Duration = Duration::from_millis(500);

impl Listener for Listening {
    fn tick(&self, progress: &Progress) {
        self.line.tick(self.name.as_deref(), progress);
    }
    fn wants_to_stop(&self) -> bool {
        if self.interrupt.is_requested() {
            // The execution that is under way may end by itself: then the search can be resumed.
            self.interrupted.call_once(|| {
                let watch = self.watch.clone();
                std::thread::spawn(move || {
                    std::thread::sleep(GRACE);
                    watch.halt(Halt::Interrupted);
                });
            });
            return true;
        } else if self.most.zip(memory::taken()).is_some_and(|(most, taken)| taken > most) {
            self.watch.halt(Halt::Memory);
        }
        self.watch.halted() == Some(Halt::Interrupted)
    }
    fn checkpoint(&self, saved: &Saved) {
        if self.writes {
            self.search.checkpoint(saved);
        }
    }
    fn failed(&self, failure: &Failure) {
        if self.writes {
            self.write(&failure.ticket);
        }
    }
}
