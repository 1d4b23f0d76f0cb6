//! What all atomics have in common: a value that the execution's memory keeps, found by its address, touched in one step.
//!
//! Invariant: a value is read and written by the [memory model](crate::runtime::memory::Model) alone, when it is the
//! task's turn. The types keep the size and layout of std's; the evaluation of a compare-exchange looks at the value that
//! the memory shows, since one that would fail only reads.

use super::ordering::{check_failure, check_load, check_store};
use crate::runtime::context::{self, Current};
use crate::runtime::log::{Effect, Sync as Synchronises};
pub(super) use crate::runtime::memory::Bits;
use crate::runtime::memory::{Model, Sequential};
use crate::runtime::objects::ObjectKind;
use crate::runtime::operation::{Evaluation, NO_OBJECT, Op, OperationKind};
use raddle_core::operation::{Accesses, Mode, ObjectId, TaskId};
use std::panic::Location;
use std::sync::atomic::Ordering;

pub(super) static SWAP: OperationKind = OperationKind::write("swap").keeps(|value, new| value == new);
pub(super) static FETCH_ADD: OperationKind = OperationKind::write("fetch_add").keeps(|_, by| by == 0);
pub(super) static FETCH_SUB: OperationKind = OperationKind::write("fetch_sub").keeps(|_, by| by == 0);
pub(super) static FETCH_AND: OperationKind =
    OperationKind::write("fetch_and").keeps(|value, mask| value & mask == value);
pub(super) static FETCH_NAND: OperationKind = OperationKind::write("fetch_nand");
pub(super) static FETCH_OR: OperationKind =
    OperationKind::write("fetch_or").keeps(|value, mask| value | mask == value);
pub(super) static FETCH_XOR: OperationKind = OperationKind::write("fetch_xor").keeps(|_, mask| mask == 0);
pub(super) static FETCH_NOT: OperationKind = OperationKind::write("fetch_not");
pub(super) static FETCH_MAX: OperationKind =
    OperationKind::write("fetch_max").keeps(|value, other| value == other);
pub(super) static FETCH_MIN: OperationKind =
    OperationKind::write("fetch_min").keeps(|value, other| value == other);

/// A compare-exchange that would fail is a read. The arguments are the address, and the expected bits with
/// their size in the kind.
macro_rules! compare_exchange_kind {
    ($name:ident, $word:literal, $bits:ty) => {
        static $name: OperationKind = OperationKind::new($word, |view, op| {
            let succeeds = view.reads_expected::<$bits>();
            Evaluation::ready(if succeeds { Accesses::write(op.object) } else { Accesses::read(op.object) })
        })
        .never_waits()
        .by_value();
    };
}

compare_exchange_kind!(COMPARE_EXCHANGE_8, "compare_exchange", u8);
compare_exchange_kind!(COMPARE_EXCHANGE_16, "compare_exchange", u16);
compare_exchange_kind!(COMPARE_EXCHANGE_32, "compare_exchange", u32);
compare_exchange_kind!(COMPARE_EXCHANGE_64, "compare_exchange", u64);

/// May also fail for no reason: option 1, while the execution has spurious failures left. One that comes too
/// late for that could have come earlier, so it reads what the others used up.
macro_rules! compare_exchange_weak_kind {
    ($name:ident, $bits:ty) => {
        static $name: OperationKind = OperationKind::new("compare_exchange_weak", |view, op| {
            if !view.reads_expected::<$bits>() {
                return Evaluation::ready(Accesses::read(op.object));
            }
            let succeeds = Accesses::write(op.object);
            match (view.spurious_object(), view.spurious_left()) {
                (NO_OBJECT, _) => Evaluation::ready(succeeds),
                (spurious, 0) => Evaluation::ready(succeeds.and(spurious, Mode::Read)),
                (spurious, _) => Evaluation { accesses: succeeds.and(spurious, Mode::Write), options: 2 },
            }
        })
        .by_value()
        .may_fail();
    };
}

compare_exchange_weak_kind!(COMPARE_EXCHANGE_WEAK_8, u8);
compare_exchange_weak_kind!(COMPARE_EXCHANGE_WEAK_16, u16);
compare_exchange_weak_kind!(COMPARE_EXCHANGE_WEAK_32, u32);
compare_exchange_weak_kind!(COMPARE_EXCHANGE_WEAK_64, u64);

/// Whether a compare-exchange may fail spuriously.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Strength {
    Strong,
    Weak,
}

fn compare_exchange_kind(size: usize, strength: Strength) -> &'static OperationKind {
    match (strength, size) {
        (Strength::Strong, 1) => &COMPARE_EXCHANGE_8,
        (Strength::Strong, 2) => &COMPARE_EXCHANGE_16,
        (Strength::Strong, 4) => &COMPARE_EXCHANGE_32,
        (Strength::Strong, _) => &COMPARE_EXCHANGE_64,
        (Strength::Weak, 1) => &COMPARE_EXCHANGE_WEAK_8,
        (Strength::Weak, 2) => &COMPARE_EXCHANGE_WEAK_16,
        (Strength::Weak, 4) => &COMPARE_EXCHANGE_WEAK_32,
        (Strength::Weak, _) => &COMPARE_EXCHANGE_WEAK_64,
    }
}

/// An atomic as the runtime sees it.
#[derive(Clone, Copy)]
pub(super) struct Cell {
    pub address: usize,
    /// In bytes.
    pub size: usize,
    pub kind: ObjectKind,
}

