//! Tests of a package under a memory model: std's atomics with the real meaning of their orderings.

use crate::common::{err, explored, fixture, raddle};
use serde_json::Value;
use std::collections::BTreeMap;

/// The tests that fail.
fn failing(tests: &BTreeMap<String, Value>) -> Vec<&str> {
    let failed = tests.iter().filter(|(_, test)| test["verdict"] == "failed");
    failed.map(|(name, _)| name.trim_start_matches("tests::")).collect()
}

#[test]
fn orderings_have_their_meaning() {
    let folder = fixture("orderings");
    let under = |model: &[&str]| explored(&folder, &[&["--budget", "60s"], model].concat());
    for (model, expected) in [
        (&[][..], &["relaxed_message", "store_buffering"][..]),
        (&["--memory", "auto"], &["relaxed_message", "store_buffering"]),
        (&["--memory", "sc"], &[]),
        (&["--strategy", "dfs"], &[]),
        (&["--memory", "tso"], &["store_buffering"]),
        (&["--memory", "pso"], &["relaxed_message", "store_buffering"]),
        (&["--memory", "rc11"], &["relaxed_message", "store_buffering"]),
        (
            &["--memory", "rc11", "--strategy", "random", "--schedules", "2000"],
            &["relaxed_message", "store_buffering"],
        ),
    ] {
        let (tests, code) = under(model);
        assert_eq!(
            (failing(&tests), code),
            (expected.to_vec(), !expected.is_empty() as i32),
            "{model:?}: {tests:#?}"
        );
        let skipped: Vec<&String> =
            tests.iter().filter(|(_, test)| test["verdict"] == "skipped").map(|t| t.0).collect();
        assert!(skipped.is_empty(), "{model:?}: {tests:#?}");
    }
    let unknown = raddle(&folder, &["test", "--memory", "x86"]);
    assert!(
        err(&unknown).contains("there is no memory model `x86`; there are auto, sc, tso, pso, rc11"),
        "{}",
        err(&unknown)
    );
}
