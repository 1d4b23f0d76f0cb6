//! Hashes of terms: `erlang:phash2` and `erlang:phash`, bit for bit, and the fingerprint of a search. Pids
//! and references are logical names, so their hashes differ from OTP's.

use super::{Atom, Fun, Term, number};

const GOLDEN: u32 = 0x9e37_79b9;

/// A multiple of the golden ratio: the salt of each type in `phash2`.
const fn salt(n: u32) -> u32 {
    GOLDEN.wrapping_mul(n)
}

/// Bob Jenkins' mixing function.
fn mix(mut a: u32, mut b: u32, mut c: u32) -> (u32, u32, u32) {
    for (x, y, z) in [(13, 8, 13), (12, 16, 5), (3, 10, 15)] {
        a = a.wrapping_sub(b).wrapping_sub(c) ^ (c >> x);
        b = b.wrapping_sub(c).wrapping_sub(a) ^ (a << y);
        c = c.wrapping_sub(a).wrapping_sub(b) ^ (b >> z);
    }
    (a, b, c)
}

fn mixed(hash: u32, x: u32, y: u32, salt: u32) -> u32 {
    mix(salt.wrapping_add(x), salt.wrapping_add(y), hash).2
}

fn of_block(bytes: &[u8], start: u32) -> u32 {
    let (mut a, mut b, mut c) = (GOLDEN, GOLDEN, start);
    let word = |w: &[u8]| u32::from_le_bytes([w[0], w[1], w[2], w[3]]);
    let mut blocks = bytes.chunks_exact(12);
    for block in &mut blocks {
        a = a.wrapping_add(word(block));
        b = b.wrapping_add(word(&block[4..]));
        c = c.wrapping_add(word(&block[8..]));
        (a, b, c) = mix(a, b, c);
    }
    let mut last = [0; 12];
    let rest = blocks.remainder();
    // The lowest byte of the third word holds the length.
    for (i, byte) in rest.iter().enumerate() {
        last[if i < 8 { i } else { i + 1 }] = *byte;
    }
    a = a.wrapping_add(word(&last));
    b = b.wrapping_add(word(&last[4..]));
    c = c.wrapping_add(word(&last[8..])).wrapping_add(bytes.len() as u32);
    mix(a, b, c).2
}

/// The hash that Erlang keeps with each atom (P. J. Weinberger's).
pub fn of_atom(atom: Atom) -> u32 {
    let mut hash = 0_u32;
    for c in atom.text().chars() {
        let mut buffer = [0; 4];
        // A Latin-1 character counts as one byte, others as their UTF-8 bytes.
        let latin1 = [c as u32 as u8];
        let bytes = if (c as u32) < 256 { &latin1[..] } else { c.encode_utf8(&mut buffer).as_bytes() };
        for byte in bytes {
            hash = (hash << 4).wrapping_add(*byte as u32);
            let high = hash & 0xf000_0000;
            if high != 0 {
                hash ^= high >> 24;
                hash ^= high;
            }
        }
    }
    hash
}

/// The 32 bits that `erlang:phash2` reduces to its range.
pub fn phash2(term: &Term) -> u32 {
    after(term, 0)
}

fn is_byte(t: &Term) -> Option<u32> {
    t.as_int().filter(|n| (0..256).contains(n)).map(|n| n as u32)
}

/// The hash of `term`, continued from `hash`.
fn after(term: &Term, mut hash: u32) -> u32 {
    let mut term = term;
    loop {
        match term {
            Term::Cons(_) => {
                // Runs of bytes are taken four at a time.
                let (mut run, mut length) = (0_u32, 0);
                while let Term::Cons(cell) = term
                    && let Some(byte) = is_byte(&cell.head)
                {
                    run = (run << 8).wrapping_add(byte);
                    if length == 3 {
                        hash = mixed(hash, run, 0, salt(4));
                        (run, length) = (0, 0);
                    } else {
                        length += 1;
                    }
                    term = &cell.tail;
                }
                if length > 0 {
                    hash = mixed(hash, run, 0, salt(4));
                }
                if let Term::Cons(cell) = term {
                    hash = after(&cell.head, hash);
                    term = &cell.tail;
                }
            }
            _ => return of_other(term, hash),
        }
    }
}

