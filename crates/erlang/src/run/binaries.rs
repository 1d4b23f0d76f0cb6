//! Bit syntax: matching and construction of binaries.

use super::{Flow, Raise, Runner, Stop, broken};
use crate::beam::{BinPart, BinType, CreateBin, Dst, Flags, Get, Instr, Match, MatchOp, Size, Src};
use crate::term::bits::BitsBuilder;
use crate::term::{Bits, Context, Term, known, number};
use crate::watch::Halt;
use num_bigint::{BigInt, Sign};
use num_traits::ToPrimitive;
use std::cell::Cell;
use std::rc::Rc;

/// Decodes an integer.
pub fn integer(bits: &Bits, flags: Flags) -> Term {
    let len = bits.len();
    if len == 0 {
        return Term::Int(0);
    }
    let mut bytes = bits.to_bytes();
    // Big-endian bytes of the value: a last incomplete byte holds its bits at the top.
    let spare = bytes.len() * 8 - len;
    if flags.little {
        if let Some(last) = bytes.last_mut() {
            *last >>= spare;
        }
        bytes.reverse();
    } else if spare > 0 {
        let mut carry = 0_u8;
        for byte in &mut bytes {
            let low = *byte << (8 - spare);
            *byte = *byte >> spare | carry;
            carry = low;
        }
    }
    if len <= 63 {
        let value = bytes.iter().fold(0_i64, |n, b| n << 8 | *b as i64);
        let negative = flags.signed && value >> (len - 1) & 1 == 1;
        return Term::Int(if negative { value - (1 << len) } else { value });
    }
    let mut value = BigInt::from_bytes_be(Sign::Plus, &bytes);
    if flags.signed && value.bit(len as u64 - 1) {
        value -= BigInt::from(1) << len;
    }
    number::of_big(value)
}

/// Appends an integer's lowest bits.
fn push_integer(out: &mut BitsBuilder, value: &Term, len: usize, flags: Flags) {
    let count = len.div_ceil(8);
    // Little-endian bytes of the value, sign extended.
    let (mut bytes, fill) = match value {
        Term::Int(n) => (n.to_le_bytes().to_vec(), if *n < 0 { 0xff } else { 0 }),
        other => {
            let n = number::big(other).expect("an integer");
            (n.to_signed_bytes_le(), if n.sign() == Sign::Minus { 0xff } else { 0 })
        }
    };
    bytes.resize(count, fill);
    let spare = count * 8 - len;
    if flags.little {
        for (i, byte) in bytes.iter().enumerate() {
            if i + 1 == count { out.push(byte << spare, 8 - spare) } else { out.push(*byte, 8) }
        }
    } else {
        for (i, byte) in bytes.iter().rev().enumerate() {
            if i == 0 { out.push(byte << spare, 8 - spare) } else { out.push(*byte, 8) }
        }
    }
}

/// The value of a half-precision float.
fn half(bits: u16) -> f64 {
    let (sign, exponent, mantissa) = (bits >> 15, (bits >> 10 & 31) as i32, (bits & 1023) as f64);
    let value = match exponent {
        0 => mantissa * 2_f64.powi(-24),
        31 => f64::NAN,
        e => (1.0 + mantissa / 1024.0) * 2_f64.powi(e - 15),
    };
    if sign == 1 { -value } else { value }
}

/// The nearest half-precision float; none if it is too large.
fn to_half(value: f64) -> Option<u16> {
    let sign = (value.is_sign_negative() as u16) << 15;
    let magnitude = value.abs();
    if magnitude == 0.0 {
        return Some(sign);
    }
    let exponent = (magnitude.log2().floor() as i32).clamp(-14, 16);
    let unit = 2_f64.powi(exponent - 10);
    let steps = (magnitude / unit).round_ties_even();
    let rounded = steps * unit;
    if rounded > 65504.0 {
        return None;
    }
    let exponent = if rounded >= 2_f64.powi(exponent + 1) { exponent + 1 } else { exponent };
    if rounded < 2_f64.powi(-14) {
        return Some(sign | (rounded / 2_f64.powi(-24)) as u16);
    }
    let mantissa = (rounded / 2_f64.powi(exponent - 10)) as u16 - 1024;
    Some(sign | ((exponent + 15) as u16) << 10 | mantissa)
}

