//! The same programs, executed with raddle's types under a `Checker`.
//!
//! Invariant: each statement is the call of std's interface that its documentation names, and nothing else.

use crate::outcomes::{Kind, Logs, Outcomes};
use crate::program::{
    BARRIER, CHANNELS, CLOCK_MOVE, CONDVARS, Hint, LOCKS, MUTEXES, ONCES, Program, Stmt, Time, VARS, mark,
};
use crate::references::{Faint, Strong};
use raddle::sync::atomic::{AtomicI8, Ordering::SeqCst};
use raddle::sync::mpsc::{
    Receiver, RecvTimeoutError, Sender, SyncSender, TryRecvError, TrySendError, channel, sync_channel,
};
use raddle::sync::{Barrier, Condvar, Mutex, MutexGuard, Once, OnceLock, RwLock};
use raddle::thread::{self, JoinHandle, Thread};
use raddle::time::Instant;
use raddle::{Checker, FailureKind, Report, hint};
use std::sync::{Arc, PoisonError, TryLockError};
use std::time::Duration;

pub(crate) enum Tx {
    Unbounded(Sender<i8>),
    Bounded(SyncSender<i8>),
}

pub(crate) struct Shared {
    pub vars: [AtomicI8; VARS],
    pub mutexes: [Mutex<i8>; MUTEXES],
    locks: [RwLock<i8>; LOCKS],
    condvars: [Condvar; CONDVARS],
    onces: [Once; ONCES],
    cells: [OnceLock<i8>; ONCES],
    barrier: Barrier,
    /// Not raddle's: only its own task writes a log.
    logs: std::sync::Mutex<Logs>,
}

/// What a task has for its own. The ends are dropped in the order of the fields.
pub(crate) struct Own {
    id: usize,
    senders: [Option<Tx>; CHANNELS.len()],
    receivers: [Option<Receiver<i8>>; CHANNELS.len()],
    pub strong: Vec<Strong>,
    pub faint: Option<Faint>,
    shared: Arc<Shared>,
    began: Instant,
    threads: Vec<Thread>,
    handles: Vec<Option<JoinHandle<()>>>,
}

impl Own {
    pub fn log(&self, number: i8) {
        self.shared.logs.lock().unwrap_or_else(PoisonError::into_inner)[self.id].push(number);
    }
    /// The guard of a lock, poisoned or not.
    fn guard<G>(&self, result: Result<G, PoisonError<G>>) -> G {
        result.unwrap_or_else(|poisoned| {
            self.log(mark::POISONED);
            poisoned.into_inner()
        })
    }
    /// That of one that was only tried.
    fn tried<G>(&self, result: Result<G, TryLockError<G>>) -> Option<G> {
        match result {
            Err(TryLockError::WouldBlock) => {
                self.log(mark::WOULD_BLOCK);
                None
            }
            Ok(guard) => {
                self.log(mark::OK);
                Some(guard)
            }
            Err(TryLockError::Poisoned(poisoned)) => {
                self.log(mark::OK);
                Some(self.guard(Err(poisoned)))
            }
        }
    }
    fn truth(&self, is: bool) {
        self.log(if is { mark::TRUE } else { mark::FALSE });
    }

    fn all(&mut self, body: &[Stmt], held: &mut Option<MutexGuard<'_, i8>>) {
        for stmt in body {
            self.one(stmt, held);
        }
    }

