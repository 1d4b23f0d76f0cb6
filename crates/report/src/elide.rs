//! Selects which lines of a long record are shown. Loops are folded first: their first two rounds and the last stay. If
//! that is not enough, the beginning, the end, required lines and the latest preemptions stay.
//!
//! Nothing disappears silently: omitted lines are a [`Piece::Gap`] in their place, and [`describe`] says what was in
//! it.

use crate::place;
use crate::text::count;
use raddle_core::record::{ExecutionRecord, Line};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// A piece of a shortened record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// This line is shown.
    Line(usize),
    /// These lines are the steps of one call, and are shown as such.
    Call(Range<usize>),
    /// These lines, at least two, are not.
    Gap(Range<usize>),
}

impl Piece {
    /// Its first line.
    pub fn begin(&self) -> usize {
        match self {
            Piece::Line(i) => *i,
            Piece::Call(range) | Piece::Gap(range) => range.start,
        }
    }
}

/// The longest round of a loop that is recognised, in lines.
const LONGEST_ROUND: usize = 32;

/// Shortens `lines` to at most `max` pieces (but at least 12); `keep` are lines worth keeping in any case.
pub fn elide(lines: &[Line], keep: &BTreeSet<usize>, max: usize) -> Vec<Piece> {
    let max = max.max(12);
    let mut shown = vec![true; lines.len()];
    // The rounds of a task that waits tell nothing new, however short the record is.
    let which = if lines.len() <= max { Loops::ThatWait } else { Loops::All };
    fold_loops(lines, which, &mut shown);
    for i in keep {
        shown[*i] = true;
    }
    let folded = pieces(&shown);
    if folded.len() <= max {
        return folded;
    }

    // A quarter for the beginning, half for the end; the rest for places in between, three pieces each: a gap,
    // the line before, the line itself.
    let (head, tail, between) = (max / 4, max / 2, (max - max / 4 - max / 2 - 1) / 3);
    let mut shown = vec![false; lines.len()];
    for piece in folded[..head].iter().chain(&folded[folded.len() - tail..]) {
        if let Piece::Line(i) = piece {
            shown[*i] = true;
        }
    }
    let middle = folded[head].begin()..folded[folded.len() - tail].begin();
    let preempting = middle.rev().filter(|i| lines[*i].preempts);
    let hidden = keep.iter().rev().copied().chain(preempting).filter(|i| !shown[*i]);
    for i in hidden.take(between).collect::<Vec<_>>() {
        shown[i] = true;
        shown[i.saturating_sub(1)] = true;
    }
    pieces(&shown)
}

/// Which loops are folded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Loops {
    All,
    /// Those in which a task gives way to others in each round.
    ThatWait,
}

/// Whether a task gives way to others here.
fn gives_way(line: &Line) -> bool {
    matches!(line.operation.as_str(), "spin_loop" | "yield_now")
}

/// Hides the middle of every loop: of at least four equal rounds in sequence, all but the first two and the last.
fn fold_loops(lines: &[Line], which: Loops, shown: &mut [bool]) {
    let mut numbers = HashMap::new();
    let keys: Vec<usize> = lines
        .iter()
        .map(|line| {
            let next = numbers.len();
            *numbers.entry((operation(line), line.preempts)).or_insert(next)
        })
        .collect();
    let mut at = 0;
    while at < keys.len() {
        let run = |round: usize| {
            let again = keys[at..].iter().zip(&keys[(at + round).min(keys.len())..]);
            round + again.take_while(|(a, b)| a == b).count()
        };
        let best = (1..=LONGEST_ROUND.min(keys.len() - at)).map(|round| (run(round), round));
        // The longest repetition; of equals, the one with the shortest round.
        let (length, round) =
            best.max_by_key(|(length, round)| (*length, usize::MAX - round)).unwrap_or((1, 1));
        let is_meant = which == Loops::All || lines[at..at + round].iter().any(gives_way);
        if is_meant && length >= 4 * round && length > 3 * round + 3 {
            shown[at + 2 * round..at + length - round].fill(false);
            at += length;
        } else {
            at += 1;
        }
    }
}

/// The key by which two lines are the same operation: everything but the values.
fn operation(line: &Line) -> impl Eq + std::hash::Hash + '_ {
    (line.task, &line.operation, &line.object, &line.place, line.step.is_some())
}

