//! Reads-from feedback, in the spirit of RFF (Wolff, Shi, Duck, Mathur, Roychoudhury, ASPLOS 2024).
//!
//! Remembers which place was seen to read from which other place, in how many executions, and which pairs are possible.
//! Each execution aims at some of the rare pairs: a reader waits until its writer was the last to access the object and
//! then goes first, and other writers are delayed in between. Taking a lock counts as reading from the last holder.
//!
//! Guarantee: none that can be proved; every pair that was seen to be possible is wanted again and again.

use super::pace::{self, Pace};
use super::sites::Sites;
use super::{Decision, Sample};
use crate::operation::{Mode, ObjectId, TaskId};
use crate::random::Rng;
use crate::trace::Trace;
use crate::world::{Manner, Point};

/// A place that writes, or the initial value.
type Writer = u16;
const INITIAL: Writer = u16::MAX;
const NOTHING: Writer = u16::MAX - 1;

/// What a place may read from.
#[derive(Clone, Copy, Debug)]
struct Source {
    writer: Writer,
    /// In how many executions it did.
    seen: u32,
    /// How often it was wanted.
    wanted: u32,
    /// The last execution that counted it.
    counted: u32,
}

/// A place that reads.
#[derive(Clone, Debug, Default)]
struct Reader {
    sources: Vec<Source>,
    /// The object that it accesses, if that is always the same one.
    object: Option<ObjectId>,
    several_objects: bool,
}

impl Reader {
    const MOST_SOURCES: usize = 16;

    fn source(&mut self, writer: Writer) -> Option<&mut Source> {
        let at = match self.sources.iter().position(|s| s.writer == writer) {
            Some(at) => at,
            None if self.sources.len() < Self::MOST_SOURCES => {
                self.sources.push(Source { writer, seen: 0, wanted: 0, counted: 0 });
                self.sources.len() - 1
            }
            None => return None,
        };
        Some(&mut self.sources[at])
    }
}

/// Steers towards rare reads-from pairs.
#[derive(Clone, Debug)]
pub struct ReadsFrom {
    seed: u64,
    rng: Rng,
    pub(super) pace: Pace,
    sites: Sites,
    /// By site.
    readers: Vec<Reader>,
    /// Traces that were learned from.
    learned: u32,
    /// By object: its last writer, in the trace that is learned from.
    last_writer: Vec<Writer>,
    /// By site: the writer that this execution wants it to read from.
    wants: Vec<Writer>,
    /// The sites that want something.
    wanting: Vec<usize>,
    /// By object: its last writer, in the present execution.
    present: Vec<Writer>,
    sticky: bool,
    free: Vec<TaskId>,
}

impl ReadsFrom {
    /// Draws with this seed.
    pub fn new(seed: u64) -> ReadsFrom {
        ReadsFrom {
            seed,
            rng: Rng::new(seed, 0),
            pace: Pace::default(),
            sites: Sites::new(),
            readers: Vec::new(),
            learned: 0,
            last_writer: Vec::new(),
            wants: Vec::new(),
            wanting: Vec::new(),
            present: Vec::new(),
            sticky: false,
            free: Vec::new(),
        }
    }

    /// Remembers the reads-from pairs of `trace`.
    pub(super) fn learn(&mut self, trace: &Trace) {
        self.learned += 1;
        for step in trace.steps() {
            self.sites.number(step.site());
        }
        let new_places = self.readers.len() < self.sites.len();
        self.readers.resize_with(self.sites.len(), Reader::default);
        self.last_writer.clear();
        for step in trace.steps().iter().filter(|s| !s.by_itself) {
            let site = self.sites.number(step.site());
            for access in step.accesses.iter() {
                let at = access.object.index();
                if self.last_writer.len() <= at {
                    self.last_writer.resize(at + 1, INITIAL);
                }
                let reader = &mut self.readers[site];
                reader.several_objects |= *reader.object.get_or_insert(access.object) != access.object;
                if let Some(source) = reader.source(self.last_writer[at])
                    && source.counted != self.learned
                {
                    source.counted = self.learned;
                    source.seen += 1;
                }
                if access.mode == Mode::Write {
                    self.last_writer[at] = site as Writer;
                }
            }
        }
        if new_places {
            self.imagine(trace);
        }
    }

