//! Snapshots of the present execution, from which the next one starts. A snapshot costs about as much as a
//! step, so they are taken where executions backtrack to, and otherwise as far apart as executions usually
//! backtrack. Executions backtrack to states with a choice: other states are kept where there is none of those for long.
//!
//! A state is as large as its execution is long, in the number of messages. So the distance of snapshots grows with their
//! depth, and all snapshots together take as much memory as a fixed number of states.

use crate::machine::Machine;

/// The distance of snapshots is at most this fraction of their depth.
const FRACTION: usize = 64;

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

/// States without a choice are kept at this distance at least. Not much less often than others: what an operation would
/// have been before is computed from the nearest snapshot.
const WITHOUT_CHOICE: usize = 8;

/// The distance of snapshots at this depth, where executions backtrack by `back` / 8 steps on average.
#[inline]
fn apart(back: usize, depth: usize) -> usize {
    (back / 32).max(1 + depth / FRACTION)
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

    /// Whether this state, after `steps` steps and behind all snapshots, is worth a snapshot.
    #[inline]
    pub fn is_due(&self, steps: usize, state: &Machine) -> bool {
        let distance = steps - self.states.last().map_or(0, |(depth, _)| *depth);
        let apart = apart(self.back, steps);
        distance >= apart && (distance >= WITHOUT_CHOICE || state.has_choice())
    }

    /// The same while steps are taken again up to `target`: the search is likely to backtrack a little further next.
    pub fn is_due_again(&self, steps: usize, target: usize, state: &Machine) -> bool {
        self.is_due(steps, state) || (target - steps).is_power_of_two() && state.has_choice()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The depths at which a long execution takes snapshots.
    fn depths(steps: usize) -> Vec<usize> {
        let (mut depths, mut last) = (Vec::new(), 0);
        for depth in 0..steps {
            if depth >= last + apart(0, depth) {
                depths.push(depth);
                last = depth;
            }
        }
        depths
    }

    #[test]
    fn all_snapshots_take_as_much_as_a_fixed_number_of_states() {
        assert_eq!(depths(FRACTION), (1..FRACTION).collect::<Vec<_>>(), "dense at first");
        for steps in [1_000, 10_000, 100_000] {
            let together: usize = depths(steps).iter().sum();
            assert!(together <= (FRACTION + 1) * steps, "{together} for {steps} steps");
        }
    }
}
