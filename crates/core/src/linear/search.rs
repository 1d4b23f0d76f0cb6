//! The search for an order: depth-first over the operations that may come next, with a memo.
//!
//! Invariant: a pair of (operations done, state) is visited once, since what follows depends on nothing else (Lowe 2017);
//! an order is given up at the first response that does not fit (Wing and Gong 1993). An operation that leaves the state as
//! it is has alternatives, too: at a later place it may change the state, and be needed there.

use super::precedence::Precedence;
use super::{History, Model, Need, Outcome, Remaining};
use std::collections::HashSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::BuildHasherDefault;

/// A set of indexes.
#[derive(Debug)]
pub(super) struct Set(Box<[u64]>);

impl Set {
    fn new(len: usize) -> Set {
        Set(vec![0; len.div_ceil(64)].into())
    }
    pub fn contains(&self, index: usize) -> bool {
        self.0[index / 64] & (1 << (index % 64)) != 0
    }
    fn flip(&mut self, index: usize) {
        self.0[index / 64] ^= 1 << (index % 64);
    }
    /// The words that are neither full, at its start, nor empty, at its end: in a long history these are few.
    fn cut(&self) -> Cut {
        let full = self.0.iter().take_while(|word| **word == u64::MAX).count();
        let empty = self.0[full..].iter().rev().take_while(|word| **word == 0).count();
        (full, self.0[full..self.0.len() - empty].into())
    }
}

/// A set, as the number of full words and the words after them.
type Cut = (usize, Box<[u64]>);

/// How a search ended.
pub(super) enum Found<N> {
    /// An order that explains the operations.
    Order(Vec<usize>),
    /// There is none.
    Nothing {
        /// The longest explained prefix.
        prefix: Vec<usize>,
        /// What is not in it.
        remaining: Vec<Remaining<N>>,
    },
    /// It visited as many pairs as it may.
    Limit,
}

/// A search among some operations of a history.
pub(super) struct Search<'a, M: Model> {
    model: &'a M,
    history: &'a History<M::Command, M::Response>,
    precedence: &'a Precedence,
    /// The operations that may be placed, sorted; the search knows them by their index here.
    operations: Vec<usize>,
    /// Those that are blocked at the end.
    blocked: Vec<usize>,
    limit: u64,
    /// The operations placed, in order and as a set.
    order: Vec<usize>,
    done: Set,
    /// How many are placed that have responded, and how many are not.
    placed: usize,
    missing: usize,
    memo: HashSet<(Cut, M::State), BuildHasherDefault<DefaultHasher>>,
    /// The longest prefix that leads to no explanation, and its state.
    longest: Option<(usize, Vec<usize>, M::State)>,
}

/// A visited pair and the steps from it that were not taken yet.
struct Visit<S> {
    state: S,
    /// All operations before this index are done.
    first: usize,
    steps: std::vec::IntoIter<(usize, S)>,
}

enum Entered<S> {
    Open(Visit<S>),
    Known,
    Explained,
    Limit,
}

impl<'a, M: Model> Search<'a, M> {
    pub fn new(
        model: &'a M,
        history: &'a History<M::Command, M::Response>,
        precedence: &'a Precedence,
        operations: Vec<usize>,
        limit: u64,
    ) -> Self {
        let all = history.operations();
        let (blocked, mut operations): (Vec<usize>, Vec<usize>) =
            operations.into_iter().partition(|at| matches!(all[*at].outcome, Outcome::Blocked));
        precedence.sort(&mut operations);
        let missing = operations.iter().filter(|at| all[**at].responded().is_some()).count();
        let done = Set::new(operations.len());
        Search {
            model,
            history,
            precedence,
            operations,
            blocked,
            limit,
            order: Vec::new(),
            done,
            placed: 0,
            missing,
            memo: HashSet::default(),
            longest: None,
        }
    }

    /// How many pairs were visited.
    pub fn visited(&self) -> u64 {
        (self.memo.len() as u64).min(self.limit)
    }

    pub fn run(&mut self) -> Found<M::Need> {
        let mut path: Vec<Visit<M::State>> = Vec::new();
        let mut entered = self.enter(self.model.initial(), 0);
        loop {
            match entered {
                Entered::Open(visit) => path.push(visit),
                Entered::Known => self.take_back(),
                Entered::Explained => return Found::Order(self.named(&self.order)),
                Entered::Limit => return Found::Limit,
            }
            // The deepest visit with a step left.
            entered = loop {
                let Some(visit) = path.last_mut() else { return self.nothing() };
                if let Some((index, state)) = visit.steps.next() {
                    let first = visit.first;
                    self.take(index);
                    break self.enter(state, first);
                }
                let Visit { state, .. } = path.pop().expect("it is there");
                if self.longest.as_ref().is_none_or(|(placed, ..)| *placed < self.placed) {
                    self.longest = Some((self.placed, self.order.clone(), state));
                }
                self.take_back();
            };
        }
    }

