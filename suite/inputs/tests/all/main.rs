//! The corpora and 20,000 seeded mutations of each are read or refused; no fault loses a file. The table of RESULTS.md is that of
//! the same command with more mutations.

mod dependencies;

use inputs::runner::{Amount, Figures, run};
use inputs::{Seen, TARGETS, Target, corpora, faults};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The program that tries.
const PROGRAM: &str = env!("CARGO_BIN_EXE_inputs");
const AMOUNT: Amount = Amount { seed: 7, mutations: 20_000 };

fn assert_clear(what: &str, figures: &Figures) {
    let is_clear = figures.clear == figures.tried && figures.lost == 0;
    assert!(is_clear, "{what}: {figures:#?}");
}

#[test]
fn corpora_are_what_their_names_say() {
    for target in TARGETS {
        let corpus = target.corpus();
        assert!(corpus.iter().any(|(name, _)| name.starts_with("valid-")), "{} has no corpus", target.name);
        for (name, bytes) in corpus {
            let seen = (target.read)(&bytes, None);
            let is_expected = match name.split_once('-') {
                Some(("valid", _)) => seen == Ok(Seen::Read),
                Some(("refused", _)) => seen == Ok(Seen::Refused),
                // What once crashed.
                _ => seen.is_ok(),
            };
            let file = format!("{}/{name}", target.name);
            assert!(is_expected, "{file}: {seen:?}; `cargo run -p inputs -- corpus` writes it");
        }
    }
}

#[test]
fn mutations_are_read_as_what_they_are_or_refused() {
    // Several at a time: much of it is waiting for processes.
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(target) = TARGETS.get(next.fetch_add(1, Ordering::Relaxed)) {
                    try_target(*target);
                }
            });
        }
    });
}

fn try_target(target: Target) {
    let figures = run(Path::new(PROGRAM), target, AMOUNT).unwrap();
    assert_clear(target.name, &figures);
    assert!(figures.tried >= 20_000, "{figures:?}");
    // Whose checksum is wrong is refused; of the others a share is read, or the target tries nothing.
    let is_sealed = ["ticket", "report", "search"].contains(&target.name);
    let least = if is_sealed { 0 } else { 400 };
    assert!(figures.read > least, "{}: only {} are read", target.name, figures.read);
}

#[test]
fn whatever_call_of_a_write_fails_nothing_is_lost() {
    let figures = faults::failing_calls().unwrap();
    assert_clear("failing calls", &figures);
    // Two files, with and without an earlier one, three faults, six calls and none.
    assert_eq!(figures.tried, 2 * 2 * 3 * 7);
}

#[test]
fn writers_that_are_killed_lose_nothing() {
    assert_clear("kills", &faults::kills(Path::new(PROGRAM), 7, 30).unwrap());
}

#[test]
fn there_is_a_corpus_for_each_target_and_no_other() {
    let mut found: Vec<String> = std::fs::read_dir(corpora())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    found.sort();
    let mut names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    names.sort_unstable();
    assert_eq!(found, names);
    let targets = corpora().join("../fuzz_targets");
    for name in names {
        let text = std::fs::read_to_string(targets.join(format!("{name}.rs"))).unwrap();
        assert!(text.contains(&format!("try_bytes(\"{name}\", bytes)")), "{text}");
    }
}

#[test]
fn the_table_has_each_row_and_only_clear_figures() {
    let text = include_str!("../../RESULTS.md");
    let rows: Vec<Vec<&str>> =
        text.lines().filter(|line| line.starts_with("| ")).map(|line| line.split(" | ").collect()).collect();
    let expected = TARGETS.iter().map(|target| format!("| {}", target.what));
    assert!(rows[1..].iter().map(|row| row[0]).zip(expected).all(|(row, target)| row == target), "{rows:?}");
    assert_eq!(rows.len(), 1 + TARGETS.len() + 3, "two kinds of faults, and the sum");
    for row in &rows[1..] {
        assert!(row[1] == row[2] && row[3..] == ["0", "0", "0", "0 |"], "{row:?}");
    }
}
