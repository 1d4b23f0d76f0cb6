//! The oracle itself: all outcomes of a program, by a search over explicit states through all interleavings.
//!
//! Invariant: no reduction and no abstraction; a state is everything, the logs included, and each is visited once. The
//! semantics are those of std's documentation, and of raddle's guide where std leaves something to the scheduler:
//! sequential consistency, when timers fire, and how often a wake-up may be spurious.

use crate::code::{self, Ins};
use crate::outcomes::{Kind, Outcomes};
use crate::program::{
    CHANNELS, CONDVARS, Destructor, LOCKS, MUTEXES, ONCES, Program, Stmt, Time, VARS, mark,
};
use std::collections::{HashSet, VecDeque};

/// Where a task is within its present instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum At {
    /// It has not begun.
    Next,
    /// In the queue of a condition variable.
    Waiting,
    /// Out of that queue, and needs the mutex again.
    Woken,
    /// Its timer is set.
    Begun,
    /// It has offered a message.
    Offered,
    /// It has arrived at the barrier, in this generation.
    Arrived(u8),
}

/// How far the destructor of the counted value is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Destroys {
    Not,
    /// It begins.
    Begins,
    /// It holds its mutex.
    Holds,
}

/// What a task holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Scope {
    Mutex(usize),
    Read(usize),
    Write(usize),
    Once(usize),
    Cell(usize, i8),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Task {
    pub pc: usize,
    pub at: At,
    pub scopes: Vec<Scope>,
    pub log: Vec<i8>,
    /// Its ends of channels: senders, then receivers.
    pub ends: [bool; 2 * CHANNELS.len()],
    /// How many counted references it has.
    pub strong: u8,
    /// It has dropped the last one, and its destructor is under way.
    pub destroys: Destroys,
    pub token: bool,
    /// How often it has read the clock.
    pub readings: u8,
    pub deadline: Option<u8>,
    pub timed_out: bool,
    pub panics: bool,
    pub ended: bool,
    pub joined: bool,
    /// How many looks of waiting loops in a row saw nothing. Counted only where they are limited.
    pub rounds: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct Lock {
    pub writer: bool,
    pub readers: u8,
    pub poisoned: bool,
    pub data: i8,
}

/// How far a `Once` or `OnceLock` has come.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Progress {
    New,
    Running,
    Done,
    Poisoned,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Channel {
    /// Messages, or offers, and the task that sent them.
    pub queue: VecDeque<(i8, usize)>,
    pub senders: u8,
    pub has_receiver: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct State {
    pub vars: [i8; VARS],
    pub mutexes: [Lock; MUTEXES],
    pub locks: [Lock; LOCKS],
    /// The tasks in the queue of each condition variable.
    pub waiting: [Vec<usize>; CONDVARS],
    pub onces: [Progress; ONCES],
    pub cells: [(Progress, i8); ONCES],
    pub channels: [Channel; CHANNELS.len()],
    /// How many counted references there are.
    pub strong: u8,
    /// How many tasks have arrived at the barrier, and in which generation.
    pub arrived: u8,
    pub generation: u8,
    pub spurious: u8,
    pub now: u8,
    /// How often the clock has moved by itself.
    pub moves: u8,
    pub tasks: Vec<Task>,
}

/// A program with its instructions.
pub(crate) struct Machine {
    pub code: Vec<Vec<Ins>>,
    pub time: Time,
    pub destructor: Destructor,
    /// A task takes no more rounds of waiting loops in a row, if there is a limit.
    most_rounds: Option<u8>,
    begin: State,
}

/// What a step of a task leads to.
pub(crate) enum Move {
    /// It cannot happen.
    Blocked,
    /// One of these states.
    To(Vec<State>),
    /// The task ends.
    End(State),
}

impl Machine {
    pub fn new(program: &Program, most_rounds: Option<u8>) -> Machine {
        let tasks = program.tasks.len();
        let channels = std::array::from_fn(|channel| Channel {
            queue: VecDeque::new(),
            senders: (0..tasks).filter(|task| program.sends(*task, channel)).count() as u8,
            has_receiver: program.uses(channel),
        });
        let task = |task: usize| Task {
            pc: 0,
            at: At::Next,
            scopes: Vec::new(),
            log: Vec::new(),
            ends: std::array::from_fn(|end| match end.checked_sub(CHANNELS.len()) {
                None => program.sends(task, end),
                Some(channel) => program.uses(channel) && program.receiver(channel) == task,
            }),
            strong: program.refers(task) as u8,
            destroys: Destroys::Not,
            token: false,
            readings: (task == 0) as u8,
            deadline: None,
            timed_out: false,
            panics: false,
            ended: false,
            joined: false,
            rounds: 0,
        };
        let begin = State {
            vars: [0; VARS],
            mutexes: [Lock::default(); MUTEXES],
            locks: [Lock::default(); LOCKS],
            waiting: std::array::from_fn(|_| Vec::new()),
            onces: [Progress::New; ONCES],
            cells: [(Progress::New, 0); ONCES],
            channels,
            strong: (0..tasks).filter(|task| program.refers(*task)).count() as u8,
            arrived: 0,
            generation: 0,
            spurious: program.spurious,
            now: 0,
            moves: 0,
            tasks: (0..tasks).map(task).collect(),
        };
        let code = (0..tasks).map(|task| code::of(program, task)).collect();
        let Program { time, destructor, .. } = *program;
        let mut machine = Machine { code, time, destructor, most_rounds, begin };
        let mut begin = machine.begin.clone();
        (0..tasks).for_each(|task| machine.settle(&mut begin, task));
        machine.begin = begin;
        machine
    }

    /// Task `id` does what no other task can notice.
    pub fn settle(&self, state: &mut State, id: usize) {
        loop {
            let task = &state.tasks[id];
            if task.at != At::Next || task.panics || task.destroys != Destroys::Not {
                return;
            }
            match self.code[id].get(task.pc) {
                Some(Ins::Log(number)) => state.tasks[id].log.push(*number),
                Some(Ins::DropEnds(end)) if !task.ends[*end] => {}
                Some(Ins::DropArcs) if task.strong == 0 => {}
                Some(Ins::Do(stmt)) if stmt.needs_reference() && task.strong == 0 => {
                    state.tasks[id].log.push(mark::SKIPPED);
                }
                Some(Ins::JoinRest(other)) if state.tasks[*other].joined => {}
                Some(Ins::Do(Stmt::Yield)) => {}
                Some(Ins::Do(Stmt::Get)) => {
                    let data = state.mutexes[state.innermost(id)].data;
                    state.tasks[id].log.push(data);
                }
                Some(Ins::Do(Stmt::Set(value))) => state.mutexes[state.innermost(id)].data = *value,
                Some(Ins::Do(Stmt::WaitWhile(_))) if state.mutexes[state.innermost(id)].data != 0 => {}
                Some(Ins::Do(Stmt::Send(c, _) | Stmt::TrySend(c, _) | Stmt::DropSender(c)))
                    if !task.ends[*c] =>
                {
                    state.tasks[id].log.push(mark::SKIPPED);
                }
                Some(Ins::Do(
                    Stmt::Recv(c) | Stmt::TryRecv(c) | Stmt::RecvTimeout(c, _) | Stmt::DropReceiver(c),
                )) if !task.ends[CHANNELS.len() + *c] => state.tasks[id].log.push(mark::SKIPPED),
                Some(Ins::Do(Stmt::Join(t) | Stmt::IsFinished(t))) if state.tasks[*t].joined => {
                    state.tasks[id].log.push(mark::SKIPPED);
                }
                Some(Ins::PollRecv(c, _, end)) if !task.ends[CHANNELS.len() + *c] => {
                    state.tasks[id].log.push(mark::SKIPPED);
                    state.tasks[id].pc = *end;
                    continue;
                }
                Some(Ins::Poll(t, _, end)) if state.tasks[*t].joined => {
                    state.tasks[id].log.push(mark::SKIPPED);
                    state.tasks[id].pc = *end;
                    continue;
                }
                _ => return,
            }
            state.tasks[id].pc += 1;
        }
    }

    /// The states after the timers that may fire now.
    fn fired(&self, state: &State) -> Vec<State> {
        let Some(earliest) = state.tasks.iter().filter_map(|task| task.deadline).min() else {
            return Vec::new();
        };
        let due = (0..state.tasks.len()).filter(|id| state.tasks[*id].deadline == Some(earliest));
        due.map(|id| {
            let mut state = state.clone();
            state.now = state.now.max(earliest);
            let task = &mut state.tasks[id];
            (task.deadline, task.timed_out) = (None, true);
            if task.at == At::Waiting {
                task.at = At::Woken;
                state.waiting.iter_mut().for_each(|queue| queue.retain(|t| *t != id));
            }
            state
        })
        .collect()
    }

    /// `to`, which a step of task `id` leads to, with its rounds counted; none if there are too many.
    fn count_round(&self, from: &State, mut to: State, id: usize) -> Option<State> {
        let Some(most) = self.most_rounds else { return Some(to) };
        if from.tasks[id].destroys != Destroys::Not {
            to.tasks[id].rounds = 0;
            return Some(to);
        }
        let Some(Ins::Look(_, round, end) | Ins::PollRecv(_, round, end) | Ins::Poll(_, round, end)) =
            self.code[id].get(from.tasks[id].pc)
        else {
            to.tasks[id].rounds = 0;
            return Some(to);
        };
        let task = &mut to.tasks[id];
        // The last round logs how many there were, and goes to the same place as one that saw something.
        let logged = &task.log[from.tasks[id].log.len()..];
        let is_in_vain = task.pc != *end || logged == [round + 1];
        task.rounds = if is_in_vain { task.rounds + 1 } else { 0 };
        (task.rounds <= most).then_some(to)
    }

    /// Takes `state` apart: what it leads to, or how it is an end.
    fn visit(&self, state: &State, found: &mut Outcomes, next: &mut Vec<State>) {
        let main = &state.tasks[0];
        if main.panics && self.is_over(state, 0) {
            found.failed.insert(Kind::Panic);
            return;
        }
        if !main.panics && self.is_over(state, 0) {
            found.passed.insert(state.tasks.iter().map(|task| task.log.clone()).collect());
            return;
        }
        let (mut moves, mut ends) = (Vec::new(), Vec::new());
        let mut is_cut = false;
        for id in 0..state.tasks.len() {
            match self.step(state, id) {
                Move::Blocked => {}
                Move::To(states) => {
                    let all = states.len();
                    let before = moves.len();
                    moves.extend(states.into_iter().filter_map(|to| self.count_round(state, to, id)));
                    is_cut |= moves.len() - before < all;
                }
                Move::End(state) => ends.push(state),
            }
        }
        // That a task is finished may be noticed late, even after a timer: its end keeps no timer back.
        let timers = match self.time {
            Time::Idle if !moves.is_empty() || is_cut => Vec::new(),
            _ => self.fired(state),
        };
        if moves.is_empty() && ends.is_empty() && timers.is_empty() && !is_cut {
            let unseen = state.tasks.iter().any(|task| task.ended && task.panics && !task.joined);
            found.failed.insert(if unseen { Kind::Panic } else { Kind::Deadlock });
        }
        next.extend(moves);
        next.extend(ends);
        next.extend(timers);
        if state.spurious > 0 {
            next.extend((0..state.tasks.len()).filter_map(|id| self.spurious(state, id)));
        }
    }
}

/// All outcomes of `program`; none if it has more than `limit` states.
pub fn outcomes(program: &Program, limit: usize) -> Option<Outcomes> {
    search(Machine::new(program, None), limit)
}

/// The outcomes of those executions in which no task takes more than so many rounds of waiting loops in a row. An execution
/// that is cut for that reason is no deadlock.
pub fn outcomes_within(program: &Program, most_rounds: u8, limit: usize) -> Option<Outcomes> {
    search(Machine::new(program, Some(most_rounds)), limit)
}

fn search(machine: Machine, limit: usize) -> Option<Outcomes> {
    let mut found = Outcomes::default();
    let mut seen = HashSet::new();
    let mut next = vec![machine.begin.clone()];
    let mut now = Vec::new();
    while let Some(state) = next.pop() {
        if seen.contains(&state) {
            continue;
        }
        if seen.len() == limit {
            return None;
        }
        machine.visit(&state, &mut found, &mut now);
        next.append(&mut now);
        seen.insert(state);
    }
    Some(found)
}
