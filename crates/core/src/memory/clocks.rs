//! The vector clocks of the events of a graph, three for each: what happens before it, what a read of it acquires, and
//! what its task will acquire at its next acquire fence. Rows are appended and removed with the events; they have one
//! width, which only grows.

use crate::operation::TaskId;

/// Which of the clocks of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Row {
    /// What happens before it, and itself.
    Before,
    /// What happens before the heads of the release sequences that it is part of.
    Released,
    /// What its task has read with relaxed loads, and not acquired.
    Pending,
}

const ROWS: usize = 3;

/// The clocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Clocks {
    times: Vec<u32>,
    width: usize,
}

impl Clocks {
    /// Removes all rows.
    pub fn clear(&mut self) {
        self.times.clear();
    }
    /// There are so many tasks, and so many events.
    pub fn widen(&mut self, tasks: usize, events: usize) {
        if tasks <= self.width {
            return;
        }
        let (old, wide) = (self.width, tasks.next_multiple_of(4));
        self.times.resize(events * ROWS * wide, 0);
        for row in (0..events * ROWS).rev() {
            self.times.copy_within(row * old..(row + 1) * old, row * wide);
            self.times[row * wide + old..(row + 1) * wide].fill(0);
        }
        self.width = wide;
    }
    /// Appends empty rows for event number `at`.
    #[inline]
    pub fn push(&mut self, at: usize) {
        self.times.truncate(at * ROWS * self.width);
        self.times.resize((at + 1) * ROWS * self.width, 0);
    }
    #[inline]
    fn start(&self, at: usize, row: Row) -> usize {
        (at * ROWS + row as usize) * self.width
    }
    /// The time of `task` in a row of event `at`.
    #[inline]
    pub fn time(&self, at: usize, row: Row, task: TaskId) -> u32 {
        self.times[self.start(at, row) + task.index()]
    }
    #[inline]
    pub fn set(&mut self, at: usize, row: Row, task: TaskId, time: u32) {
        let start = self.start(at, row);
        self.times[start + task.index()] = time;
    }
    /// Joins a row of another event into one of event `at`.
    #[inline]
    pub fn join(&mut self, at: usize, row: Row, other: usize, from: Row) {
        let (start, from) = (self.start(at, row), self.start(other, from));
        for lane in 0..self.width {
            self.times[start + lane] = self.times[start + lane].max(self.times[from + lane]);
        }
    }
}
