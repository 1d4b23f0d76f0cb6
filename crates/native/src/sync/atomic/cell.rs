//! What all atomics have in common: a value that the execution's memory keeps, found by its address, touched in one step.
//!
//! Invariant: a value is read and written by the [memory model](crate::runtime::memory::Model) alone, when it is the
//! task's turn. The types keep the size and layout of std's; the evaluation of a compare-exchange looks at the value that
//! the memory shows, since one that would fail only reads.

use super::ordering::{check_failure, check_load, check_store};
use crate::runtime::context::{self, Current};
use crate::runtime::log::{Effect, Shape, Sync as Synchronises};
pub(super) use crate::runtime::memory::Bits;
use crate::runtime::memory::weak::{Access, Taken};
use crate::runtime::memory::{Model, Sequential};
use crate::runtime::objects::ObjectKind;
use crate::runtime::objects::view::View;
use crate::runtime::operation::{Evaluation, NO_OBJECT, Op, OperationKind};
use crate::runtime::plain::How;
use raddle_core::operation::{Accesses, Mode, ObjectId, TaskId};
use raddle_core::verdict::{Cause, Defect};
use std::panic::Location;
use std::sync::atomic::Ordering;

/// The kinds of read-modify-writes, each with its twin under a weak memory model.
macro_rules! update_kinds {
    ($($name:ident $word:literal $(keeps $keeps:expr)?;)*) => {$(
        pub(super) static $name: OperationKind = {
            static WEAK: OperationKind = weak_kind($word, weakly_writes)$(.keeps($keeps))?.surely_changes();
            OperationKind::write($word)$(.keeps($keeps))?.or_weakly(&WEAK)
        };
    )*};
}

pub(super) use update_kinds;

update_kinds! {
    SWAP "swap" keeps |value, new| value == new;
    FETCH_ADD "fetch_add" keeps |_, by| by == 0;
    FETCH_SUB "fetch_sub" keeps |_, by| by == 0;
    FETCH_AND "fetch_and" keeps |value, mask| value & mask == value;
    FETCH_NAND "fetch_nand";
    FETCH_OR "fetch_or" keeps |value, mask| value | mask == value;
    FETCH_XOR "fetch_xor" keeps |_, mask| mask == 0;
    FETCH_NOT "fetch_not";
    FETCH_MAX "fetch_max" keeps |value, other| value == other;
    FETCH_MIN "fetch_min" keeps |value, other| value == other;
}

static WEAK_LOAD: OperationKind = weak_kind("load", |view, op| Evaluation {
    accesses: Accesses::read(op.object),
    options: view.choices().0,
});
static WEAK_STORE: OperationKind = weak_kind("store", weakly_writes).surely_changes();
static WEAK_COMPARE_EXCHANGE: OperationKind = weak_kind("compare_exchange", weakly_exchanges);
static WEAK_COMPARE_EXCHANGE_WEAK: OperationKind =
    weak_kind("compare_exchange_weak", weakly_exchanges).may_fail();

