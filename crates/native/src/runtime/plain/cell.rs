//! The accesses to eight bytes of plain memory that later ones may race with.
//!
//! Invariant: an earlier access is forgotten only if each access that races with it races with a later one that is kept, too
//! (FastTrack, Flanagan and Freund 2009: a write replaces all that it knows of, a read the reads that it knows of). So a cell
//! says of each access whether it is in a race with any before it, and not only with the last ones.

use raddle_core::operation::TaskId;
use raddle_core::order::VectorClock;

/// How memory is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum How {
    Read = 0,
    Write = 1,
    AtomicRead = 2,
    AtomicWrite = 3,
}

impl How {
    const ALL: [How; 4] = [How::Read, How::Write, How::AtomicRead, How::AtomicWrite];

    pub fn writes(self) -> bool {
        matches!(self, How::Write | How::AtomicWrite)
    }
    pub fn is_atomic(self) -> bool {
        matches!(self, How::AtomicRead | How::AtomicWrite)
    }
    /// Whether two accesses of different tasks must be ordered.
    fn conflicts(self, other: How) -> bool {
        (self.writes() || other.writes()) && !(self.is_atomic() && other.is_atomic())
    }
    /// Whether all that conflicts with `other` conflicts with this.
    fn stands_for(self, other: How) -> bool {
        How::ALL.iter().all(|third| !third.conflicts(other) || third.conflicts(self))
    }
}

/// Who accessed which of the eight bytes, how, and when: the task's own time. Never 0, as times begin at 1.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Touch(u64);

const MASK: u64 = 0xff;
const TASK: u32 = 42;

impl Touch {
    pub const NONE: Touch = Touch(0);
    /// Tasks beyond this are not told apart.
    pub const MOST_TASKS: u32 = 1 << (64 - TASK);

    #[inline(always)]
    pub fn new(task: TaskId, time: u32, how: How, mask: u8) -> Touch {
        Touch((task.0 as u64) << TASK | (how as u64) << 40 | (time as u64) << 8 | mask as u64)
    }
    #[inline(always)]
    pub fn mask(self) -> u8 {
        self.0 as u8
    }
    #[inline(always)]
    pub fn task(self) -> TaskId {
        TaskId((self.0 >> TASK) as u32)
    }
    #[inline(always)]
    pub fn time(self) -> u32 {
        (self.0 >> 8) as u32
    }
    #[inline(always)]
    pub fn how(self) -> How {
        How::ALL[(self.0 >> 40) as usize & 3]
    }
    /// Whether it is the same as `new`, of these bytes and perhaps of more.
    #[inline(always)]
    fn covers(self, new: Touch) -> bool {
        (self.0 ^ new.0) & !MASK == 0 && self.0 & new.0 & MASK == new.0 & MASK
    }
    /// The same of these bytes.
    #[inline(always)]
    pub fn of_bytes(self, mask: u8) -> Touch {
        Touch(self.0 & !MASK | mask as u64)
    }
    fn without(self, mask: u8) -> Touch {
        Touch(self.0 & !(mask as u64))
    }
}

/// What is known of eight bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Kind {
    /// Nothing: memory of ours, or of no block.
    Unknown = 0,
    /// Accesses to them are judged.
    Live,
    /// They are behind the end of a block or before its beginning, or some of them are.
    Zone,
    /// They are in a block that was freed.
    Freed,
    /// Accesses to them are judged. They are on a stack.
    Stack,
}

/// A touch with the number of its stack; 0: none was kept.
#[derive(Clone, Copy, Default)]
pub(super) struct Noted {
    pub touch: Touch,
    pub stack: u32,
}

/// The accesses to eight bytes. All zeros is a cell of which nothing is known.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct Cell {
    touches: [Touch; 2],
    stacks: [u32; 2],
    /// Further touches, by their place in [`More`], plus 1.
    more: u32,
    pub kind: Kind,
    /// The bytes that are judged.
    pub judged: u8,
}

/// Touches for which cells have no room.
#[derive(Default)]
pub(super) struct More(Vec<Vec<Noted>>);

impl More {
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl Cell {
    pub const fn of(kind: Kind, judged: u8) -> Cell {
        Cell { touches: [Touch::NONE; 2], stacks: [0; 2], more: 0, kind, judged }
    }
    /// With a first access, which is known to be ordered after all others.
    #[inline(always)]
    pub fn with(mut self, touch: Touch, stack: u32) -> Cell {
        self.touches[0] = touch;
        self.stacks[0] = stack;
        self
    }
    /// Whether this access, or one that stands for it, is noted already.
    #[inline(always)]
    pub fn knows(&self, new: Touch) -> bool {
        self.touches[0].covers(new) | self.touches[1].covers(new)
    }
    /// Notes an access. Returns one before it that the task does not know of and that conflicts with it. Then nothing is
    /// noted, unless such accesses are forgotten.
    pub fn touch(&mut self, more: &mut More, new: Noted, clock: &VectorClock, forget: bool) -> Option<Noted> {
        let mut all = [Noted::default(); 2];
        for (at, noted) in all.iter_mut().enumerate() {
            *noted = Noted { touch: self.touches[at], stack: self.stacks[at] };
        }
        let rest = match self.more {
            0 => Vec::new(),
            at => std::mem::take(&mut more.0[at as usize - 1]),
        };
        let (mut kept, mut race) = ([Noted::default(); 2], None);
        let (mut used, mut others) = (0, Vec::new());
        let mut keep = |noted: Noted| {
            if used < kept.len() {
                kept[used] = noted;
                used += 1;
            } else {
                others.push(noted);
            }
        };
        for old in all.iter().chain(&rest).filter(|old| old.touch.mask() != 0) {
            let left = old.touch.without(new.touch.mask());
            if left == old.touch {
                keep(*old);
                continue;
            }
            let is_known =
                old.touch.task() == new.touch.task() || clock.knows(old.touch.task(), old.touch.time());
            let (before, now) = (old.touch.how(), new.touch.how());
            let is_race = !is_known && before.conflicts(now);
            if is_race && !forget {
                race = race.or(Some(*old));
            }
            let is_replaced = is_race || is_known && now.stands_for(before);
            let stays = if is_replaced { left } else { old.touch };
            if stays.mask() != 0 {
                keep(Noted { touch: stays, ..*old });
            }
        }
        if race.is_some() {
            if self.more != 0 {
                more.0[self.more as usize - 1] = rest;
            }
            return race;
        }
        keep(new);
        self.touches = kept.map(|noted| noted.touch);
        self.stacks = kept.map(|noted| noted.stack);
        match (self.more, others.is_empty()) {
            (0, true) => {}
            (0, false) => {
                more.0.push(others);
                self.more = more.0.len() as u32;
            }
            (at, _) => more.0[at as usize - 1] = others,
        }
        None
    }
}

#[cfg(test)]
mod tests;
