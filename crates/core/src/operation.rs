//! What a task will do next, as far as a search needs to know: which objects it touches and how.
//!
//! [`Accesses::conflict`] is the only judge of whether two operations may be swapped. It errs on the safe
//! side: an operation that touches more objects than fit conflicts with everything.

use std::fmt;

/// A task of one execution, numbered in the order of creation there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TaskId(pub u32);

impl TaskId {
    /// The task every execution starts with.
    pub const MAIN: TaskId = TaskId(0);
    /// Its place in tables indexed by task.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An object of one execution, numbered in the order in which objects were first touched there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ObjectId(pub u32);

impl ObjectId {
    /// Its place in tables indexed by object.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How an operation touches an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mode {
    /// Looks at the object and leaves it as it is.
    Read,
    /// Anything else.
    Write,
}

/// An object and how it is touched, packed into one word.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Access(u32);

impl Access {
    const WRITE: u32 = 1 << 31;

    /// An access of `object`.
    #[inline]
    pub fn new(object: ObjectId, mode: Mode) -> Access {
        debug_assert!(object.0 < Self::WRITE);
        Access(object.0 | if mode == Mode::Write { Self::WRITE } else { 0 })
    }
    /// What is touched.
    #[inline]
    pub fn object(self) -> ObjectId {
        ObjectId(self.0 & !Self::WRITE)
    }
    /// How it is touched.
    #[inline]
    pub fn mode(self) -> Mode {
        if self.0 & Self::WRITE != 0 { Mode::Write } else { Mode::Read }
    }
    /// Whether the order of the two matters.
    #[inline]
    pub fn conflicts(self, other: Access) -> bool {
        self.object() == other.object() && (self.0 | other.0) & Self::WRITE != 0
    }
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mode = match self.mode() {
            Mode::Read => 'r',
            Mode::Write => 'w',
        };
        write!(f, "{mode}{}", self.object().0)
    }
}

/// The accesses of one operation, without allocation.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Accesses {
    list: [Access; Accesses::ROOM],
    len: u8,
}

impl Accesses {
    const ROOM: usize = 4;
    const EVERYTHING: u8 = u8::MAX;

    /// Touches nothing but its own task: commutes with every operation of others.
    pub const NONE: Accesses = Accesses { list: [Access(0); Self::ROOM], len: 0 };
    /// Conflicts with every operation, even with one that touches nothing.
    pub const EVERYTHING_THERE_IS: Accesses =
        Accesses { list: [Access(0); Self::ROOM], len: Self::EVERYTHING };

    /// One object.
    #[inline]
    pub fn one(object: ObjectId, mode: Mode) -> Accesses {
        let mut list = [Access(0); Self::ROOM];
        list[0] = Access::new(object, mode);
        Accesses { list, len: 1 }
    }
    /// Reads `object`.
    #[inline]
    pub fn read(object: ObjectId) -> Accesses {
        Self::one(object, Mode::Read)
    }
    /// Writes `object`.
    #[inline]
    pub fn write(object: ObjectId) -> Accesses {
        Self::one(object, Mode::Write)
    }
    /// These and one more.
    #[inline]
    #[must_use]
    pub fn and(mut self, object: ObjectId, mode: Mode) -> Accesses {
        if self.len as usize >= Self::ROOM {
            return Self::EVERYTHING_THERE_IS;
        }
        self.list[self.len as usize] = Access::new(object, mode);
        self.len += 1;
        self
    }
    /// The objects touched; empty also when everything is.
    #[inline]
    pub fn as_slice(&self) -> &[Access] {
        if self.len == Self::EVERYTHING { &[] } else { &self.list[..self.len as usize] }
    }
    /// Whether anything is written.
    #[inline]
    pub fn any_write(&self) -> bool {
        // Unused places are reads of object 0.
        self.is_everything() || self.list.iter().any(|a| a.0 & Access::WRITE != 0)
    }
    /// Whether this conflicts with every other operation.
    #[inline]
    pub fn is_everything(&self) -> bool {
        self.len == Self::EVERYTHING
    }
    /// Whether the order of two operations of different tasks can matter.
    #[inline]
    pub fn conflict(&self, other: &Accesses) -> bool {
        if self.is_everything() || other.is_everything() {
            return true;
        }
        self.as_slice().iter().any(|a| other.as_slice().iter().any(|b| a.conflicts(*b)))
    }
}

impl fmt::Debug for Accesses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_everything() {
            return f.write_str("everything");
        }
        f.debug_list().entries(self.as_slice()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: ObjectId = ObjectId(0);
    const B: ObjectId = ObjectId(1);

    #[test]
    fn only_reads_of_one_object_commute() {
        assert!(!Accesses::read(A).conflict(&Accesses::read(A)));
        assert!(Accesses::read(A).conflict(&Accesses::write(A)));
        assert!(Accesses::write(A).conflict(&Accesses::write(A)));
        assert!(!Accesses::write(A).conflict(&Accesses::write(B)));
    }

    #[test]
    fn any_common_object_is_enough() {
        let both = Accesses::write(A).and(B, Mode::Read);
        assert!(both.conflict(&Accesses::write(B)));
        assert!(!both.conflict(&Accesses::read(B)));
    }

    #[test]
    fn too_many_objects_conflict_with_everything() {
        let many = (1..6).fold(Accesses::read(A), |all, n| all.and(ObjectId(n), Mode::Read));
        assert!(many.is_everything());
        assert!(many.conflict(&Accesses::NONE));
        assert!(Accesses::NONE.conflict(&many));
    }
}
