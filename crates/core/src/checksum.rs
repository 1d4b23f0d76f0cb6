//! A checksum of 64 bits (FNV-1a): notices files that were changed or cut by accident, and tells programs apart. It does
//! not protect from forgery.

/// The checksum of what has been added so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checksum(u64);

const PRIME: u64 = 0x0100_0000_01b3;

impl Default for Checksum {
    fn default() -> Checksum {
        Checksum(0xcbf2_9ce4_8422_2325)
    }
}

impl Checksum {
    /// The checksum of these bytes.
    pub fn of(bytes: &[u8]) -> Checksum {
        Checksum::default().with(bytes)
    }
    /// Adds bytes.
    #[must_use]
    pub fn with(self, bytes: &[u8]) -> Checksum {
        Checksum(bytes.iter().fold(self.0, |sum, byte| (sum ^ *byte as u64).wrapping_mul(PRIME)))
    }
    /// Adds bytes eight at a time: another checksum, for large files such as programs, which also programs without any
    /// optimisation compute.
    #[must_use]
    pub fn with_words(self, bytes: &[u8]) -> Checksum {
        let (words, rest) = bytes.as_chunks::<8>();
        let mut sum = self.0;
        for word in words {
            sum = (sum ^ u64::from_le_bytes(*word)).wrapping_mul(PRIME);
            sum ^= sum >> 32;
        }
        Checksum(sum).with(rest)
    }
    /// Eight characters, where sixteen are too many to copy.
    pub fn short(self) -> String {
        format!("{:08x}", (self.0 ^ (self.0 >> 32)) as u32)
    }
}

impl std::fmt::Display for Checksum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_published_one() {
        assert_eq!(Checksum::of(b"").to_string(), "cbf29ce484222325");
        assert_eq!(Checksum::of(b"foobar").to_string(), "85944171f73967e8");
        assert_eq!(Checksum::of(b"foo").with(b"bar"), Checksum::of(b"foobar"));
        assert_eq!(Checksum::of(b"foobar").short(), "72ad2699");
    }

    #[test]
    fn each_byte_of_a_word_counts() {
        let text = *b"a program of 3 words.";
        let sum = Checksum::default().with_words(&text);
        for at in 0..text.len() {
            let mut other = text;
            other[at] ^= 0x80;
            assert_ne!(Checksum::default().with_words(&other), sum, "byte {at}");
        }
    }
}
