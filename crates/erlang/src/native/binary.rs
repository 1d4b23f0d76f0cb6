//! The `binary` module's natives.

use super::Native;
use crate::run::{Raise, Res, Runner};
use crate::term::{Atom, Term, number};
use num_bigint::{BigInt, Sign};
use num_traits::Signed;
use std::rc::Rc;

type R<'a, 'b> = &'a mut Runner<'b>;

fn bad() -> Raise {
    Raise::badarg()
}

fn bytes(t: &Term) -> Result<Vec<u8>, Raise> {
    t.as_bytes().ok_or_else(bad)
}

/// A pattern or a list of patterns; a compiled pattern holds its source.
fn patterns(t: &Term) -> Result<Vec<Vec<u8>>, Raise> {
    let list = match t {
        Term::Tuple(compiled) if compiled.len() == 2 && compiled[0].is_atom(Atom::new("bm")) => {
            return patterns(&compiled[1]);
        }
        Term::Bits(_) => vec![bytes(t)?],
        _ => t.to_vec().ok_or_else(bad)?.iter().map(bytes).collect::<Result<_, _>>()?,
    };
    if list.is_empty() || list.iter().any(Vec::is_empty) { Err(bad()) } else { Ok(list) }
}

fn compile(_: R, a: &[Term]) -> Res {
    patterns(&a[0])?;
    Ok(Term::tagged(Atom::new("bm"), a[0].clone()))
}

/// The part that is searched: the `scope` option.
fn scope(len: usize, options: Option<&Term>) -> Result<(usize, usize), Raise> {
    let Some(options) = options else { return Ok((0, len)) };
    let mut scope = (0, len);
    for option in options.to_vec().ok_or_else(bad)? {
        match option.as_tuple() {
            Some([key, part]) if key.is_atom(Atom::new("scope")) => match part.as_tuple() {
                Some([from, size]) => {
                    let (from, size) = (from.as_int().ok_or_else(bad)?, size.as_int().ok_or_else(bad)?);
                    let (from, size) = if size < 0 { (from + size, -size) } else { (from, size) };
                    let from = usize::try_from(from).map_err(|_| bad())?;
                    let end = from + size as usize;
                    if end > len {
                        return Err(bad());
                    }
                    scope = (from, end);
                }
                _ => return Err(bad()),
            },
            _ => return Err(bad()),
        }
    }
    Ok(scope)
}

/// The first match at or after `from`: the leftmost, and of those the longest.
fn first(text: &[u8], patterns: &[Vec<u8>], from: usize, end: usize) -> Option<(usize, usize)> {
    (from..end).find_map(|at| {
        let longest = patterns.iter().filter(|p| text[at..end].starts_with(p)).map(Vec::len).max()?;
        Some((at, longest))
    })
}

fn found((at, len): (usize, usize)) -> Term {
    Term::tuple([Term::from(at), Term::from(len)])
}

fn match_(_: R, a: &[Term]) -> Res {
    let (text, patterns) = (bytes(&a[0])?, patterns(&a[1])?);
    let (from, end) = scope(text.len(), a.get(2))?;
    Ok(first(&text, &patterns, from, end).map_or(Term::atom("nomatch"), found))
}

fn all(text: &[u8], patterns: &[Vec<u8>], from: usize, end: usize) -> Vec<(usize, usize)> {
    let (mut at, mut matches) = (from, Vec::new());
    while let Some((start, len)) = first(text, patterns, at, end) {
        matches.push((start, len));
        at = start + len;
    }
    matches
}

fn matches(_: R, a: &[Term]) -> Res {
    let (text, patterns) = (bytes(&a[0])?, patterns(&a[1])?);
    let (from, end) = scope(text.len(), a.get(2))?;
    Ok(Term::list(all(&text, &patterns, from, end).into_iter().map(found).collect::<Vec<_>>()))
}

