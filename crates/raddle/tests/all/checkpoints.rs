//! A search that is killed goes on from its last checkpoint, and finds what a search finds that was never stopped.

use raddle::{Checker, Report, thread};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

const NAME: &str = "checkpoints::the_search_of_the_child";
/// Says where the child writes its results, and with which search it begins.
const RESULTS: &str = "TEST_OF_CHECKPOINTS_RESULTS";
const RESUMED: &str = "TEST_OF_CHECKPOINTS_RESUMED";

/// Two tasks that add, and one that reads; half of the executions panic.
fn program() -> usize {
    let count = Arc::new(raddle::sync::atomic::AtomicUsize::new(0));
    let add = |times: usize| {
        let count = count.clone();
        thread::spawn(move || {
            for _ in 0..times {
                let old = count.load(std::sync::atomic::Ordering::SeqCst);
                count.store(old + 1, std::sync::atomic::Ordering::SeqCst);
            }
        })
    };
    let tasks = [add(3), add(2), add(1)];
    tasks.into_iter().for_each(|task| task.join().unwrap());
    let all = count.load(std::sync::atomic::Ordering::SeqCst);
    assert!(all != 1, "all but one are lost");
    all
}

fn checker() -> Checker {
    Checker::dfs().keep_going().name(NAME)
}

/// Totals and outcomes, those of all stages.
fn totals(report: &Report<usize>) -> String {
    let mut outcomes = report.outcomes_before().clone();
    for (outcome, times) in report.outcomes() {
        *outcomes.entry(format!("{outcome:?}")).or_insert(0) += times;
    }
    let failures = report.failures_by_kind();
    format!("{} {outcomes:?} {failures:?} {:?}", report.executions(), report.coverage())
}

/// Without the variables it is an ordinary test.
#[test]
fn the_search_of_the_child() {
    let Some(results) = std::env::var_os(RESULTS) else {
        let report = Checker::dfs()
            .checkpoint(Duration::from_millis(1))
            .name("checkpoints::alone")
            .run(|| raddle::choose(3));
        assert_eq!((report.executions(), report.search_file()), (3, None));
        return;
    };
    let mut search = checker().checkpoint(Duration::from_millis(1));
    if let Ok(file) = std::env::var(RESUMED) {
        search = search.resume(file);
    }
    let found = totals(&search.run(program));
    // Whole or not at all: it may be killed here, too.
    let results = PathBuf::from(results);
    let unfinished = results.with_extension("unfinished");
    std::fs::write(&unfinished, found).unwrap();
    std::fs::rename(unfinished, results).unwrap();
}

#[test]
fn thirty_kills_lose_no_result() {
    let whole = totals(&checker().checkpoint(Duration::from_secs(60)).run(program));
    let folder = std::env::temp_dir().join(format!("raddle-killed-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let results = folder.join("results");
    // The first time limit says where the file is; that search is not used.
    let stopped = checker().time_limit(Duration::from_millis(1)).run(program);
    let file = PathBuf::from(stopped.search_file().expect("it is stopped")).canonicalize().unwrap();
    std::fs::remove_file(&file).unwrap();
    let child = || {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", NAME]).env(RESULTS, &results).stdout(Stdio::null()).stderr(Stdio::null());
        if file.exists() {
            command.env(RESUMED, &file);
        }
        command.spawn().unwrap()
    };
    let (mut moment, mut kills, mut resumed) = (7_u64, 0_u32, 0);
    while kills < 30 {
        moment = moment.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        resumed += usize::from(file.exists());
        let mut killed = child();
        // On a busy machine it takes longer until the first one has saved itself.
        let patience = if resumed == 0 { 1 + kills } else { 1 };
        std::thread::sleep(Duration::from_millis(5 + (moment >> 33) % 75) * patience);
        // This is SIGKILL.
        killed.kill().unwrap();
        killed.wait().unwrap();
        kills += 1;
        // A fast machine comes to the end between kills: the next child begins anew.
        if results.exists() {
            assert_eq!(std::fs::read_to_string(&results).unwrap(), whole, "after {kills} kills");
            std::fs::remove_file(&results).unwrap();
        }
    }
    assert!(resumed > 0, "no search ever saved itself");
    let mut rest = checker();
    if file.exists() {
        rest = rest.resume(file.to_str().unwrap());
    }
    assert_eq!(totals(&rest.run(program)), whole);
    std::fs::remove_dir_all(folder).unwrap();
}