fn of_other(term: &Term, hash: u32) -> u32 {
    match term {
        Term::Atom(a) if hash == 0 => of_atom(*a),
        Term::Atom(a) => mixed(hash, of_atom(*a), 0, salt(3)),
        Term::Nil if hash == 0 => 3_468_870_702,
        Term::Nil => mixed(hash, 2, 0, salt(2)),
        Term::Int(n) if (-(1 << 27)..1 << 27).contains(n) => {
            let n = *n as i32;
            let hash = if n < 0 { mixed(hash, n.unsigned_abs(), 0, GOLDEN) } else { hash };
            mixed(hash, n as u32, 0, GOLDEN)
        }
        Term::Int(_) | Term::Big(_) => {
            let (negative, bytes) = number::to_sign_bytes(term).expect("an integer");
            let salt = if negative { salt(10) } else { salt(11) };
            bytes.chunks(8).fold(hash, |hash, digit| {
                let mut wide = [0; 8];
                wide[..digit.len()].copy_from_slice(digit);
                let wide = u64::from_le_bytes(wide);
                mixed(hash, wide as u32, (wide >> 32) as u32, salt)
            })
        }
        Term::Float(f) => {
            let bits = if *f == 0.0 { 0 } else { f.to_bits() };
            mixed(hash, (bits >> 32) as u32, bits as u32, salt(12))
        }
        Term::Tuple(elements) => {
            let hash = mixed(hash, elements.len() as u32, 0, salt(9));
            elements.iter().fold(hash, |hash, element| after(element, hash))
        }
        Term::Map(map) => {
            let hash = mixed(hash, map.len() as u32, 0, salt(16));
            if map.is_empty() {
                return hash;
            }
            let pairs = map.entries().iter().map(|(k, v)| after(v, after(k, 0)));
            mixed(hash, pairs.fold(0, |all, pair| all ^ pair), 0, salt(19))
        }
        Term::Bits(bits) => {
            let start = salt(13).wrapping_add(hash);
            if bits.is_empty() {
                return start;
            }
            let bytes = bits.to_bytes();
            let whole = bits.len() / 8;
            let hash = of_block(&bytes[..whole], start);
            match bits.len() % 8 {
                0 => hash,
                n => mixed(hash, n as u32, (bytes[whole] >> (8 - n)) as u32, salt(15)),
            }
        }
        Term::Fun(fun) => match &**fun {
            Fun::Export { module, function, arity } => {
                let hash = mixed(hash, *arity, of_atom(*module), GOLDEN);
                mixed(hash, of_atom(*function), 0, salt(14))
            }
            Fun::Local { module, index, old_uniq, free, .. } => {
                let hash = mixed(hash, free.len() as u32, of_atom(*module), GOLDEN);
                let hash = mixed(hash, *index, *old_uniq, GOLDEN);
                free.iter().fold(hash, |hash, term| after(term, hash))
            }
        },
        Term::Pid(pid) => mixed(hash, pid.hash64() as u32, 0, salt(5)),
        Term::Ref(r) => mixed(hash, (r.maker.hash64() as u32).wrapping_add(r.number), 0, salt(7)),
        Term::Cons(_) | Term::Context(_) | Term::Catch(..) => hash,
    }
}

const PRIMES: [u32; 15] = [
    0,
    268_440_163,
    268_439_161,
    268_435_459,
    268_436_141,
    268_438_633,
    268_437_017,
    268_438_039,
    268_437_511,
    268_439_627,
    268_440_479,
    268_440_577,
    268_440_581,
    268_440_593,
    268_440_611,
];

/// The 32 bits that `erlang:phash` reduces to its range.
pub fn phash(term: &Term) -> u32 {
    phash_after(term, 0)
}

fn phash_after(term: &Term, hash: u32) -> u32 {
    let onto = |hash: u32, prime: usize, x: u32| hash.wrapping_mul(PRIMES[prime]).wrapping_add(x);
    let word = |hash: u32, prime: usize, x: u32| {
        x.to_le_bytes().iter().fold(hash, |hash, byte| onto(hash, prime, *byte as u32))
    };
    match term {
        Term::Nil => onto(hash, 3, 1),
        Term::Atom(a) => onto(hash, 1, of_atom(*a)),
        Term::Int(_) | Term::Big(_) => {
            let (negative, mut bytes) = number::to_sign_bytes(term).expect("an integer");
            bytes.resize(bytes.len().div_ceil(4).max(1) * 4, 0);
            let hash = bytes.iter().fold(hash, |hash, byte| onto(hash, 2, *byte as u32));
            hash.wrapping_mul(PRIMES[if negative { 4 } else { 3 }])
        }
        Term::Float(f) => {
            let bits = if *f == 0.0 { 0 } else { f.to_bits() };
            onto(hash, 6, (bits >> 32) as u32 ^ bits as u32)
        }
        Term::Bits(bits) => {
            let bytes = bits.to_bytes();
            let whole = bits.len() / 8;
            let mut hash = bytes[..whole].iter().fold(hash, |hash, byte| onto(hash, 1, *byte as u32));
            if !bits.is_binary() {
                let left = bits.len() % 8;
                hash = onto(onto(hash, 1, (bytes[whole] >> (8 - left)) as u32), 12, left as u32);
            }
            onto(hash, 4, whole as u32)
        }
        Term::Tuple(elements) => {
            let hash = elements.iter().fold(hash, |hash, t| phash_after(t, hash));
            onto(hash, 9, elements.len() as u32)
        }
        Term::Cons(_) => {
            let mut iter = term.iter();
            let mut hash = hash;
            for head in iter.by_ref() {
                hash = match is_byte(head) {
                    Some(byte) => onto(hash, 2, byte),
                    None => phash_after(head, hash),
                };
            }
            phash_after(iter.rest(), hash).wrapping_mul(PRIMES[8])
        }
        Term::Map(_) => onto(hash, 13, PRIMES[14].wrapping_add(phash2(term))),
        Term::Fun(fun) => match &**fun {
            Fun::Export { module, function, arity } => {
                onto(onto(onto(hash, 11, *arity), 1, of_atom(*module)), 1, of_atom(*function))
            }
            Fun::Local { module, index, old_uniq, free, .. } => {
                let hash = onto(onto(hash, 10, free.len() as u32), 1, of_atom(*module));
                let hash = onto(onto(hash, 2, *index), 2, *old_uniq);
                free.iter().fold(hash, |hash, t| phash_after(t, hash))
            }
        },
        Term::Pid(pid) => word(hash, 5, pid.hash64() as u32).wrapping_mul(PRIMES[6]),
        Term::Ref(r) => word(hash, 9, r.number ^ r.maker.hash64() as u32).wrapping_mul(PRIMES[10]),
        Term::Context(_) | Term::Catch(..) => hash,
    }
}

