//! Character classes and case folding, by Erlang's tables for Latin-1.

/// Ranges of characters, both ends included.
pub type Ranges = Vec<(u32, u32)>;

/// The highest character.
pub const LAST: u32 = 0x10ffff;

const LETTERS: &[(u32, u32)] =
    &[(65, 90), (97, 122), (170, 170), (181, 181), (186, 186), (192, 214), (216, 246), (248, 255)];
const DIGITS: &[(u32, u32)] = &[(48, 57)];

/// The characters of a POSIX class, which never includes letters beyond 255.
pub fn posix(name: &str) -> Option<Ranges> {
    let with = |more: &[(u32, u32)]| [LETTERS, more].concat();
    Some(match name {
        "alpha" => LETTERS.to_vec(),
        "alnum" => with(DIGITS),
        "word" => with(&[(48, 57), (95, 95)]),
        "digit" => DIGITS.to_vec(),
        "upper" => vec![(65, 90), (192, 214), (216, 222)],
        "lower" => vec![(97, 122), (170, 170), (181, 181), (186, 186), (223, 246), (248, 255)],
        "space" => vec![(9, 13), (32, 32)],
        "blank" => vec![(9, 9), (32, 32)],
        "cntrl" => vec![(0, 31), (127, 159)],
        "graph" => vec![(33, 126), (160, 255)],
        "print" => vec![(32, 126), (160, 255)],
        // Printable and control characters: all of Latin-1.
        "ascii" => vec![(0, 255)],
        "xdigit" => vec![(48, 57), (65, 70), (97, 102)],
        "punct" => vec![
            (33, 47),
            (58, 64),
            (91, 96),
            (123, 126),
            (160, 169),
            (171, 180),
            (182, 185),
            (187, 191),
            (215, 215),
            (247, 247),
        ],
        _ => return None,
    })
}

/// The characters of `\d`, `\s`, `\w`, `\h`, `\v` and of their complements.
pub fn escape(letter: u8) -> Option<Ranges> {
    let ranges = match letter.to_ascii_lowercase() {
        b'd' => posix("digit")?,
        b's' => posix("space")?,
        b'w' => posix("word")?,
        b'h' => [9, 32, 160, 0x1680, 0x180e].map(|c| (c, c)).into_iter().chain(HORIZONTAL).collect(),
        b'v' => vec![(10, 13), (133, 133), (0x2028, 0x2029)],
        _ => return None,
    };
    Some(if letter.is_ascii_uppercase() { complement(&ranges) } else { ranges })
}

const HORIZONTAL: [(u32, u32); 4] = [(0x2000, 0x200a), (0x202f, 0x202f), (0x205f, 0x205f), (0x3000, 0x3000)];

/// The complement of a set of ranges.
pub fn complement(ranges: &[(u32, u32)]) -> Ranges {
    let mut sorted = ranges.to_vec();
    sorted.sort_unstable();
    let (mut from, mut out) = (0, Vec::new());
    for (first, last) in sorted {
        if first > from {
            out.push((from, first - 1));
        }
        from = from.max(last + 1);
    }
    if from <= LAST {
        out.push((from, LAST));
    }
    out
}

/// Characters that differ only in case, where there are more than two of them.
const SETS: &[&[u32]] = &[
    &[0x4b, 0x6b, 0x212a],
    &[0x53, 0x73, 0x17f],
    &[0xc5, 0xe5, 0x212b],
    &[0xb5, 0x39c, 0x3bc],
    &[0x1c4, 0x1c5, 0x1c6],
    &[0x1c7, 0x1c8, 0x1c9],
    &[0x1ca, 0x1cb, 0x1cc],
    &[0x1f1, 0x1f2, 0x1f3],
    &[0x345, 0x399, 0x3b9, 0x1fbe],
    &[0x392, 0x3b2, 0x3d0],
    &[0x395, 0x3b5, 0x3f5],
    &[0x398, 0x3b8, 0x3d1, 0x3f4],
    &[0x39a, 0x3ba, 0x3f0],
    &[0x3a0, 0x3c0, 0x3d6],
    &[0x3a1, 0x3c1, 0x3f1],
    &[0x3a3, 0x3c2, 0x3c3],
    &[0x3a6, 0x3c6, 0x3d5],
    &[0x3a9, 0x3c9, 0x2126],
    &[0x1e60, 0x1e61, 0x1e9b],
    &[0xdf, 0x1e9e],
];

/// The case variants of a character.
pub fn other_cases(c: u32, unicode: bool) -> Vec<u32> {
    if !unicode {
        return match c {
            65..=90 | 192..=214 | 216..=222 => vec![c + 32],
            97..=122 | 224..=246 | 248..=254 => vec![c - 32],
            _ => Vec::new(),
        };
    }
    if let Some(set) = SETS.iter().find(|set| set.contains(&c)) {
        return set.iter().copied().filter(|other| *other != c).collect();
    }
    // The case mappings of these scripts are newer than PCRE 8.
    if matches!(c, 0x130 | 0x131 | 0x10a0..=0x10ff | 0x13a0..=0x13ff | 0x1c80..=0x1cbf | 0xa640.. ) {
        return Vec::new();
    }
    let one = |mut cases: Box<dyn Iterator<Item = char>>| match (cases.next(), cases.next()) {
        (Some(case), None) => Some(case as u32).filter(|case| *case != c),
        _ => None,
    };
    let Some(c) = char::from_u32(c) else { return Vec::new() };
    one(Box::new(c.to_lowercase())).or_else(|| one(Box::new(c.to_uppercase()))).into_iter().collect()
}

/// Whether two characters are equal up to case.
pub fn same(a: u32, b: u32, unicode: bool) -> bool {
    a == b || other_cases(a, unicode).contains(&b)
}
