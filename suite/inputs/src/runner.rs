//! Gives a target its corpus and mutations of it, in a process of its own: what aborts, runs out of memory or does not end is
//! counted, and the process that follows goes on after it.

use crate::mutation::mutation;
use crate::targets::{Seen, Target};
use std::io::{self, BufRead, BufReader, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// The argument that makes the program the process of a target.
pub const CHILD: &str = "--child";
/// How long one input may take.
const LONGEST: Duration = Duration::from_secs(60);
/// How much memory a process may reserve, in bytes: any input of a few kilobytes needs less.
const MEMORY: u64 = 3 << 30;
/// The stack of a target. `raddle erl` has a larger one.
const STACK: usize = 64 << 20;

/// How many mutations, and which.
#[derive(Clone, Copy, Debug)]
pub struct Amount {
    /// The seed.
    pub seed: u64,
    /// How many.
    pub mutations: u64,
}

/// What became of inputs, or of faults.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Figures {
    /// How many there were.
    pub tried: u64,
    /// Read as what was meant, or refused with a message; of a fault, said.
    pub clear: u64,
    /// Of these, read.
    pub read: u64,
    /// Taken for something else.
    pub wrong: u64,
    /// A panic, an abort, memory without end.
    pub crash: u64,
    /// No end.
    pub hang: u64,
    /// Of a fault: what was saved is gone.
    pub lost: u64,
    /// What was not clear: the number of the input, and why. Only the first ones.
    pub examples: Vec<String>,
}

impl Figures {
    /// Notes an example, if there are few yet.
    pub fn example(&mut self, text: String) {
        if self.examples.len() < 10 {
            self.examples.push(text);
        }
    }
}

/// The input of a number: first the corpus, then its mutations. And the original, if it is one.
pub fn input(corpus: &[(String, Vec<u8>)], seed: u64, number: u64) -> (Vec<u8>, Option<&[u8]>) {
    match corpus.get(number as usize) {
        Some((_, bytes)) => (bytes.clone(), None),
        None => {
            let original = &corpus[number as usize % corpus.len()].1;
            (mutation(original, corpus, seed, number), Some(original))
        }
    }
}

/// Tries a target. `program` is the program whose `main` calls [`child`].
pub fn run(program: &Path, target: Target, amount: Amount) -> io::Result<Figures> {
    let corpus = target.corpus().len() as u64;
    if corpus == 0 {
        return Err(io::Error::other(format!("{} has no corpus", target.name)));
    }
    let all = corpus + amount.mutations;
    let mut figures = Figures::default();
    while figures.tried < all {
        let mut process = start(program, target, amount.seed, figures.tried, all)?;
        let lines = lines(&mut process);
        loop {
            match lines.recv_timeout(LONGEST) {
                Ok(line) => note(&mut figures, &line),
                Err(RecvTimeoutError::Timeout) => {
                    let number = figures.tried;
                    figures.example(format!("{} {number}: no end within {LONGEST:?}", target.name));
                    (figures.tried, figures.hang) = (number + 1, figures.hang + 1);
                    process.kill()?;
                    break;
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let status = process.wait()?;
                    if figures.tried < all {
                        let number = figures.tried;
                        figures.example(format!("{} {number}: {status}", target.name));
                        (figures.tried, figures.crash) = (number + 1, figures.crash + 1);
                    }
                    break;
                }
            }
        }
        process.wait()?;
    }
    Ok(figures)
}

fn start(program: &Path, target: Target, seed: u64, from: u64, to: u64) -> io::Result<Child> {
    Command::new(program)
        .args([CHILD, target.name])
        .args([seed, from, to].map(|number| number.to_string()))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        // Panics are counted, and said on the other channel.
        .stderr(Stdio::null())
        .spawn()
}

fn lines(process: &mut Child) -> Receiver<String> {
    let (sender, receiver) = channel();
    if let Some(out) = process.stdout.take() {
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
    }
    receiver
}

/// One line for each input: its verdict, and why.
fn note(figures: &mut Figures, line: &str) {
    let count = match line.split_once(' ').map_or(line, |(verdict, _)| verdict) {
        "read" => {
            figures.read += 1;
            &mut figures.clear
        }
        "refused" => &mut figures.clear,
        "wrong" => &mut figures.wrong,
        "crash" => &mut figures.crash,
        // What a target prints by mistake.
        _ => return,
    };
    *count += 1;
    if line.contains(' ') {
        figures.example(line.to_owned());
    }
    figures.tried += 1;
}

/// The process of a target: `TARGET SEED FROM TO`.
pub fn child(arguments: &[String]) -> Option<()> {
    let [name, numbers @ ..] = arguments else { return None };
    let numbers: Vec<u64> = numbers.iter().filter_map(|number| number.parse().ok()).collect();
    let (target, [seed, from, to]) = (Target::named(name)?, numbers[..].try_into().ok()?);
    // SAFETY: a plain system call. If it is refused, too much memory is noticed later.
    unsafe { libc::setrlimit(libc::RLIMIT_AS, &libc::rlimit { rlim_cur: MEMORY, rlim_max: MEMORY }) };
    std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || try_all(target, seed, from, to))
        .ok()?
        .join()
        .ok()
}

fn try_all(target: Target, seed: u64, from: u64, to: u64) {
    static SAID: Mutex<String> = Mutex::new(String::new());
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        *SAID.lock().unwrap_or_else(|e| e.into_inner()) = format!("{place}: {info}").replace('\n', " ");
    }));
    let corpus = target.corpus();
    let mut out = io::stdout().lock();
    for number in from..to {
        let (bytes, original) = input(&corpus, seed, number);
        let done = catch_unwind(AssertUnwindSafe(|| (target.read)(&bytes, original)));
        let written = match done {
            Ok(Ok(Seen::Read)) => writeln!(out, "read"),
            Ok(Ok(Seen::Refused)) => writeln!(out, "refused"),
            Ok(Err(why)) => writeln!(out, "wrong {} {number}: {}", target.name, why.replace('\n', " ")),
            Err(_) => {
                let said = SAID.lock().unwrap_or_else(|e| e.into_inner());
                writeln!(out, "crash {} {number}: {said}", target.name)
            }
        };
        if written.is_err() {
            return;
        }
    }
}
