//! Reference counts as operations, for an `Arc` under control. The count itself is the real one: its owner
//! changes it right after the operation.
//!
//! Clone and drop commute, except the last drop, which destroys the value. Reading a count, or taking an
//! unshared value, conflicts with every change. An operation that commutes is a read here, even if it changes
//! the count: two reads commute, and nothing else does.
//!
//! A drop becomes the last one by steps that commute with it. That is the one exception to what a reduction demands of
//! accesses (W2 and lemma 11 of `strategy/dpor` in raddle-core); `tests/reduction/arcs.rs` of raddle compares it with
//! depth-first search. If all drops conflicted, references that tasks drop while another one is held would multiply the
//! executions by their orders.

use crate::runtime::context::{self, Current};
use crate::runtime::log::{Effect, Shape, Sync as Synchronises};
use crate::runtime::operation::{Evaluation, Op, OperationKind};
use crate::settings::Drops;
use raddle_core::operation::{Accesses, ObjectId};
use std::panic::Location;
use std::sync::atomic::Ordering;

/// An operation on a count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// `clone`.
    Clone,
    /// `drop`: one reference fewer.
    Drop,
    /// `into_inner`: the same, and it is seen whether it was the last.
    IntoInner,
    /// `downgrade`, and `clone` of a weak reference.
    Downgrade,
    /// `drop` of a weak reference.
    DropWeak,
    /// `upgrade`.
    Upgrade,
    /// `strong_count` and `weak_count`.
    Count,
    /// `get_mut` and `make_mut`.
    GetMut,
    /// `try_unwrap`.
    TryUnwrap,
}

static CLONE: OperationKind = OperationKind::read("clone");
/// Word 0 of the object is the number of references.
static DROP: OperationKind = drops("drop");
static INTO_INNER: OperationKind = drops("into_inner");
static DOWNGRADE: OperationKind = OperationKind::read("downgrade");
static DROP_WEAK: OperationKind = OperationKind::read("drop weak").in_destructors();
static UPGRADE: OperationKind = OperationKind::write("upgrade");
static COUNT: OperationKind = OperationKind::write("count");
static GET_MUT: OperationKind = OperationKind::write("get_mut");
static TRY_UNWRAP: OperationKind = OperationKind::write("try_unwrap");

const fn drops(name: &'static str) -> OperationKind {
    OperationKind::new(name, |view, op| {
        Evaluation::ready(match view.object().words[0] {
            _ if view.drops() == Drops::Conflict => Accesses::write(op.object),
            0 | 1 => Accesses::write(op.object),
            _ => Accesses::read(op.object),
        })
    })
    .last_of_several()
    .in_destructors()
}

impl What {
    /// Whether its result depends on the count.
    fn observes(self) -> bool {
        match self {
            What::Clone | What::Drop | What::Downgrade | What::DropWeak => false,
            What::IntoInner | What::Upgrade | What::Count | What::GetMut | What::TryUnwrap => true,
        }
    }

    fn kind(self) -> &'static OperationKind {
        match self {
            What::Clone => &CLONE,
            What::Drop => &DROP,
            What::IntoInner => &INTO_INNER,
            What::Downgrade => &DOWNGRADE,
            What::DropWeak => &DROP_WEAK,
            What::Upgrade => &UPGRADE,
            What::Count => &COUNT,
            What::GetMut => &GET_MUT,
            What::TryUnwrap => &TRY_UNWRAP,
        }
    }

    fn ordering(self, count: usize) -> Ordering {
        match self {
            What::Drop | What::IntoInner if count == 1 => Ordering::AcqRel,
            What::Drop | What::IntoInner | What::DropWeak => Ordering::Release,
            What::Upgrade | What::GetMut | What::TryUnwrap => Ordering::Acquire,
            What::Clone | What::Downgrade | What::Count => Ordering::Relaxed,
        }
    }
}

/// Performs the operation `what` on the count identified by `key`, an address of its own. `count` returns the
/// number of references. The caller changes the count right after, with nothing in between.
#[track_caller]
pub fn turn(what: What, key: usize, count: impl Fn() -> usize) {
    let Some(current) = context::current() else { return };
    let object = object_of(current, key, &count);
    take_turn(current, what, object, count);
}

/// The same for a value of a type of this name, if the search counts that type. Otherwise it is no
/// operation, and if the count is observed, this refutes that.
#[track_caller]
pub fn turn_of(name: &'static str, what: What, key: usize, count: impl Fn() -> usize) {
    let Some(current) = context::current() else { return };
    let object = object_of(current, key, &count);
    if !current.with(|e| e.is_teardown()) && current.with(|e| e.is_counted(object, name, what.observes())) {
        take_turn(current, what, object, count);
    }
}

/// A reference to what is counted at `key` is about to be dropped, the last one or not; [`end_drop`] must follow. If the
/// destructor between them does something that others can notice, the type is counted from then on.
pub fn begin_drop(key: usize, is_last: bool) {
    if let Some(current) = context::current() {
        current.with(|e| {
            let object = if is_last { e.memory().object_at(key) } else { None };
            e.begin_destructor(object);
        });
    }
}

/// It was dropped.
pub fn end_drop() {
    if let Some(current) = context::current() {
        current.with(|e| e.end_destructor());
    }
}

fn object_of(current: Current, key: usize, count: &impl Fn() -> usize) -> ObjectId {
    let known = current.with(|e| e.memory().object_at(key));
    known.unwrap_or_else(|| {
        current.with(|e| {
            let object = e.new_object("Arc", [count() as u64, 0]);
            e.memory().place(key, object);
            object
        })
    })
}

#[track_caller]
fn take_turn(current: Current, what: What, object: ObjectId, count: impl Fn() -> usize) {
    current.perform(Op::new(what.kind(), object, Location::caller()));
    let now = count();
    let then = match what {
        What::Clone => now + 1,
        What::Upgrade if now > 0 => now + 1,
        What::Drop | What::IntoInner => now.saturating_sub(1),
        What::TryUnwrap if now == 1 => 0,
        _ => now,
    };
    current.with(|e| {
        e.words_mut(object)[0] = then as u64;
        if what == What::Count {
            // A read changes nothing: a loop around it may be a spin loop.
            e.only_looked();
        }
        if then != now {
            e.touch(object);
        }
    });
    let effect = match then == now {
        true => Effect::Read(Shape::Unsigned, now as u64),
        false => Effect::Updated(Shape::Unsigned, now as u64, then as u64),
    };
    current.did(effect, Synchronises::Update(what.ordering(now)));
}
