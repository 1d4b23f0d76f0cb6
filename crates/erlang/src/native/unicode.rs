//! The `unicode` module's natives: character data to binaries and lists.

use super::Native;
use crate::run::{Raise, Res, Runner};
use crate::term::{Atom, Term, known};

type R<'a, 'b> = &'a mut Runner<'b>;

/// The encoding of binaries.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Latin1,
    Utf8,
    /// Two bytes or four; whether little-endian.
    Utf16(bool),
    Utf32(bool),
}

fn encoding(t: &Term) -> Result<Encoding, Raise> {
    match t.as_atom().map(Atom::text) {
        Some("latin1") => Ok(Encoding::Latin1),
        Some("utf8" | "unicode") => Ok(Encoding::Utf8),
        Some("utf16") => Ok(Encoding::Utf16(false)),
        Some("utf32") => Ok(Encoding::Utf32(false)),
        Some(_) => Err(Raise::badarg()),
        None => match t.as_tuple() {
            Some([name, order]) => {
                let little = match order.as_atom().map(Atom::text) {
                    Some("little") => true,
                    Some("big") => false,
                    _ => return Err(Raise::badarg()),
                };
                match name.as_atom().map(Atom::text) {
                    Some("utf16") => Ok(Encoding::Utf16(little)),
                    Some("utf32") => Ok(Encoding::Utf32(little)),
                    _ => Err(Raise::badarg()),
                }
            }
            _ => Err(Raise::badarg()),
        },
    }
}

/// The error, with the data that was not decoded.
enum Trouble {
    Error(Term),
    Incomplete(Term),
    Bad,
}

/// How the decoding of a binary ended.
enum End {
    Whole,
    Wrong,
    Short,
}

/// Decodes UTF-16 or UTF-32; says how many bytes were read.
fn wide(bytes: &[u8], encoding: Encoding, out: &mut Vec<char>) -> (usize, End) {
    let (size, little) = match encoding {
        Encoding::Utf32(little) => (4, little),
        Encoding::Utf16(little) => (2, little),
        Encoding::Latin1 | Encoding::Utf8 => (1, false),
    };
    let unit = |at: usize| {
        let part = bytes.get(at..at + size)?;
        let add = |n: u32, b: &u8| n << 8 | *b as u32;
        Some(if little { part.iter().rev().fold(0, add) } else { part.iter().fold(0, add) })
    };
    let mut at = 0;
    while at < bytes.len() {
        let Some(first) = unit(at) else { return (at, End::Short) };
        let (code, len) = match (size, first) {
            (2, 0xd800..0xdc00) => match unit(at + 2) {
                Some(low @ 0xdc00..0xe000) => (0x10000 + ((first - 0xd800) << 10) + (low - 0xdc00), 4),
                Some(_) => return (at, End::Wrong),
                None => return (at, End::Short),
            },
            _ => (first, size),
        };
        match char::from_u32(code) {
            Some(c) => out.push(c),
            None => return (at, End::Wrong),
        }
        at += len;
    }
    (at, End::Whole)
}

fn collect(t: &Term, encoding: Encoding, out: &mut Vec<char>) -> Result<(), Trouble> {
    let character = |n: i64| match encoding {
        Encoding::Latin1 => u8::try_from(n).ok().map(char::from),
        _ => u32::try_from(n).ok().and_then(char::from_u32),
    };
    let mut at = t.clone();
    loop {
        match &at {
            Term::Nil => return Ok(()),
            Term::Bits(bits) => {
                let Some(bytes) = at.as_bytes() else { return Err(Trouble::Bad) };
                if encoding == Encoding::Latin1 {
                    out.extend(bytes.iter().map(|b| *b as char));
                    return Ok(());
                }
                if encoding != Encoding::Utf8 {
                    let (good, end) = wide(&bytes, encoding, out);
                    let rest = || Term::Bits(std::rc::Rc::new(bits.part(good * 8, bits.len() - good * 8)));
                    return match end {
                        End::Whole => Ok(()),
                        End::Wrong => Err(Trouble::Error(rest())),
                        End::Short => Err(Trouble::Incomplete(rest())),
                    };
                }
                return match std::str::from_utf8(&bytes) {
                    Ok(text) => {
                        out.extend(text.chars());
                        Ok(())
                    }
                    Err(e) => {
                        let good = e.valid_up_to();
                        out.extend(std::str::from_utf8(&bytes[..good]).unwrap_or("").chars());
                        let rest = Term::Bits(std::rc::Rc::new(bits.part(good * 8, bits.len() - good * 8)));
                        Err(if e.error_len().is_none() {
                            Trouble::Incomplete(rest)
                        } else {
                            Trouble::Error(rest)
                        })
                    }
                };
            }
            Term::Cons(cell) => {
                match &cell.head {
                    Term::Int(n) => match character(*n) {
                        Some(c) => out.push(c),
                        None => return Err(Trouble::Error(at.clone())),
                    },
                    nested @ (Term::Nil | Term::Cons(_) | Term::Bits(_)) => {
                        collect(nested, encoding, out).map_err(|e| match e {
                            Trouble::Error(rest) => Trouble::Error(Term::cons(rest, cell.tail.clone())),
                            Trouble::Incomplete(rest) => {
                                Trouble::Incomplete(Term::cons(rest, cell.tail.clone()))
                            }
                            Trouble::Bad => Trouble::Bad,
                        })?;
                    }
                    _ => return Err(Trouble::Bad),
                }
                let next = cell.tail.clone();
                at = next;
            }
            _ => return Err(Trouble::Bad),
        }
    }
}

/// Character data as UTF-8; none if the term is not character data.
pub(super) fn utf8(t: &Term) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    collect(t, Encoding::Utf8, &mut out).ok()?;
    Some(out.into_iter().collect::<String>().into_bytes())
}

fn finish(result: Result<(), Trouble>, done: Term) -> Res {
    match result {
        Ok(()) => Ok(done),
        Err(Trouble::Error(rest)) => Ok(Term::tuple([Term::Atom(known::ERROR), done, rest])),
        Err(Trouble::Incomplete(rest)) => Ok(Term::tuple([Term::atom("incomplete"), done, rest])),
        Err(Trouble::Bad) => Err(Raise::badarg()),
    }
}

fn to_list(_: R, a: &[Term]) -> Res {
    let mut out = Vec::new();
    let result = collect(&a[0], encoding(&a[1])?, &mut out);
    finish(result, Term::list(out.into_iter().map(|c| Term::Int(c as i64)).collect::<Vec<_>>()))
}

fn to_binary(_: R, a: &[Term]) -> Res {
    let mut out = Vec::new();
    let result = collect(&a[0], encoding(&a[1])?, &mut out);
    finish(result, Term::binary(out.into_iter().collect::<String>().into_bytes()))
}

pub static TABLE: &[Native] = &[
    Native::local("unicode", "characters_to_list", 2, to_list),
    Native::local("unicode", "characters_to_binary", 2, to_binary),
    Native::local("unicode", "bin_is_7bit", 1, |_, a| {
        Ok(Term::bool(a[0].as_bytes().is_some_and(|b| b.is_ascii())))
    }),
];
