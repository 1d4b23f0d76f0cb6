//! Loads `.beam` files: their chunks, and instructions that the interpreter can run. A truncated or corrupt
//! file gives an [`Error`], never a panic. An unsupported instruction fails when it is executed, not when it
//! is loaded.

mod chunks;
mod compact;
mod decode;
mod instr;

pub use chunks::{encoded_names, executed, load};
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
    /// Its arity.
    pub arity: u32,
}

impl Mfa {
    /// The name from three strings.
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

/// A function of another module, with its target once it was resolved.
pub struct Import {
    /// Its name.
    pub mfa: Mfa,
    /// Filled by the first call.
    pub target: OnceCell<crate::code::Target>,
}

/// An entry of the fun table.
#[derive(Clone, Debug)]
pub struct Lambda {
    /// The function that implements it.
    pub function: Atom,
    /// The arity of that function, free variables included.
    pub arity: u32,
    /// Its entry address.
    pub entry: u32,
    /// The number of free variables.
    pub free: u32,
    /// The hash of the fun.
    pub old_uniq: u32,
}

/// A line of the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    /// An index into [`Module::files`].
    pub file: u32,
    /// From 1; 0 if unknown.
    pub line: u32,
}

/// A function's position in the code.
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
    /// The MD5 of its code.
    pub md5: [u8; 16],
    /// The entry addresses of exported functions.
    pub exports: HashMap<(Atom, u32), u32>,
    /// The entry addresses of all functions.
    pub locals: HashMap<(Atom, u32), u32>,
    /// Functions of other modules that it calls.
    pub imports: Vec<Import>,
    /// Its funs.
    pub lambdas: Vec<Lambda>,
    /// Its instructions.
    pub code: Vec<Instr>,
    /// Its functions, by ascending start.
    pub functions: Vec<Function>,
    /// The source line that holds from an instruction on.
    pub lines: Vec<(u32, Line)>,
    /// The source files.
    pub files: Vec<String>,
    /// Its attributes, a list of pairs.
    pub attributes: Term,
    /// The compiler's own information, a list of pairs.
    pub compile_info: Term,
    /// A function is called when it is loaded.
    pub has_on_load: bool,
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