    /// Every place that accesses only one object could read from every writer of that object.
    fn imagine(&mut self, trace: &Trace) {
        for step in trace.steps().iter().filter(|s| !s.by_itself) {
            let site = self.sites.number(step.site());
            for access in step.accesses.iter().filter(|a| a.mode == Mode::Write) {
                for reader in &mut self.readers {
                    if reader.object == Some(access.object) && !reader.several_objects {
                        reader.source(site as Writer);
                        reader.source(INITIAL);
                    }
                }
            }
        }
    }

    fn want(&mut self) {
        self.wants.clear();
        self.wants.resize(self.readers.len(), NOTHING);
        self.wanting.clear();
        let choosy = self.readers.iter().filter(|r| r.sources.len() > 1).count() as u32;
        // About a third, but three if there are as many.
        let aim = (choosy / 3).max(3).min(choosy);
        for (site, reader) in self.readers.iter_mut().enumerate() {
            if reader.sources.len() < 2 || self.rng.below(choosy) >= aim {
                continue;
            }
            let weight = |s: &Source| (1 << 16) / (1 + s.seen + s.wanted).min(1 << 12);
            let mut at = self.rng.below(reader.sources.iter().map(weight).sum());
            for source in &mut reader.sources {
                let weight = weight(source);
                if at < weight {
                    source.wanted += 1;
                    self.wants[site] = source.writer;
                    self.wanting.push(site);
                    break;
                }
                at -= weight;
            }
        }
    }

    fn present(&self, object: ObjectId) -> Writer {
        self.present.get(object.index()).copied().unwrap_or(INITIAL)
    }

    /// Whether a reader wants the present value of an object that `task` would overwrite.
    fn spoils(&self, point: &Point<'_>, task: TaskId) -> bool {
        point.pending(task).accesses.iter().any(|access| {
            access.mode == Mode::Write
                && self.wanting.iter().any(|site| {
                    let reader = &self.readers[*site];
                    reader.object == Some(access.object)
                        && !reader.several_objects
                        && self.wants[*site] == self.present(access.object)
                })
        })
    }

    /// The task whose wanted pair is possible now; otherwise `free` are the tasks that spoil no pair.
    fn sort(&mut self, point: &Point<'_>, free: &mut Vec<TaskId>) -> Option<TaskId> {
        for task in point.enabled() {
            let site = self.sites.number(point.pending(*task).site());
            match self.wants.get(site).copied().unwrap_or(NOTHING) {
                NOTHING if self.spoils(point, *task) => {}
                NOTHING => free.push(*task),
                wanted => {
                    let mut accesses = point.pending(*task).accesses.iter();
                    if accesses.any(|a| self.present(a.object) == wanted) {
                        return Some(*task);
                    }
                }
            }
        }
        None
    }

    fn has_moved(&mut self, point: &Point<'_>, task: TaskId) {
        let pending = point.pending(task);
        let site = self.sites.number(pending.site());
        if self.wants.get(site).is_some_and(|w| *w != NOTHING) {
            self.wants[site] = NOTHING;
            self.wanting.retain(|s| *s != site);
        }
        for access in pending.accesses.iter().filter(|a| a.mode == Mode::Write) {
            let at = access.object.index();
            if self.present.len() <= at {
                self.present.resize(at + 1, INITIAL);
            }
            self.present[at] = site as Writer;
        }
    }
}

impl Sample for ReadsFrom {
    fn seed(&self) -> u64 {
        self.seed
    }

    fn begin(&mut self, execution: u64) {
        self.rng = Rng::new(self.seed, execution);
        self.pace.begin();
        self.present.clear();
        self.sticky = self.rng.below(2) == 0;
        self.want();
    }

    fn choose(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision {
        if self.pace.must_be_fair() {
            return pace::take_any(&mut self.rng, point);
        }
        let mut free = std::mem::take(&mut self.free);
        free.clear();
        let served = if self.wanting.is_empty() { None } else { self.sort(point, &mut free) };
        let among = if free.is_empty() { point.enabled() } else { &free };
        let goes_on = |t: &TaskId| among.contains(t) && point.pending(*t).manner == Manner::Ordinary;
        let task = match (served, so_far.last_task().filter(goes_on)) {
            (Some(task), _) => task,
            (None, Some(last)) if self.sticky => last,
            _ => pace::any_of(&mut self.rng, among),
        };
        self.free = free;
        self.has_moved(point, task);
        pace::take(&mut self.rng, point, task)
    }

    fn finish(&mut self, trace: &Trace) {
        self.pace.finish();
        self.learn(trace);
    }
}
