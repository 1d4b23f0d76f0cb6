//! Whether the steps of an execution had the results that the same steps had in the execution before it.
//!
//! Invariant: addresses are not compared, since they may differ from execution to execution without any effect: neither
//! pointers nor integers that may be addresses. A program that decides by an address takes other steps, or computes other
//! values from it.

use super::execution::Execution;
use super::log::{Effect, Line, Shape};
use super::record::Pointers;
use raddle_core::difference::Difference;
use raddle_core::world::Describe;

impl Execution {
    /// The first of the first `steps` steps with another result than before. The same operations were taken.
    #[inline]
    pub(crate) fn first_difference(&self, steps: usize) -> Option<Difference> {
        match self.log.is_as_before(steps) {
            true => None,
            false => self.find_first_difference(steps),
        }
    }

    #[cold]
    fn find_first_difference(&self, steps: usize) -> Option<Difference> {
        let mut both = self.log.now_and_before().take(steps);
        let (step, (now, before)) = both.by_ref().enumerate().find(|(_, (now, before))| {
            now.effect != before.effect && !differ_by_addresses(now.effect, before.effect)
        })?;
        let mut pointers = Pointers::default();
        let name = self.describe_last_time(step);
        let mut described = |line: &Line| {
            let result = self.evidence().detail(line, &mut pointers);
            if result.is_empty() { name.clone() } else { format!("{name} {result}") }
        };
        let (was, now) = (described(before), described(now));
        Some(Difference::Step { step: step + 1, was, now })
    }
}

/// Whether two results of one operation are the same but for addresses.
#[cold]
fn differ_by_addresses(now: Effect, before: Effect) -> bool {
    let same = |shape: Shape, now: u64, before: u64| {
        now == before
            || match shape {
                Shape::Pointer => (now == 0) == (before == 0),
                Shape::Unsigned | Shape::Signed64 => may_be_address(now) && may_be_address(before),
                _ => false,
            }
    };
    match (now, before) {
        (Effect::Read(shape, now), Effect::Read(other, before))
        | (Effect::Wrote(shape, now), Effect::Wrote(other, before))
        | (Effect::Refused(shape, now), Effect::Refused(other, before)) => {
            shape == other && same(shape, now, before)
        }
        (Effect::Updated(shape, from, to), Effect::Updated(other, was_from, was_to)) => {
            shape == other && same(shape, from, was_from) && same(shape, to, was_to)
        }
        _ => false,
    }
}

/// Whether a number lies near a static, the heap or a stack, whatever its upper 16 bits, which may be a tag.
fn may_be_address(number: u64) -> bool {
    /// Each of these areas is smaller than this.
    const NEAR: u64 = 1 << 40;
    static STATIC: u8 = 0;
    let (heap, stack) = (Box::new(0_u8), 0_u8);
    let known: [*const u8; 3] = [&STATIC, &*heap, &stack];
    let address = number & ((1 << 48) - 1);
    known.iter().any(|known| address.abs_diff(known.addr() as u64) < NEAR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_may_be_addresses() {
        let (heap, stack) = (Box::new(1), 2);
        let function = numbers_that_may_be_addresses as fn() as usize as u64;
        for address in [&raw const *heap as u64, &raw const stack as u64, function] {
            assert!(
                may_be_address(address) && may_be_address(address | 1) && may_be_address(address | 3 << 48)
            );
        }
        // Counters, and the time since 1970 in milliseconds and nanoseconds.
        for number in [0, 1, 1 << 32, u32::MAX as u64, 1_700_000_000_000, 1_700_000_000_000_000_000] {
            assert!(!may_be_address(number), "{number}");
        }
    }

    #[test]
    fn only_addresses_may_differ() {
        let heap = Box::new([0_u64; 2]);
        let (one, other) = (&raw const heap[0] as u64, &raw const heap[1] as u64);
        let unsigned = |bits| Effect::Read(Shape::Unsigned, bits);
        assert!(differ_by_addresses(unsigned(one), unsigned(other)));
        assert!(!differ_by_addresses(unsigned(one), unsigned(7)));
        assert!(!differ_by_addresses(unsigned(one), Effect::Wrote(Shape::Unsigned, other)));
        assert!(differ_by_addresses(Effect::Read(Shape::Pointer, 1), Effect::Read(Shape::Pointer, 2)));
        assert!(!differ_by_addresses(Effect::Read(Shape::Pointer, 0), Effect::Read(Shape::Pointer, 2)));
        let updated = |from, to| Effect::Updated(Shape::Unsigned, from, to);
        assert!(differ_by_addresses(updated(0, one), updated(0, other)));
        assert!(!differ_by_addresses(updated(0, one), updated(1, other)));
    }
}
