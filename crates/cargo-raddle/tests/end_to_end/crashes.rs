//! A test that crashes has a verdict: which task, after which operation, on which stack; and the next test still runs.

use crate::common::{explored, failed_as, fixture, golden};

#[test]
fn a_crash_is_a_verdict_and_the_next_test_runs() {
    let folder = fixture("unsafe_code");
    let (tests, code) = explored(&folder, &["crashes::"]);
    assert_eq!(code, 1);
    let expected = [
        ("a_division_without_a_result", "crash", "main crashed: a division without a result (SIGFPE)"),
        ("a_stack_overflow", "crash", "main overflowed its stack of"),
        ("an_abort", "panic", "main aborted the process"),
        ("an_atomic_at_no_address", "crash", "main crashed: an invalid access to memory (SIGSEGV)"),
        ("an_illegal_instruction", "crash", "main crashed: an illegal instruction (SIGILL)"),
        ("an_invalid_access", "crash", "main crashed: an invalid access to memory (SIGSEGV)"),
        (
            "beyond_the_end_of_a_file",
            "crash",
            "main crashed: an access to memory that cannot be had (SIGBUS)",
        ),
    ];
    for (name, kind, words) in expected {
        let test = &tests[&format!("crashes::{name}")];
        let defect = failed_as(&folder, test, kind);
        assert!(defect["message"].as_str().unwrap().starts_with(words), "{name}: {defect:#}");
        assert!(test["failure"]["replayed"].is_null(), "{name}: {test:#}");
        let facts = defect["facts"].as_array().unwrap();
        let last = facts.iter().find(|fact| !fact["relation"]["did-last"].is_null()).unwrap();
        assert_eq!(last["task"], "main", "{name}: {defect:#}");
        assert!(last["place"]["file"].as_str().unwrap().ends_with("src/crashes.rs"), "{name}: {defect:#}");
        let on_stack = |function: &str| {
            facts.iter().any(|fact| fact["relation"]["in"]["function"].as_str() == Some(function))
        };
        assert!(on_stack(&format!("unsafe_code::crashes::{name}")), "{name}: {defect:#}");
    }
    assert_eq!(tests.len(), expected.len() + 1);
    let passes = &tests["crashes::without_a_crash"];
    assert_eq!((&passes["verdict"], &passes["coverage"]["extent"]), (&"passed".into(), &"exhaustive".into()));
}

#[test]
fn the_report_of_a_crash() {
    let folder = fixture("unsafe_code");
    golden(&folder, "an invalid access", &["test", "--only", "crashes::an_invalid_access"]);
    golden(&folder, "a stack overflow", &["test", "--only", "crashes::a_stack_overflow"]);
}
