//! Registers, counters, queues, maps and bags under keys, as one model.

use raddle_core::linear::{self, Criterion, Judgement, Model, Response, judge};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub type Answer = Response<Option<u8>>;
pub type State = BTreeMap<u8, Vec<u8>>;
pub type History = linear::History<Command, Option<u8>>;
pub type Operation = linear::Operation<Command, Option<u8>>;

/// An operation on the object under a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Command {
    pub key: u8,
    pub verb: Verb,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Verb {
    // A register, 0 at first.
    Write(u8),
    Read,
    CompareSwap(u8, u8),
    // A counter, 0 at first: the value before.
    Increment,
    // A queue.
    Enqueue(u8),
    /// Waits for an element.
    Dequeue,
    /// Panics if there is none.
    Front,
    // A map: the value before.
    Put(u8),
    Get,
    /// Waits for a value.
    Take,
    // A bag.
    Add(u8),
    /// Waits for an element; which one is open.
    Pick,
}

/// On the object under key 0.
pub fn on(verb: Verb) -> Command {
    Command { key: 0, verb }
}

/// What `verb` may do to an object; nothing if it waits.
pub fn run(object: &[u8], verb: Verb) -> Vec<(Vec<u8>, Answer)> {
    let returned = |object: Vec<u8>, value: Option<u8>| (object, Response::Returned(value));
    let value = object.first().copied();
    let number = value.unwrap_or(0);
    let same = object.to_vec();
    match verb {
        Verb::Write(value) => vec![returned(vec![value], None)],
        Verb::Read => vec![returned(same, Some(number))],
        Verb::CompareSwap(old, new) if number == old => vec![returned(vec![new], Some(1))],
        Verb::CompareSwap(..) => vec![returned(same, Some(0))],
        Verb::Increment => vec![returned(vec![number + 1], Some(number))],
        Verb::Enqueue(value) | Verb::Add(value) => {
            let mut longer = [object, &[value]].concat();
            if matches!(verb, Verb::Add(_)) {
                longer.sort_unstable();
            }
            vec![returned(longer, None)]
        }
        Verb::Dequeue => value.map(|_| returned(object[1..].to_vec(), value)).into_iter().collect(),
        Verb::Front if value.is_none() => vec![(same, Response::Panicked("it is empty".to_owned()))],
        Verb::Front | Verb::Get => vec![returned(same, value)],
        Verb::Put(new) => vec![returned(vec![new], value)],
        Verb::Take => value.map(|_| returned(Vec::new(), value)).into_iter().collect(),
        Verb::Pick => (0..object.len())
            .map(|at| {
                let mut rest = same.clone();
                let picked = rest.remove(at);
                returned(rest, Some(picked))
            })
            .collect(),
    }
}

/// The model; it says what a command accesses, or not.
pub struct Objects {
    pub by_key: bool,
}

impl Objects {
    pub fn outcomes(state: &State, command: Command) -> Vec<(State, Answer)> {
        let object = state.get(&command.key).map_or(&[][..], |object| object);
        let after = run(object, command.verb).into_iter().map(|(object, answer)| {
            let mut state = state.clone();
            state.insert(command.key, object);
            // An object that is as at first is not in the state.
            state.retain(|_, object| !object.is_empty());
            (state, answer)
        });
        after.collect()
    }
}

impl Model for Objects {
    type State = State;
    type Command = Command;
    type Response = Option<u8>;
    /// The answers that fit; none if it waits.
    type Need = Vec<Answer>;
    type Key = u8;

    fn initial(&self) -> State {
        State::new()
    }
    fn next(&self, state: &State, command: &Command, response: &Answer) -> Result<State, Vec<Answer>> {
        let outcomes = Objects::outcomes(state, *command);
        match outcomes.iter().find(|(_, answer)| answer == response) {
            Some((after, _)) => Ok(after.clone()),
            None => Err(outcomes.into_iter().map(|(_, answer)| answer).collect()),
        }
    }
    fn effects(&self, state: &State, command: &Command) -> Vec<State> {
        Objects::outcomes(state, *command).into_iter().map(|(after, _)| after).collect()
    }
    fn key(&self, command: &Command) -> Option<u8> {
        self.by_key.then_some(command.key)
    }
}

pub type Judged = Judgement<u8, Vec<Answer>>;

/// The judgement of these operations, with the keys of the model.
pub fn judged(operations: &[Operation], criterion: Criterion) -> Judged {
    let history = History::new(operations.to_vec()).expect("it is well-formed");
    judge(&Objects { by_key: true }, &history, criterion, u64::MAX)
}
