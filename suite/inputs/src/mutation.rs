//! Seeded mutations: the same seed gives the same bytes on every machine.

use raddle_core::random::Rng;

/// Numbers and characters that formats give a meaning to.
const TELLING: [&[u8]; 20] = [
    b"0",
    b"-1",
    b"4294967295",
    b"18446744073709551615",
    b"99999999999",
    b"1e999",
    b"null",
    b"\"",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b";",
    b"\\",
    b"%",
    b"\n",
    b"\x1b[2J",
    "\u{202e}".as_bytes(),
    b"*",
];

/// The mutation of this number. `others` are the corpus, from which pieces may come.
pub fn mutation(original: &[u8], others: &[(String, Vec<u8>)], seed: u64, number: u64) -> Vec<u8> {
    let mut random = Rng::new(seed, number);
    let mut bytes = original.to_vec();
    for _ in 0..=random.below(3) {
        change(&mut bytes, others, &mut random);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, others: &[(String, Vec<u8>)], random: &mut Rng) {
    let mut below = |n: usize| random.below(n.max(1) as u32) as usize;
    let at = below(bytes.len());
    let end = (at + 1 + below(16)).min(bytes.len());
    match below(11) {
        _ if bytes.is_empty() => bytes.push(below(256) as u8),
        0 => bytes[at] ^= 1 << below(8),
        1 => bytes[at] = below(256) as u8,
        // Another digit: the change that looks most like what was there.
        2 | 3 => {
            let digits: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at].is_ascii_digit()).collect();
            match digits.is_empty() {
                true => bytes[at] = b'0' + below(10) as u8,
                false => bytes[digits[below(digits.len())]] = b'0' + below(10) as u8,
            }
        }
        4 => {
            bytes.drain(at..end);
        }
        5 => {
            let piece = bytes[at..end].to_vec();
            let to = below(bytes.len());
            bytes.splice(to..to, piece);
        }
        6 => {
            let telling = TELLING[below(TELLING.len())];
            bytes.splice(at..at, telling.iter().copied());
        }
        7 => {
            let telling = TELLING[below(TELLING.len())];
            bytes.splice(at..end, telling.iter().copied());
        }
        8 => bytes.truncate(at),
        9 => {
            let to = below(bytes.len());
            bytes.swap(at, to);
        }
        _ => {
            let Some((_, other)) = others.get(below(others.len())).filter(|(_, other)| !other.is_empty())
            else {
                return;
            };
            let from = below(other.len());
            let until = (from + 1 + below(64)).min(other.len());
            bytes.splice(at..at, other[from..until].iter().copied());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_numbers_give_the_same_bytes() {
        let others = [("a".to_owned(), b"another text".to_vec())];
        let made = |seed, number| mutation(b"a text with 12 digits", &others, seed, number);
        assert_eq!(made(7, 3), made(7, 3));
        let different: std::collections::BTreeSet<_> = (0..1_000).map(|number| made(7, number)).collect();
        assert!(different.len() > 800, "only {} are different", different.len());
        assert!((0..1_000).all(|number| mutation(b"", &[], 7, number).len() < 200));
    }
}
