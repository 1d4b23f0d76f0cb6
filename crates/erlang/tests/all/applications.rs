//! Applications start from their `.app` files, and read their environment from a `.config` file.

use crate::common::*;
use raddle_core::verdict::FailureKind;
use raddle_erlang::settings::{Delivery, Settings};
use std::path::Path;

fn settings(config: Option<&str>) -> Settings {
    Settings { delivery: Delivery::Instant, config: config.map(str::to_owned), ..Settings::default() }
}

#[test]
fn applications_start_and_stop() {
    if !erlang_is_there() {
        return;
    }
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let dir = compile_files("my_app", &[programs.join("my_app.erl")], &[]);
    std::fs::copy(programs.join("my_app.app"), dir.join("my_app.app")).expect("copied");
    let outcome = |config| {
        let findings = bounded(&program(&dir, "my_app", "test", settings(config)), 0);
        assert_eq!(findings.failures, 0, "{:?}", findings.failure.map(|f| f.message().to_owned()));
        findings.outcomes.into_keys().collect::<Vec<_>>()
    };
    let missing = "{error,{\"no such file or directory\",\"no_such_app.app\"}}";
    let plain = format!("{{undefined,[my_app],[],true,\"hello\",1,3,undefined,{missing}}}");
    assert_eq!(outcome(None), [plain]);
    let configured = format!("{{{{ok,7}},[my_app],[],true,\"hello\",7,3,undefined,{missing}}}");
    assert_eq!(outcome(Some("[{my_app, [{number, 7}]}].")), [configured]);
    let broken = all(&program(&dir, "my_app", "test", settings(Some("nonsense."))));
    let failure = broken.failure.expect("a failure");
    assert_eq!(failure.kind(), FailureKind::Misuse);
    assert!(failure.message().starts_with("the configuration cannot be used: "), "{}", failure.message());
}
