//! Random programs, the same for the same seed.
//!
//! Each program mixes a few kinds of statements, so that they meet.

use crate::program::{
    CHANNELS, CONDVARS, Destructor, Hint, LOCKS, MUTEXES, ONCES, Program, Stmt, Time, VARS,
};

/// A loop has no more rounds than this, and all loops of a task together none more than twice as many.
const ROUNDS: usize = 8;

/// A generator of random numbers: splitmix64.
pub struct Rng(pub u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// Kinds of statements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "each is named as what it is about")]
pub enum Group {
    Atomics,
    Exchanges,
    Mutexes,
    Condvars,
    Locks,
    Unbounded,
    Bounded,
    Rendezvous,
    Parking,
    Onces,
    Cells,
    Barrier,
    Timers,
    Choices,
    Panics,
    Finished,
    Loops,
    References,
}

const GROUPS: [Group; 18] = [
    Group::Atomics,
    Group::Exchanges,
    Group::Mutexes,
    Group::Condvars,
    Group::Locks,
    Group::Unbounded,
    Group::Bounded,
    Group::Rendezvous,
    Group::Parking,
    Group::Onces,
    Group::Cells,
    Group::Barrier,
    Group::Timers,
    Group::Choices,
    Group::Panics,
    Group::Finished,
    Group::Loops,
    Group::References,
];

impl Group {
    /// The kind with this name.
    pub fn named(name: &str) -> Option<Group> {
        GROUPS.into_iter().find(|group| format!("{group:?}").eq_ignore_ascii_case(name))
    }
}

/// What a task holds where a statement stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Held {
    Mutex(usize),
    Lock(usize),
    Once(usize),
    Cell(usize),
}

struct Draw<'a> {
    rng: &'a mut Rng,
    groups: Vec<Group>,
    tasks: usize,
    /// Who receives from each channel.
    receivers: [usize; CHANNELS.len()],
    /// How many statements are left.
    left: usize,
    /// How many rounds are left for the loops of the task.
    rounds: usize,
    /// When timers fire.
    time: Time,
}

