//! The language of the oracle: a program is a list of tasks, and a task is a list of statements over a few shared
//! objects. Each task writes what it observes into a log of its own.
//!
//! Main is task 0: it creates everything, starts all other tasks in order, does its statements, drops its ends of
//! channels and its counted references, and joins the tasks that it has not joined yet. An outcome is the logs of all tasks.

/// How many objects there are of each kind.
pub const VARS: usize = 2;
/// Mutexes, each with a number inside.
pub const MUTEXES: usize = 2;
/// Read-write locks, each with a number inside.
pub const LOCKS: usize = 2;
/// Condition variables.
pub const CONDVARS: usize = 1;
/// Instances of `Once`, and as many of `OnceLock`.
pub const ONCES: usize = 1;
/// Capacities of the channels; `None`: without bound.
pub const CHANNELS: [Option<usize>; 3] = [None, Some(1), Some(0)];
/// So many tasks meet at the barrier.
pub const BARRIER: usize = 2;

/// Under [`Time::Any`] the clock moves by itself this often, by so much, and so many of the first readings of a task may
/// find that it has: see the guide. Main reads it once at the beginning.
pub const CLOCK_MOVES: u8 = 1;
/// In milliseconds of the oracle, which stand for an hour.
pub const CLOCK_MOVE: u8 = 40;
/// Readings of a task.
pub const CLOCK_READINGS: u8 = 4;

/// What observing statements write into the log beside plain values.
pub mod mark {
    /// A lock was poisoned.
    pub const POISONED: i8 = 70;
    /// `try_lock` and its kind would have blocked, or `try_send` found the channel full.
    pub const WOULD_BLOCK: i8 = 71;
    /// It succeeded.
    pub const OK: i8 = 72;
    /// A channel is disconnected.
    pub const DISCONNECTED: i8 = 73;
    /// Nothing was there.
    pub const EMPTY: i8 = 74;
    /// The time was up.
    pub const TIMED_OUT: i8 = 75;
    /// The task that was joined had panicked.
    pub const PANICKED: i8 = 76;
    /// The statement's end of the channel was dropped before, or the task was joined before.
    pub const SKIPPED: i8 = 77;
    /// A weak compare-exchange or a compare-exchange failed; the value follows.
    pub const REFUSED: i8 = 78;
    /// True, where false is [`FALSE`].
    pub const TRUE: i8 = 79;
    /// False.
    pub const FALSE: i8 = 80;
}

/// When timers may fire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Time {
    /// Only when nothing else can happen.
    Idle,
    /// The earliest, at any point.
    Any,
}

/// The hint in a loop that waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hint {
    /// `spin_loop`.
    Spin,
    /// `yield_now`.
    Yield,
    /// `spin_loop`, and the look is an update that changes nothing.
    Update,
    /// None.
    Nothing,
}

/// What a task does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stmt {
    /// Logs the value of an atomic.
    Load(usize),
    /// Stores.
    Store(usize, i8),
    /// Swaps; logs the old value.
    Swap(usize, i8),
    /// Adds 1; logs the old value.
    Add(usize),
    /// Compare-exchange of the first value for the second; logs whether it succeeded, or what it found.
    Exchange(usize, i8, i8),
    /// The same, and may fail for no reason.
    WeakExchange(usize, i8, i8),
    /// Holds a mutex.
    Lock(usize, Vec<Stmt>),
    /// The same if it is free; logs how it went.
    TryLock(usize, Vec<Stmt>),
    /// Logs the number in the mutex that is held innermost.
    Get,
    /// Sets it.
    Set(i8),
    /// Waits with the mutex that is held innermost.
    Wait(usize),
    /// Waits while the number in it is 0.
    WaitWhile(usize),
    /// Waits for so many milliseconds at most; logs whether the time was up.
    WaitTimeout(usize, u8),
    /// Notifies one.
    NotifyOne(usize),
    /// Notifies all.
    NotifyAll(usize),
    /// Reads a lock; logs its number.
    Read(usize, Vec<Stmt>),
    /// Writes a lock: adds 1 to its number.
    Write(usize, Vec<Stmt>),
    /// Reads a lock if no task writes it.
    TryRead(usize, Vec<Stmt>),
    /// Writes a lock if it is free.
    TryWrite(usize, Vec<Stmt>),
    /// Sends; logs an error.
    Send(usize, i8),
    /// Sends if there is room; logs how it went.
    TrySend(usize, i8),
    /// Receives; logs what.
    Recv(usize),
    /// Receives if a message is there.
    TryRecv(usize),
    /// Receives within so many milliseconds.
    RecvTimeout(usize, u8),
    /// Drops this task's sender.
    DropSender(usize),
    /// Drops the receiver.
    DropReceiver(usize),
    /// Parks.
    Park,
    /// Parks for so many milliseconds at most.
    ParkTimeout(u8),
    /// Unparks a task: main any, the others main.
    Unpark(usize),
    /// `Once::call_once`.
    Once(usize, Vec<Stmt>),
    /// `OnceLock::get_or_init` with this value, after these statements; logs the value.
    GetOrInit(usize, i8, Vec<Stmt>),
    /// `OnceLock::get`.
    GetCell(usize),
    /// Waits at the barrier; logs whether this task was the last.
    Meet,
    /// Sleeps for so many milliseconds.
    Sleep(u8),
    /// Logs any number below this.
    Choose(u8),
    /// Panics.
    Panic,
    /// Panics if the atomic is not 0.
    PanicIf(usize),
    /// Main joins a task; logs how it ended.
    Join(usize),
    /// Main asks whether a task is finished.
    IsFinished(usize),
    /// Polls that up to so many times; logs the round in which it was, or the number of rounds.
    PollFinished(usize, u8),
    /// Tries up to so many times to receive; logs the round in which there was an answer and what it was, or the number
    /// of rounds.
    PollRecv(usize, u8),
    /// Logs how many milliseconds the clock has moved.
    Clock,
    /// Looks up to so many times whether the atomic is not 0; logs the round in which it was, or the number of rounds.
    Spin(usize, u8, Hint),
    /// Gives way.
    Yield,
    /// Drops one of this task's counted references.
    DropArc,
    /// Clones one.
    CloneArc,
    /// Logs how many there are.
    StrongCount,
    /// `Arc::try_unwrap`; logs how it went, and drops the value.
    TryUnwrap,
    /// `Arc::into_inner`; the same.
    IntoInner,
    /// Upgrades this task's weak reference; logs how it went.
    Upgrade,
}

