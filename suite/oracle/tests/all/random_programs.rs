//! Random programs: what raddle finds is what there is.
//!
//! `RADDLE_ORACLE_SEED` and `RADDLE_ORACLE_PROGRAMS` set another seed and size:
//! `RADDLE_ORACLE_SEED=7 RADDLE_ORACLE_PROGRAMS=50000 cargo test --release -p oracle raddle_finds_exactly`.
//! `RADDLE_ORACLE_ABOUT=loops` gives all programs statements of that kind, among others.

use oracle::compare::{Compared, compare, shrink};
use oracle::outcomes::Kind;
use oracle::program::{Destructor, Program, Stmt, Time};
use oracle::random::{self, Group};

fn setting(name: &str, otherwise: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is `{text}`; it takes a number")),
        Err(_) => otherwise,
    }
}

/// The kind of statements that all programs have.
fn about_all() -> Option<Group> {
    let name = std::env::var("RADDLE_ORACLE_ABOUT").ok()?;
    Some(
        Group::named(&name)
            .unwrap_or_else(|| panic!("RADDLE_ORACLE_ABOUT is `{name}`; there is no such kind")),
    )
}

/// Compares so many programs, with statements about `about` among others.
fn compare_all(programs: u64, about: Option<Group>) {
    let seed = setting("RADDLE_ORACLE_SEED", 1);
    let (mut agreed, mut too_large, mut differ) = (0, 0, Vec::new());
    let (mut several, mut panics, mut deadlocks) = (0, 0, 0);
    for number in 0..programs {
        let program = random::program(seed, number, about);
        match compare(&program, number) {
            Compared::Agreed(outcomes) => {
                agreed += 1;
                several += (outcomes.passed.len() > 1) as u64;
                panics += outcomes.failed.contains(&Kind::Panic) as u64;
                deadlocks += outcomes.failed.contains(&Kind::Deadlock) as u64;
            }
            Compared::TooLarge => too_large += 1,
            Compared::Differs(_) => {
                let (program, difference) = shrink(&program, number);
                eprintln!("program {number} of seed {seed}, shrunk:\n{program:?}\n{difference:?}\n");
                differ.push(number);
            }
        }
    }
    eprintln!(
        "seed {seed}: {agreed} agreed ({several} with several outcomes, {deadlocks} with a deadlock, {panics} with a \
         panic), {too_large} had too many states, {} differ",
        differ.len()
    );
    assert!(differ.is_empty(), "programs {differ:?} of seed {seed} differ");
    assert!(agreed * 10 >= programs * 9, "only {agreed} of {programs} programs were compared");
    // What is compared is worth it.
    let is_mixed = several * 3 >= programs && deadlocks * 20 >= programs && panics * 50 >= programs;
    assert!(is_mixed || about_all().is_some(), "a kind that was asked for may have few of these");
}

#[test]
fn raddle_finds_exactly_the_outcomes_of_the_outside_oracle() {
    compare_all(setting("RADDLE_ORACLE_PROGRAMS", 2_000), about_all());
}

/// It waits for the mutex that its own task holds. Whether another task destroys the value was once not explored.
#[test]
fn a_destructor_that_never_ends_is_not_the_only_one() {
    let locked = vec![Stmt::Lock(1, vec![Stmt::DropArc])];
    let program = Program {
        tasks: vec![vec![], locked],
        time: Time::Idle,
        spurious: 0,
        destructor: Destructor::Lock(1, 3),
    };
    for number in 0..4 {
        let Compared::Agreed(outcomes) = compare(&program, number) else { panic!("search {number} differs") };
        assert_eq!((outcomes.passed.len(), outcomes.failed), (1, [Kind::Deadlock].into()));
    }
}

#[test]
fn and_those_of_programs_with_counted_references() {
    compare_all(setting("RADDLE_ORACLE_PROGRAMS", 300), Some(Group::References));
}
