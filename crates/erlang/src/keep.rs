//! States of the present execution that are kept, so that the next one can begin with a copy. A copy costs about as
//! much as a step, so states are kept where executions go back to, and otherwise as far apart as executions usually go
//! back.

use crate::machine::Machine;

/// States beyond this depth are kept only now and then.
const KEPT_DENSELY: usize = 2_000;
const SPARSE: usize = 64;

/// States that were kept, each after so many steps, in ascending order.
#[derive(Clone, Default)]
pub(crate) struct Kept {
    states: Vec<(usize, Box<Machine>)>,
    /// States that nobody needs any more, for their memory. They go to and fro, and are large.
    #[expect(clippy::vec_box)]
    spare: Vec<Box<Machine>>,
    /// By how many steps executions go back: eight times the average.
    back: usize,
}

impl Kept {
    /// Forgets the states.
    pub fn clear(&mut self) {
        self.spare.extend(self.states.drain(..).map(|(_, state)| state));
    }

    /// An execution of so many steps is left after the first `steps` of them: what lies behind is forgotten.
    pub fn go_back(&mut self, length: usize, steps: usize) {
        self.back = self.back - self.back / 8 + (length - steps);
        while let Some((_, state)) = self.states.pop_if(|(depth, _)| *depth > steps) {
            self.spare.push(state);
        }
    }

    /// The last state that was kept after at most so many steps, and after how many.
    pub fn nearest(&self, steps: usize) -> Option<(usize, &Machine)> {
        let at = self.states.partition_point(|(depth, _)| *depth <= steps).checked_sub(1)?;
        let (depth, state) = &self.states[at];
        Some((*depth, state))
    }

    /// Whether the state after so many steps, behind all that were kept, is worth a copy.
    #[inline]
    pub fn is_due(&self, steps: usize) -> bool {
        let apart = (self.back / 16).max(1);
        let apart = if steps < KEPT_DENSELY { apart } else { apart.max(SPARSE) };
        steps >= self.states.last().map_or(0, |(depth, _)| *depth) + apart
    }

    /// Keeps the state after so many steps, behind all that were kept.
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
