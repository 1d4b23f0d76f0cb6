//! Whether explanations name what causes the bugs: a line that is marked `// cause` in the source.

use crate::arguments::Request;
use raddle::{Checker, Failure};
use std::collections::BTreeSet;
use std::path::Path;
use zoo::under_raddle::{Bug, Form};

/// What is known of one bug.
#[derive(Debug)]
pub enum Row {
    /// Nothing failed within the schedules.
    NotFound,
    /// It is not compared: no execution passes, or a comparison takes too long.
    NotCompared,
    /// The lines that the explanation names, in words.
    Explained {
        named: String,
        is_cause: bool,
        /// Two lines whose steps must be one, and how many executions there are then.
        fix: Option<String>,
    },
}

/// The lines that the explanation of a failure names: the ends of its orderings and, if there are none, the first steps of the
/// two continuations.
fn named(failure: &Failure) -> Option<BTreeSet<(String, u32)>> {
    let explanation = failure.explanation.as_ref().filter(|explanation| explanation.passed > 0)?;
    let record = &failure.record;
    let mut lines: Vec<_> =
        explanation.orderings.iter().flat_map(|o| [o.before, o.after]).map(|at| &record.lines[at]).collect();
    if let (true, Some(decisive)) = (lines.is_empty(), &explanation.decisive) {
        let continuations = [(record, decisive.at[0]), (&decisive.passing, decisive.at[1])];
        lines.extend(continuations.iter().filter_map(|(record, at)| record.lines.get(*at)));
    }
    let places = lines.into_iter().filter_map(|line| line.place.as_ref());
    Some(places.map(|place| (place.file.clone(), place.line)).collect())
}

/// Whether a line is marked: at its end, or in the line below it.
fn is_marked(file: &str, line: u32) -> bool {
    const MARK: &str = "// cause";
    let Some((_, name)) = file.rsplit_once("bugs/") else { return false };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bugs").join(name);
    let source = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let lines: Vec<&str> = source.lines().collect();
    let at = line as usize;
    lines[at - 1].ends_with(MARK) || lines.get(at).is_some_and(|below| below.trim() == MARK)
}

/// Looks for the bug and for its cause.
pub fn row(bug: &Bug, schedules: u64, seed: u64) -> Row {
    let report = Checker::random(schedules).name(bug.name).seed(seed).run(|| (bug.run)(Form::Broken));
    let Some(failure) = report.failure() else { return Row::NotFound };
    let Some(lines) = named(failure) else { return Row::NotCompared };
    let is_cause = lines.iter().any(|(file, line)| is_marked(file, *line));
    let short =
        |(file, line): &(String, u32)| format!("{}:{line}", file.rsplit('/').next().unwrap_or_default());
    let fix = failure.explanation.as_ref().and_then(|explanation| explanation.fix).map(|fix| {
        let place = |at: usize| failure.record.lines[at].place.as_ref().map(|p| (p.file.clone(), p.line));
        let [from, to] = [fix.from, fix.to].map(|at| place(at).as_ref().map(short).unwrap_or_default());
        format!("{from} to {to}: {} executions", fix.executions)
    });
    Row::Explained { named: lines.iter().map(short).collect::<Vec<_>>().join(" "), is_cause, fix }
}

/// Prints a row for each selected bug, and the share of the explanations that name a cause.
pub fn print(request: &Request) {
    let (mut all, mut right) = (0, 0);
    for bug in &request.bugs {
        let words = match row(bug, request.budget, request.seed) {
            Row::NotFound => "not found".to_owned(),
            Row::NotCompared => "nothing to compare with".to_owned(),
            Row::Explained { named, is_cause, fix } => {
                (all, right) = (all + 1, right + usize::from(is_cause));
                let mark = if is_cause { "cause" } else { "-" };
                format!("{mark:<8}{named:<36} {}", fix.map(|fix| format!("fix {fix}")).unwrap_or_default())
            }
        };
        println!("{:<20}{words}", bug.name);
    }
    println!("\n{right} of {all} explanations name a line that causes the bug");
}

#[cfg(test)]
mod tests {
    use super::*;
    use zoo::under_raddle::ALL;

    #[test]
    fn explanations_name_causes() {
        let (mut all, mut fixes, mut wrong) = (0, 0, Vec::new());
        for bug in ALL {
            if let Row::Explained { named, is_cause, fix } = row(bug, 300, 1) {
                all += 1;
                fixes += usize::from(fix.is_some());
                if !is_cause {
                    wrong.push((bug.name, named));
                }
            }
        }
        assert!(all > 30 && fixes >= 8, "{all} bugs are explained, and {fixes} have a fix");
        assert!(wrong.len() * 5 <= all, "{} of {all} do not name a cause: {wrong:?}", wrong.len());
    }

    #[test]
    fn marks_are_at_the_end_of_a_line_or_below_it() {
        assert!(is_marked("suite/zoo/src/bugs/racy.rs", 10) && !is_marked("suite/zoo/src/bugs/racy.rs", 9));
        assert!(is_marked("src/bugs/mod.rs/../bugs/bluetooth.rs", 23) && !is_marked("x.rs", 1));
    }
}