    fn one(&mut self, stmt: &Stmt, held: &mut Option<MutexGuard<'_, i8>>) {
        let shared = self.shared.clone();
        let ms = |after: &u8| Duration::from_millis(*after as u64);
        match stmt {
            Stmt::Load(v) => self.log(shared.vars[*v].load(SeqCst)),
            Stmt::Store(v, value) => shared.vars[*v].store(*value, SeqCst),
            Stmt::Swap(v, value) => self.log(shared.vars[*v].swap(*value, SeqCst)),
            Stmt::Add(v) => self.log(shared.vars[*v].fetch_add(1, SeqCst)),
            Stmt::Exchange(v, from, to) => {
                self.exchanged(shared.vars[*v].compare_exchange(*from, *to, SeqCst, SeqCst));
            }
            Stmt::WeakExchange(v, from, to) => {
                self.exchanged(shared.vars[*v].compare_exchange_weak(*from, *to, SeqCst, SeqCst));
            }
            Stmt::Lock(m, body) => {
                let mut guard = Some(self.guard(shared.mutexes[*m].lock()));
                self.all(body, &mut guard);
            }
            Stmt::TryLock(m, body) => {
                if let Some(guard) = self.tried(shared.mutexes[*m].try_lock()) {
                    self.all(body, &mut Some(guard));
                }
            }
            Stmt::Get => self.log(**held.as_ref().expect("it is held")),
            Stmt::Set(value) => **held.as_mut().expect("it is held") = *value,
            Stmt::Wait(c) => {
                let guard = held.take().expect("it is held");
                *held = Some(self.guard(shared.condvars[*c].wait(guard)));
            }
            Stmt::WaitWhile(c) => {
                // `wait_while`, with each poisoned wake-up in the log.
                while **held.as_ref().expect("it is held") == 0 {
                    let guard = held.take().expect("it is held");
                    *held = Some(self.guard(shared.condvars[*c].wait(guard)));
                }
            }
            Stmt::WaitTimeout(c, after) => {
                let guard = held.take().expect("it is held");
                let (guard, result) = self.guard(shared.condvars[*c].wait_timeout(guard, ms(after)));
                *held = Some(guard);
                self.truth(result.timed_out());
            }
            Stmt::NotifyOne(c) => shared.condvars[*c].notify_one(),
            Stmt::NotifyAll(c) => shared.condvars[*c].notify_all(),
            Stmt::Read(l, body) => {
                let guard = self.guard(shared.locks[*l].read());
                self.log(*guard);
                self.all(body, &mut None);
            }
            Stmt::Write(l, body) => {
                let mut guard = self.guard(shared.locks[*l].write());
                *guard += 1;
                self.all(body, &mut None);
            }
            Stmt::TryRead(l, body) => {
                if let Some(guard) = self.tried(shared.locks[*l].try_read()) {
                    self.log(*guard);
                    self.all(body, &mut None);
                }
            }
            Stmt::TryWrite(l, body) => {
                if let Some(mut guard) = self.tried(shared.locks[*l].try_write()) {
                    *guard += 1;
                    self.all(body, &mut None);
                }
            }
            Stmt::Park => thread::park(),
            Stmt::ParkTimeout(after) => thread::park_timeout(ms(after)),
            Stmt::Unpark(task) => self.threads[*task].unpark(),
            Stmt::Once(o, body) => shared.onces[*o].call_once(|| self.all(body, &mut None)),
            Stmt::GetOrInit(o, value, body) => {
                let value = *shared.cells[*o].get_or_init(|| {
                    self.all(body, &mut None);
                    *value
                });
                self.log(value);
            }
            Stmt::GetCell(o) => self.log(shared.cells[*o].get().copied().unwrap_or(mark::EMPTY)),
            Stmt::Meet => self.truth(shared.barrier.wait().is_leader()),
            Stmt::Clock => {
                let millis = self.began.elapsed().as_millis();
                let hours = millis / 3_600_000;
                self.log((millis - hours * 3_600_000 + hours * CLOCK_MOVE as u128) as i8);
            }
            Stmt::Sleep(after) => thread::sleep(ms(after)),
            Stmt::Choose(options) => self.log(raddle::choose(*options as usize) as i8),
            Stmt::Panic => panic!("as the program says"),
            Stmt::PanicIf(v) => assert_eq!(shared.vars[*v].load(SeqCst), 0),
            Stmt::Join(task) => match self.handles[*task].take() {
                None => self.log(mark::SKIPPED),
                Some(handle) => self.join(handle),
            },
            Stmt::IsFinished(task) => match &self.handles[*task] {
                None => self.log(mark::SKIPPED),
                Some(handle) => self.truth(handle.is_finished()),
            },
            Stmt::PollFinished(task, rounds) => {
                let Some(handle) = &self.handles[*task] else { return self.log(mark::SKIPPED) };
                for round in 0..*rounds {
                    if handle.is_finished() {
                        return self.log(round as i8);
                    }
                    thread::yield_now();
                }
                self.log(*rounds as i8);
            }
            Stmt::Spin(v, rounds, how) => {
                for round in 0..*rounds {
                    let seen = match how {
                        Hint::Update => shared.vars[*v].fetch_or(0, SeqCst),
                        _ => shared.vars[*v].load(SeqCst),
                    };
                    if seen != 0 {
                        return self.log(round as i8);
                    }
                    match how {
                        Hint::Spin | Hint::Update => hint::spin_loop(),
                        Hint::Nothing => {}
                        Hint::Yield => thread::yield_now(),
                    }
                }
                self.log(*rounds as i8);
            }
            Stmt::Yield => thread::yield_now(),
            Stmt::Send(c, _) | Stmt::TrySend(c, _) | Stmt::DropSender(c) => self.sends(*c, stmt),
            Stmt::Recv(c) | Stmt::TryRecv(c) | Stmt::PollRecv(c, _) => self.receives(*c, stmt),
            Stmt::RecvTimeout(c, _) | Stmt::DropReceiver(c) => {
                self.receives(*c, stmt);
            }
            Stmt::DropArc | Stmt::CloneArc | Stmt::StrongCount => self.refers(stmt),
            Stmt::TryUnwrap | Stmt::IntoInner | Stmt::Upgrade => self.refers(stmt),
        }
    }

