//! `#[raddle::test]` under `cargo test` and `cargo nextest`.

use raddle::sync::atomic::{AtomicUsize, Ordering::*};
use raddle::sync::{Arc, Mutex};
use raddle::thread;
use std::process::{Command, Output};
use std::sync::atomic::AtomicUsize as StdAtomicUsize;

fn lost_update() {
    let count = Arc::new(AtomicUsize::new(0));
    let its = count.clone();
    let other = thread::spawn(move || its.store(its.load(SeqCst) + 1, SeqCst));
    count.store(count.load(SeqCst) + 1, SeqCst);
    other.join().unwrap();
    assert_eq!(count.load(SeqCst), 2, "an update was lost");
}

#[raddle::test]
fn plain() {
    let count = Arc::new(Mutex::new(0));
    let its = count.clone();
    let other = thread::spawn(move || *its.lock().unwrap() += 1);
    *count.lock().unwrap() += 1;
    other.join().unwrap();
    assert_eq!(*count.lock().unwrap(), 2);
}

#[raddle::test(random = 1_000, seed = 7, workers = 2, preemptions = 2)]
fn random() {
    static RUNS: StdAtomicUsize = StdAtomicUsize::new(0);
    // The first execution is made twice.
    assert!(RUNS.fetch_add(1, SeqCst) < 1_001);
    plain_but_with_choices();
}

fn plain_but_with_choices() {
    let task = thread::spawn(|| raddle::choose(3));
    assert!(task.join().unwrap() + raddle::choose(3) < 5);
}

/// A test for each name of a sampler, which finds the bug.
macro_rules! samplers {
    ($($name:ident = $word:literal),* $(,)?) => {
        mod sampler {
            $(#[raddle::test(random = 1_000, sampler = $word)]
            #[should_panic(expected = "an update was lost")]
            fn $name() {
                super::lost_update();
            })*
        }
        const SAMPLERS: &[&str] = &[$($word),*];
    };
}

samplers! {
    portfolio = "portfolio",
    uniform = "uniform",
    pct = "pct:3",
    swarm = "swarm",
    pos = "pos",
    places = "places",
    surw = "surw",
    urw = "urw",
    procrastinate = "procrastinate",
    reads_from = "reads-from",
    go_explore = "go-explore",
}

#[test]
fn the_attribute_knows_every_sampler() {
    assert_eq!(raddle::Sampler::ALL.map(|sampler| sampler.to_string()), *SAMPLERS);
}

#[raddle::test]
#[should_panic(expected = "an update was lost")]
fn should_panic() {
    lost_update();
}

#[raddle::test(random = 10_000)]
#[should_panic(expected = "raddle: deadlock")]
fn should_deadlock() {
    let lock = Mutex::new(());
    let _guard = lock.lock();
    drop(lock.lock());
}

#[raddle::test]
#[ignore = "it would fail"]
fn ignored() {
    panic!("ignored tests do not run");
}

#[raddle::test]
fn returns_ok() -> Result<(), std::num::ParseIntError> {
    let task = thread::spawn(|| "7".parse::<u8>());
    assert_eq!(task.join().unwrap()?, 7);
    Ok(())
}

/// Whether this process was started to run one of the tests below. They do nothing elsewhere.
fn is_child() -> bool {
    std::env::var_os("RADDLE_TEST_CHILD").is_some()
}

mod children {
    use super::*;

    #[raddle::test(random = 5_000, seed = 7)]
    fn fails() {
        if is_child() {
            lost_update();
        }
    }

    #[raddle::test]
    fn returns_an_error() -> Result<(), String> {
        if is_child() { Err("nothing works".to_owned()) } else { Ok(()) }
    }
}

fn run(test: &str, variables: &[(&str, &str)]) -> (bool, String) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([test, "--exact"]).env("RADDLE_TEST_CHILD", "1").envs(variables.iter().copied());
    command.env_remove("COLUMNS").env_remove("RUST_BACKTRACE");
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (status.success(), text)
}

#[test]
fn a_failure_shows_its_report() {
    let (passed, text) = run("attribute::children::fails", &[]);
    assert!(!passed);
    for words in [
        "of attribute::children::fails\n",
        "main panicked: assertion `left == right` failed: an update was lost",
        "load AtomicUsize#1 → 0",
        "sampled ",
        "seed 7",
        "\n  ticket   ",
        "\n  as text  raddle2;test=attribute::children::fails,",
        "1 failed",
    ] {
        assert!(text.contains(words), "no {words:?} in {text}");
    }
    // The command that it shows runs this test, and reproduces the failure.
    let line = text.lines().find_map(|line| line.trim().strip_prefix("replay ")).unwrap().trim();
    let (variable, test) = line.split_once(" cargo test ").unwrap();
    assert_eq!(test, "attribute::children::fails");
    let ticket = variable.strip_prefix("RADDLE_REPLAY=").unwrap();
    let (passed, text) = run(test, &[("RADDLE_REPLAY", ticket)]);
    assert!(!passed);
    assert!(text.contains("raddle: panic in the replayed execution of attribute::children::fails"), "{text}");
}

#[test]
fn an_error_is_a_failure() {
    let (passed, text) = run("attribute::children::returns_an_error", &[]);
    assert!(!passed);
    assert!(text.contains("main panicked: the test returned an error: \"nothing works\""), "{text}");
}

#[test]
fn ignored_tests_run_when_asked_for() {
    let (passed, text) = run("attribute::ignored", &[]);
    assert!(passed && text.contains("1 ignored"), "{text}");
    let mut command = Command::new(std::env::current_exe().unwrap());
    let output = command.args(["attribute::ignored", "--exact", "--ignored"]).output().unwrap();
    assert!(!output.status.success());
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("main panicked: ignored tests do not run"), "{text}");
}
