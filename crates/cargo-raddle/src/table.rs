//! The table at the end: each test, its verdict, what that rests on, and what it took.

use crate::compile::Program;
use crate::go_on;
use crate::results::{Outcomes, Verdict};
use raddle_core::fact::{Assumption, StopReason};
use raddle_core::verdict::{Coverage, Extent, thousands};
use raddle_report::escape_line;
use std::collections::BTreeSet;
use std::fmt::Write;

/// What became of all tests.
pub fn draw(programs: &[Program], outcomes: &[Outcomes]) -> String {
    let mut out = String::new();
    let width = outcomes.iter().map(|o| o.name.chars().count()).max().unwrap_or(4).max(4);
    let width = width.min(70);
    for (index, program) in programs.iter().enumerate() {
        let mine: Vec<&Outcomes> = outcomes.iter().filter(|o| o.program == index).collect();
        if mine.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\n{}", program.title());
        let _ = writeln!(
            out,
            "  {:width$}  {:11}  {:32}  {:>11}  {:>7}",
            "test", "verdict", "coverage", "executions", "time"
        );
        for outcome in mine {
            let _ = writeln!(
                out,
                "  {:width$}  {:11}  {:32}  {:>11}  {:>7}",
                escape_line(&outcome.name),
                outcome.verdict.word(),
                short(&outcome.searches()),
                thousands(outcome.executions()),
                format!("{:.1} s", outcome.elapsed.as_secs_f64()),
            );
            let _ = match outcome.search_file() {
                Some(Ok(file)) => writeln!(out, "    to go on from here: {}", go_on::command(file)),
                Some(Err(error)) => writeln!(out, "    {}", escape_line(error)),
                None => Ok(()),
            };
            if let Some(why) = outcome.verdict.reason().filter(|why| !why.is_empty()) {
                let _ = writeln!(out, "    {}", why.lines().next().unwrap_or_default());
            }
        }
    }
    let _ = writeln!(out, "\n{}", sum(outcomes));
    let assumed: BTreeSet<&Assumption> =
        outcomes.iter().flat_map(|o| &o.explored).flat_map(|e| &e.coverage.assumptions).collect();
    if !assumed.is_empty() {
        let words: Vec<String> = assumed.into_iter().map(raddle_report::assumption).collect();
        let _ = writeln!(out, "taken for granted: {}", words.join(" · "));
    }
    out
}

/// How much was seen, in a few words. The last stage is named, and what the others have seen completely.
fn short(stages: &[&Coverage]) -> String {
    let Some((coverage, earlier)) = stages.split_last() else { return String::new() };
    let within = earlier.iter().find_map(|stage| match &stage.extent {
        Extent::Within(bounds) => Some(raddle_report::bounds(bounds)),
        _ => None,
    });
    match &coverage.extent {
        Extent::Exhaustive => "exhaustive".to_owned(),
        Extent::Within(bounds) => format!("exhaustive within {}", raddle_report::bounds(bounds)),
        Extent::Sampled { schedules, seed } => {
            let is_cut = |assumption: &Assumption| matches!(assumption, Assumption::FirstSteps(_));
            let sampled = match coverage.assumptions.iter().any(is_cut) {
                // These executions did not come to their end, so a verdict on them is none on the whole.
                true => format!("beginnings of {}", thousands(*schedules)),
                false => format!("{} at random", thousands(*schedules)),
            } + &seeded(*seed);
            match (within, earlier) {
                (Some(bounds), _) => format!("{bounds}, then {sampled}"),
                (None, []) => sampled,
                (None, _) => format!("part, then {sampled}"),
            }
        }
        Extent::Replayed => "one schedule".to_owned(),
        Extent::Partial(StopReason::FirstFailure | StopReason::FirstFailureWithin { .. }) => {
            "until it failed".to_owned()
        }
        Extent::Partial(StopReason::TimeLimit { .. }) => "part: the time was up".to_owned(),
        Extent::Partial(StopReason::Interrupted { .. }) => "part".to_owned(),
        Extent::Partial(why) => format!("part: {}", raddle_report::stop(why)),
    }
}

fn seeded(seed: u64) -> String {
    if seed == 0 { String::new() } else { format!(" (seed {seed})") }
}

fn sum(outcomes: &[Outcomes]) -> String {
    let count = |word: &str| outcomes.iter().filter(|o| o.verdict.word() == word).count();
    let passed = outcomes.iter().filter(|o| matches!(o.verdict, Verdict::Passed));
    let exhaustive =
        passed.filter(|o| o.coverage().is_some_and(|c| matches!(c.extent, Extent::Exhaustive))).count();
    if outcomes.is_empty() {
        return "0 tests: none has such a name, or there are none; --list shows all".to_owned();
    }
    let mut parts = vec![format!("{} passed ({exhaustive} of them exhaustively)", count("passed"))];
    for (word, said) in [
        ("FAILED", "failed"),
        ("interrupted", "interrupted"),
        ("skipped", "skipped"),
        ("ignored", "ignored"),
        ("no verdict", "without a verdict"),
    ] {
        match count(word) {
            0 => {}
            n => parts.push(format!("{n} {said}")),
        }
    }
    let plural = if outcomes.len() == 1 { "" } else { "s" };
    format!("{} test{plural}: {}", outcomes.len(), parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executions_that_were_cut_are_called_beginnings() {
        let sampled = |schedules, seed, assumptions| Coverage {
            extent: Extent::Sampled { schedules, seed },
            executions: schedules,
            assumptions,
        };
        let whole = sampled(1_000, 0, vec![Assumption::SequentiallyConsistent]);
        assert_eq!(short(&[&whole]), "1,000 at random");
        let cut = sampled(3, 7, vec![Assumption::SequentiallyConsistent, Assumption::FirstSteps(100_000)]);
        assert_eq!(short(&[&cut]), "beginnings of 3 (seed 7)");
        let part = Coverage {
            extent: Extent::Partial(StopReason::TimeLimit { executions: 2 }),
            executions: 2,
            assumptions: Vec::new(),
        };
        assert_eq!(short(&[&part, &cut]), "part, then beginnings of 3 (seed 7)");
    }
}
