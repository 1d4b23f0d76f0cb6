//! Linearises an execution with unordered mailboxes: finds an order of its steps in which every receive takes
//! the first matching message of its mailbox. There may be none.

use crate::machine::{Machine, Task};
use crate::term::Term;
use raddle_core::operation::Accesses;
use raddle_core::world::Pick;

/// A message of the execution.
struct Posted {
    task: usize,
    /// The step of its arrival, and its receiver.
    arrived: usize,
    receiver: usize,
    /// The step in which it was received.
    received: Option<usize>,
    content: Term,
}

/// An order of the steps that ordered mailboxes allow, if there is one. `states` are the states before each
/// step and after the last.
pub(crate) fn order(states: &[Machine], picks: &[Pick]) -> Option<Vec<usize>> {
    let accesses = |i: usize| states[i].point().pending(picks[i].task).accesses;
    let all: Vec<Accesses> = (0..picks.len()).map(accesses).collect();
    let end = &states[picks.len()];
    // For each step, the steps that happen before it.
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
        // A matching message that was not taken arrived later.
        let others = posted.iter().filter(|other| {
            other.task != first.task
                && other.receiver == first.receiver
                && other.arrived != first.arrived
                && other.received.is_none_or(|r| r > step)
        });
        for other in others {
            if states[step].would_fit(first.receiver, &other.content) {
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
        // A step of the message or of its process removed it from the mailbox; or a flush did.
        let gone = (arrived + 1..picks.len())
            .find(|i| !matches!(states[i + 1].tasks[task], Task::UnorderedMessage(_)));
        let received = gone.filter(|i| states[*i].is_receiving(receiver));
        posted.push(Posted { task, arrived, receiver, received, content: message.content.clone() });
    }
    posted
}

/// A topological order, smallest index first.
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
