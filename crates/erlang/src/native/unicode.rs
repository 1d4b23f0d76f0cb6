//! The `unicode` module's natives: character data to binaries and lists.

use super::Native;
use crate::run::{Raise, Res, Runner};
use crate::term::{Atom, Term, known};

type R<'a, 'b> = &'a mut Runner<'b>;

/// How bytes in binaries are to be read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Latin1,
    Utf8,
}

fn encoding(t: &Term) -> Result<Encoding, Raise> {
    match t.as_atom().map(Atom::text) {
        Some("latin1") => Ok(Encoding::Latin1),
        Some("utf8" | "unicode") => Ok(Encoding::Utf8),
        _ => Err(Raise::badarg()),
    }
}

/// What went wrong, and what was not read.
enum Trouble {
    Error(Term),
    Incomplete(Term),
    Bad,
}

fn collect(t: &Term, encoding: Encoding, out: &mut Vec<char>) -> Result<(), Trouble> {
    let character = |n: i64| match encoding {
        Encoding::Latin1 => u8::try_from(n).ok().map(char::from),
        Encoding::Utf8 => u32::try_from(n).ok().and_then(char::from_u32),
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
