//! `std::time` on the virtual clock. Inside an exploration, [`Instant`]s are readings of the execution's own
//! clock, counted from one moment that is the same for the whole process; no real time passes. Reading the
//! clock is an operation. Where timers may fire at any point, the clock may also have moved by itself when it is read:
//! that is an option of the first readings of a task, once in an execution. [`SystemTime`] is std's own and shows real time, unless the calls of the program
//! are [replaced](crate::outside).

use crate::runtime::context::{self, Current};
use crate::runtime::log::{Effect, Shape, Sync as Synchronises};
use crate::runtime::objects::view::View;
use crate::runtime::operation::{Evaluation, Op, OperationKind};
use raddle_core::operation::Accesses;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Add, AddAssign, Sub, SubAssign};
use std::panic::Location;
use std::sync::OnceLock;

pub use std::time::{Duration, SystemTime, SystemTimeError, TryFromFloatSecsError, UNIX_EPOCH};

static NOW: OperationKind = OperationKind::read("now");
static ELAPSED: OperationKind = OperationKind::read("elapsed");
/// The same where the clock may move by itself. The first argument says whether this reading may find that it has, as
/// option 1; word 0 of the clock counts how often it did.
static NOW_OR_LATER: OperationKind = OperationKind::new("now", reads_or_moves).looks();
static ELAPSED_OR_MORE: OperationKind = OperationKind::new("elapsed", reads_or_moves).looks();

/// How often the clock moves by itself in an execution.
pub(crate) const MOVES: u32 = 1;
/// So many of the first readings of a task may find that it has moved: loops that poll the clock read it without end.
pub(crate) const READINGS: u32 = 4;
/// How far it moves: further than what most programs wait for.
const MOVE: Duration = Duration::from_secs(3_600);

fn reads_or_moves(view: View<'_>, op: &Op) -> Evaluation {
    match op.args[0] == 1 && view.object().words[0] < MOVES.into() {
        true => Evaluation { accesses: Accesses::write(op.object), options: 2 },
        false => Evaluation::ready(Accesses::read(op.object)),
    }
}

/// The origin of virtual clocks.
fn base() -> std::time::Instant {
    static BASE: OnceLock<std::time::Instant> = OnceLock::new();
    *BASE.get_or_init(std::time::Instant::now)
}

/// Reads the virtual clock as the time since the start of the execution; none outside executions.
#[track_caller]
pub(crate) fn since_the_beginning() -> Option<Duration> {
    let current = context::current()?;
    let since = |now: Instant| now.0.saturating_duration_since(base());
    Some(since(read_clock(current, [&NOW, &NOW_OR_LATER], since)))
}

/// Reads the virtual clock; `show` gives the duration for the log.
#[track_caller]
fn read_clock(
    current: Current,
    [kind, or_later]: [&'static OperationKind; 2],
    show: impl FnOnce(Instant) -> Duration,
) -> Instant {
    let clock = current.with(|e| e.the_clock());
    match current.with(|e| e.count_reading()) {
        None => _ = current.perform(Op::new(kind, clock, Location::caller())),
        Some(reading) => {
            let may_move = (reading <= READINGS) as u64;
            if current.perform(Op::new(or_later, clock, Location::caller()).arg(may_move)) == 1 {
                current.with(|e| {
                    e.words_mut(clock)[0] += 1;
                    e.move_clock(MOVE);
                    e.made_progress();
                });
            }
        }
    }
    let now = Instant(base() + current.with(|e| e.now()));
    let nanos = u64::try_from(show(now).as_nanos()).unwrap_or(u64::MAX);
    current.did(Effect::Read(Shape::Time, nanos), Synchronises::None);
    now
}

/// See [`std::time::Instant`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant(std::time::Instant);

// Programs seed generators with the hash of an instant, so a virtual one must have the same hash in every
// process.
impl Hash for Instant {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let base = base();
        let (after, before) =
            (self.0.saturating_duration_since(base), base.saturating_duration_since(self.0));
        (after, before).hash(state);
    }
}

impl Instant {
    /// See [`std::time::Instant::now`].
    #[must_use]
    #[track_caller]
    pub fn now() -> Instant {
        match context::current() {
            None => Instant(std::time::Instant::now()),
            Some(current) => {
                let since = |now: Instant| now.0.saturating_duration_since(base());
                read_clock(current, [&NOW, &NOW_OR_LATER], since)
            }
        }
    }

    /// See [`std::time::Instant::duration_since`].
    #[must_use]
    pub fn duration_since(&self, earlier: Instant) -> Duration {
        self.0.duration_since(earlier.0)
    }

    /// See [`std::time::Instant::checked_duration_since`].
    #[must_use]
    pub fn checked_duration_since(&self, earlier: Instant) -> Option<Duration> {
        self.0.checked_duration_since(earlier.0)
    }

    /// See [`std::time::Instant::saturating_duration_since`].
    #[must_use]
    pub fn saturating_duration_since(&self, earlier: Instant) -> Duration {
        self.0.saturating_duration_since(earlier.0)
    }

    /// See [`std::time::Instant::elapsed`].
    #[must_use]
    #[track_caller]
    pub fn elapsed(&self) -> Duration {
        match context::current() {
            None => self.0.elapsed(),
            Some(current) => {
                let since = |now: Instant| now.duration_since(*self);
                let now = read_clock(current, [&ELAPSED, &ELAPSED_OR_MORE], since);
                now.duration_since(*self)
            }
        }
    }

    /// See [`std::time::Instant::checked_add`].
    pub fn checked_add(&self, duration: Duration) -> Option<Instant> {
        self.0.checked_add(duration).map(Instant)
    }

    /// See [`std::time::Instant::checked_sub`].
    pub fn checked_sub(&self, duration: Duration) -> Option<Instant> {
        self.0.checked_sub(duration).map(Instant)
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;
    /// # Panics
    /// If the result cannot be represented, as std's.
    #[track_caller]
    fn add(self, other: Duration) -> Instant {
        self.checked_add(other).expect("overflow when adding duration to instant")
    }
}

impl AddAssign<Duration> for Instant {
    #[track_caller]
    fn add_assign(&mut self, other: Duration) {
        *self = *self + other;
    }
}

impl Sub<Duration> for Instant {
    type Output = Instant;
    /// # Panics
    /// If the result cannot be represented, as std's.
    #[track_caller]
    fn sub(self, other: Duration) -> Instant {
        self.checked_sub(other).expect("overflow when subtracting duration from instant")
    }
}

impl SubAssign<Duration> for Instant {
    #[track_caller]
    fn sub_assign(&mut self, other: Duration) {
        *self = *self - other;
    }
}

impl Sub<Instant> for Instant {
    type Output = Duration;
    fn sub(self, other: Instant) -> Duration {
        self.duration_since(other)
    }
}

impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