/// The program of number `number` of those that `seed` stands for, with statements of the kind `about` among others.
pub fn program(seed: u64, number: u64, about: Option<Group>) -> Program {
    let mut rng = Rng(seed.wrapping_mul(0x1000_0000_01b3) ^ number.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let tasks = [2, 2, 3, 3, 3, 4][rng.below(6)];
    let mut groups = Vec::from_iter(about);
    for _ in 0..1 + rng.below(3) {
        groups.push(GROUPS[rng.below(GROUPS.len())]);
    }
    let time = if rng.one_in(2) { Time::Any } else { Time::Idle };
    let receivers = std::array::from_fn(|_| rng.below(tasks));
    let left = 5 + rng.below(5);
    let mut draw = Draw { rng: &mut rng, groups, tasks, receivers, left, rounds: 0, time };
    let bodies: Vec<Vec<Stmt>> = (0..tasks)
        .map(|task| {
            draw.rounds = 2 * ROUNDS;
            let most = 1 + draw.rng.below(4);
            (0..most).filter_map(|_| draw.statement(task, &mut Vec::new())).collect()
        })
        .collect();
    let spurious = rng.one_in(3) as u8;
    let destructor = match rng.below(4) {
        0 => Destructor::Nothing,
        1 => Destructor::Store(rng.below(VARS), 1),
        2 => Destructor::Store(rng.below(VARS), 3),
        _ => Destructor::Lock(rng.below(MUTEXES), 3),
    };
    Program { tasks: bodies, time, spurious, destructor }
}

impl Draw<'_> {
    fn one_of(&mut self, all: &[Stmt]) -> Stmt {
        all[self.rng.below(all.len())].clone()
    }

    fn body(&mut self, task: usize, held: &mut Vec<Held>, what: Held) -> Vec<Stmt> {
        held.push(what);
        let most = self.rng.below(3);
        let body = (0..most).filter_map(|_| self.statement(task, held)).collect();
        held.pop();
        body
    }

    /// The number of rounds of a loop; none if there are none left.
    fn rounds(&mut self) -> Option<u8> {
        let rounds = (1 + self.rng.below(ROUNDS)).min(self.rounds);
        self.rounds -= rounds;
        (rounds > 0).then_some(rounds as u8)
    }

    fn other_task(&mut self, task: usize) -> usize {
        if task == 0 { 1 + self.rng.below(self.tasks - 1) } else { 0 }
    }

    /// A statement of `task`, which holds this there; none if there is no room left or it would not fit.
    fn statement(&mut self, task: usize, held: &mut Vec<Held>) -> Option<Stmt> {
        if self.left == 0 || held.len() > 2 {
            return None;
        }
        self.left -= 1;
        // What is done inside of a mutex is mostly about it.
        if let Some(Held::Mutex(_)) = held.last()
            && self.rng.one_in(2)
        {
            return Some(self.inside_of_mutex());
        }
        let group = match self.rng.one_in(5) {
            true => Group::Atomics,
            false => self.groups[self.rng.below(self.groups.len())],
        };
        let var = self.rng.below(VARS);
        let value = 1 + self.rng.below(2) as i8;
        let after = self.rng.below(4) as u8;
        Some(match group {
            Group::Atomics => self.one_of(&[
                Stmt::Load(var),
                Stmt::Store(var, value),
                Stmt::Swap(var, value),
                Stmt::Add(var),
            ]),
            Group::Exchanges => {
                let from = self.rng.below(2) as i8;
                self.one_of(&[
                    Stmt::Exchange(var, from, value),
                    Stmt::WeakExchange(var, from, value),
                    Stmt::Store(var, value),
                ])
            }
            Group::Mutexes | Group::Condvars => {
                if group == Group::Condvars && self.rng.one_in(3) {
                    let condvar = self.rng.below(CONDVARS);
                    return Some(self.one_of(&[Stmt::NotifyOne(condvar), Stmt::NotifyAll(condvar)]));
                }
                // Condition variables are used with mutex 0 only: std panics if one is used with several.
                let mutex = if group == Group::Condvars { 0 } else { self.rng.below(MUTEXES) };
                if held.contains(&Held::Mutex(mutex)) {
                    return None;
                }
                let body = self.body(task, held, Held::Mutex(mutex));
                match group == Group::Mutexes && self.rng.one_in(2) {
                    true => Stmt::TryLock(mutex, body),
                    false => Stmt::Lock(mutex, body),
                }
            }
            Group::Locks => {
                let lock = self.rng.below(LOCKS);
                // To read a lock again while it is read is reported as a deadlock, as the guide says.
                if held.contains(&Held::Lock(lock)) {
                    return None;
                }
                let body = self.body(task, held, Held::Lock(lock));
                match self.rng.below(4) {
                    0 => Stmt::Read(lock, body),
                    1 => Stmt::Write(lock, body),
                    2 => Stmt::TryRead(lock, body),
                    _ => Stmt::TryWrite(lock, body),
                }
            }
            Group::Unbounded => self.channel(task, 0, after)?,
            Group::Bounded => self.channel(task, 1, after)?,
            Group::Rendezvous => self.channel(task, 2, after)?,
            Group::Parking => {
                let other = self.other_task(task);
                let timed = self.groups.contains(&Group::Timers) && self.rng.one_in(2);
                let park = if timed { Stmt::ParkTimeout(after) } else { Stmt::Park };
                self.one_of(&[Stmt::Unpark(other), park])
            }
            Group::Onces => {
                let once = self.rng.below(ONCES);
                if held.contains(&Held::Once(once)) {
                    return None;
                }
                Stmt::Once(once, self.body(task, held, Held::Once(once)))
            }
            Group::Cells => {
                let cell = self.rng.below(ONCES);
                if held.contains(&Held::Cell(cell)) {
                    return None;
                }
                match self.rng.one_in(3) {
                    true => Stmt::GetCell(cell),
                    false => Stmt::GetOrInit(cell, value, self.body(task, held, Held::Cell(cell))),
                }
            }
            Group::References => {
                let try_lock = Stmt::TryLock(self.rng.below(MUTEXES), vec![]);
                self.one_of(&[
                    Stmt::DropArc,
                    Stmt::DropArc,
                    Stmt::CloneArc,
                    Stmt::StrongCount,
                    Stmt::TryUnwrap,
                    Stmt::IntoInner,
                    Stmt::Upgrade,
                    Stmt::Load(var),
                    try_lock,
                ])
            }
            Group::Barrier => Stmt::Meet,
            Group::Timers if self.rng.one_in(4) => Stmt::Clock,
            Group::Timers => self.one_of(&[Stmt::Sleep(after), Stmt::ParkTimeout(after)]),
            Group::Choices => Stmt::Choose(2),
            Group::Panics => self.one_of(&[Stmt::PanicIf(var), Stmt::PanicIf(var), Stmt::Panic]),
            Group::Finished if task == 0 => {
                let other = self.other_task(0);
                match self.rng.below(3) {
                    0 => Stmt::IsFinished(other),
                    1 => Stmt::Join(other),
                    _ => Stmt::PollFinished(other, self.rounds()?),
                }
            }
            Group::Finished => Stmt::Store(var, value),
            Group::Loops => {
                let hint = [Hint::Spin, Hint::Yield, Hint::Update, Hint::Nothing][self.rng.below(4)];
                match self.rng.one_in(2) {
                    true => Stmt::Spin(var, self.rounds()?, hint),
                    false => Stmt::Store(var, value),
                }
            }
        })
    }

    fn inside_of_mutex(&mut self) -> Stmt {
        let condvar = self.rng.below(CONDVARS);
        let after = self.rng.below(4) as u8;
        let value = self.rng.below(3) as i8;
        match self.groups.contains(&Group::Condvars) {
            true => self.one_of(&[
                Stmt::Wait(condvar),
                Stmt::WaitWhile(condvar),
                Stmt::WaitTimeout(condvar, after),
                Stmt::Set(value),
                Stmt::Set(1),
                Stmt::NotifyOne(condvar),
            ]),
            false => self.one_of(&[Stmt::Get, Stmt::Set(value)]),
        }
    }

    fn channel(&mut self, task: usize, channel: usize, after: u8) -> Option<Stmt> {
        let message = 1 + self.rng.below(3) as i8;
        if self.receivers[channel] == task {
            return Some(match self.rng.below(7) {
                6 => Stmt::PollRecv(channel, self.rounds()?),
                0 | 1 => Stmt::Recv(channel),
                2 | 3 => Stmt::TryRecv(channel),
                // Row "handed over": the timer of a receive that was served may still move the clock.
                4 if self.groups.contains(&Group::Timers) && !(channel == 2 && self.time == Time::Any) => {
                    Stmt::RecvTimeout(channel, after)
                }
                4 => Stmt::Recv(channel),
                _ => Stmt::DropReceiver(channel),
            });
        }
        Some(match self.rng.below(6) {
            0 => Stmt::DropSender(channel),
            1 | 2 if CHANNELS[channel] == Some(1) => Stmt::TrySend(channel, message),
            _ => Stmt::Send(channel, message),
        })
    }
}
