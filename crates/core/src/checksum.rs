//! A checksum of 64 bits (FNV-1a): notices files that were changed or cut by accident, and tells programs apart. It does
//! not protect from forgery.

/// The checksum of what has been added so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checksum(u64);

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
        Checksum(bytes.iter().fold(self.0, |sum, byte| (sum ^ *byte as u64).wrapping_mul(0x0100_0000_01b3)))
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
    }
}
