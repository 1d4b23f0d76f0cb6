//! Faults while files are written: each call of a write fails once, and writers are killed at any moment. Afterwards the file is the
//! old one or the new one, whole, and there is no other.

use crate::runner::Figures;
use raddle_core::random::Rng;
use raddle_core::ticket::Ticket;
use raddle_terminal::store::{self, FailingDisk, Fault, Scratch};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The argument that makes the program one that writes until it is killed.
pub const WRITER: &str = "--writer";
/// How often a writer is killed.
pub const KILLS: u64 = 100;

/// The names of the files in a folder.
fn names(folder: &Path) -> Vec<String> {
    let listed = std::fs::read_dir(folder).into_iter().flatten().flatten();
    listed.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Every call fails once, in each way, with and without a file that was there before.
pub fn failing_calls() -> Result<Figures, String> {
    let mut figures = Figures::default();
    let contents = [("ticket", crate::contents::ticket()), ("search", crate::contents::search())];
    for (what, new) in &contents {
        for before in [None, Some("an old one")] {
            for fault in Fault::ALL {
                // Until no call is left that could fail.
                for position in 1.. {
                    let scratch = Scratch::new("faults")?;
                    let path = scratch.path().join("kept.json");
                    if let Some(before) = before {
                        std::fs::write(&path, before).map_err(|e| e.to_string())?;
                    }
                    let mut disk = FailingDisk::new(fault, position);
                    let done = store::write_to(&mut disk, &path, what, new.as_bytes());
                    let there = std::fs::read_to_string(&path).ok();
                    let is_whole = there.as_deref() == before || there.as_deref() == Some(new);
                    let is_alone = names(scratch.path()).len() == usize::from(there.is_some());
                    figures.tried += 1;
                    let says_so = match &done {
                        Ok(()) => there.as_deref() == Some(new),
                        Err(said) => said.starts_with(&format!("the {what} could not be written to ")),
                    };
                    let count = match (is_whole && is_alone, says_so) {
                        (true, true) => &mut figures.clear,
                        (true, false) => &mut figures.wrong,
                        (false, _) => &mut figures.lost,
                    };
                    *count += 1;
                    if !(is_whole && is_alone && says_so) {
                        figures.example(format!("{what}, {fault:?} at call {position}: {done:?}"));
                    }
                    if disk.calls() < position {
                        break;
                    }
                }
            }
        }
    }
    Ok(figures)
}

/// A process that writes a file again and again is killed.
pub fn kills(program: &Path, seed: u64, kills: u64) -> Result<Figures, String> {
    let mut figures = Figures::default();
    let scratch = Scratch::new("kills")?;
    let path = scratch.path().join("kept.json");
    let failed = |e: io::Error| e.to_string();
    let mut random = Rng::new(seed, 0);
    let contents = written();
    store::write(&path, "ticket", contents[0].as_bytes())?;
    for _ in 0..kills {
        let mut writer = Command::new(program);
        writer.arg(WRITER).arg(&path).stdout(Stdio::null()).stderr(Stdio::null());
        let mut writer = writer.spawn().map_err(failed)?;
        std::thread::sleep(Duration::from_micros(2_000 + random.below(20_000) as u64));
        writer.kill().and_then(|()| writer.wait()).map_err(failed)?;
        figures.tried += 1;
        let there = std::fs::read_to_string(&path).unwrap_or_default();
        let is_whole = contents.contains(&there);
        // What was written only half is removed by the next writer.
        let left = names(scratch.path()).len();
        match is_whole && left <= 2 {
            true => figures.clear += 1,
            false => {
                figures.lost += 1;
                figures.example(format!("after a kill: whole {is_whole}, {left} files"));
            }
        }
    }
    store::write(&path, "ticket", contents[0].as_bytes())?;
    if names(scratch.path()).len() != 1 {
        figures.lost += 1;
        figures.example("files of killed writers are left".to_owned());
    }
    Ok(figures)
}

/// What the writer writes in turn.
fn written() -> [String; 2] {
    let named = |name: String| Ticket { test: Some(name), ..Ticket::empty() }.to_json();
    ["a", "b"].map(|letter| named(letter.repeat(100_000)))
}

/// The process that is killed.
pub fn writer(path: &Path) {
    for content in written().iter().cycle() {
        let _ = store::write(path, "ticket", content.as_bytes());
    }
}