    fn take(&mut self, index: usize) {
        self.done.flip(index);
        self.order.push(index);
        if self.has_responded(index) {
            (self.placed, self.missing) = (self.placed + 1, self.missing - 1);
        }
    }

    /// The root has no step to take back.
    fn take_back(&mut self) {
        let Some(index) = self.order.pop() else { return };
        self.done.flip(index);
        if self.has_responded(index) {
            (self.placed, self.missing) = (self.placed - 1, self.missing + 1);
        }
    }

    fn has_responded(&self, index: usize) -> bool {
        self.history.operations()[self.operations[index]].responded().is_some()
    }

    fn enter(&mut self, state: M::State, mut first: usize) -> Entered<M::State> {
        if !self.memo.insert((self.done.cut(), state.clone())) {
            return Entered::Known;
        }
        if self.memo.len() as u64 > self.limit {
            return Entered::Limit;
        }
        if self.missing == 0 && self.wrongly_blocked(&state).next().is_none() {
            return Entered::Explained;
        }
        while first < self.operations.len() && self.done.contains(first) {
            first += 1;
        }
        let steps = self.steps(&state, first).into_iter();
        Entered::Open(Visit { state, first, steps })
    }

    /// The operations that may come next and fit, with the states that they lead to.
    fn steps(&self, state: &M::State, first: usize) -> Vec<(usize, M::State)> {
        let mut minimal = Vec::new();
        self.precedence.minimal(&self.operations, &self.done, first, |index| minimal.push(index));
        let mut steps = Vec::new();
        for index in minimal {
            let operation = &self.history.operations()[self.operations[index]];
            match &operation.outcome {
                Outcome::Responded { response, .. } => {
                    let next = self.model.next(state, &operation.command, response);
                    steps.extend(next.ok().map(|next| (index, next)));
                }
                // One that changes nothing explains nothing.
                Outcome::CutOff => {
                    let effects = self.model.effects(state, &operation.command);
                    steps.extend(effects.into_iter().filter(|next| next != state).map(|next| (index, next)));
                }
                Outcome::Blocked => unreachable!("blocked operations are not placed"),
            }
        }
        steps
    }

    /// The blocked operations that the model completes in this state.
    fn wrongly_blocked(&self, state: &M::State) -> impl Iterator<Item = usize> {
        let all = self.history.operations();
        self.blocked.iter().copied().filter(move |at| self.model.can_complete(state, &all[*at].command))
    }

    fn named(&self, order: &[usize]) -> Vec<usize> {
        order.iter().map(|index| self.operations[*index]).collect()
    }

    fn nothing(&self) -> Found<M::Need> {
        let (_, order, state) = self.longest.as_ref().expect("the root was left");
        let prefix = self.named(order);
        let mut done = Set::new(self.operations.len());
        order.iter().for_each(|index| done.flip(*index));
        let is_open = |index: &usize| !done.contains(*index) && self.has_responded(*index);
        let mut next = Vec::new();
        self.precedence.minimal(&self.operations, &done, 0, |index| next.push(index));
        next.retain(is_open);
        let next = self.named(&next);
        let needs = |at: usize| {
            if !next.contains(&at) {
                let precede = next.iter().copied().filter(|other| self.precedence.precedes(*other, at));
                return Need::Predecessors(precede.collect());
            }
            let operation = &self.history.operations()[at];
            let Outcome::Responded { response, .. } = &operation.outcome else {
                unreachable!("it has responded")
            };
            match self.model.next(state, &operation.command, response) {
                Err(need) => Need::Model(need),
                Ok(_) => Need::SameAnswer,
            }
        };
        let open = (0..self.operations.len()).filter(is_open).map(|index| self.operations[index]);
        let mut remaining: Vec<Remaining<M::Need>> =
            open.map(|operation| Remaining { operation, needs: needs(operation) }).collect();
        if remaining.is_empty() {
            let blocked = self.wrongly_blocked(state);
            remaining.extend(blocked.map(|operation| Remaining { operation, needs: Need::Blocking }));
        }
        Found::Nothing { prefix, remaining }
    }
}
