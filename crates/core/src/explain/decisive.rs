//! The last choice of a failing execution at which another one leads to a pass.

use super::{Comparison, LIMIT, TRIED};
use crate::operation::TaskId;
use crate::record::ExecutionRecord;
use crate::search::Seen;
use crate::verdict::Decisive;
use crate::world::{Pick, World};
use std::fmt::Debug;

/// Tries other choices, from the last one back: another task at that point, and then the rest of the schedule. If none
/// leads to a pass, it is where the random execution that passes and goes along the longest parts from it.
pub(super) fn decisive<W, M>(comparison: &Comparison<'_, M>, drawn: &[Seen]) -> Option<Decisive>
where
    W: World,
    W::Outcome: Ord + Debug + Send,
    M: Fn() -> W + Sync,
{
    let record = &comparison.failure.record;
    let choices = comparison.choices();
    let mut tasks: Vec<TaskId> = choices.iter().map(|pick| pick.task).collect();
    tasks.sort_unstable();
    tasks.dedup();
    let until = comparison.plan.clock.now() + LIMIT;
    let mut tried = 0;
    for at in (0..choices.len()).rev() {
        for task in tasks.iter().filter(|task| **task != choices[at].task) {
            tried += 1;
            if tried > TRIED || (comparison.is_late)() || comparison.plan.clock.now() > until {
                return by_chance(&choices, drawn, record);
            }
            let other = Pick { task: *task, option: 0 };
            let order = [&choices[..at], &[other], &choices[at..]].concat();
            let Some(seen) = comparison.followed(order).filter(|seen| seen.cause.is_none()) else { continue };
            if seen.choices.get(at) == Some(&other) && seen.choices[..at] == choices[..at] {
                return part(at, record, seen.record);
            }
        }
    }
    by_chance(&choices, drawn, record)
}

fn by_chance(choices: &[Pick], drawn: &[Seen], record: &ExecutionRecord) -> Option<Decisive> {
    let passing = drawn.iter().filter(|seen| seen.cause.is_none());
    let along =
        |seen: &Seen| choices.iter().zip(&seen.choices).take_while(|(one, other)| one == other).count();
    let (along, seen) = passing.map(|seen| (along(seen), seen)).max_by_key(|(along, _)| *along)?;
    part(along, record, seen.record.clone())
}

/// Both executions part at this choice.
fn part(choice: usize, failing: &ExecutionRecord, passing: ExecutionRecord) -> Option<Decisive> {
    let line = |record: &ExecutionRecord| {
        let choices =
            record.lines.iter().enumerate().filter(|(_, line)| line.step.is_some() && !line.by_itself);
        choices.map(|(at, _)| at).nth(choice)
    };
    let at = [line(failing)?, line(&passing)?];
    Some(Decisive { at, passing })
}
