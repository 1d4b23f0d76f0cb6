//! The judge of concurrent histories: is there an order of the operations in which a sequential model explains every
//! response? The input is a [`History`], a [`Model`] and a [`Criterion`]; the output is a typed [`Verdict`].
//!
//! Invariant: "not explained" is said only if no order exists, and an order that is returned respects the criterion and is
//! accepted by the model; a search that reaches its limit says neither.
//!
//! Sources: Wing and Gong, "Testing and verifying concurrent objects" (1993), the search; Lowe, "Testing for
//! linearizability" (2017), the memo of (operations done, state); Horn and Kroening, "Faster linearizability checking via
//! P-compositionality" (2015), the partition; Claessen et al., "Finding race conditions in Erlang with QuickCheck and PULSE"
//! (2009, section 4.1), the greedy search with a sequential specification.
//!
//! # Pending operations
//! An operation that is [blocked](Outcome::Blocked) at the end has no effect, and the model must be unable to complete it in
//! the last state of the order. One that was [cut off](Outcome::CutOff) may have taken effect at any point after its
//! invocation, or not. A [panic](Response::Panicked) is a response, which the model accepts or does not.
//!
//! # Which criteria are decided key by key
//! A model may give each command a [key](Model::key), if operations with different keys are independent of each other. The
//! history is then judged for each key alone, and the orders are merged, under three criteria:
//! - [`Criterion::Linearizable`]: it is local (Herlihy and Wing 1990, theorem 1).
//! - [`Criterion::Serialisable`]: each operation is a transaction of its own, and orders for each key can be concatenated.
//! - [`Criterion::QuiescentlyConsistent`]: the quiescent points are those of the whole history; the orders are concatenated
//!   between two of them.
//!
//! [`Criterion::SequentiallyConsistent`] is not local: each of two queues may be sequentially consistent when the two
//! together are not. The history is judged as a whole.
//!
//! # Cost
//! With k tasks of n operations there are (n + 1)^k sets of operations done under real-time and program order, times the
//! states that each can lead to. Without an order between them, n operations have 2^n: serialisability of many operations on
//! one key, as quiescent consistency without quiescent points, may end at the limit.

mod history;
mod model;
mod partition;
mod precedence;
mod replay;
mod search;
mod verdict;

pub use history::{History, HistoryError, Operation, Outcome, Response, VERSION};
pub use model::Model;
pub use verdict::{Judgement, Need, Remaining, Verdict};

use partition::Partition;
use precedence::Precedence;
use search::{Found, Search};

/// Which orders of the operations count as explanations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Criterion {
    /// Real-time order: an operation that responds before another is invoked comes before it (Herlihy and Wing 1990).
    #[default]
    Linearizable,
    /// Program order: operations of one task keep their order (Lamport 1979).
    SequentiallyConsistent,
    /// Any order: each operation is a transaction (Papadimitriou 1979).
    Serialisable,
    /// Operations that are separated by a quiescent point, at which no operation is pending, keep their order (Aspnes,
    /// Herlihy and Shavit 1994). A pending operation is pending to the end.
    QuiescentlyConsistent,
}

impl Criterion {
    /// Every criterion, with its name.
    pub const ALL: [(Criterion, &str); 4] = [
        (Criterion::Linearizable, "linearizable"),
        (Criterion::SequentiallyConsistent, "sequentially-consistent"),
        (Criterion::Serialisable, "serialisable"),
        (Criterion::QuiescentlyConsistent, "quiescently-consistent"),
    ];

    /// Whether the histories of independent keys can be judged one by one.
    fn is_local(self) -> bool {
        match self {
            Criterion::Linearizable | Criterion::Serialisable | Criterion::QuiescentlyConsistent => true,
            Criterion::SequentiallyConsistent => false,
        }
    }
}

/// Whether the model explains the history. The search ends when it has visited `limit` pairs of operations done and state.
pub fn judge<M: Model>(
    model: &M,
    history: &History<M::Command, M::Response>,
    criterion: Criterion,
    limit: u64,
) -> Judgement<M::Key, M::Need> {
    let precedence = Precedence::new(criterion, history);
    let parts = match criterion.is_local() {
        true => Partition::by_key(model, history),
        false => Partition::whole(history),
    };
    let mut visited = 0;
    let mut orders = Vec::new();
    for Partition { key, operations } in parts {
        let mut search = Search::new(model, history, &precedence, operations, limit - visited);
        let found = search.run();
        visited += search.visited();
        match found {
            Found::Order(order) => orders.push(order),
            Found::Nothing { prefix, remaining } => {
                return Judgement { verdict: Verdict::NotExplained { key, prefix, remaining }, visited };
            }
            Found::Limit => return Judgement { verdict: Verdict::GaveUp { limit }, visited },
        }
    }
    let order = partition::merge(orders, &precedence);
    let verdict = match replay::replay(model, history, &order) {
        Ok(()) => Verdict::Explained { order },
        Err(operation) => Verdict::ModelContradictsItself { order, operation },
    };
    Judgement { verdict, visited }
}
