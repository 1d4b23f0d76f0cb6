//! Steps of one task between which a conflicting step of another one came: an update that was torn apart.
//!
//! Where tasks do the same, such steps are known by what they do and where, whatever their tasks.

use super::orderings::{What, described};
use crate::record::ExecutionRecord;
use crate::verdict::Precedence;
use std::collections::{HashMap, HashSet};

/// Longer executions are not looked at.
const LONGEST: usize = 200;

/// Two steps of one task and one between them, by their lines in a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Torn {
    pub from: usize,
    pub between: usize,
    pub to: usize,
}

impl Torn {
    /// The same as two orderings.
    pub fn orderings(self) -> Vec<Precedence> {
        vec![
            Precedence { before: self.from, after: self.between },
            Precedence { before: self.between, after: self.to },
        ]
    }
}

/// All of an execution, the shortest first: the step between comes directly after the first one, and the last one is one of
/// its task that comes directly after a step of another one, and after that, directly or not.
pub(super) fn all(record: &ExecutionRecord) -> Vec<Torn> {
    let mut all = Vec::new();
    if record.lines.len() > LONGEST {
        return all;
    }
    let task = |line: usize| record.lines[line].task;
    let before = happens_before(record);
    for (between, line) in record.lines.iter().enumerate() {
        for from in line.after.iter().copied().filter(|from| task(*from) != line.task) {
            let later = (between + 1..record.lines.len()).filter(|at| task(*at) == task(from));
            let is_last = |at: &usize| {
                let comes_after = |other: &usize| task(*other) != task(from);
                before[*at].contains(&between) && record.lines[*at].after.iter().any(comes_after)
            };
            all.extend(later.filter(is_last).map(|to| Torn { from, between, to }));
        }
    }
    all.sort_by_key(|torn| torn.to - torn.from);
    all
}

/// By line: the lines that happen before it.
fn happens_before(record: &ExecutionRecord) -> Vec<HashSet<usize>> {
    let mut before: Vec<HashSet<usize>> = Vec::new();
    let mut last_of = HashMap::new();
    for (at, line) in record.lines.iter().enumerate() {
        let own = last_of.insert(line.task, at);
        let direct = line.after.iter().copied().chain(own);
        let all = direct.flat_map(|at| before[at].iter().copied().chain([at])).collect();
        before.push(all);
    }
    before
}

fn kind(record: &ExecutionRecord, torn: Torn) -> [What<'_>; 3] {
    [torn.from, torn.between, torn.to].map(|at| described(&record.lines[at]))
}

/// Those of each execution.
fn kinds<'a>(records: &[&'a ExecutionRecord]) -> Vec<HashSet<[What<'a>; 3]>> {
    let of = |record: &'a ExecutionRecord| all(record).into_iter().map(|torn| kind(record, torn)).collect();
    records.iter().map(|record| of(record)).collect()
}

/// One of `record` that all failing executions have, of whatever tasks, and none that passes.
pub(super) fn telling(
    record: &ExecutionRecord,
    failing: &[&ExecutionRecord],
    passing: &[&ExecutionRecord],
) -> Option<Torn> {
    if passing.is_empty() {
        return None;
    }
    let (failing, passing) = (kinds(failing), kinds(passing));
    all(record).into_iter().find(|torn| {
        let kind = kind(record, *torn);
        failing.iter().all(|set| set.contains(&kind)) && !passing.iter().any(|set| set.contains(&kind))
    })
}
