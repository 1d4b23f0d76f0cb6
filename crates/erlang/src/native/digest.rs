//! Incremental digests, combined checksums, and packets of a stream.

use super::{Native, md5};
use crate::run::{Raise, Res, Runner};
use crate::term::{Atom, Term, known};
use std::rc::Rc;

type R<'a, 'b> = &'a mut Runner<'b>;

fn bad() -> Raise {
    Raise::badarg()
}

/// An incomplete digest holds all its input.
const BEGUN: &[u8] = b"md5 of ";

fn update(_: R, a: &[Term]) -> Res {
    let begun = a[0].as_bytes().filter(|b| b.starts_with(BEGUN)).ok_or_else(bad)?;
    Ok(Term::binary([begun, a[1].iolist_bytes().ok_or_else(bad)?].concat()))
}

fn finish(_: R, a: &[Term]) -> Res {
    let begun = a[0].as_bytes().ok_or_else(bad)?;
    Ok(Term::binary(md5::of(begun.strip_prefix(BEGUN).ok_or_else(bad)?).to_vec()))
}

fn three(a: &[Term]) -> Result<(u32, u32, u64), Raise> {
    let sum = |t: &Term| t.as_int().and_then(|n| u32::try_from(n).ok()).ok_or_else(bad);
    let len = a[2].as_int().and_then(|n| u64::try_from(n).ok()).ok_or_else(bad)?;
    Ok((sum(&a[0])?, sum(&a[1])?, len))
}

/// A linear map of 32 bits: the image of each bit.
type Map = [u32; 32];

fn apply(map: &Map, value: u32) -> u32 {
    (0..32).filter(|bit| value >> bit & 1 == 1).fold(0, |sum, bit| sum ^ map[bit])
}

/// The checksum after `len` zero bytes, by doubling.
fn after_zeros(crc: u32, mut len: u64) -> u32 {
    let mut map: Map = std::array::from_fn(|bit| {
        (0..8).fold(1 << bit, |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
    });
    let mut crc = crc;
    while len > 0 {
        if len & 1 == 1 {
            crc = apply(&map, crc);
        }
        map = std::array::from_fn(|bit| apply(&map, map[bit]));
        len >>= 1;
    }
    crc
}

fn crc32_combine(_: R, a: &[Term]) -> Res {
    let (first, second, len) = three(a)?;
    Ok(Term::Int((after_zeros(first, len) ^ second) as i64))
}

fn adler32_combine(_: R, a: &[Term]) -> Res {
    const BASE: u64 = 65521;
    let (first, second, len) = three(a)?;
    let halves = |sum: u32| (sum as u64 & 0xffff, sum as u64 >> 16);
    let ((a1, b1), (a2, b2)) = (halves(first), halves(second));
    let len = len % BASE;
    let low = (a1 + a2 + BASE - 1) % BASE;
    let high = (len * a1 + b1 + b2 + BASE - len) % BASE;
    Ok(Term::Int((high << 16 | low) as i64))
}

/// `erlang:decode_packet(Type, Bin, [])` for packets with a length prefix, and for lines.
fn decode_packet(_: R, a: &[Term]) -> Res {
    let bytes = a[1].as_bytes().ok_or_else(bad)?;
    let bits = a[1].as_bits().ok_or_else(bad)?;
    if !matches!(a[2], Term::Nil) {
        return Err(Raise::unsupported("erlang:decode_packet/3 with options is not supported"));
    }
    let part = |from: usize, to: usize| Term::Bits(Rc::new(bits.part(from * 8, (to - from) * 8)));
    let packet = |from: usize, to: usize| {
        Ok(Term::tuple([Term::Atom(known::OK), part(from, to), part(to, bytes.len())]))
    };
    let more = |len: Option<usize>| {
        let len = len.map_or(Term::Atom(known::UNDEFINED), Term::from);
        Ok(Term::tagged(Atom::new("more"), len))
    };
    let header = match &a[0] {
        Term::Int(n @ (0 | 1 | 2 | 4)) => *n as usize,
        Term::Atom(kind) => match kind.text() {
            "raw" => 0,
            "line" => {
                return match bytes.iter().position(|b| *b == b'\n') {
                    Some(at) => packet(0, at + 1),
                    None => more(None),
                };
            }
            other => {
                return Err(Raise::unsupported(format!(
                    "erlang:decode_packet({other}, ...) is not supported"
                )));
            }
        },
        _ => return Err(bad()),
    };
    if header == 0 {
        return if bytes.is_empty() { more(None) } else { packet(0, bytes.len()) };
    }
    let Some(length) = bytes.get(..header) else { return more(None) };
    let end = header + length.iter().fold(0, |n, b| n << 8 | *b as usize);
    if end > bytes.len() { more(Some(end)) } else { packet(header, end) }
}

const E: &str = "erlang";

pub static TABLE: &[Native] = &[
    Native::local(E, "md5_init", 0, |_, _| Ok(Term::binary(BEGUN))),
    Native::local(E, "md5_update", 2, update),
    Native::local(E, "md5_final", 1, finish),
    Native::local(E, "crc32_combine", 3, crc32_combine),
    Native::local(E, "adler32_combine", 3, adler32_combine),
    Native::local(E, "decode_packet", 3, decode_packet),
];
