//! Decodes the compact term encoding of instruction arguments.

use super::Error;
use crate::term::{Term, number};
use num_bigint::BigInt;

/// An argument as it is written in the file.
#[derive(Clone, Debug)]
pub enum Arg {
    /// An untagged number.
    Unsigned(u64),
    /// An integer literal.
    Int(Term),
    /// An atom's index; 0 is `[]`.
    Atom(u32),
    /// An x register.
    X(u32),
    /// A stack slot.
    Y(u32),
    /// A label; 0 is none.
    Label(u32),
    /// A list of arguments.
    List(Vec<Arg>),
    /// A float register.
    Fr(u32),
    /// A heap allocation, which the interpreter ignores.
    Alloc,
    /// A literal's index.
    Literal(u32),
}

/// Reads arguments.
pub struct Args<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: u32,
}

fn corrupt<T>(what: &str) -> Result<T, Error> {
    Err(Error(format!("not a usable .beam file: {what}")))
}

enum Number {
    Small(u64),
    Big(Term),
}

impl Number {
    fn small(self) -> Result<u64, Error> {
        match self {
            Number::Small(n) => Ok(n),
            Number::Big(_) => corrupt("a number out of range"),
        }
    }
    fn narrow(self) -> Result<u32, Error> {
        u32::try_from(self.small()?).or_else(|_| corrupt("a number out of range"))
    }
}

impl<'a> Args<'a> {
    /// A reader at the beginning of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Args<'a> {
        Args { bytes, at: 0, depth: 0 }
    }
    /// The bytes that are not read yet.
    pub fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }
    /// The next raw byte.
    pub fn byte(&mut self) -> Result<u8, Error> {
        match self.bytes.get(self.at) {
            Some(b) => {
                self.at += 1;
                Ok(*b)
            }
            None => corrupt("truncated"),
        }
    }
    fn number(&mut self, first: u8, signed: bool) -> Result<Number, Error> {
        if first & 0x08 == 0 {
            return Ok(Number::Small((first >> 4) as u64));
        }
        if first & 0x10 == 0 {
            return Ok(Number::Small(((first as u64 & 0xe0) << 3) | self.byte()? as u64));
        }
        let len = match first >> 5 {
            7 => {
                let tag = self.byte()?;
                let extra = self.number(tag, false)?.narrow()? as usize;
                extra.saturating_add(9)
            }
            n => n as usize + 2,
        };
        let Some(bytes) = self.bytes.get(self.at..self.at.saturating_add(len)) else {
            return corrupt("truncated");
        };
        self.at += len;
        let value = if signed {
            number::of_big(BigInt::from_signed_bytes_be(bytes))
        } else {
            number::of_big(BigInt::from_bytes_be(num_bigint::Sign::Plus, bytes))
        };
        match value {
            Term::Int(n) if n >= 0 => Ok(Number::Small(n as u64)),
            other => Ok(Number::Big(other)),
        }
    }
    /// The next argument.
    pub fn next(&mut self) -> Result<Arg, Error> {
        self.depth += 1;
        if self.depth > 8 {
            return corrupt("nested too deeply");
        }
        let arg = self.inner();
        self.depth -= 1;
        arg
    }
    fn inner(&mut self) -> Result<Arg, Error> {
        let first = self.byte()?;
        Ok(match first & 7 {
            0 => Arg::Unsigned(self.number(first, false)?.small()?),
            1 => match self.number(first, true)? {
                Number::Small(n) => Arg::Int(number::of_u64(n)),
                Number::Big(t) => Arg::Int(t),
            },
            2 => Arg::Atom(self.number(first, false)?.narrow()?),
            3 => Arg::X(self.register(first)?),
            4 => Arg::Y(self.register(first)?),
            5 => Arg::Label(self.number(first, false)?.narrow()?),
            6 => Arg::Unsigned(self.number(first, false)?.small()?),
            _ => match first >> 4 {
                1 => {
                    let n = self.count()?;
                    Arg::List((0..n).map(|_| self.next()).collect::<Result<_, _>>()?)
                }
                2 => {
                    let tag = self.byte()?;
                    Arg::Fr(self.number(tag, false)?.narrow()?.min(1023))
                }
                3 => {
                    for _ in 0..self.count()? {
                        self.next()?;
                        self.next()?;
                    }
                    Arg::Alloc
                }
                4 => {
                    let tag = self.byte()?;
                    Arg::Literal(self.number(tag, false)?.narrow()?)
                }
                5 => {
                    // A register with a type hint; the hint is not needed.
                    let register = self.next()?;
                    self.next()?;
                    register
                }
                _ => return corrupt("an unknown kind of argument"),
            },
        })
    }
    fn register(&mut self, first: u8) -> Result<u32, Error> {
        let n = self.number(first, false)?.narrow()?;
        if n < 1024 { Ok(n) } else { corrupt("a register out of range") }
    }
    fn count(&mut self) -> Result<usize, Error> {
        let tag = self.byte()?;
        let n = self.number(tag, false)?.narrow()? as usize;
        if n > self.bytes.len() - self.at { corrupt("truncated") } else { Ok(n) }
    }
}
