//! A cache of the local runs of processes: the same process state with the same input continues in the same
//! way. A hit saves the run and the copy, and states share the resulting process. Debug builds run the
//! process as well and compare.

use super::{Machine, Mail, Task};
use crate::process::Process;
use crate::term::{Fun, Map, Term};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The input of a process.
#[derive(Clone, Debug)]
pub(crate) enum Given {
    /// The value of its pending call.
    Value(Term),
    /// Permission to receive the message at this position.
    Turn(u32),
    /// A message, and how it is listed with unordered mailboxes.
    Message(Term, Mail),
    /// Permission to exit without sending a signal.
    Rest,
}

impl Given {
    fn kind(&self) -> usize {
        match self {
            Given::Value(_) => 0,
            Given::Turn(_) => 1,
            Given::Message(..) => 2,
            Given::Rest => 3,
        }
    }
    fn is_same(&self, other: &Given) -> bool {
        let mut left = LOOKED_AT;
        match (self, other) {
            (Given::Value(a), Given::Value(b)) => is_same(a, b, &mut left),
            (Given::Turn(a), Given::Turn(b)) => a == b,
            (Given::Message(a, x), Given::Message(b, y)) => x == y && is_same(a, b, &mut left),
            (Given::Rest, Given::Rest) => true,
            _ => false,
        }
    }
}

/// The size of terms that are compared: a comparison must not cost more than a run.
const LOOKED_AT: u32 = 64;

/// Whether two terms are known to be identical. `=:=` is not enough: it equates 0.0 and -0.0.
fn is_same(a: &Term, b: &Term, left: &mut u32) -> bool {
    if *left == 0 {
        return false;
    }
    *left -= 1;
    let mut all =
        |a: &[Term], b: &[Term]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b, left));
    match (a, b) {
        (Term::Nil, Term::Nil) => true,
        (Term::Int(a), Term::Int(b)) => a == b,
        (Term::Atom(a), Term::Atom(b)) => a == b,
        (Term::Pid(a), Term::Pid(b)) => a == b,
        (Term::Ref(a), Term::Ref(b)) => a == b,
        (Term::Catch(m, a), Term::Catch(n, b)) => (m, a) == (n, b),
        (Term::Float(a), Term::Float(b)) => a.to_bits() == b.to_bits(),
        (Term::Big(a), Term::Big(b)) => a == b,
        (Term::Tuple(a), Term::Tuple(b)) => Rc::ptr_eq(a, b) || all(a, b),
        (Term::Cons(a), Term::Cons(b)) => {
            Rc::ptr_eq(a, b) || is_same(&a.head, &b.head, left) && is_same(&a.tail, &b.tail, left)
        }
        (Term::Bits(a), Term::Bits(b)) => Rc::ptr_eq(a, b),
        (Term::Map(a), Term::Map(b)) => {
            let (x, y) = (a.entries(), b.entries());
            let mut pair = |(x, y): (&(Term, Term), &(Term, Term))| {
                is_same(&x.0, &y.0, left) && is_same(&x.1, &y.1, left)
            };
            Rc::ptr_eq(a, b) || x.len() == y.len() && x.iter().zip(y).all(&mut pair)
        }
        (Term::Fun(a), Term::Fun(b)) => {
            Rc::ptr_eq(a, b)
                || match (&**a, &**b) {
                    (
                        Fun::Local { module: m, index: i, uniq: u, free: e, creator: c, .. },
                        Fun::Local { module: n, index: j, uniq: v, free: f, creator: d, .. },
                    ) => m == n && i == j && u == v && c == d && all(e, f),
                    _ => false,
                }
        }
        _ => false,
    }
}

/// The size of registers and dictionaries that are compared to find loops.
const LOOKED_AT_IN_LOOPS: u32 = 4_096;

/// Whether these terms are known to be identical.
pub(super) fn are_same(a: &[Term], b: &[Term]) -> bool {
    let mut left = LOOKED_AT_IN_LOOPS;
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b, &mut left))
}

/// The same of the entries of maps.
pub(super) fn have_same_entries(a: &Map, b: &Map) -> bool {
    let mut left = LOOKED_AT_IN_LOOPS;
    let mut same = |(x, y): (&(Term, Term), &(Term, Term))| {
        is_same(&x.0, &y.0, &mut left) && is_same(&x.1, &y.1, &mut left)
    };
    a.len() == b.len() && a.entries().iter().zip(b.entries()).all(&mut same)
}

struct Entry {
    before: Rc<Process>,
    given: Given,
    now: u64,
    after: Rc<Process>,
    /// The value that the test process returned, if it did.
    result: Option<Term>,
}

const WAYS: usize = 4;
const SETS: usize = 1 << 10;

/// The cache, of fixed size.
#[derive(Default)]
pub struct LocalRunCache {
    /// By process and kind of input, the newest first.
    sets: RefCell<Vec<[Option<Entry>; WAYS]>>,
    /// By process and kind of input.
    worth: [Cell<Worth>; PREDICTORS],
}

/// Processes and kinds of input share this many predictions.
const PREDICTORS: usize = 32;

/// Whether the cache is likely to save runs of a process with a kind of input. To keep a run costs a copy of the process: about a
/// fifth of what a hit saves.
#[derive(Clone, Copy)]
struct Worth {
    /// Up by a hit, down by a miss.
    score: u8,
    /// The number of misses, as far as it matters.
    misses: u8,
}