/// A kind of accesses whose options the memory knows, which finds them again after each step.
pub(super) const fn weak_kind(
    word: &'static str,
    evaluation: fn(View<'_>, &Op) -> Evaluation,
) -> OperationKind {
    OperationKind::always(word, evaluation)
}

pub(super) fn weakly_writes(view: View<'_>, op: &Op) -> Evaluation {
    Evaluation { accesses: Accesses::write(op.object), options: view.choices().0 }
}

/// A compare-exchange that fails whatever it reads is a read. The last options are spurious failures.
fn weakly_exchanges(view: View<'_>, op: &Op) -> Evaluation {
    let (options, firm, writes) = view.choices();
    let accesses = if writes { Accesses::write(op.object) } else { Accesses::read(op.object) };
    let accesses = match view.spurious_object() {
        NO_OBJECT => accesses,
        spurious if options > firm => accesses.and(spurious, Mode::Write),
        spurious => accesses.and(spurious, Mode::Read),
    };
    Evaluation { accesses, options }
}

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

const MIXED_SIZES: &str = "accesses of different sizes to one place in memory, under a weak memory model: explore this \
                           program under sequential consistency (`Memory::Sc`)";

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
    /// The object of the atomic, under any memory model.
    #[inline]
    #[track_caller]
    pub fn object(self, current: Current) -> ObjectId {
        self.known_object(current).unwrap_or_else(|| self.weak_object(current))
    }

    /// The object of the atomic; none under a weak memory model.
    #[inline]
    #[track_caller]
    fn known_object(self, current: Current) -> Option<ObjectId> {
        let object = match current.with(|e| e.memory().object_at(self.address)) {
            Some(object) => object,
            None => self.new_object(current)?,
        };
        current.with(|e| e.note_home(object, self.address));
        Some(object)
    }

    #[track_caller]
    fn new_object(self, current: Current) -> Option<ObjectId> {
        if current.with(|e| e.memory().weak().is_some()) {
            return None;
        }
        if let Err(defect) = current.with(|e| e.demand_new(self.address, self.kind)) {
            current.misuse(defect);
        }
        current.with(|e| {
            let object = e.new_object(self.kind, [0; 2]);
            e.memory().place(self.address, object);
            e.note_first_value(object, self.value());
            Some(object)
        })
    }

    /// The object of the atomic under a weak memory model.
    #[cold]
    #[track_caller]
    fn weak_object(self, current: Current) -> ObjectId {
        if !current.with(|e| e.forget_other_atomics(self.address, self.size)) {
            current.misuse(Defect::of(Cause::NotSupported { what: MIXED_SIZES.to_owned() }));
        }
        let known = current.with(|e| e.memory().atomic_at(self.address));
        let object = known.unwrap_or_else(|| {
            if let Err(defect) = current.with(|e| e.demand_new(self.address, self.kind)) {
                current.misuse(defect);
            }
            current.with(|e| {
                let object = e.new_object(self.kind, [0; 2]);
                e.add_atomic(object, self.address, self.size, self.value());
                object
            })
        });
        current.with(|e| e.note_home(object, self.address));
        object
    }

    /// Says what the operation did, to its object and to the memory itself: plain accesses there may race with it.
    #[inline(always)]
    #[track_caller]
    fn did(self, current: Current, effect: Effect, sync: Synchronises, how: How) {
        let time = current.with(|e| e.time_of_plain());
        current.did(effect, sync);
        if let Some(time) = time {
            self.meets_plain(current, how, time);
        }
    }

    /// A task that reads knows already what it has acquired, and one that writes has released that it did: `time` was before.
    #[inline(never)]
    #[track_caller]
    fn meets_plain(self, current: Current, how: How, time: u32) {
        if let Some(defect) = current.with(|e| e.access_as_atomic(self.address, self.size, how, time)) {
            current.fail(defect);
        }
    }

    /// An access under a weak memory model: `new` makes the new bits of the old ones, if it writes.
    #[cold]
    #[inline(never)]
    #[track_caller]
    fn weakly(
        self,
        current: Current,
        (kind, access, argument): (&'static OperationKind, Access, u64),
        shape: Shape,
        new: &mut dyn FnMut(u64) -> u64,
    ) -> Taken {
        let object = self.weak_object(current);
        let place = Location::caller();
        let access = current.with(|e| e.strengthened(access, place));
        let bits = self.value();
        current.with(|e| e.announce_access(object, access, bits));
        let args = [self.address as u64, argument];
        let option = current.perform(Op::new(kind, object, place).args(args));
        let is_step = current.with(|e| e.take_access(object, option, new));
        let taken = match is_step {
            Some((taken, latest)) => {
                self.set_value(latest);
                taken
            }
            // A loop goes on alone, or the execution is put away.
            None => {
                let taken = current.with(|e| e.access_alone(access, self.value(), new));
                if let Some(bits) = taken.wrote.filter(|bits| *bits != taken.read || current.is_in_teardown())
                {
                    self.set_value(bits);
                }
                taken
            }
        };
        #[cfg(not(feature = "arena"))]
        if taken.is_stale && !matches!(access, Access::Store(..)) {
            look_for_arc(current);
        }
        current.with(|e| {
            if taken.failed_spuriously {
                e.spend_spurious();
            }
            match taken.wrote {
                Some(bits) if bits != taken.read || matches!(access, Access::Store(..)) => e.touch(object),
                Some(_) => e.only_looked(),
                None if matches!(access, Access::CompareExchange { .. }) => e.only_looked(),
                None => {}
            }
        });
        let (effect, sync) = match (access, taken.wrote) {
            (Access::Store(order, bits), _) => (Effect::Wrote(shape, bits), Synchronises::Store(order)),
            (Access::Update(order), Some(bits))
            | (Access::CompareExchange { success: order, .. }, Some(bits)) => {
                (Effect::Updated(shape, taken.read, bits), Synchronises::Update(order))
            }
            (Access::CompareExchange { failure, .. }, None) if taken.failed_spuriously => {
                (Effect::Word("fails for no reason"), Synchronises::Load(failure))
            }
            (Access::CompareExchange { failure, .. }, None) => {
                (Effect::Refused(shape, taken.read), Synchronises::Load(failure))
            }
            (Access::Load(order) | Access::Update(order) | Access::Fence(order), _) => {
                (Effect::Read(shape, taken.read), Synchronises::Load(order))
            }
        };
        let how = if taken.wrote.is_some() { How::AtomicWrite } else { How::AtomicRead };
        self.did(current, effect, sync, how);
        if is_step.is_some() {
            current.with(|e| e.has_read_in_last_round());
        }
        taken
    }

    /// Writes the value in memory.
    fn set_value(self, bits: u64) {
        // SAFETY: see above, and the memory belongs to an atomic, which may be written through a shared reference.
        unsafe {
            match self.size {
                1 => std::ptr::write_volatile(self.address as *mut u8, bits as u8),
                2 => std::ptr::write_volatile(self.address as *mut u16, bits as u16),
                4 => std::ptr::write_volatile(self.address as *mut u32, bits as u32),
                _ => std::ptr::write_volatile(self.address as *mut u64, bits),
            }
        }
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
        let Some(object) = self.known_object(current) else {
            let taken = self.weakly(current, (&WEAK_LOAD, Access::Load(order), 0), T::SHAPE, &mut |old| old);
            return Some(T::of(taken.read));
        };
        let option = current.perform(Op::new(Sequential::LOAD, object, Location::caller()));
        current.with(|e| e.note_ordering(object, (order, order)));
        // SAFETY: see above.
        let value: T = self.act(current, |m, me| unsafe { m.load(me, self.address, order, option) });
        self.did(current, Effect::Read(T::SHAPE, value.bits()), Synchronises::Load(order), How::AtomicRead);
        Some(value)
    }

    /// Writes the value in a step of this task. False outside explorations.
    #[inline(always)]
    #[track_caller]
    pub fn store<T: Bits>(self, value: T, order: Ordering) -> bool {
        let Some(current) = context::current() else { return false };
        check_store(order);
        let Some(object) = self.known_object(current) else {
            let access = Access::Store(order, value.bits());
            self.weakly(current, (&WEAK_STORE, access, 0), T::SHAPE, &mut |old| old);
            return true;
        };
        let option = current.perform(Op::new(Sequential::STORE, object, Location::caller()));
        current.with(|e| e.note_ordering(object, (order, order)));
        // SAFETY: see above.
        self.act(current, |m, me| unsafe { m.store(me, self.address, order, option, value) });
        current.with(|e| e.touch(object));
        self.did(
            current,
            Effect::Wrote(T::SHAPE, value.bits()),
            Synchronises::Store(order),
            How::AtomicWrite,
        );
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
        let Some(object) = self.known_object(current) else {
            let mut new = Some(new);
            let mut new = |old| new.take().map_or(old, |new| new(T::of(old)).bits());
            let weak = (kind.weak.unwrap_or(kind), Access::Update(order), argument);
            return Some(T::of(self.weakly(current, weak, T::SHAPE, &mut new).read));
        };
        let op = Op::new(kind, object, Location::caller()).args([0, argument]);
        let option = current.perform(op);
        current.with(|e| e.note_ordering(object, (order, order)));
        let (old, new) = self.act(current, |m, me| {
            // SAFETY: see above.
            unsafe { m.update(me, self.address, (order, order), option, |old| Some(new(old))) }
        });
        let new = new.unwrap_or(old);
        self.changed(current, object, old != new);
        let effect = Effect::Updated(T::SHAPE, old.bits(), new.bits());
        self.did(current, effect, Synchronises::Update(order), How::AtomicWrite);
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
        let Some(object) = self.known_object(current) else {
            let kind = match strength {
                Strength::Strong => &WEAK_COMPARE_EXCHANGE,
                Strength::Weak => &WEAK_COMPARE_EXCHANGE_WEAK,
            };
            let (expected, new) = (expected.bits(), new.bits());
            let access = Access::CompareExchange { expected, new, success, failure };
            let taken = self.weakly(current, (kind, access, expected), T::SHAPE, &mut |_| new);
            let read = T::of(taken.read);
            return Some(if taken.wrote.is_some() { Ok(read) } else { Err(read) });
        };
        let kind = compare_exchange_kind(size_of::<T>(), strength);
        let op = Op::new(kind, object, Location::caller()).args([self.address as u64, expected.bits()]);
        let option = current.perform(op);
        current.with(|e| e.note_ordering(object, (success, failure)));
        if option == 1 {
            current.with(|e| {
                e.spend_spurious();
                e.only_looked();
            });
            self.did(
                current,
                Effect::Word("fails for no reason"),
                Synchronises::Load(failure),
                How::AtomicRead,
            );
            return Some(Err(expected));
        }
        let (found, new) = self.act(current, |m, me| {
            let exchange = |found| (found == expected).then_some(new);
            // SAFETY: see above.
            unsafe { m.update(me, self.address, (success, failure), option, exchange) }
        });
        let Some(new) = new else {
            let effect = Effect::Refused(T::SHAPE, found.bits());
            self.did(current, effect, Synchronises::Load(failure), How::AtomicRead);
            return Some(Err(found));
        };
        self.changed(current, object, found != new);
        let effect = Effect::Updated(T::SHAPE, found.bits(), new.bits());
        self.did(current, effect, Synchronises::Update(success), How::AtomicWrite);
        Some(Ok(found))
    }
}

/// An old store was read. In a destructor behind std's `Arc`, whose counts are not seen, that may be one that cannot be read.
#[cfg(not(feature = "arena"))]
#[cold]
fn look_for_arc(current: Current) {
    let auto =
        current.with(|e| e.settings.auto.clone().filter(|auto| e.settings.gathers_stacks && !auto.hides()));
    if let Some(auto) = auto.filter(|_| crate::callers::is_in_drop_of_arc()) {
        auto.hide();
    }
}
