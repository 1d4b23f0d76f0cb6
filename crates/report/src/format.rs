//! The forms in which other programs take a failure or the results of a suite. A new one is a file and its entry here.

use crate::suite::SuiteOutcome;
use crate::{dot, github, json, junit, perfetto};
use raddle_core::verdict::{Coverage, Failure};

/// Renders a failure.
pub type RenderFailure = fn(&Failure, &Coverage) -> String;
/// Renders the results of a suite.
pub type RenderSuite = fn(&[SuiteOutcome]) -> String;

/// The forms of a failure, by name.
pub const FAILURE_FORMATS: [(&str, RenderFailure); 3] =
    [("dot", dot::dot), ("json", json::to_json), ("perfetto", perfetto::perfetto)];

/// The forms of the results of a suite, by name.
pub const SUITE_FORMATS: [(&str, RenderSuite); 2] = [("github", github::github), ("junit", junit::junit)];
