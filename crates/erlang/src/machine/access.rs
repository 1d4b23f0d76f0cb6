//! The accesses of operations. Objects are coarse enough that six accesses describe most operations; an
//! operation with more conflicts with everything.
//!
//! Each process has three objects. `Itself` is its execution: read by all its operations, written by signals
//! that terminate it and by the messages that it receives. `In` is its mailbox. `Watch` is its liveness, its
//! name, its links and monitors, and its `trap_exit` flag.
//!
//! Operations that commute with each other but not with a third one read; the third one writes. So a new link
//! or monitor reads `Watch` of its target, and the exit of the target writes it. With unordered mailboxes an
//! arrival reads `In`, and an operation that depends on the absence of a message writes it; otherwise an
//! arrival writes it.

use crate::term::{Atom, Pid, Ref, Term, hash};
use raddle_core::operation::{Accesses, Mode, ObjectId};

/// An object of an access.
#[derive(Clone, Copy, Debug)]
pub enum Object {
    /// The execution of a process.
    Itself(Pid),
    /// The mailbox of a process.
    In(Pid),
    /// Liveness, name, links and monitors of a process, and `trap_exit`.
    Watch(Pid),
    /// A registered name.
    Name(Atom),
    /// A table: read by every access to one of its keys.
    Table(u64),
    /// One key of a table.
    Key(u64, u64),
    /// A persistent term.
    Persistent(u64),
    /// One counter of an array.
    Counter(u64, u64),
    /// The source of strictly monotonic integers.
    Monotonic,
    /// A timer.
    Timer(u64),
    /// An application's environment.
    Environment,
    /// The signals in transit from one process to another.
    Queue(Pid, Pid),
    /// A monitor, or an alias.
    Reference(Ref),
    /// A link between two processes.
    Link(Pid, Pid),
    /// The loaded versions of a module.
    Code(Atom),
    /// What a file name leads to.
    Path(u64),
    /// The names in a directory: written by those who see them all, read by those who make or remove one.
    Listing(u64),
    /// A file's contents and attributes.
    Node(u64),
    /// The directory that relative file names start from.
    WorkingDirectory,
}

fn scramble(kind: u64, a: u64, b: u64) -> u64 {
    let mut h = kind.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ a;
    h = (h ^ h >> 32).wrapping_mul(0xff51_afd7_ed55_8ccd) ^ b;
    h = (h ^ h >> 29).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    // 0 means no key.
    (h ^ h >> 32).max(1)
}

/// Equal for equal terms.
fn hash_of(term: &Term) -> u64 {
    match term {
        Term::Atom(atom) => atom.hash64(),
        Term::Int(n) => *n as u64,
        other => hash::of(other),
    }
}

impl Object {
    /// A name that does not depend on the schedule.
    pub fn key(self) -> u64 {
        match self {
            Object::Itself(p) => scramble(1, p.hash64(), 0),
            Object::In(p) => scramble(2, p.hash64(), 0),
            Object::Watch(p) => scramble(3, p.hash64(), 0),
            Object::Name(a) => scramble(4, a.hash64(), 0),
            Object::Table(t) => scramble(5, t, 0),
            Object::Key(t, k) => scramble(6, t, k),
            Object::Persistent(k) => scramble(7, k, 0),
            Object::Counter(c, i) => scramble(8, c, i),
            Object::Monotonic => scramble(9, 0, 0),
            Object::Timer(t) => scramble(10, t, 0),
            Object::Environment => scramble(11, 0, 0),
            Object::Queue(from, to) => scramble(12, from.hash64(), to.hash64()),
            Object::Reference(r) => scramble(13, r.maker.hash64(), r.number as u64),
            Object::Link(a, b) => scramble(14, a.min(b).hash64(), a.max(b).hash64()),
            Object::Code(module) => scramble(15, module.hash64(), 0),
            Object::Path(path) => scramble(16, path, 0),
            Object::Listing(path) => scramble(17, path, 0),
            Object::Node(id) => scramble(18, id, 0),
            Object::WorkingDirectory => scramble(19, 0, 0),
        }
    }
    /// A table, by its identifier or name.
    pub fn table(id: &Term) -> Object {
        Object::Table(hash_of(id))
    }
    /// A key of a table. Keys that are equal in an ordered set (1 and 1.0) are one object.
    pub fn table_key(id: &Term, key: &Term) -> Object {
        let key = match key {
            Term::Float(f) if f.fract() == 0.0 && f.abs() < 9e18 => *f as i64 as u64,
            other => hash_of(other),
        };
        Object::Key(hash_of(id), key)
    }
}

