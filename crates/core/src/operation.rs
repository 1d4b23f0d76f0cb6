//! The pending operation of a task, as far as a search needs it: which objects it accesses and how.
//!
//! Only [`Accesses::conflict`] decides whether two operations commute. It is conservative: an operation that accesses
//! more objects than fit conflicts with every operation.

use std::fmt;

/// A task of one execution, numbered in the order of creation there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TaskId(pub u32);

impl TaskId {
    /// The task every execution starts with.
    pub const MAIN: TaskId = TaskId(0);
    /// Its index in tables by task.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An object of one execution, numbered in the order of first access there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ObjectId(pub u32);

impl ObjectId {
    /// Its index in tables by object.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How an operation accesses an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mode {
    /// Reads the object and does not change it.
    Read,
    /// Anything else.
    Write,
}

/// An object and how it is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    /// The accessed object.
    pub object: ObjectId,
    /// How it is accessed.
    pub mode: Mode,
}

impl Access {
    /// Whether the two accesses conflict.
    #[inline]
    pub fn conflicts(self, other: Access) -> bool {
        self.object == other.object && (self.mode == Mode::Write || other.mode == Mode::Write)
    }
}

/// The accesses of one operation, in two words: in each three lanes of 21 bits, each a mode and an object's number plus 1.
/// Operations are evaluated at every step, and most have at most three accesses: then only the first word is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Accesses(u64, u64);

impl Accesses {
    /// The most accesses that are told apart.
    pub const MOST: usize = 2 * Self::LANES as usize;
    /// The lanes of a word.
    const LANES: u32 = 3;
    const LANE_BITS: u32 = 21;
    const LANE: u64 = (1 << Self::LANE_BITS) - 1;
    const WRITES: u64 = 1 | 1 << Self::LANE_BITS | 1 << (2 * Self::LANE_BITS);
    /// The highest bit of each lane.
    const TOPS: u64 = Self::WRITES << (Self::LANE_BITS - 1);
    /// Objects from this number on share a lane value. That is safe: it only adds conflicts.
    const LAST: u32 = (Self::LANE >> 1) as u32 - 1;
    const EVERYTHING: u64 = 1 << 63;

    /// Accesses no object: commutes with every operation of other tasks.
    pub const NONE: Accesses = Accesses(0, 0);
    /// Conflicts with every operation, even with one that accesses no object.
    pub const EVERYTHING_THERE_IS: Accesses = Accesses(Self::EVERYTHING, 0);

