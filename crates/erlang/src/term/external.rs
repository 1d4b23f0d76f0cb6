//! Erlang's external term format, both ways: literals of `.beam` files, `term_to_binary`, `binary_to_term`.
//! Pids, references and funs of the program are logical names, so they have private tags; those of other
//! nodes are refused.

use super::{Atom, Bits, Fun, Map, Pid, Ref, Term, TooLarge, number};
use num_bigint::{BigInt, Sign};
use std::rc::Rc;

/// Why bytes are no term.
pub type Error = &'static str;

/// The deepest term of a file: no compiler writes deeper ones, and corrupt files may.
const DEEPEST_IN_FILES: usize = 5_000;

/// The deepest term at all: deeper ones might not fit on the stack.
const DEEPEST: usize = 1_000_000;

/// The error of a term that is too deep.
pub const TOO_DEEP: Error = "nested too deeply";

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
    deepest: usize,
}

/// Decodes one term of a file with its version byte, compressed or not. Says how many bytes it took.
pub fn decode(bytes: &[u8]) -> Result<(Term, usize), Error> {
    decode_within(bytes, DEEPEST_IN_FILES)
}

/// The same for a term that a program has encoded.
pub fn decode_own(bytes: &[u8]) -> Result<(Term, usize), Error> {
    decode_within(bytes, DEEPEST)
}

fn decode_within(bytes: &[u8], deepest: usize) -> Result<(Term, usize), Error> {
    match bytes {
        [131, 80, size @ ..] => {
            let [a, b, c, d, packed @ ..] = size else { return Err("truncated") };
            let size = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
            let unpacked = inflate(packed, size)?;
            let mut reader = Reader { bytes: &unpacked, at: 0, depth: 0, deepest };
            Ok((reader.term()?, bytes.len()))
        }
        [131, rest @ ..] => {
            let mut reader = Reader { bytes: rest, at: 0, depth: 0, deepest };
            let term = reader.term()?;
            Ok((term, reader.at + 1))
        }
        _ => Err("not in the external term format"),
    }
}

/// The compressed form of an encoded term, if it is shorter.
pub fn compressed(plain: Vec<u8>, level: u8) -> Vec<u8> {
    let inner = &plain[1..];
    let packed = match (level, u32::try_from(inner.len())) {
        (1.., Ok(size)) => {
            let mut packed = vec![131, 80];
            packed.extend(size.to_be_bytes());
            packed.extend(miniz_oxide::deflate::compress_to_vec_zlib(inner, level));
            packed
        }
        _ => return plain,
    };
    if packed.len() < plain.len() { packed } else { plain }
}

