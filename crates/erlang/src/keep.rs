//! Snapshots of the present execution, from which the next one starts. A snapshot costs about as much as a
//! step, so they are taken where executions backtrack to, and otherwise as far apart as executions usually
//! backtrack.

use crate::machine::Machine;

/// Beyond this depth snapshots are sparse.
const KEPT_DENSELY: usize = 2_000;
const SPARSE: usize = 64;

/// Snapshots, each with its number of steps, in ascending order.
#[derive(Clone, Default)]
pub(crate) struct Kept {
    states: Vec<(usize, Box<Machine>)>,
    /// Unused snapshots, kept for their memory. They are large and reused often.
    #[expect(clippy::vec_box)]
    spare: Vec<Box<Machine>>,
    /// How far executions backtrack: eight times the average number of steps.
    back: usize,
}

impl Kept {
    /// Forgets the snapshots.
    pub fn clear(&mut self) {
        self.spare.extend(self.states.drain(..).map(|(_, state)| state));
    }

    /// The search backtracks from `length` steps to the first `steps`: later snapshots are forgotten.
    pub fn go_back(&mut self, length: usize, steps: usize) {
        self.back = self.back - self.back / 8 + (length - steps);
        while let Some((_, state)) = self.states.pop_if(|(depth, _)| *depth > steps) {
            self.spare.push(state);
        }
    }

    /// The last snapshot after at most `steps` steps, and its number of steps.
    pub fn nearest(&self, steps: usize) -> Option<(usize, &Machine)> {
        let at = self.states.partition_point(|(depth, _)| *depth <= steps).checked_sub(1)?;
        let (depth, state) = &self.states[at];
        Some((*depth, state))
    }

    /// Whether the state after `steps` steps, behind all snapshots, is worth a snapshot.
    #[inline]
    pub fn is_due(&self, steps: usize) -> bool {
        let apart = (self.back / 16).max(1);
        let apart = if steps < KEPT_DENSELY { apart } else { apart.max(SPARSE) };
        steps >= self.states.last().map_or(0, |(depth, _)| *depth) + apart
    }

    /// Takes a snapshot of the state after `steps` steps, behind all others.
    pub fn keep(&mut self, steps: usize, state: &Machine) {
        debug_assert!(self.states.last().is_none_or(|(depth, _)| *depth < steps));
        let copy = match self.spare.pop() {
            Some(mut spare) => {
                (*spare).clone_from(state);
                spare
            }
            None => Box::new(state.clone()),
        };
        self.states.push((steps, copy));
    }
}
