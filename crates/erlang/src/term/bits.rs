//! Binaries and bitstrings: a view of shared bytes, at bit granularity.

use std::cmp::Ordering;
use std::rc::Rc;

/// A bitstring. A part of one shares its bytes.
#[derive(Clone)]
pub struct Bits {
    bytes: Rc<[u8]>,
    /// The first bit.
    start: usize,
    /// The number of bits.
    len: usize,
}

impl Bits {
    /// A view of all these bytes.
    pub fn of_bytes(bytes: Rc<[u8]>) -> Bits {
        let len = bytes.len() * 8;
        Bits { bytes, start: 0, len }
    }
    /// The first `len` bits of these bytes.
    pub fn of_bits(bytes: Rc<[u8]>, len: usize) -> Bits {
        debug_assert!(len <= bytes.len() * 8);
        Bits { bytes, start: 0, len }
    }
    /// The number of bits.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }
    /// `<<>>`
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// Whether it is a whole number of bytes.
    #[inline]
    pub fn is_binary(&self) -> bool {
        self.len.is_multiple_of(8)
    }
    /// `len` bits from bit `from` on.
    pub fn part(&self, from: usize, len: usize) -> Bits {
        debug_assert!(from + len <= self.len);
        Bits { bytes: self.bytes.clone(), start: self.start + from, len }
    }
    /// The bytes, if they lie on byte boundaries.
    #[inline]
    pub fn aligned(&self) -> Option<&[u8]> {
        if self.start.is_multiple_of(8) && self.len.is_multiple_of(8) {
            Some(&self.bytes[self.start / 8..(self.start + self.len) / 8])
        } else {
            None
        }
    }
    /// Byte `index` of it; a last incomplete byte is filled with zeros on the right.
    pub fn byte(&self, index: usize) -> u8 {
        let from = index * 8;
        let bits = (self.len - from).min(8);
        let at = self.start + from;
        let (byte, shift) = (at / 8, at % 8);
        let mut wide = (self.bytes[byte] as u16) << 8;
        if shift + bits > 8 {
            wide |= self.bytes[byte + 1] as u16;
        }
        let value = ((wide << shift) >> 8) as u8;
        if bits == 8 { value } else { value & !(0xff >> bits) }
    }
    /// All bytes; a last incomplete byte is filled with zeros on the right.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self.aligned() {
            Some(bytes) => bytes.to_vec(),
            None => (0..self.len.div_ceil(8)).map(|i| self.byte(i)).collect(),
        }
    }
    /// The text, if it is UTF-8.
    pub fn to_text(&self) -> Option<String> {
        if self.is_binary() { String::from_utf8(self.to_bytes()).ok() } else { None }
    }
}

impl PartialEq for Bits {
    fn eq(&self, other: &Bits) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Bits {}
impl PartialOrd for Bits {
    fn partial_cmp(&self, other: &Bits) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Bits {
    /// Bit by bit; of two where one continues the other, the shorter first.
    fn cmp(&self, other: &Bits) -> Ordering {
        let common = self.len.min(other.len);
        if let (Some(a), Some(b)) = (self.aligned(), other.aligned()) {
            return a.cmp(b);
        }
        let (a, b) = (self.part(0, common), other.part(0, common));
        for i in 0..common.div_ceil(8) {
            match a.byte(i).cmp(&b.byte(i)) {
                Ordering::Equal => {}
                unequal => return unequal,
            }
        }
        self.len.cmp(&other.len)
    }
}

/// Builds a bitstring.
#[derive(Clone, Default)]
pub struct BitsBuilder {
    bytes: Vec<u8>,
    len: usize,
}

impl BitsBuilder {
    /// An empty builder.
    pub fn new() -> BitsBuilder {
        BitsBuilder::default()
    }
    /// The number of bits so far.
    pub fn len(&self) -> usize {
        self.len
    }
    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// Appends the high `bits` bits of a byte.
    pub fn push(&mut self, byte: u8, bits: usize) {
        debug_assert!(bits <= 8);
        if bits == 0 {
            return;
        }
        let byte = if bits == 8 { byte } else { byte & !(0xff >> bits) };
        let used = self.len % 8;
        if used == 0 {
            self.bytes.push(byte);
        } else {
            *self.bytes.last_mut().expect("an incomplete byte") |= byte >> used;
            if used + bits > 8 {
                self.bytes.push(byte << (8 - used));
            }
        }
        self.len += bits;
    }
    /// Appends bytes.
    pub fn push_bytes(&mut self, bytes: &[u8]) {
        if self.len.is_multiple_of(8) {
            self.bytes.extend_from_slice(bytes);
            self.len += bytes.len() * 8;
        } else {
            bytes.iter().for_each(|b| self.push(*b, 8));
        }
    }
    /// Appends a bitstring.
    pub fn push_bits(&mut self, bits: &Bits) {
        if let Some(bytes) = bits.aligned() {
            return self.push_bytes(bytes);
        }
        for i in 0..bits.len().div_ceil(8) {
            self.push(bits.byte(i), (bits.len() - i * 8).min(8));
        }
    }
    /// The finished bitstring.
    pub fn build(self) -> Bits {
        Bits::of_bits(self.bytes.into(), self.len)
    }
}
