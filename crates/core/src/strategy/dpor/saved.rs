//! The unexplored subtrees of a reduction in serialised form, so that another process can resume it.
//!
//! Each unexplored subtree is one work item with the execution that leads to it: what [splitting](super::OptimalDpor)
//! gives to another worker.

use super::names::{Name, Names};
use super::path::{Deferred, Event, MemoryStep, Origin, Path, SleepingAccess};
use super::work::{Item, Move, Picks, SleepingStep, Store, Work};
use crate::operation::{Accesses, TaskId};
use crate::world::{Birth, Variation};
use serde::{Deserialize, Serialize};

/// An unexplored subtree.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SavedReduction {
    /// Its estimated fraction of the whole tree.
    #[serde(with = "crate::plain::fraction")]
    share: f64,
    /// Task, option, accesses, origin and enabled tasks of each step that leads there.
    steps: Vec<(u32, u32, SavedAccesses, u8, u64)>,
    /// Those of them whose operation would have other accesses elsewhere.
    state_dependent: Vec<u32>,
    /// Parent, number there and time of birth of each task.
    births: Vec<(u32, u32, u32)>,
    /// Phantoms that were removed, and before which step.
    gone: Vec<(u32, u32)>,
    /// The races that were reversed, and the last steps of their wakeup sequences.
    reversals: Vec<(SavedDeferred, u32)>,
    /// Steps that end the execution: task, accesses, after how many steps, and how they depend on the state.
    sleep_set: Vec<(u32, SavedAccesses, u32, u8)>,
    /// Steps that access memory under a model: which, what they read, what revisited them, where, and whether they write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    memory_steps: Vec<(u32, u32, u32, u32, bool)>,
    /// What members of the sleep set access of it, by their number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sleeping_accesses: Vec<(u32, SavedAccess)>,
    /// Parent and number there of each name.
    names: Vec<(u32, u32)>,
    /// The next steps; none if this is the whole tree.
    next: Option<NextSteps>,
}

/// Task, accesses and index of a deferred step.
type SavedDeferred = (u32, SavedAccesses, u32);

/// A place, and the store that revisited the access there, plus 1.
type SavedAccess = (u32, u32);

/// The store that a step chooses.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum SavedStore {
    /// It has the option with its number.
    None,
    Initial,
    /// The name of its task, and its index there.
    Step(u32, u32),
}

/// The words of accesses.
type SavedAccesses = [u64; 2];

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct NextSteps {
    deferred: Option<SavedDeferred>,
    time: u32,
    /// Names and options.
    picks: Vec<(u32, u32)>,
    /// The store that each of them chooses, where steps access memory under a model: by name and index.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    stores: Vec<SavedStore>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_revisit: bool,
    /// The task that must not take its step there, and the accesses of that step.
    asleep: Option<(u32, SavedAccesses, u8)>,
    /// What that step accesses of memory under a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    asleep_access: Option<SavedAccess>,
}

/// All unexplored subtrees: the present one, if any, with its expected number of executions, and those of the work
/// items. Their fractions add up to `rest`.
pub(in crate::strategy::dpor) fn subtrees(
    present: Option<(SavedReduction, f64)>,
    work: &mut Work,
    path: &Path,
    rest: f64,
) -> Vec<SavedReduction> {
    let mut parts: Vec<(SavedReduction, f64)> = present.into_iter().collect();
    loop {
        let expected = work.remaining().first;
        let Some((item, path, picks)) = work.split(path) else { break };
        parts.push((SavedReduction::of(&item, &path, &picks), expected));
    }
    let all: f64 = parts.iter().map(|(_, expected)| expected).sum();
    parts
        .into_iter()
        .map(|(part, expected)| SavedReduction { share: rest * expected / all, ..part })
        .collect()
}

fn variation(number: u8) -> Variation {
    match number {
        0 => Variation::Steady,
        1 => Variation::Enabledness,
        2 => Variation::JointlyBlocked,
        3 => Variation::LastOfSeveral,
        4 => Variation::Local,
        _ => Variation::State,
    }
}

fn access(memory: Option<SleepingAccess>) -> Option<SavedAccess> {
    memory.map(|memory| (memory.place, memory.revisited_by))
}

fn sleeping(task: u32, accesses: SavedAccesses, v: u8, access: Option<SavedAccess>) -> SleepingStep {
    let memory = access.map(|(place, revisited_by)| SleepingAccess { place, revisited_by });
    let (task, accesses) = (TaskId(task), Accesses::from_words(accesses));
    SleepingStep { task, accesses, variation: variation(v), memory }
}

fn deferred((task, accesses, at): SavedDeferred) -> Deferred {
    Deferred { task: TaskId(task), accesses: Accesses::from_words(accesses), at }
}

fn saved(deferred: &Deferred) -> SavedDeferred {
    (deferred.task.0, deferred.accesses.to_words(), deferred.at)
}

impl SavedReduction {
    /// The whole tree.
    pub(in crate::strategy::dpor) fn whole() -> SavedReduction {
        SavedReduction::new(&Path::with_room(), None)
    }

    /// Its estimated fraction of the whole tree.
    pub(in crate::strategy::dpor) fn share(&self) -> f64 {
        self.share
    }