    fn exchanged(&self, result: Result<i8, i8>) {
        match result {
            Ok(_) => self.log(mark::OK),
            Err(found) => {
                self.log(mark::REFUSED);
                self.log(found);
            }
        }
    }

    fn sends(&mut self, channel: usize, stmt: &Stmt) {
        let Some(sender) = &self.senders[channel] else { return self.log(mark::SKIPPED) };
        match (stmt, sender) {
            (Stmt::DropSender(_), _) => self.senders[channel] = None,
            (Stmt::TrySend(_, message), Tx::Bounded(sender)) => self.log(match sender.try_send(*message) {
                Ok(()) => mark::OK,
                Err(TrySendError::Full(_)) => mark::WOULD_BLOCK,
                Err(TrySendError::Disconnected(_)) => mark::DISCONNECTED,
            }),
            (Stmt::Send(_, message) | Stmt::TrySend(_, message), sender) => {
                let went = match sender {
                    Tx::Unbounded(sender) => sender.send(*message),
                    Tx::Bounded(sender) => sender.send(*message),
                };
                if went.is_err() {
                    self.log(mark::DISCONNECTED);
                }
            }
            _ => unreachable!("it does not send"),
        }
    }

    fn receives(&mut self, channel: usize, stmt: &Stmt) {
        let Some(receiver) = &self.receivers[channel] else { return self.log(mark::SKIPPED) };
        if let Stmt::PollRecv(_, rounds) = stmt {
            for round in 0..*rounds {
                let answer = match receiver.try_recv() {
                    Ok(message) => message,
                    Err(TryRecvError::Disconnected) => mark::DISCONNECTED,
                    Err(TryRecvError::Empty) => {
                        thread::yield_now();
                        continue;
                    }
                };
                self.log(round as i8);
                return self.log(answer);
            }
            return self.log(*rounds as i8);
        }
        let got = match stmt {
            Stmt::Recv(_) => receiver.recv().map_err(|_| mark::DISCONNECTED),
            Stmt::TryRecv(_) => receiver.try_recv().map_err(|error| match error {
                TryRecvError::Empty => mark::EMPTY,
                TryRecvError::Disconnected => mark::DISCONNECTED,
            }),
            Stmt::RecvTimeout(_, after) => {
                receiver.recv_timeout(Duration::from_millis(*after as u64)).map_err(|error| match error {
                    RecvTimeoutError::Timeout => mark::TIMED_OUT,
                    RecvTimeoutError::Disconnected => mark::DISCONNECTED,
                })
            }
            _ => {
                self.receivers[channel] = None;
                return;
            }
        };
        self.log(got.unwrap_or_else(|error| error));
    }

