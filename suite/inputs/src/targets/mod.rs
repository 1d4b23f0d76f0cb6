//! The list of what is read from outside.

mod commands;
mod erlang;
pub(crate) mod searches;
pub(crate) mod tickets;

use std::path::{Path, PathBuf};

/// What became of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seen {
    /// They were read as what they are.
    Read,
    /// They were refused.
    Refused,
}

/// Reads bytes. An error says in what they were taken for something else than they are; a panic, an abort or a hang is one, too.
/// `original` are the bytes whose mutation they are, if that is known.
pub type Read = fn(bytes: &[u8], original: Option<&[u8]>) -> Result<Seen, String>;

/// One kind of input.
#[derive(Clone, Copy)]
pub struct Target {
    /// Its name, and that of its corpus.
    pub name: &'static str,
    /// What it is, for people.
    pub what: &'static str,
    /// Reads it.
    pub read: Read,
}

/// All of them.
pub const TARGETS: [Target; 15] = [
    target("ticket", "tickets: files and lines", tickets::ticket),
    target("ticket_resealed", "tickets with a valid checksum, replayed in both worlds", tickets::resealed),
    target("report", "tickets of `cargo raddle`", tickets::report),
    target(
        "report_resealed",
        "tickets of `cargo raddle` with a valid checksum, shown",
        tickets::report_resealed,
    ),
    target("search", "search files", searches::search),
    target("search_resealed", "search files with a valid checksum, resumed", searches::resealed),
    target("answer", "answers of test processes", commands::answer),
    target("command_line", "command lines", commands::command_line),
    target("setting", "settings: strategies, times, names of variables", commands::setting),
    target("beam", "`.beam` files", erlang::beam),
    target("beam_run", "`.beam` files, executed", searches::beam_run),
    target("external_term", "external terms", erlang::external_term),
    target("erlang_text", "Erlang terms as text", erlang::text),
    target("regex", "regular expressions of Erlang programs", erlang::regex),
    target("escape", "texts of programs in all outputs", commands::escape),
];

const fn target(name: &'static str, what: &'static str, read: Read) -> Target {
    Target { name, what, read }
}

impl Target {
    /// The target of this name.
    pub fn named(name: &str) -> Option<Target> {
        TARGETS.into_iter().find(|target| target.name == name)
    }

    /// The files of its corpus, in order. Those whose names begin with `valid-` are read as what they are, and those with
    /// `refused-` are refused.
    pub fn corpus(&self) -> Vec<(String, Vec<u8>)> {
        let listed = std::fs::read_dir(corpora().join(self.name)).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = listed.map(|entry| entry.path()).collect();
        files.sort();
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        files.iter().map(|path| (name(path), std::fs::read(path).unwrap_or_default())).collect()
    }
}

/// What a target of `cargo fuzz` does with bytes: it panics where they are taken for something else.
pub fn try_bytes(name: &str, bytes: &[u8]) {
    let target = Target::named(name).expect("the target is in the list");
    if let Err(why) = (target.read)(bytes, None) {
        panic!("{name}: {why}");
    }
}

/// Where all corpora are.
pub fn corpora() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus")
}

/// Compares what a mutation was read as with what the original is read as.
fn as_original<T: PartialEq>(
    read: impl Fn(&[u8]) -> Result<T, String>,
    bytes: &[u8],
    original: Option<&[u8]>,
) -> Result<Seen, String> {
    let Ok(found) = read(bytes) else { return Ok(Seen::Refused) };
    match original.map(read) {
        Some(Ok(meant)) if found != meant => Err("it was changed, and was read as something else".to_owned()),
        _ => Ok(Seen::Read),
    }
}
