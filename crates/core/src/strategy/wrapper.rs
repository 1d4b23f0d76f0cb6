//! Strategies around other strategies. Every method that a wrapper does not change is the inner strategy's, so that no
//! capability is lost.

use super::{Decision, Divisible, Estimating, Next, Observation, SavedSubtree, Standing, Strategy};
use crate::trace::Trace;
use crate::verdict::{Extent, Verdict};
use crate::world::{Ending, Pick, Point};

/// What a wrapper changes of the strategy inside.
pub trait Wrapper: Send + Sized + 'static {
    /// The strategy inside.
    fn inside(&self) -> &dyn Strategy;
    /// The same, to be asked.
    fn inside_mut(&mut self) -> &mut dyn Strategy;
    /// The same wrapper around a subtree of the strategy inside.
    fn around(&self, inside: Box<dyn Strategy>) -> Self;

    /// As [`Strategy::begin`].
    fn begin(&mut self, execution: u64) -> Next {
        self.inside_mut().begin(execution)
    }
    /// As [`Strategy::choose`].
    fn choose(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision {
        self.inside_mut().choose(so_far, point)
    }
    /// As [`Strategy::over`].
    fn over(&mut self, so_far: &Trace, point: &Point<'_>, ending: Ending) -> Standing {
        self.inside_mut().over(so_far, point, ending)
    }
    /// As [`Strategy::finish`].
    fn finish(&mut self, trace: &Trace, verdict: Verdict) {
        self.inside_mut().finish(trace, verdict);
    }
    /// As [`Strategy::extent`].
    fn extent(&self, executions: u64) -> Extent {
        self.inside().extent(executions)
    }
    /// As [`Strategy::observes`].
    fn observes(&self) -> Observation {
        self.inside().observes()
    }
    /// Adds the state of the wrapper to a subtree that the strategy inside has saved.
    fn mark(&self, subtree: &mut SavedSubtree) {
        let _ = subtree;
    }
    /// Reads what [`Wrapper::mark`] has added to a subtree that is resumed.
    fn resumed(&self, subtree: &SavedSubtree) {
        let _ = subtree;
    }
}

/// A strategy with a wrapper around it.
#[derive(Clone, Debug)]
pub struct Wrapped<W>(pub W);

impl<W: Wrapper> Strategy for Wrapped<W> {
    fn begin(&mut self, execution: u64) -> Next {
        self.0.begin(execution)
    }
    fn choose(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision {
        self.0.choose(so_far, point)
    }
    fn over(&mut self, so_far: &Trace, point: &Point<'_>, ending: Ending) -> Standing {
        self.0.over(so_far, point, ending)
    }
    fn finish(&mut self, trace: &Trace, verdict: Verdict) {
        self.0.finish(trace, verdict);
    }
    fn extent(&self, executions: u64) -> Extent {
        self.0.extent(executions)
    }
    fn observes(&self) -> Observation {
        self.0.observes()
    }
    fn divisible(&mut self) -> Option<&mut dyn Divisible> {
        self.0.inside_mut().divisible().is_some().then_some(self)
    }
    fn estimating(&mut self) -> Option<&mut dyn Estimating> {
        self.0.inside_mut().estimating()
    }
}

impl<W: Wrapper> Divisible for Wrapped<W> {
    fn split(&mut self) -> Option<Box<dyn Strategy>> {
        let subtree = self.0.inside_mut().divisible()?.split()?;
        Some(Box::new(Wrapped(self.0.around(subtree))))
    }
    fn prefix(&mut self) -> &[Pick] {
        self.0.inside_mut().divisible().map_or(&[], |inside| inside.prefix())
    }
    fn save(&mut self) -> Option<Vec<SavedSubtree>> {
        let mut subtrees = self.0.inside_mut().divisible()?.save()?;
        subtrees.iter_mut().for_each(|subtree| self.0.mark(subtree));
        Some(subtrees)
    }
    fn resume(&mut self, subtree: &SavedSubtree) -> Result<Box<dyn Strategy>, String> {
        let inside = self.0.inside_mut().divisible().ok_or("the strategy inside cannot be resumed")?;
        let inside = inside.resume(subtree)?;
        self.0.resumed(subtree);
        Ok(Box::new(Wrapped(self.0.around(inside))))
    }
}