/// The accesses of an operation, before objects are numbered.
#[derive(Clone, Copy, Debug, Default)]
pub struct Touch {
    /// Object keys, and whether they are written; 0 means no key.
    list: [(u64, bool); Accesses::MOST],
    everything: bool,
    /// It conflicts with the exit of a process, and is not itself an unobserved exit.
    observes: bool,
}

impl Touch {
    /// No access.
    pub const NOTHING: Touch =
        Touch { list: [(0, false); Accesses::MOST], everything: false, observes: false };
    /// A conflict with everything.
    pub const EVERYTHING: Touch =
        Touch { list: [(0, false); Accesses::MOST], everything: true, observes: true };

    /// Adds a read.
    #[inline]
    #[must_use]
    pub fn read(self, object: Object) -> Touch {
        self.observing(object).add(object.key(), false)
    }
    /// Adds a write.
    #[inline]
    #[must_use]
    pub fn write(self, object: Object) -> Touch {
        self.observing(object).add(object.key(), true)
    }
    #[inline]
    fn observing(mut self, object: Object) -> Touch {
        self.observes |= matches!(object, Object::Watch(_));
        self
    }
    /// The accesses of both.
    #[must_use]
    pub fn union(self, other: Touch) -> Touch {
        if self.everything || other.everything {
            return Touch::EVERYTHING;
        }
        let accessed = other.list.into_iter().filter(|(key, _)| *key != 0);
        let all = accessed.fold(self, |all, (key, write)| all.add(key, write));
        Touch { observes: all.observes || other.observes, ..all }
    }
    /// Adds the exit of this process, which sends no signal.
    #[must_use]
    pub fn ends(self, pid: Pid) -> Touch {
        self.add(Object::Watch(pid).key(), true)
    }
    /// Whether it conflicts with exits of other processes.
    #[inline]
    pub fn observes_ends(self) -> bool {
        self.observes
    }
    #[inline]
    fn add(mut self, key: u64, write: bool) -> Touch {
        for slot in &mut self.list {
            if slot.0 == key || slot.0 == 0 {
                *slot = (key, slot.1 | write);
                return self;
            }
        }
        Touch::EVERYTHING
    }
    /// The accesses with numbered objects.
    pub fn accesses(self, objects: &mut Objects) -> Accesses {
        if self.everything {
            return Accesses::EVERYTHING_THERE_IS;
        }
        let mut all = Accesses::NONE;
        for (key, write) in self.list {
            if key == 0 {
                break;
            }
            all = all.and(objects.number(key), if write { Mode::Write } else { Mode::Read });
        }
        all
    }
}

/// The objects of one execution, numbered in the order of their first access.
#[derive(Clone, Default)]
pub struct Objects {
    /// None before the first access.
    known: Option<std::rc::Rc<Numbered>>,
    /// The latest objects, which take the next numbers: copied with the state, so that a new table is rarely
    /// needed.
    latest: [u64; Objects::LATEST],
    /// The number of latest objects.
    late: u32,
}

/// A hash table of nonzero keys with linear probing; its size is a power of two, half of it empty.
#[derive(Clone, Default)]
struct Numbered {
    places: Vec<(u64, u32)>,
    len: u32,
}

