//! Explicit nondeterminism, and external effects as one visible step.

use crate::runtime::context::{self, Current};
use crate::runtime::log::{Effect, Shape, Sync as Synchronises};
use crate::runtime::operation::{Evaluation, Op, OperationKind};
use raddle_core::operation::{Accesses, ObjectId};
use std::panic::Location;

static CHOOSE: OperationKind = OperationKind::always("choose", |_, op| Evaluation {
    accesses: Accesses::NONE,
    options: op.args[0] as u32,
});
static ANY_BOOL: OperationKind =
    OperationKind::always("any_bool", |_, _| Evaluation { accesses: Accesses::NONE, options: 2 });
static ATOMIC_STEP: OperationKind = OperationKind::write("atomic_step");

/// Any number below `n`: a search explores all of them, or samples one.
///
/// Fails if `n` is 0, and outside of explorations.
#[track_caller]
pub fn choose(n: usize) -> usize {
    assert!(n > 0, "raddle: choose(0): there is nothing to choose from");
    let Ok(options) = u32::try_from(n) else {
        panic!("raddle: choose({n}): more than {} options", u32::MAX);
    };
    let current = inside("choose");
    let choice = current.perform(Op::plain(&CHOOSE, Location::caller()).arg(options as u64));
    chose(current, Effect::Read(Shape::Unsigned, choice as u64));
    choice as usize
}

/// True or false: a search explores both, or samples one.
///
/// Fails outside of explorations.
#[track_caller]
pub fn any_bool() -> bool {
    let current = inside("any_bool");
    let choice = current.perform(Op::plain(&ANY_BOOL, Location::caller()));
    chose(current, Effect::Read(Shape::Bool, choice as u64));
    choice == 1
}

#[track_caller]
fn inside(what: &str) -> Current {
    context::current().unwrap_or_else(|| {
        panic!(
            "raddle: {what} only works inside of an exploration, such as raddle::check or Checker::run: outside \
             of it the other choices are never tried"
        )
    })
}

fn chose(current: Current, effect: Effect) {
    current.with(|e| e.made_progress());
    current.did(effect, Synchronises::None);
}

/// Runs `f`, an external effect, as one step: no other task runs during it. All atomic steps of one name
/// conflict with each other, so a search explores their orders.
///
/// Operations inside of `f` are an error, because other tasks could run there. The step synchronises nothing.
/// Outside of explorations it just runs `f`.
///
/// ```
/// # use raddle_native::choice as raddle;
/// let written = raddle::atomic_step("disk", || 512);
/// assert_eq!(written, 512);
/// ```
#[track_caller]
pub fn atomic_step<R>(name: &'static str, f: impl FnOnce() -> R) -> R {
    let Some(current) = context::current() else { return f() };
    let step = current.with(|e| e.atomic_step(name));
    current.perform(Op::new(&ATOMIC_STEP, step, Location::caller()));
    let _alone = Alone::begin(current, step, Location::caller());
    f()
}

/// While it lives, only the running task may take operations.
struct Alone(Current);

impl Alone {
    fn begin(current: Current, step: ObjectId, place: &'static Location<'static>) -> Alone {
        current.with(|e| {
            e.begin_atomic_step((step, place));
        });
        Alone(current)
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        self.0.with(|e| {
            e.end_atomic_step();
        });
    }
}
