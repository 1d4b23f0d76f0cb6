//! Regular expressions of Erlang's `re`: a subset of PCRE 8 over bytes or UTF-8, with leftmost-first
//! semantics. An unsupported construct is an error, never given another meaning.

mod chars;
mod class;
mod escape;
mod group;
mod matcher;
mod parse;
mod program;

pub use matcher::{Captures, Request};
use program::Inst;

/// The newline convention.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs)]
pub enum Newline {
    #[default]
    Lf,
    Cr,
    CrLf,
    AnyCrLf,
    Any,
}

/// The options of a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs)]
pub struct Options {
    pub unicode: bool,
    pub anchored: bool,
    pub caseless: bool,
    pub dollar_endonly: bool,
    pub dotall: bool,
    pub extended: bool,
    pub firstline: bool,
    pub multiline: bool,
    pub no_auto_capture: bool,
    pub ungreedy: bool,
    pub bsr_anycrlf: bool,
    pub newline: Newline,
}

/// Why a pattern cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A syntax error: PCRE's message, and its byte offset.
    Wrong(&'static str, usize),
    /// A construct that is not supported.
    Unsupported(String),
}

/// A compiled pattern.
#[derive(Debug)]
pub struct Regex {
    options: Options,
    program: Vec<Inst>,
    sets: Vec<class::Set>,
    /// Whether it contains a literal carriage return or line feed.
    names_cr_or_lf: bool,
    /// The number of captures, the whole match not counted.
    pub groups: usize,
    /// The number of slots of a match.
    slots: usize,
    /// Names of captures, in alphabetical order.
    pub names: Vec<(String, usize)>,
}

impl Regex {
    /// Compiles a pattern.
    pub fn new(pattern: &[u8], options: Options) -> Result<Regex, Fault> {
        let parsed = parse::parse(pattern, options)?;
        let (program, slots) = program::compile(&parsed.tree, parsed.groups)?;
        let mut names = parsed.names;
        names.sort();
        let line = |c: u32| c == 10 || c == 13;
        let names_cr_or_lf = program.iter().any(|i| matches!(i, Inst::Character(c, _) if line(*c)))
            || parsed.sets.iter().any(|set| set.written.iter().any(|(a, b)| line(*a) || line(*b)));
        Ok(Regex { options, program, sets: parsed.sets, names_cr_or_lf, groups: parsed.groups, slots, names })
    }
}
