//! The operations of each key, and one order of all from the orders of each key.
//!
//! Invariant: the merged order respects the precedence if the orders of the keys do. Horn and Kroening (2015) call this
//! P-compositionality; the proof of locality is that of Herlihy and Wing (1990, theorem 1).

use super::precedence::Precedence;
use super::{History, Model};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Operations that are judged together.
pub(super) struct Partition<K> {
    /// What they access, if that is not all.
    pub key: Option<K>,
    /// The operations.
    pub operations: Vec<usize>,
}

impl<K: Ord + Clone> Partition<K> {
    /// All operations.
    pub fn whole<C, R>(history: &History<C, R>) -> Vec<Partition<K>> {
        vec![Partition { key: None, operations: (0..history.operations().len()).collect() }]
    }

    /// The operations of each key; all of them if one has no key.
    pub fn by_key<M: Model<Key = K>>(
        model: &M,
        history: &History<M::Command, M::Response>,
    ) -> Vec<Partition<K>> {
        let mut keys: BTreeMap<K, Vec<usize>> = BTreeMap::new();
        for (at, operation) in history.operations().iter().enumerate() {
            match model.key(&operation.command) {
                Some(key) => keys.entry(key).or_default().push(at),
                None => return Partition::whole(history),
            }
        }
        keys.into_iter().map(|(key, operations)| Partition { key: Some(key), operations }).collect()
    }
}

/// One order of the operations of all orders: always the next operation that starts first.
///
/// Lemma: it respects an interval order. Let h be the next of its order with the earliest start, and let p, of another order
/// whose next is q, come before h: p ends before h starts, and q does not start before h does. So p ends before q starts,
/// comes before q, and would stand before q in their order.
pub(super) fn merge(orders: Vec<Vec<usize>>, precedence: &Precedence) -> Vec<usize> {
    let mut merged = Vec::with_capacity(orders.iter().map(Vec::len).sum());
    let entry = |part: usize, index: usize| {
        let operation = orders[part].get(index)?;
        Some(Reverse((precedence.start(*operation), part, index)))
    };
    let mut next: BinaryHeap<_> = (0..orders.len()).filter_map(|part| entry(part, 0)).collect();
    while let Some(Reverse((_, part, index))) = next.pop() {
        merged.push(orders[part][index]);
        next.extend(entry(part, index + 1));
    }
    merged
}
