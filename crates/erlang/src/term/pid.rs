//! Pids and references as logical names: a process is named by its parent and its index among the children, a
//! reference by its maker and its index there. They do not depend on the schedule, and their order is that of
//! their names.

use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{LazyLock, RwLock};

/// The interned name of a process.
pub struct PidName {
    parent: Option<Pid>,
    path: Vec<u32>,
    hash: u64,
}

/// A process identifier. Equal names have equal addresses.
#[derive(Clone, Copy)]
pub struct Pid(&'static PidName);

static NAMES: LazyLock<RwLock<HashMap<Vec<u32>, Pid>>> = LazyLock::new(RwLock::default);

impl Pid {
    /// The test process: `P`.
    pub fn root() -> Pid {
        static ROOT: LazyLock<Pid> = LazyLock::new(|| Pid::stored(None, Vec::new()));
        *ROOT
    }
    /// The `user` process, the default group leader. It has no code.
    pub fn user() -> Pid {
        static USER: LazyLock<Pid> = LazyLock::new(|| Pid::root().child(0));
        *USER
    }
    /// Whether it is a process of the system: `user`, or one of those numbered as its children.
    #[inline]
    pub fn is_system(self) -> bool {
        self.0.path.first() == Some(&0)
    }
    /// The `number`th child of this one, from 1.
    pub fn child(self, number: u32) -> Pid {
        let mut path = self.0.path.clone();
        path.push(number);
        if let Some(found) = NAMES.read().unwrap().get(&path) {
            return *found;
        }
        Pid::stored(Some(self), path)
    }
    fn stored(parent: Option<Pid>, path: Vec<u32>) -> Pid {
        let mut names = NAMES.write().unwrap();
        if let Some(found) = names.get(&path) {
            return *found;
        }
        let mut hash = 0x9e37_79b9_7f4a_7c15_u64;
        for part in &path {
            hash = (hash ^ *part as u64).wrapping_mul(0xff51_afd7_ed55_8ccd);
            hash ^= hash >> 33;
        }
        // Names are few: they are the same in every execution of a test.
        let pid = Pid(Box::leak(Box::new(PidName { parent, path: path.clone(), hash })));
        names.insert(path, pid);
        pid
    }
    /// Its parent.
    pub fn parent(self) -> Option<Pid> {
        self.0.parent
    }
    /// The indices on the path from the root.
    pub fn path(self) -> &'static [u32] {
        &self.0.path
    }
    /// The hash of the name.
    #[inline]
    pub fn hash64(self) -> u64 {
        self.0.hash
    }
    /// The process that this text names: `P.1`.
    pub fn parse(text: &str) -> Option<Pid> {
        let mut parts = text.split('.');
        if parts.next() != Some("P") {
            return None;
        }
        parts.try_fold(Pid::root(), |pid, part| {
            // Only the printed form is accepted.
            let number: u32 = part.parse().ok().filter(|n: &u32| n.to_string() == part)?;
            Some(pid.child(number))
        })
    }
}

impl PartialEq for Pid {
    #[inline]
    fn eq(&self, other: &Pid) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}
impl Eq for Pid {}
impl Hash for Pid {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}
impl PartialOrd for Pid {
    fn partial_cmp(&self, other: &Pid) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Pid {
    fn cmp(&self, other: &Pid) -> std::cmp::Ordering {
        if self == other { std::cmp::Ordering::Equal } else { self.0.path.cmp(&other.0.path) }
    }
}
impl fmt::Display for Pid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("P")?;
        self.0.path.iter().try_for_each(|part| write!(f, ".{part}"))
    }
}
impl fmt::Debug for Pid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A reference.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ref {
    /// The process that made it.
    pub maker: Pid,
    /// Its index there, from 1.
    pub number: u32,
}

impl fmt::Display for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#Ref<{}.{}>", self.maker, self.number)
    }
}
impl fmt::Debug for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