/// Inflates zlib data to `size` bytes.
pub fn inflate(packed: &[u8], size: usize) -> Result<Vec<u8>, Error> {
    const LARGEST: usize = 1 << 30;
    if size > LARGEST {
        return Err("too large");
    }
    let limit = size.max(1);
    let unpacked = miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(packed, limit);
    let unpacked = unpacked.map_err(|_| "corrupt compressed data")?;
    if unpacked.len() == size { Ok(unpacked) } else { Err("corrupt compressed data") }
}

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], Error> {
        let end = self.at.checked_add(n).filter(|end| *end <= self.bytes.len()).ok_or("truncated")?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }
    fn u8(&mut self) -> Result<u8, Error> {
        Ok(self.take(1)?[0])
    }
    fn u16(&mut self) -> Result<usize, Error> {
        let b = self.take(2)?;
        Ok(u16::from_be_bytes([b[0], b[1]]) as usize)
    }
    fn u32(&mut self) -> Result<u32, Error> {
        let b = self.take(4)?;
        Ok(u32::from_be_bytes([b[0], b[1], b[2], b[3]]))
    }
    /// A count of terms that follow: each takes at least a byte.
    fn count(&mut self, wide: bool) -> Result<usize, Error> {
        let n = if wide { self.u32()? as usize } else { self.u8()? as usize };
        if n > self.bytes.len() - self.at { Err("truncated") } else { Ok(n) }
    }
    fn text(&mut self, len: usize, latin1: bool) -> Result<Term, Error> {
        let bytes = self.take(len)?;
        let text = if latin1 {
            bytes.iter().map(|b| *b as char).collect()
        } else {
            std::str::from_utf8(bytes).map_err(|_| "an atom that is not UTF-8")?.to_owned()
        };
        if text.chars().count() > Atom::MAX_CHARACTERS {
            return Err("an atom that is too long");
        }
        Ok(Term::atom(&text))
    }
    fn big(&mut self, n: usize) -> Result<Term, Error> {
        let sign = if self.u8()? == 0 { Sign::Plus } else { Sign::Minus };
        Ok(number::of_big(BigInt::from_bytes_le(sign, self.take(n)?)))
    }
    fn atom(&mut self) -> Result<Atom, Error> {
        self.term()?.as_atom().ok_or("an atom is expected")
    }
    fn logical_pid(&mut self) -> Result<Pid, Error> {
        match self.term()? {
            Term::Pid(p) => Ok(p),
            _ => Err("a pid is expected"),
        }
    }
    fn terms(&mut self, n: usize) -> Result<Vec<Term>, Error> {
        (0..n).map(|_| self.term()).collect()
    }
    fn term(&mut self) -> Result<Term, Error> {
        self.depth += 1;
        if self.depth > self.deepest {
            return Err(TOO_DEEP);
        }
        let term = self.inner();
        self.depth -= 1;
        term
    }
    fn inner(&mut self) -> Result<Term, Error> {
        match self.u8()? {
            97 => Ok(Term::Int(self.u8()? as i64)),
            98 => Ok(Term::Int(self.u32()? as i32 as i64)),
            99 => {
                let text = std::str::from_utf8(self.take(31)?).map_err(|_| "not a float")?;
                let text = text.trim_end_matches('\0').trim();
                number::float(text.parse().map_err(|_| "not a float")?).map_err(|_| "not a finite float")
            }
            70 => {
                let b: [u8; 8] = self.take(8)?.try_into().expect("8 bytes");
                number::float(f64::from_be_bytes(b)).map_err(|_| "not a finite float")
            }
            100 => {
                let n = self.u16()?;
                self.text(n, true)
            }
            115 => {
                let n = self.u8()? as usize;
                self.text(n, true)
            }
            118 => {
                let n = self.u16()?;
                self.text(n, false)
            }
            119 => {
                let n = self.u8()? as usize;
                self.text(n, false)
            }
            104 => {
                let n = self.count(false)?;
                Ok(Term::tuple(self.terms(n)?))
            }
            105 => {
                let n = self.count(true)?;
                Ok(Term::tuple(self.terms(n)?))
            }
            106 => Ok(Term::Nil),
            107 => {
                let n = self.u16()?;
                let bytes = self.take(n)?;
                Ok(Term::list(bytes.iter().map(|b| Term::Int(*b as i64)).collect::<Vec<_>>()))
            }
            108 => {
                let n = self.count(true)?;
                let elements = self.terms(n)?;
                let tail = self.term()?;
                Ok(Term::list_onto(elements, tail))
            }
            109 => {
                let n = self.u32()? as usize;
                Ok(Term::binary(self.take(n)?))
            }
            77 => {
                let n = self.u32()? as usize;
                let last = self.u8()? as usize;
                if !(1..=8).contains(&last) || n == 0 {
                    return Err("a corrupt bitstring");
                }
                let bytes = self.take(n)?;
                Ok(Term::Bits(Rc::new(Bits::of_bits(bytes.into(), (n - 1) * 8 + last))))
            }
            110 => {
                let n = self.u8()? as usize;
                self.big(n)
            }
            111 => {
                let n = self.u32()? as usize;
                self.big(n)
            }
            116 => {
                let n = self.count(true)?;
                let mut entries = Vec::with_capacity(n);
                for _ in 0..n {
                    entries.push((self.term()?, self.term()?));
                }
                let map = Map::from_entries(entries);
                if map.len() == n { Ok(Term::map(map)) } else { Err("a map with equal keys") }
            }
            113 => {
                let (module, function) = (self.atom()?, self.atom()?);
                let arity = self.term()?.as_usize().filter(|a| *a <= 255).ok_or("a corrupt fun")? as u32;
                Ok(Term::Fun(Rc::new(Fun::Export { module, function, arity })))
            }
            112 => {
                self.u32()?;
                let arity = self.u8()? as u32;
                let uniq: [u8; 16] = self.take(16)?.try_into().expect("16 bytes");
                let index = self.u32()?;
                let free = self.u32()? as usize;
                let module = self.atom()?;
                self.term()?;
                let old_uniq = self.term()?.as_int().ok_or("a corrupt fun")? as u32;
                let creator = self.logical_pid()?;
                if free > self.bytes.len() - self.at {
                    return Err("truncated");
                }
                let free = self.terms(free)?;
                Ok(Term::Fun(Rc::new(Fun::Local { module, index, arity, uniq, old_uniq, free, creator })))
            }
            PID => {
                let n = self.u8()? as usize;
                let text = std::str::from_utf8(self.take(n)?).map_err(|_| "a corrupt pid")?;
                Pid::parse(text).map(Term::Pid).ok_or("a corrupt pid")
            }
            REF => {
                let number = self.u32()?;
                Ok(Term::Ref(Ref { maker: self.logical_pid()?, number }))
            }
            88 | 103 => Err("a pid of another node"),
            90 | 101 | 114 => Err("a reference of another node"),
            89 | 102 | 120 => Err("a port"),
            _ => Err("an unknown tag"),
        }
    }
}