// In the blocks marked SAFETY: the caller borrows the atomic at this address, which holds a value of the type that it
// names, and it is this task's turn.
impl Cell {
    #[inline]
    #[track_caller]
    pub fn object(self, current: Current) -> ObjectId {
        let object = match current.with(|e| e.memory().object_at(self.address)) {
            Some(object) => object,
            None => self.new_object(current),
        };
        current.with(|e| e.note_home(object, self.address));
        object
    }

    #[track_caller]
    fn new_object(self, current: Current) -> ObjectId {
        if let Err(defect) = current.with(|e| e.demand_new(self.address, self.kind)) {
            current.misuse(defect);
        }
        current.with(|e| {
            let object = e.new_object(self.kind, [0; 2]);
            e.memory().place(self.address, object);
            e.note_first_value(object, self.value());
            object
        })
    }

    /// The value in memory.
    fn value(self) -> u64 {
        // SAFETY: the caller borrows the atomic at this address, and no other task runs.
        unsafe {
            match self.size {
                1 => std::ptr::read_volatile(self.address as *const u8) as u64,
                2 => std::ptr::read_volatile(self.address as *const u16) as u64,
                4 => std::ptr::read_volatile(self.address as *const u32) as u64,
                _ => std::ptr::read_volatile(self.address as *const u64),
            }
        }
    }

    /// Lets the memory do what it is this task's turn to do.
    #[inline(always)]
    fn act<R>(self, current: Current, act: impl FnOnce(&mut Sequential, TaskId) -> R) -> R {
        current.with(|e| {
            let me = e.me();
            act(e.memory().model(), me)
        })
    }

    /// Reads the value when it is this task's turn. None outside of explorations.
    #[inline(always)]
    #[track_caller]
    pub fn load<T: Bits>(self, order: Ordering) -> Option<T> {
        let current = context::current()?;
        check_load(order);
        let object = self.object(current);
        let option = current.perform(Op::new(Sequential::LOAD, object, Location::caller()));
        // SAFETY: see above.
        let value: T = self.act(current, |m, me| unsafe { m.load(me, self.address, order, option) });
        current.did(Effect::Read(T::SHAPE, value.bits()), Synchronises::Load(order));
        Some(value)
    }

    /// Writes the value in a step of this task. False outside explorations.
    #[inline(always)]
    #[track_caller]
    pub fn store<T: Bits>(self, value: T, order: Ordering) -> bool {
        let Some(current) = context::current() else { return false };
        check_store(order);
        let object = self.object(current);
        let option = current.perform(Op::new(Sequential::STORE, object, Location::caller()));
        // SAFETY: see above.
        self.act(current, |m, me| unsafe { m.store(me, self.address, order, option, value) });
        current.with(|e| e.touch(object));
        current.did(Effect::Wrote(T::SHAPE, value.bits()), Synchronises::Store(order));
        true
    }

    /// Changes the value when it is this task's turn, to what `new` makes of it and the argument of the operation, which has
    /// these bits. Returns the old one.
    #[inline(always)]
    #[track_caller]
    pub fn update<T: Bits>(
        self,
        kind: &'static OperationKind,
        argument: u64,
        order: Ordering,
        new: impl FnOnce(T) -> T,
    ) -> Option<T> {
        let current = context::current()?;
        let object = self.object(current);
        let op = Op::new(kind, object, Location::caller()).args([0, argument]);
        let option = current.perform(op);
        let (old, new) = self.act(current, |m, me| {
            // SAFETY: see above.
            unsafe { m.update(me, self.address, (order, order), option, |old| Some(new(old))) }
        });
        let new = new.unwrap_or(old);
        self.changed(current, object, old != new);
        current.did(Effect::Updated(T::SHAPE, old.bits(), new.bits()), Synchronises::Update(order));
        Some(old)
    }

    /// The step that is being taken is an update, which has changed the value or left it as it was: then a loop around it
    /// only looks.
    #[inline(always)]
    fn changed(self, current: Current, object: ObjectId, has_changed: bool) {
        current.with(|e| if has_changed { e.touch(object) } else { e.only_looked() });
    }

    /// Compares and exchanges when it is this task's turn.
    #[inline(always)]
    #[track_caller]
    pub fn compare_exchange<T: Bits>(
        self,
        strength: Strength,
        (expected, new): (T, T),
        (success, failure): (Ordering, Ordering),
    ) -> Option<Result<T, T>> {
        let current = context::current()?;
        check_failure(failure);
        let object = self.object(current);
        let kind = compare_exchange_kind(size_of::<T>(), strength);
        let op = Op::new(kind, object, Location::caller()).args([self.address as u64, expected.bits()]);
        let option = current.perform(op);
        if option == 1 {
            current.with(|e| {
                e.spend_spurious();
                e.only_looked();
            });
            current.did(Effect::Word("fails for no reason"), Synchronises::Load(failure));
            return Some(Err(expected));
        }
        let (found, new) = self.act(current, |m, me| {
            let exchange = |found| (found == expected).then_some(new);
            // SAFETY: see above.
            unsafe { m.update(me, self.address, (success, failure), option, exchange) }
        });
        let Some(new) = new else {
            current.did(Effect::Refused(T::SHAPE, found.bits()), Synchronises::Load(failure));
            return Some(Err(found));
        };
        self.changed(current, object, found != new);
        current.did(Effect::Updated(T::SHAPE, found.bits(), new.bits()), Synchronises::Update(success));
        Some(Ok(found))
    }
}
