//! What all atomics have in common: a value in place, found by its address, touched in one step.
//!
//! The types keep the size and layout of std's. Operations happen in the task that does them; the evaluation of a
//! compare-exchange looks at the value in memory, since one that would fail only reads.

use super::ordering::{check_failure, check_load, check_store};
use crate::runtime::context::{self, Current};
use crate::runtime::log::{Effect, Shape, Sync as Synchronises};
use crate::runtime::object::ObjectKind;
use crate::runtime::operation::{Evaluation, NO_OBJECT, Op, OperationKind};
use raddle_core::operation::{Accesses, Mode, ObjectId};
use std::panic::Location;
use std::sync::atomic::Ordering;

static LOAD: OperationKind = OperationKind::read("load");
static STORE: OperationKind = OperationKind::write("store");
pub(super) static SWAP: OperationKind = OperationKind::write("swap");
pub(super) static FETCH_ADD: OperationKind = OperationKind::write("fetch_add");
pub(super) static FETCH_SUB: OperationKind = OperationKind::write("fetch_sub");
pub(super) static FETCH_AND: OperationKind = OperationKind::write("fetch_and");
pub(super) static FETCH_NAND: OperationKind = OperationKind::write("fetch_nand");
pub(super) static FETCH_OR: OperationKind = OperationKind::write("fetch_or");
pub(super) static FETCH_XOR: OperationKind = OperationKind::write("fetch_xor");
pub(super) static FETCH_NOT: OperationKind = OperationKind::write("fetch_not");
pub(super) static FETCH_MAX: OperationKind = OperationKind::write("fetch_max");
pub(super) static FETCH_MIN: OperationKind = OperationKind::write("fetch_min");

/// A compare-exchange that would fail is a read. The arguments are the address, and the expected bits with
/// their size in the kind.
macro_rules! compare_exchange_verb {
    ($name:ident, $word:literal, $bits:ty) => {
        static $name: OperationKind = OperationKind::new($word, |view, op| {
            // SAFETY: the task that waits to do this borrows the atomic at this address.
            let value = view.value(|| unsafe { std::ptr::read_volatile(op.args[0] as *const $bits) } as u64);
            let succeeds = value == op.args[1];
            Evaluation::ready(if succeeds { Accesses::write(op.object) } else { Accesses::read(op.object) })
        })
        .never_waits()
        .by_value();
    };
}

compare_exchange_verb!(COMPARE_EXCHANGE_8, "compare_exchange", u8);
compare_exchange_verb!(COMPARE_EXCHANGE_16, "compare_exchange", u16);
compare_exchange_verb!(COMPARE_EXCHANGE_32, "compare_exchange", u32);
compare_exchange_verb!(COMPARE_EXCHANGE_64, "compare_exchange", u64);

