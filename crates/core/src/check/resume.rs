//! A search that is stopped and resumed later: what is stored, and what must be the same.

use super::explore::Exploration;
use super::{OutcomeOf, Program};
use crate::code::changed_part;
use crate::fact::Bound;
use crate::search::{Checkpoint, Checkpoints, LazyMap, Saved, Searched, Tally};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

impl<P: Program> Exploration<'_, P>
where
    OutcomeOf<P>: Ord + Debug + Send,
{
    /// The kind of the search: only the same kind can resume it. None for a kind that cannot be resumed.
    fn kind(&self) -> Option<String> {
        let check = self.check;
        if check.kind.is_sampled() || check.replay.is_some() {
            return None;
        }
        let bound = |bound: Bound| match bound {
            Bound::Preemptions(n) => format!(", preemptions={n}"),
            Bound::Yields(n) => format!(", yields={n}"),
            Bound::Steps(n) => format!(", steps={n}"),
            Bound::Prefix(n) => format!(", prefix={n}"),
        };
        let bounds: Vec<String> = check.bounds.list().into_iter().map(bound).collect();
        let growing = if check.is_growing() { ", growing" } else { "" };
        let assuming = if self.assumed().is_some() { ", with assumptions" } else { "" };
        Some(format!("{}{}{growing}{assuming}", check.kind, bounds.concat()))
    }

    /// What the worlds of the program assume now.
    fn assumed(&self) -> Option<String> {
        self.program.refinable().and_then(|program| program.assumed())
    }

    /// Resumes the search from `saved`.
    pub fn resume(&mut self, saved: Saved) -> Result<(), String> {
        let kind = self.kind().ok_or("only searches that enumerate can go on where they were stopped")?;
        if saved.kind != kind {
            return Err(format!("the search that was stopped is `{}`, this one is `{kind}`", saved.kind));
        }
        if let (Some(one), Some(other)) = (&saved.test, &self.check.test)
            && one != other
        {
            return Err(format!("the search that was stopped is one of {one}, not of {other}"));
        }
        let settings = self.settings().to_map();
        if saved.settings != settings {
            let listed = |settings: &BTreeMap<String, String>| {
                settings.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ")
            };
            return Err(format!(
                "the search that was stopped has other settings: {}, not {}",
                listed(&saved.settings),
                listed(&settings)
            ));
        }
        let parts = self.program.parts().to_map();
        if let Some(part) = changed_part(&saved.program, &parts) {
            return Err(format!(
                "the program is not the one whose search was stopped: {part}; start the search again"
            ));
        }
        if let (Some(assumed), Some(program)) = (&saved.assumed, self.program.refinable()) {
            program.assume(assumed)?;
        }
        let Saved { mut found, mut unconverted, .. } = saved;
        (self.explored, self.left) = (saved.explored, Some(saved.left));
        self.round = saved.round.unwrap_or(0);
        self.fallen_back = saved.fallen_back;
        self.convert(&mut unconverted);
        found.merge(Tally { failures: unconverted, ..Tally::default() });
        self.earlier = Some(found);
        Ok(())
    }

    /// The unexplored subtrees of a search that was stopped, whose failures are those of the ordinary world.
    pub fn save(&self, stage: &mut Searched<OutcomeOf<P>>) -> Option<Box<Saved>> {
        let left = stage.left.take()?;
        let found = stage.tally.with_outcomes_as_text();
        let explored = stage.explored.unwrap_or(0.0);
        let stopped = Checkpoint { found, left, explored, finished_bound: stage.finished_bound };
        Some(Box::new(self.context(true)?.saved(stopped)))
    }

    /// The checkpoints of the next search, if the check asks for them and this kind of search can be resumed.
    pub fn checkpoints(&self) -> Option<Checkpoints> {
        let every = self.check.checkpoint?;
        let (context, listener) = (self.context(self.is_concrete())?, self.listener.clone());
        // Failures are passed on only if they are those of the ordinary world; a checkpoint says which they are.
        let take = move |checkpoint| listener.checkpoint(&context.saved(checkpoint));
        Some(Checkpoints { every, take: Arc::new(take) })
    }

    fn context(&self, is_concrete: bool) -> Option<Context> {
        Some(Context {
            test: self.check.test.clone(),
            kind: self.kind()?,
            fallen_back: self.fallen_back,
            settings: self.settings(),
            program: self.program.parts(),
            assumed: self.assumed(),
            is_growing: self.check.is_growing(),
            earlier: self.earlier.clone().unwrap_or_default(),
            is_concrete,
        })
    }
}

/// What a search that is saved belongs to, and what its earlier stages found.
struct Context {
    test: Option<String>,
    kind: String,
    fallen_back: bool,
    settings: LazyMap,
    program: LazyMap,
    assumed: Option<String>,
    is_growing: bool,
    earlier: Tally<String>,
    /// Its failures are those of the ordinary world.
    is_concrete: bool,
}

impl Context {
    fn saved(&self, mut now: Checkpoint) -> Saved {
        let unconverted = if self.is_concrete { Vec::new() } else { std::mem::take(&mut now.found.failures) };
        let mut found = self.earlier.clone();
        found.merge(now.found);
        Saved {
            search: Saved::VERSION,
            test: self.test.clone(),
            kind: self.kind.clone(),
            fallen_back: self.fallen_back,
            settings: self.settings.to_map(),
            program: self.program.to_map(),
            assumed: self.assumed.clone(),
            round: self.is_growing.then(|| now.finished_bound.map_or(0, |bound| bound + 1)),
            explored: now.explored,
            found,
            unconverted,
            left: now.left,
        }
    }
}

/// Adds earlier outcomes that occurred again. Returns the others; they stay text.
pub(super) fn add_earlier<T: Ord + Debug>(
    outcomes: &mut BTreeMap<T, u64>,
    mut earlier: BTreeMap<String, u64>,
) -> BTreeMap<String, u64> {
    if !earlier.is_empty() {
        for (outcome, times) in outcomes {
            *times += earlier.remove(&format!("{outcome:?}")).unwrap_or(0);
        }
    }
    earlier
}