/// Private tags for logical names, from the range that Erlang leaves free.
const PID: u8 = 200;
const REF: u8 = 201;

/// The encoding of atoms.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Atoms {
    /// Latin-1 where possible: the default up to OTP 25.
    #[default]
    Latin1,
    /// UTF-8: `{minor_version, 2}`, the default since OTP 26.
    Utf8,
}

/// The output of an encoder.
struct Out {
    bytes: Vec<u8>,
    atoms: Atoms,
    /// What is longer is not written to its end.
    most: usize,
}

impl std::ops::Deref for Out {
    type Target = Vec<u8>;
    fn deref(&self) -> &Vec<u8> {
        &self.bytes
    }
}
impl std::ops::DerefMut for Out {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }
}

/// Encodes a term with its version byte, as OTP 25 does.
pub fn encode(term: &Term) -> Vec<u8> {
    encode_with(term, Atoms::Latin1, usize::MAX).unwrap_or_default()
}

/// Encodes a term with its version byte; an error if that takes more than so many bytes.
pub fn encode_with(term: &Term, atoms: Atoms, most: usize) -> Result<Vec<u8>, TooLarge> {
    let mut out = Out { bytes: vec![131], atoms, most };
    write(term, &mut out);
    if out.len() > most { Err(TooLarge) } else { Ok(out.bytes) }
}

fn write_atom(a: Atom, out: &mut Out) {
    let text = a.text();
    if out.atoms == Atoms::Latin1 && text.chars().all(|c| (c as u32) < 256) {
        out.push(100);
        out.extend((text.chars().count() as u16).to_be_bytes());
        out.extend(text.chars().map(|c| c as u8));
    } else {
        let len = text.len();
        if len < 256 {
            out.extend([119, len as u8]);
        } else {
            out.push(118);
            out.extend((len as u16).to_be_bytes());
        }
        out.extend(text.as_bytes());
    }
}

