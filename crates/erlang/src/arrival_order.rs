//! Decides whether an execution with unordered mailboxes has an order of arrivals in which every receive takes the first
//! matching message of its mailbox. There may be none: the observations of several receives may contradict each other.
//!
//! An order of all steps exists if and only if happens-before and the *preferences* have no cycle: a message that a receive
//! took arrived before the other ones that it matched. Preferences join arrivals, so happens-before between arrivals is
//! enough. All edges but those to overtaken messages agree with the order of the execution, so every cycle is within the
//! window from the first overtaken arrival to the last overtaking one. [`crate::linear`] computes the order itself.

use crate::machine::{Machine, UnorderedMessage};
use raddle_core::world::Pick;
use std::rc::Rc;

struct Posted {
    /// The step in which it arrived.
    step: u32,
    message: Rc<UnorderedMessage>,
}

/// A receive that took a message.
struct Receipt {
    step: u32,
    /// The message, by its number among all arrivals.
    number: u32,
    /// The task of the receiver.
    receiver: u32,
    /// Where the other messages begin that it matched.
    others: u32,
    /// It takes every message.
    takes_any: bool,
}

/// The arrivals and receives of the present execution.
#[derive(Default)]
pub(crate) struct ArrivalLog {
    /// By number.
    posted: Vec<Posted>,
    /// The numbers of the arrivals in the steps of each task, by its rank.
    of_rank: Vec<Vec<u32>>,
    receipts: Vec<Receipt>,
    /// The numbers of messages that receives matched and did not take. Of the messages that arrive in steps of one task only
    /// the first is listed: the others arrive later in any case.
    others: Vec<u32>,
}

impl Clone for ArrivalLog {
    fn clone(&self) -> ArrivalLog {
        let posted = self.posted.iter().map(|p| Posted { step: p.step, message: p.message.clone() });
        let receipts = self.receipts.iter().map(|r| Receipt { ..*r });
        ArrivalLog {
            posted: posted.collect(),
            of_rank: self.of_rank.clone(),
            receipts: receipts.collect(),
            others: self.others.clone(),
        }
    }
}

impl ArrivalLog {
    /// Records what the step `pick`, number `step`, receives. It is taken after that.
    pub fn note_receive(&mut self, machine: &Machine, step: usize, pick: Pick) {
        let Some((receiver, at)) = machine.receipt_of(pick) else { return };
        let others = self.others.len() as u32;
        let process = machine.process(receiver);
        let takes_any = machine.takes_any(process);
        let mail = &process.messages;
        for (other, mail) in mail.iter().enumerate() {
            if mail.fits && other != at {
                self.others.push(machine.unordered(mail.task).arrival.number);
            }
        }
        let number = machine.unordered(mail[at].task).arrival.number;
        self.receipts.push(Receipt {
            step: step as u32,
            number,
            receiver: receiver as u32,
            others,
            takes_any,
        });
    }

    /// Records a message that arrived in step number `step`.
    pub fn note_arrival(&mut self, step: usize, message: &Rc<UnorderedMessage>) {
        let rank = message.arrival.rank as usize;
        if self.of_rank.len() <= rank {
            self.of_rank.resize(rank + 1, Vec::new());
        }
        self.of_rank[rank].push(message.arrival.number);
        self.posted.push(Posted { step: step as u32, message: message.clone() });
    }

    /// Forgets all but the first `steps` steps.
    pub fn truncate(&mut self, steps: usize) {
        while let Some(receipt) = self.receipts.pop_if(|r| r.step as usize >= steps) {
            self.others.truncate(receipt.others as usize);
        }
        while let Some(posted) = self.posted.pop_if(|p| p.step as usize >= steps) {
            self.of_rank[posted.message.arrival.rank as usize].pop();
        }
    }

    fn others_of(&self, receipt: usize) -> &[u32] {
        let end = self.receipts.get(receipt + 1).map_or(self.others.len(), |next| next.others as usize);
        &self.others[self.receipts[receipt].others as usize..end]
    }

    /// The first overtaken arrival and the last overtaking one, with all arrivals of the same steps; none if no message was
    /// overtaken.
    fn window(&self) -> Option<(usize, usize)> {
        let mut window: Option<(u32, u32)> = None;
        for (number, receipt) in self.receipts.iter().enumerate() {
            for other in self.others_of(number).iter().filter(|other| **other < receipt.number) {
                let (first, last) = window.unwrap_or((*other, receipt.number));
                window = Some((first.min(*other), last.max(receipt.number)));
            }
        }
        let (first, last) = window?;
        let (mut first, mut last) = (first as usize, last as usize);
        let step = |number: usize| self.posted.get(number).map(|p| p.step);
        while first > 0 && step(first - 1) == step(first) {
            first -= 1;
        }
        while step(last + 1) == step(last) {
            last += 1;
        }
        Some((first, last))
    }