/// A running fingerprint: two independent 64-bit lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fingerprint(u64, u64);

impl Default for Fingerprint {
    fn default() -> Fingerprint {
        Fingerprint(0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344)
    }
}

impl Fingerprint {
    /// Adds a word.
    #[inline]
    pub fn word(&mut self, w: u64) {
        self.0 = (self.0.rotate_left(5) ^ w).wrapping_mul(0x517c_c1b7_2722_0a95);
        self.1 = (self.1.rotate_left(29) ^ w.wrapping_mul(0xff51_afd7_ed55_8ccd))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.1 ^= self.1 >> 32;
    }
    /// Adds a term. Equal terms (`=:=`) add the same.
    pub fn term(&mut self, t: &Term) {
        match t {
            Term::Nil => self.word(1),
            Term::Int(n) => {
                self.word(2);
                self.word(*n as u64);
            }
            Term::Big(n) => {
                self.word(3);
                n.to_u64_digits().1.iter().for_each(|d| self.word(*d));
                self.word(n.sign() as u64);
            }
            Term::Float(f) => {
                self.word(4);
                self.word(if *f == 0.0 { 0 } else { f.to_bits() });
            }
            Term::Atom(a) => {
                self.word(5);
                self.word(a.hash64());
            }
            Term::Cons(_) => {
                let mut iter = t.iter();
                for head in iter.by_ref() {
                    self.word(6);
                    self.term(head);
                }
                self.term(iter.rest());
            }
            Term::Tuple(elements) => {
                self.word(7 + ((elements.len() as u64) << 8));
                elements.iter().for_each(|t| self.term(t));
            }
            Term::Map(map) => {
                self.word(8 + ((map.len() as u64) << 8));
                for (key, value) in map.entries() {
                    self.term(key);
                    self.term(value);
                }
            }
            Term::Bits(bits) => {
                self.word(9 + ((bits.len() as u64) << 8));
                for chunk in bits.to_bytes().chunks(8) {
                    let mut wide = [0; 8];
                    wide[..chunk.len()].copy_from_slice(chunk);
                    self.word(u64::from_le_bytes(wide));
                }
            }
            Term::Fun(fun) => match &**fun {
                Fun::Export { module, function, arity } => {
                    self.word(10);
                    self.word(module.hash64());
                    self.word(function.hash64() ^ *arity as u64);
                }
                Fun::Local { module, index, free, .. } => {
                    self.word(11 + ((free.len() as u64) << 8));
                    self.word(module.hash64() ^ *index as u64);
                    free.iter().for_each(|t| self.term(t));
                }
            },
            Term::Pid(pid) => {
                self.word(12);
                self.word(pid.hash64());
            }
            Term::Ref(r) => {
                self.word(13);
                self.word(r.maker.hash64());
                self.word(r.number as u64);
            }
            Term::Context(context) => {
                self.word(14);
                self.word(context.at.get() as u64);
                self.term(&Term::Bits(std::rc::Rc::new(context.bits.clone())));
            }
            Term::Catch(_, label) => self.word(15 + ((*label as u64) << 8)),
        }
    }
    /// The fingerprint so far.
    pub fn value(self) -> u128 {
        (self.0 as u128) << 64 | self.1 as u128
    }
    /// 64 bits of it.
    pub fn short(self) -> u64 {
        self.0 ^ self.1.rotate_left(17)
    }
}

/// A 64-bit hash of one term.
pub fn of(term: &Term) -> u64 {
    let mut f = Fingerprint::default();
    f.term(term);
    f.short()
}
