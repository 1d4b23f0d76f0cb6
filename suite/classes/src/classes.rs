//! Mazurkiewicz traces computed the simple way: which steps conflict, one by one, by names that do not depend on the
//! schedule.

use raddle_core::operation::TaskId;
use raddle_core::strategy::{Decision, Observation, Standing, Strategy, Wrapped, Wrapper};
use raddle_core::trace::Trace;
use raddle_core::world::{Ending, Point};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

type Path = Vec<u32>;

/// For each task, the option of each of its steps and how far that step knew every task to be.
pub type Class = BTreeMap<Path, Vec<(u32, BTreeMap<Path, u32>)>>;

/// The class of a trace whose tasks have these names and were born after so many steps. If the last step ended the
/// execution for all tasks, only the steps that happen before it count.
pub fn class(trace: &Trace, names: &[Path], births: &[usize], ending: Ending) -> Class {
    let steps = trace.steps();
    let mut clocks: Vec<BTreeMap<Path, u32>> = Vec::new();
    for (i, step) in steps.iter().enumerate() {
        let mut clock: BTreeMap<Path, u32> = BTreeMap::new();
        let name = &names[step.task.index()];
        for (j, earlier) in steps[..i].iter().enumerate() {
            let is_parent = name.len() == names[earlier.task.index()].len() + 1
                && name.starts_with(&names[earlier.task.index()])
                && j < births[step.task.index()];
            if earlier.task == step.task || earlier.accesses.conflict(step.accesses) || is_parent {
                for (name, time) in &clocks[j] {
                    let mine = clock.entry(name.clone()).or_insert(0);
                    *mine = (*mine).max(*time);
                }
            }
        }
        *clock.entry(name.clone()).or_insert(0) += 1;
        clocks.push(clock);
    }
    let last = steps.iter().rposition(|s| !s.by_itself);
    let end = last.filter(|_| ending == Ending::Cut).map(|last| clocks[last].clone());
    let mut class = Class::new();
    for (step, clock) in steps.iter().zip(clocks) {
        let name = &names[step.task.index()];
        if end.as_ref().is_none_or(|end| end.get(name) >= clock.get(name)) {
            class.entry(name.clone()).or_default().push((step.option, clock));
        }
    }
    class
}

/// Each class, whether it was cut, with the number of executions in it.
pub type Seen = BTreeMap<(bool, Class), u64>;
/// What is filled in while a search goes on.
pub type Classes = Arc<Mutex<Seen>>;

/// What a classifier saw. Executions that were cut short are also counted by all that had happened by then, as if the last
/// step conflicted with everything.
#[derive(Clone, Default)]
pub struct Counts {
    /// By class.
    pub classes: Classes,
    /// Those that were cut short, by all that had happened.
    pub whole: Classes,
    /// Those that were abandoned.
    pub redundant: Redundant,
}

/// How many executions were abandoned, by the reason.
#[derive(Clone, Debug, Default)]
pub struct Redundant {
    /// An enabled operation belongs to another branch.
    forbidden: Arc<AtomicU64>,
    /// All enabled tasks were in the sleep set.
    sleep_set_blocked: Arc<AtomicU64>,
}

impl Redundant {
    /// How many of them because an enabled operation belongs to another branch.
    pub fn forbidden(&self) -> u64 {
        self.forbidden.load(Relaxed)
    }
    /// How many because all enabled tasks were in the sleep set.
    pub fn sleep_set_blocked(&self) -> u64 {
        self.sleep_set_blocked.load(Relaxed)
    }
}

/// See [`Counts`].
pub struct Classifier {
    inside: Box<dyn Strategy>,
    seen: Counts,
}

/// `inside`, and the classes of its executions.
pub fn classifier(inside: impl Strategy + 'static) -> (Wrapped<Classifier>, Classes) {
    let (classifier, counts) = counting(inside);
    (classifier, counts.classes)
}

/// `inside`, and all that is counted of its executions.
pub fn counting(inside: impl Strategy + 'static) -> (Wrapped<Classifier>, Counts) {
    let seen = Counts::default();
    (Wrapped(Classifier { inside: Box::new(inside), seen: seen.clone() }), seen)
}

/// The names of all tasks at a point.
fn names(point: &Point<'_>) -> Vec<Path> {
    let mut names: Vec<Path> = Vec::new();
    for task in (0..point.all().len()).map(|t| TaskId(t as u32)) {
        let birth = point.birth(task);
        let mut name = names.get(birth.parent.index()).cloned().unwrap_or_default();
        name.push(birth.number);
        names.push(name);
    }
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    names
}

impl Wrapper for Classifier {
    fn inside(&self) -> &dyn Strategy {
        &*self.inside
    }
    fn inside_mut(&mut self) -> &mut dyn Strategy {
        &mut *self.inside
    }
    fn around(&self, inside: Box<dyn Strategy>) -> Classifier {
        Classifier { inside, seen: self.seen.clone() }
    }
    fn choose(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision {
        let decision = self.inside.choose(so_far, point);
        match decision {
            Decision::ABANDON => _ = self.seen.redundant.forbidden.fetch_add(1, Relaxed),
            Decision::SLEEP_SET_BLOCKED => _ = self.seen.redundant.sleep_set_blocked.fetch_add(1, Relaxed),
            _ => {}
        }
        decision
    }
    fn over(&mut self, so_far: &Trace, point: &Point<'_>, ending: Ending) -> Standing {
        if ending != Ending::Stopped {
            self.classify(so_far, point, ending);
        }
        self.inside.over(so_far, point, ending)
    }
    /// Each point is looked at.
    fn observes(&self) -> Observation {
        Observation::Counterfactuals
    }
}

impl Classifier {
    fn classify(&mut self, so_far: &Trace, point: &Point<'_>, ending: Ending) {
        let births = (0..point.all().len()).map(|t| point.birth(TaskId(t as u32)).after as usize);
        let (names, births, cut) = (names(point), births.collect::<Vec<_>>(), ending == Ending::Cut);
        let note = |seen: &Classes, ending| {
            let class = class(so_far, &names, &births, ending);
            *seen.lock().unwrap().entry((cut, class)).or_insert(0) += 1;
        };
        note(&self.seen.classes, ending);
        if cut {
            note(&self.seen.whole, Ending::Natural);
        }
    }
}
