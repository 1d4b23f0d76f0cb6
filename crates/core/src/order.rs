//! Vector clocks: whether one event happens before another.

use crate::operation::TaskId;

/// The last event of each task that happens before. Missing entries are 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct VectorClock(Vec<u32>);

impl VectorClock {
    /// The empty clock.
    pub const fn new() -> VectorClock {
        VectorClock(Vec::new())
    }
    /// The time of `task` in this clock.
    #[inline]
    pub fn get(&self, task: TaskId) -> u32 {
        self.0.get(task.index()).copied().unwrap_or(0)
    }
    /// Sets the time of `task`.
    #[inline]
    pub fn set(&mut self, task: TaskId, time: u32) {
        if self.0.len() <= task.index() {
            self.0.resize(task.index() + 1, 0);
        }
        self.0[task.index()] = time;
    }
    /// Advances `task` by one and returns its new time.
    #[inline]
    pub fn tick(&mut self, task: TaskId) -> u32 {
        let time = self.get(task) + 1;
        self.set(task, time);
        time
    }
    /// The pointwise maximum with `other`.
    pub fn join(&mut self, other: &VectorClock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*theirs);
        }
    }
    /// Whether the event of `task` at `time` is covered by this clock.
    #[inline]
    pub fn knows(&self, task: TaskId, time: u32) -> bool {
        self.get(task) >= time
    }
    /// Empties the clock and keeps its memory.
    pub fn clear(&mut self) {
        self.0.clear();
    }
    /// Becomes a copy of `other` and reuses its memory.
    pub fn copy_from(&mut self, other: &VectorClock) {
        self.0.clone_from(&other.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joining_takes_the_later_of_each() {
        let (a, b) = (TaskId(0), TaskId(3));
        let mut one = VectorClock::new();
        one.tick(a);
        let mut two = VectorClock::new();
        two.tick(b);
        two.tick(b);
        one.join(&two);
        assert!(one.knows(a, 1) && one.knows(b, 2));
        assert!(!one.knows(b, 3));
        assert!(!two.knows(a, 1));
    }
}
