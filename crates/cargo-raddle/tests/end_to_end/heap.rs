//! What a test does to its heap is judged in all its schedules, in a crate that has never heard of raddle.

use crate::common::{beside, err, explored, failed_as, fixture, golden, out};

#[test]
fn what_goes_wrong_on_the_heap_is_found_and_its_twin_passes() {
    let folder = fixture("unsafe_code");
    let (tests, code) = explored(&folder, &["heap::"]);
    assert_eq!(code, 1);
    let expected = [
        ("a_double_free", "double-free", " frees a block of 8 bytes that "),
        ("a_lock_after_free", "use-after-free", " lock "),
        ("a_stack_with_the_aba_problem", "double-free", "frees a block of 16 bytes"),
        ("a_write_after_free", "use-after-free", "a block of 40 bytes was written after main.1 had freed it"),
        ("a_write_before_the_beginning", "heap-overflow", "beyond the beginning of a block of 8 bytes"),
        ("a_write_behind_the_end", "heap-overflow", "beyond the end of a block of 8 bytes"),
        (
            "a_wrong_layout",
            "bad-free",
            "main frees a block of 24 bytes, aligned to 8, with the layout of 16 bytes",
        ),
        ("an_atomic_after_free", "use-after-free", "wants to fetch_add"),
        ("memory_of_a_stack", "bad-free", "main frees memory of a stack"),
        ("memory_of_a_static", "bad-free", "main frees memory of a static"),
        (
            "the_inside_of_a_block",
            "bad-free",
            "main frees an address that is 8 bytes inside of a block of 24 bytes",
        ),
    ];
    for (name, kind, words) in expected {
        let test = &tests[&format!("heap::{name}")];
        let defect = failed_as(&folder, test, kind);
        let message = defect["message"].as_str().unwrap();
        assert_eq!(message.lines().count(), 1, "{name}: {message}");
        let is_lock = words == " lock " && message.contains("lock main");
        assert!(message.contains(words) || is_lock, "{name}: {message}");
        assert!(test["failure"]["replayed"].is_null(), "{name}: {test:#}");
        // Each fact has its place: stacks are gathered when the failure is replayed.
        for fact in defect["facts"].as_array().unwrap() {
            let place = fact["place"]["file"].as_str().unwrap_or_default();
            assert!(place.ends_with("src/heap.rs"), "{name}: {fact:#}");
        }
    }
    let passes = [
        "a_single_free",
        "a_stack_with_a_lock",
        "both_before_free",
        "what_else_programs_do",
        "writes_within_a_block",
    ];
    for name in passes {
        let test = &tests[&format!("heap::{name}")];
        assert_eq!(
            (&test["verdict"], &test["coverage"]["extent"]),
            (&"passed".into(), &"exhaustive".into()),
            "{name}: {test:#}"
        );
        assert!(test["covered"].to_string().contains("freed memory not used again"), "{name}: {test:#}");
    }
    // More is freed in one execution than is held back: the line says so.
    let covered = tests["heap::much_that_is_freed"]["covered"].to_string();
    assert!(covered.contains("beyond 256 MiB"), "{covered}");
    assert_eq!(tests.len(), expected.len() + passes.len() + 1);
}

#[test]
fn the_heap_is_not_judged_if_that_is_not_wanted() {
    let folder = fixture("unsafe_code");
    let (tests, code) = explored(&folder, &["--heap", "off", "--only", "heap::a_write_behind_the_end"]);
    let test = &tests["heap::a_write_behind_the_end"];
    assert_eq!((&test["verdict"], code), (&"passed".into(), 0), "{test:#}");
    assert!(!test["covered"].to_string().contains("freed memory"), "{test:#}");
}

#[test]
fn the_reports_of_the_heap() {
    let folder = fixture("unsafe_code");
    let golden = |name, test: &str| golden(&folder, name, &["test", "--only", test]);
    golden("double free", "heap::a_double_free");
    golden("atomic after free", "heap::an_atomic_after_free");
    golden("write behind the end", "heap::a_write_behind_the_end");
    golden("wrong layout", "heap::a_wrong_layout");
    golden("aba", "heap::a_stack_with_the_aba_problem");
}

/// In a program that uses the library, and the same under `cargo raddle test`.
#[test]
fn the_library_judges_the_heap_where_that_is_asked_for() {
    let folder = fixture("judged_library");
    let tested = beside(&folder, "cargo").arg("test").output().unwrap();
    let said = format!("{}{}", out(&tested), err(&tested));
    assert!(tested.status.success() && said.contains("8 passed; 0 failed"), "{said}");
    // One that may not be judged: the setting in the program says so.
    let wanted =
        beside(&folder, "cargo").args(["test", "with_the_attribute"]).env("RADDLE_HEAP", "maybe").output();
    let said = out(&wanted.unwrap());
    assert!(said.contains("RADDLE_HEAP: there is no heap `maybe`; there are on and off"), "{said}");
    // What it collects outside of its executions is std's, and so is under control there.
    let (tests, code) = explored(&folder, &["--", "--skip", "what_outlives"]);
    let verdicts: Vec<_> = tests.values().map(|test| test["verdict"].as_str().unwrap()).collect();
    assert_eq!((verdicts, code), (vec!["passed"; 7], 0), "{tests:#?}");
}
