//! Which arrivals of messages happen before which, with unordered mailboxes: vector clocks over the tasks in whose steps
//! messages arrive.
//!
//! The steps of a task are totally ordered, so a set of arrivals that is closed under happens-before is a number for each
//! of these tasks. Invariant: the clock of a task covers the arrivals that happen before its next step by program order and
//! births, the clocks of an object those that happen before its next reader and its next writer.

use raddle_core::operation::{Accesses, Mode};
use std::ops::Range;
use std::rc::Rc;

/// A set of arrivals: for each task that has brought one, by its rank, how many of its arrivals are in the set.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Arrivals(Rc<[u32]>);

impl Arrivals {
    /// Whether it has the arrival with this index, from 1, among those of the task of this rank.
    #[inline]
    pub fn contains(&self, rank: u32, index: u32) -> bool {
        self.0.get(rank as usize).is_some_and(|last| *last >= index)
    }
    /// By rank, the number of arrivals.
    #[inline]
    pub fn last_of_each(&self) -> &[u32] {
        &self.0
    }
    fn insert(&mut self, rank: u32, index: u32) {
        let rank = rank as usize;
        match Rc::get_mut(&mut self.0).and_then(|counts| counts.get_mut(rank)) {
            Some(count) => *count = index.max(*count),
            None => {
                let numbers = 0..self.0.len().max(rank + 1);
                let of =
                    |r: usize| self.0.get(r).copied().unwrap_or(0).max(if r == rank { index } else { 0 });
                self.0 = numbers.map(of).collect();
            }
        }
    }
    fn has_all_of(&self, other: &Arrivals) -> bool {
        let within = |(mine, theirs): (&u32, &u32)| mine >= theirs;
        self.0.len() >= other.0.len() && self.0.iter().zip(other.0.iter()).all(within)
    }
    #[inline]
    fn join(&mut self, other: &Arrivals) {
        if Rc::ptr_eq(&self.0, &other.0) || self.has_all_of(other) {
            return;
        }
        if other.has_all_of(self) {
            self.0 = other.0.clone();
            return;
        }
        let (longer, shorter) = if self.0.len() < other.0.len() { (other, &*self) } else { (&*self, other) };
        let of = |(rank, count): (usize, &u32)| shorter.0.get(rank).map_or(*count, |other| *count.max(other));
        self.0 = longer.0.iter().enumerate().map(of).collect();
    }
}

/// An arrival, by the task in whose step it was.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// Its number among all messages.
    pub number: u32,
    /// The rank of the task, and the index among its arrivals, from 1.
    pub rank: u32,
    /// See `rank`.
    pub index: u32,
    /// The arrivals that happen before it.
    pub after: Arrivals,
}

impl Arrival {
    /// Whether another arrival happens before this one.
    #[inline]
    pub fn is_after(&self, other: &Arrival) -> bool {
        self.after.contains(other.rank, other.index)
    }
}

/// The arrivals that happen before the next step of each task, and before the next access to each object.
#[derive(Clone, Default)]
pub struct ArrivalClocks {
    messages: u32,
    /// For each task that takes further steps, in ascending order; the clock of others is empty. Messages that were received
    /// are not among them: most tasks of a long execution are.
    tasks: Vec<(u32, Arrivals)>,
    /// The tasks that have brought messages, by rank.
    ranks: Rc<Vec<u32>>,
    /// For the next read of an object, and for the next write.
    objects: Vec<(Arrivals, Arrivals)>,
    /// All arrivals so far.
    all: Arrivals,
    /// For every task: those before the last step that conflicts with everything.
    before_barrier: Arrivals,
    /// For the present step.
    present: Arrivals,
    /// A message was received before one that had arrived earlier.
    pub overtaken: bool,
}

impl ArrivalClocks {
    /// Whether no message has arrived.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.messages == 0
    }
    /// A step of `task` begins.
    pub fn begin(&mut self, task: usize, accesses: Accesses) {
        if accesses.is_everything() {
            self.present = self.all.clone();
            return;
        }
        let known = self.place_of(task).ok();
        let mut present = known.map_or_else(Arrivals::default, |at| self.tasks[at].1.clone());
        present.join(&self.before_barrier);
        for access in accesses.iter() {
            if let Some((to_readers, to_writers)) = self.objects.get(access.object.index()) {
                present.join(if access.mode == Mode::Write { to_writers } else { to_readers });
            }
        }
        self.present = present;
    }
    /// Where the clock of a task is, or would be.
    fn place_of(&self, task: usize) -> Result<usize, usize> {
        self.tasks.binary_search_by_key(&(task as u32), |(task, _)| *task)
    }
    /// It is over. The tasks with numbers in `new` were created in it. `takes_more` says whether its task takes further
    /// steps.
    pub fn end(&mut self, current: usize, accesses: Accesses, new: Range<usize>, takes_more: bool) {
        let present = std::mem::take(&mut self.present);
        // A new task inherits from its parent.
        self.tasks.extend(new.map(|task| (task as u32, present.clone())));
        if accesses.is_everything() {
            self.before_barrier = present.clone();
        }
        for access in accesses.iter() {
            let at = access.object.index();
            if self.objects.len() <= at {
                self.objects.resize(at + 1, Default::default());
            }
            let (to_readers, to_writers) = &mut self.objects[at];
            to_writers.join(&present);
            if access.mode == Mode::Write {
                to_readers.join(&present);
            }
        }
        match self.place_of(current) {
            Ok(at) if takes_more => self.tasks[at].1 = present,
            Ok(at) => _ = self.tasks.remove(at),
            Err(at) if takes_more => self.tasks.insert(at, (current as u32, present)),
            Err(_) => {}
        }
    }
    /// A message arrives in the present step, of task `current`.
    pub fn post(&mut self, current: usize) -> Arrival {
        let rank = self.ranks.iter().position(|t| *t as usize == current).unwrap_or_else(|| {
            Rc::make_mut(&mut self.ranks).push(current as u32);
            self.ranks.len() - 1
        }) as u32;
        let index = self.all.0.get(rank as usize).map_or(0, |last| *last) + 1;
        let arrival = Arrival { number: self.messages, rank, index, after: self.present.clone() };
        self.messages += 1;
        self.all.insert(rank, index);
        self.present.insert(rank, index);
        arrival
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_core::operation::ObjectId;

    fn posted(clocks: &mut ArrivalClocks, by: usize, accesses: Accesses, as_task: usize) -> Arrival {
        clocks.begin(by, accesses);
        let arrival = clocks.post(by);
        clocks.end(by, accesses, as_task..as_task + 1, true);
        arrival
    }

    #[test]
    fn arrivals_are_ordered_by_program_order_and_by_objects() {
        let object = ObjectId(0);
        let mut clocks = ArrivalClocks::default();
        let first = posted(&mut clocks, 0, Accesses::NONE, 2);
        let other = posted(&mut clocks, 1, Accesses::write(object), 3);
        let second = posted(&mut clocks, 0, Accesses::read(object), 4);
        assert!(second.is_after(&first) && second.is_after(&other));
        assert!(!other.is_after(&first) && !first.is_after(&other));
        assert_eq!((second.number, second.index), (2, 2));
        let last = posted(&mut clocks, 1, Accesses::EVERYTHING_THERE_IS, 5);
        assert!(last.is_after(&second) && last.is_after(&first));
        let later = posted(&mut clocks, 0, Accesses::NONE, 6);
        assert!(later.is_after(&last), "nothing comes before a barrier");
    }
}