    fn join(&self, handle: JoinHandle<()>) {
        self.log(if handle.join().is_ok() { mark::OK } else { mark::PANICKED });
    }
}

/// One execution of the program.
fn execute(program: &Program) -> Logs {
    let tasks = program.tasks.len();
    let shared = Arc::new(Shared {
        vars: Default::default(),
        mutexes: Default::default(),
        locks: Default::default(),
        condvars: Default::default(),
        onces: [const { Once::new() }; ONCES],
        cells: Default::default(),
        barrier: Barrier::new(BARRIER),
        logs: std::sync::Mutex::new(vec![Vec::new(); tasks]),
    });
    let (main, began) = (thread::current(), Instant::now());
    let mut owns: Vec<Own> = (0..tasks)
        .map(|id| Own {
            id,
            senders: [const { None }; CHANNELS.len()],
            receivers: [const { None }; CHANNELS.len()],
            strong: Vec::new(),
            faint: None,
            shared: shared.clone(),
            began,
            threads: vec![main.clone()],
            handles: vec![None],
        })
        .collect();
    for (number, capacity) in CHANNELS.into_iter().enumerate().filter(|(number, _)| program.uses(*number)) {
        let senders: Vec<usize> = (0..tasks).filter(|task| program.sends(*task, number)).collect();
        let (mut first, receiver) = match capacity {
            None => {
                let (sender, receiver) = channel();
                (Some(Tx::Unbounded(sender)), receiver)
            }
            Some(capacity) => {
                let (sender, receiver) = sync_channel(capacity);
                (Some(Tx::Bounded(sender)), receiver)
            }
        };
        for (at, task) in senders.iter().enumerate() {
            owns[*task].senders[number] = match &first {
                _ if at + 1 == senders.len() => first.take(),
                Some(Tx::Unbounded(sender)) => Some(Tx::Unbounded(sender.clone())),
                Some(Tx::Bounded(sender)) => Some(Tx::Bounded(sender.clone())),
                None => unreachable!("the last one takes it"),
            };
        }
        drop(first);
        owns[program.receiver(number)].receivers[number] = Some(receiver);
    }
    if program.counts() {
        let first = Strong::new(shared.clone(), program.destructor);
        for (task, own) in owns.iter_mut().enumerate() {
            own.faint = program.upgrades(task).then(|| first.downgrade());
            own.strong.extend((task > 0 && program.refers(task)).then(|| first.clone()));
        }
        owns[0].strong.push(first);
    }
    let mut owns = owns.into_iter();
    let mut me = owns.next().expect("there is a main");
    for mut own in owns {
        let body = program.tasks[own.id].clone();
        let handle = thread::spawn(move || own.all(&body, &mut None));
        me.threads.push(handle.thread().clone());
        me.handles.push(Some(handle));
    }
    me.all(&program.tasks[0], &mut None);
    me.senders.iter_mut().for_each(|sender| *sender = None);
    me.receivers.iter_mut().for_each(|receiver| *receiver = None);
    me.strong.clear();
    for task in 1..tasks {
        if let Some(handle) = me.handles[task].take() {
            me.join(handle);
        }
    }
    let logs = shared.logs.lock().unwrap_or_else(PoisonError::into_inner);
    logs.clone()
}

/// Explores the program with these settings.
pub fn explore(program: &Program, checker: Checker) -> Report<Logs> {
    let time = match program.time {
        Time::Idle => raddle::Time::Idle,
        Time::Any => raddle::Time::Any,
    };
    let checker = checker.name("oracle").simplify(raddle::Simplify::No).keep_going();
    checker.time(time).spurious(program.spurious as u32).run(|| execute(program))
}

/// What a search found.
pub fn outcomes(report: &Report<Logs>) -> Outcomes {
    let kind = |kind: &FailureKind| match kind {
        FailureKind::Deadlock => Kind::Deadlock,
        FailureKind::Panic => Kind::Panic,
        _ => Kind::Other,
    };
    Outcomes {
        passed: report.outcomes().keys().cloned().collect(),
        failed: report.failures_by_kind().keys().map(kind).collect(),
    }
}