/// What the destructor of the counted value does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Destructor {
    /// Nothing.
    Nothing,
    /// Stores the value in an atomic.
    Store(usize, i8),
    /// Sets the number in a mutex.
    Lock(usize, i8),
}

impl Stmt {
    /// The statements inside.
    pub fn body(&self) -> Option<&Vec<Stmt>> {
        match self {
            Stmt::Lock(_, b) | Stmt::TryLock(_, b) | Stmt::Read(_, b) | Stmt::Write(_, b) => Some(b),
            Stmt::TryRead(_, b) | Stmt::TryWrite(_, b) | Stmt::Once(_, b) | Stmt::GetOrInit(_, _, b) => {
                Some(b)
            }
            _ => None,
        }
    }
    /// The same, to be changed.
    pub fn body_mut(&mut self) -> Option<&mut Vec<Stmt>> {
        match self {
            Stmt::Lock(_, b) | Stmt::TryLock(_, b) | Stmt::Read(_, b) | Stmt::Write(_, b) => Some(b),
            Stmt::TryRead(_, b) | Stmt::TryWrite(_, b) | Stmt::Once(_, b) | Stmt::GetOrInit(_, _, b) => {
                Some(b)
            }
            _ => None,
        }
    }
    /// Whether it needs a counted reference.
    pub fn needs_reference(&self) -> bool {
        matches!(self, Stmt::DropArc | Stmt::CloneArc | Stmt::StrongCount | Stmt::TryUnwrap | Stmt::IntoInner)
    }
    /// Whether it sets a timer.
    pub fn is_timed(&self) -> bool {
        matches!(
            self,
            Stmt::WaitTimeout(..) | Stmt::RecvTimeout(..) | Stmt::ParkTimeout(..) | Stmt::Sleep(..)
        )
    }
}

/// A program, and the settings that its outcomes depend on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// Main first.
    pub tasks: Vec<Vec<Stmt>>,
    /// When timers fire.
    pub time: Time,
    /// How many spurious wake-ups and failures there may be.
    pub spurious: u8,
    /// What happens when the last counted reference is dropped.
    pub destructor: Destructor,
}

impl Program {
    /// All statements of a task, those inside of others included.
    pub fn statements(&self, task: usize) -> Vec<&Stmt> {
        fn visit<'a>(body: &'a [Stmt], all: &mut Vec<&'a Stmt>) {
            for stmt in body {
                all.push(stmt);
                if let Some(body) = stmt.body() {
                    visit(body, all);
                }
            }
        }
        let mut all = Vec::new();
        visit(&self.tasks[task], &mut all);
        all
    }
    /// Whether a statement of any task is like this.
    pub fn has(&self, like: impl Fn(&Stmt) -> bool) -> bool {
        (0..self.tasks.len()).any(|task| self.statements(task).into_iter().any(&like))
    }
    /// Whether there are counted references.
    pub fn counts(&self) -> bool {
        self.has(|stmt| stmt.needs_reference() || *stmt == Stmt::Upgrade)
    }
    /// Whether the task begins with a counted reference: main, and all that need one.
    pub fn refers(&self, task: usize) -> bool {
        self.counts() && (task == 0 || self.statements(task).into_iter().any(Stmt::needs_reference))
    }
    /// Whether it begins with a weak reference.
    pub fn upgrades(&self, task: usize) -> bool {
        self.statements(task).contains(&&Stmt::Upgrade)
    }
    /// Whether the task has a sender of the channel.
    pub fn sends(&self, task: usize, channel: usize) -> bool {
        let is = |stmt: &&Stmt| matches!(stmt, Stmt::Send(c, _) | Stmt::TrySend(c, _) | Stmt::DropSender(c) if *c == channel);
        self.statements(task).iter().any(is)
    }
    fn receives(&self, task: usize, channel: usize) -> bool {
        let is = |stmt: &&Stmt| match stmt {
            Stmt::Recv(c) | Stmt::TryRecv(c) | Stmt::PollRecv(c, _) => *c == channel,
            Stmt::RecvTimeout(c, _) | Stmt::DropReceiver(c) => *c == channel,
            _ => false,
        };
        self.statements(task).iter().any(is)
    }
    /// The task that has the receiver of the channel: the first that uses it, or main.
    pub fn receiver(&self, channel: usize) -> usize {
        (0..self.tasks.len()).find(|task| self.receives(*task, channel)).unwrap_or(0)
    }
    /// Whether any task uses the channel.
    pub fn uses(&self, channel: usize) -> bool {
        (0..self.tasks.len()).any(|task| self.sends(task, channel) || self.receives(task, channel))
    }
}