    /// The work item, with the execution that leads there and its picks; none if this is the whole tree.
    pub(in crate::strategy::dpor) fn read(&self) -> Result<Option<(Item, Path, Picks)>, String> {
        let Some(next) = &self.next else { return Ok(None) };
        let path = self.path()?;
        let asleep = next.asleep.map(|(task, accesses, v)| sleeping(task, accesses, v, next.asleep_access));
        let mut item = Item::new(path.len(), next.deferred.map(deferred), next.time);
        item.asleep = asleep;
        item.is_revisit = next.is_revisit;
        let store = |at: usize| match *next.stores.get(at)? {
            SavedStore::None => None,
            SavedStore::Initial => Some(Store::Initial),
            SavedStore::Step(name, time) => Some(Store::Step(Name(name), time)),
        };
        let picks: Picks = (next.picks.iter().enumerate())
            .map(|(at, (name, option))| Move { name: Name(*name), option: *option, store: store(at) })
            .collect();
        if picks.is_empty() != asleep.is_some()
            || picks.iter().any(|pick| pick.name.0 as usize >= self.names.len())
        {
            return Err("it names tasks that it does not know".to_owned());
        }
        Ok(Some((item, path, picks)))
    }

    pub(in crate::strategy::dpor) fn of(item: &Item, path: &Path, picks: &Picks) -> SavedReduction {
        let deferred = item.deferred.as_ref().map(saved);
        let is_revisit = item.is_revisit;
        let saved_store = |store| match store {
            None => SavedStore::None,
            Some(Store::Initial) => SavedStore::Initial,
            Some(Store::Step(name, time)) => SavedStore::Step(name.0, time),
        };
        let stores = match picks.iter().any(|pick| pick.store.is_some()) {
            true => picks.iter().map(|pick| saved_store(pick.store)).collect(),
            false => Vec::new(),
        };
        let picks = picks.iter().map(|pick| (pick.name.0, pick.option)).collect();
        let asleep = item.asleep.map(|step| (step.task.0, step.accesses.to_words(), step.variation as u8));
        let asleep_access = item.asleep.and_then(|step| access(step.memory));
        SavedReduction::new(
            path,
            Some(NextSteps { deferred, time: item.time, picks, stores, is_revisit, asleep, asleep_access }),
        )
    }

    fn new(path: &Path, next: Option<NextSteps>) -> SavedReduction {
        let origin = |event: &Event| match event.origin {
            Origin::Free => 0,
            Origin::Scheduled => 1,
            Origin::ByItself => 2,
        };
        let step = |e: &Event| (e.task.0, e.option, e.accesses.to_words(), origin(e), e.enabled);
        let reversals = path.reversals.iter();
        SavedReduction {
            share: 0.0,
            steps: path.events.iter().map(step).collect(),
            state_dependent: path.state_dependent.iter().map(|w| w.at).collect(),
            births: path.births().map(|b| (b.parent.0, b.number, b.after)).collect(),
            gone: path.gone.iter().map(|(task, at)| (task.0, *at)).collect(),
            reversals: reversals.map(|r| (saved(&r.deferred), r.last)).collect(),
            sleep_set: path
                .sleep_set
                .iter()
                .map(|f| (f.task.0, f.accesses.to_words(), f.from, f.variation as u8))
                .collect(),
            memory_steps: (path.memory_steps.iter())
                .map(|m| (m.at, m.source, m.revisited_by, m.place, m.writes))
                .collect(),
            sleeping_accesses: (path.sleep_set.iter().enumerate())
                .filter_map(|(number, f)| Some((number as u32, access(f.memory)?)))
                .collect(),
            names: path.names.table().to_vec(),
            next,
        }
    }

    /// The execution that leads there.
    fn path(&self) -> Result<Path, String> {
        let mut path = Path::with_room();
        path.names = Names::of_table(self.names.clone());
        let mut births = self.births.iter().enumerate().peekable();
        let mut reversals = self.reversals.iter().peekable();
        for at in 0..=self.steps.len() {
            while let Some((task, (parent, number, after))) = births.next_if(|(_, b)| b.2 as usize <= at) {
                if *parent as usize > task {
                    return Err("a task is older than its parent".to_owned());
                }
                path.bear(Birth { parent: TaskId(*parent), number: *number, after: *after });
            }
            for (number, (task, accesses, from, v)) in self.sleep_set.iter().enumerate() {
                if *from as usize == at {
                    let known = self.sleeping_accesses.iter().find(|(of, _)| *of as usize == number);
                    path.put_to_sleep(sleeping(*task, *accesses, *v, known.map(|(_, access)| *access)));
                }
            }
            let Some((task, option, accesses, origin, enabled)) = self.steps.get(at).copied() else { break };
            if path.births().nth(task as usize).is_none() {
                return Err("a task moves before it is born".to_owned());
            }
            let origin = match origin {
                0 => Origin::Free,
                1 => Origin::Scheduled,
                _ => Origin::ByItself,
            };
            let (task, accesses) = (TaskId(task), Accesses::from_words(accesses));
            path.append_clock(task, accesses);
            path.push(task, option, accesses, origin, enabled);
            let noted = self.memory_steps.iter().find(|step| step.0 as usize == at);
            if let Some((at, source, revisited_by, place, writes)) = noted.copied() {
                if source > at || revisited_by > at {
                    return Err("a step reads a later one".to_owned());
                }
                path.note_memory_step(MemoryStep { at, place, writes, source, revisited_by });
            }
            if self.state_dependent.contains(&(at as u32)) {
                path.note_state_dependent(Accesses::EVERYTHING_THERE_IS);
            }
            while let Some((saved, _)) = reversals.next_if(|(_, last)| *last as usize == at) {
                path.reverse(deferred(*saved));
            }
        }
        path.forget(self.gone.iter().map(|(task, at)| (TaskId(*task), *at)).collect());
        Ok(path)
    }
}