/// May also fail for no reason: option 1, while the execution has spurious failures left. One that comes too
/// late for that could have come earlier, so it reads what the others used up.
macro_rules! compare_exchange_weak_verb {
    ($name:ident, $bits:ty) => {
        static $name: OperationKind = OperationKind::new("compare_exchange_weak", |view, op| {
            // SAFETY: as above.
            let value = view.value(|| unsafe { std::ptr::read_volatile(op.args[0] as *const $bits) } as u64);
            if value != op.args[1] {
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

compare_exchange_weak_verb!(COMPARE_EXCHANGE_WEAK_8, u8);
compare_exchange_weak_verb!(COMPARE_EXCHANGE_WEAK_16, u16);
compare_exchange_weak_verb!(COMPARE_EXCHANGE_WEAK_32, u32);
compare_exchange_weak_verb!(COMPARE_EXCHANGE_WEAK_64, u64);

/// Whether a compare-exchange may fail for no reason.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Strength {
    Strong,
    Weak,
}

fn compare_exchange_verb(size: usize, strength: Strength) -> &'static OperationKind {
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

/// A value that fits into an atomic.
pub(super) trait Bits: Copy + PartialEq {
    const SHAPE: Shape;
    /// The bits, zero-extended.
    fn bits(self) -> u64;
}

/// An atomic as the runtime sees it.
#[derive(Clone, Copy)]
pub(super) struct Cell {
    pub address: usize,
    /// In bytes.
    pub size: usize,
    pub kind: ObjectKind,
}

impl Cell {
    #[inline]
    #[track_caller]
    pub fn object(self, current: Current) -> ObjectId {
        match current.with(|e| e.addresses.get(self.address)) {
            Some(object) => object,
            None => self.new_object(current),
        }
    }

    #[track_caller]
    fn new_object(self, current: Current) -> ObjectId {
        if let Err(defect) = current.with(|e| e.demand_new(self.address, self.kind)) {
            current.misuse(defect);
        }
        current.with(|e| {
            let object = e.new_object(self.kind, [0; 2]);
            e.addresses.insert(self.address, object);
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

    /// Reads the value when it is this task's turn. None outside of explorations.
    #[inline(always)]
    #[track_caller]
    pub fn load<T: Bits>(self, order: Ordering, read: impl FnOnce() -> T) -> Option<T> {
        let current = context::current()?;
        check_load(order);
        let object = self.object(current);
        current.perform(Op::new(&LOAD, object, Location::caller()));
        let value = read();
        current.did(Effect::Read(T::SHAPE, value.bits()), Synchronises::Load(order));
        Some(value)
    }

    /// Writes the value when it is this task's turn. Says whether it did.
    #[inline(always)]
    #[track_caller]
    pub fn store<T: Bits>(self, value: T, order: Ordering, write: impl FnOnce()) -> bool {
        let Some(current) = context::current() else { return false };
        check_store(order);
        let object = self.object(current);
        current.perform(Op::new(&STORE, object, Location::caller()));
        write();
        current.with(|e| e.touch(object));
        current.did(Effect::Wrote(T::SHAPE, value.bits()), Synchronises::Store(order));
        true
    }

    /// Changes the value when it is this task's turn; `update` returns the old and the new one.
    #[inline(always)]
    #[track_caller]
    pub fn update<T: Bits>(
        self,
        kind: &'static OperationKind,
        order: Ordering,
        update: impl FnOnce() -> (T, T),
    ) -> Option<T> {
        let current = context::current()?;
        let object = self.object(current);
        current.perform(Op::new(kind, object, Location::caller()));
        let (old, new) = update();
        current.with(|e| e.touch(object));
        current.did(Effect::Updated(T::SHAPE, old.bits(), new.bits()), Synchronises::Update(order));
        Some(old)
    }

    /// Compares and exchanges when it is this task's turn; `exchange` does it on the value in place.
    #[inline(always)]
    #[track_caller]
    pub fn compare_exchange<T: Bits>(
        self,
        strength: Strength,
        (expected, new): (T, T),
        (success, failure): (Ordering, Ordering),
        exchange: impl FnOnce() -> Result<T, T>,
    ) -> Option<Result<T, T>> {
        let current = context::current()?;
        check_failure(failure);
        let object = self.object(current);
        let kind = compare_exchange_verb(size_of::<T>(), strength);
        let op = Op::new(kind, object, Location::caller()).args([self.address as u64, expected.bits()]);
        if current.perform(op) == 1 {
            current.with(|e| {
                e.spend_spurious();
                let present = e.log.present;
                e.log.lines[present].wrote = false;
            });
            current.did(Effect::Word("fails for no reason"), Synchronises::Load(failure));
            return Some(Err(expected));
        }
        let result = exchange();
        match result {
            Ok(old) => {
                current.with(|e| e.touch(object));
                let effect = Effect::Updated(T::SHAPE, old.bits(), new.bits());
                current.did(effect, Synchronises::Update(success));
            }
            Err(found) => {
                current.did(Effect::Refused(T::SHAPE, found.bits()), Synchronises::Load(failure));
            }
        }
        Some(result)
    }
}