    #[inline]
    const fn lane(object: ObjectId, mode: Mode) -> u64 {
        let number = if object.0 < Self::LAST { object.0 } else { Self::LAST };
        ((number as u64 + 1) << 1) | matches!(mode, Mode::Write) as u64
    }
    /// One access.
    #[inline]
    pub const fn one(object: ObjectId, mode: Mode) -> Accesses {
        Accesses(Self::lane(object, mode), 0)
    }
    /// Reads `object`.
    #[inline]
    pub const fn read(object: ObjectId) -> Accesses {
        Self::one(object, Mode::Read)
    }
    /// Writes `object`.
    #[inline]
    pub const fn write(object: ObjectId) -> Accesses {
        Self::one(object, Mode::Write)
    }
    /// These accesses and one more.
    #[inline]
    #[must_use]
    pub const fn and(self, object: ObjectId, mode: Mode) -> Accesses {
        let used = Self::used(self.0);
        if used < Self::LANES {
            return Accesses(self.0 | Self::lane(object, mode) << (used * Self::LANE_BITS), 0);
        }
        let more = Self::used(self.1);
        if self.is_everything() || more >= Self::LANES {
            return Self::EVERYTHING_THERE_IS;
        }
        Accesses(self.0, self.1 | Self::lane(object, mode) << (more * Self::LANE_BITS))
    }
    /// The number of lanes of a word that hold an object; more than [`Self::LANES`] for a conflict with everything.
    #[inline]
    const fn used(word: u64) -> u32 {
        (64 - word.leading_zeros()).div_ceil(Self::LANE_BITS)
    }
    /// As numbers, for files.
    pub(crate) fn to_words(self) -> [u64; 2] {
        [self.0, self.1]
    }
    /// The accesses that [`Accesses::to_words`] wrote.
    pub(crate) fn from_words([first, second]: [u64; 2]) -> Accesses {
        Accesses(first, second)
    }
    /// The accesses; none also if this conflicts with every operation.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Access> {
        let (mut rest, mut second) = if self.is_everything() { (0, 0) } else { (self.0, self.1) };
        std::iter::from_fn(move || {
            if rest == 0 {
                rest = std::mem::take(&mut second);
            }
            let lane = rest & Self::LANE;
            rest >>= Self::LANE_BITS;
            let object = ObjectId((lane >> 1).checked_sub(1)? as u32);
            Some(Access { object, mode: if lane & 1 == 1 { Mode::Write } else { Mode::Read } })
        })
    }
    /// Only the first access.
    #[inline]
    #[must_use]
    pub const fn first(self) -> Accesses {
        if self.is_everything() { self } else { Accesses(self.0 & Self::LANE, 0) }
    }
    /// The only access, if there is one.
    #[inline]
    pub(crate) fn only(self) -> Option<Access> {
        if self.0 == 0 || self.0 > Self::LANE {
            return None;
        }
        let mode = if self.0 & 1 == 1 { Mode::Write } else { Mode::Read };
        Some(Access { object: ObjectId((self.0 >> 1) as u32 - 1), mode })
    }
    /// Conflicts with every operation that conflicts with one of the two.
    #[must_use]
    pub fn union(self, other: Accesses) -> Accesses {
        if other.is_everything() {
            return other;
        }
        let mut all = self;
        for Access { object, mode } in other.iter() {
            if !all.cover(Accesses::one(object, mode)) {
                all = all.and(object, mode);
            }
        }
        all
    }
    /// Whether every operation that conflicts with `other` conflicts with these.
    pub fn cover(self, other: Accesses) -> bool {
        let covers = |access: Access| {
            let own = self.access_to(access.object);
            own.is_some_and(|(_, mode)| mode == Mode::Write || access.mode == Mode::Read)
        };
        self.is_everything() || !other.is_everything() && other.iter().all(covers)
    }
    /// The index of the first access to `object`, and whether any access to it writes.
    #[inline]
    pub(crate) fn access_to(self, object: ObjectId) -> Option<(usize, Mode)> {
        let first = Self::lane_of(self.0, object);
        if self.1 == 0 {
            return first;
        }
        let second = Self::lane_of(self.1, object);
        match (first, second) {
            (Some((at, Mode::Read)), Some((_, mode))) => Some((at, mode)),
            (None, Some((at, mode))) => Some((at + Self::LANES as usize, mode)),
            _ => first,
        }
    }
    /// The same in one word.
    #[inline]
    fn lane_of(word: u64, object: ObjectId) -> Option<(usize, Mode)> {
        let wanted = Self::lane(object, Mode::Read) * Self::WRITES;
        let found = Self::TOPS & !Self::holding((word ^ wanted) & !Self::WRITES);
        if found == 0 {
            return None;
        }
        let first = found.trailing_zeros();
        let at = (first >= Self::LANE_BITS) as usize + (first >= 2 * Self::LANE_BITS) as usize;
        let writes = word << (Self::LANE_BITS - 1) & found != 0;
        Some((at, if writes { Mode::Write } else { Mode::Read }))
    }
    /// The highest bit of each lane that holds an object.
    #[inline]
    const fn holding(lanes: u64) -> u64 {
        // The bits between the highest bit of a lane and the lowest, which is the mode.
        const MIDDLE: u64 = Accesses::TOPS - (Accesses::WRITES << 1);
        (((lanes & MIDDLE) + MIDDLE) | lanes) & Self::TOPS
    }
    /// Whether any access is a write.
    #[inline]
    pub const fn any_write(self) -> bool {
        (self.0 & (Self::WRITES | Self::EVERYTHING)) | (self.1 & Self::WRITES) != 0
    }
    /// Whether this conflicts with every other operation.
    #[inline]
    pub const fn is_everything(self) -> bool {
        self.0 & Self::EVERYTHING != 0
    }
    /// Whether two operations of different tasks conflict: otherwise they commute.
    #[inline]
    pub fn conflict(self, other: Accesses) -> bool {
        if (self.0 | other.0) & Self::EVERYTHING != 0 {
            return true;
        }
        let firsts = Self::lanes_conflict(self.0, other.0);
        if self.1 | other.1 == 0 { firsts } else { firsts || self.conflicts_in_second(other) }
    }
    /// Whether an access beyond the first word conflicts.
    #[cold]
    fn conflicts_in_second(self, other: Accesses) -> bool {
        Self::lanes_conflict(self.0, other.1)
            || Self::lanes_conflict(self.1, other.0)
            || Self::lanes_conflict(self.1, other.1)
    }
    /// Compares each lane of one word with each lane of the other, three at once.
    #[inline]
    fn lanes_conflict(one: u64, other: u64) -> bool {
        const ALL: u64 = (1 << (3 * Accesses::LANE_BITS)) - 1;
        let mine = Self::holding(one);
        let mut theirs = other;
        for _ in 0..Self::LANES {
            let written = ((one | theirs) & Self::WRITES) << (Self::LANE_BITS - 1);
            if mine & written & !Self::holding((one ^ theirs) & !Self::WRITES) != 0 {
                return true;
            }
            theirs = (theirs << Self::LANE_BITS | theirs >> (2 * Self::LANE_BITS)) & ALL;
        }
        false
    }
}