fn split(_: R, a: &[Term]) -> Res {
    let (text, patterns) = (bytes(&a[0])?, patterns(&a[1])?);
    let bits = a[0].as_bits().ok_or_else(bad)?;
    let (mut global, mut trim, mut trim_all, mut scoped) = (false, false, false, Vec::new());
    for option in a.get(2).map_or(Some(Vec::new()), Term::to_vec).ok_or_else(bad)? {
        match option.as_atom().map(Atom::text) {
            Some("global") => global = true,
            Some("trim") => trim = true,
            Some("trim_all") => trim_all = true,
            Some(_) => return Err(bad()),
            None => scoped.push(option),
        }
    }
    let (from, end) = scope(text.len(), Some(&Term::list(scoped)))?;
    let mut cuts = all(&text, &patterns, from, end);
    if !global {
        cuts.truncate(1);
    }
    let (mut parts, mut at) = (Vec::new(), 0);
    for (start, len) in cuts {
        parts.push((at, start));
        at = start + len;
    }
    parts.push((at, text.len()));
    if trim || trim_all {
        while parts.last().is_some_and(|(from, to)| from == to) {
            parts.pop();
        }
    }
    if trim_all {
        parts.retain(|(from, to)| from != to);
    }
    let part = |(from, to): (usize, usize)| Term::Bits(Rc::new(bits.part(from * 8, (to - from) * 8)));
    Ok(Term::list(parts.into_iter().map(part).collect::<Vec<_>>()))
}

fn little(t: Option<&Term>) -> Result<bool, Raise> {
    match t.and_then(Term::as_atom).map(Atom::text) {
        None if t.is_none() => Ok(false),
        Some("big") => Ok(false),
        Some("little") => Ok(true),
        _ => Err(bad()),
    }
}

fn decode_unsigned(_: R, a: &[Term]) -> Res {
    let (bytes, little) = (bytes(&a[0])?, little(a.get(1))?);
    let n = if little {
        BigInt::from_bytes_le(Sign::Plus, &bytes)
    } else {
        BigInt::from_bytes_be(Sign::Plus, &bytes)
    };
    Ok(number::of_big(n))
}

fn encode_unsigned(_: R, a: &[Term]) -> Res {
    let (n, little) = (number::big(&a[0]).filter(|n| !n.is_negative()).ok_or_else(bad)?, little(a.get(1))?);
    Ok(Term::binary(if little { n.to_bytes_le().1 } else { n.to_bytes_be().1 }))
}

fn copy(r: R, a: &[Term]) -> Res {
    let times = a.get(1).map_or(Some(1), Term::as_usize).ok_or_else(bad)?;
    let bytes = bytes(&a[0])?;
    if !r.env.settings.has_room(bytes.len().saturating_mul(times) as u64) {
        return Err(Raise::TooLarge);
    }
    Ok(Term::binary(bytes.repeat(times)))
}

fn common(a: &[Term], suffix: bool) -> Res {
    let list: Vec<Vec<u8>> = a[0].to_vec().ok_or_else(bad)?.iter().map(bytes).collect::<Result<_, _>>()?;
    let Some(shortest) = list.iter().map(Vec::len).min() else { return Err(bad()) };
    let at = |b: &Vec<u8>, i: usize| if suffix { b[b.len() - 1 - i] } else { b[i] };
    let n = (0..shortest).take_while(|i| list.iter().all(|b| at(b, *i) == at(&list[0], *i))).count();
    Ok(Term::from(n))
}

const B: &str = "binary";

pub static TABLE: &[Native] = &[
    Native::local(B, "at", 2, |_, a| {
        let bytes = bytes(&a[0])?;
        a[1].as_usize().and_then(|n| bytes.get(n)).map(|b| Term::Int(*b as i64)).ok_or_else(bad)
    }),
    Native::local(B, "first", 1, |_, a| bytes(&a[0])?.first().map(|b| Term::Int(*b as i64)).ok_or_else(bad)),
    Native::local(B, "last", 1, |_, a| bytes(&a[0])?.last().map(|b| Term::Int(*b as i64)).ok_or_else(bad)),
    Native::local(B, "copy", 1, copy),
    Native::local(B, "copy", 2, copy),
    Native::local(B, "compile_pattern", 1, compile),
    Native::local(B, "match", 2, match_),
    Native::local(B, "match", 3, match_),
    Native::local(B, "matches", 2, matches),
    Native::local(B, "matches", 3, matches),
    Native::local(B, "split", 2, split),
    Native::local(B, "split", 3, split),
    Native::local(B, "decode_unsigned", 1, decode_unsigned),
    Native::local(B, "decode_unsigned", 2, decode_unsigned),
    Native::local(B, "encode_unsigned", 1, encode_unsigned),
    Native::local(B, "encode_unsigned", 2, encode_unsigned),
    Native::local(B, "longest_common_prefix", 1, |_, a| common(a, false)),
    Native::local(B, "longest_common_suffix", 1, |_, a| common(a, true)),
    Native::local(B, "referenced_byte_size", 1, |_, a| Ok(Term::from(bytes(&a[0])?.len()))),
];
