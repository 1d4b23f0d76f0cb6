//! What the judge says, as types.
//!
//! Invariant: operations are indexes into the history that was judged. Sentences are made where they are printed.

/// A verdict and what it cost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judgement<K, N> {
    /// Whether the history is explained.
    pub verdict: Verdict<K, N>,
    /// Pairs of operations done and state that the search visited.
    pub visited: u64,
}

/// Whether a history is explained.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict<K, N> {
    /// The operations in this order. What was cut off is in it if it took effect.
    Explained {
        /// The order.
        order: Vec<usize>,
    },
    /// No order explains the history.
    NotExplained {
        /// The key whose operations are not explained, if the history was judged key by key. The prefix and the remaining
        /// operations are those of this key.
        key: Option<K>,
        /// A longest prefix of an order that is explained: none has more operations that have responded.
        prefix: Vec<usize>,
        /// The operations that have responded and are not in it. If there are none: the blocked operations that the model
        /// completes after it.
        remaining: Vec<Remaining<N>>,
    },
    /// The model accepted an order in the search, and does not accept it when it is replayed: it is not deterministic, or its
    /// keys are not independent.
    ModelContradictsItself {
        /// The order.
        order: Vec<usize>,
        /// The first operation that does not fit, or the blocked one that it completes at the end.
        operation: usize,
    },
    /// The search ended at its limit and does not know.
    GaveUp {
        /// Pairs of operations done and state.
        limit: u64,
    },
}

/// An operation that the longest prefix leaves out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remaining<N> {
    /// The operation.
    pub operation: usize,
    /// What it would have needed after the prefix.
    pub needs: Need<N>,
}

/// What an operation would have needed after a prefix.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Need<N> {
    /// Something else: its response does not fit there.
    Model(N),
    /// It comes after these operations, which are those that could come next.
    Predecessors(Vec<usize>),
    /// A state in which it cannot complete: it is blocked, although the model completes it here.
    Blocking,
    /// The same answer of the model as before: it has refused the response here, and accepts it now. It is not deterministic.
    SameAnswer,
}
