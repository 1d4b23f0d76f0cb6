//! Loops that wait: rounds of a task that only look, and see the same again and again.
//!
//! A *round* ends where the task yields, or, in loops that never do, where it comes back to the same operation. A round is
//! identical to the one before it if it took the same operations with the same results and changed nothing. A world shows
//! the steps of a task, newest first, and this module finds the round; the world keeps how many there were in a row.
//!
//! What an identical round means is the same in all worlds. The first rounds are steps like any other ([`FairRounds`]).
//! After them the loop is *cut*: it goes on alone for a number of rounds, so that the code after a bounded wait is
//! explored, and then is blocked until something that it read changes. A search that cut a loop says so:
//! [`Assumption::FairSpins`](crate::fact::Assumption::FairSpins).

/// The longest round of a loop that never yields, in steps.
const LONGEST_UNMARKED: usize = 16;
/// The longest round of a loop that yields, in steps.
pub const LONGEST_MARKED: usize = 64;
/// How many rounds a loop that never yields must have taken to be found.
const UNMARKED_ROUNDS: usize = 3;
/// A loop that never yields may be an ordinary one of a few rounds: it takes this many times more of them as steps.
const UNMARKED_FACTOR: u32 = 4;

/// How many rounds a cut loop goes on alone, to see whether it gives up by itself. A loop that is still waiting then, when
/// nothing else can happen, never ends: a livelock.
pub const ROUNDS_ALONE: u32 = 1_000;

/// One step of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Look<O, R> {
    /// The operation: what is done, to which object, and where in the program.
    pub operation: O,
    /// Its result.
    pub result: R,
    /// Whether it left everything as it was, or takes part in what the round undoes by itself, as a lock and its release do.
    pub only_looks: bool,
    /// Whether the task yields with it.
    pub yields: bool,
    /// What it does to a lock.
    pub hold: Hold,
}

/// What a step does to a lock, which is named by a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hold {
    /// Nothing.
    Unchanged,
    /// Takes it.
    Takes(u32),
    /// Gives it back.
    GivesBack(u32),
}

/// How a round ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RoundEnd {
    /// The task yields.
    Yield,
    /// The task never yields, and comes back to an operation.
    Return,
}

/// The number of identical rounds that are steps like any other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FairRounds(pub u32);

impl FairRounds {
    /// After this many identical rounds in a row the loop is cut.
    pub fn until_cut(self, end: RoundEnd) -> u32 {
        // The first round of a loop has none before it that it could be identical to.
        match end {
            RoundEnd::Yield => self.0.saturating_sub(1),
            RoundEnd::Return => self.0.saturating_mul(UNMARKED_FACTOR).saturating_sub(1),
        }
    }
    /// After this many a loop is no longer woken by changes: it goes on when nothing else can happen. Two loops that keep
    /// waking each other, and see the same each time, would go on for ever.
    pub fn until_last(self, end: RoundEnd) -> u32 {
        self.until_cut(end).saturating_add(2)
    }
}

/// The number of steps in the last round of a task that is about to take `turn`, which begins the next one, if that round
/// and the one before it are identical. `steps` are those of the task, newest first.
pub fn identical_round<O: PartialEq, R: PartialEq>(
    turn: &O,
    steps: impl Iterator<Item = Look<O, R>> + Clone,
) -> Option<usize> {
    // The step that begins a round belongs to it.
    let at = steps.clone().take(LONGEST_MARKED).position(|step| step.operation == *turn)?;
    let length = at + 1;
    is_repeated(steps, length, 1).then_some(length)
}

/// The number of steps in a round of a task that never yields, and is about to take `turn`, if it has come back to it often
/// enough to be in a loop.
pub fn unmarked_round<O: PartialEq, R: PartialEq>(
    turn: &O,
    steps: impl Iterator<Item = Look<O, R>> + Clone,
) -> Option<usize> {
    let looks = steps.clone().take(LONGEST_UNMARKED).take_while(|step| step.only_looks && !step.yields);
    let at = looks.enumerate().find(|(_, step)| step.operation == *turn).map(|(at, _)| at)?;
    let length = at + 1;
    let marked = steps.clone().take(length * UNMARKED_ROUNDS).any(|step| step.yields);
    (!marked && is_repeated(steps, length, UNMARKED_ROUNDS - 1)).then_some(length)
}

