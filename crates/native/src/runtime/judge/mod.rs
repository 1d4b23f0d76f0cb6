//! What is wrong with an execution: a panic, a deadlock, a livelock, a data race, a leak, a misuse.
//!
//! Invariant: the first failure is the verdict, and it is written before anything is torn down; what goes wrong in
//! teardown is noted and never hides it. The judge looks at [`evidence::Evidence`] and changes nothing but its own notes.

mod deadlock;
pub(crate) mod evidence;
mod leak;
mod misuse;
pub(crate) mod panics;
pub(crate) mod race;
mod rereads;
pub(in crate::runtime) mod sync_clocks;

use leak::Tracked;
use race::Races;
use raddle_core::fact::TeardownError;
use raddle_core::verdict::Defect;
use rereads::Rereads;

#[derive(Default)]
pub(crate) struct Judge {
    failure: Option<Defect>,
    /// What went wrong in teardown.
    afterwards: Vec<TeardownError>,
    races: Races,
    rereads: Rereads,
    tracked: Tracked,
    /// A cell was not judged for races, in this execution or in one before it.
    unjudged_cells: bool,
}

impl Judge {
    /// For executions with other settings.
    pub fn renew(&mut self) {
        self.unjudged_cells = false;
    }
    pub fn reset(&mut self) {
        self.failure = None;
        self.afterwards.clear();
        self.races.reset();
        self.rereads.reset();
        self.tracked.reset();
    }
    pub fn failure(&self) -> Option<&Defect> {
        self.failure.as_ref()
    }
    /// This is the verdict, unless there is one. Says whether it is.
    pub fn fail(&mut self, defect: &Defect) -> bool {
        if self.failure.is_some() {
            return false;
        }
        // A copy, since the program's memory does not outlive its execution.
        self.failure = Some(defect.clone());
        true
    }
    /// This is the verdict, even if there was another one.
    pub fn stop(&mut self, why: Defect) {
        self.failure = Some(why);
    }
    /// Something went wrong in teardown.
    pub fn note_afterwards(&mut self, what: TeardownError) {
        self.afterwards.push(what);
    }
    pub fn take_afterwards(&mut self) -> Vec<TeardownError> {
        std::mem::take(&mut self.afterwards)
    }
    pub fn tracked(&mut self) -> &mut Tracked {
        &mut self.tracked
    }
    /// What is tracked and was not dropped.
    pub fn leak(&self) -> Option<Defect> {
        self.tracked.leak()
    }
    #[inline]
    pub fn races(&self) -> &Races {
        &self.races
    }
    /// Does something with the cells. None of them is forgotten meanwhile: their lists free memory when they grow.
    pub fn with_races<R>(&mut self, f: impl FnOnce(&mut Races) -> R) -> R {
        let mut races = std::mem::take(&mut self.races);
        let result = f(&mut races);
        self.races = races;
        result
    }
    /// A cell is not judged: it is not known when its memory is freed.
    pub fn leave_cell_unjudged(&mut self) {
        self.unjudged_cells = true;
    }
    pub fn has_unjudged_cells(&self) -> bool {
        self.unjudged_cells
    }
    /// Where there are cells.
    pub fn cell_addresses(&self) -> impl Iterator<Item = usize> {
        self.races.all()
    }
    /// The cells in this range are gone.
    #[inline]
    pub fn forget(&mut self, from: usize, size: usize) {
        self.races.forget(from, size);
    }
    pub fn rereads(&self) -> &Rereads {
        &self.rereads
    }
    pub fn rereads_mut(&mut self) -> &mut Rereads {
        &mut self.rereads
    }
    /// Whether it must be known of all operations what they touch.
    #[inline(always)]
    pub fn follows_accesses(&self) -> bool {
        !self.rereads.is_empty()
    }
}
