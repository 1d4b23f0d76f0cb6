//! Brings the steps of a run in which the order of messages was left open into an order in which every process
//! receives the first of its messages that fits: the same run as it happens. There may be none.

use crate::machine::{Machine, Task};
use raddle_core::operation::Accesses;
use raddle_core::world::Pick;

/// A message of the run.
struct Posted {
    task: usize,
    /// During which step it arrived, and its process.
    arrived: usize,
    receiver: usize,
    /// In which step it was received.
    received: Option<usize>,
}

/// The steps in an order in which the run can happen; none if there is no such order. `states` are those before each
/// step, and behind the last.
pub(crate) fn order(states: &[Machine], picks: &[Pick]) -> Option<Vec<usize>> {
    let accesses = |i: usize| states[i].point().pending(picks[i].task).accesses;
    let all: Vec<Accesses> = (0..picks.len()).map(accesses).collect();
    let end = &states[picks.len()];
    // For each step, those that come before it.
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); picks.len()];
    for i in 0..picks.len() {
        let task = picks[i].task;
        for j in 0..i {
            if picks[j].task == task || all[i].conflict(all[j]) {
                before[i].push(j);
            }
        }
        if let Some(birth) = (end.point().birth(task).after as usize).checked_sub(1) {
            before[i].push(birth);
        }
    }
    let posted = messages(states, picks);
    for first in &posted {
        let Some(step) = first.received else { continue };
        // What it was preferred to came later.
        let others = posted.iter().filter(|other| {
            other.task != first.task
                && other.receiver == first.receiver
                && other.arrived != first.arrived
                && other.received.is_none_or(|r| r > step)
        });
        for other in others {
            let message = states[other.arrived + 1].message_of(other.task);
            if states[step].clone().fits(first.receiver, &message) {
                before[other.arrived].push(first.arrived);
            }
        }
    }
    sorted(&before)
}

fn messages(states: &[Machine], picks: &[Pick]) -> Vec<Posted> {
    let end = &states[picks.len()];
    let mut posted = Vec::new();
    for task in 0..end.point().all().len() {
        let arrived =
            (end.point().birth(raddle_core::operation::TaskId(task as u32)).after as usize).saturating_sub(1);
        let Some(born) = states.get(arrived + 1) else { continue };
        let Some(Task::UnorderedMessage(message)) = born.tasks.get(task) else { continue };
        let receiver = born.find(message.to).expect("messages go to processes");
        // It was taken out of the mailbox by a step of its own or of its process; or flushed.
        let gone = (arrived + 1..picks.len())
            .find(|i| !matches!(states[i + 1].tasks[task], Task::UnorderedMessage(_)));
        let received = gone.filter(|i| states[*i].is_receiving(receiver));
        posted.push(Posted { task, arrived, receiver, received });
    }
    posted
}

/// The smallest first, as far as possible.
fn sorted(before: &[Vec<usize>]) -> Option<Vec<usize>> {
    let mut order = Vec::with_capacity(before.len());
    let mut done = vec![false; before.len()];
    while order.len() < before.len() {
        let next = (0..before.len()).find(|i| !done[*i] && before[*i].iter().all(|j| done[*j]))?;
        done[next] = true;
        order.push(next);
    }
    Some(order)
}