fn write(term: &Term, out: &mut Out) {
    if out.len() > out.most {
        return;
    }
    match term {
        Term::Nil => out.push(106),
        Term::Int(n) => match (u8::try_from(*n), i32::try_from(*n)) {
            (Ok(n), _) => out.extend([97, n]),
            (_, Ok(n)) => {
                out.push(98);
                out.extend(n.to_be_bytes());
            }
            _ => write_big(term, out),
        },
        Term::Big(_) => write_big(term, out),
        Term::Float(f) => {
            out.push(70);
            out.extend(f.to_be_bytes());
        }
        Term::Atom(a) => write_atom(*a, out),
        Term::Cons(_) => write_list(term, out),
        Term::Tuple(elements) => {
            match u8::try_from(elements.len()) {
                Ok(n) => out.extend([104, n]),
                Err(_) => {
                    out.push(105);
                    out.extend((elements.len() as u32).to_be_bytes());
                }
            }
            elements.iter().for_each(|t| write(t, out));
        }
        Term::Map(map) => {
            out.push(116);
            out.extend((map.len() as u32).to_be_bytes());
            for (key, value) in map.entries() {
                write(key, out);
                write(value, out);
            }
        }
        Term::Bits(bits) => {
            let bytes = bits.to_bytes();
            if bits.is_binary() {
                out.push(109);
                out.extend((bytes.len() as u32).to_be_bytes());
            } else {
                out.push(77);
                out.extend((bytes.len() as u32).to_be_bytes());
                out.push((bits.len() % 8) as u8);
            }
            out.extend(bytes);
        }
        Term::Fun(fun) => write_fun(fun, out),
        Term::Pid(pid) => {
            let text = pid.to_string();
            out.extend([PID, text.len() as u8]);
            out.extend(text.as_bytes());
        }
        Term::Ref(r) => {
            out.push(REF);
            out.extend(r.number.to_be_bytes());
            write(&Term::Pid(r.maker), out);
        }
        Term::Context(_) | Term::Catch(..) => unreachable!("not a value of the program"),
    }
}

fn write_big(term: &Term, out: &mut Out) {
    let (negative, bytes) = number::to_sign_bytes(term).expect("an integer");
    match u8::try_from(bytes.len()) {
        Ok(n) => out.extend([110, n]),
        Err(_) => {
            out.push(111);
            out.extend((bytes.len() as u32).to_be_bytes());
        }
    }
    out.push(negative as u8);
    out.extend(bytes);
}

fn write_list(term: &Term, out: &mut Out) {
    let mut iter = term.iter();
    let elements: Vec<&Term> = iter.by_ref().collect();
    let proper = matches!(iter.rest(), Term::Nil);
    let byte = |t: &&Term| t.as_int().and_then(|n| u8::try_from(n).ok());
    let bytes: Option<Vec<u8>> = elements.iter().map(byte).collect();
    match bytes {
        Some(bytes) if proper && bytes.len() <= 0xffff => {
            out.push(107);
            out.extend((bytes.len() as u16).to_be_bytes());
            out.extend(bytes);
        }
        _ => {
            out.push(108);
            out.extend((elements.len() as u32).to_be_bytes());
            elements.iter().for_each(|t| write(t, out));
            write(iter.rest(), out);
        }
    }
}

fn write_fun(fun: &Fun, out: &mut Out) {
    match fun {
        Fun::Export { module, function, arity } => {
            out.push(113);
            write_atom(*module, out);
            write_atom(*function, out);
            write(&Term::Int(*arity as i64), out);
        }
        Fun::Local { module, index, arity, uniq, old_uniq, free, creator } => {
            let mut body = Out { bytes: vec![*arity as u8], atoms: out.atoms, most: out.most };
            body.extend(uniq);
            body.extend(index.to_be_bytes());
            body.extend((free.len() as u32).to_be_bytes());
            write_atom(*module, &mut body);
            write(&Term::Int(*index as i64), &mut body);
            write(&Term::Int(*old_uniq as i64), &mut body);
            write(&Term::Pid(*creator), &mut body);
            free.iter().for_each(|t| write(t, &mut body));
            out.push(112);
            out.extend((body.len() as u32 + 4).to_be_bytes());
            out.extend(body.bytes);
        }
    }
}
