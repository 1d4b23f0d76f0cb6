//! Regular expressions as Erlang's `re` has them: a subset of PCRE 8, over bytes or UTF-8, leftmost and first
//! alternative first. What is not supported is an error that says so, never another meaning.

mod chars;
mod class;
mod escape;
mod group;
mod matcher;
mod parse;
mod program;

pub use matcher::{Captures, Request};
use program::Inst;

/// What ends a line.
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

/// How a pattern is meant.
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
    /// It is wrong: what PCRE says, and at which byte.
    Wrong(&'static str, usize),
    /// It may be right, but not here.
    Unsupported(String),
}

/// A pattern that can be looked for.
#[derive(Debug)]
pub struct Regex {
    options: Options,
    program: Vec<Inst>,
    sets: Vec<class::Set>,
    /// Whether a carriage return or a line feed was written in it.
    names_cr_or_lf: bool,
    /// How many captures it has, the whole not counted.
    pub groups: usize,
    /// How many places of the text a match remembers.
    slots: usize,
    /// Names of captures, in alphabetical order.
    pub names: Vec<(String, usize)>,
}

impl Regex {
    /// Understands a pattern.
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
