//! The only list of search kinds, with their names and strategies, for settings, attributes, command lines and environment
//! variables.

use crate::strategy::{Bounded, Bounds, Dfs, OptimalDpor, PreemptionBounding, Sampler, Strategy, Within};
use std::fmt;
use std::str::FromStr;

/// The kind of a search.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum SearchKind {
    /// Every behaviour, with a partial-order reduction.
    #[default]
    Exhaustive,
    /// The same, executions with few preemptions first: the first failure has the fewest.
    Iterative,
    /// Every execution, without a reduction.
    Dfs,
    /// Every execution, those with few preemptions first: preemption bounding with blocking avoidance, as Concuerror did
    /// it first.
    PreemptionBounding,
    /// Random schedules, drawn by this sampler.
    Sampled(Sampler),
    /// A few random schedules; few preemptions, where executions are long; every behaviour; random schedules for the rest
    /// of the time.
    Staged,
}

impl SearchKind {
    /// The searches that enumerate.
    pub const SYSTEMATIC: [SearchKind; 4] =
        [SearchKind::Exhaustive, SearchKind::Iterative, SearchKind::Dfs, SearchKind::PreemptionBounding];

    /// All but the samplers.
    pub const NAMED: [SearchKind; 5] = [
        SearchKind::Exhaustive,
        SearchKind::Iterative,
        SearchKind::Dfs,
        SearchKind::PreemptionBounding,
        SearchKind::Staged,
    ];

    /// Other names: of the default sampler, and of the search of the thesis, which has no name there.
    const ALIASES: [(&str, SearchKind); 2] =
        [("random", SearchKind::Sampled(Sampler::Portfolio)), ("thesis", SearchKind::PreemptionBounding)];

    /// The names that [`FromStr`] accepts.
    pub fn names() -> String {
        let systematic = SearchKind::NAMED.map(|kind| kind.to_string()).join(", ");
        let aliases = SearchKind::ALIASES.map(|(name, kind)| format!("{name} (that is {kind})")).join(", ");
        format!("{systematic}, {aliases}, {}", Sampler::NAMES)
    }

    /// Whether it samples schedules, and does nothing else.
    pub fn is_sampled(self) -> bool {
        matches!(self, SearchKind::Sampled(_))
    }

    /// Whether it draws random schedules.
    pub fn draws(self) -> bool {
        matches!(self, SearchKind::Sampled(_) | SearchKind::Staged)
    }

    /// Whether a partial-order reduction explores.
    pub fn is_reduced(self) -> bool {
        matches!(self, SearchKind::Exhaustive | SearchKind::Iterative | SearchKind::Staged)
    }

    /// Whether its bound on preemptions can grow.
    pub fn can_grow(self) -> bool {
        matches!(self, SearchKind::Exhaustive | SearchKind::Iterative | SearchKind::Dfs)
    }

    /// The strategy within `bounds`; executions with at most `explored` preemptions are explored already.
    pub(super) fn strategy(self, mut bounds: Bounds, explored: Option<u32>, seed: u64) -> Box<dyn Strategy> {
        let inside: Box<dyn Strategy> = match self {
            SearchKind::Exhaustive | SearchKind::Iterative => match bounds.is_none() {
                true => return OptimalDpor::boxed(),
                false => return Box::new(Bounded::new(bounds).beyond(explored)),
            },
            SearchKind::Dfs => Box::new(Dfs::new()),
            SearchKind::PreemptionBounding => Box::new(PreemptionBounding::new(bounds.preemptions.take())),
            SearchKind::Sampled(sampler) => sampler.strategy(seed),
            SearchKind::Staged => unreachable!("each stage has a kind of its own"),
        };
        if bounds.is_none() { inside } else { Box::new(Within::new(bounds, explored, inside)) }
    }
}

impl fmt::Display for SearchKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchKind::Exhaustive => f.write_str("exhaustive"),
            SearchKind::Iterative => f.write_str("iterative"),
            SearchKind::Dfs => f.write_str("dfs"),
            SearchKind::PreemptionBounding => f.write_str("preemption-bounding"),
            SearchKind::Sampled(sampler) => sampler.fmt(f),
            SearchKind::Staged => f.write_str("staged"),
        }
    }
}

impl FromStr for SearchKind {
    type Err = String;

    fn from_str(text: &str) -> Result<SearchKind, String> {
        let named = SearchKind::NAMED.into_iter().find(|kind| kind.to_string() == text);
        let alias = || SearchKind::ALIASES.into_iter().find(|(name, _)| *name == text).map(|(_, kind)| kind);
        let sampler = || text.parse().map(SearchKind::Sampled).ok();
        if text == "optimal" {
            let now = "exhaustive, which falls back to depth-first search where the reduction cannot decide";
            return Err(format!("there is no strategy `optimal` any more; say {now}"));
        }
        let found = named.or_else(alias).or_else(sampler);
        found.ok_or_else(|| format!("there is no strategy `{text}`; there are {}", SearchKind::names()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_back_and_others_are_refused() {
        let sampled = Sampler::ALL.into_iter().chain([Sampler::Pct(5)]).map(SearchKind::Sampled);
        for kind in SearchKind::NAMED.into_iter().chain(sampled) {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        assert_eq!("random".parse(), Ok(SearchKind::Sampled(Sampler::Portfolio)));
        assert_eq!("thesis".parse(), Ok(SearchKind::PreemptionBounding));
        let old = "optimal".parse::<SearchKind>().unwrap_err();
        assert!(old.starts_with("there is no strategy `optimal` any more; say exhaustive"), "{old}");
        for text in ["luck", "", "pct:x", "dfs:2"] {
            let error = text.parse::<SearchKind>().unwrap_err();
            let expected = format!("there is no strategy `{text}`; there are exhaustive, iterative, dfs, ");
            assert!(error.starts_with(&expected), "{error}");
        }
    }
}