fn float(bits: &Bits, flags: Flags) -> Option<f64> {
    let mut bytes = bits.to_bytes();
    if flags.little {
        bytes.reverse();
    }
    let value = match *bytes.as_slice() {
        [a, b] => half(u16::from_be_bytes([a, b])),
        [a, b, c, d] => f32::from_be_bytes([a, b, c, d]) as f64,
        [a, b, c, d, e, f, g, h] => f64::from_be_bytes([a, b, c, d, e, f, g, h]),
        _ => return None,
    };
    value.is_finite().then_some(value)
}

/// The first character of UTF-8 text, and how many bytes it takes.
fn utf8(bytes: &[u8]) -> Option<(u32, usize)> {
    let len = match bytes.first()? {
        0..0x80 => 1,
        0xc2..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0..0xf5 => 4,
        _ => return None,
    };
    let text = std::str::from_utf8(bytes.get(..len)?).ok()?;
    text.chars().next().map(|c| (c as u32, len))
}

impl Runner<'_> {
    fn context(&self, src: &Src) -> Option<Rc<Context>> {
        match self.get(src) {
            Term::Context(context) => Some(context.clone()),
            _ => None,
        }
    }

    /// The number of bits of a segment; the outer none if the size is invalid, the inner none for all bits.
    fn bits_of(&self, size: &Size, unit: u32) -> Option<Option<usize>> {
        match size {
            Size::All => Some(None),
            Size::Units(src) => {
                let n = match self.get(src) {
                    Term::Int(n) => usize::try_from(*n).ok()?,
                    _ => return None,
                };
                n.checked_mul(unit as usize).map(Some)
            }
        }
    }

    pub(super) fn binary(&mut self, instr: &Instr) -> Flow {
        match instr {
            Instr::StartMatch(fail, src, dst) => {
                let context = match self.get(src) {
                    Term::Context(context) => context.clone(),
                    Term::Bits(bits) => Rc::new(Context { bits: Bits::clone(bits), at: Cell::new(0) }),
                    _ => return Flow::Jump(*fail),
                };
                self.p.has_contexts = true;
                self.set(*dst, Term::Context(context));
                Flow::Next
            }
            Instr::GetInteger(get) => self.read(get, |bits, flags| Some(integer(bits, flags))),
            Instr::GetFloat(get) => self.read(get, |bits, flags| float(bits, flags).map(Term::Float)),
            Instr::GetBinary(get) => self.read(get, |bits, _| Some(Term::Bits(Rc::new(bits.clone())))),
            Instr::Skip(get) => self.read(get, |_, _| Some(Term::Nil)),
            Instr::GetUtf(kind, get) => self.read_utf(*kind, get),
            Instr::TestTail(fail, src, bits) => {
                let Some(context) = self.context(src) else { return broken("a match context") };
                self.otherwise(*fail, context.bits.len() - context.at.get() == *bits)
            }
            Instr::TestUnit(fail, src, unit) => {
                let Some(context) = self.context(src) else { return broken("a match context") };
                self.otherwise(*fail, (context.bits.len() - context.at.get()).is_multiple_of(*unit))
            }
            Instr::MatchString(fail, src, len, bytes) => {
                let Some(context) = self.context(src) else { return broken("a match context") };
                let at = context.at.get();
                if context.bits.len() - at < *len {
                    return Flow::Jump(*fail);
                }
                let wanted = Bits::of_bits(Rc::from(&bytes[..]), *len);
                if context.bits.part(at, *len) != wanted {
                    return Flow::Jump(*fail);
                }
                context.at.set(at + len);
                Flow::Next
            }
            Instr::GetTail(src, dst) => {
                let Some(context) = self.context(src) else { return broken("a match context") };
                let at = context.at.get();
                let rest = context.bits.part(at, context.bits.len() - at);
                self.set(*dst, Term::Bits(Rc::new(rest)));
                Flow::Next
            }
            Instr::GetPosition(src, dst) => {
                let Some(context) = self.context(src) else { return broken("a match context") };
                self.set(*dst, Term::Int(context.at.get() as i64));
                Flow::Next
            }
            Instr::SetPosition(src, position) => {
                let Some(context) = self.context(src) else { return broken("a match context") };
                let Some(at) = self.get(position).as_usize().filter(|at| *at <= context.bits.len()) else {
                    return broken("a position");
                };
                context.at.set(at);
                Flow::Next
            }
            Instr::InitWritable => {
                self.set(Dst::X(0), Term::binary(Vec::new()));
                Flow::Next
            }
            Instr::CreateBin(create) => self.create(create),
            Instr::Match(m) => self.commands(m),
            _ => broken("an instruction"),
        }
    }

    fn read(&mut self, get: &Get, read: impl Fn(&Bits, Flags) -> Option<Term>) -> Flow {
        let Some(context) = self.context(&get.context) else { return broken("a match context") };
        let at = context.at.get();
        let left = context.bits.len() - at;
        let len = match self.bits_of(&get.size, get.unit) {
            Some(Some(len)) if len <= left => len,
            Some(None) if left.is_multiple_of(get.unit.max(1) as usize) => left,
            _ => return Flow::Jump(get.fail),
        };
        match read(&context.bits.part(at, len), get.flags) {
            Some(value) => {
                context.at.set(at + len);
                if let Some(dst) = get.dst {
                    self.set(dst, value);
                }
                Flow::Next
            }
            None => Flow::Jump(get.fail),
        }
    }

    fn read_utf(&mut self, kind: BinType, get: &Get) -> Flow {
        let Some(context) = self.context(&get.context) else { return broken("a match context") };
        let at = context.at.get();
        let left = context.bits.len() - at;
        let ahead = context.bits.part(at, left.min(32)).to_bytes();
        let ahead = &ahead[..left.min(32) / 8];
        let word = |i: usize| {
            let pair = [*ahead.get(i)?, *ahead.get(i + 1)?];
            Some(if get.flags.little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) } as u32)
        };
        let found = match kind {
            BinType::Utf8 => utf8(ahead),
            BinType::Utf16 => word(0).and_then(|high| match high {
                0xd800..0xdc00 => {
                    let low = word(2).filter(|low| (0xdc00..0xe000).contains(low))?;
                    Some((0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00), 4))
                }
                0xdc00..0xe000 => None,
                _ => Some((high, 2)),
            }),
            _ => <[u8; 4]>::try_from(ahead).ok().and_then(|b| {
                let n = if get.flags.little { u32::from_le_bytes(b) } else { u32::from_be_bytes(b) };
                char::from_u32(n).map(|c| (c as u32, 4))
            }),
        };
        match found {
            Some((code, bytes)) => {
                context.at.set(at + bytes * 8);
                if let Some(dst) = get.dst {
                    self.set(dst, Term::Int(code as i64));
                }
                Flow::Next
            }
            None => Flow::Jump(get.fail),
        }
    }

    fn commands(&mut self, m: &Match) -> Flow {
        let Some(context) = self.context(&m.context) else { return broken("a match context") };
        for op in m.ops.iter() {
            let at = context.at.get();
            let left = context.bits.len() - at;
            let take = |len: usize| {
                context.at.set(at + len);
                context.bits.part(at, len)
            };
            match op {
                MatchOp::AtLeast(bits, unit) if left >= *bits && (left - bits).is_multiple_of(*unit) => {}
                MatchOp::Exactly(bits) if left == *bits => {}
                MatchOp::Equals(len, value)
                    if *len <= left && integer(&context.bits.part(at, *len), Flags::default()) == *value =>
                {
                    take(*len);
                }
                MatchOp::Integer(len, flags, dst) if *len <= left => {
                    let value = integer(&take(*len), *flags);
                    self.set(*dst, value);
                }
                MatchOp::Binary(len, dst) if *len <= left => {
                    let value = Term::Bits(Rc::new(take(*len)));
                    self.set(*dst, value);
                }
                MatchOp::Skip(len) if *len <= left => {
                    take(*len);
                }
                // The rest is not consumed, as with `bs_get_tail`.
                MatchOp::Tail(dst) => {
                    let value = Term::Bits(Rc::new(context.bits.part(at, left)));
                    self.set(*dst, value);
                }
                _ => return Flow::Jump(m.fail),
            }
        }
        Flow::Next
    }

    fn create(&mut self, create: &CreateBin) -> Flow {
        let mut out = BitsBuilder::new();
        for part in create.parts.iter() {
            let done = match part {
                BinPart::Bytes(bytes) => {
                    out.push_bytes(bytes);
                    true
                }
                BinPart::Value { kind, unit, flags, value, size } => {
                    let value = self.value(value);
                    let len = self.bits_of(size, *unit);
                    let more = match (&value, len) {
                        (_, Some(Some(bits))) => bits,
                        (Term::Bits(bits), _) => bits.len(),
                        _ => 0,
                    };
                    if !self.env.settings.has_room((out.len() as u64 + more as u64) / 8) {
                        return Flow::Stop(Stop::Halted(Halt::Memory));
                    }
                    match len {
                        Some(len) => push(&mut out, *kind, *unit, *flags, &value, len),
                        None => false,
                    }
                }
            };
            if !done {
                return match create.fail {
                    0 => Flow::Raise(Raise::error(Term::Atom(known::BADARG))),
                    fail => Flow::Jump(fail),
                };
            }
        }
        self.set(create.dst, Term::Bits(Rc::new(out.build())));
        Flow::Next
    }
}