/// The first operation of the last `length` steps, which are a round, before which the task holds no lock that the round
/// takes. Where there is none it always holds one: the loop is none that could be blocked.
pub fn unlocked_turn<O, R>(steps: impl Iterator<Item = Look<O, R>>, length: usize) -> Option<O> {
    let mut round: Vec<Look<O, R>> = steps.take(length).collect();
    round.reverse();
    let at = (0..round.len()).find(|at| {
        let mut held = Vec::new();
        let given_back_only_what_was_taken =
            round[*at..].iter().chain(&round[..*at]).all(|step| match step.hold {
                Hold::Unchanged => true,
                Hold::Takes(lock) => {
                    held.push(lock);
                    true
                }
                Hold::GivesBack(lock) => {
                    held.iter().position(|other| *other == lock).map(|at| held.swap_remove(at)).is_some()
                }
            });
        given_back_only_what_was_taken && held.is_empty()
    })?;
    Some(round.swap_remove(at).operation)
}

/// Whether the last `length` steps only look, and are the same as each of the `times` groups of as many before them.
fn is_repeated<O: PartialEq, R: PartialEq>(
    steps: impl Iterator<Item = Look<O, R>> + Clone,
    length: usize,
    times: usize,
) -> bool {
    let earlier = steps.clone().skip(length);
    let mut compared = 0;
    let pairs = steps.zip(earlier).take(length * times);
    pairs.inspect(|_| compared += 1).all(|(late, early)| late.only_looks && early.only_looks && late == early)
        && compared == length * times
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps in the order in which they were taken: `l` and `m` look, `w` changes something, `y` yields;
    /// `A` and `B` take locks, `a` and `b` give them back.
    fn steps(text: &str) -> Vec<Look<char, u32>> {
        let hold = |operation: char| match operation {
            'A' | 'B' => Hold::Takes(operation as u32),
            'a' | 'b' => Hold::GivesBack(operation.to_ascii_uppercase() as u32),
            _ => Hold::Unchanged,
        };
        let step = |operation| Look {
            operation,
            result: 0,
            only_looks: operation != 'w',
            yields: operation == 'y',
            hold: hold(operation),
        };
        text.chars().map(step).collect()
    }

    fn round(text: &str, turn: char) -> Option<usize> {
        identical_round(&turn, steps(text).into_iter().rev())
    }

    #[test]
    fn a_round_ends_where_the_task_yields() {
        assert_eq!(round("ylyl", 'y'), Some(2));
        assert_eq!(round("ylmylm", 'y'), Some(3));
        // The first round has nothing before it that it could repeat.
        assert_eq!(round("lyl", 'y'), None);
        assert_eq!(round("yl", 'y'), None);
    }

    #[test]
    fn rounds_that_differ_or_change_something_are_not_identical() {
        assert_eq!(round("ylym", 'y'), None);
        assert_eq!(round("ylylm", 'y'), None);
        assert_eq!(round("ywyw", 'y'), None);
        let mut other_result = steps("ylyl");
        other_result[3].result = 1;
        assert_eq!(identical_round(&'y', other_result.into_iter().rev()), None);
    }

    #[test]
    fn a_loop_that_never_yields_is_found_after_three_rounds() {
        let found = |text: &str, turn| unmarked_round(&turn, steps(text).into_iter().rev()).is_some();
        assert!(found("lll", 'l'));
        assert!(found("lmlmlm", 'l'));
        assert!(!found("ll", 'l'));
        assert!(!found("lmlm", 'l'));
        assert!(!found("lwl", 'l'));
        assert!(!found("lylyly", 'l'));
    }

    #[test]
    fn a_round_begins_where_no_lock_of_it_is_held() {
        let turn = |round: &str| unlocked_turn(steps(round).into_iter().rev(), round.len());
        assert_eq!(turn("ylm"), Some('y'));
        assert_eq!(turn("Alay"), Some('A'));
        assert_eq!(turn("yaAl"), Some('A'));
        assert_eq!(turn("laA"), Some('A'));
        // The locks overlap.
        assert_eq!(turn("aybAlB"), Some('A'));
        // One of both is always held.
        assert_eq!(turn("BaAb"), None);
        // It is held when the loop begins, and never given back.
        assert_eq!(turn("lA"), None);
    }

    #[test]
    fn loops_are_cut_after_the_rounds_that_were_asked_for() {
        assert_eq!(FairRounds(3).until_cut(RoundEnd::Yield), 2);
        assert_eq!(FairRounds(3).until_cut(RoundEnd::Return), 11);
        assert_eq!(FairRounds(3).until_last(RoundEnd::Yield), 4);
        assert_eq!(FairRounds(u32::MAX).until_last(RoundEnd::Return), u32::MAX);
    }
}