impl Worth {
    const MOST: u8 = 64;
    const HIT: u8 = 5;
    /// Where it is not worth it, every so many runs are kept nevertheless.
    const RARELY: u8 = 16;

    fn hit(&mut self) {
        self.score = (self.score + Worth::HIT).min(Worth::MOST);
    }
    /// Returns whether to keep the run.
    fn miss(&mut self) -> bool {
        self.score = self.score.saturating_sub(1);
        self.misses = (self.misses + 1) % Worth::RARELY;
        self.score > 0 || self.misses == 0
    }
}

impl Default for Worth {
    fn default() -> Worth {
        Worth { score: Worth::MOST, misses: 0 }
    }
}

fn set_of(before: &Rc<Process>, given: &Given) -> usize {
    let address = Rc::as_ptr(before).addr() >> 4;
    (address.wrapping_add(given.kind()).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) % SETS
}

impl LocalRunCache {
    fn find(&self, before: &Rc<Process>, given: &Given, now: u64) -> Option<(Rc<Process>, Option<Term>)> {
        let sets = self.sets.borrow();
        let ways = sets.get(set_of(before, given))?;
        let is_it = |e: &&Entry| Rc::ptr_eq(&e.before, before) && e.now == now && e.given.is_same(given);
        ways.iter().flatten().find(is_it).map(|e| (e.after.clone(), e.result.clone()))
    }
    /// Notes a hit or a miss. Returns whether a run is worth to be kept.
    fn note(&self, before: &Process, given: &Given, is_hit: bool) -> bool {
        let at = (before.pid.hash64() as usize).wrapping_add(given.kind()) % PREDICTORS;
        let worth = &self.worth[at];
        let mut now = worth.get();
        let keeps = if is_hit {
            now.hit();
            true
        } else {
            now.miss()
        };
        worth.set(now);
        keeps
    }
    fn keep(&self, entry: Entry) {
        let mut sets = self.sets.borrow_mut();
        if sets.is_empty() {
            sets.resize_with(SETS, Default::default);
        }
        let ways = &mut sets[set_of(&entry.before, &entry.given)];
        ways.rotate_right(1);
        ways[0] = Some(entry);
    }
}

impl Machine {
    /// Process `task`, in state `before`, gets an input: runs it, or takes the result from the cache.
    pub(super) fn again(
        &mut self,
        task: usize,
        before: Rc<Process>,
        given: Given,
        run: impl FnOnce(&mut Machine, Given),
    ) {
        // What a process runs may depend on the code that was loaded.
        let is_shareable =
            self.log.is_none() && self.over.is_none() && self.versions.is_empty() && !before.is_large();
        if !is_shareable || !Rc::ptr_eq(self.process(task), &before) {
            drop(before);
            return run(self, given);
        }
        if let Some((after, result)) = self.env.run_cache.find(&before, &given, self.now) {
            self.env.run_cache.note(&before, &given, true);
            #[cfg(debug_assertions)]
            self.compare(task, &after, &result, given, run);
            self.stale.add(task);
            self.tasks[task] = Task::Process(after);
            if result.is_some() {
                self.result = result;
            }
            return;
        }
        if !self.env.run_cache.note(&before, &given, false) {
            drop(before);
            return run(self, given);
        }
        let had = self.result.is_some();
        run(self, given.clone());
        // The end of the execution is more than a local effect.
        if self.over.is_none() {
            let result = if had { None } else { self.result.clone() };
            let after = self.process(task).clone();
            self.env.run_cache.keep(Entry { before, given, now: self.now, after, result });
        }
    }

    /// The cached result must equal the real one.
    #[cfg(debug_assertions)]
    fn compare(
        &self,
        task: usize,
        remembered: &Rc<Process>,
        result: &Option<Term>,
        given: Given,
        run: impl FnOnce(&mut Machine, Given),
    ) {
        if !self.steps.is_multiple_of(3) {
            return;
        }
        let mut copy = self.clone();
        run(&mut copy, given);
        let mark = |p: &Process| {
            let mut f = crate::term::hash::Fingerprint::default();
            p.fingerprint(&mut f, &|n| n as u64);
            (f.value(), p.messages.clone())
        };
        let (there, here) = (mark(copy.process(task)), mark(remembered));
        let returned = if self.result.is_some() { None } else { copy.result };
        assert!(
            there == here && returned == *result,
            "{} is remembered otherwise than it goes",
            self.name_of(task)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(a: &Term, b: &Term) -> bool {
        is_same(a, b, &mut LOOKED_AT.clone())
    }

    #[test]
    fn zeros_of_both_signs_are_not_the_same() {
        assert!(same(&Term::Float(0.0), &Term::Float(0.0)));
        assert!(!same(&Term::Float(0.0), &Term::Float(-0.0)));
        assert!(!same(&Term::Int(0), &Term::Float(0.0)));
        let pair = |f| Term::tuple([Term::Int(1), Term::Float(f)]);
        assert!(same(&pair(0.0), &pair(0.0)) && !same(&pair(0.0), &pair(-0.0)));
    }

    #[test]
    fn what_is_too_long_to_compare_is_not_the_same() {
        let list = |n: i64| Term::list((0..n).map(Term::Int).collect::<Vec<_>>());
        assert!(same(&list(10), &list(10)));
        assert!(!same(&list(10), &list(11)));
        assert!(!same(&list(1_000), &list(1_000)));
        let long = list(1_000);
        assert!(same(&long, &long.clone()), "it is one list");
    }
}