/// Appends a segment; false if its value is invalid.
fn push(
    out: &mut BitsBuilder,
    kind: BinType,
    unit: u32,
    flags: Flags,
    value: &Term,
    len: Option<usize>,
) -> bool {
    match kind {
        BinType::Integer => match len {
            Some(len) if value.is_integer() => {
                push_integer(out, value, len, flags);
                true
            }
            _ => false,
        },
        BinType::Float => {
            let Some(f) = number::to_f64(value) else { return false };
            let mut bytes = match len {
                Some(64) => f.to_be_bytes().to_vec(),
                Some(32) if (f as f32).is_finite() => (f as f32).to_be_bytes().to_vec(),
                Some(16) => match to_half(f) {
                    Some(h) => h.to_be_bytes().to_vec(),
                    None => return false,
                },
                _ => return false,
            };
            if flags.little {
                bytes.reverse();
            }
            out.push_bytes(&bytes);
            true
        }
        BinType::Binary => {
            let whole;
            let bits = match value {
                Term::Bits(bits) => &**bits,
                Term::Context(context) => {
                    let at = context.at.get();
                    whole = context.bits.part(at, context.bits.len() - at);
                    &whole
                }
                _ => return false,
            };
            match len {
                None if bits.len().is_multiple_of(unit.max(1) as usize) => out.push_bits(bits),
                Some(len) if len <= bits.len() => out.push_bits(&bits.part(0, len)),
                _ => return false,
            }
            true
        }
        BinType::Utf8 | BinType::Utf16 | BinType::Utf32 => {
            let Some(c) = value.as_int().and_then(|n| n.to_u32()).and_then(char::from_u32) else {
                return false;
            };
            match kind {
                BinType::Utf8 => out.push_bytes(c.encode_utf8(&mut [0; 4]).as_bytes()),
                BinType::Utf16 => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        out.push_bytes(&if flags.little { unit.to_le_bytes() } else { unit.to_be_bytes() });
                    }
                }
                _ => {
                    let code = c as u32;
                    out.push_bytes(&if flags.little { code.to_le_bytes() } else { code.to_be_bytes() });
                }
            }
            true
        }
    }
}
