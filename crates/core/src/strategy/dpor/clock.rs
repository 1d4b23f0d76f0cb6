//! The vector clock of a step: how many steps of each lane happen before it, in chunks of eight lanes. A lane has the
//! steps of one task, or of several that are totally ordered.

/// The times in eight lanes. Signed, since all processors can compare eight signed values at a time.
pub(in crate::strategy::dpor) type Clock = [i32; LANES];

/// Lanes per chunk.
pub(in crate::strategy::dpor) const LANES: usize = 8;

/// The empty clock.
pub(in crate::strategy::dpor) const NOTHING: Clock = [0; LANES];

/// The pointwise maximum.
#[inline(always)]
pub(in crate::strategy::dpor) fn joined(mine: Clock, theirs: &Clock) -> Clock {
    std::array::from_fn(|lane| mine[lane].max(theirs[lane]))
}

/// The pointwise maximum, into `mine`.
#[inline(always)]
pub(in crate::strategy::dpor) fn join(mine: &mut [Clock], theirs: &[Clock]) {
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        *mine = joined(*mine, theirs);
    }
}