impl Numbered {
    /// The slot of a key, present or not.
    #[inline]
    fn place(&self, key: u64) -> usize {
        let mask = self.places.len() - 1;
        let mut at = key as usize & mask;
        while self.places[at].0 != key && self.places[at].0 != 0 {
            at = (at + 1) & mask;
        }
        at
    }
    #[inline]
    fn find(&self, key: u64) -> Option<ObjectId> {
        if self.places.is_empty() {
            return None;
        }
        let (found, number) = self.places[self.place(key)];
        (found != 0).then_some(ObjectId(number))
    }
    fn add(&mut self, key: u64) {
        if 2 * (self.len as usize + 1) > self.places.len() {
            let more = vec![(0, 0); (2 * self.places.len()).max(64)];
            for (key, number) in std::mem::replace(&mut self.places, more) {
                if key != 0 {
                    let at = self.place(key);
                    self.places[at] = (key, number);
                }
            }
        }
        let at = self.place(key);
        self.places[at] = (key, self.len);
        self.len += 1;
    }
}

impl Objects {
    const LATEST: usize = 4;

    /// Whether both are known to number the same objects; false if unsure.
    #[inline]
    pub fn is_same(&self, other: &Objects) -> bool {
        let known = match (&self.known, &other.known) {
            (Some(a), Some(b)) => std::rc::Rc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        };
        let late = self.late as usize;
        known && self.late == other.late && self.latest[..late] == other.latest[..late]
    }

    /// The number of an object, if it was accessed.
    pub fn find(&self, object: Object) -> Option<ObjectId> {
        self.find_key(object.key())
    }
    #[inline]
    fn find_key(&self, key: u64) -> Option<ObjectId> {
        let known = self.known.as_ref();
        known.and_then(|known| known.find(key)).or_else(|| {
            let at = self.latest[..self.late as usize].iter().position(|k| *k == key)?;
            Some(ObjectId(known.map_or(0, |known| known.len) + at as u32))
        })
    }
    #[inline]
    fn number(&mut self, key: u64) -> ObjectId {
        self.find_key(key).unwrap_or_else(|| self.add(key))
    }
    fn add(&mut self, key: u64) -> ObjectId {
        if self.late as usize == Objects::LATEST {
            let known = std::rc::Rc::make_mut(self.known.get_or_insert_default());
            for key in &self.latest {
                known.add(*key);
            }
            self.late = 0;
        }
        self.latest[self.late as usize] = key;
        self.late += 1;
        ObjectId(self.known.as_ref().map_or(0, |known| known.len) + self.late - 1)
    }
}

/// A summary of accesses: hashed bits of the objects that are accessed, and of those that are written. It
/// over-approximates conflicts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mark {
    touched: u64,
    written: u64,
}

impl Mark {
    /// The summary of these accesses.
    #[inline]
    pub fn of(accesses: Accesses) -> Mark {
        if accesses.is_everything() {
            return Mark { touched: u64::MAX, written: u64::MAX };
        }
        // All operations share one bit: a conflict with everything includes an operation without accesses.
        accesses.iter().fold(Mark { touched: 1, written: 0 }, |mark, access| {
            let bit = 1 << (access.object.0 % 64).max(1);
            let written = if access.mode == Mode::Write { bit } else { 0 };
            Mark { touched: mark.touched | bit, written: mark.written | written }
        })
    }
    /// Whether the two may conflict.
    #[inline]
    pub fn may_conflict(self, other: Mark) -> bool {
        self.touched & other.written | self.written & other.touched != 0
    }
}

/// The marks of all tasks.
#[derive(Debug, Default)]
pub struct Marks {
    all: Vec<Mark>,
    /// The tasks that have a mark, in ascending order. Most tasks of a long execution are messages that were received.
    marked: Vec<u32>,
}

impl Clone for Marks {
    fn clone(&self) -> Marks {
        Marks { all: self.all.clone(), marked: self.marked.clone() }
    }
    fn clone_from(&mut self, other: &Marks) {
        self.all.clone_from(&other.all);
        self.marked.clone_from(&other.marked);
    }
}

impl Marks {
    /// Sets the mark of a task, which is known or the next one.
    #[inline]
    pub fn set(&mut self, task: usize, mark: Mark) {
        if task == self.all.len() {
            self.all.push(Mark::default());
        }
        let before = std::mem::replace(&mut self.all[task], mark);
        if (before.touched == 0) != (mark.touched == 0) {
            match self.marked.binary_search(&(task as u32)) {
                Ok(at) => _ = self.marked.remove(at),
                Err(at) => self.marked.insert(at, task as u32),
            }
        }
    }
}

