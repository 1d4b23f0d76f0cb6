//! Explores one test in its own process: starts it, reads its messages, and stops it if it makes no progress.

use crate::answer::Answer;
use crate::compile::Program;
use crate::known::Known;
use crate::results::{NoVerdict, Verdict};
use crate::stuck;
use raddle_core::fact::SkipReason;
use raddle_core::search::Progress;
use raddle_core::verdict::Replayed;
use raddle_shadow::protocol::{self, Explored, Message, Order};
use raddle_terminal::Interrupt;
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The polling interval.
const TICK: Duration = Duration::from_millis(15);
/// How long a test may take after Ctrl-C to save its search and to report.
const LAST_WORDS: Duration = Duration::from_secs(3);

/// Where the output of a test goes.
pub enum Output {
    /// It is discarded.
    Nowhere,
    /// To ours.
    Terminal,
    /// Into this file.
    File(File),
}

/// Starts the process of a test.
pub fn command(program: &Program, order: &Order, answer: &Path) -> Command {
    let mut command = Command::new(&program.path);
    command
        .current_dir(&program.folder)
        .envs(&program.environment)
        .env("CARGO_MANIFEST_DIR", &program.folder)
        .env("CARGO_PKG_NAME", &program.package)
        .env("CARGO_PKG_VERSION", &program.version)
        .env(protocol::WISH, protocol::EXPLORE)
        .env(protocol::ANSWER, answer)
        .env(protocol::ORDER, serde_json::to_string(order).expect("an order is plain data"));
    if let Some(ticket) = &order.replay {
        // For checks that the test makes itself.
        command.env("RADDLE_REPLAY", ticket);
    }
    // Ctrl-C reaches this process only, which passes it on: a second one would end the test at once.
    command.process_group(0);
    // SAFETY: two system calls, which change nothing in this process. If the first is refused, addresses of statics
    // differ from one process to the next, which few programs ever notice.
    unsafe {
        command.pre_exec(|| {
            libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
            // If this process ends, by whatever means, the test must end, too.
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            Ok(())
        });
    }
    command
}

fn start(program: &Program, order: &Order, answer: &Path, output: &Output) -> io::Result<Child> {
    let mut command = command(program, order, answer);
    command.stdin(Stdio::null());
    match output {
        Output::Nowhere => command.stdout(Stdio::null()).stderr(Stdio::null()),
        Output::Terminal => &mut command,
        Output::File(file) => command.stdout(file.try_clone()?).stderr(file.try_clone()?),
    };
    command.spawn()
}

/// Explores one test. Reports the progress to `tell`. Ctrl-C is passed on once: the test's process stops with what it has.
pub fn explore(
    program: &Program,
    order: &Order,
    output: &Output,
    mut tell: impl FnMut(&Progress),
) -> (Verdict, Vec<Explored>) {
    let answer = match Answer::new() {
        Ok(answer) => answer,
        Err(e) => return (no_verdict(e), Vec::new()),
    };
    let mut child = match start(program, order, &answer.path(), output) {
        Ok(child) => child,
        Err(e) => {
            return (no_verdict(format!("cannot run {}: {e}", program.path.display())), Vec::new());
        }
    };
    let mut known = Known::new(order);
    let mut listener = Listener { answer, rest: Vec::new() };
    let interrupt = Interrupt::new();
    let mut interrupted = None;
    loop {
        // Checked first, so that no message before the end is missed.
        let ended = child.try_wait();
        for message in listener.hear() {
            match message {
                Message::Progress(progress) => tell(&progress),
                Message::Begun => known.begin(),
                Message::Explicit => known.is_explicit = true,
                Message::Covered(stage) => known.explored.push(*stage),
                Message::Failed(outcome) => known.failed = Some(*outcome),
                Message::Stuck { words } => {
                    let why = stuck::reason(child.id()).unwrap_or(SkipReason::Stuck { words });
                    stop(&mut child);
                    return (Verdict::Skipped(why), Vec::new());
                }
                Message::Outside { what } => {
                    stop(&mut child);
                    return (Verdict::Skipped(SkipReason::Outside { what }), Vec::new());
                }
                Message::Done(outcome) => {
                    // The verdict is complete; the process is not needed any more.
                    if !finished_soon(&mut child) {
                        stop(&mut child);
                    }
                    let outcome = outcome.unpacked();
                    return (Verdict::of(&outcome), outcome.explored);
                }
            }
        }
        if interrupt.is_requested() {
            let since = *interrupted.get_or_insert_with(|| {
                pass_on_interrupt(&child);
                Instant::now()
            });
            if since.elapsed() > LAST_WORDS {
                stop(&mut child);
                return (Verdict::Skipped(SkipReason::Interrupted), Vec::new());
            }
        }
        match ended {
            Ok(None) => {}
            Ok(Some(_)) if interrupted.is_some() => {
                return (Verdict::Skipped(SkipReason::Interrupted), Vec::new());
            }
            Ok(Some(status)) => {
                // It may have found a failure, and died of it.
                let failed = known.failure(Replayed::ProcessDied);
                return failed.unwrap_or_else(|| (Verdict::NoVerdict(how_it_ended(status)), Vec::new()));
            }
            Err(e) => {
                return (no_verdict(format!("its process cannot be waited for: {e}")), Vec::new());
            }
        }
        if known.is_late(&child) {
            let waits = stuck::reason(child.id());
            stop(&mut child);
            return known.verdict(waits);
        }
        std::thread::sleep(TICK);
    }
}

fn finished_soon(child: &mut Child) -> bool {
    (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(2));
        !matches!(child.try_wait(), Ok(None))
    })
}

/// Ctrl-C for the test: its search stops, is saved and reports.
fn pass_on_interrupt(child: &Child) {
    // SAFETY: a plain system call. The process has not been waited for, so its number is its own.
    unsafe { libc::kill(child.id().cast_signed(), libc::SIGINT) };
}

fn stop(child: &mut Child) {
    // It may have ended by itself.
    let _ = child.kill();
    let _ = child.wait();
}

fn no_verdict(why: String) -> Verdict {
    Verdict::NoVerdict(NoVerdict::Other(why))
}

fn how_it_ended(status: ExitStatus) -> NoVerdict {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => {
            NoVerdict::Other(format!("its process ended with exit code {code} before there was a verdict"))
        }
        (None, Some(libc::SIGSEGV | libc::SIGBUS)) => NoVerdict::Crashed("a segmentation fault".to_owned()),
        (None, Some(libc::SIGKILL)) => {
            NoVerdict::Other("its process was killed; was there enough memory?".to_owned())
        }
        // An abort of the test itself is a verdict.
        (None, Some(libc::SIGABRT)) => NoVerdict::Crashed(
            "signal 6: a stack that is too small (RUST_MIN_STACK says how large they are), or a broken heap"
                .to_owned(),
        ),
        (None, signal) => NoVerdict::Crashed(format!("signal {}", signal.unwrap_or_default())),
    }
}

/// Reads the lines that a process adds to its answer.
struct Listener {
    answer: Answer,
    /// The beginning of a line whose end is not there yet.
    rest: Vec<u8>,
}

impl Listener {
    fn hear(&mut self) -> Vec<Message> {
        let Ok(news) = self.answer.news() else { return Vec::new() };
        self.rest.extend(news);
        let whole = self.rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let lines: Vec<u8> = self.rest.drain(..whole).collect();
        lines.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
    }
}
