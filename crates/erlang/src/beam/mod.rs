//! `.beam` files: what is in them, and instructions that the interpreter can run.
//!
//! A truncated or corrupt file gives an [`Error`], never a panic. What this interpreter does not know gives
//! an instruction that fails when it is reached, not when it is loaded.

mod chunks;
mod compact;
mod decode;
mod instr;

pub use chunks::load;
pub use decode::OPCODES;
pub use instr::{
    BinPart, BinType, CreateBin, Dst, Flags, Get, Instr, Match, MatchOp, Size, Src, Test1, Test2,
};

use crate::term::{Atom, Term};
use std::cell::OnceCell;
use std::collections::HashMap;
use std::fmt;

/// Why a file cannot be loaded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error(pub String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
impl std::error::Error for Error {}

/// A function's full name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mfa {
    /// Its module.
    pub module: Atom,
    /// Its name.
    pub function: Atom,
    /// How many arguments it takes.
    pub arity: u32,
}

impl Mfa {
    /// From texts.
    pub fn new(module: &str, function: &str, arity: u32) -> Mfa {
        Mfa { module: Atom::new(module), function: Atom::new(function), arity }
    }
}

impl fmt::Display for Mfa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}/{}", self.module, self.function, self.arity)
    }
}
impl fmt::Debug for Mfa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A function of another module, and where it was found when somebody called it.
pub struct Import {
    /// Its name.
    pub mfa: Mfa,
    /// Filled by the first call.
    pub target: OnceCell<crate::code::Target>,
}

/// A fun's code.
#[derive(Clone, Debug)]
pub struct Lambda {
    /// The function that does the work.
    pub function: Atom,
    /// The number of arguments of that function, free variables included.
    pub arity: u32,
    /// Where it starts.
    pub entry: u32,
    /// How many values it closes over.
    pub free: u32,
    /// A fingerprint of the fun.
    pub old_uniq: u32,
}

/// A line of the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    /// An index into [`Module::files`].
    pub file: u32,
    /// From 1; 0 is unknown.
    pub line: u32,
}

/// A function's place in the code.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Its first instruction, which is its `func_info`.
    pub start: u32,
    /// Its name.
    pub mfa: Mfa,
}

/// A loaded module.
pub struct Module {
    /// Its name.
    pub name: Atom,
    /// A fingerprint of its code.
    pub md5: [u8; 16],
    /// Where exported functions start.
    pub exports: HashMap<(Atom, u32), u32>,
    /// Where all functions start, exported or not.
    pub locals: HashMap<(Atom, u32), u32>,
    /// Functions of other modules that it calls.
    pub imports: Vec<Import>,
    /// Its funs.
    pub lambdas: Vec<Lambda>,
    /// Its instructions.
    pub code: Vec<Instr>,
    /// Its functions, by ascending start.
    pub functions: Vec<Function>,
    /// For instructions from this one on: the line.
    pub lines: Vec<(u32, Line)>,
    /// The source files.
    pub files: Vec<String>,
    /// Its attributes, a list of pairs.
    pub attributes: Term,
    /// What the compiler said about itself, a list of pairs.
    pub compile_info: Term,
}

impl Module {
    /// The function that an instruction belongs to.
    pub fn function_at(&self, pc: u32) -> Option<Mfa> {
        let after = self.functions.partition_point(|f| f.start <= pc);
        after.checked_sub(1).map(|i| self.functions[i].mfa)
    }
    /// The source line of an instruction: the last line instruction before it in its function.
    pub fn line_at(&self, pc: u32) -> Option<(&str, u32)> {
        let after = self.lines.partition_point(|(start, _)| *start <= pc);
        let (start, line) = self.lines[after.checked_sub(1)?];
        let f = self.functions.partition_point(|f| f.start <= pc);
        if f.checked_sub(1).is_some_and(|i| self.functions[i].start > start) || line.line == 0 {
            return None;
        }
        self.files.get(line.file as usize).map(|file| (file.as_str(), line.line))
    }
}
