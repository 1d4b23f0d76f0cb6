//! Accesses to plain memory with `--races`, in a crate that has never heard of raddle.

use crate::common::{err, explored, failed_as, fixture, golden, out, raddle};

const RACE: &str = "data-race";

/// Each mistake that only plain accesses show, and what is said of it.
const FAILS: [(&str, &str, &str); 15] = [
    ("access_after_the_flag", RACE, "access the same 4 bytes of a block of"),
    ("atomic_and_plain", RACE, "access the same 8 bytes of a block of"),
    (
        "free_during_a_read",
        "use-after-free",
        "main.1 reads 4 bytes of a block of 4 bytes that main has freed",
    ),
    ("inside_a_lazy_static", RACE, "access the same 2 bytes of a static"),
    ("rc_of_two_threads", RACE, "access the same 8 bytes of a block of"),
    (
        "read_after_free",
        "use-after-free",
        "main reads 4 bytes of a block of 16 bytes, at offset 4, that main.1 has freed",
    ),
    ("read_behind_the_end", "heap-overflow", "main reads 2 bytes beyond the end of a block of 6 bytes"),
    (
        "relaxed_publication",
        RACE,
        "access the same 8 bytes of a block of 8 bytes, and nothing in the program orders them",
    ),
    ("stack_of_another_task", RACE, "access the same 4 bytes of the stack of main"),
    ("stack_of_its_own", RACE, "access the same 4 bytes of the stack of main"),
    ("static_mut", RACE, "access the same 4 bytes of a static"),
    ("the_end_of_a_channel", RACE, "access the same 8 bytes of a block of"),
    ("unsafe_cell", RACE, "access the same 8 bytes of a block of"),
    ("vec_behind_a_pointer", RACE, "access the same 1 byte of a block of 4 bytes, at offset 2,"),
    (
        "write_before_the_beginning",
        "heap-overflow",
        "main writes 4 bytes, 4 bytes before the beginning of a block of 12 bytes",
    ),
];

#[test]
fn mistakes_on_plain_memory_are_found_and_all_that_orders_accesses_is_known() {
    let folder = fixture("plain_memory");
    let (tests, code) = explored(&folder, &["--races", "--executions", "400"]);
    assert_eq!(code, 1);
    for (name, kind, words) in FAILS {
        let test = &tests[&format!("fails::{name}")];
        let defect = failed_as(&folder, test, kind);
        let message = defect["message"].as_str().unwrap();
        assert!(message.contains(words), "{name}: {message}");
        // Each fact has its place: stacks are gathered when the failure is replayed.
        for fact in defect["facts"].as_array().unwrap() {
            let place = fact["place"]["file"].as_str().unwrap_or_default();
            assert!(place.ends_with("src/fails.rs"), "{name}: {fact:#}");
        }
        assert!(test["covered"].to_string().contains("plain memory watched, but not in"), "{name}: {test:#}");
    }
    let passed: Vec<_> = tests.iter().filter(|(name, _)| !name.starts_with("fails::")).collect();
    for (name, test) in &passed {
        assert_eq!(test["verdict"], "passed", "{name}: {test:#}");
    }
    assert_eq!((passed.len(), tests.len()), (28, 28 + FAILS.len()));
}

#[test]
fn without_the_flag_plain_memory_is_not_watched() {
    let folder = fixture("plain_memory");
    let (tests, code) = explored(&folder, &["--only", "fails::unsafe_cell"]);
    let test = &tests["fails::unsafe_cell"];
    assert_eq!((&test["verdict"], code), (&"passed".into(), 0), "{test:#}");
    assert!(test["covered"].to_string().contains("plain memory not watched"), "{test:#}");
}

#[test]
fn races_that_are_suppressed_are_told_and_others_are_found() {
    let folder = fixture("plain_memory");
    let write = |text: &str| std::fs::write(folder.join("known races"), text).unwrap();
    let arguments = |test| ["--races", "--suppressions", "known races", "--only", test];
    write("# ours\nrace:fails::unsafe_cell\nrace:no/such/path.rs\n");
    let (tests, code) = explored(&folder, &arguments("fails::unsafe_cell"));
    let test = &tests["fails::unsafe_cell"];
    assert_eq!((&test["verdict"], code), (&"passed".into(), 0), "{test:#}");
    let covered = test["covered"].to_string();
    assert!(covered.contains("race suppressed by race:fails::unsafe_cell"), "{covered}");
    assert!(!covered.contains("no/such"), "{covered}");
    let (tests, _) = explored(&folder, &arguments("fails::static_mut"));
    failed_as(&folder, &tests["fails::static_mut"], RACE);
    write("deadlock:main\n");
    let refused = raddle(&folder, &["test", "--races", "--suppressions", "known races"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        err(&refused).contains("known races: line 1, `deadlock:main`, is no suppression"),
        "{}",
        err(&refused)
    );
}

#[test]
fn what_contradicts_the_flag_is_refused() {
    let folder = fixture("plain_memory");
    let refused = |arguments: &[&str], words: &str| {
        let said = raddle(&folder, arguments);
        assert_eq!(said.status.code(), Some(2), "{}", out(&said));
        assert!(err(&said).contains(words), "{}", err(&said));
    };
    refused(&["test", "--races", "--heap", "off"], "--races and --heap off contradict each other");
    refused(&["test", "--suppressions", "x"], "--suppressions are for data races: give --races, too");
    refused(
        &["test", "--races", "--exclude", "plain_memory"],
        "--races and --exclude plain_memory contradict",
    );
}

#[test]
fn the_reports_of_plain_memory() {
    let folder = fixture("plain_memory");
    for (name, ..) in FAILS {
        golden(&folder, &format!("races {name}"), &["test", "--races", "--only", &format!("fails::{name}")]);
    }
}