impl fmt::Debug for Accesses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_everything() {
            return f.write_str("everything");
        }
        let mut list = f.debug_list();
        for access in self.iter() {
            let mode = match access.mode {
                Mode::Read => 'r',
                Mode::Write => 'w',
            };
            list.entry(&format_args!("{mode}{}", access.object.0));
        }
        list.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: ObjectId = ObjectId(0);
    const B: ObjectId = ObjectId(1);

    #[test]
    fn only_reads_of_one_object_commute() {
        assert!(!Accesses::read(A).conflict(Accesses::read(A)));
        assert!(Accesses::read(A).conflict(Accesses::write(A)));
        assert!(Accesses::write(A).conflict(Accesses::write(A)));
        assert!(!Accesses::write(A).conflict(Accesses::write(B)));
    }

    #[test]
    fn lanes_conflict_as_single_accesses_do() {
        let mut rng = crate::random::Rng::new(7, 0);
        let mut some = || {
            let lanes = rng.below(7);
            (0..lanes).fold(Accesses::NONE, |all, _| {
                let mode = if rng.below(2) == 0 { Mode::Read } else { Mode::Write };
                let object = [0, 1, 2, 3, 500_000, 1 << 19, (1 << 20) - 2, u32::MAX][rng.below(8) as usize];
                all.and(ObjectId(object), mode)
            })
        };
        for _ in 0..20_000 {
            let (one, two) = (some(), some());
            for object in [0, 1, 3, 4, 500_000, (1 << 20) - 2].map(ObjectId) {
                let to = |a: &Access| a.object == object;
                let first = one.iter().position(|a| to(&a));
                let writes = one.iter().any(|a| to(&a) && a.mode == Mode::Write);
                let mode = if writes { Mode::Write } else { Mode::Read };
                assert_eq!(one.access_to(object), first.map(|at| (at, mode)), "{one:?} {object:?}");
            }
            let slowly = one.iter().any(|a| two.iter().any(|b| a.conflicts(b)));
            assert_eq!(one.conflict(two), slowly, "{one:?} {two:?}");
        }
    }

    #[test]
    fn any_common_object_is_enough() {
        let both = Accesses::write(A).and(B, Mode::Read);
        assert!(both.conflict(Accesses::write(B)));
        assert!(!both.conflict(Accesses::read(B)));
    }

    #[test]
    fn too_many_objects_conflict_with_everything() {
        let three = Accesses::read(A).and(B, Mode::Write).and(ObjectId(2), Mode::Read);
        assert_eq!(format!("{three:?}"), "[r0, w1, r2]");
        let six =
            (2..6).fold(Accesses::read(A).and(B, Mode::Write), |all, n| all.and(ObjectId(n), Mode::Read));
        assert_eq!(format!("{six:?}"), "[r0, w1, r2, r3, r4, r5]");
        assert!(six.conflict(Accesses::write(ObjectId(5))) && !six.conflict(Accesses::write(ObjectId(6))));
        let many = six.and(ObjectId(6), Mode::Read);
        assert!(many.is_everything() && many.and(B, Mode::Read).is_everything());
        assert!(many.conflict(Accesses::NONE));
        assert!(Accesses::NONE.conflict(many));
    }

    #[test]
    fn objects_beyond_the_last_number_are_taken_for_one() {
        let (far, farther) = (Accesses::write(ObjectId(5_000_000)), Accesses::write(ObjectId(6_000_000)));
        assert!(far.conflict(farther));
        assert!(!far.conflict(Accesses::write(A)));
    }
}