/// The pieces; a gap of one line is shown instead, it takes no more room.
fn pieces(shown: &[bool]) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < shown.len() {
        let hidden = shown[at..].iter().take_while(|s| !**s).count();
        if hidden < 2 {
            out.push(Piece::Line(at));
            at += 1;
        } else {
            out.push(Piece::Gap(at..at + hidden));
            at += hidden;
        }
    }
    out
}

/// Says what is in a gap: "9,940 more steps of the same 2 operations".
pub fn describe(record: &ExecutionRecord, gap: &Range<usize>) -> String {
    let lines = &record.lines[gap.clone()];
    let steps = lines.iter().filter(|l| l.step.is_some()).count();
    let others = lines.len() - steps;
    let preemptions = lines.iter().filter(|l| l.preempts).count();

    let mut text = if let Some(rounds) = rounds(lines) {
        rounds
    } else if steps > 0 {
        let by = || format!("by {}{}", tasks(record, lines), inside(lines));
        let what = doings(record, gap).unwrap_or_else(by);
        format!("{} {what}", count(steps, "more step"))
    } else {
        format!("{} by {}", count(others, "more line"), tasks(record, lines))
    };
    if steps > 0 && others > 0 {
        text.push_str(&format!(", {} between them", count(others, "line")));
    }
    match preemptions {
        0 => {}
        1 => text.push_str(", 1 preemption among them"),
        n => text.push_str(&format!(", {} among them", count(n, "preemption"))),
    }
    text
}

/// "9 more rounds of these 2 steps", if a task waits in all of them.
fn rounds(lines: &[Line]) -> Option<String> {
    let keys: Vec<_> = lines.iter().map(operation).collect();
    let round =
        (1..=LONGEST_ROUND.min(keys.len() / 2)).find(|round| keys[*round..] == keys[..keys.len() - round])?;
    let is_whole = keys.len().is_multiple_of(round) && lines[..round].iter().any(gives_way);
    let steps = if round == 1 { "this step".to_owned() } else { format!("these {round} steps") };
    is_whole.then(|| format!("{} of {steps}", count(keys.len() / round, "more round")))
}

/// " in tokio-1.54.1 and parking_lot-0.12.5", if all of it is there.
fn inside(lines: &[Line]) -> String {
    let packages = lines.iter().filter_map(|line| line.place.as_ref()).map(place::dependency);
    let packages: Option<BTreeSet<String>> = packages.collect();
    match packages.unwrap_or_default().into_iter().collect::<Vec<_>>().as_slice() {
        [] => String::new(),
        [one] => format!(" in {one}"),
        [some @ .., last] if some.len() < 4 => format!(" in {} and {last}", some.join(", ")),
        many => format!(" in {}", count(many.len(), "package")),
    }
}

/// "of the same 2 operations", if the steps of the gap are that repetitive.
fn doings(record: &ExecutionRecord, gap: &Range<usize>) -> Option<String> {
    const FEW: usize = 8;
    let steps = |range: Range<usize>| record.lines[range].iter().filter(|l| l.step.is_some()).map(operation);
    let mut distinct = Vec::new();
    let mut all = 0;
    for step in steps(gap.clone()) {
        all += 1;
        if !distinct.contains(&step) {
            distinct.push(step);
        }
        if distinct.len() > FEW {
            return None;
        }
    }
    if all < 2 * distinct.len() {
        return None;
    }
    let before = gap.start.saturating_sub(4 * LONGEST_ROUND)..gap.start;
    let known = distinct.iter().all(|d| steps(before.clone()).any(|s| s == *d));
    Some(match (known, distinct.len()) {
        (true, 1) => "of the same operation".to_owned(),
        (true, n) => format!("of the same {n} operations"),
        (false, 1) => "of one operation".to_owned(),
        (false, n) => format!("of only {n} operations"),
    })
}

