//! MD5 (RFC 1321), CRC-32 and Adler-32, for the functions of `erlang`.

use std::sync::LazyLock;

/// The state of a digest.
#[derive(Clone)]
struct State([u32; 4]);

const SHIFTS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// The table of RFC 1321: the integer part of 2^32 times |sin|.
static SINES: LazyLock<[u32; 64]> =
    LazyLock::new(|| std::array::from_fn(|i| (((i + 1) as f64).sin().abs() * 4_294_967_296.0) as u32));

impl State {
    fn block(&mut self, block: &[u8]) {
        let word = |i: usize| u32::from_le_bytes(block[i * 4..i * 4 + 4].try_into().expect("4 bytes"));
        let [mut a, mut b, mut c, mut d] = self.0;
        for i in 0..64_usize {
            let (f, g) = match i / 16 {
                0 => (b & c | !b & d, i),
                1 => (d & b | !d & c, (5 * i + 1) % 16),
                2 => (b ^ c ^ d, (3 * i + 5) % 16),
                _ => (c ^ (b | !d), 7 * i % 16),
            };
            let sum = a.wrapping_add(f).wrapping_add(SINES[i]).wrapping_add(word(g));
            (a, d, c) = (d, c, b);
            b = b.wrapping_add(sum.rotate_left(SHIFTS[i / 16][i % 4]));
        }
        for (old, new) in self.0.iter_mut().zip([a, b, c, d]) {
            *old = old.wrapping_add(new);
        }
    }
}

/// The digest of these bytes.
pub fn of(bytes: &[u8]) -> [u8; 16] {
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend(((bytes.len() as u64) * 8).to_le_bytes());
    let mut state = State([0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476]);
    padded.chunks(64).for_each(|block| state.block(block));
    let mut out = [0; 16];
    for (i, word) in state.0.iter().enumerate() {
        out[i * 4..i * 4 + 4].copy_from_slice(&word.to_le_bytes());
    }
    out
}

/// CRC-32 of these bytes, continued from `before`.
pub fn crc32(before: u32, bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!before, |crc, byte| {
        (0..8).fold(crc ^ *byte as u32, |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
    })
}

/// Adler-32 of these bytes, continued from `before`.
pub fn adler32(before: u32, bytes: &[u8]) -> u32 {
    let (mut a, mut b) = (before & 0xffff, before >> 16);
    for byte in bytes {
        a = (a + *byte as u32) % 65521;
        b = (b + a) % 65521;
    }
    b << 16 | a
}
