//! A change that is certain to help: a stretch of a task's steps that must be atomic, for which all executions were made.

use super::Comparison;
use super::orderings::{What, described};
use super::torn;
use crate::record::ExecutionRecord;
use crate::search::{NoListener, OnFailure, Seen, search};
use crate::strategy::{AtomicSteps, Stretch};
use crate::verdict::{Fix, Precedence};
use crate::world::World;
use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The limit of executions of a search for one.
const MOST: u64 = 10_000;
/// How many are tried.
const CANDIDATES: usize = 12;
/// How many steps more a stretch may have on either side.
const WIDER: usize = 2;

/// If a step comes between two of another task: whether no execution fails if nothing can come between steps at these two
/// places.
pub(super) fn fix<W, M>(
    comparison: &Comparison<'_, M>,
    orderings: &[Precedence],
    drawn: &[Seen],
) -> Option<Fix>
where
    W: World,
    W::Outcome: Ord + Debug + Send,
    M: Fn() -> W + Sync,
{
    let record = &comparison.failure.record;
    let torn = torn::all(record).into_iter().map(|torn| (torn.from, torn.to));
    let named = match orderings {
        [one, other] => one.between(*other, record).map(|(first, second)| (first.before, second.after)),
        _ => None,
    };
    let mut lines: Vec<_> =
        named.into_iter().chain(torn).flat_map(|(from, to)| wider(record, from, to)).collect();
    lines.sort_by_key(|lines| lines.len());
    if lines.is_empty() {
        return None;
    }
    let sites = Sites::of(comparison, drawn)?;
    let mut stretches: Vec<(Vec<usize>, Stretch)> = Vec::new();
    for lines in lines {
        let Some(stretch) = sites.stretch(record, &lines) else { continue };
        if stretches.len() < CANDIDATES && stretches.iter().all(|(_, known)| *known != stretch) {
            stretches.push((lines, stretch));
        }
    }
    let tried = |(lines, stretch): (Vec<usize>, Stretch)| {
        let executions = explored(comparison, stretch)?;
        Some(Fix { from: *lines.first()?, to: *lines.last()?, executions })
    };
    stretches.into_iter().find_map(tried)
}

/// The steps of a task from one line to another, and the same from a little before it and to a little behind. Those at the ends
/// have a place.
fn wider(record: &ExecutionRecord, from: usize, to: usize) -> Vec<Vec<usize>> {
    let is_own =
        |at: &usize| record.lines[*at].task == record.lines[from].task && record.lines[*at].step.is_some();
    let own: Vec<usize> = (0..record.lines.len()).filter(is_own).collect();
    let has_place = |at: &usize| record.lines[own[*at]].place.is_some();
    let begins = own.partition_point(|at| *at <= from);
    let ends = own.partition_point(|at| *at < to);
    let starts = begins.saturating_sub(1 + WIDER)..begins;
    let all = starts.flat_map(|start| (ends..own.len().min(ends + 1 + WIDER)).map(move |end| (start, end)));
    let have_places = all.filter(|(start, end)| start < end && has_place(start) && has_place(end));
    have_places.map(|(start, end)| own[start..=end].to_vec()).collect()
}

/// How many executions there are if a stretch is one step; none if one fails, or if that is not known.
fn explored<W, M>(comparison: &Comparison<'_, M>, stretch: Stretch) -> Option<u64>
where
    W: World,
    W::Outcome: Ord + Debug + Send,
    M: Fn() -> W + Sync,
{
    let strategy = AtomicSteps::new(stretch, MOST);
    let has_given_up = strategy.has_given_up();
    let mut plan = comparison.plan.clone();
    (plan.on_failure, plan.budget.executions) = (OnFailure::Stop, Some(MOST));
    plan.budget.time = Some(super::LIMIT);
    let found = search(&plan, Box::new(strategy), comparison.make_world, Arc::new(NoListener));
    let is_certain = found.through && found.failure.is_none() && !has_given_up.load(Ordering::Relaxed);
    is_certain.then_some(found.executions)
}

/// The site of each operation at each place; none where there are several, as where they depend on the task.
struct Sites {
    known: HashMap<Known, Option<u16>>,
    /// Those of the steps of the failing execution.
    steps: Vec<u16>,
}

impl Sites {
    /// Those of the executions that were made.
    fn of<W, M>(comparison: &Comparison<'_, M>, drawn: &[Seen]) -> Option<Sites>
    where
        W: World,
        W::Outcome: Ord + Debug + Send,
        M: Fn() -> W + Sync,
    {
        let again = comparison.followed(comparison.choices())?;
        let mut sites = HashMap::new();
        for seen in drawn.iter().chain([&again]) {
            for line in &seen.record.lines {
                let Some(site) = line.step.and_then(|step| seen.sites.get(step)) else { continue };
                let known = sites.entry(owned(described(line))).or_insert(Some(*site));
                *known = known.filter(|known| known == site);
            }
        }
        Some(Sites { known: sites, steps: again.sites })
    }

    /// The steps of these lines, if all are known by their sites.
    fn stretch(&self, record: &ExecutionRecord, lines: &[usize]) -> Option<Stretch> {
        // A site is a hash: at the ends no other operation may have it.
        let is_alone = |line: usize| {
            let site = self.known.get(&owned(described(&record.lines[line]))).copied().flatten();
            site.is_some() && self.known.values().filter(|other| **other == site).count() == 1
        };
        let site = |line: &usize| self.steps.get(record.lines[*line].step?).copied();
        let sites: Vec<u16> = lines.iter().map(site).collect::<Option<_>>()?;
        let (first, last) = (*lines.first()?, *lines.last()?);
        let is_known = is_alone(first) && is_alone(last) && sites.first() != sites.last();
        is_known.then_some(Stretch(sites))
    }
}

/// [`What`] that is kept.
type Known = (String, Option<(String, u32)>);

fn owned((operation, place): What<'_>) -> Known {
    (operation.to_owned(), place.map(|(file, line)| (file.to_owned(), line)))
}