/// "main.1 and main.2", or how many they are.
fn tasks(record: &ExecutionRecord, lines: &[Line]) -> String {
    let who: BTreeSet<usize> = lines.iter().map(|l| l.task).collect();
    let names: Vec<&str> =
        who.iter().map(|a| record.tasks.get(*a).map_or("?", |a| a.name.as_str())).collect();
    match names.as_slice() {
        [one] => (*one).to_owned(),
        [one, two] => format!("{one} and {two}"),
        [one, two, three] => format!("{one}, {two} and {three}"),
        many => count(many.len(), "task"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_core::record::TaskInfo;

    fn line(task: usize, step: usize, operation: &str) -> Line {
        Line {
            task,
            step: Some(step),
            operation: operation.to_owned(),
            object: Some("AtomicBool#1".to_owned()),
            result: format!("→ {step}"),
            ..Line::default()
        }
    }

    fn record(doings: impl IntoIterator<Item = (usize, String)>) -> ExecutionRecord {
        let lines =
            doings.into_iter().enumerate().map(|(i, (task, operation))| line(task, i, &operation)).collect();
        let tasks = (0..3).map(|i| TaskInfo { name: format!("main.{i}"), label: None }).collect();
        ExecutionRecord { tasks, lines, ..ExecutionRecord::default() }
    }

    fn gaps(pieces: &[Piece]) -> Vec<Range<usize>> {
        let gap = |p: &Piece| match p {
            Piece::Gap(range) => Some(range.clone()),
            Piece::Line(_) | Piece::Call(_) => None,
        };
        pieces.iter().filter_map(gap).collect()
    }

    #[test]
    fn short_stories_are_told_in_full() {
        let s = record((0..20).map(|_| (0, "load".to_owned())));
        assert_eq!(elide(&s.lines, &BTreeSet::new(), 20).len(), 20);
    }

    #[test]
    fn of_a_loop_the_first_two_rounds_and_the_last_stay() {
        let s = record((0..1000).map(|i| (0, ["load", "yield"][i % 2].to_owned())));
        let pieces = elide(&s.lines, &BTreeSet::new(), 100);
        assert_eq!(gaps(&pieces), std::slice::from_ref(&(4..998)));
        assert_eq!(describe(&s, &(4..998)), "994 more steps of the same 2 operations");
    }

    /// However short the record is.
    #[test]
    fn rounds_of_a_task_that_waits_are_counted() {
        let s = record((0..20).map(|i| (0, ["load", "spin_loop"][i % 2].to_owned())));
        let pieces = elide(&s.lines, &BTreeSet::new(), 100);
        assert_eq!(gaps(&pieces), std::slice::from_ref(&(4..18)));
        assert_eq!(describe(&s, &(4..18)), "7 more rounds of these 2 steps");
    }

    #[test]
    fn a_preemption_in_a_loop_is_shown_with_what_is_around_it() {
        let mut s = record((0..1000).map(|_| (0, "load".to_owned())));
        s.lines[500].preempts = true;
        let pieces = elide(&s.lines, &BTreeSet::new(), 100);
        assert_eq!(gaps(&pieces), [2..499, 503..999]);
        assert_eq!(describe(&s, &(2..499)), "497 more steps of the same operation");
    }

    #[test]
    fn without_loops_the_ends_and_the_preemptions_stay() {
        let mut s = record((0..1000).map(|i| (i % 2, format!("operation{i}"))));
        s.lines[400].preempts = true;
        let pieces = elide(&s.lines, &BTreeSet::from([300]), 40);
        assert_eq!(gaps(&pieces), [10..299, 301..399, 401..980]);
        assert_eq!(describe(&s, &(10..299)), "289 more steps by main.0 and main.1");
    }

    #[test]
    fn what_is_hidden_is_counted() {
        let mut s = record((0..300).map(|i| (i % 3, format!("operation{i}"))));
        s.lines[10].preempts = true;
        s.lines[20].preempts = true;
        s.lines[30].step = None;
        let all = "99 more steps by main.0, main.1 and main.2, 1 line between them, 2 preemptions among them";
        assert_eq!(describe(&s, &(0..100)), all);
        assert_eq!(describe(&s, &(30..31)), "1 more line by main.0");
        assert_eq!(describe(&s, &(9..11)), "2 more steps by main.0 and main.1, 1 preemption among them");
    }

    #[test]
    fn a_shortened_story_keeps_to_its_size_and_to_its_order() {
        for (length, round, every) in [(13, 1, 1), (50, 7, 3), (2_000, 33, 5), (2_000, 31, 2), (999, 999, 9)]
        {
            for max in [0, 12, 13, 40, 100] {
                let mut s = record((0..length).map(|i| (i % 3, format!("operation{}", i % round))));
                s.lines.iter_mut().step_by(every).for_each(|l| l.preempts = true);
                let keep = BTreeSet::from([0, length / 2, length - 1]);
                let pieces = elide(&s.lines, &keep, max);
                assert!(pieces.len() <= max.max(12), "{} pieces of {max}", pieces.len());
                let mut next = 0;
                for piece in &pieces {
                    let range = match piece {
                        Piece::Line(i) => *i..*i + 1,
                        Piece::Call(range) | Piece::Gap(range) => range.clone(),
                    };
                    assert_eq!(range.start, next);
                    next = range.end;
                }
                assert_eq!(next, length);
            }
        }
    }
}
