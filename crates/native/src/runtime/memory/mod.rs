//! What a load may read: where atomics live, which copy of a static an execution sees, and the model that keeps their
//! values.
//!
//! Invariant: the value of an atomic is read and written through a [`Model`] and in no other way, by the task whose turn
//! it is. Under sequential consistency that is the program's own memory ([`Sequential`]); under other models a graph
//! keeps all values that an atomic had ([`Weak`]), in which a load has an option for each store that it may read, and a
//! store one for each place in modification order.

pub(crate) mod address;
pub(crate) mod overlay;
mod sequential;
pub(crate) mod stale_addresses;
pub(crate) mod weak;

use crate::runtime::log::Shape;
use crate::runtime::operation::OperationKind;
use address::Addresses;
use overlay::Overlays;
use raddle_core::memory::Model as CoreModel;
use raddle_core::operation::{ObjectId, TaskId};
pub(crate) use sequential::Sequential;
use std::sync::atomic::Ordering;
use weak::Weak;

/// A value that fits into an atomic.
pub(crate) trait Bits: Copy + PartialEq {
    const SHAPE: Shape;
    /// The bits, zero-extended.
    fn bits(self) -> u64;
    /// The value with these bits.
    fn of(bits: u64) -> Self;
}

/// A memory model: keeps the values of atomics, which it knows by their addresses.
///
/// An operation is announced with a kind, whose evaluation says how many options it has; when it is the task's turn, the
/// model is told which of them was picked.
///
/// # Safety
/// The methods take the address of an atomic that is alive and holds a `T`.
pub(crate) trait Model {
    /// The kind of a load: an option for each store that it may read.
    const LOAD: &'static OperationKind;
    /// The kind of a store: an option for each place in modification order that it may take.
    const STORE: &'static OperationKind;
    /// The value that a load of `task` reads.
    unsafe fn load<T: Bits>(&mut self, task: TaskId, address: usize, order: Ordering, option: u32) -> T;
    /// A store of `task` takes its place in modification order.
    unsafe fn store<T: Bits>(&mut self, task: TaskId, address: usize, order: Ordering, option: u32, value: T);
    /// A read-modify-write of `task`: `new` makes the new value of the old one, or leaves it as it is. The orderings are
    /// those of a success and of a failure. Returns both values.
    unsafe fn update<T: Bits>(
        &mut self,
        task: TaskId,
        address: usize,
        orders: (Ordering, Ordering),
        option: u32,
        new: impl FnOnce(T) -> Option<T>,
    ) -> (T, Option<T>);
    /// The bits that a load reads in the present state if it takes its first option.
    unsafe fn latest<T: Bits>(&self, address: usize) -> u64;
}

/// The memory of one execution.
#[derive(Default)]
pub(crate) struct Memory {
    places: Addresses,
    overlays: Overlays,
    model: Sequential,
    /// In a copy that shows another state: the bits of the atomic that is asked about.
    shown: Option<u64>,
    /// The atomics, if the model is not sequential consistency.
    weak: Option<Box<Weak>>,
}

impl Memory {
    pub fn reset(&mut self) {
        self.places.reset();
        if let Some(weak) = &mut self.weak {
            weak.reset();
        }
    }
    /// Executions follow this model, with at most so many old stores.
    pub fn follow(&mut self, model: CoreModel, most_stale: Option<u32>) {
        self.weak = (model != CoreModel::Sc).then(|| Box::new(Weak::new(model, most_stale)));
    }
    /// The atomics, if the model is not sequential consistency.
    #[inline(always)]
    pub fn weak(&self) -> Option<&Weak> {
        self.weak.as_deref()
    }
    #[inline(always)]
    pub fn weak_mut(&mut self) -> Option<&mut Weak> {
        self.weak.as_deref_mut()
    }
    /// How many options the pending access of a task has, how many of these are no spurious failures, and whether one makes
    /// it write. In a copy that shows another state it has one.
    pub fn options(&self, task: TaskId) -> (u32, u32, bool) {
        self.weak.as_ref().map_or((1, 1, true), |weak| weak.options(task))
    }
    /// The atomic that lives at an address, under any model, if one is known.
    pub fn atomic_at(&self, address: usize) -> Option<ObjectId> {
        match &self.weak {
            Some(weak) => weak.object_at(address),
            None => self.object_at(address),
        }
    }
    /// The object that lives at an address, if one is known. Under a weak model atomics are not known here.
    #[inline(always)]
    pub fn object_at(&self, address: usize) -> Option<ObjectId> {
        self.places.get(address)
    }
    /// This object lives at that address.
    pub fn place(&mut self, address: usize, object: ObjectId) {
        self.places.insert(address, object);
    }
    /// What lived in this range is gone: a new atomic there is a new object.
    #[inline]
    pub fn forget(&mut self, from: usize, size: usize) {
        self.places.forget(from, size);
        if let Some(weak) = &mut self.weak {
            weak.forget(from, size);
        }
    }
    /// Where there are objects.
    pub fn addresses(&self) -> impl Iterator<Item = usize> {
        self.places.all().chain(self.weak.iter().flat_map(|weak| weak.addresses()))
    }
    /// The bits of the atomic at this address, if a load takes its first option.
    ///
    /// # Safety
    /// There is an atomic at this address that holds a `T`.
    #[inline(always)]
    pub unsafe fn latest<T: Bits>(&self, address: usize) -> u64 {
        match self.shown {
            // SAFETY: the caller's.
            None => unsafe { self.model.latest::<T>(address) },
            Some(bits) => bits,
        }
    }
    /// Shows these bits for any atomic, or the present ones. For a copy.
    pub fn show(&mut self, bits: Option<u64>) {
        self.shown = bits;
    }
    #[inline(always)]
    pub fn model(&mut self) -> &mut Sequential {
        &mut self.model
    }
    /// Whether `address` belongs to the copy of a static.
    pub fn is_overlay(&self, address: usize) -> bool {
        self.overlays.contain(address)
    }
    /// The copies of statics.
    #[inline]
    pub fn overlays(&mut self) -> &mut Overlays {
        &mut self.overlays
    }
}