/// The tasks whose pending operation must be evaluated again.
#[derive(Clone, Debug, Default)]
pub struct Stale {
    first: [u64; Stale::WORDS],
    /// The tasks beyond the bit set, perhaps several times.
    more: Vec<u32>,
    /// All tasks beyond the bit set.
    all: bool,
}

impl Stale {
    const WORDS: usize = 4;
    const FIRST: usize = 64 * Stale::WORDS;

    /// Adds one task.
    #[inline]
    pub fn add(&mut self, task: usize) {
        match self.first.get_mut(task / 64) {
            Some(word) => *word |= 1 << (task % 64),
            None if self.all || self.more.last() == Some(&(task as u32)) => {}
            None => self.more.push(task as u32),
        }
    }
    /// Whether no task is in it.
    #[inline]
    pub fn is_empty(&self) -> bool {
        !self.all && self.more.is_empty() && self.first.iter().all(|word| *word == 0)
    }
    /// Adds the tasks whose operation may conflict with this mark.
    #[inline]
    pub fn add_conflicts(&mut self, marks: &Marks, mark: Mark) {
        for task in marks.marked.iter().map(|task| *task as usize) {
            if marks.all[task].may_conflict(mark) {
                self.add(task);
            }
        }
    }
    /// Adds all tasks.
    pub fn everything(&mut self) {
        self.first = [u64::MAX; Stale::WORDS];
        self.more.clear();
        self.all = true;
    }
    /// Puts the tasks in ascending order, each once.
    #[inline]
    pub fn sort(&mut self) {
        if self.more.len() > 1 {
            self.more.sort_unstable();
            self.more.dedup();
        }
    }
    /// The tasks among the first `len`, perhaps with others; in ascending order, if they were sorted.
    #[inline]
    pub fn each(&self, len: usize, mut visit: impl FnMut(usize)) {
        for (at, word) in self.first.iter().enumerate().take(len.div_ceil(64)) {
            let mut left = *word;
            while left != 0 {
                let task = at * 64 + left.trailing_zeros() as usize;
                if task >= len {
                    return;
                }
                visit(task);
                left &= left - 1;
            }
        }
        match self.all {
            true => (Stale::FIRST..len).for_each(visit),
            false => self.more.iter().map(|task| *task as usize).filter(|task| *task < len).for_each(visit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_see_every_conflict() {
        let mut rng = raddle_core::random::Rng::new(3, 0);
        let mut some = || {
            let lanes = rng.below(7);
            let all = (0..lanes).fold(Accesses::NONE, |all, _| {
                let mode = if rng.below(2) == 0 { Mode::Read } else { Mode::Write };
                all.and(ObjectId(rng.below(100)), mode)
            });
            if rng.below(20) == 0 { Accesses::EVERYTHING_THERE_IS } else { all }
        };
        for _ in 0..10_000 {
            let (a, b) = (some(), some());
            assert!(!a.conflict(b) || Mark::of(a).may_conflict(Mark::of(b)), "{a:?} {b:?}");
        }
    }

    #[test]
    fn stale_tasks_are_visited_once_however_many_there_are() {
        let visited = |stale: &Stale, len| {
            let mut all = Vec::new();
            stale.each(len, |task| all.push(task));
            all
        };
        let mut stale = Stale::default();
        assert!(stale.is_empty());
        [700, 3, 300, 700, 64, 300].into_iter().for_each(|task| stale.add(task));
        let (mut marks, written) = (Marks::default(), Mark::of(Accesses::write(ObjectId(5))));
        for task in 0..1_000 {
            let is_marked = [3, 500, 700].contains(&task);
            marks.set(task, if is_marked { written } else { Mark::default() });
        }
        marks.set(500, Mark::default());
        stale.add_conflicts(&marks, written);
        stale.sort();
        assert_eq!(visited(&stale, 1_000), [3, 64, 300, 700]);
        assert_eq!(visited(&stale, 400), [3, 64, 300]);
        stale.everything();
        stale.add(999);
        assert_eq!(visited(&stale, 1_000), (0..1_000).collect::<Vec<_>>());
    }
}
