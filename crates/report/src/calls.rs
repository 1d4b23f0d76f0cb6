//! Folds what happens inside of dependencies. The steps of one call of the code under test are one event, however many
//! rounds a lock spins; what a dependency does on its own threads is a gap. The code under test is shown in full.
//!
//! Only records with stacks are folded: without them nothing says which steps belong to one call.

use crate::elide::Piece;
use crate::place;
use raddle_core::record::Line;
use std::collections::BTreeSet;
use std::ops::Range;

/// Fewer lines of a dependency than this are shown as they are.
const FEWEST: usize = 3;

/// The lines with calls folded; none if no line has a caller. Lines of `keep` are shown in any case.
pub fn fold(lines: &[Line], keep: &BTreeSet<usize>) -> Option<Vec<Piece>> {
    if lines.iter().all(|line| line.caller.is_none()) {
        return None;
    }
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let (run, is_call) = run(lines, keep, at);
        match (run.len(), is_call) {
            (2.., true) => pieces.push(Piece::Call(run.clone())),
            (FEWEST.., false) => pieces.push(Piece::Gap(run.clone())),
            _ => pieces.extend(run.clone().map(Piece::Line)),
        }
        at = run.end;
    }
    Some(pieces)
}

/// The longest run of lines from here on that is one call, or the work of a dependency; and whether it is a call.
fn run(lines: &[Line], keep: &BTreeSet<usize>, at: usize) -> (Range<usize>, bool) {
    let first = &lines[at];
    let length = |belongs: &dyn Fn(&Line) -> bool| {
        let rest = lines[at..].iter().enumerate();
        rest.take_while(|(n, line)| !keep.contains(&(at + n)) && belongs(line)).count()
    };
    let (length, is_call) = match &first.caller {
        Some(caller) => {
            (length(&|line| line.task == first.task && line.caller.as_ref() == Some(caller)), true)
        }
        None => (length(&|line| line.caller.is_none() && is_foreign(line)), false),
    };
    (at..at + length.max(1), is_call)
}

/// Whether a line is the work of a dependency, or of raddle for it. The end of a task is its own.
fn is_foreign(line: &Line) -> bool {
    match &line.place {
        Some(place) => place::dependency(place).is_some(),
        None => line.operation != "end",
    }
}

/// At most `max` pieces: the beginning, the end and what must be kept.
pub fn shorten(pieces: Vec<Piece>, lines: &[Line], keep: &BTreeSet<usize>, max: usize) -> Vec<Piece> {
    let max = max.max(12);
    if pieces.len() <= max {
        return pieces;
    }
    let (head, tail) = (max / 4, pieces.len() - max / 2);
    let mut out: Vec<Piece> = Vec::new();
    for (n, piece) in pieces.iter().enumerate() {
        let end = pieces.get(n + 1).map_or(lines.len(), Piece::begin);
        let is_shown = n < head || n >= tail || keep.contains(&piece.begin());
        match (is_shown, out.last_mut()) {
            (true, _) => out.push(piece.clone()),
            (false, Some(Piece::Gap(range))) => range.end = end,
            (false, _) => out.push(Piece::Gap(piece.begin()..end)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_core::record::{Caller, Place};

    fn line(task: usize, file: &str, caller: Option<u32>) -> Line {
        let at = |file: &str, line| Place { file: file.to_owned(), line, column: 1 };
        Line {
            task,
            step: Some(0),
            operation: "load".to_owned(),
            place: Some(at(file, 3)),
            caller: caller.map(|line| {
                Box::new(Caller {
                    place: at("tests/a.rs", line),
                    function: "lock_api::Mutex::lock".to_owned(),
                })
            }),
            ..Line::default()
        }
    }

    const LOCK: &str = "/me/.cargo/registry/src/index/lock_api-0.4.14/src/mutex.rs";

    #[test]
    fn a_call_is_one_event_and_the_work_of_a_dependency_is_a_gap() {
        let mut lines = vec![line(0, "tests/a.rs", None)];
        lines.extend((0..30).map(|_| line(0, LOCK, Some(12))));
        lines.extend((0..3).map(|_| line(1, LOCK, Some(12))));
        lines.push(line(1, LOCK, Some(13)));
        lines.extend((0..9).map(|n| line(n % 2, LOCK, None)));
        lines.push(line(1, "tests/a.rs", None));
        let folded = fold(&lines, &BTreeSet::new()).unwrap();
        use Piece::*;
        assert_eq!(folded, [Line(0), Call(1..31), Call(31..34), Line(34), Gap(35..44), Line(44)]);
        // What must be shown is.
        let folded = fold(&lines, &BTreeSet::from([40])).unwrap();
        assert_eq!(folded[4..], [Gap(35..40), Line(40), Gap(41..44), Line(44)]);
        assert!(fold(&lines[35..], &BTreeSet::new()).is_none(), "without stacks nothing is folded");
    }

    #[test]
    fn what_is_still_too_long_loses_its_middle() {
        let lines: Vec<_> = (0..200).map(|n| line(n % 2, LOCK, Some(n as u32))).collect();
        let folded = fold(&lines, &BTreeSet::new()).unwrap();
        let short = shorten(folded, &lines, &BTreeSet::from([90]), 20);
        assert_eq!(short[4..8], [Piece::Line(4), Piece::Gap(5..90), Piece::Line(90), Piece::Gap(91..190)]);
        assert_eq!(short.len(), 5 + 3 + 10);
    }
}