    /// Whether all receives are of one process and take every message. Then there is such an order: that of the receives,
    /// with messages that were not received last. Preferences agree with it, and so does happens-before between arrivals:
    /// while a message is in the mailbox, no later one is taken.
    fn has_one_receiver_of_all(&self) -> bool {
        self.receipts.iter().all(|r| r.takes_any && r.receiver == self.receipts[0].receiver)
    }

    /// Whether there is such an order. `fits` says whether a receive matched a message that arrived later: it is called with
    /// the step of the receive, the task of the receiver and the message, in ascending order of steps.
    pub fn is_possible(&self, mut fits: impl FnMut(usize, usize, &UnorderedMessage) -> bool) -> bool {
        if self.has_one_receiver_of_all() {
            return true;
        }
        let Some((first, last)) = self.window() else { return true };
        // All arrivals of one step are one node.
        let mut nodes = Vec::with_capacity(last + 1 - first);
        let mut count = 0;
        for number in first..=last {
            count += (number == first || self.posted[number].step != self.posted[number - 1].step) as usize;
            nodes.push(count - 1);
        }
        let mut graph = Graph::new(count);
        let node = |number: u32| nodes[number as usize - first];
        let is_within = |number: u32| (first..=last).contains(&(number as usize));
        for number in first as u32..=last as u32 {
            let arrival = &self.posted[number as usize].message.arrival;
            for (rank, before) in arrival.after.last_of_each().iter().enumerate() {
                let before = before.checked_sub(1).map(|index| self.of_rank[rank][index as usize]);
                if let Some(before) = before.filter(|before| is_within(*before)) {
                    graph.add(node(before), node(number));
                }
            }
        }
        for (number, receipt) in self.receipts.iter().enumerate() {
            if !is_within(receipt.number) {
                continue;
            }
            let taken = node(receipt.number);
            for other in self.others_of(number).iter().filter(|other| is_within(**other)) {
                graph.add(taken, node(*other));
            }
            let later = self.posted.partition_point(|p| p.step < receipt.step);
            let to = self.posted[receipt.number as usize].message.to;
            for other in later..=last {
                let Posted { message, .. } = &self.posted[other];
                if message.to == to
                    && !graph.has(taken, node(other as u32))
                    && fits(receipt.step as usize, receipt.receiver as usize, message)
                {
                    graph.add(taken, node(other as u32));
                }
            }
        }
        graph.is_acyclic()
    }
}

/// A graph as a matrix of bits: for each node, its predecessors.
struct Graph {
    words: usize,
    before: Vec<u64>,
}

impl Graph {
    fn new(nodes: usize) -> Graph {
        let words = nodes.div_ceil(64);
        Graph { words, before: vec![0; nodes * words] }
    }
    fn add(&mut self, from: usize, to: usize) {
        if from != to {
            self.before[to * self.words + from / 64] |= 1 << (from % 64);
        }
    }
    fn has(&self, from: usize, to: usize) -> bool {
        from == to || self.before[to * self.words + from / 64] >> (from % 64) & 1 == 1
    }
    fn is_acyclic(&self) -> bool {
        let nodes = self.before.len() / self.words;
        let mut left: Vec<usize> = (0..nodes).collect();
        let mut done = vec![0_u64; self.words];
        loop {
            let before = left.len();
            left.retain(|node| {
                let its = &self.before[node * self.words..][..self.words];
                let waits = its.iter().zip(&done).any(|(before, done)| before & !done != 0);
                if !waits {
                    done[node / 64] |= 1 << (node % 64);
                }
                waits
            });
            if left.is_empty() || left.len() == before {
                return left.is_empty();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Graph;

    #[test]
    fn a_cycle_is_found_among_many_nodes() {
        let mut graph = Graph::new(100);
        for node in 0..99 {
            graph.add(node + 1, node);
        }
        assert!(graph.is_acyclic() && graph.has(99, 98) && !graph.has(98, 99));
        graph.add(3, 3);
        assert!(graph.is_acyclic(), "arrivals of one step are one node");
        graph.add(0, 99);
        assert!(!graph.is_acyclic());
    }
}
