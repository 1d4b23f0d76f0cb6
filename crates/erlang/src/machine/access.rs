//! What operations touch. The objects are few and coarse enough that three of them describe most operations;
//! an operation that touches more conflicts with everything.
//!
//! Of each process: `Itself` (it goes on as it is; read by all it does, written by what kills it and by letters
//! that it receives), `In` (what comes in), `Watch` (whether it lives, its name, who is told of its end).
//!
//! What commutes with its like, but not with something else, reads, and the other one writes: whoever joins
//! those who are told of a process's end reads its `Watch`, and its end writes it. Where the order of messages
//! is left open, arrivals read `In`, and whoever depends on what has not arrived writes it; otherwise arrivals
//! write it.

use crate::term::{Atom, Pid, Ref, Term, hash};
use raddle_core::operation::{Accesses, Mode, ObjectId};

/// Something that operations touch.
#[derive(Clone, Copy, Debug)]
pub enum Object {
    /// The process goes on as it is.
    Itself(Pid),
    /// What has come in to a process.
    In(Pid),
    /// What others ask of a process.
    Watch(Pid),
    /// A registered name.
    Name(Atom),
    /// A table: read by everything that touches one key of it.
    Table(u64),
    /// One key of a table.
    Key(u64, u64),
    /// A persistent term.
    Persistent(u64),
    /// One counter of an array.
    Counter(u64, u64),
    /// What all strictly monotonic integers come from.
    Monotonic,
    /// A timer.
    Timer(u64),
    /// An application's environment.
    Environment,
    /// The signals on their way from one process to another.
    Queue(Pid, Pid),
    /// A monitor, or an alias.
    Reference(Ref),
    /// A link between two processes.
    Link(Pid, Pid),
}

fn scramble(kind: u64, a: u64, b: u64) -> u64 {
    let mut h = kind.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ a;
    h = (h ^ h >> 32).wrapping_mul(0xff51_afd7_ed55_8ccd) ^ b;
    h = (h ^ h >> 29).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    h ^ h >> 32
}

impl Object {
    /// Names it independently of the schedule.
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
        }
    }
    /// A table, by its identifier or name.
    pub fn table(id: &Term) -> Object {
        Object::Table(hash::of(id))
    }
    /// A key of a table. Keys that may be equal in an ordered table (1 and 1.0) are one object.
    pub fn table_key(id: &Term, key: &Term) -> Object {
        let key = match key {
            Term::Float(f) if f.fract() == 0.0 && f.abs() < 9e18 => Term::Int(*f as i64),
            other => other.clone(),
        };
        Object::Key(hash::of(id), hash::of(&key))
    }
}

/// What an operation touches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Touch {
    list: [Option<(u64, bool)>; 3],
    everything: bool,
}

impl Touch {
    /// Nothing.
    pub const NOTHING: Touch = Touch { list: [None; 3], everything: false };
    /// Everything.
    pub const EVERYTHING: Touch = Touch { list: [None; 3], everything: true };

    /// Also reads this.
    #[must_use]
    pub fn read(self, object: Object) -> Touch {
        self.add(object.key(), false)
    }
    /// Also writes this.
    #[must_use]
    pub fn write(self, object: Object) -> Touch {
        self.add(object.key(), true)
    }
    fn add(mut self, key: u64, write: bool) -> Touch {
        for slot in &mut self.list {
            match slot {
                Some((k, w)) if *k == key => {
                    *w |= write;
                    return self;
                }
                Some(_) => {}
                None => {
                    *slot = Some((key, write));
                    return self;
                }
            }
        }
        Touch::EVERYTHING
    }
    /// As the engine wants it.
    pub fn accesses(self, objects: &mut Objects) -> Accesses {
        if self.everything {
            return Accesses::EVERYTHING_THERE_IS;
        }
        let each = self.list.into_iter().flatten();
        each.fold(Accesses::NONE, |all, (key, write)| {
            all.and(objects.number(key), if write { Mode::Write } else { Mode::Read })
        })
    }
}

/// The objects of one execution, numbered in the order in which they were first touched.
#[derive(Clone, Default)]
pub struct Objects {
    /// Sorted by key.
    known: std::rc::Rc<Vec<(u64, u32)>>,
}

impl Objects {
    /// The number of an object, if it was ever touched.
    pub fn find(&self, object: Object) -> Option<ObjectId> {
        let key = object.key();
        let at = self.known.binary_search_by_key(&key, |(k, _)| *k).ok()?;
        Some(ObjectId(self.known[at].1))
    }
    fn number(&mut self, key: u64) -> ObjectId {
        match self.known.binary_search_by_key(&key, |(k, _)| *k) {
            Ok(at) => ObjectId(self.known[at].1),
            Err(at) => {
                let number = self.known.len() as u32;
                std::rc::Rc::make_mut(&mut self.known).insert(at, (key, number));
                ObjectId(number)
            }
        }
    }
}
