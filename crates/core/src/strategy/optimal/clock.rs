//! What a step knows: how many steps of each task happened before it, in parts of eight tasks.

/// How many steps of eight tasks are known. Signed, since that is what all processors can compare eight at a time.
pub(super) type Clock = [i32; LANES];

/// Tasks in one part.
pub(super) const LANES: usize = 8;

/// No step is known.
pub(super) const NOTHING: Clock = [0; LANES];

/// Learns all that `theirs` knows.
#[inline(always)]
pub(super) fn join_one(mine: &mut Clock, theirs: &Clock) {
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        *mine = (*mine).max(*theirs);
    }
}

/// The same where there are more than eight tasks.
#[inline(always)]
pub(super) fn join(mine: &mut [Clock], theirs: &[Clock]) {
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        join_one(mine, theirs);
    }
}
