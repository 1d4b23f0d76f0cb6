//! What a step knows: how many steps of each task happened before it, in parts of eight tasks.

/// How many steps of eight tasks are known. Signed, since that is what all processors can compare eight at a time.
pub(in crate::strategy) type Clock = [i32; LANES];

/// Tasks in one part.
pub(in crate::strategy) const LANES: usize = 8;

/// No step is known.
pub(in crate::strategy) const NOTHING: Clock = [0; LANES];

/// All that either knows.
#[inline(always)]
pub(in crate::strategy) fn joined(mine: Clock, theirs: &Clock) -> Clock {
    std::array::from_fn(|lane| mine[lane].max(theirs[lane]))
}

/// Learns all that `theirs` knows.
#[inline(always)]
pub(in crate::strategy) fn join(mine: &mut [Clock], theirs: &[Clock]) {
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        *mine = joined(*mine, theirs);
    }
}
